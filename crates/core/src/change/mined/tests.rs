//! Tests of the shared diff vectors, and of properties that hold for any text.

use super::{MinedFix, Touched, mined};
use proptest::prelude::*;
use serde::Deserialize;

/// A row of `tests/vectors/mined-fixes.jsonl`; without files, the expected result is `None`.
#[derive(Deserialize)]
struct Row {
    name: String,
    diff: String,
    tests: Option<Vec<Touched>>,
    sources: Option<Vec<Touched>>,
}

const VECTORS: &str = include_str!("../../../../../tests/vectors/mined-fixes.jsonl");

fn rows() -> Vec<Row> {
    VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn vectors_hold() {
    let mut wrong = Vec::new();
    for Row { name, diff, tests, sources } in rows() {
        let wanted = tests.zip(sources).map(|(tests, sources)| MinedFix { tests, sources });
        let found = mined(&diff);
        if found != wanted {
            wrong.push(format!("{name}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #[test]
    fn any_text_is_accepted(parts in prop::collection::vec(0_usize..1000, 0..40), noise in "\\PC{0,40}") {
        let rows = rows();
        let lines: Vec<&str> = rows.iter().flat_map(|row| row.diff.lines()).collect();
        let mut text: Vec<&str> = parts.iter().map(|part| lines[part % lines.len()]).collect();
        text.push(&noise);
        let _ = mined(&text.join("\n"));
        let _ = mined(&text.join("\r\n"));
    }
}
