//! Finds the tests that a hunk declares, and the test to which a line belongs.

use super::{
    diff::{DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, detect_role},
    test_markers,
};
use std::collections::HashSet;

/// The declaration of a test.
pub(crate) struct DeclaredTest<'h> {
    pub(crate) line: &'h DiffLine,
    /// Name of the test. In some languages it is on a line below the attribute that declares the test.
    pub(crate) name: String,
}

/// Returns the hunks inside tests; for a Rust file, the hunks that mention tests.
pub(crate) fn test_hunks(file: &DiffFile) -> impl Iterator<Item = &Hunk> {
    let role = detect_role(file.path());
    file.hunks.iter().filter(move |hunk| match role {
        FileRole::Test => true,
        FileRole::Mixed => {
            mentions_rust_tests(&hunk.section) || hunk.lines.iter().any(|line| mentions_rust_tests(&line.text))
        }
        _ => false,
    })
}

/// Checks whether a line of Rust declares a test or a module of tests.
pub(super) fn mentions_rust_tests(text: &str) -> bool {
    text.contains("#[test]") || text.contains("::test]") || text.contains("mod tests") || text.contains("#[ignore")
}

/// Maximum number of lines between the attribute that declares a test and the name of the test.
const MAX_LINES_TO_NAME: usize = 6;

/// Returns the tests whose declaration the hunk removes (`Removed`) or adds (`Added`).
pub(crate) fn find_declared_tests(hunk: &Hunk, mark: LineChange, language: Language) -> Vec<DeclaredTest<'_>> {
    let side = lines_of_version(hunk, mark);
    let declares = |at: usize| (side[at].line_change == mark).then(|| find_test_name_at(&side, at, language)).flatten();
    (0..side.len()).filter_map(|at| Some(DeclaredTest { name: declares(at)?, line: side[at] })).collect()
}

/// Returns the lines of the old version (`Removed`) or of the new version (`Added`), with the kept lines.
pub(crate) fn lines_of_version(hunk: &Hunk, mark: LineChange) -> Vec<&DiffLine> {
    hunk.lines.iter().filter(|line| line.line_change == mark || line.line_change == LineChange::Kept).collect()
}

pub(super) fn find_test_name_at(side: &[&DiffLine], at: usize, language: Language) -> Option<String> {
    let name = test_markers::find_test_name(&side[at].text, language)?;
    if !name.is_empty() {
        return Some(name.to_owned());
    }
    let under = side[at + 1..].iter().take(MAX_LINES_TO_NAME).map(|line| line.text.trim());
    let named = under.into_iter().find(|text| !text.is_empty() && !is_attribute(text)).unwrap_or_default();
    Some(named.trim_matches(['\'', '"', '`', ',', ' ', '{']).to_owned())
}

fn is_attribute(text: &str) -> bool {
    text.starts_with('@') || text.starts_with("#[") || (text.starts_with('[') && text.ends_with(']'))
}

/// The lines of a hunk in the new version, with the tests that they declare.
pub(crate) struct NewHunkLines<'h> {
    side: Vec<&'h DiffLine>,
    /// Names of the tests that are declared in these lines.
    names: Vec<Option<String>>,
    /// Set if the hunk removes at least as many tests as it adds. The added tests may then be old tests with new names,
    /// so none of them counts as new.
    renamed: bool,
    /// Set if all lines of the hunk are new.
    all_new: bool,
}

impl<'h> NewHunkLines<'h> {
    pub(crate) fn read(hunk: &'h Hunk, language: Language) -> Self {
        let side = lines_of_version(hunk, LineChange::Added);
        let names: Vec<_> = (0..side.len()).map(|at| find_test_name_at(&side, at, language)).collect();
        let added_count = side
            .iter()
            .zip(&names)
            .filter(|(line, name)| line.line_change == LineChange::Added && name.is_some())
            .count();
        let renamed = find_declared_tests(hunk, LineChange::Removed, language).len() >= added_count;
        Self { side, names, renamed, all_new: hunk.lines.iter().all(|line| line.line_change == LineChange::Added) }
    }

    /// Checks whether the line belongs to a new test. A test in `removed_tests` was only moved or renamed.
    pub(crate) fn is_in_new_test(&self, line: &DiffLine, removed_tests: &HashSet<String>) -> bool {
        let Ok(at) = self.side.binary_search_by_key(&line.number, |other| other.number) else { return false };
        let is_attribute = is_attribute(line.text.trim());
        let below = is_attribute.then(|| self.find_test_of_attribute(at)).flatten();
        // In a new file, a line above all tests cannot keep an old test from running.
        let Some(at) = below.or_else(|| self.find_test_above(at)) else { return self.all_new };
        let new = self.names[at].as_ref().is_some_and(|name| !removed_tests.contains(name));
        self.side[at].line_change == LineChange::Added && new && !self.renamed
    }

    fn find_test_above(&self, at: usize) -> Option<usize> {
        self.names[..=at].iter().rposition(Option::is_some)
    }

    /// Returns the index of the test to which the attribute at `at` belongs.
    fn find_test_of_attribute(&self, at: usize) -> Option<usize> {
        let attributes =
            self.side[at..].iter().take(MAX_LINES_TO_NAME).take_while(|line| is_attribute(line.text.trim())).count();
        let end = self.side.len().min(at + attributes + 1);
        self.names[at..end].iter().position(Option::is_some).map(|further| at + further)
    }
}

/// Returns each added bare `return` on the first line of an old test, and each one before an old statement of the same
/// block, which no test reaches any more.
pub(crate) fn find_early_returns(hunk: &Hunk, language: Language) -> Vec<&DiffLine> {
    let mut side = lines_of_version(hunk, LineChange::Added);
    side.retain(|line| !line.text.trim().is_empty());
    let is_return =
        |text: &str| matches!(text.trim().trim_end_matches(';'), "return" | "return None" | "return undefined");
    let indentation = |line: &DiffLine| line.text.len() - line.text.trim_start().len();
    let is_early = |at: &usize| {
        let is_kept = |line: &&&DiffLine| line.line_change == LineChange::Kept;
        let before = at.checked_sub(1).and_then(|before| side.get(before)).filter(is_kept);
        let after = side.get(at + 1).filter(is_kept);
        let is_first = before.is_some_and(|line| test_markers::find_test_name(&line.text, language).is_some());
        let hides_statement = after.is_some_and(|line| {
            indentation(line) == indentation(side[*at]) && !line.text.trim_start().starts_with(['}', ')'])
        });
        side[*at].line_change == LineChange::Added && is_return(&side[*at].text) && (is_first || hides_statement)
    };
    (0..side.len()).filter(is_early).map(|at| side[at]).collect()
}
