//! Tests the shared vectors, the guards, and properties of any text.

use super::{
    Classifier, UserRule,
    rule::{CompiledRule, Matcher},
    rules,
};
use crate::{failure::category::Category, failure::event::FailureEvent};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeSet;

/// A row of `tests/vectors/classify*.jsonl`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    #[serde(flatten)]
    event: FailureEvent,
    category: Category,
    /// `None` if any rule of the category is acceptable.
    rule: Option<String>,
    /// The correct category if `category` is known to be wrong.
    known_wrong: Option<Category>,
    /// Set if the result depends on the start or the end of the text. The test then adds no lines around the text.
    #[serde(default)]
    unframed: bool,
}

/// The first file has texts that a rule barely matches or rejects. The second file has texts of every kind of tool.
const VECTORS: [&str; 2] = [
    include_str!("../../../../tests/vectors/classify.jsonl"),
    include_str!("../../../../tests/vectors/classify-kinds.jsonl"),
];

fn read_vectors() -> Vec<Vector> {
    let lines = VECTORS.iter().flat_map(|file| file.lines()).filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn built_in_classifier() -> Classifier {
    Classifier::new(&[]).expect("no user rules")
}

/// Checks a vector as it is and with neutral lines around it.
fn check_vector(vector: &Vector, failures: &mut Vec<String>) {
    let frames: &[(&str, &str)] = if vector.unframed {
        &[("", "")]
    } else {
        &[("", ""), ("run 4 of suite checkout\n", ""), ("", "\nend of output\n")]
    };
    for (before, after) in frames {
        let event = FailureEvent { text: format!("{before}{}{after}", vector.event.text), ..vector.event.clone() };
        let answer = built_in_classifier().classify(&event);
        let rule_differs = vector.rule.as_deref().is_some_and(|rule| rule != answer.rule);
        if answer.category != vector.category || rule_differs {
            failures.push(format!(
                "{:?} by {}, not {:?} by {:?}: {:?}",
                answer.category, answer.rule, vector.category, vector.rule, event.text
            ));
        }
        if vector.known_wrong == Some(answer.category) {
            failures.push(format!("right at last, no longer known-wrong: {:?}", event.text));
        }
    }
}

#[test]
fn matches_vectors() {
    let mut failures = Vec::new();
    for vector in &read_vectors() {
        check_vector(vector, &mut failures);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn vectors_cover_every_category() {
    let covered: BTreeSet<Category> = read_vectors().iter().map(|vector| vector.category).collect();
    assert_eq!(covered.len(), Category::ALL.len());
    assert!(read_vectors().len() >= 150);
}

#[test]
fn every_rule_is_well_formed() {
    let mut names = BTreeSet::new();
    for rule in rules::all_rules() {
        assert!(names.insert(rule.name), "{} twice", rule.name);
        assert!(!rule.literals.is_empty(), "{} has no literal", rule.name);
        for literal in rule.literals.iter().chain(rule.required_literals) {
            assert!(
                literal.len() >= super::literal_prefilter::GRAM_BYTES && *literal == literal.to_lowercase(),
                "{}: {literal:?}",
                rule.name
            );
        }
        // Compiles both expressions; panics if one is invalid.
        let window = rule.literals[0].as_bytes();
        let compiled = CompiledRule::default();
        let matcher_only = super::rule::Rule { unless: None, ..*rule };
        compiled.find(&matcher_only, window, (0, window.len()));
        if rule.unless.is_some() {
            let guard_only = super::rule::Rule { matcher: Matcher::Literal, ..*rule };
            compiled.find(&guard_only, window, (0, window.len()));
        }
    }
}

/// Required literals only save time, so every text that the pattern of a rule matches must contain one of them.
#[test]
fn required_literals_are_in_every_matching_text() {
    let texts: Vec<String> = read_vectors().into_iter().map(|vector| vector.event.text).collect();
    for rule in rules::all_rules().filter(|rule| !rule.required_literals.is_empty()) {
        let Matcher::Regex(pattern) = rule.matcher else { panic!("{} has no pattern to save", rule.name) };
        let matcher = super::rule::compile(pattern);
        let matching: Vec<&String> = texts.iter().filter(|text| matcher.is_match(text.as_bytes())).collect();
        assert!(!matching.is_empty(), "{}: no vector shows that its required literals are right", rule.name);
        for text in matching {
            let lower = text.to_lowercase();
            assert!(rule.required_literals.iter().any(|word| lower.contains(word)), "{}: {text}", rule.name);
        }
    }
}

#[test]
fn user_rule_wins_and_is_named_in_the_answer() {
    let rules =
        [UserRule { name: "quota".into(), category: Category::ConfigError, pattern: r"quota \w+ used up".into() }];
    let event = FailureEvent { text: "connect ECONNREFUSED: quota disk used up".into(), ..FailureEvent::default() };
    let answer = Classifier::new(&rules).expect("a valid pattern").classify(&event);
    assert_eq!((answer.category, answer.rule.as_str()), (Category::ConfigError, "user:quota"));
    let span = answer.evidence.expect("found in the text");
    assert_eq!(&event.text[span.start..span.end], "quota disk used up");
}

#[test]
fn invalid_user_rule_error_names_the_rule() {
    for pattern in ["(", r"(?:\w{1000}){1000}"] {
        let rules = [UserRule { name: "mine".into(), category: Category::Unknown, pattern: pattern.into() }];
        let error = Classifier::new(&rules).expect_err("does not compile");
        assert_eq!(error.name, "mine");
        assert!(!error.reason.is_empty());
    }
}

#[test]
fn evidence_offsets_ignore_ansi_colors() {
    let event = FailureEvent {
        text: "\u{1b}[31mError\u{1b}[39m: connect \u{1b}[1mECONNREFUSED\u{1b}[0m 127.0.0.1:80".into(),
        ..FailureEvent::default()
    };
    let answer = built_in_classifier().classify(&event);
    let span = answer.evidence.expect("found in the text");
    assert_eq!(&event.text[span.start..span.end], "ECONNREFUSED");
}

#[test]
fn log_with_many_matches_is_classified_by_its_last_lines() {
    let mut text = "expected nothing of interest\n".repeat(5_000);
    text.push_str("AssertionError: expected 3 to equal 4\n");
    let event = FailureEvent { text, ..FailureEvent::default() };
    assert_eq!(built_in_classifier().classify(&event).category, Category::AssertionMismatch);
}

fn any_event() -> impl Strategy<Value = FailureEvent> {
    let words: Vec<&'static str> = rules::all_rules().flat_map(|rule| rule.literals).copied().collect();
    let piece = prop_oneof![
        4 => prop::sample::select(words).prop_map(str::to_owned),
        3 => any::<String>(),
        2 => "[ -~\n\r\t]{0,40}",
        1 => Just("\u{1b}[31m".to_owned()),
        1 => Just("\n".to_owned()),
        1 => "[45][0-9]{2}",
    ];
    let kind = prop::option::of("[A-Za-zé.]{0,20}");
    (prop::collection::vec(piece, 0..12), kind, any::<Option<i32>>(), any::<Option<u16>>()).prop_map(
        |(pieces, exception_type, exit_code, http_status)| FailureEvent {
            text: pieces.concat(),
            exception_type,
            exit_code,
            http_status,
            ..FailureEvent::default()
        },
    )
}

proptest! {
    #[test]
    fn evidence_is_inside_any_text(event in any_event()) {
        let answer = built_in_classifier().classify(&event);
        prop_assert_eq!(&answer, &built_in_classifier().classify(&event));
        if let Some(span) = answer.evidence {
            prop_assert!(span.start < span.end && event.text.get(span.start..span.end).is_some());
        }
    }
}
