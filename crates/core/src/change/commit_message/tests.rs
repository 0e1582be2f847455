//! Tests the shared vectors of commit messages, and properties of any text.

use super::{MESSAGE_PATTERNS, find_reverted_commit, judge_message};
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

fn read_rows() -> Vec<Row> {
    VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn matches_vectors() {
    let wrong: Vec<String> = read_rows()
        .iter()
        .map(|row| (row, judge_message(&row.message)))
        .filter(|(row, found)| (found.name, found.is_fix) != (&*row.rule, row.fix))
        .map(|(row, found)| format!("{:?}: {found:?}, not {}", row.message, row.rule))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_vector() {
    let rows = read_rows();
    for rule in MESSAGE_PATTERNS.iter().map(|row| row.rule) {
        assert!(rows.iter().any(|row| row.rule == rule.name && row.fix == rule.is_fix), "{}", rule.name);
    }
}

#[test]
fn reverted_commit_is_returned() {
    let commit = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";
    let message = format!("Revert \"fix: rounding\"\n\nThis reverts commit {commit}.\n");
    assert_eq!(find_reverted_commit(&message), Some(commit));
    assert_eq!(find_reverted_commit("fix: rounding"), None);
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(noise in "\\PC{0,60}", at in 0_usize..100, times in 0_usize..200) {
        let rows = read_rows();
        let text = format!("{}{noise}\n", rows[at % rows.len()].message).repeat(times);
        let _ = judge_message(&text);
        let _ = find_reverted_commit(&text);
    }
}
