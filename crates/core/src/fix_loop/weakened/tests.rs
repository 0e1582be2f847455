//! The shared vectors of diffs, and what must hold for any text.

use super::{FileChange, Weakening, weakened};
use proptest::prelude::*;
use serde::Deserialize;

/// A row of `tests/vectors/fix-loop-weakened.jsonl`.
#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(default)]
    files: Vec<FileChange>,
    diff: String,
    kinds: Vec<String>,
}

const ROWS: &str = include_str!("../../../../../tests/vectors/fix-loop-weakened.jsonl");

fn rows() -> Vec<Row> {
    ROWS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn found(row: &Row) -> Vec<Weakening> {
    weakened(&row.files, &row.diff)
}

fn kinds(row: &Row) -> Vec<String> {
    let name = |kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned();
    let mut kinds: Vec<String> = found(row).iter().map(|one| name(one.kind)).collect();
    kinds.sort();
    kinds
}

#[test]
fn vectors_hold() {
    let rows = rows();
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| kinds(row) != row.kinds)
        .map(|row| format!("{}: {:?}, not {:?}", row.name, found(row), row.kinds))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn file_and_line_are_named() {
    let row = rows().into_iter().find(|row| row.name == "a quoted path").unwrap();
    let found = found(&row);
    assert_eq!(
        (found[0].file.as_str(), found[0].line, found[0].text.as_str()),
        ("tests/café.test.ts", 1, "it.skip('a', () => {")
    );
}

proptest! {
    #[test]
    fn any_text_is_answered(parts in prop::collection::vec(0_usize..1000, 0..20), noise in "\\PC{0,40}") {
        let rows = rows();
        let lines: Vec<&str> = rows.iter().flat_map(|row| row.diff.lines()).collect();
        let mut text: Vec<&str> = parts.iter().map(|part| lines[part % lines.len()]).collect();
        text.push(&noise);
        let _ = weakened(&[], &text.join("\n"));
        let _ = weakened(&[], &text.join("\r\n"));
    }
}
