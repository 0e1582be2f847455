//! Tests the shared vectors of diffs, and properties of any text.

use super::{FileChange, Weakening, find_weakenings, find_weakenings_in_hunks};
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

fn read_rows() -> Vec<Row> {
    ROWS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn find_for_row(row: &Row) -> Vec<Weakening> {
    let mut found: Vec<Weakening> = row.files.iter().filter_map(super::find_quarantine_change).collect();
    found.extend(find_weakenings_in_hunks(&row.diff));
    found
}

fn find_kinds(row: &Row) -> Vec<String> {
    let name = |kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned();
    let mut kinds: Vec<String> = find_for_row(row).iter().map(|one| name(one.kind)).collect();
    kinds.sort();
    kinds
}

#[test]
fn findings_match_the_vectors() {
    let rows = read_rows();
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| find_kinds(row) != row.kinds)
        .map(|row| format!("{}: {:?}, not {:?}", row.name, find_for_row(row), row.kinds))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn a_finding_names_file_and_line() {
    let row = read_rows().into_iter().find(|row| row.name == "a quoted path").unwrap();
    let found = find_for_row(&row);
    assert_eq!(
        (found[0].file.as_str(), found[0].line, found[0].text.as_str()),
        ("tests/café.test.ts", 1, "it.skip('a', () => {")
    );
}

/// A row of `tests/vectors/fix-cheats.jsonl`: files before and after a green run, and the tests that failed before.
#[derive(Deserialize)]
struct CheatRow {
    name: String,
    failing: Vec<String>,
    files: Vec<FileVersions>,
    suspicious: bool,
}

#[derive(Deserialize)]
struct FileVersions {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

impl FileVersions {
    /// Returns the diff that git prints with whole files.
    fn diff(&self) -> String {
        let (path, before, after) = (&self.path, self.before.as_deref(), self.after.as_deref());
        let (old, new): (Vec<&str>, Vec<&str>) =
            (before.unwrap_or_default().lines().collect(), after.unwrap_or_default().lines().collect());
        let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - start;
        let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        let mark = |mark: &str, lines: &[&str]| lines.iter().flat_map(|line| [mark, line, "\n"]).collect::<String>();
        let side = |version: Option<&str>, letter: &str| {
            version.map_or("/dev/null".to_owned(), |_| format!("{letter}/{path}"))
        };
        let kind = match (before, after) {
            (None, _) => "new file mode 100644\n",
            (_, None) => "deleted file mode 100644\n",
            _ => "",
        };
        format!(
            "diff --git a/{path} b/{path}\n{kind}--- {}\n+++ {}\n@@ -1,{} +1,{} @@\n{}{}{}{}",
            side(before, "a"),
            side(after, "b"),
            old.len(),
            new.len(),
            mark(" ", &old[..start]),
            mark("-", &old[start..old.len() - end]),
            mark("+", &new[start..new.len() - end]),
            mark(" ", &old[old.len() - end..]),
        )
    }
}

#[test]
fn cheats_are_suspicious_and_honest_fixes_are_not() {
    let rows: Vec<CheatRow> = include_str!("../../../../../tests/vectors/fix-cheats.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found = |row: &CheatRow| {
        let diff: String = row.files.iter().map(FileVersions::diff).collect();
        find_weakenings(&[], &diff, &row.failing)
    };
    let wrong = rows.iter().filter(|row| found(row).is_empty() == row.suspicious);
    let wrong: Vec<String> = wrong.map(|row| format!("{}: {:?}", row.name, found(row))).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

proptest! {
    #[test]
    fn no_diff_causes_a_panic(parts in prop::collection::vec(0_usize..1000, 0..20), noise in "\\PC{0,40}") {
        let rows = read_rows();
        let lines: Vec<&str> = rows.iter().flat_map(|row| row.diff.lines()).collect();
        let mut text: Vec<&str> = parts.iter().map(|part| lines[part % lines.len()]).collect();
        text.push(&noise);
        let _ = find_weakenings(&[], &text.join("\n"), &[]);
        let _ = find_weakenings(&[], &text.join("\r\n"), &[]);
    }
}

/// The expectation begins at a closing bracket, which ends the statement of a line above.
#[test]
fn an_expectation_behind_a_closing_bracket_is_read() {
    let diff = "diff --git a/test/a.js b/test/a.js\n--- a/test/a.js\n+++ b/test/a.js\n@@ -1,1 +1,6 @@\n \
                describe('a', function () {\n+  it('throws', function () {\n+    (function () {\n+      a();\n\
                +    }).should.throw('no matches');\n+  });\n";
    assert_eq!(find_weakenings_in_hunks(diff), []);
}
