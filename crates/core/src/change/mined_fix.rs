//! Extracts what Argus learns from a fix commit: the changed tests, and the changed functions and types of each source
//! file. The result has only names, no code.

use super::{
    declared_tests::{find_test_name_at, mentions_rust_tests},
    diff::{self, DiffFile, DiffLine, Hunk, LineChange},
    files::{FileRole, Language, detect_language, detect_role},
    symbols::find_symbols,
    test_markers,
};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Maximum number of changed files. A larger change says little about each file.
const MAX_FILES: usize = 40;
const MAX_SOURCES: usize = 8;
/// Maximum number of names per file.
const MAX_TITLES: usize = 20;
const MAX_SYMBOLS: usize = 12;
const MAX_NAME_BYTES: usize = 200;

/// Folders with files that are generated, vendored, or examples.
const NON_SOURCE_FOLDERS: [&str; 13] = [
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
    pub tests: Vec<TouchedFile>,
    /// Other source files, with the changed functions and types.
    pub sources: Vec<TouchedFile>,
}

/// A file and the names of its changed parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedFile {
    /// Path from the top of the repository, with `/`.
    pub file: String,
    /// Titles or symbols.
    pub names: Vec<String>,
}

/// Extracts the fix from a unified diff of git. Returns `None` unless the diff changes both tests and sources, or if it
/// changes too many files.
pub fn mine_fix(diff: &str) -> Option<MinedFix> {
    let files = diff::parse_diff(diff);
    if files.len() > MAX_FILES {
        return None;
    }
    let mut fix = MinedFix { tests: Vec::new(), sources: Vec::new() };
    for file in files.iter().filter(|file| !file.binary && !file.is_deleted()) {
        let (role, language) = (detect_role(file.path()), detect_language(file.path()));
        if !matches!(role, FileRole::Test | FileRole::Mixed | FileRole::Other)
            || language == Language::Data
            || is_excluded_source(file.path())
        {
            continue;
        }
        let (source_parts, test_parts): (Vec<HunkPart<'_>>, Vec<HunkPart<'_>>) =
            file.hunks.iter().map(|hunk| split_hunk(hunk, role)).unzip();
        add_touched_file(&mut fix.tests, file, &test_parts, MAX_TITLES, |part| find_changed_tests(part, language));
        add_touched_file(&mut fix.sources, file, &source_parts, MAX_SYMBOLS, |part| {
            find_symbols(part.section, part.lines)
        });
    }
    let is_whole = !fix.tests.is_empty() && !fix.sources.is_empty() && fix.sources.len() <= MAX_SOURCES;
    is_whole.then_some(fix)
}

/// Lines of a hunk that are either inside or outside tests.
struct HunkPart<'h> {
    section: &'h str,
    lines: &'h [DiffLine],
}

/// Splits a hunk into its source and its tests. In a Rust file, the tests follow the source.
fn split_hunk(hunk: &Hunk, role: FileRole) -> (HunkPart<'_>, HunkPart<'_>) {
    let at = match role {
        FileRole::Test => 0,
        FileRole::Mixed if mentions_rust_tests(&hunk.section) => 0,
        FileRole::Mixed => {
            hunk.lines.iter().position(|line| mentions_rust_tests(&line.text)).unwrap_or(hunk.lines.len())
        }
        _ => hunk.lines.len(),
    };
    let (source, tests) = hunk.lines.split_at(at);
    let part = |lines| HunkPart { section: &hunk.section, lines };
    (part(source), part(tests))
}

fn add_touched_file(
    list: &mut Vec<TouchedFile>,
    file: &DiffFile,
    parts: &[HunkPart<'_>],
    max_names: usize,
    find_names: impl Fn(&HunkPart<'_>) -> Vec<String>,
) {
    let is_changed = |part: &&HunkPart<'_>| part.lines.iter().any(|line| line.line_change != LineChange::Kept);
    let changed: Vec<&HunkPart<'_>> = parts.iter().filter(is_changed).collect();
    // A file that was only renamed has no hunk.
    if changed.is_empty() {
        return;
    }
    let mut names: Vec<String> = Vec::new();
    for name in changed.into_iter().flat_map(find_names) {
        if names.len() < max_names && name.len() <= MAX_NAME_BYTES && !names.contains(&name) {
            names.push(name);
        }
    }
    list.push(TouchedFile { file: file.path().to_owned(), names });
}

fn is_excluded_source(path: &str) -> bool {
    let is_part = |part: &&str| path.starts_with(*part) || path.contains(&format!("/{part}"));
    path.contains(".min.") || NON_SOURCE_FOLDERS.iter().any(is_part)
}

/// Returns the titles of the tests that contain changed lines. Lines before the first test in the hunk belong to the
/// test in the hunk's section heading.
fn find_changed_tests(part: &HunkPart<'_>, language: Language) -> Vec<String> {
    let lines: Vec<&DiffLine> = part.lines.iter().filter(|line| line.line_change != LineChange::Removed).collect();
    let mut current = test_markers::find_test_name(part.section, language).map(str::to_owned);
    let mut found: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = find_test_name_at(&lines, at, language) {
            current = Some(name);
        }
        if line.line_change == LineChange::Added
            && let Some(title) = current.as_deref().map(strip_declaration).filter(|title| is_literal_title(title))
            && !found.contains(&title)
        {
            found.push(title);
        }
    }
    found
}

/// Matches `fn adds() {` and `void adds() throws Sold {`.
static FUNCTION_DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[\w<>]+\s+)*(?:fn|void|fun|def|Task)\s+([A-Za-z_]\w*)\s*\(").expect("a constant pattern")
});

/// Converts a declaration to the name that the runner prints.
fn strip_declaration(name: &str) -> String {
    let name = FUNCTION_DECLARATION.captures(name).and_then(|found| found.get(1)).map_or(name, |found| found.as_str());
    name.replace("\\'", "'").replace("\\\"", "\"")
}

/// Returns `false` for a title that is computed when the test runs, because it does not name a single case.
fn is_literal_title(title: &str) -> bool {
    !title.trim().is_empty() && !title.contains("${") && !title.contains('%')
}

#[cfg(test)]
mod tests;
