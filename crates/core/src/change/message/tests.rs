//! Tests of the shared message vectors, and of properties that hold for any text.

use super::{ROWS, judge_message, reverted_commit};
use proptest::prelude::*;
use serde::Deserialize;

/// A row of `tests/vectors/fix-messages.jsonl`.
#[derive(Deserialize)]
struct Row {
    rule: String,
    fix: bool,
    message: String,
}

const VECTORS: &str = include_str!("../../../../../tests/vectors/fix-messages.jsonl");

fn rows() -> Vec<Row> {
    VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn vectors_hold() {
    let wrong: Vec<String> = rows()
        .iter()
        .map(|row| (row, judge_message(&row.message)))
        .filter(|(row, found)| (found.name, found.is_fix) != (&*row.rule, row.fix))
        .map(|(row, found)| format!("{:?}: {found:?}, not {}", row.message, row.rule))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_vector() {
    let rows = rows();
    for rule in ROWS.iter().map(|row| row.rule) {
        assert!(rows.iter().any(|row| row.rule == rule.name && row.fix == rule.is_fix), "{}", rule.name);
    }
}

#[test]
fn reverted_commit_is_returned() {
    let commit = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";
    let message = format!("Revert \"fix: rounding\"\n\nThis reverts commit {commit}.\n");
    assert_eq!(reverted_commit(&message), Some(commit));
    assert_eq!(reverted_commit("fix: rounding"), None);
}

proptest! {
    #[test]
    fn any_text_is_accepted(noise in "\\PC{0,60}", at in 0_usize..100, times in 0_usize..200) {
        let rows = rows();
        let text = format!("{}{noise}\n", rows[at % rows.len()].message).repeat(times);
        let _ = judge_message(&text);
        let _ = reverted_commit(&text);
    }
}
