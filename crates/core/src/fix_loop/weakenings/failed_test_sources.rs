//! Compares the sources of the failed tests before and after a change: body, parameters, marks, enclosing suites,
//! hooks, and definitions of the same file that the test uses. A fix must not change any of these. Other changes in
//! files of tests are accepted.

use super::{
    failed_test_name::FailedTestName,
    file_versions::{FileVersion, FileVersions, build_weakening, is_path_suffix},
    replacements,
};
use crate::{
    change::{
        diff::{DiffFile, LineChange},
        files::{Language, detect_language},
        source_items::{File, ItemKind, Scope, ScopedTest, SourceItem},
        test_markers,
    },
    fix_loop::{Weakening, WeakeningKind},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

/// Finds changes of the failed tests. `failing` lists their names as runs and runners print them.
pub(super) fn find_changed_tests(versions: &[FileVersions<'_>], failing: &[String]) -> Vec<Weakening> {
    let failing: Vec<FailedTestName<'_>> = failing.iter().map(|name| FailedTestName::parse(name)).collect();
    let all = TestComparison::new(versions);
    let mut found = Vec::new();
    for one in versions {
        let is_failing =
            |test: &ScopedTest<'_>| failing.iter().any(|failing| failing.is_name_of(&one.before.file, *test));
        for test in one.before.file.tests().filter(is_failing) {
            found.extend(all.compare_test(one, test));
        }
        let made: Vec<_> = failing.iter().filter(|failing| failing.is_created_when_running(&one.before.file)).collect();
        if !made.is_empty() {
            found.extend(all.compare_test_creators(one, &made));
        }
    }
    found.dedup();
    found
}

/// Finds changes of hooks and fixtures that several files share, because they affect tests in unchanged files.
pub(super) fn find_changed_shared_hook(file: &DiffFile) -> Option<Weakening> {
    let path = file.path();
    if !is_path_suffix("conftest.py", path) && !path.ends_with("_test.go") {
        return None;
    }
    let (before, after) =
        (FileVersion::read(file, path, LineChange::Removed), FileVersion::read(file, path, LineChange::Added));
    let is_fixture = |item: &SourceItem| {
        item.kind == ItemKind::Definition && item.tokens_to_compare.iter().any(|text| text == "fixture")
    };
    let counts = |item: &&SourceItem| {
        (item.kind == ItemKind::Hook && !HARMLESS_PYTEST_HOOKS.contains(&item.name.as_str())) || is_fixture(item)
    };
    let old: Vec<&SourceItem> = before.file.scopes[0].items.iter().filter(counts).collect();
    let new: Vec<&SourceItem> = after.file.scopes[0].items.iter().filter(counts).collect();
    let is_kept = |item: &SourceItem, others: &[&SourceItem]| {
        others.iter().any(|other| other.tokens_to_compare == item.tokens_to_compare)
    };
    let is_known = |item: &SourceItem, others: &[&SourceItem]| others.iter().any(|other| other.name == item.name);
    // A new fixture is accepted, because no existing test uses it.
    let came = new.iter().find(|item| !is_kept(item, &old) && (!is_fixture(item) || is_known(item, &old)));
    let went = old.iter().find(|item| item.kind == ItemKind::Hook && !is_known(item, &new));
    let first = |version: &FileVersion<'_>, item: &SourceItem| {
        version.lines(&item.lines).first().map(|(line, text)| (*line, (*text).to_owned()))
    };
    let line = came.map(|item| first(&after, item)).or_else(|| went.map(|item| first(&before, item)))??;
    build_weakening(path, WeakeningKind::HookChanged, Some((line.0, &line.1)))
}

/// Returns `true` if, according to the file names, the runner of the tests in `path` also runs those in `other`.
fn is_run_by_same_runner(path: &str, other: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let marks = [".test.", ".spec.", "_test.", "test_", "_spec."];
    detect_language(path) == detect_language(other)
        && marks.iter().all(|mark| !name(path).contains(mark) || name(other).contains(mark))
}

pub(super) struct TestComparison<'v, 'd> {
    versions: &'v [FileVersions<'d>],
    /// The paths of the files that contain a test or a definition with these tokens after the change.
    paths_by_source: HashMap<&'v [String], Vec<&'v str>>,
}

