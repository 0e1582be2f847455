//! Finds tests that lose something when the names of the failing tests are unknown. A failing test may not change at
//! all, but here a test may be edited if it expects as much as before. `find_lost_expectations` compares the
//! expectations. This file compares the rest of the test, the data that the test uses, and the functions that it calls.

use super::{
    failed_test_sources::{self, TestComparison, TestPart, TestParts, find_new_mock_beside},
    file_versions::{FileVersions, build_weakening},
    module_settings, replacements,
};
use crate::{
    change::{
        diff::DiffFile,
        files::{Language, detect_language},
        source_items::{ItemKind, ScopedTest},
    },
    fix_loop::{Weakening, WeakeningKind},
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Returns a finding for each test that loses something: the first changed part of the test.
pub(super) fn find_losses(files: &[DiffFile], versions: &[FileVersions<'_>]) -> Vec<Weakening> {
    let finder = LossFinder { files, versions, all: TestComparison::new(versions) };
    let mut found = Vec::new();
    for one in versions {
        let tests =
            one.before.file.tests().filter_map(|test| Some((test, failed_test_sources::find_new_version(one, test)?)));
        let pairs = tests.chain(failed_test_sources::pair_test_creators(one));
        found.extend(pairs.filter_map(|(test, now)| finder.find_loss(one, test, now)));
    }
    found.dedup();
    found
}

struct LossFinder<'v, 'd> {
    files: &'v [DiffFile],
    versions: &'v [FileVersions<'d>],
    all: TestComparison<'v, 'd>,
}

impl<'v, 'd> LossFinder<'v, 'd> {
    fn find_loss(&self, one: &'v FileVersions<'d>, test: ScopedTest<'v>, now: ScopedTest<'v>) -> Option<Weakening> {
        let (was, is) = self.all.parts_before_and_after(one, test, now);
        let path = &one.after.file.path;
        let line = |old: Option<&TestPart<'_>>, new: &TestPart<'_>| {
            let old = old.map(|part| one.before.lines(&part.lines)).unwrap_or_default();
            failed_test_sources::find_first_change(&old, &one.after.lines(&new.lines))
        };
        for (name, new) in &is {
            let old = was.get(name);
            if old.is_some_and(|old| failed_test_sources::has_same_source(old, new) || self.all.has_moved(old, new)) {
                continue;
            }
            let kind = match (old, new.kind) {
                (Some(old), ItemKind::Import | ItemKind::Definition) if old.kind == ItemKind::Import => {
                    self.find_replaced_import(old, new, path)
                }
                (Some(old), ItemKind::Test | ItemKind::Other) => find_test_change(old, new),
                (Some(old), ItemKind::Definition) => has_lost_literal(old, new).then_some(WeakeningKind::TestChanged),
                (None, ItemKind::Definition) => self.hides_used_name(name, &was, new).then_some(WeakeningKind::Mocked),
                (old, ItemKind::Hook) => {
                    let own = replacements::names_of_project_modules(
                        one.after.file.scopes[0].items.iter(),
                        detect_language(path),
                    );
                    let patches = |part: &TestPart<'_>| {
                        part.source
                            .iter()
                            .any(|one| replacements::patches_project_module(one, &own, detect_language(path)))
                    };
                    (patches(new) && !old.is_some_and(patches)).then_some(WeakeningKind::Mocked)
                }
                _ => None,
            };
            if let Some(found) = kind.and_then(|kind| build_weakening(path, kind, line(old, new))) {
                return Some(found);
            }
        }
        let item = find_new_mock_beside(one, test, now)?;
        build_weakening(path, WeakeningKind::Mocked, one.after.lines(&item.lines).first().copied())
    }

    /// Returns a finding if an imported name now refers to something else. An import of a file that the change renames
    /// may change without a finding.
    fn find_replaced_import(&self, old: &TestPart<'_>, new: &TestPart<'_>, path: &str) -> Option<WeakeningKind> {
        if new.has_definition {
            let has_moved = new.source.iter().all(|source| self.existed_before(source));
            return (!has_moved).then_some(WeakeningKind::Mocked);
        }
        let is_gone = |module: &str| {
            let mut renamed = self.files.iter().filter(|file| !file.is_new() && file.old_path != file.new_path);
            renamed.any(|file| replacements::refers_to_file(module, &file.old_path))
        };
        let imports = |part: &TestPart<'_>| -> Vec<ImportedName> {
            part.source.iter().filter_map(|source| ImportedName::parse(source, path)).collect()
        };
        let (old, new) = (imports(old), imports(new));
        let (_, now) = old.iter().zip(&new).find(|(old, new)| new.is_replacement_of(old) && !is_gone(&old.module))?;
        // The old import may have been the bug, so only a replacement by a fake counts as a mock.
        Some(if now.is_replacement { WeakeningKind::Mocked } else { WeakeningKind::TestChanged })
    }

    /// Returns `true` if a new definition hides a name that the test used before the change.
    fn hides_used_name(&self, name: &str, was: &TestParts<'_>, new: &TestPart<'_>) -> bool {
        let name = name.strip_prefix("uses ").unwrap_or(name);
        let uses = |test: &TestPart<'_>| test.source.iter().any(|one| find_used_names(one).contains(name));
        let uses = was.get("test").is_some_and(|test| uses(test) && !find_bound_names(test).contains(name));
        // Accept `const Buffer = require("safe-buffer").Buffer`.
        let is_loaded = |source: &[String]| source.iter().any(|text| text == "require");
        uses && !new.source.iter().all(|source| is_loaded(source) || self.existed_before(source))
    }

    /// Returns `true` if the definition was in any file before the change.
    fn existed_before(&self, source: &[String]) -> bool {
        let items = self.versions.iter().flat_map(|one| &one.before.file.scopes).flat_map(|scope| &scope.items);
        items.into_iter().any(|item| item.kind == ItemKind::Definition && item.tokens_to_compare == source)
    }
}

