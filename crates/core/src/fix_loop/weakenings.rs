//! Finds changes that let tests pass although the fault remains.
//!
//! A change of a failed test is a finding (`sources`). Other findings are deleted or skipped tests, hooks, rewritten
//! snapshots, replacements for the code under test (`replaced`) or for a dependency (`dependencies`), and settings and
//! commands that leave tests out or ignore their failure. If the names of the failed tests are unknown, no test may
//! lose an expectation, an input or a function that it calls (`every_test`).
//!
//! Moved lines are not findings: a removed line counts only if the diff does not add it elsewhere.

mod dependencies;
mod failed_test_name;
mod failed_test_sources;
mod file_versions;
mod lost_test_parts;
mod module_settings;
mod numeric_settings;
mod replacements;
mod test_commands;
mod weakened_settings;

use super::state::{FileChange, Weakening, WeakeningKind};
use crate::change::{
    declared_tests::{self, DeclaredTest, NewHunkLines, find_declared_tests, test_hunks},
    diff::{self, DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, detect_language, detect_role},
    test_markers, tokens,
};
use std::{
    borrow::Borrow,
    cell::LazyCell,
    collections::{HashMap, HashSet},
    hash::Hash,
};

/// The file that lists the cases whose failures the team accepts for a while. The file is in the root of the project so
/// that reviewers see its changes.
pub const QUARANTINE_FILE: &str = "argus-quarantine.yaml";

/// Maximum number of findings. A single finding is enough to ask a human.
const MAX_FINDINGS: usize = 100;
/// Maximum length of a quoted line, in bytes.
const MAX_QUOTE_BYTES: usize = 200;

/// Returns the weakenings in a change. `changed` lists the changed files. `diff` is a unified diff of git that shows
/// the files as a whole. Its end may be cut off. `failing` lists the names of the failed tests. If it is empty, any
/// test may have failed, so no test may lose anything.
pub fn find_weakenings(changed: &[FileChange], diff: &str, failing: &[String]) -> Vec<Weakening> {
    let files = diff::parse_diff(diff);
    let failing: Vec<String> = failing.iter().filter(|name| !is_file_or_package(name)).cloned().collect();
    let mut found: Vec<Weakening> = changed.iter().filter_map(find_quarantine_change).collect();
    let versions = file_versions::versions_of_test_files(&files);
    if failing.is_empty() {
        found.extend(lost_test_parts::find_losses(&files, &versions));
    } else {
        found.extend(failed_test_sources::find_changed_tests(&versions, &failing));
        found.extend(dependencies::find_replaced_dependencies(&files));
    }
    found.extend(replacements::find_replacements(&files));
    find_in_files(&files, &FailedTests { failing: &failing, has_whole_files: true }, found)
}

/// Like [`find_weakenings`], for a diff that shows only parts of the files, when the failed tests are unknown. Compares
/// only lines of tests, because the diff does not contain whole tests.
pub fn find_weakenings_in_hunks(diff: &str) -> Vec<Weakening> {
    find_in_files(&diff::parse_diff(diff), &FailedTests { failing: &[], has_whole_files: false }, Vec::new())
}

/// Returns true for the name of a file or a package (`tests/test_cart.py`, `example.com/shop`). Runners print these
/// instead of tests when nothing could run.
fn is_file_or_package(name: &str) -> bool {
    let is_whole = !name.contains(char::is_whitespace) && !name.contains("::");
    let is_file = name.contains('.') && detect_language(name) != Language::Data;
    let is_package = name.contains('/') && name.starts_with(char::is_lowercase);
    is_whole && (is_file || is_package)
}

/// The tests that a change must not touch.
struct FailedTests<'n> {
    /// Names of the failed tests. If empty, the names are unknown, so any test may have failed.
    failing: &'n [String],
    /// True if the diff has whole files.
    has_whole_files: bool,
}

impl FailedTests<'_> {
    const fn are_unknown(&self) -> bool {
        self.failing.is_empty()
    }
}

/// Adds the findings of single lines to `found`.
fn find_in_files(files: &[DiffFile], failed_tests: &FailedTests<'_>, mut found: Vec<Weakening>) -> Vec<Weakening> {
    let mut moves = MoveCandidates::new(files);
    found.extend(files.iter().flat_map(|file| find_in_file(file, &mut moves, failed_tests)));
    // `sources` and `every_test` compare the other files. In these languages, the test that contains a line is unknown.
    let compared =
        |file: &&DiffFile| failed_tests.are_unknown() || !file_versions::is_comparable(detect_language(file.path()));
    let files: Vec<&DiffFile> = files.iter().filter(compared).collect();
    found.extend(find_lost_expectations(&files, &found));
    let mut places = HashSet::new();
    found.retain(|one| places.insert((one.file.clone(), one.line)));
    found.truncate(MAX_FINDINGS);
    found
}

