//! Tests the conversion of JavaScript values: arguments are decoded, and answers have the field names of
//! `argus_engine::contract`. The shared vectors test the results of the analysis, natively and on wasm.
#![cfg(target_family = "wasm")]

use argus_wasm::{Inspector, generate_signature};
use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn parse_json(json: &str) -> JsValue {
    JSON::parse(json).expect("the test's own JSON")
}

fn get_field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).expect("an object")
}

fn create_inspector(options: &str) -> Inspector {
    Inspector::new(parse_json(options)).expect("options that compile")
}

#[wasm_bindgen_test]
fn inspect_returns_an_inspection_in_camel_case() {
    let event = parse_json(r#"{"text": "😀 connect ECONNREFUSED 127.0.0.1:5432", "caseName": "shop > opens"}"#);
    let inspection = create_inspector("{}").inspect(event).expect("an inspection");
    assert_eq!(get_field(&inspection, "category"), "CONNECTION_REFUSED");
    assert_eq!(get_field(&inspection, "signature").as_string().map(|hex| hex.len()), Some(64));
    assert!(get_field(&inspection, "familySignature").is_string());
    assert!(get_field(&inspection, "signaturePattern").as_string().is_some_and(|it| it.contains("::shop > opens::")));
    // The smiley has two UTF-16 units, so that positions work with JavaScript's `slice`.
    let evidence = get_field(&inspection, "evidence");
    let start = get_field(&evidence, "start").as_f64();
    assert_eq!((start, get_field(&evidence, "text")), (Some(11.0), "ECONNREFUSED".into()));
}

#[wasm_bindgen_test]
fn inspector_applies_rules_and_secrets() {
    let options = r#"{"rules": [{"name": "quota", "category": "HTTP_ERROR", "pattern": "quota exceeded"}],
                      "secrets": [{"name": "badge", "pattern": "badge-\\d{6}"}]}"#;
    let inspection = create_inspector(options)
        .inspect(parse_json(r#"{"text": "quota exceeded for badge-123456"}"#))
        .expect("an inspection");
    assert_eq!(get_field(&inspection, "category"), "HTTP_ERROR");
    assert!(get_field(&inspection, "redacted").as_string().is_some_and(|it| !it.contains("123456")));
}

#[wasm_bindgen_test]
fn thrown_errors_have_a_code() {
    let wrong_rule = parse_json(r#"{"rules": [{"name": "open", "category": "TIMEOUT", "pattern": "("}]}"#);
    let thrown = Inspector::new(wrong_rule).expect_err("the pattern does not compile");
    assert_eq!(get_field(&thrown, "code"), "INVALID_INPUT");
    let thrown = generate_signature("TIMEOUTS", "case", "error").expect_err("no such category");
    assert_eq!(get_field(&thrown, "code"), "INVALID_INPUT");
}

#[wasm_bindgen_test]
fn thrown_messages_are_redacted() {
    let token = format!("gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
    let thrown = [
        Inspector::new(parse_json(&format!(
            r#"{{"rules": [{{"name": "a", "category": "{token}", "pattern": "b"}}]}}"#
        )))
        .expect_err("no category"),
        generate_signature(&token, "case", "error").expect_err("no category"),
    ];
    for thrown in thrown {
        let message = get_field(&thrown, "message").as_string().expect("a text");
        assert!(message.contains("REDACTED") && !message.contains("Fake1"), "{message}");
    }
}

#[wasm_bindgen_test]
fn inspect_jsonl_answers_lines_in_order() {
    let answers = create_inspector("{}").inspect_jsonl("{\"text\": \"one\"}\nnot json\n\n{\"text\": \"three\"}\n");
    let lines: Vec<JsValue> = answers.lines().map(parse_json).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(get_field(&lines[0], "redacted"), "one");
    assert_eq!(get_field(&get_field(&lines[1], "error"), "code"), "INVALID_INPUT");
    assert_eq!(get_field(&lines[2], "redacted"), "three");
}
