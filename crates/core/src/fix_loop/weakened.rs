//! What in a diff lets tests pass without the fault being gone: tests that went, are skipped, expect less, may take
//! longer; snapshots that were rewritten; commands and cases whose failure no longer counts.
//! It says what became weaker; whether that was wrong is for a human to decide.
//!
//! What moved is no weakening: a line that went counts only where it came nowhere else in the diff.

mod expectations;
mod settings;
mod test_commands;
mod thresholds;

use super::state::{FileChange, Weakening, WeakeningKind};
use crate::change::{
    declared::{self, After, Test, declared, test_hunks},
    diff::{self, DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, language, role},
    markers,
};
use std::{
    cell::LazyCell,
    collections::{HashMap, HashSet},
};

/// Cases whose failures people have agreed to live with for a while; at the root of the project, where reviewers see it.
pub const QUARANTINE_FILE: &str = "argus-quarantine.yaml";

/// Most findings; one is enough to ask a human.
const MAX_FINDINGS: usize = 100;
/// Longest line that is quoted.
const MAX_QUOTE_BYTES: usize = 200;

/// Everything of that kind in what changed: the files, and a unified diff of git as far as it was read. In the order of
/// the diff, after what the files tell by themselves.
pub fn weakened(changed: &[FileChange], diff: &str) -> Vec<Weakening> {
    let files = diff::read(diff);
    let mut moves = Moves::of(&files);
    let mut found: Vec<Weakening> = changed.iter().filter_map(quarantine).collect();
    found.extend(files.iter().flat_map(|file| in_file(file, &mut moves)));
    found.truncate(MAX_FINDINGS);
    found
}

/// Whatever changes in it: who repairs a failure does not decide which of them count.
fn quarantine(FileChange { path, change }: &FileChange) -> Option<Weakening> {
    let name = path.rsplit('/').next()?;
    let found = |kind| Weakening { file: path.clone(), line: 1, kind, text: change.clone() };
    (name == QUARANTINE_FILE).then(|| found(WeakeningKind::FailureIgnored))
}

/// What went and came with the diff, wherever: it tells what moved from what is gone.
#[derive(Default)]
struct Moves {
    /// How often each line came.
    lines: HashMap<String, usize>,
    /// How often each test came.
    tests: HashMap<String, usize>,
    /// Tests that went.
    went: HashSet<String>,
    /// Expectations of new files that are no moved lines: they may be edited ones of a test that moved there.
    edited: usize,
}

impl Moves {
    fn of(files: &[DiffFile]) -> Self {
        let mut moves = Self::default();
        let mut expected: HashSet<&str> = HashSet::new();
        for file in files {
            let language = language(file.path());
            for line in file.lines(LineChange::Added) {
                *moves.lines.entry(line.text.trim().to_owned()).or_default() += 1;
            }
            for hunk in test_hunks(file) {
                for test in declared(hunk, LineChange::Added, language) {
                    *moves.tests.entry(test.name).or_default() += 1;
                }
                moves.went.extend(declared(hunk, LineChange::Removed, language).into_iter().map(|test| test.name));
                let gone = hunk.lines(LineChange::Removed).filter(|line| markers::expects(&line.text, language));
                expected.extend(gone.map(|line| line.text.trim()));
            }
        }
        for file in files.iter().filter(|file| file.is_new()) {
            let language = language(file.path());
            let lines = test_hunks(file).flat_map(|hunk| hunk.lines(LineChange::Added));
            let edited = lines.filter(|line| markers::expects(&line.text, language));
            moves.edited += edited.filter(|line| !expected.contains(line.text.trim())).count();
        }
        moves
    }

    /// Whether the line came elsewhere; each coming answers for one going.
    fn takes_line(&mut self, line: &str) -> bool {
        take(&mut self.lines, line.trim())
    }

    fn takes_test(&mut self, name: &str) -> bool {
        !name.is_empty() && take(&mut self.tests, name)
    }

    /// Whether an expectation of a test that moved may be one that was edited on the way.
    fn takes_edited(&mut self) -> bool {
        let any = self.edited > 0;
        self.edited = self.edited.saturating_sub(1);
        any
    }
}

fn take(counts: &mut HashMap<String, usize>, key: &str) -> bool {
    let Some(left) = counts.get_mut(key).filter(|left| **left > 0) else { return false };
    *left -= 1;
    true
}

fn in_file(file: &DiffFile, moves: &mut Moves) -> Vec<Weakening> {
    let mut found = Findings { file, weakenings: Vec::new() };
    match role(file.path()) {
        FileRole::Snapshot => snapshot(&mut found, moves),
        FileRole::Test | FileRole::Mixed => tests(&mut found, moves),
        FileRole::Settings(about) => settings::settings(&mut found, about),
        FileRole::Other => {}
    }
    found.weakenings
}

struct Findings<'f> {
    file: &'f DiffFile,
    weakenings: Vec<Weakening>,
}

impl Findings<'_> {
    fn add(&mut self, kind: WeakeningKind, line: &DiffLine) {
        self.add_text(kind, line.number, line.text.trim());
    }

    fn add_text(&mut self, kind: WeakeningKind, line: u32, text: &str) {
        let text = text[..text.floor_char_boundary(MAX_QUOTE_BYTES)].to_owned();
        self.weakenings.push(Weakening { file: self.file.path().to_owned(), line, kind, text });
    }
}