/// The parts of a test, by role and name: `test`, `suite 0`, `hook 0 beforeEach`, `uses total`.
pub(super) type TestParts<'f> = BTreeMap<String, TestPart<'f>>;

pub(super) struct TestPart<'f> {
    pub(super) source: Vec<&'f [String]>,
    pub(super) lines: Range<u32>,
    pub(super) kind: ItemKind,
    /// True if the part contains a definition.
    pub(super) has_definition: bool,
}

impl<'v, 'd> TestComparison<'v, 'd> {
    pub(super) fn new(versions: &'v [FileVersions<'d>]) -> Self {
        let mut moved: HashMap<&[String], Vec<&str>> = HashMap::new();
        for file in versions.iter().map(|one| &one.after.file) {
            let items = file.scopes.iter().flat_map(|scope| &scope.items);
            for item in items.filter(|item| matches!(item.kind, ItemKind::Test | ItemKind::Definition)) {
                moved.entry(&item.tokens_to_compare).or_default().push(&file.path);
            }
        }
        Self { versions, paths_by_source: moved }
    }

    fn compare_test(&self, one: &FileVersions<'_>, test: ScopedTest<'_>) -> Option<Weakening> {
        let Some(now) = find_new_version(one, test) else {
            let path = &one.after.file.path;
            let paths = self.paths_by_source.get(test.item.tokens_to_compare.as_slice());
            let is_moved = paths.is_some_and(|paths| paths.iter().any(|now| is_run_by_same_runner(path, now)));
            let line = || one.before.lines(&test.item.lines).first().copied();
            return if is_moved { None } else { build_weakening(path, WeakeningKind::TestDeleted, line()) };
        };
        self.compare_parts(one, test, now)
    }

    /// Compares statements that create tests at run time (`for (const row of rows) test(…)`) as if they were tests.
    fn compare_test_creators(&self, one: &FileVersions<'_>, failing: &[&FailedTestName<'_>]) -> Option<Weakening> {
        let may_make =
            |maker: ScopedTest<'_>| failing.iter().any(|failing| failing.fits_suites(&one.before.file, maker));
        let mut pairs = pair_test_creators(one).filter(|(old, _)| may_make(*old));
        find_changed_test_creator(one, may_make)
            .or_else(|| pairs.find_map(|(old, new)| self.compare_parts(one, old, new)))
    }

    fn compare_parts(&self, one: &FileVersions<'_>, test: ScopedTest<'_>, now: ScopedTest<'_>) -> Option<Weakening> {
        let (before, after, path) = (&one.before, &one.after, &one.after.file.path);
        let (near_before, near_after) = (self.related_files(one, false), self.related_files(one, true));
        let was = collect_parts(&before.file, test, &near_before);
        let is = collect_parts(&after.file, now, &near_after);
        let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let has_moved =
            |name: &String| was.get(name).zip(is.get(name)).is_some_and(|(old, new)| self.has_moved(old, new));
        let any_moved = names.iter().any(|name| has_moved(name));
        for name in names {
            let (old, new) = (was.get(name), is.get(name));
            let is_same = match (old, new) {
                (Some(old), Some(new)) => has_same_source(old, new) || self.has_moved(old, new),
                // A definition that moved to another file may have taken with it the definitions that it uses.
                (Some(old), None) => any_moved && matches!(old.kind, ItemKind::Definition | ItemKind::Import),
                _ => false,
            };
            if !is_same {
                let none = Vec::new();
                let old_lines = old.map_or(none.clone(), |part| before.lines(&part.lines));
                let new_lines = new.map_or(none, |part| after.lines(&part.lines));
                let kind =
                    choose_weakening_kind(&old_lines, &new_lines, after.file.language, new.map(|part| part.kind));
                return build_weakening(path, kind, find_first_change(&old_lines, &new_lines));
            }
        }
        let near = near_before.iter().zip(&near_after).map(|(old, new)| (&old.scopes[0], &new.scopes[0]));
        test_scopes(one, test, now)
            .chain(near)
            .find_map(|(old, new)| find_statement_about_import(&was, old, new))
            .or_else(|| find_new_mock_beside(one, test, now))
            .and_then(|item| build_weakening(path, WeakeningKind::Mocked, after.lines(&item.lines).first().copied()))
    }

    /// Returns the parts of the test before and after the change.
    pub(super) fn parts_before_and_after<'f>(
        &self,
        one: &'f FileVersions<'d>,
        test: ScopedTest<'f>,
        now: ScopedTest<'f>,
    ) -> (TestParts<'f>, TestParts<'f>)
    where
        'v: 'f,
    {
        let (near_before, near_after) = (self.related_files(one, false), self.related_files(one, true));
        (collect_parts(&one.before.file, test, &near_before), collect_parts(&one.after.file, now, &near_after))
    }

    /// Returns `true` if a definition became an import and exists unchanged in another file.
    pub(super) fn has_moved(&self, old: &TestPart<'_>, new: &TestPart<'_>) -> bool {
        let is_import = old.kind == ItemKind::Definition && new.kind == ItemKind::Import;
        is_import && old.source.iter().all(|source| self.paths_by_source.contains_key(source))
    }

    /// Returns the files that share hooks and definitions with the file of the test.
    fn related_files(&self, one: &FileVersions<'_>, is_after: bool) -> Vec<&'v File> {
        let path = &one.after.file.path;
        let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let is_near = |other: &&FileVersions<'_>| {
            let other = &other.after.file.path;
            match one.after.file.language {
                Language::Python => is_path_suffix("conftest.py", other) && path.starts_with(&folder(other)),
                Language::Go => other != path && other.ends_with("_test.go") && folder(other) == folder(path),
                _ => false,
            }
        };
        let version = |other: &'v FileVersions<'_>| if is_after { &other.after.file } else { &other.before.file };
        self.versions.iter().filter(is_near).map(version).collect()
    }
}