/// Reports any change of the quarantine file, because the author of a fix must not decide which failures count.
fn find_quarantine_change(FileChange { path, change }: &FileChange) -> Option<Weakening> {
    let name = path.rsplit('/').next()?;
    let found = |kind| Weakening { file: path.clone(), line: 1, kind, text: change.clone() };
    (name == QUARANTINE_FILE).then(|| found(WeakeningKind::FailureIgnored))
}

/// The lines and tests that the whole diff adds or removes, to distinguish moved code from deleted code.
#[derive(Default)]
struct MoveCandidates {
    /// How often each line was added.
    lines: HashMap<String, usize>,
    /// How often each test was added.
    tests: HashMap<String, usize>,
    /// Tests that were removed.
    removed_tests: HashSet<String>,
}

impl MoveCandidates {
    fn new(files: &[DiffFile]) -> Self {
        let mut moves = Self::default();
        for file in files {
            let language = detect_language(file.path());
            for line in file.lines(LineChange::Added) {
                *moves.lines.entry(line.text.trim().to_owned()).or_default() += 1;
            }
            for hunk in test_hunks(file) {
                for test in find_declared_tests(hunk, LineChange::Added, language) {
                    *moves.tests.entry(test.name).or_default() += 1;
                }
                moves
                    .removed_tests
                    .extend(find_declared_tests(hunk, LineChange::Removed, language).into_iter().map(|test| test.name));
            }
        }
        moves
    }

    /// Returns `true` if the line was added elsewhere. Each added line accounts for only one removed line.
    fn take_added_line(&mut self, line: &str) -> bool {
        take_counted(&mut self.lines, line.trim())
    }

    fn take_added_test(&mut self, name: &str) -> bool {
        !name.is_empty() && take_counted(&mut self.tests, name)
    }
}

fn take_counted<K: Eq + Hash + Borrow<Q>, Q: Eq + Hash + ?Sized>(counts: &mut HashMap<K, usize>, key: &Q) -> bool {
    let Some(left) = counts.get_mut(key).filter(|left| **left > 0) else { return false };
    *left -= 1;
    true
}

