//! What can be learned of a commit that mended something: which tests it touched, and which functions and types of which
//! files. Names only; the code itself is not kept.

use super::{
    declared::{name_at, speaks_of_tests},
    diff::{self, DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, language, role},
    markers,
    symbols::symbols,
};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A change of more files says little of each.
const MAX_FILES: usize = 40;
const MAX_SOURCES: usize = 8;
/// Names of one file.
const MAX_TITLES: usize = 20;
const MAX_SYMBOLS: usize = 12;
const MAX_NAME_BYTES: usize = 200;

/// Parts of paths whose files are made, brought along, or show how something is used.
const NO_SOURCES: [&str; 13] = [
    "dist/",
    "vendor/",
    "node_modules/",
    "third_party/",
    "docs/",
    "doc/",
    "examples/",
    "example/",
    "benchmarks/",
    "benchmark/",
    "benches/",
    "deno_dist/",
    ".github/",
];

/// What a fix touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinedFix {
    /// Test files, with the titles of the tests that lines were changed in.
    pub tests: Vec<Touched>,
    /// Other source files, with the functions and types that lines were changed in.
    pub sources: Vec<Touched>,
}

/// A file, and what in it was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// From the top of the repository, with `/`.
    pub file: String,
    /// Titles, or symbols.
    pub names: Vec<String>,
}

/// Reads it from a unified diff of git; none where no test and source were changed together, or too much was.
pub fn mined(diff: &str) -> Option<MinedFix> {
    let files = diff::read(diff);
    if files.len() > MAX_FILES {
        return None;
    }
    let mut fix = MinedFix { tests: Vec::new(), sources: Vec::new() };
    for file in files.iter().filter(|file| !file.binary && !file.is_deleted()) {
        let (role, language) = (role(file.path()), language(file.path()));
        if !matches!(role, FileRole::Test | FileRole::Mixed | FileRole::Other)
            || language == Language::Data
            || is_no_source(file.path())
        {
            continue;
        }
        let (of_source, of_tests): (Vec<Part<'_>>, Vec<Part<'_>>) =
            file.hunks.iter().map(|hunk| parted(hunk, role)).unzip();
        add(&mut fix.tests, file, &of_tests, MAX_TITLES, |part| titles(part, language));
        add(&mut fix.sources, file, &of_source, MAX_SYMBOLS, |part| symbols(part.section, part.lines));
    }
    let is_whole = !fix.tests.is_empty() && !fix.sources.is_empty() && fix.sources.len() <= MAX_SOURCES;
    is_whole.then_some(fix)
}

/// Lines of a hunk that are of tests, or are of none.
struct Part<'h> {
    section: &'h str,
    lines: &'h [DiffLine],
}

/// The part of a hunk that is of a source, and that which is of tests; in a file of Rust these come last.
fn parted(hunk: &Hunk, role: FileRole) -> (Part<'_>, Part<'_>) {
    let at = match role {
        FileRole::Test => 0,
        FileRole::Mixed if speaks_of_tests(&hunk.section) => 0,
        FileRole::Mixed => hunk.lines.iter().position(|line| speaks_of_tests(&line.text)).unwrap_or(hunk.lines.len()),
        _ => hunk.lines.len(),
    };
    let (source, tests) = hunk.lines.split_at(at);
    let part = |lines| Part { section: &hunk.section, lines };
    (part(source), part(tests))
}

fn add(
    list: &mut Vec<Touched>,
    file: &DiffFile,
    parts: &[Part<'_>],
    most: usize,
    names_of: impl Fn(&Part<'_>) -> Vec<String>,
) {
    let is_changed = |part: &&Part<'_>| part.lines.iter().any(|line| line.mark != LineChange::Kept);
    let changed: Vec<&Part<'_>> = parts.iter().filter(is_changed).collect();
    // What was renamed and not changed has no hunk.
    if changed.is_empty() {
        return;
    }
    let mut names: Vec<String> = Vec::new();
    for name in changed.into_iter().flat_map(names_of) {
        if names.len() < most && name.len() <= MAX_NAME_BYTES && !names.contains(&name) {
            names.push(name);
        }
    }
    list.push(Touched { file: file.path().to_owned(), names });
}

fn is_no_source(path: &str) -> bool {
    let is_part = |part: &&str| path.starts_with(*part) || path.contains(&format!("/{part}"));
    path.contains(".min.") || NO_SOURCES.iter().any(is_part)
}

/// The tests that changed lines stand in; what stands above all of them is in that of the hunk's head.
fn titles(part: &Part<'_>, language: Language) -> Vec<String> {
    let lines: Vec<&DiffLine> = part.lines.iter().filter(|line| line.mark != LineChange::Removed).collect();
    let mut current = markers::test_name(part.section, language).map(str::to_owned);
    let mut found: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = name_at(&lines, at, language) {
            current = Some(name);
        }
        if line.mark == LineChange::Added
            && let Some(title) = current.as_deref().map(plain_title).filter(|title| is_whole_title(title))
            && !found.contains(&title)
        {
            found.push(title);
        }
    }
    found
}

/// `fn adds() {` and `void adds() throws Sold {`.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[\w<>]+\s+)*(?:fn|void|fun|def|Task)\s+([A-Za-z_]\w*)\s*\(").expect("a constant pattern")
});

/// As the test is called when it runs.
fn plain_title(name: &str) -> String {
    let name = DECLARED.captures(name).and_then(|found| found.get(1)).map_or(name, |found| found.as_str());
    name.replace("\\'", "'").replace("\\\"", "\"")
}

/// One that is made when the test runs names no case.
fn is_whole_title(title: &str) -> bool {
    !title.trim().is_empty() && !title.contains("${") && !title.contains('%')
}

#[cfg(test)]
mod tests;