fn collect_parts<'f>(file: &'f File, test: ScopedTest<'f>, near: &[&'f File]) -> TestParts<'f> {
    let mut parts = TestParts::new();
    let part = |item: &'f SourceItem| TestPart {
        source: vec![&item.tokens_to_compare],
        lines: item.lines.clone(),
        kind: item.kind,
        has_definition: item.kind == ItemKind::Definition,
    };
    parts.insert("test".to_owned(), part(test.item));
    let mut words: Vec<&str> = find_names(&test.item.tokens_to_compare);
    let own = file.enclosing_scopes(test).filter(|scope| scope.has_only_tests);
    let scopes: Vec<&Scope> = own.chain(near.iter().map(|file| &file.scopes[0])).collect();
    for (depth, scope) in file.enclosing_scopes(test).enumerate() {
        let lines = scope.line..scope.line + 1;
        parts.insert(
            format!("suite {depth}"),
            TestPart { source: vec![&scope.head], lines, kind: ItemKind::Suite, has_definition: false },
        );
    }
    for (depth, scope) in scopes.iter().enumerate() {
        for hook in scope
            .items
            .iter()
            .filter(|item| item.kind == ItemKind::Hook && !HARMLESS_PYTEST_HOOKS.contains(&item.name.as_str()))
        {
            words.extend(self::find_names(&hook.tokens_to_compare));
            let add = |known: &mut TestPart<'f>| known.source.push(&hook.tokens_to_compare);
            parts.entry(format!("hook {depth} {}", hook.name)).and_modify(add).or_insert_with(|| part(hook));
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(word) = words.pop() {
        if !seen.insert(word) {
            continue;
        }
        let is_it =
            |item: &&SourceItem| item.name == word && matches!(item.kind, ItemKind::Definition | ItemKind::Import);
        let found = scopes.iter().map(|scope| scope.items.iter().filter(is_it).collect::<Vec<_>>());
        let Some(found) = found.into_iter().find(|found| !found.is_empty()) else { continue };
        for item in found {
            if item.kind == ItemKind::Definition {
                words.extend(self::find_names(&item.tokens_to_compare));
            }
            let add = |known: &mut TestPart<'f>| {
                known.source.push(&item.tokens_to_compare);
                known.has_definition |= item.kind == ItemKind::Definition;
            };
            parts.entry(format!("uses {word}")).and_modify(add).or_insert_with(|| part(item));
        }
    }
    parts
}

