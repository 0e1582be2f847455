//! Finds tests that lose something when the names of the failing tests are unknown. A failing test may not change at all,
//! but here a test may be edited if it expects as much as before. `lost_expectations` compares the expectations; this file
//! compares the rest of the test, the data that the test uses, and the functions that it calls.

use super::{
    module_settings, replaced,
    sources::{self, Comparison, Part, Parts, mocked_beside},
    versions::{Versions, weakening},
};
use crate::{
    change::{
        diff::DiffFile,
        files::{Language, language},
        scan::{ItemKind, TestAt},
    },
    fix_loop::{Weakening, WeakeningKind},
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Returns the first loss of each test.
pub(super) fn weakened(files: &[DiffFile], versions: &[Versions<'_>]) -> Vec<Weakening> {
    let every = EveryTest { files, versions, all: Comparison::of(versions) };
    let mut found = Vec::new();
    for one in versions {
        let tests = one.before.file.tests().filter_map(|test| Some((test, sources::now(one, test)?)));
        let pairs = tests.chain(sources::pairs_made_by_code(one));
        found.extend(pairs.filter_map(|(test, now)| every.loss(one, test, now)));
    }
    found.dedup();
    found
}

struct EveryTest<'v, 'd> {
    files: &'v [DiffFile],
    versions: &'v [Versions<'d>],
    all: Comparison<'v, 'd>,
}

impl<'v, 'd> EveryTest<'v, 'd> {
    fn loss(&self, one: &'v Versions<'d>, test: TestAt<'v>, now: TestAt<'v>) -> Option<Weakening> {
        let (was, is) = self.all.parts(one, test, now);
        let path = &one.after.file.path;
        let line = |old: Option<&Part<'_>>, new: &Part<'_>| {
            let old = old.map(|part| one.before.lines(&part.lines)).unwrap_or_default();
            sources::first_change(&old, &one.after.lines(&new.lines))
        };
        for (name, new) in &is {
            let old = was.get(name);
            if old.is_some_and(|old| sources::same(old, new) || self.all.has_moved(old, new)) {
                continue;
            }
            let kind = match (old, new.kind) {
                (Some(old), ItemKind::Import | ItemKind::Definition) if old.kind == ItemKind::Import => {
                    self.replaced(old, new, path)
                }
                (Some(old), ItemKind::Test | ItemKind::Other) => changed_test(old, new),
                (Some(old), ItemKind::Definition) => lost_literal(old, new).then_some(WeakeningKind::TestChanged),
                (None, ItemKind::Definition) => self.is_shadow(name, &was, new).then_some(WeakeningKind::Mocked),
                (old, ItemKind::Hook) => {
                    let own = replaced::own_names(one.after.file.scopes[0].items.iter(), language(path));
                    let patches =
                        |part: &Part<'_>| part.source.iter().any(|one| replaced::patches(one, &own, language(path)));
                    (patches(new) && !old.is_some_and(patches)).then_some(WeakeningKind::Mocked)
                }
                _ => None,
            };
            if let Some(found) = kind.and_then(|kind| weakening(path, kind, line(old, new))) {
                return Some(found);
            }
        }
        let item = mocked_beside(one, test, now)?;
        weakening(path, WeakeningKind::Mocked, one.after.lines(&item.lines).first().copied())
    }

    /// Returns the finding if an imported name refers to something else now. Imports of a renamed file are accepted,
    /// because they have to change.
    fn replaced(&self, old: &Part<'_>, new: &Part<'_>, path: &str) -> Option<WeakeningKind> {
        if new.is_defined {
            let has_moved = new.source.iter().all(|source| self.was_elsewhere(source));
            return (!has_moved).then_some(WeakeningKind::Mocked);
        }
        let is_gone = |module: &str| {
            let mut renamed = self.files.iter().filter(|file| !file.is_new() && file.old != file.new);
            renamed.any(|file| replaced::names_file(module, &file.old))
        };
        let imports = |part: &Part<'_>| -> Vec<Origin> {
            part.source.iter().filter_map(|source| Origin::of(source, path)).collect()
        };
        let (old, new) = (imports(old), imports(new));
        let (_, now) = old.iter().zip(&new).find(|(old, new)| new.replaces(old) && !is_gone(&old.module))?;
        // The import may have been wrong, so that it was the bug that was fixed.
        Some(if now.is_stand_in { WeakeningKind::Mocked } else { WeakeningKind::TestChanged })
    }

    /// Returns true if a new definition hides a name that the test used before.
    fn is_shadow(&self, name: &str, was: &Parts<'_>, new: &Part<'_>) -> bool {
        let name = name.strip_prefix("uses ").unwrap_or(name);
        let uses = |test: &Part<'_>| test.source.iter().any(|one| used(one).contains(name));
        let uses = was.get("test").is_some_and(|test| uses(test) && !bound(test).contains(name));
        // `const Buffer = require("safe-buffer").Buffer`
        let is_loaded = |source: &[String]| source.iter().any(|text| text == "require");
        uses && !new.source.iter().all(|source| is_loaded(source) || self.was_elsewhere(source))
    }

    /// Returns `true` if the definition was in any file before the change.
    fn was_elsewhere(&self, source: &[String]) -> bool {
        let items = self.versions.iter().flat_map(|one| &one.before.file.scopes).flat_map(|scope| &scope.items);
        items.into_iter().any(|item| item.kind == ItemKind::Definition && item.source == source)
    }
}