fn find_in_file(file: &DiffFile, moves: &mut MoveCandidates, failed_tests: &FailedTests<'_>) -> Vec<Weakening> {
    let mut found = Findings { file, weakenings: Vec::new() };
    let role = detect_role(file.path());
    match role {
        FileRole::Snapshot => find_rewritten_snapshot(&mut found, moves, failed_tests.failing),
        FileRole::Test | FileRole::Mixed => find_weakened_tests(&mut found, moves, failed_tests.are_unknown()),
        FileRole::Settings(about) => {
            weakened_settings::find_weakened_settings(&mut found, about, failed_tests.has_whole_files);
        }
        FileRole::Other => {}
    }
    found.weakenings.extend(failed_test_sources::find_changed_shared_hook(file));
    let language = detect_language(file.path());
    let declares = |line: &DiffLine| test_markers::find_test_name(&line.text, language).is_some();
    // A JavaScript file of tests that declares no test is loaded before the tests. Only a whole file shows this.
    let is_setup = failed_tests.has_whole_files
        && role == FileRole::Test
        && language == Language::JavaScript
        && !file.hunks.iter().flat_map(|hunk| &hunk.lines).any(declares);
    let removed: HashSet<&str> = file.lines(LineChange::Removed).map(|line| line.text.trim()).collect();
    for line in file.lines(LineChange::Added).filter(|line| !removed.contains(line.text.trim())) {
        if let Some(kind) = test_commands::find_outcome_override(&line.text, role) {
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

/// Finds a rewritten snapshot. If the file names the test of each snapshot, only the snapshots of the failed tests
/// count.
fn find_rewritten_snapshot(found: &mut Findings<'_>, moves: &mut MoveCandidates, failing: &[String]) {
    let file = found.file;
    if file.is_new() {
        return;
    }
    if file.binary || (file.is_deleted() && file.hunks.is_empty()) {
        let text = if file.is_deleted() { "the snapshot was deleted" } else { "the snapshot was replaced" };
        found.add_text(WeakeningKind::SnapshotRewritten, 1, text);
        return;
    }
    // An added snapshot belongs to a new test. A snapshot with the same value and another key belongs to a renamed
    // test.
    let value =
        |line: &DiffLine| line.text.strip_prefix("exports[`")?.split_once("`] = ").map(|(_, value)| value.to_owned());
    let renamed: HashSet<String> = file.lines(LineChange::Added).filter_map(value).collect();
    let title = |name: &String| name.rsplit(" > ").next().unwrap_or(name).to_owned();
    let failing: Vec<String> = failing.iter().map(title).collect();
    let key = |line: &DiffLine| line.text.strip_prefix("exports[`").map(str::to_owned);
    let mut belongs_to_failed_test = true;
    let gone = file.hunks.iter().flat_map(|hunk| &hunk.lines).find(|line| {
        if let Some(key) = key(line).filter(|_| !failing.is_empty() && line.line_change != LineChange::Added) {
            belongs_to_failed_test = failing.iter().any(|title| key.contains(title.as_str()));
        }
        if line.line_change != LineChange::Removed || !belongs_to_failed_test {
            return false;
        }
        let same = line.text.trim().is_empty() || value(line).is_some_and(|value| renamed.contains(&value));
        !same && !moves.take_added_line(&line.text)
    });
    if let Some(line) = gone {
        found.add(WeakeningKind::SnapshotRewritten, line);
    }
}

fn find_weakened_tests(found: &mut Findings<'_>, moves: &mut MoveCandidates, any: bool) {
    let (file, language) = (found.file, detect_language(found.file.path()));
    if file.is_deleted() {
        report_deleted_file(found, moves, language);
        return;
    }
    for hunk in test_hunks(file) {
        find_skipped_tests(found, moves, hunk, language);
    }
    if file.is_new() {
        return;
    }
    report_deleted_tests(found, moves, language);
    if !any && file_versions::is_comparable(language) {
        return;
    }
    for hunk in test_hunks(file) {
        let after = NewHunkLines::read(hunk, language);
        let old_test = |line: &DiffLine| !after.is_in_new_test(line, &moves.removed_tests);
        weakened_settings::find_changed_limits(found, hunk, &weakened_settings::TIME_LIMIT, &|_, _| true);
        weakened_settings::find_changed_limits(found, hunk, &weakened_settings::RETRY_LIMIT, &|_, _| true);
        weakened_settings::find_new_limits(found, hunk, &old_test);
        let added = hunk.lines(LineChange::Added).filter(|line| old_test(line));
        for line in added.filter(|line| test_commands::swallows_expectation(&line.text)) {
            found.add(WeakeningKind::FailureIgnored, line);
        }
    }
}

/// Reports a deleted file of tests, unless all of its tests were added elsewhere.
fn report_deleted_file(found: &mut Findings<'_>, moves: &mut MoveCandidates, language: Language) {
    let file = found.file;
    let all: Vec<DeclaredTest<'_>> =
        test_hunks(file).flat_map(|hunk| find_declared_tests(hunk, LineChange::Removed, language)).collect();
    let gone: Vec<&DeclaredTest<'_>> = all.iter().filter(|test| !moves.take_added_test(&test.name)).collect();
    let expects = file.lines(LineChange::Removed).any(|line| test_markers::has_expectation(&line.text, language));
    if !gone.is_empty() {
        let first: Vec<&str> = gone.iter().take(3).map(|test| test.name.as_str()).collect();
        let text = format!("the file was deleted, with {} of its tests: {}", gone.len(), first.join(", "));
        found.add_text(WeakeningKind::TestDeleted, 1, &text);
    } else if all.is_empty() && (expects || (file.hunks.is_empty() && language != Language::Data)) {
        found.add_text(WeakeningKind::TestDeleted, 1, "the file was deleted");
    }
}

/// Reports tests that were removed and not added elsewhere.
fn report_deleted_tests(found: &mut Findings<'_>, moves: &mut MoveCandidates, language: Language) {
    let file = found.file;
    for hunk in test_hunks(file) {
        let removed = find_declared_tests(hunk, LineChange::Removed, language);
        let added = find_declared_tests(hunk, LineChange::Added, language);
        // A new name in the same place is a renamed test.
        let renamed = added.iter().filter(|test| !removed.iter().any(|old| old.name == test.name)).count();
        let kept: Vec<_> = removed.into_iter().filter(|test| !moves.take_added_test(&test.name)).collect();
        let gone = kept.len().saturating_sub(renamed);
        for test in kept.into_iter().rev().take(gone).rev() {
            found.add(WeakeningKind::TestDeleted, test.line);
        }
    }
}

/// Finds removed expectations. Compares expectations by their tokens, so that their layout does not matter. Skips files
/// that have other findings.
fn find_lost_expectations(files: &[&DiffFile], found: &[Weakening]) -> Vec<Weakening> {
    let mut now: HashMap<Vec<String>, usize> = HashMap::new();
    for (_, expectation) in files.iter().flat_map(|file| list_expectations(file, LineChange::Added)) {
        *now.entry(expectation).or_default() += 1;
    }
    let mut lost = Vec::new();
    for file in files.iter().filter(|file| !found.iter().any(|one| one.file == file.path())) {
        for (line, expectation) in list_expectations(file, LineChange::Removed) {
            if !take_counted(&mut now, &expectation) {
                lost.push((*file, line, expectation));
            }
        }
    }
    let mut weakenings = Vec::new();
    for (file, line, expectation) in lost {
        let stricter = |other: &&Vec<String>| is_stricter(other, &expectation, detect_language(file.path()));
        let stricter = now.iter().filter(|(_, left)| **left > 0).map(|(other, _)| other).find(stricter).cloned();
        if !stricter.is_some_and(|other| take_counted(&mut now, &other)) {
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
fn is_stricter(new: &[String], old: &[String], language: Language) -> bool {
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

fn list_expectations(file: &DiffFile, mark: LineChange) -> Vec<(&DiffLine, Vec<String>)> {
    let language = detect_language(file.path());
    let mut found = Vec::new();
    for hunk in test_hunks(file) {
        let side = declared_tests::lines_of_version(hunk, mark);
        // Number the lines by index, because the line numbers of kept lines are those of the new file.
        let lines: Vec<(u32, &str)> = (0..).zip(side.iter().map(|line| line.text.as_str())).collect();
        let tokens = tokens::tokenize(&lines, language);
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let line = side[first.line as usize];
            let begins = at == 0 || tokens[at - 1].line != first.line;
            let check = (language == Language::Go).then(|| count_go_check_tokens(&tokens[at..])).flatten();
            let end = check.map_or_else(|| tokens::find_statement_end(&tokens, at, language), |length| at + length);
            // The statement of `}).should.throw()` began on a line above, so nothing of it is left at the bracket.
            let is_whole = begins && end > at;
            if is_whole && (test_markers::has_expectation(&line.text, language) || check.is_some()) {
                let whole = &tokens[at..end];
                let is_snapshot_to_fill = whole.iter().any(|one| one.text.ends_with("InlineSnapshot"))
                    && !whole.iter().any(|one| one.kind == tokens::TokenKind::StringOrRegex);
                let text = |token: &tokens::Token| token.text.clone();
                let is_code = |token: &&tokens::Token| token.text != ";" && token.kind != tokens::TokenKind::Indent;
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

/// Returns the number of tokens of `if got != want { t.Errorf(…) }`, which is an expectation in Go.
fn count_go_check_tokens(tokens: &[tokens::Token]) -> Option<usize> {
    const MAX_LINES: u32 = 5;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if text(0) != "if" {
        return None;
    }
    let mut depth = 0;
    let opens = |at: &usize| {
        let is_body = depth == 0 && text(*at) == "{";
        depth += tokens::nesting_change(&tokens[*at]);
        is_body
    };
    let open = (0..tokens.len()).find(opens)?;
    let close = tokens::find_closing_bracket(tokens, open).min(tokens.len() - 1);
    let is_report = |at: usize| {
        let names = ["Error", "Fatal", "Fail"];
        ["t", "b", "f"].contains(&text(at))
            && text(at + 1) == "."
            && names.iter().any(|name| text(at + 2).starts_with(name))
    };
    let is_short = tokens[close].line < tokens[0].line + MAX_LINES;
    (is_short && (open..close).any(is_report)).then_some(close + 1)
}

/// Finds new markers that skip a test. A marker on a new test does not count, because the test never ran before.
fn find_skipped_tests(found: &mut Findings<'_>, moves: &MoveCandidates, hunk: &Hunk, language: Language) {
    let marked =
        |mark| hunk.lines(mark).filter_map(|line| Some((line, test_markers::find_skip_marker(&line.text, language)?)));
    // If the diff also removes a marker of the same kind, the marker was moved or only its reason was changed.
    let mut removed: Vec<&str> = marked(LineChange::Removed).map(|(_, words)| words).collect();
    let mut added: Vec<&DiffLine> = Vec::new();
    let after = LazyCell::new(|| NewHunkLines::read(hunk, language));
    for (line, words) in marked(LineChange::Added) {
        match removed.iter().position(|old| *old == words) {
            Some(at) => drop(removed.swap_remove(at)),
            None if test_markers::is_exclusive(words) => added.push(line),
            None if after.is_in_new_test(line, &moves.removed_tests) => {}
            None => added.push(line),
        }
    }
    added.extend(declared_tests::find_early_returns(hunk, language));
    for line in added {
        found.add(WeakeningKind::TestSkipped, line);
    }
}

#[cfg(test)]
mod tests;