/// Hooks of pytest that do not affect the result of a test.
const HARMLESS_PYTEST_HOOKS: [&str; 3] = ["pytest_addoption", "pytest_report_header", "pytest_terminal_summary"];

/// Returns the names in the tokens, and the strings, because a string can name a fixture.
fn find_names(source: &[String]) -> Vec<&str> {
    let bare = source.iter().map(|text| text.trim_matches('"'));
    bare.filter(|text| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_') && !text.is_empty())
        .collect()
}

pub(super) fn has_same_source(old: &TestPart<'_>, new: &TestPart<'_>) -> bool {
    let pairs = || old.source.iter().zip(&new.source);
    old.source.len() == new.source.len() && pairs().all(|(old, new)| old == new || has_only_added_row(old, new))
}

/// Returns `true` if the only change is a new row in a list, for example a new case in a table.
fn has_only_added_row(old: &[String], new: &[String]) -> bool {
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

fn choose_weakening_kind(
    old: &[(u32, &str)],
    new: &[(u32, &str)],
    language: Language,
    kind: Option<ItemKind>,
) -> WeakeningKind {
    let marks = |lines: &[(u32, &str)]| {
        lines.iter().filter(|(_, text)| test_markers::find_skip_marker(text, language).is_some()).count()
    };
    if marks(new) > marks(old) {
        WeakeningKind::TestSkipped
    } else if matches!(kind, Some(ItemKind::Hook)) {
        WeakeningKind::HookChanged
    } else {
        WeakeningKind::TestChanged
    }
}

/// Returns the first added line, or the first removed line if no line was added.
pub(super) fn find_first_change<'d>(old: &[(u32, &'d str)], new: &[(u32, &'d str)]) -> Option<(u32, &'d str)> {
    let is_in = |lines: &[(u32, &str)], text: &str| lines.iter().any(|(_, other)| other.trim() == text.trim());
    let came = new.iter().find(|(_, text)| !is_in(old, text));
    came.or_else(|| old.iter().find(|(_, text)| !is_in(new, text))).or(new.first()).or(old.first()).copied()
}

/// Finds a test in the new version by its titles. If several tests have the same titles, uses the position.
pub(super) fn find_new_version<'f>(one: &'f FileVersions<'_>, test: ScopedTest<'_>) -> Option<ScopedTest<'f>> {
    let (before, after) = (&one.before.file, &one.after.file);
    let titles = before.title_path(test);
    let nth = before.tests().filter(|other| before.title_path(*other) == titles);
    let nth = nth.take_while(|other| !std::ptr::eq(other.item, test.item)).count();
    after.tests().filter(|now| after.title_path(*now) == titles).nth(nth)
}

/// Finds a new statement beside a test that replaces a module of the project.
pub(super) fn find_new_mock_beside<'f>(
    one: &'f FileVersions<'_>,
    test: ScopedTest<'f>,
    now: ScopedTest<'f>,
) -> Option<&'f SourceItem> {
    let after = &one.after.file;
    let own = replacements::names_of_project_modules(after.scopes[0].items.iter(), after.language);
    let mocks =
        |item: &&SourceItem| replacements::patches_project_module(&item.tokens_to_compare, &own, after.language);
    test_scopes(one, test, now).find_map(|(old, new)| new_statements(old, new).find(mocks))
}

