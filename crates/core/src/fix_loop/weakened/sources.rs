//! Compares the sources of the failed tests before and after a change: body, parameters, marks, enclosing suites,
//! hooks, and definitions of the same file that the test uses. A fix does not change them. Other changes in files of
//! tests are accepted.

use super::{
    replaced,
    versions::{Version, Versions, can_compare, is_end_of, weakening},
};
use crate::{
    change::{
        diff::{DiffFile, LineChange},
        files::{Language, language},
        markers,
        scan::{File, Item, ItemKind, Scope, TestAt},
    },
    fix_loop::{Weakening, WeakeningKind},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

/// Changes of the failed tests. `failing` has their names as runs and runners print them.
pub(super) fn changed(versions: &[Versions<'_>], failing: &[String]) -> Vec<Weakening> {
    let failing: Vec<Failing<'_>> = failing.iter().map(|name| Failing::of(name)).collect();
    let all = Comparison::of(versions);
    let mut found = Vec::new();
    for one in versions {
        let is_failing = |test: &TestAt<'_>| failing.iter().any(|failing| failing.is(&one.before.file, *test));
        for test in one.before.file.tests().filter(is_failing) {
            found.extend(all.compare(one, test));
        }
        let made: Vec<_> = failing.iter().filter(|failing| failing.is_only_in(&one.before.file)).collect();
        if !made.is_empty() {
            found.extend(all.compare_made_by_code(one, &made));
        }
    }
    found.dedup();
    found
}

/// Finds changes of hooks and fixtures that several files share, because they affect tests in unchanged files.
pub(super) fn shared_hooks(file: &DiffFile) -> Option<Weakening> {
    let path = file.path();
    if !is_end_of("conftest.py", path) && !path.ends_with("_test.go") {
        return None;
    }
    let (before, after) = (Version::of(file, path, LineChange::Removed), Version::of(file, path, LineChange::Added));
    let is_fixture =
        |item: &Item| item.kind == ItemKind::Definition && item.source.iter().any(|text| text == "fixture");
    let counts =
        |item: &&Item| (item.kind == ItemKind::Hook && !BENIGN_HOOKS.contains(&item.name.as_str())) || is_fixture(item);
    let old: Vec<&Item> = before.file.scopes[0].items.iter().filter(counts).collect();
    let new: Vec<&Item> = after.file.scopes[0].items.iter().filter(counts).collect();
    let is_kept = |item: &Item, others: &[&Item]| others.iter().any(|other| other.source == item.source);
    let is_known = |item: &Item, others: &[&Item]| others.iter().any(|other| other.name == item.name);
    // No test uses a new fixture yet.
    let came = new.iter().find(|item| !is_kept(item, &old) && (!is_fixture(item) || is_known(item, &old)));
    let went = old.iter().find(|item| item.kind == ItemKind::Hook && !is_known(item, &new));
    let first = |version: &Version<'_>, item: &Item| {
        version.lines(&item.lines).first().map(|(line, text)| (*line, (*text).to_owned()))
    };
    let line = came.map(|item| first(&after, item)).or_else(|| went.map(|item| first(&before, item)))??;
    weakening(path, WeakeningKind::HookChanged, Some((line.0, &line.1)))
}

/// A failed test, as a run names it.
struct Failing<'n> {
    /// Path of the file, if the name contains it.
    file: Option<&'n str>,
    /// The name without the file: the titles of the suites, if the runner prints them, and the title of the test.
    titles: &'n str,
    /// The title of the test. Titles of suites may precede it without a separator.
    title: &'n str,
}

impl<'n> Failing<'n> {
    /// Parses a name, for example `cart.test.ts > cart > totals`, `tests/test_cart.py::TestCart::test_total[2-6]` or
    /// `TestTotal/small`.
    fn of(name: &'n str) -> Self {
        let (first, rest) = name.split_once(" > ").or_else(|| name.split_once("::")).unwrap_or(("", name));
        let is_file = first.contains('.') && can_compare(language(first));
        let titles = if first.is_empty() { name } else { rest };
        let title = titles.rsplit(" > ").next().unwrap_or(titles);
        Self { file: is_file.then_some(first), titles, title: title.trim() }
    }

    fn is_in(&self, path: &str) -> bool {
        self.file.is_none_or(|file| is_end_of(file, path) || is_end_of(path, file))
    }

