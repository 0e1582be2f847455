//! Compares the name of a failed test, as a run or a runner prints it, with the tests that a file declares.

use super::file_versions::{is_comparable, is_path_suffix};
use crate::change::{
    files::{Language, detect_language},
    source_items::{File, ScopedTest},
};

/// The parsed name of a failed test.
pub(super) struct FailedTestName<'n> {
    /// Path of the file, if the name contains it.
    file: Option<&'n str>,
    /// The name without the file: the titles of the suites, if the runner prints them, and the title of the test.
    titles: &'n str,
    /// The title of the test. Titles of suites may precede it without a separator.
    title: &'n str,
}

impl<'n> FailedTestName<'n> {
    /// Parses a name, for example `cart.test.ts > cart > totals`, `tests/test_cart.py::TestCart::test_total[2-6]` or
    /// `TestTotal/small`.
    pub(super) fn parse(name: &'n str) -> Self {
        let (first, rest) = name.split_once(" > ").or_else(|| name.split_once("::")).unwrap_or(("", name));
        let is_file = first.contains('.') && is_comparable(detect_language(first));
        let titles = if first.is_empty() { name } else { rest };
        let title = titles.rsplit(" > ").next().unwrap_or(titles);
        Self { file: is_file.then_some(first), titles, title: title.trim() }
    }

    pub(super) fn may_be_in_file(&self, path: &str) -> bool {
        self.file.is_none_or(|file| is_path_suffix(file, path) || is_path_suffix(path, file))
    }

    pub(super) fn is_name_of(&self, file: &File, test: ScopedTest<'_>) -> bool {
        self.may_be_in_file(&file.path) && {
            let name = &test.item.name;
            match file.language {
                Language::JavaScript => {
                    let last = self
                        .title
                        .strip_suffix(name.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with(' '));
                    (last || (has_placeholder(name) && matches_title_pattern(name, self.title)))
                        && self.fits_suites(file, test)
                }
                // The name of an `rstest` case follows the name of its function.
                Language::Rust => self.title.rsplit("::").take(2).any(|part| part == name),
                _ => strip_parameters(self.title) == name,
            }
        }
    }

    /// Returns `true` if the name contains the titles of the suites around a declared test, or if the name has no
    /// suites.
    pub(super) fn fits_suites(&self, file: &File, test: ScopedTest<'_>) -> bool {
        let names_no_suite = self.titles.trim() == self.title && self.title == test.item.name;
        let mut suites = file.title_path(test);
        suites.pop();
        names_no_suite
            || suites.iter().all(|suite| suite.is_empty() || has_placeholder(suite) || self.titles.contains(suite))
    }

    /// Returns `true` if the file contains the test but declares no test with this name. The test is then created when
    /// the file runs.
    pub(super) fn is_created_when_running(&self, file: &File) -> bool {
        self.file.is_some() && self.may_be_in_file(&file.path) && !file.tests().any(|test| self.is_name_of(file, test))
    }
}

/// Removes parameters, subtests and modules from a name.
fn strip_parameters(title: &str) -> &str {
    let title = title.split(['[', '/', '(']).next().unwrap_or(title);
    title.rsplit("::").next().unwrap_or(title).rsplit('.').next().unwrap_or(title).trim()
}

/// Returns `true` if the title has placeholders that are filled in at run time.
fn has_placeholder(title: &str) -> bool {
    title.contains('%') || title.contains('$')
}

/// Returns `true` if the title contains the parts between the placeholders of the pattern, in order.
fn matches_title_pattern(pattern: &str, title: &str) -> bool {
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
