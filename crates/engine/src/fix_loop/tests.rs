//! Tests the fix loop with the shared vectors and with states from files.

use super::{advance, analyze_loop_failure, begin, next_step, read_state};
use crate::{
    ErrorCode,
    contract::{FixEvent, FixFailure, FixStart},
};
use argus_core::Analyzer;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// A row of `tests/vectors/fix-loop-errors.jsonl`. Fields that are absent are not compared.
#[derive(Deserialize)]
struct ErrorRow {
    name: String,
    #[serde(flatten)]
    failure: FixFailure,
    #[serde(flatten)]
    wanted: serde_json::Map<String, Value>,
}

const ERROR_VECTORS: &str = include_str!("../../../../tests/vectors/fix-loop-errors.jsonl");

fn create_analyzer() -> Analyzer {
    Analyzer::new(&[], &[]).unwrap()
}

/// Returns the fields of the answer that differ from the row.
fn list_differences(row: &ErrorRow) -> Vec<String> {
    let answer = serde_json::to_value(analyze_loop_failure(&create_analyzer(), &row.failure)).unwrap();
    let same = |key: &str, wanted: &Value| match key {
        "rule" => answer["class_because"]["rule"] == *wanted,
        "location" => match wanted.as_object() {
            None => answer[key].is_null(),
            Some(place) => place.iter().all(|(name, value)| value.is_null() || answer[key][name] == *value),
        },
        _ => answer[key] == *wanted,
    };
    let known = ["text", "name", "exit_code", "timed_out", "signal"];
    let wrong = row.wanted.iter().filter(|(key, value)| !known.contains(&key.as_str()) && !same(key, value));
    wrong
        .map(|(key, value)| {
            let is = if key == "rule" { &answer["class_because"] } else { &answer[key.as_str()] };
            format!("{}: {key} should be {value}, is {is}", row.name)
        })
        .collect()
}