    fn is(&self, file: &File, test: TestAt<'_>) -> bool {
        self.is_in(&file.path) && {
            let name = &test.item.name;
            match file.language {
                Language::JavaScript => {
                    let last = self
                        .title
                        .strip_suffix(name.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with(' '));
                    (last || (has_place(name) && fits(name, self.title))) && self.may_be_in_suites(file, test)
                }
                // The name of an `rstest` case follows the name of its function.
                Language::Rust => self.title.rsplit("::").take(2).any(|part| part == name),
                _ => plain(self.title) == name,
            }
        }
    }

    /// Returns `true` if the suites of a declared test fit the name. They fit if the name contains their titles or
    /// names no suite.
    fn may_be_in_suites(&self, file: &File, test: TestAt<'_>) -> bool {
        let names_no_suite = self.titles.trim() == self.title && self.title == test.item.name;
        let mut suites = file.titles(test);
        suites.pop();
        names_no_suite || suites.iter().all(|suite| suite.is_empty() || has_place(suite) || self.titles.contains(suite))
    }

    /// Returns `true` if the file must contain the test but declares no test with this name. Such a test is created
    /// when the file runs.
    fn is_only_in(&self, file: &File) -> bool {
        self.file.is_some() && self.is_in(&file.path) && !file.tests().any(|test| self.is(file, test))
    }
}

/// Returns `true` if a runner that runs the tests of `path` also runs those of `other`, according to their names.
fn is_run_as(path: &str, other: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let marks = [".test.", ".spec.", "_test.", "test_", "_spec."];
    language(path) == language(other)
        && marks.iter().all(|mark| !name(path).contains(mark) || name(other).contains(mark))
}

/// The name without parameters, subtests and modules.
fn plain(title: &str) -> &str {
    let title = title.split(['[', '/', '(']).next().unwrap_or(title);
    title.rsplit("::").next().unwrap_or(title).rsplit('.').next().unwrap_or(title).trim()
}

/// Returns `true` if the title has placeholders that are filled in at run time.
fn has_place(title: &str) -> bool {
    title.contains('%') || title.contains('$')
}

/// Returns `true` if the title contains the parts between the placeholders of the pattern, in order.
fn fits(pattern: &str, title: &str) -> bool {
    let mut rest = title;
    let parts = pattern.split(['%', '$']).enumerate().map(|(at, part)| match at {
        0 => part,
        _ if part.starts_with('{') => part.split_once('}').map_or("", |(_, after)| after),
        _ => part.trim_start_matches(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '#')),
    });
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

pub(super) struct Comparison<'v, 'd> {
    versions: &'v [Versions<'d>],
    /// Sources of all tests and definitions after the change, with their files.
    moved: HashMap<&'v [String], Vec<&'v str>>,
}

/// The parts of a test, by their role.
pub(super) type Parts<'f> = BTreeMap<String, Part<'f>>;

pub(super) struct Part<'f> {
    pub(super) source: Vec<&'f [String]>,
    pub(super) lines: Range<u32>,
    pub(super) kind: ItemKind,
    /// True if any source of the part is a definition.
    pub(super) is_defined: bool,
}

