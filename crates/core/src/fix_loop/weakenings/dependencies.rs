//! Finds a dependency that a change replaces with a folder from the same change: `replace example.com/tax => ./tax` in
//! `go.mod`, `[patch.crates-io]` or a `path` instead of a version in `Cargo.toml`, `"tax": "file:./tax"` in
//! `package.json`. The test then passes with other code than that of the real dependency. A folder that existed before
//! the change and a new dependency are accepted. Callers use this file only if the names of failed tests are known. If
//! no test ran, the dependency may not be resolvable, and its replacement may be the fix.

use super::file_versions::{build_weakening, is_path_suffix};
use crate::{
    change::diff::{DiffFile, LineChange},
    fix_loop::{Weakening, WeakeningKind},
};
use regex::Regex;
use std::sync::LazyLock;

/// Returns a finding for each replaced dependency.
pub(super) fn find_replaced_dependencies(files: &[DiffFile]) -> Vec<Weakening> {
    let of_file = |file: &DiffFile| -> Vec<Weakening> {
        let folder = file.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_new = |target: &str| match resolve_folder(folder, target) {
            Some(target) => files.iter().any(|one| one.is_new() && is_inside_folder(one.path(), &target)),
            // A folder outside the repository cannot be reviewed.
            None => true,
        };
        let found = find_replacements(file).into_iter().filter(|(_, target)| is_new(target));
        found.filter_map(|(line, _)| build_weakening(file.path(), WeakeningKind::Mocked, Some(line))).collect()
    };
    files.iter().filter(|file| !file.is_new() && !file.is_deleted()).flat_map(of_file).collect()
}

/// A line number and the text of the line.
type NumberedLine<'d> = (u32, &'d str);

/// Returns the added lines that replace a dependency with a folder, each with the folder.
fn find_replacements(file: &DiffFile) -> Vec<(NumberedLine<'_>, &str)> {
    static GO_REPLACEMENT: LazyLock<Regex> =
        LazyLock::new(|| compile(r"^\s*(?:replace\s+)?\S+(?:\s+v\S+)?\s+=>\s+(\.{1,2}(?:/\S*)?|/\S+)"));
    static NODE_REPLACEMENT: LazyLock<Regex> =
        LazyLock::new(|| compile(r#"^\s*"([^"]+)"\s*:\s*"(?:file|link|portal):([^"]+)""#));
    let path = file.path();
    if is_path_suffix("go.mod", path) || is_path_suffix("go.work", path) {
        let added = file.lines(LineChange::Added).map(|line| (line.number, line.text.as_str()));
        return added.filter_map(|line| Some((line, GO_REPLACEMENT.captures(line.1)?.get(1)?.as_str()))).collect();
    }
    if is_path_suffix("package.json", path) {
        let added = file.lines(LineChange::Added).map(|line| (line.number, line.text.as_str()));
        let named = |line: NumberedLine<'_>| {
            let found = NODE_REPLACEMENT.captures(line.1)?;
            Some((found.get(1)?.range(), found.get(2)?.range()))
        };
        let was_there =
            |name: &str| file.lines(LineChange::Removed).any(|line| line.text.contains(&format!("\"{name}\"")));
        return added
            .filter_map(|line| named(line).map(|(name, target)| (line, &line.1[name], &line.1[target])))
            .filter(|(_, name, _)| was_there(name))
            .map(|(line, _, target)| (line, target))
            .collect();
    }
    let is_cargo = is_path_suffix("Cargo.toml", path) || is_path_suffix(".cargo/config.toml", path);
    if is_cargo { find_cargo_replacements(file) } else { Vec::new() }
}

fn find_cargo_replacements(file: &DiffFile) -> Vec<(NumberedLine<'_>, &str)> {
    static CARGO_SECTION: LazyLock<Regex> = LazyLock::new(|| compile(r"^\s*\[+\s*([^\]]+?)\s*\]+"));
    static CARGO_PATH: LazyLock<Regex> = LazyLock::new(|| compile(r#"\bpath\s*=\s*"([^"]+)""#));
    static CARGO_NAME: LazyLock<Regex> = LazyLock::new(|| compile(r#"^\s*"?([\w-]+)"?\s*="#));
    let named = |text| CARGO_NAME.captures(text).and_then(|found| found.get(1)).map_or("", |name| name.as_str());
    let gone: Vec<&str> = file.lines(LineChange::Removed).map(|line| named(line.text.as_str())).collect();
    let mut section = "";
    let mut found = Vec::new();
    for line in file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.line_change != LineChange::Removed) {
        let text = line.text.as_str();
        if let Some(name) = CARGO_SECTION.captures(text).and_then(|found| found.get(1)) {
            section = name.as_str();
        }
        let target =
            CARGO_PATH.captures(text).and_then(|found| found.get(1)).filter(|_| line.line_change == LineChange::Added);
        let Some(target) = target else { continue };
        // In the section `[dependencies.tax]`, the heading contains the name of the dependency.
        let last = section.rsplit('.').next().unwrap_or_default();
        let is_alone = named(text) == "path";
        let was_there = gone.contains(&if is_alone { last } else { named(text) });
        let is_patch = section.starts_with("patch.") || section == "replace";
        let is_swap =
            is_patch || (section.contains("dependencies") && (was_there || is_alone && gone.contains(&"version")));
        if is_swap {
            found.push(((line.number, text), target.as_str()));
        }
    }
    found
}

/// Returns the path of the folder relative to the root of the repository, or `None` if it is outside of the repository.
fn resolve_folder(folder: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn is_inside_folder(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}
