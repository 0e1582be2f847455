//! Puts a secret into every string field of every call. Neither an answer nor the database may contain the secret.

use crate::tests::{
    databases::{
        self,
        every_call::{CallSequence, MadeCall},
    },
    prelude::*,
};
use argus_core::{Analyzer, redact::SecretPattern};

/// Parts of the secrets in the params. The tests search for these parts.
const SECRET_PARTS: [&str; 4] = ["Fake1Fake2", "Hidden1Hidden2", "Hidden7Hidden8Hidden9", "4815162342"];

/// Returns a text with two tokens. The second contains an invisible character.
fn text_with_secrets(place: &str) -> String {
    let open = format!("gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
    let hidden = format!("gh{}_Hidden1Hidden2\u{200b}Hidden7Hidden8Hidden9Hidden0", "p");
    format!("{place} {open} {hidden}")
}

fn environment_with_secrets() -> Value {
    json!({ "os": text_with_secrets("linux"), text_with_secrets("key"): text_with_secrets("value"), "language": text_with_secrets("python"), "password": 4_815_162_342_u64 })
}

fn contains_secret(answer: &impl std::fmt::Debug) -> bool {
    let said = format!("{answer:?}");
    SECRET_PARTS.iter().any(|part| said.contains(part))
}

/// A CTRF report with a secret in every text (<https://ctrf.io>).
fn report_with_secrets() -> String {
    let test = |status: &str| {
        json!({ "name": text_with_secrets("adds"), "suite": [text_with_secrets("cart")], "status": status, "rawStatus": text_with_secrets("raw"),
            "duration": 3, "filePath": text_with_secrets("src/"), "message": text_with_secrets("Error: connect ECONNREFUSED"),
            "trace": text_with_secrets("at add"), "stdout": [text_with_secrets("out")], "stderr": [text_with_secrets("err")], "flaky": false })
    };
    json!({ "reportFormat": "CTRF", "specVersion": "0.0.0", "results": { "tool": { "name": text_with_secrets("vitest") },
        "summary": { "tests": 2, "passed": 1, "failed": 1, "pending": 0, "skipped": 0, "other": 0, "start": 1, "stop": 2 },
        "tests": [test("failed"), test("passed")] } })
    .to_string()
}

#[derive(Debug)]
struct ReportsWithSecrets;

impl ReportFiles for ReportsWithSecrets {
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError> {
        match path.split(' ').next() {
            Some("ctrf.json") => Ok(Box::new(Cursor::new(report_with_secrets()))),
            Some("bad") => {
                Ok(Box::new(Cursor::new(text_with_secrets("<testsuites><testsuite name='x'><testcase name='"))))
            }
            _ => Err(EngineError::new(crate::ErrorCode::ReportNotFound, format!("No such report: {path}."))),
        }
    }
}

/// Import lines: a valid line with a secret in each field, and lines that are rejected.
fn import_lines_with_secrets() -> String {
    let outcome = json!({ "worked": true, "env": environment_with_secrets(), "notes": text_with_secrets("n"), "case_name": text_with_secrets("case") });
    let tied = json!({ "worked": true, "run_id": text_with_secrets("run"), "lookup_id": text_with_secrets("lkp") });
    let line = json!({ "title": text_with_secrets("Imported"), "error_signature": text_with_secrets("Error"), "summary": text_with_secrets("s"),
        "tags": [text_with_secrets("t")], "solutions": [{ "steps": text_with_secrets("Do"), "env": environment_with_secrets(), "outcomes": [outcome] }] });
    let refused = [
        json!({ "id": text_with_secrets("inc"), "title": "x" }),
        json!({ "title": "x", "solutions": [{ "steps": "y", "outcomes": [tied] }] }),
        json!({ "type": text_with_secrets("type"), "title": "x" }),
        json!({ "title": "x", "created_at": text_with_secrets("now") }),
        json!({ "title": 5, "tags": text_with_secrets("no list") }),
        json!({ "title": "x", "solutions": [{ "steps": "y", "env_bucket": text_with_secrets("bucket") }] }),
        json!({ "title": "x", "solutions": [{ "id": text_with_secrets("sol"), "steps": "y" }] }),
    ];
    let lines = [line].into_iter().chain(refused).map(|line| line.to_string()).chain([text_with_secrets("{no json")]);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the places in the params that contain a text or an object with arbitrary names. Fields of this call that
/// are in `seen` are skipped.
fn find_text_places(made: &MadeCall, seen: &mut BTreeSet<String>) -> Vec<String> {
    fn walk(value: &Value, at: &str, field: &str, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(_) => found.push((at.to_owned(), field.to_owned())),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| walk(item, &format!("{at}/{index}"), field, found));
            }
            Value::Object(fields) => {
                if ENVIRONMENT_FIELDS.iter().any(|name| field.ends_with(name)) {
                    found.push((at.to_owned(), field.to_owned()));
                }
                fields
                    .iter()
                    .for_each(|(key, item)| walk(item, &format!("{at}/{key}"), &format!("{field}/{key}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(&made.params, "", made.name, &mut found);
    let is_free = |field: &str| !HOST_IDS.contains(&field);
    found.into_iter().filter(|(_, field)| is_free(field) && seen.insert(field.clone())).map(|(at, _)| at).collect()
}

/// Ids that the host creates and passes back, so no person writes them.
const HOST_IDS: [&str; 2] = ["likelyFixes/commits/commit", "createToken/id"];

/// Fields with arbitrary names.
const ENVIRONMENT_FIELDS: [&str; 3] = ["/env", "/detected_env", "/environment"];

/// Returns the params with a secret in this place.
fn with_secret(params: &Value, place: &str) -> Value {
    let mut params = params.clone();
    match params.pointer_mut(place).unwrap() {
        // The environment of a run contains only texts.
        Value::Object(environment) if place.ends_with("/environment") => {
            environment.insert(text_with_secrets("key"), text_with_secrets("value").into());
        }
        Value::Object(environment) => environment.extend(environment_with_secrets().as_object().unwrap().clone()),
        text => *text = text_with_secrets(text.as_str().unwrap()).into(),
    }
    params
}

#[test]
fn no_call_returns_or_stores_a_secret() {
    let folder = Folder::new("every-field");
    let play =
        CallSequence::run_all(databases::open_file(folder.file().to_str().unwrap()).unwrap(), ReportsWithSecrets);
    let mut seen = BTreeSet::new();
    for made in play.made_calls() {
        for place in find_text_places(&made, &mut seen) {
            let answer = play.call(made.name, with_secret(&made.params, &place));
            // The stored data is read back.
            let run = &answer["runId"];
            if run.is_string() {
                play.call("runDetail", json!({ "runId": run }));
                for failure in answer["failures"].as_array().into_iter().flatten() {
                    play.call("diagnose", json!({ "runId": run, "caseName": failure["caseName"] }));
                    play.call("viewCase", json!({ "runId": run, "caseName": failure["caseName"] }));
                }
            }
        }
    }
    for path in ["bad", "missing", &text_with_secrets("missing")] {
        let run = json!({ "timedOut": false, "reports": [{ "path": path }], "containers": [], "notes": [] });
        play.call("recordRun", run);
    }
    assert_eq!(play.call("memoryImport", json!({ "lines": import_lines_with_secrets() }))["added"], 1);
    for name in ["overview", "history", "patterns", "memoryExport", "patternsExport", "viewIncidents", "viewPatterns"] {
        play.call(name, json!({}));
    }
    let made = play.made_calls();
    drop(play);
    assert!(seen.len() > 200, "{}", seen.len());
    let told: Vec<_> =
        made.iter().filter(|made| contains_secret(&made.answer)).map(|made| (made.name, &made.answer)).collect();
    assert!(told.is_empty(), "{told:#?}");
    let bytes = fs::read(folder.file()).unwrap();
    for part in SECRET_PARTS {
        let at = bytes.windows(part.len()).position(|window| window == part.as_bytes());
        let around = at.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..at + 40]).into_owned());
        assert_eq!(around, None, "{part}");
    }
    assert!(bytes.windows(13).any(|window| window == b"The pool is e"), "the other text is stored");
}

#[test]
fn configuration_errors_contain_no_secrets() {
    let secret = |pattern: String| SecretPattern { name: text_with_secrets("ticket"), pattern };
    let rule = UserRule {
        name: text_with_secrets("rule"),
        category: argus_core::Category::Unknown,
        pattern: text_with_secrets("("),
    };
    let own = EngineOptions {
        secrets: vec![secret(format!("my-own-secret({}", text_with_secrets("[")))],
        ..EngineOptions::default()
    };
    let rules = EngineOptions { rules: vec![rule], ..EngineOptions::default() };
    for options in [own, rules] {
        let message = World::open_with_options(":memory:", options).err().unwrap().message;
        assert!(!message.contains("my-own-secret") && !contains_secret(&message), "{message}");
        assert!(message.contains("does not compile") && message.contains("REDACTED"), "{message}");
    }
}

#[test]
fn a_fix_loop_contains_no_secrets() {
    let analyzer = Analyzer::new(&[], &[]).unwrap();
    let failure = FixFailure {
        text: text_with_secrets("Error: boom"),
        exit_code: Some(1),
        timed_out: Some(false),
        signal: Some(text_with_secrets("SIGKILL")),
        container_status: Some(text_with_secrets("exited")),
        oom_killed: Some(false),
    };
    let understood = fix_loop::analyze_loop_failure(&analyzer, &failure);
    assert!(!contains_secret(&understood), "{understood:?}");
    let start = json!({ "command": "npm test", "desired": text_with_secrets("it passes"), "error": text_with_secrets("Error: boom"),
        "commandHash": "0".repeat(64), "timestamp": 1 });
    let begun = fix_loop::begin(&analyzer, &serde_json::from_value(start).unwrap());
    assert!(!contains_secret(&begun), "{begun:?}");
    let read = fix_loop::read_state(&text_with_secrets("{"), None);
    assert!(!contains_secret(&read), "{read:?}");
}

#[test]
fn errors_contain_no_secrets_of_the_project() {
    let secrets = vec![SecretPattern { name: "acme".to_owned(), pattern: r"ACME-\d{6}".to_owned() }];
    let world = World::open_with_options(":memory:", EngineOptions { secrets, ..EngineOptions::default() }).unwrap();
    let secret = "ACME-123456";
    let calls = [
        ("diagnose", json!({ "runId": secret, "caseName": "boom" })),
        ("pattern", json!({ "id": secret })),
        (
            "recordFix",
            json!({ "patternId": secret, "runId": "r", "caseName": "c", "fixDescription": "d", "success": true }),
        ),
        ("recordRun", json!({ "reports": [{ "path": format!("/reports/{secret}.xml") }] })),
        ("history", json!({ "limit": secret })),
        ("memoryImport", json!({ "lines": format!("{{\"title\":\"x\",\"solutions\":\"{secret}\"}}\n") })),
    ];
    for (name, params) in calls {
        let answer = call::<Json>(&world.engine, &world.context(), name, params);
        let said = answer.map_or_else(|error| error.message, |answer| answer.to_string());
        assert!(!said.contains("123456"), "{name}: {said}");
        let is_quoted = said.contains("[REDACTED:acme]") || name == "recordRun";
        assert!(is_quoted, "{name}: {said}");
    }
}
