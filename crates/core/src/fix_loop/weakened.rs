//! Finds changes that let tests pass although the fault remains.
//!
//! Tests that failed may not change (`sources`). Other findings are deleted or skipped tests, hooks, rewritten
//! snapshots, replacements for the code under test (`replaced`) or for a dependency (`dependencies`), and settings and
//! commands that leave tests out or ignore their failure. If the names of the failed tests are unknown, no test may
//! lose an expectation, an input or a function that it calls (`every_test`).
//!
//! Moved lines are no weakening: a removed line counts only if it was not added elsewhere in the diff.

mod dependencies;
mod every_test;
mod module_settings;
mod replaced;
mod settings;
mod sources;
mod test_commands;
mod thresholds;
mod versions;

use super::state::{FileChange, Weakening, WeakeningKind};
use crate::change::{
    declared::{self, After, Test, declared, test_hunks},
    diff::{self, DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, language, role},
    markers, tokens,
};
use std::{
    borrow::Borrow,
    cell::LazyCell,
    collections::{HashMap, HashSet},
    hash::Hash,
};

/// File with the cases whose failures the team accepts for a while. It is in the root of the project so that reviewers
/// see changes to it.
pub const QUARANTINE_FILE: &str = "argus-quarantine.yaml";

/// Maximum number of findings. A single finding is enough to ask a human.
const MAX_FINDINGS: usize = 100;
/// Maximum length of a quoted line, in bytes.
const MAX_QUOTE_BYTES: usize = 200;

/// Returns the weakenings in a change. `changed` has the changed files. `diff` is a unified diff of git with whole
/// files, as far as it was read. `failing` has the names of the failed tests; if it has none, no test may lose
/// anything.
pub fn weakened(changed: &[FileChange], diff: &str, failing: &[String]) -> Vec<Weakening> {
    let files = diff::read(diff);
    let failing: Vec<String> = failing.iter().filter(|name| !is_place(name)).cloned().collect();
    let mut found: Vec<Weakening> = changed.iter().filter_map(quarantine).collect();
    let versions = versions::versions(&files);
    if failing.is_empty() {
        found.extend(every_test::weakened(&files, &versions));
    } else {
        found.extend(sources::changed(&versions, &failing));
        found.extend(dependencies::swapped(&files));
    }
    found.extend(replaced::replaced(&files));
    in_files(&files, &Guard { failing: &failing, is_whole: true }, found)
}

/// Like [`weakened`], for a diff that shows only parts of the files, when the failed tests are unknown. It compares
/// only lines of tests, because whole tests are not available.
pub fn weakened_in_hunks(diff: &str) -> Vec<Weakening> {
    in_files(&diff::read(diff), &Guard { failing: &[], is_whole: false }, Vec::new())
}

/// Returns true for the name of a file or a package (`tests/test_cart.py`, `example.com/shop`). Runners print these instead
/// of tests when nothing could run.
fn is_place(name: &str) -> bool {
    let is_whole = !name.contains(char::is_whitespace) && !name.contains("::");
    let is_file = name.contains('.') && language(name) != Language::Data;
    let is_package = name.contains('/') && name.starts_with(char::is_lowercase);
    is_whole && (is_file || is_package)
}

/// Tests that a change must not touch.
struct Guard<'n> {
    /// Names of the tests that failed; all tests, if it is empty.
    failing: &'n [String],
    /// True if the diff has whole files.
    is_whole: bool,
}

impl Guard<'_> {
    const fn is_any(&self) -> bool {
        self.failing.is_empty()
    }
}

/// Adds the findings of single lines to `found`.
fn in_files(files: &[DiffFile], guard: &Guard<'_>, mut found: Vec<Weakening>) -> Vec<Weakening> {
    let mut moves = Moves::of(files);
    found.extend(files.iter().flat_map(|file| in_file(file, &mut moves, guard)));
    // In other languages, the test of a line is unknown.
    let compared = |file: &&DiffFile| guard.is_any() || !versions::can_compare(language(file.path()));
    let files: Vec<&DiffFile> = files.iter().filter(compared).collect();
    found.extend(lost_expectations(&files, &found));
    let mut places = HashSet::new();
    found.retain(|one| places.insert((one.file.clone(), one.line)));
    found.truncate(MAX_FINDINGS);
    found
}