fn snapshot(found: &mut Findings<'_>, moves: &mut Moves) {
    let file = found.file;
    if file.is_new() {
        return;
    }
    if file.binary || (file.is_deleted() && file.hunks.is_empty()) {
        let text = if file.is_deleted() { "the snapshot is gone" } else { "the snapshot is another one" };
        found.add_text(WeakeningKind::SnapshotRewritten, 1, text);
        return;
    }
    // What only came is of new tests; a key changes with the name of its test.
    let value =
        |line: &DiffLine| line.text.strip_prefix("exports[`")?.split_once("`] = ").map(|(_, value)| value.to_owned());
    let renamed: HashSet<String> = file.lines(LineChange::Added).filter_map(value).collect();
    let gone = file.lines(LineChange::Removed).find(|line| {
        let same = line.text.trim().is_empty() || value(line).is_some_and(|value| renamed.contains(&value));
        !same && !moves.takes_line(&line.text)
    });
    if let Some(line) = gone {
        found.add(WeakeningKind::SnapshotRewritten, line);
    }
}

fn tests(found: &mut Findings<'_>, moves: &mut Moves) {
    let (file, language) = (found.file, language(found.file.path()));
    if file.is_deleted() {
        deleted_file(found, moves, language);
        return;
    }
    for hunk in test_hunks(file) {
        find_skipped(found, moves, hunk, language);
    }
    if file.is_new() {
        return;
    }
    let gone = deleted_tests(found, moves, language);
    expectations::dropped(found, moves, language, &gone);
    for hunk in test_hunks(file) {
        expectations::find_loosened(found, hunk, language);
        expectations::inline_snapshot(found, hunk);
        let after = After::of(hunk, language);
        let old_test = |line: &DiffLine| !after.is_of_new_test(line, &moves.went);
        settings::changed(found, hunk, &settings::TIME, &|_, _| true);
        settings::changed(found, hunk, &settings::RETRIES, &|_, _| true);
        settings::new_limits(found, hunk, &old_test);
        let added = hunk.lines(LineChange::Added).filter(|line| old_test(line));
        for line in added.filter(|line| test_commands::swallows_expectation(&line.text)) {
            found.add(WeakeningKind::FailureIgnored, line);
        }
    }
}

/// A file of tests that is gone, but for the tests that came elsewhere.
fn deleted_file(found: &mut Findings<'_>, moves: &mut Moves, language: Language) {
    let file = found.file;
    let all: Vec<Test<'_>> = test_hunks(file).flat_map(|hunk| declared(hunk, LineChange::Removed, language)).collect();
    let gone: Vec<&Test<'_>> = all.iter().filter(|test| !moves.takes_test(&test.name)).collect();
    let expects = file.lines(LineChange::Removed).any(|line| markers::expects(&line.text, language));
    if !gone.is_empty() {
        let first: Vec<&str> = gone.iter().take(3).map(|test| test.name.as_str()).collect();
        let text = format!("the file is gone, with {} of its tests: {}", gone.len(), first.join(", "));
        found.add_text(WeakeningKind::TestDeleted, 1, &text);
    } else if all.is_empty() && (expects || (file.hunks.is_empty() && language != Language::Data)) {
        found.add_text(WeakeningKind::TestDeleted, 1, "the file is gone");
    } else {
        expectations::lost_on_the_way(found, moves, language);
    }
}

/// Tests that went and came nowhere; answers the numbers of their lines in the old file.
fn deleted_tests(found: &mut Findings<'_>, moves: &mut Moves, language: Language) -> Gone {
    let file = found.file;
    let mut answer = Gone::default();
    for hunk in test_hunks(file) {
        let went = declared(hunk, LineChange::Removed, language);
        let came = declared(hunk, LineChange::Added, language);
        // Another name in the same place is another name of the same test.
        let renamed = came.iter().filter(|test| !went.iter().any(|old| old.name == test.name)).count();
        let mut kept = Vec::new();
        for test in went {
            if !moves.takes_test(&test.name) {
                kept.push(test);
            } else if !came.iter().any(|again| again.name == test.name) {
                answer.elsewhere.insert(test.line.number);
            }
        }
        let gone = kept.len().saturating_sub(renamed);
        for test in kept.into_iter().rev().take(gone).rev() {
            answer.deleted.insert(test.line.number);
            found.add(WeakeningKind::TestDeleted, test.line);
        }
    }
    answer
}

/// Lines of the old file that declared a test which is no more, or is elsewhere.
#[derive(Default)]
struct Gone {
    deleted: HashSet<u32>,
    elsewhere: HashSet<u32>,
}

/// Marks that keep tests from running, where they were not before; a new test was not kept from anything.
fn find_skipped(found: &mut Findings<'_>, moves: &Moves, hunk: &Hunk, language: Language) {
    let marked = |mark| hunk.lines(mark).filter_map(|line| Some((line, markers::skip(&line.text, language)?)));
    // A mark that went lets its own kind come again: its reason was changed, or it moved.
    let mut went: Vec<&str> = marked(LineChange::Removed).map(|(_, words)| words).collect();
    let mut added: Vec<&DiffLine> = Vec::new();
    let after = LazyCell::new(|| After::of(hunk, language));
    for (line, words) in marked(LineChange::Added) {
        match went.iter().position(|old| *old == words) {
            Some(at) => drop(went.swap_remove(at)),
            None if markers::is_only(words) => added.push(line),
            None if after.is_of_new_test(line, &moves.went) => {}
            None => added.push(line),
        }
    }
    added.extend(declared::early_returns(hunk, language));
    for line in added {
        found.add(WeakeningKind::TestSkipped, line);
    }
}

#[cfg(test)]
mod tests;