impl<'v, 'd> Comparison<'v, 'd> {
    pub(super) fn of(versions: &'v [Versions<'d>]) -> Self {
        let mut moved: HashMap<&[String], Vec<&str>> = HashMap::new();
        for file in versions.iter().map(|one| &one.after.file) {
            let items = file.scopes.iter().flat_map(|scope| &scope.items);
            for item in items.filter(|item| matches!(item.kind, ItemKind::Test | ItemKind::Definition)) {
                moved.entry(&item.source).or_default().push(&file.path);
            }
        }
        Self { versions, moved }
    }

    fn compare(&self, one: &Versions<'_>, test: TestAt<'_>) -> Option<Weakening> {
        let Some(now) = now(one, test) else {
            let path = &one.after.file.path;
            let paths = self.moved.get(test.item.source.as_slice());
            let is_moved = paths.is_some_and(|paths| paths.iter().any(|now| is_run_as(path, now)));
            let line = || one.before.lines(&test.item.lines).first().copied();
            return if is_moved { None } else { weakening(path, WeakeningKind::TestDeleted, line()) };
        };
        self.compare_parts(one, test, now)
    }

    /// Compares statements that create tests at run time (`for (const row of rows) test(…)`) as if they were tests.
    fn compare_made_by_code(&self, one: &Versions<'_>, failing: &[&Failing<'_>]) -> Option<Weakening> {
        let may_make =
            |maker: TestAt<'_>| failing.iter().any(|failing| failing.may_be_in_suites(&one.before.file, maker));
        let mut pairs = pairs_made_by_code(one).filter(|(old, _)| may_make(*old));
        made_by_code(one, may_make).or_else(|| pairs.find_map(|(old, new)| self.compare_parts(one, old, new)))
    }

    fn compare_parts(&self, one: &Versions<'_>, test: TestAt<'_>, now: TestAt<'_>) -> Option<Weakening> {
        let (before, after, path) = (&one.before, &one.after, &one.after.file.path);
        let (near_before, near_after) = (self.near(one, false), self.near(one, true));
        let was = parts(&before.file, test, &near_before);
        let is = parts(&after.file, now, &near_after);
        let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let has_moved =
            |name: &String| was.get(name).zip(is.get(name)).is_some_and(|(old, new)| self.has_moved(old, new));
        let any_moved = names.iter().any(|name| has_moved(name));
        for name in names {
            let (old, new) = (was.get(name), is.get(name));
            let is_same = match (old, new) {
                (Some(old), Some(new)) => same(old, new) || self.has_moved(old, new),
                // Definitions that moved took their own definitions with them.
                (Some(old), None) => any_moved && matches!(old.kind, ItemKind::Definition | ItemKind::Import),
                _ => false,
            };
            if !is_same {
                let none = Vec::new();
                let old_lines = old.map_or(none.clone(), |part| before.lines(&part.lines));
                let new_lines = new.map_or(none, |part| after.lines(&part.lines));
                let kind = kind_of(&old_lines, &new_lines, after.file.language, new.map(|part| part.kind));
                return weakening(path, kind, first_change(&old_lines, &new_lines));
            }
        }
        let near = near_before.iter().zip(&near_after).map(|(old, new)| (&old.scopes[0], &new.scopes[0]));
        test_scopes(one, test, now)
            .chain(near)
            .find_map(|(old, new)| reached_into(&was, old, new))
            .or_else(|| mocked_beside(one, test, now))
            .and_then(|item| weakening(path, WeakeningKind::Mocked, after.lines(&item.lines).first().copied()))
    }

    /// The parts of the test before and after the change.
    pub(super) fn parts<'f>(&self, one: &'f Versions<'d>, test: TestAt<'f>, now: TestAt<'f>) -> (Parts<'f>, Parts<'f>)
    where
        'v: 'f,
    {
        let (near_before, near_after) = (self.near(one, false), self.near(one, true));
        (parts(&one.before.file, test, &near_before), parts(&one.after.file, now, &near_after))
    }

    /// Returns `true` if a definition became an import and exists unchanged in another file.
    pub(super) fn has_moved(&self, old: &Part<'_>, new: &Part<'_>) -> bool {
        let is_import = old.kind == ItemKind::Definition && new.kind == ItemKind::Import;
        is_import && old.source.iter().all(|source| self.moved.contains_key(source))
    }

    /// Files that share hooks and definitions with the file of the test.
    fn near(&self, one: &Versions<'_>, is_after: bool) -> Vec<&'v File> {
        let path = &one.after.file.path;
        let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let is_near = |other: &&Versions<'_>| {
            let other = &other.after.file.path;
            match one.after.file.language {
                Language::Python => is_end_of("conftest.py", other) && path.starts_with(&folder(other)),
                Language::Go => other != path && other.ends_with("_test.go") && folder(other) == folder(path),
                _ => false,
            }
        };
        let version = |other: &'v Versions<'_>| if is_after { &other.after.file } else { &other.before.file };
        self.versions.iter().filter(is_near).map(version).collect()
    }
}

fn parts<'f>(file: &'f File, test: TestAt<'f>, near: &[&'f File]) -> Parts<'f> {
    let mut parts = Parts::new();
    let part = |item: &'f Item| Part {
        source: vec![&item.source],
        lines: item.lines.clone(),
        kind: item.kind,
        is_defined: item.kind == ItemKind::Definition,
    };
    parts.insert("test".to_owned(), part(test.item));
    let mut words: Vec<&str> = words(&test.item.source);
    let own = file.around(test).filter(|scope| scope.is_of_tests);
    let scopes: Vec<&Scope> = own.chain(near.iter().map(|file| &file.scopes[0])).collect();
    for (depth, scope) in file.around(test).enumerate() {
        let lines = scope.line..scope.line + 1;
        parts.insert(
            format!("suite {depth}"),
            Part { source: vec![&scope.head], lines, kind: ItemKind::Suite, is_defined: false },
        );
    }
    for (depth, scope) in scopes.iter().enumerate() {
        for hook in
            scope.items.iter().filter(|item| item.kind == ItemKind::Hook && !BENIGN_HOOKS.contains(&item.name.as_str()))
        {
            words.extend(self::words(&hook.source));
            let add = |known: &mut Part<'f>| known.source.push(&hook.source);
            parts.entry(format!("hook {depth} {}", hook.name)).and_modify(add).or_insert_with(|| part(hook));
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(word) = words.pop() {
        if !seen.insert(word) {
            continue;
        }
        let is_it = |item: &&Item| item.name == word && matches!(item.kind, ItemKind::Definition | ItemKind::Import);
        let found = scopes.iter().map(|scope| scope.items.iter().filter(is_it).collect::<Vec<_>>());
        let Some(found) = found.into_iter().find(|found| !found.is_empty()) else { continue };
        for item in found {
            if item.kind == ItemKind::Definition {
                words.extend(self::words(&item.source));
            }
            let add = |known: &mut Part<'f>| {
                known.source.push(&item.source);
                known.is_defined |= item.kind == ItemKind::Definition;
            };
            parts.entry(format!("uses {word}")).and_modify(add).or_insert_with(|| part(item));
        }
    }
    parts
}