/// Reports any change of the quarantine file, because the author of a fix must not decide which failures count.
fn quarantine(FileChange { path, change }: &FileChange) -> Option<Weakening> {
    let name = path.rsplit('/').next()?;
    let found = |kind| Weakening { file: path.clone(), line: 1, kind, text: change.clone() };
    (name == QUARANTINE_FILE).then(|| found(WeakeningKind::FailureIgnored))
}

/// Lines and tests that the whole diff added or removed, to distinguish moved code from deleted code.
#[derive(Default)]
struct Moves {
    /// How often each line was added.
    lines: HashMap<String, usize>,
    /// How often each test was added.
    tests: HashMap<String, usize>,
    /// Tests that were removed.
    went: HashSet<String>,
}

impl Moves {
    fn of(files: &[DiffFile]) -> Self {
        let mut moves = Self::default();
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
            }
        }
        moves
    }

    /// Returns `true` if the line was added elsewhere. Each added line accounts for only one removed line.
    fn takes_line(&mut self, line: &str) -> bool {
        take(&mut self.lines, line.trim())
    }

    fn takes_test(&mut self, name: &str) -> bool {
        !name.is_empty() && take(&mut self.tests, name)
    }
}

fn take<K: Eq + Hash + Borrow<Q>, Q: Eq + Hash + ?Sized>(counts: &mut HashMap<K, usize>, key: &Q) -> bool {
    let Some(left) = counts.get_mut(key).filter(|left| **left > 0) else { return false };
    *left -= 1;
    true
}

