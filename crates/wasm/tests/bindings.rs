//! The boundary itself with JavaScript values: arguments are decoded, and answers have the names of the contract.
//! Conclusions are tested by the vectors, natively and on wasm.
#![cfg(target_family = "wasm")]

use argus_wasm::{Inspector, generate_signature};
use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn value(json: &str) -> JsValue {
    JSON::parse(json).expect("the test's own JSON")
}

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).expect("an object")
}

fn inspector(options: &str) -> Inspector {
    Inspector::new(value(options)).expect("options that compile")
}

#[wasm_bindgen_test]
fn encodes_inspection_in_camel_case() {
    let event = value(r#"{"text": "😀 connect ECONNREFUSED 127.0.0.1:5432", "caseName": "shop > opens"}"#);
    let seen = inspector("{}").inspect(event).expect("an inspection");
    assert_eq!(field(&seen, "category"), "CONNECTION_REFUSED");
    assert_eq!(field(&seen, "signature").as_string().map(|hex| hex.len()), Some(64));
    assert!(field(&seen, "familySignature").is_string());
    assert!(field(&seen, "signaturePattern").as_string().is_some_and(|it| it.contains("::shop > opens::")));
    // The smiley has two UTF-16 units, so that positions work with JavaScript's `slice`.
    let evidence = field(&seen, "evidence");
    let start = field(&evidence, "start").as_f64();
    assert_eq!((start, field(&evidence, "text")), (Some(11.0), "ECONNREFUSED".into()));
}

#[wasm_bindgen_test]
fn applies_rules_and_secrets() {
    let options = r#"{"rules": [{"name": "quota", "category": "HTTP_ERROR", "pattern": "quota exceeded"}],
                      "secrets": [{"name": "badge", "pattern": "badge-\\d{6}"}]}"#;
    let seen =
        inspector(options).inspect(value(r#"{"text": "quota exceeded for badge-123456"}"#)).expect("an inspection");
    assert_eq!(field(&seen, "category"), "HTTP_ERROR");
    assert!(field(&seen, "redacted").as_string().is_some_and(|it| !it.contains("123456")));
}

#[wasm_bindgen_test]
fn throws_errors_with_a_code() {
    let wrong_rule = value(r#"{"rules": [{"name": "open", "category": "TIMEOUT", "pattern": "("}]}"#);
    let thrown = Inspector::new(wrong_rule).expect_err("the pattern does not compile");
    assert_eq!(field(&thrown, "code"), "INVALID_INPUT");
    let thrown = generate_signature("TIMEOUTS", "case", "error").expect_err("no such category");
    assert_eq!(field(&thrown, "code"), "INVALID_INPUT");
}

#[wasm_bindgen_test]
fn redacts_thrown_messages() {
    let token = format!("gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
    let thrown = [
        Inspector::new(value(&format!(r#"{{"rules": [{{"name": "a", "category": "{token}", "pattern": "b"}}]}}"#)))
            .expect_err("no category"),
        generate_signature(&token, "case", "error").expect_err("no category"),
    ];
    for thrown in thrown {
        let message = field(&thrown, "message").as_string().expect("a text");
        assert!(message.contains("REDACTED") && !message.contains("Fake1"), "{message}");
    }
}

#[wasm_bindgen_test]
fn answers_lines_in_order() {
    let answers = inspector("{}").inspect_jsonl("{\"text\": \"one\"}\nnot json\n\n{\"text\": \"three\"}\n");
    let lines: Vec<JsValue> = answers.lines().map(value).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(field(&lines[0], "redacted"), "one");
    assert_eq!(field(&field(&lines[1], "error"), "code"), "INVALID_INPUT");
    assert_eq!(field(&lines[2], "redacted"), "three");
}