/// A name that is imported from a module of the project. Other names of the same import are not included.
struct ImportedName {
    name: String,
    module: String,
    language: Language,
    /// True if the module is a helper or a fake of the tests.
    is_replacement: bool,
}

impl ImportedName {
    /// Returns `None` for a package, and for Rust and Go, whose imports are compared as a whole.
    fn parse(source: &[String], path: &str) -> Option<Self> {
        let (name, rest) = source.split_first()?;
        let language = detect_language(path);
        let module = match language {
            Language::JavaScript => rest.iter().rfind(|text| text.starts_with('"'))?.trim_matches('"').to_owned(),
            // In `import a, b`, the module contains all names.
            Language::Python if rest.contains(name) => name.clone(),
            Language::Python => rest.concat(),
            _ => return None,
        };
        let is_replacement = match language {
            Language::JavaScript => module_settings::is_replacement_path(&resolve_specifier(&module, path)),
            _ => module_settings::is_replacement_path(&module.replace('.', "/")),
        };
        replacements::is_project_module(&module, language).then(|| Self {
            name: name.clone(),
            module,
            language,
            is_replacement,
        })
    }

    /// Returns `true` if this import replaces the old import. In Python, only another package or a fake counts, because
    /// modules often move within their package.
    fn is_replacement_of(&self, old: &Self) -> bool {
        let root = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
        match self.language {
            _ if old.is_replacement => false,
            Language::Python => self.is_replacement || root(&self.module) != root(&old.module),
            _ => self.module != old.module || self.name != old.name,
        }
    }
}

