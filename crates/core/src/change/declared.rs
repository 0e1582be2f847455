//! The tests that a hunk declares, and the test to which a line belongs.

use super::{
    diff::{DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, role},
    markers,
};
use std::collections::HashSet;

/// The declaration of a test.
pub(crate) struct Test<'h> {
    pub(crate) line: &'h DiffLine,
    /// Name of the test. It is on the line below the mark if the language puts it there.
    pub(crate) name: String,
}

/// Returns the hunks inside tests; for a Rust file, the hunks that mention tests.
pub(crate) fn test_hunks(file: &DiffFile) -> impl Iterator<Item = &Hunk> {
    let role = role(file.path());
    file.hunks.iter().filter(move |hunk| match role {
        FileRole::Test => true,
        FileRole::Mixed => speaks_of_tests(&hunk.section) || hunk.lines.iter().any(|line| speaks_of_tests(&line.text)),
        _ => false,
    })
}

/// Checks whether a line of Rust is followed by tests.
pub(super) fn speaks_of_tests(text: &str) -> bool {
    text.contains("#[test]") || text.contains("::test]") || text.contains("mod tests") || text.contains("#[ignore")
}

/// Lines below a mark in which the name may be.
const REACH_LINES: usize = 6;

/// Returns the tests whose declaration the hunk removes or adds.
pub(crate) fn declared(hunk: &Hunk, mark: LineChange, language: Language) -> Vec<Test<'_>> {
    let side = side(hunk, mark);
    let declares = |at: usize| (side[at].mark == mark).then(|| name_at(&side, at, language)).flatten();
    (0..side.len()).filter_map(|at| Some(Test { name: declares(at)?, line: side[at] })).collect()
}

/// Returns the lines of the old or of the new file.
pub(crate) fn side(hunk: &Hunk, mark: LineChange) -> Vec<&DiffLine> {
    hunk.lines.iter().filter(|line| line.mark == mark || line.mark == LineChange::Kept).collect()
}

pub(super) fn name_at(side: &[&DiffLine], at: usize, language: Language) -> Option<String> {
    let name = markers::test_name(&side[at].text, language)?;
    if !name.is_empty() {
        return Some(name.to_owned());
    }
    let under = side[at + 1..].iter().take(REACH_LINES).map(|line| line.text.trim());
    let named = under.into_iter().find(|text| !text.is_empty() && !is_attribute(text)).unwrap_or_default();
    Some(named.trim_matches(['\'', '"', '`', ',', ' ', '{']).to_owned())
}

fn is_attribute(text: &str) -> bool {
    text.starts_with('@') || text.starts_with("#[") || (text.starts_with('[') && text.ends_with(']'))
}

/// The new side of a hunk, and its new tests.
pub(crate) struct After<'h> {
    side: Vec<&'h DiffLine>,
    /// Names of the tests that are declared in these lines.
    names: Vec<Option<String>>,
    /// Set if at least as many tests were removed as added, because they may be the same tests with new names.
    renamed: bool,
    /// Set if all lines of the hunk are new.
    all_new: bool,
}

impl<'h> After<'h> {
    pub(crate) fn of(hunk: &'h Hunk, language: Language) -> Self {
        let side = side(hunk, LineChange::Added);
        let names: Vec<_> = (0..side.len()).map(|at| name_at(&side, at, language)).collect();
        let came =
            side.iter().zip(&names).filter(|(line, name)| line.mark == LineChange::Added && name.is_some()).count();
        let renamed = declared(hunk, LineChange::Removed, language).len() >= came;
        Self { side, names, renamed, all_new: hunk.lines.iter().all(|line| line.mark == LineChange::Added) }
    }

    /// Checks whether the line belongs to a new test. A test in `went` was only moved or renamed.
    pub(crate) fn is_of_new_test(&self, line: &DiffLine, went: &HashSet<String>) -> bool {
        let Ok(at) = self.side.binary_search_by_key(&line.number, |other| other.number) else { return false };
        let is_attribute = is_attribute(line.text.trim());
        let below = is_attribute.then(|| self.below(at)).flatten();
        // Lines above all tests of a new file do not keep an old test from running.
        let Some(at) = below.or_else(|| self.above(at)) else { return self.all_new };
        let new = self.names[at].as_ref().is_some_and(|name| !went.contains(name));
        self.side[at].mark == LineChange::Added && new && !self.renamed
    }

    fn above(&self, at: usize) -> Option<usize> {
        self.names[..=at].iter().rposition(Option::is_some)
    }

    /// Returns the test to which the attribute belongs.
    fn below(&self, at: usize) -> Option<usize> {
        let attributes =
            self.side[at..].iter().take(REACH_LINES).take_while(|line| is_attribute(line.text.trim())).count();
        let end = self.side.len().min(at + attributes + 1);
        self.names[at..end].iter().position(Option::is_some).map(|further| at + further)
    }
}

/// Returns each added bare `return` on the first line of an old test.
pub(crate) fn early_returns(hunk: &Hunk, language: Language) -> Vec<&DiffLine> {
    let side = side(hunk, LineChange::Added);
    let is_return = |text: &str| matches!(text.trim(), "return" | "return;");
    let added = side.windows(2).filter(|pair| {
        pair[0].mark == LineChange::Kept
            && pair[1].mark == LineChange::Added
            && is_return(&pair[1].text)
            && markers::test_name(&pair[0].text, language).is_some()
    });
    added.map(|pair| pair[1]).collect()
}
