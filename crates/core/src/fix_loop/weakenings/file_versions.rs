//! Parses the files of a change, before and after the change.

use crate::{
    change::{
        diff::{DiffFile, DiffLine, LineChange},
        files::{Language, detect_language},
        source_items::File,
    },
    fix_loop::{Weakening, WeakeningKind},
};
use std::ops::Range;

/// A file of tests before and after the change.
pub(super) struct FileVersions<'d> {
    pub(super) before: FileVersion<'d>,
    pub(super) after: FileVersion<'d>,
}

pub(super) struct FileVersion<'d> {
    pub(super) file: File,
    pub(super) lines: Vec<(u32, &'d str)>,
}

impl<'d> FileVersion<'d> {
    pub(super) fn read(file: &'d DiffFile, path: &str, side: LineChange) -> Self {
        let is_in = |line: &&DiffLine| line.line_change == side || line.line_change == LineChange::Kept;
        let lines = file.hunks.iter().flat_map(|hunk| hunk.lines.iter().filter(is_in));
        let lines: Vec<(u32, &str)> = lines.map(|line| (line.number, line.text.as_str())).collect();
        Self { file: File::parse(path, detect_language(path), &lines), lines }
    }

    pub(super) fn lines(&self, range: &Range<u32>) -> Vec<(u32, &'d str)> {
        let first = self.lines.iter().position(|(number, _)| *number == range.start).unwrap_or(self.lines.len());
        let last = self.lines.iter().rposition(|(number, _)| number + 1 == range.end).unwrap_or(first);
        self.lines.get(first..=last.max(first)).unwrap_or_default().to_vec()
    }
}

/// Returns `true` if sources of tests in this language can be compared.
pub(super) const fn is_comparable(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::Python | Language::Go | Language::Rust)
}

/// Returns both versions of the files with comparable tests.
pub(super) fn versions_of_test_files(files: &[DiffFile]) -> Vec<FileVersions<'_>> {
    let files = files.iter().filter(|file| is_comparable(detect_language(file.path())) && !file.hunks.is_empty());
    files
        .map(|file| FileVersions {
            before: FileVersion::read(
                file,
                if file.is_new() { &file.new_path } else { &file.old_path },
                LineChange::Removed,
            ),
            after: FileVersion::read(file, file.path(), LineChange::Added),
        })
        .collect()
}

/// Returns `true` if the path ends with these complete path components.
pub(super) fn is_path_suffix(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Creates a weakening at a line, with a shortened quote. Returns `None` without a line.
pub(super) fn build_weakening(file: &str, kind: WeakeningKind, line: Option<(u32, &str)>) -> Option<Weakening> {
    let (line, text) = line?;
    let text = text.trim();
    let text = text[..text.floor_char_boundary(super::MAX_QUOTE_BYTES)].to_owned();
    Some(Weakening { file: file.to_owned(), line, kind, text })
}