/// Returns the scopes around a test before and after the change, if they contain only tests.
fn test_scopes<'f>(
    one: &'f FileVersions<'_>,
    test: ScopedTest<'f>,
    now: ScopedTest<'f>,
) -> impl Iterator<Item = (&'f Scope, &'f Scope)> {
    let pairs = one.before.file.enclosing_scopes(test).zip(one.after.file.enclosing_scopes(now));
    pairs.filter(|(old, _)| old.has_only_tests)
}

/// Returns the new statements of a scope that do not create tests.
fn new_statements<'f>(old: &Scope, new: &'f Scope) -> impl Iterator<Item = &'f SourceItem> {
    let mut left: Vec<&SourceItem> = old.items.iter().filter(|item| item.kind == ItemKind::Other).collect();
    let mut is_new =
        move |item: &&SourceItem| match left.iter().position(|known| known.tokens_to_compare == item.tokens_to_compare)
        {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => !creates_tests(item),
        };
    let others = new.items.iter().filter(|item| item.kind == ItemKind::Other);
    others.filter(|item| is_new(item)).collect::<Vec<_>>().into_iter()
}

/// Finds a new statement beside the tests that mentions an import of the test, because the statement may replace the
/// import.
fn find_statement_about_import<'f>(was: &TestParts<'_>, old: &Scope, new: &'f Scope) -> Option<&'f SourceItem> {
    let imports = was.iter().filter(|(_, part)| part.kind == ItemKind::Import);
    let names: BTreeSet<&str> = imports
        .flat_map(|(name, part)| {
            let bound = name.strip_prefix("uses ").into_iter();
            bound.chain(part.source.iter().filter_map(|source| source.last()).map(String::as_str)).collect::<Vec<_>>()
        })
        .collect();
    new_statements(old, new).find(|item| item.tokens_to_compare.iter().any(|text| names.contains(text.as_str())))
}

/// Finds a changed statement that creates tests at run time.
fn find_changed_test_creator(one: &FileVersions<'_>, may_make: impl Fn(ScopedTest<'_>) -> bool) -> Option<Weakening> {
    let now: Vec<&Vec<String>> =
        find_test_creators(&one.after.file).map(|maker| &maker.item.tokens_to_compare).collect();
    let gone = find_test_creators(&one.before.file)
        .any(|maker| may_make(maker) && !now.contains(&&maker.item.tokens_to_compare));
    let first = gone.then(|| find_first_change(&one.before.lines, &one.after.lines)).flatten();
    first.and_then(|line| build_weakening(&one.after.file.path, WeakeningKind::TestChanged, Some(line)))
}

/// Returns the statements that create tests at run time.
fn find_test_creators(file: &File) -> impl Iterator<Item = ScopedTest<'_>> {
    file.scopes.iter().enumerate().flat_map(|(scope, one)| {
        let makers = one.items.iter().filter(|item| item.kind == ItemKind::Other && creates_tests(item));
        makers.map(move |item| ScopedTest { item, scope })
    })
}

/// Pairs the statements that create tests and are in both versions.
pub(super) fn pair_test_creators<'f>(
    one: &'f FileVersions<'_>,
) -> impl Iterator<Item = (ScopedTest<'f>, ScopedTest<'f>)> {
    let same = |old: &ScopedTest<'_>| {
        find_test_creators(&one.after.file).find(|new| new.item.tokens_to_compare == old.item.tokens_to_compare)
    };
    find_test_creators(&one.before.file).filter_map(move |old| Some((old, same(&old)?)))
}

fn creates_tests(item: &SourceItem) -> bool {
    item.tokens_to_compare.windows(2).any(|pair| is_test_word(&pair[0]) && matches!(pair[1].as_str(), "(" | "."))
}

fn is_test_word(word: &str) -> bool {
    matches!(word, "it" | "test" | "describe")
}