/// Hooks of pytest that do not affect the result of a test.
const BENIGN_HOOKS: [&str; 3] = ["pytest_addoption", "pytest_report_header", "pytest_terminal_summary"];

/// Names in a source. Includes strings, because a string can name a fixture.
fn words(source: &[String]) -> Vec<&str> {
    let bare = source.iter().map(|text| text.trim_matches('"'));
    bare.filter(|text| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_') && !text.is_empty())
        .collect()
}

pub(super) fn same(old: &Part<'_>, new: &Part<'_>) -> bool {
    let pairs = || old.source.iter().zip(&new.source);
    old.source.len() == new.source.len() && pairs().all(|(old, new)| old == new || is_row_more(old, new))
}

/// Returns `true` if the only change is an additional row in a list, for example a new case of a table.
fn is_row_more(old: &[String], new: &[String]) -> bool {
    if new.len() <= old.len() {
        return false;
    }
    let shared = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let end = end.min(old.len() - shared);
    if shared + end < old.len() {
        return false;
    }
    // If the tokens around the row are equal, the row may start earlier: `[1], [2]` and `[1], [3], [2]`.
    let (first, last) = (shared, new.len() - end);
    let shifts = (0..=shared).take_while(|shift| *shift == 0 || new[first - shift] == new[last - shift]);
    shifts.into_iter().any(|shift| is_row_in_list(new, first - shift..last - shift))
}

fn is_row_in_list(new: &[String], row: Range<usize>) -> bool {
    let before = &new[..row.start];
    // A comma before or after the row belongs to the list.
    let row = &new[row];
    let row = row.strip_prefix(&[",".to_owned()]).or_else(|| row.strip_suffix(&[",".to_owned()])).unwrap_or(row);
    let opens = |text: &String| ["(", "[", "{"].contains(&text.as_str());
    let is_in_list = before.iter().rev().scan(0, |depth, text| {
        *depth += match text.as_str() {
            ")" | "]" | "}" => 1,
            "(" | "[" | "{" => -1,
            _ => 0,
        };
        Some((*depth, text))
    });
    let is_in_list = is_in_list.into_iter().find(|(depth, _)| *depth < 0).is_some_and(|(_, text)| text != "(");
    let is_row =
        row.first().is_some_and(opens) && row.last().is_some_and(|text| [")", "]", "}"].contains(&text.as_str()));
    is_in_list && is_row && !row.iter().any(|text| text == ";" || text == "return")
}

fn kind_of(old: &[(u32, &str)], new: &[(u32, &str)], language: Language, kind: Option<ItemKind>) -> WeakeningKind {
    let marks =
        |lines: &[(u32, &str)]| lines.iter().filter(|(_, text)| markers::skip(text, language).is_some()).count();
    if marks(new) > marks(old) {
        WeakeningKind::TestSkipped
    } else if matches!(kind, Some(ItemKind::Hook)) {
        WeakeningKind::HookChanged
    } else {
        WeakeningKind::TestChanged
    }
}

/// The first added line, or the first removed line if no line was added.
pub(super) fn first_change<'d>(old: &[(u32, &'d str)], new: &[(u32, &'d str)]) -> Option<(u32, &'d str)> {
    let is_in = |lines: &[(u32, &str)], text: &str| lines.iter().any(|(_, other)| other.trim() == text.trim());
    let came = new.iter().find(|(_, text)| !is_in(old, text));
    came.or_else(|| old.iter().find(|(_, text)| !is_in(new, text))).or(new.first()).or(old.first()).copied()
}

/// Finds a test in the new version by its titles. If several tests have the same titles, uses the position.
pub(super) fn now<'f>(one: &'f Versions<'_>, test: TestAt<'_>) -> Option<TestAt<'f>> {
    let (before, after) = (&one.before.file, &one.after.file);
    let titles = before.titles(test);
    let nth = before.tests().filter(|other| before.titles(*other) == titles);
    let nth = nth.take_while(|other| !std::ptr::eq(other.item, test.item)).count();
    after.tests().filter(|now| after.titles(*now) == titles).nth(nth)
}