#[test]
fn understand_matches_the_error_vectors() {
    let rows: Vec<ErrorRow> = ERROR_VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<String> = rows.iter().flat_map(list_differences).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

const HASH_PAIR_VECTORS: &str = include_str!("../../../../tests/vectors/fix-loop-same.jsonl");
const WALK_VECTORS: &str = include_str!("../../../../tests/vectors/fix-loop-walks.jsonl");

#[derive(Deserialize)]
struct ErrorPair {
    same: bool,
    name: String,
    a: String,
    b: String,
    exit_code: i32,
}

#[test]
fn error_hashes_are_equal_exactly_for_the_same_error() {
    let pairs: Vec<ErrorPair> = HASH_PAIR_VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hash = |text: &str, exit_code| {
        let failure = FixFailure { text: text.to_owned(), exit_code: Some(exit_code), ..FixFailure::default() };
        analyze_loop_failure(&create_analyzer(), &failure).error_hash
    };
    let wrong =
        pairs.iter().filter(|pair| (hash(&pair.a, pair.exit_code) == hash(&pair.b, pair.exit_code)) != pair.same);
    let wrong: Vec<&str> = wrong.map(|pair| pair.name.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A row of `tests/vectors/fix-loop-walks.jsonl`: a loop with its steps.
#[derive(Deserialize)]
struct Walk {
    name: String,
    start: FixStart,
    steps: Vec<Step>,
}

/// An event, or a failure that becomes an event, with the expected decision.
#[derive(Deserialize)]
struct Step {
    event: Option<FixEvent>,
    failure: Option<FixFailure>,
    #[serde(rename = "type")]
    kind: String,
    status: Option<String>,
    approach: Option<String>,
    escalation: Option<String>,
    delay_seconds: Option<f64>,
}

fn build_event(step: &Step) -> FixEvent {
    let Some(failure) = &step.failure else { return step.event.clone().unwrap() };
    FixEvent::AttemptFinished {
        exit_code: failure.exit_code.unwrap(),
        timed_out: failure.timed_out.unwrap_or_default(),
        duration_seconds: 2.0,
        error: Some(Box::new(analyze_loop_failure(&create_analyzer(), failure))),
        timestamp: None,
        weakened: Vec::new(),
        ran: None,
    }
}

#[test]
fn advance_matches_the_walk_vectors() {
    for line in WALK_VECTORS.lines() {
        let walk: Walk = serde_json::from_str(line).unwrap();
        let mut state = begin(&create_analyzer(), &walk.start).unwrap();
        for (number, step) in walk.steps.iter().enumerate() {
            let state_value = serde_json::to_value(&state).unwrap();
            let advanced = advance(&create_analyzer(), state_value, build_event(step), 0.5).unwrap();
            let answer = serde_json::to_value(&advanced).unwrap();
            let decision = &answer["decision"];
            let place = format!("{}, step {number}: {answer:#}", walk.name);
            assert_eq!(decision["type"], step.kind, "{place}");
            let texts = [
                (&step.status, &answer["state"]["status"]),
                (&step.approach, &decision["approach"]["name"]),
                (&step.escalation, &decision["escalation"]),
            ];
            for (wanted, is) in texts {
                assert!(wanted.as_ref().is_none_or(|wanted| is == wanted), "{wanted:?} {place}");
            }
            assert!(step.delay_seconds.is_none_or(|wanted| decision["delay_seconds"] == wanted), "{place}");
            state = advanced.state;
        }
    }
}

fn start_options() -> FixStart {
    FixStart {
        command: Some("npm test".to_owned()),
        desired: "passes".to_owned(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        ..FixStart::default()
    }
}

#[test]
fn an_invalid_state_is_rejected_with_its_code() {
    let state = begin(&create_analyzer(), &start_options()).unwrap();
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(read_state(&text, None).unwrap(), state);
    assert_eq!(read_state(&text, Some(&state.command_hash)).unwrap(), state);
    let code = |text: &str, hash| read_state(text, hash).unwrap_err().code;
    assert_eq!(code(&text, Some("00000000")), ErrorCode::StateMismatch);
    let other = text.replacen("\"npm test\"", "\"npm run build\"", 1);
    assert_eq!(code(&other, None), ErrorCode::StateMismatch);
    assert_eq!(code("{\"version\": 2, \"anything\": true}", None), ErrorCode::StateNewer);
    let broken = ["", "null", "[]", "{}", "{\"version\": \"1\"}", "{\"version\": 1}", &text[..text.len() / 2]];
    for broken in broken {
        assert_eq!(code(broken, None), ErrorCode::StateUnreadable, "{broken}");
    }
    let absurd = text.replacen("\"max_attempts\":5", "\"max_attempts\":-1", 1);
    assert_eq!(code(&absurd, None), ErrorCode::StateUnreadable);
    assert_eq!(next_step(Value::Null).unwrap_err().code, ErrorCode::StateUnreadable);
}

#[test]
fn texts_of_events_are_redacted_and_shortened() {
    let token = format!("token=gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
    let state = begin(&create_analyzer(), &FixStart { desired: token.clone(), ..start_options() }).unwrap();
    assert!(!state.desired.contains("Fake2"));
    let failure = FixFailure { text: format!("TypeError: {token}"), exit_code: Some(1), ..FixFailure::default() };
    let error = analyze_loop_failure(&create_analyzer(), &failure);
    assert!(!serde_json::to_string(&error).unwrap().contains("Fake2"));
    let run = FixEvent::AttemptFinished {
        exit_code: 1,
        timed_out: false,
        duration_seconds: 1.0,
        error: Some(Box::new(error)),
        timestamp: None,
        weakened: Vec::new(),
        ran: None,
    };
    let started = FixEvent::AttemptStarted { timestamp: None, snapshot: None };
    let fix = FixEvent::FixDeclared {
        description: format!("{} {token}", "word ".repeat(10_000)),
        digest: Some("1".to_owned()),
        files: Vec::new(),
        outside: Some(token),
        approach: None,
    };
    let done = [started, run, fix].into_iter().fold(state, |state, event| {
        advance(&create_analyzer(), serde_json::to_value(state).unwrap(), event, 0.0).unwrap().state
    });
    let text = serde_json::to_string(&done).unwrap();
    assert!(!text.contains("Fake2") && text.len() < 20_000, "{}", text.len());
}

proptest! {
    #[test]
    fn any_text_is_rejected_as_a_state_and_accepted_as_output(text in "\\PC{0,200}", exit_code in any::<Option<i32>>()) {
        prop_assert!(read_state(&text, None).is_err());
        let error = analyze_loop_failure(&create_analyzer(), &FixFailure { text, exit_code, ..FixFailure::default() });
        prop_assert!(!error.error_type.is_empty() && error.error_hash.len() == 16);
    }
}