/// An imported name and its module, if the module is code of the project. Other names of the same import are left out.
struct Origin {
    name: String,
    module: String,
    language: Language,
    /// True if the module is a helper or a fake of the tests.
    is_stand_in: bool,
}

impl Origin {
    /// Returns none for packages, and for Rust and Go, whose imports are compared as a whole.
    fn of(source: &[String], path: &str) -> Option<Self> {
        let (name, rest) = source.split_first()?;
        let language = language(path);
        let module = match language {
            Language::JavaScript => rest.iter().rfind(|text| text.starts_with('"'))?.trim_matches('"').to_owned(),
            // In `import a, b`, the module contains all names.
            Language::Python if rest.contains(name) => name.clone(),
            Language::Python => rest.concat(),
            _ => return None,
        };
        let is_stand_in = match language {
            Language::JavaScript => module_settings::is_stand_in(&resolved(&module, path)),
            _ => module_settings::is_stand_in(&module.replace('.', "/")),
        };
        replaced::is_own_module(&module, language).then(|| Self { name: name.clone(), module, language, is_stand_in })
    }

    /// Returns `true` if this import replaces the old import. Only another package or a fake counts, because a Python
    /// module often moves within its package.
    fn replaces(&self, old: &Self) -> bool {
        let root = |module: &str| module.split('.').next().unwrap_or_default().to_owned();
        match self.language {
            _ if old.is_stand_in => false,
            Language::Python => self.is_stand_in || root(&self.module) != root(&old.module),
            _ => self.module != old.module || self.name != old.name,
        }
    }
}

/// Resolves a relative specifier against the path of the importing file.
fn resolved(specifier: &str, path: &str) -> String {
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
const ESCAPES: [&str; 6] = ["catch", "except", "suppress", "recover", "catch_unwind", "allSettled"];

fn changed_test(old: &Part<'_>, new: &Part<'_>) -> Option<WeakeningKind> {
    let escapes = |part: &Part<'_>| words(part).filter(|text| ESCAPES.contains(text)).count();
    let (used, known) = (old.source.iter().flat_map(|one| used(one)), bound(old));
    let replaced: HashSet<&str> = used.filter(|name| !known.contains(name)).collect();
    if escapes(new) > escapes(old) {
        Some(WeakeningKind::FailureIgnored)
    } else if bound(new).iter().any(|name| replaced.contains(name)) {
        Some(WeakeningKind::Mocked)
    } else {
        lost_literal(old, new).then_some(WeakeningKind::TestChanged)
    }
}

fn words<'p>(part: &'p Part<'_>) -> impl Iterator<Item = &'p str> {
    part.source.iter().flat_map(|source| source.iter()).map(String::as_str)
}

/// Returns true if a number or a text was removed: the test has another input, or expects another value.
fn lost_literal(old: &Part<'_>, new: &Part<'_>) -> bool {
    let mut left: HashMap<String, usize> = HashMap::new();
    for literal in new.source.iter().flat_map(|source| literals(source)) {
        *left.entry(literal).or_default() += 1;
    }
    old.source.iter().flat_map(|source| literals(source)).any(|literal| !super::take(&mut left, &literal))
}

/// Returns numbers, without separators, and texts. Docstrings are left out, because they change no test.
fn literals(source: &[String]) -> Vec<String> {
    let is_break = |text: Option<&String>| text.is_none_or(|text| text.starts_with('\n'));
    let is_documentation = |at: usize| at > 0 && is_break(source.get(at - 1)) && is_break(source.get(at + 1));
    let is_literal = |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || "\"'`".contains(first));
    let plain = |text: &String| {
        if text.starts_with(|one: char| one.is_ascii_digit()) { text.replace('_', "") } else { text.clone() }
    };
    let literals = source.iter().enumerate().filter(|(at, text)| is_literal(text) && !is_documentation(*at));
    literals.map(|(_, text)| plain(text)).collect()
}

/// Names that are called, or whose members are used.
fn used(source: &[String]) -> BTreeSet<&str> {
    let is_name = |text: &str| text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let follows = |at: usize| source.get(at + 1).is_some_and(|next| next == "(" || next == ".");
    let is_used = |at: &usize| is_name(&source[*at]) && follows(*at) && (*at == 0 || source[at - 1] != ".");
    (0..source.len()).filter(is_used).map(|at| source[at].as_str()).collect()
}

/// Names that are declared or assigned.
fn bound<'p>(part: &'p Part<'_>) -> BTreeSet<&'p str> {
    part.source.iter().flat_map(|source| bound_in(source)).collect()
}

fn bound_in(source: &[String]) -> BTreeSet<&str> {
    const DECLARES: [&str; 7] = ["def", "fn", "func", "function", "class", "for", "as"];
    let text = |at: usize| source.get(at).map_or("", String::as_str);
    let is_word = |at: usize| text(at).starts_with(|first: char| first.is_alphabetic() || first == '_');
    // In Go's `var sum float64`, the second word is a type.
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
        if DECLARES.contains(&text(at)) {
            names.insert(text(at + 1));
        } else if ["let", "const", "var"].contains(&text(at)) {
            // `let Some((a, b)) = …` binds `a` and `b`.
            let pattern = (at + 1..source.len()).take_while(|at| goes_on(*at)).filter(|at| text(*at + 1) != "(");
            names.extend(pattern.map(text));
        } else if is_assigned {
            names.insert(text(at));
            // `a, b := f()`
            let mut before = at;
            while before >= head + 2 && text(before - 1) == "," {
                before -= 2;
                names.insert(text(before));
            }
        }
    }
    names
}
