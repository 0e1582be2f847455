//! Tests the shared vectors of diffs, and properties of any text.

use super::{MinedFix, TouchedFile, mine_fix};
use proptest::prelude::*;
use serde::Deserialize;

/// A row of `tests/vectors/mined-fixes.jsonl`. If it lists no files, the expected result is `None`.
#[derive(Deserialize)]
struct Row {
    name: String,
    diff: String,
    tests: Option<Vec<TouchedFile>>,
    sources: Option<Vec<TouchedFile>>,
}

const VECTORS: &str = include_str!("../../../../../tests/vectors/mined-fixes.jsonl");

fn read_rows() -> Vec<Row> {
    VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn matches_vectors() {
    let mut wrong = Vec::new();
    for Row { name, diff, tests, sources } in read_rows() {
        let wanted = tests.zip(sources).map(|(tests, sources)| MinedFix { tests, sources });
        let found = mine_fix(&diff);
        if found != wanted {
            wrong.push(format!("{name}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(parts in prop::collection::vec(0_usize..1000, 0..40), noise in "\\PC{0,40}") {
        let rows = read_rows();
        let lines: Vec<&str> = rows.iter().flat_map(|row| row.diff.lines()).collect();
        let mut text: Vec<&str> = parts.iter().map(|part| lines[part % lines.len()]).collect();
        text.push(&noise);
        let _ = mine_fix(&text.join("\n"));
        let _ = mine_fix(&text.join("\r\n"));
    }
}