/// A new statement beside a test that replaces a module of the project.
pub(super) fn mocked_beside<'f>(one: &'f Versions<'_>, test: TestAt<'f>, now: TestAt<'f>) -> Option<&'f Item> {
    let after = &one.after.file;
    let own = replaced::own_names(after.scopes[0].items.iter(), after.language);
    let mocks = |item: &&Item| replaced::patches(&item.source, &own, after.language);
    test_scopes(one, test, now).find_map(|(old, new)| new_statements(old, new).find(mocks))
}

/// The scopes around a test before and after the change, if they contain tests.
fn test_scopes<'f>(
    one: &'f Versions<'_>,
    test: TestAt<'f>,
    now: TestAt<'f>,
) -> impl Iterator<Item = (&'f Scope, &'f Scope)> {
    let pairs = one.before.file.around(test).zip(one.after.file.around(now));
    pairs.filter(|(old, _)| old.is_of_tests)
}

/// New statements of a scope that do not create tests.
fn new_statements<'f>(old: &Scope, new: &'f Scope) -> impl Iterator<Item = &'f Item> {
    let mut left: Vec<&Item> = old.items.iter().filter(|item| item.kind == ItemKind::Other).collect();
    let mut is_new = move |item: &&Item| match left.iter().position(|known| known.source == item.source) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => !makes_tests(item),
    };
    let others = new.items.iter().filter(|item| item.kind == ItemKind::Other);
    others.filter(|item| is_new(item)).collect::<Vec<_>>().into_iter()
}

/// A new statement beside the tests that mentions an import of the test, because it may replace the import.
fn reached_into<'f>(was: &Parts<'_>, old: &Scope, new: &'f Scope) -> Option<&'f Item> {
    let imports = was.iter().filter(|(_, part)| part.kind == ItemKind::Import);
    let names: BTreeSet<&str> = imports
        .flat_map(|(name, part)| {
            let bound = name.strip_prefix("uses ").into_iter();
            bound.chain(part.source.iter().filter_map(|source| source.last()).map(String::as_str)).collect::<Vec<_>>()
        })
        .collect();
    new_statements(old, new).find(|item| item.source.iter().any(|text| names.contains(text.as_str())))
}

/// Reports a changed statement that creates tests at run time.
fn made_by_code(one: &Versions<'_>, may_make: impl Fn(TestAt<'_>) -> bool) -> Option<Weakening> {
    let now: Vec<&Vec<String>> = makers(&one.after.file).map(|maker| &maker.item.source).collect();
    let gone = makers(&one.before.file).any(|maker| may_make(maker) && !now.contains(&&maker.item.source));
    let first = gone.then(|| first_change(&one.before.lines, &one.after.lines)).flatten();
    first.and_then(|line| weakening(&one.after.file.path, WeakeningKind::TestChanged, Some(line)))
}

/// Statements that create tests at run time.
fn makers(file: &File) -> impl Iterator<Item = TestAt<'_>> {
    file.scopes.iter().enumerate().flat_map(|(scope, one)| {
        let makers = one.items.iter().filter(|item| item.kind == ItemKind::Other && makes_tests(item));
        makers.map(move |item| TestAt { item, scope })
    })
}

/// Statements that create tests and are in both versions.
pub(super) fn pairs_made_by_code<'f>(one: &'f Versions<'_>) -> impl Iterator<Item = (TestAt<'f>, TestAt<'f>)> {
    let same = |old: &TestAt<'_>| makers(&one.after.file).find(|new| new.item.source == old.item.source);
    makers(&one.before.file).filter_map(move |old| Some((old, same(&old)?)))
}

fn makes_tests(item: &Item) -> bool {
    item.source.windows(2).any(|pair| is_test_word(&pair[0]) && matches!(pair[1].as_str(), "(" | "."))
}

fn is_test_word(word: &str) -> bool {
    matches!(word, "it" | "test" | "describe")
}