fn in_file(file: &DiffFile, moves: &mut Moves, guard: &Guard<'_>) -> Vec<Weakening> {
    let mut found = Findings { file, weakenings: Vec::new() };
    let role = role(file.path());
    match role {
        FileRole::Snapshot => snapshot(&mut found, moves, guard.failing),
        FileRole::Test | FileRole::Mixed => tests(&mut found, moves, guard.is_any()),
        FileRole::Settings(about) => settings::settings(&mut found, about, guard.is_whole),
        FileRole::Other => {}
    }
    found.weakenings.extend(sources::shared_hooks(file));
    let language = language(file.path());
    let declares = |line: &DiffLine| markers::test_name(&line.text, language).is_some();
    // Files that are loaded before the tests. A part of a file does not show whether the file declares tests.
    let is_setup = guard.is_whole
        && role == FileRole::Test
        && language == Language::JavaScript
        && !file.hunks.iter().flat_map(|hunk| &hunk.lines).any(declares);
    let went: HashSet<&str> = file.lines(LineChange::Removed).map(|line| line.text.trim()).collect();
    for line in file.lines(LineChange::Added).filter(|line| !went.contains(line.text.trim())) {
        if let Some(kind) = test_commands::decides_outcome(&line.text, role) {
            found.add(kind, line);
        } else if is_setup && test_commands::mocks_module(&line.text) {
            found.add(WeakeningKind::Mocked, line);
        }
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

/// Finds a rewritten snapshot. In a file with several snapshots, only those of the failed tests count, if the file
/// names its tests.
fn snapshot(found: &mut Findings<'_>, moves: &mut Moves, failing: &[String]) {
    let file = found.file;
    if file.is_new() {
        return;
    }
    if file.binary || (file.is_deleted() && file.hunks.is_empty()) {
        let text = if file.is_deleted() { "the snapshot is gone" } else { "the snapshot is another one" };
        found.add_text(WeakeningKind::SnapshotRewritten, 1, text);
        return;
    }
    // A snapshot that was only added belongs to a new test. The key of a snapshot changes with the name of its test.
    let value =
        |line: &DiffLine| line.text.strip_prefix("exports[`")?.split_once("`] = ").map(|(_, value)| value.to_owned());
    let renamed: HashSet<String> = file.lines(LineChange::Added).filter_map(value).collect();
    let title = |name: &String| name.rsplit(" > ").next().unwrap_or(name).to_owned();
    let failing: Vec<String> = failing.iter().map(title).collect();
    let key = |line: &DiffLine| line.text.strip_prefix("exports[`").map(str::to_owned);
    let mut of_failing = true;
    let gone = file.hunks.iter().flat_map(|hunk| &hunk.lines).find(|line| {
        if let Some(key) = key(line).filter(|_| !failing.is_empty() && line.mark != LineChange::Added) {
            of_failing = failing.iter().any(|title| key.contains(title.as_str()));
        }
        if line.mark != LineChange::Removed || !of_failing {
            return false;
        }
        let same = line.text.trim().is_empty() || value(line).is_some_and(|value| renamed.contains(&value));
        !same && !moves.takes_line(&line.text)
    });
    if let Some(line) = gone {
        found.add(WeakeningKind::SnapshotRewritten, line);
    }
}

fn tests(found: &mut Findings<'_>, moves: &mut Moves, any: bool) {
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
    deleted_tests(found, moves, language);
    if !any && versions::can_compare(language) {
        return;
    }
    for hunk in test_hunks(file) {
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

/// Reports a deleted file of tests, unless all of its tests were added elsewhere.
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
    }
}

/// Reports tests that were removed and not added elsewhere.
fn deleted_tests(found: &mut Findings<'_>, moves: &mut Moves, language: Language) {
    let file = found.file;
    for hunk in test_hunks(file) {
        let went = declared(hunk, LineChange::Removed, language);
        let came = declared(hunk, LineChange::Added, language);
        // A new name in the same place is a renamed test.
        let renamed = came.iter().filter(|test| !went.iter().any(|old| old.name == test.name)).count();
        let kept: Vec<_> = went.into_iter().filter(|test| !moves.takes_test(&test.name)).collect();
        let gone = kept.len().saturating_sub(renamed);
        for test in kept.into_iter().rev().take(gone).rev() {
            found.add(WeakeningKind::TestDeleted, test.line);
        }
    }
}

/// Finds expectations that are gone. Each expectation is compared as a whole, independent of its layout. Skips files
/// that have other findings.
fn lost_expectations(files: &[&DiffFile], found: &[Weakening]) -> Vec<Weakening> {
    let mut now: HashMap<Vec<String>, usize> = HashMap::new();
    for (_, expectation) in files.iter().flat_map(|file| expectations(file, LineChange::Added)) {
        *now.entry(expectation).or_default() += 1;
    }
    let mut lost = Vec::new();
    for file in files.iter().filter(|file| !found.iter().any(|one| one.file == file.path())) {
        for (line, expectation) in expectations(file, LineChange::Removed) {
            if !take(&mut now, &expectation) {
                lost.push((*file, line, expectation));
            }
        }
    }
    let mut weakenings = Vec::new();
    for (file, line, expectation) in lost {
        let stricter = |other: &&Vec<String>| expects_more(other, &expectation, language(file.path()));
        let stricter = now.iter().filter(|(_, left)| **left > 0).map(|(other, _)| other).find(stricter).cloned();
        if !stricter.is_some_and(|other| take(&mut now, &other)) {
            let mut findings = Findings { file, weakenings: Vec::new() };
            findings.add(WeakeningKind::TestChanged, line);
            weakenings.extend(findings.weakenings);
        }
    }
    weakenings
}

/// Matchers that many values satisfy.
const WEAK_MATCHERS: [&str; 8] = [
    "toBeDefined",
    "toBeTruthy",
    "toBeGreaterThan",
    "toBeGreaterThanOrEqual",
    "toBeLessThan",
    "toBeLessThanOrEqual",
    "toBeCloseTo",
    "toContain",
];
/// Matchers that only a single value satisfies.
const STRICT_MATCHERS: [&str; 3] = ["toBe", "toEqual", "toStrictEqual"];

/// Returns true if fewer values satisfy the new expectation: `toBe(6)` instead of `toBeDefined()`, `assert total == 6`
/// instead of `assert total`.
fn expects_more(new: &[String], old: &[String], language: Language) -> bool {
    match language {
        Language::JavaScript => {
            let matcher = old.iter().rposition(|text| WEAK_MATCHERS.contains(&text.as_str()));
            let strict = |at: usize| new.get(at).is_some_and(|text| STRICT_MATCHERS.contains(&text.as_str()));
            matcher.is_some_and(|at| strict(at) && new[..at] == old[..at])
        }
        Language::Python => {
            let more = new.strip_prefix(old).and_then(<[String]>::first);
            old.first().is_some_and(|text| text == "assert") && more.is_some_and(|text| text == "=" || text == "and")
        }
        _ => false,
    }
}

fn expectations(file: &DiffFile, mark: LineChange) -> Vec<(&DiffLine, Vec<String>)> {
    let language = language(file.path());
    let mut found = Vec::new();
    for hunk in test_hunks(file) {
        let side = declared::side(hunk, mark);
        // Uses the index of a line, because kept lines have numbers of the new file.
        let lines: Vec<(u32, &str)> = (0..).zip(side.iter().map(|line| line.text.as_str())).collect();
        let tokens = tokens::tokens(&lines, language);
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let line = side[first.line as usize];
            let begins = at == 0 || tokens[at - 1].line != first.line;
            let check = (language == Language::Go).then(|| go_check(&tokens[at..])).flatten();
            let end = check.map_or_else(|| tokens::statement_end(&tokens, at, language), |length| at + length);
            if begins && (markers::expects(&line.text, language) || check.is_some()) {
                let whole = &tokens[at..end];
                let is_snapshot_to_fill = whole.iter().any(|one| one.text.ends_with("InlineSnapshot"))
                    && !whole.iter().any(|one| one.kind == tokens::Kind::Text);
                let text = |token: &tokens::Token| token.text.clone();
                let is_code = |token: &&tokens::Token| token.text != ";" && token.kind != tokens::Kind::Indent;
                if !is_snapshot_to_fill || mark == LineChange::Added {
                    found.push((line, whole.iter().filter(is_code).map(text).collect()));
                }
                at = end;
            } else {
                at += 1;
            }
        }
    }
    found
}

/// The length of `if got != want { t.Errorf(…) }`. In Go, the condition is the expectation.
fn go_check(tokens: &[tokens::Token]) -> Option<usize> {
    const MAX_LINES: u32 = 5;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if text(0) != "if" {
        return None;
    }
    let mut depth = 0;
    let opens = |at: &usize| {
        let is_body = depth == 0 && text(*at) == "{";
        depth += tokens::depth_change(&tokens[*at]);
        is_body
    };
    let open = (0..tokens.len()).find(opens)?;
    let close = tokens::close_of(tokens, open).min(tokens.len() - 1);
    let is_report = |at: usize| {
        let names = ["Error", "Fatal", "Fail"];
        ["t", "b", "f"].contains(&text(at))
            && text(at + 1) == "."
            && names.iter().any(|name| text(at + 2).starts_with(name))
    };
    let is_short = tokens[close].line < tokens[0].line + MAX_LINES;
    (is_short && (open..close).any(is_report)).then_some(close + 1)
}

/// Finds new marks that skip a test. A mark on a new test does not count, because the test never ran before.
fn find_skipped(found: &mut Findings<'_>, moves: &Moves, hunk: &Hunk, language: Language) {
    let marked = |mark| hunk.lines(mark).filter_map(|line| Some((line, markers::skip(&line.text, language)?)));
    // A removed mark of the same kind means that its reason changed or that it moved.
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
