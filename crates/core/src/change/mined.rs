//! Extracts the facts of a fix commit that can be learned from: the tests that it touched, and the functions and types
//! in each source file. Only names are kept, not the code.

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

/// Limit of changed files, because a change of more files has little information about each file.
const MAX_FILES: usize = 40;
const MAX_SOURCES: usize = 8;
/// Maximum number of names per file.
const MAX_TITLES: usize = 20;
const MAX_SYMBOLS: usize = 12;
const MAX_NAME_BYTES: usize = 200;

/// Parts of paths whose files are generated, vendored, or examples.
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

/// The files that a fix touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinedFix {
    /// Test files, with the titles of the changed tests.
    pub tests: Vec<Touched>,
    /// Other source files, with the changed functions and types.
    pub sources: Vec<Touched>,
}

/// A file and the names of its changed parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// Path from the top of the repository, with `/`.
    pub file: String,
    /// Titles or symbols.
    pub names: Vec<String>,
}

/// Reads a unified diff of git. Returns `None` if tests and sources were not changed together, or if too many files
/// were changed.
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

/// Lines of a hunk that are either inside or outside tests.
struct Part<'h> {
    section: &'h str,
    lines: &'h [DiffLine],
}

/// Splits a hunk into source and tests; in a Rust file the tests come last.
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
    // A file that was only renamed has no hunk.
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

/// Returns the tests that contain changed lines. Lines before the first test in the hunk belong to the test in the
/// hunk's section heading.
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

/// Converts a declaration to the name that the runner prints.
fn plain_title(name: &str) -> String {
    let name = DECLARED.captures(name).and_then(|found| found.get(1)).map_or(name, |found| found.as_str());
    name.replace("\\'", "'").replace("\\\"", "\"")
}

/// Excludes titles that are computed when the test runs, because they do not name a single case.
fn is_whole_title(title: &str) -> bool {
    !title.trim().is_empty() && !title.contains("${") && !title.contains('%')
}

#[cfg(test)]
mod tests;