/// Resolves a relative specifier against the path of the importing file.
fn resolve_specifier(specifier: &str, path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Words that prevent a failed expectation from ending the test.
const FAILURE_CATCHING_WORDS: [&str; 6] = ["catch", "except", "suppress", "recover", "catch_unwind", "allSettled"];

fn find_test_change(old: &TestPart<'_>, new: &TestPart<'_>) -> Option<WeakeningKind> {
    let escapes =
        |part: &TestPart<'_>| tokens_of_part(part).filter(|text| FAILURE_CATCHING_WORDS.contains(text)).count();
    let (used, known) = (old.source.iter().flat_map(|one| find_used_names(one)), find_bound_names(old));
    let replaced: HashSet<&str> = used.filter(|name| !known.contains(name)).collect();
    if escapes(new) > escapes(old) {
        Some(WeakeningKind::FailureIgnored)
    } else if find_bound_names(new).iter().any(|name| replaced.contains(name)) {
        Some(WeakeningKind::Mocked)
    } else {
        has_lost_literal(old, new).then_some(WeakeningKind::TestChanged)
    }
}

fn tokens_of_part<'p>(part: &'p TestPart<'_>) -> impl Iterator<Item = &'p str> {
    part.source.iter().flat_map(|source| source.iter()).map(String::as_str)
}

/// Returns `true` if a number or a string was removed, because the test then has another input or expects another
/// value.
fn has_lost_literal(old: &TestPart<'_>, new: &TestPart<'_>) -> bool {
    let mut left: HashMap<String, usize> = HashMap::new();
    for literal in new.source.iter().flat_map(|source| find_literals(source)) {
        *left.entry(literal).or_default() += 1;
    }
    old.source.iter().flat_map(|source| find_literals(source)).any(|literal| !super::take_counted(&mut left, &literal))
}

/// Returns the numbers, without separators, and the strings. Docstrings are not included, because they do not affect a
/// test.
fn find_literals(source: &[String]) -> Vec<String> {
    let is_break = |text: Option<&String>| text.is_none_or(|text| text.starts_with('\n'));
    let is_documentation = |at: usize| at > 0 && is_break(source.get(at - 1)) && is_break(source.get(at + 1));
    let is_literal = |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || "\"'`".contains(first));
    let plain = |text: &String| {
        if text.starts_with(|one: char| one.is_ascii_digit()) { text.replace('_', "") } else { text.clone() }
    };
    let literals = source.iter().enumerate().filter(|(at, text)| is_literal(text) && !is_documentation(*at));
    literals.map(|(_, text)| plain(text)).collect()
}

/// Returns the names that are called or whose members are used.
fn find_used_names(source: &[String]) -> BTreeSet<&str> {
    let is_name = |text: &str| text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let follows = |at: usize| source.get(at + 1).is_some_and(|next| next == "(" || next == ".");
    let is_used = |at: &usize| is_name(&source[*at]) && follows(*at) && (*at == 0 || source[at - 1] != ".");
    (0..source.len()).filter(is_used).map(|at| source[at].as_str()).collect()
}

/// Returns the names that are declared or assigned.
fn find_bound_names<'p>(part: &'p TestPart<'_>) -> BTreeSet<&'p str> {
    part.source.iter().flat_map(|source| find_bound_names_in(source)).collect()
}

fn find_bound_names_in(source: &[String]) -> BTreeSet<&str> {
    const DECLARATION_KEYWORDS: [&str; 7] = ["def", "fn", "func", "function", "class", "for", "as"];
    let text = |at: usize| source.get(at).map_or("", String::as_str);
    let is_word = |at: usize| text(at).starts_with(|first: char| first.is_alphabetic() || first == '_');
    // In Go's `var sum float64`, the word after the name is a type.
    let goes_on = |at: usize| {
        let follows_word =
            is_word(at) && is_word(at - 1) && !["let", "const", "var", "mut", "ref"].contains(&text(at - 1));
        !follows_word && text(at) != "=" && text(at) != ";"
    };
    // The name of the function and its parameters come first.
    let head = source.iter().position(|text| text == "{" || text == ":").unwrap_or_default();
    let mut names = BTreeSet::new();
    for at in head..source.len() {
        let is_assigned = match text(at + 1) {
            "=" => !["=", ">"].contains(&text(at + 2)) && (at == 0 || text(at - 1) != "."),
            ":" => text(at + 2) == "=",
            _ => false,
        };
        if DECLARATION_KEYWORDS.contains(&text(at)) {
            names.insert(text(at + 1));
        } else if ["let", "const", "var"].contains(&text(at)) {
            // In Rust, `let Some((a, b)) = …` binds `a` and `b`.
            let pattern = (at + 1..source.len()).take_while(|at| goes_on(*at)).filter(|at| text(*at + 1) != "(");
            names.extend(pattern.map(text));
        } else if is_assigned {
            names.insert(text(at));
            // In Go, `a, b := f()` binds `a` and `b`.
            let mut before = at;
            while before >= head + 2 && text(before - 1) == "," {
                before -= 2;
                names.insert(text(before));
            }
        }
    }
    names
}
