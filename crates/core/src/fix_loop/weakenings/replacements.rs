//! Finds changes that replace the project's own code while tests run: a setup file patches a module, settings map a
//! module to another file, a mock folder or a matcher replaces the real code. The tests that use the replacement need
//! no edit, so this file reads the whole diff. A setup file that only prepares the environment (`globalThis.fetch = …`,
//! a timeout) is accepted.

use super::{
    file_versions::{FileVersion, build_weakening, is_path_suffix},
    module_settings::{LoadedFile, SettingsFile},
    test_commands,
};
use crate::{
    change::{
        diff::{DiffFile, LineChange},
        files::{FileRole, Language, detect_language, detect_role},
        source_items::{ItemKind, SourceItem},
        test_markers,
        tokens::strip_quotes,
    },
    fix_loop::{Weakening, WeakeningKind},
};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// Returns the replacements in a diff with whole files.
pub(super) fn find_replacements(files: &[DiffFile]) -> Vec<Weakening> {
    let files: Vec<&DiffFile> = files.iter().filter(|file| !file.is_deleted() && !file.hunks.is_empty()).collect();
    let mut found = Vec::new();
    let mut loaded = BTreeSet::new();
    for file in &files {
        let settings = SettingsFile::parse(file);
        found.extend(settings.find_new_mappings());
        let names = settings.find_loaded_files();
        found.extend(
            names
                .iter()
                .filter(|name| has_unknown_source(name, &files))
                .filter_map(|name| settings.build_finding(name.line)),
        );
        loaded.extend(names.into_iter().filter(|name| name.is_new).map(|name| name.text));
        loaded.extend(find_files_loaded_by_commands(file));
    }
    let by_settings = |file: &DiffFile| loaded.iter().any(|name| refers_to_file(name, file.path()));
    let by_setup: BTreeSet<String> = files
        .iter()
        .filter(|file| is_setup_file(file.path()) || by_settings(file))
        .flat_map(|file| find_project_module_references(&FileVersion::read(file, file.path(), LineChange::Added)))
        .collect();
    for file in &files {
        // A source file that a setup file imported before the change is the code under test.
        let by_setup = file.is_new() && by_setup.iter().any(|name| refers_to_file(name, file.path()));
        let is_loaded = by_settings(file) || by_setup;
        found.extend(find_patch_in_setup(file, is_loaded));
        found.extend(find_replaced_matcher(file));
        found.extend(find_new_mock(file, &files));
    }
    found
}

/// Python modules that setup files may patch to prepare the environment: the standard library, and libraries whose
/// settings are attributes. Other modules count as the project's own, because a diff does not list the files of the
/// project.
const ENVIRONMENT_MODULES: [&str; 40] = [
    "os",
    "sys",
    "time",
    "datetime",
    "random",
    "socket",
    "ssl",
    "warnings",
    "logging",
    "signal",
    "threading",
    "asyncio",
    "subprocess",
    "tempfile",
    "pathlib",
    "shutil",
    "locale",
    "platform",
    "builtins",
    "importlib",
    "unittest",
    "http",
    "urllib",
    "webbrowser",
    "getpass",
    "uuid",
    "faulthandler",
    "multiprocessing",
    "pytest",
    "_pytest",
    "hypothesis",
    "numpy",
    "pandas",
    "matplotlib",
    "torch",
    "django",
    "requests",
    "httpx",
    "freezegun",
    "collections",
];

/// Returns `true` if the text is an import specifier of a module of the project.
pub(super) fn is_project_module(text: &str, language: Language) -> bool {
    let name = strip_quotes(text);
    match language {
        Language::JavaScript => {
            let starts = ["./", "../", "/", "@/", "~/", "#", "src/", "<rootDir>/"];
            name == "." || name == ".." || starts.iter().any(|start| name.starts_with(start))
        }
        Language::Python => {
            let root = name.split('.').next().unwrap_or_default();
            let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
            !name.is_empty() && name.chars().all(is_name) && !ENVIRONMENT_MODULES.contains(&root)
        }
        _ => false,
    }
}

/// Returns `true` if the token is a string that names a module of the project.
fn names_project_module(token: &str, language: Language) -> bool {
    token.starts_with(['"', '`']) && is_project_module(token, language)
}

/// Returns the names that a file binds to modules of the project or to their members.
pub(super) fn names_of_project_modules<'f>(
    items: impl Iterator<Item = &'f SourceItem>,
    language: Language,
) -> BTreeSet<&'f str> {
    let is_loaded = |item: &SourceItem| {
        let loads = ["require", "import", "requireActual", "importActual", "requireMock"];
        item.kind == ItemKind::Import || item.tokens_to_compare.iter().any(|text| loads.contains(&text.as_str()))
    };
    let is_own = |item: &&SourceItem| match language {
        Language::JavaScript => {
            is_loaded(item) && item.tokens_to_compare.iter().any(|text| names_project_module(text, language))
        }
        Language::Python => item.kind == ItemKind::Import && is_project_import(&item.tokens_to_compare),
        _ => false,
    };
    items.filter(is_own).map(|item| item.name.as_str()).collect()
}

/// Returns `true` if an import of Python refers to a module of the project. `source` has the imported name, then the
/// tokens of the module. For `import a.b`, the tokens of the module contain the name.
fn is_project_import(source: &[String]) -> bool {
    let Some((name, module)) = source.split_first() else { return false };
    let root = if module.contains(name) { Some(name) } else { module.first() };
    root.is_some_and(|root| root == "." || is_project_module(root, Language::Python))
}

/// Functions of JavaScript that replace a member of their first argument.
const JAVASCRIPT_PATCHERS: [&str; 8] =
    ["spyOn", "stub", "replaceProperty", "assign", "defineProperty", "defineProperties", "method", "setPrototypeOf"];
/// Functions of Python that replace an attribute of their first argument, or the object whose path is their first
/// argument.
const PYTHON_PATCHERS: [&str; 4] = ["setattr", "patch", "object", "multiple"];
/// Functions of Jest, Vitest and node:test that replace a module.
const MODULE_MOCKS: [&str; 5] = ["mock", "doMock", "unstable_mockModule", "setMock", "module"];

/// Returns `true` if the source replaces a member of a module of the project: `cart.total = …`,
/// `vi.mock("../src/cart")`, `mock.patch("shop.cart.total")`, `sys.modules["shop.cart"] = …`. `own` contains the names
/// that are bound to modules of the project.
pub(super) fn patches_project_module(source: &[String], own: &BTreeSet<&str>, language: Language) -> bool {
    let text = |at: usize| source.get(at).map_or("", String::as_str);
    let is_own_text = |at: usize| names_project_module(text(at), language);
    // `require("./cart")` and `import("./cart")` return the module itself.
    let loads = |at: usize| ["require", "import"].contains(&text(at)) && text(at + 1) == "(" && is_own_text(at + 2);
    let is_own = |at: usize| own.contains(text(at)) && (at == 0 || text(at - 1) != ".");
    (0..source.len()).any(|at| {
        let is_call = text(at + 1) == "(";
        if language == Language::JavaScript && is_call {
            let is_mock = MODULE_MOCKS.contains(&text(at)) && at > 0 && text(at - 1) == ".";
            let is_patch = JAVASCRIPT_PATCHERS.contains(&text(at)) && is_own(at + 2);
            if is_patch || ((is_mock || JAVASCRIPT_PATCHERS.contains(&text(at))) && loads(at + 2)) {
                return true;
            }
            if is_mock {
                return is_own_text(at + 2);
            }
        }
        if language == Language::Python && is_call && PYTHON_PATCHERS.contains(&text(at)) {
            let names_path = is_own_text(at + 2) && text(at + 2).contains('.');
            return is_own(at + 2) || names_path;
        }
        if text(at) == "modules" && text(at + 1) == "[" && is_own_text(at + 2) && text(at + 3) == "]" {
            return text(at + 4) == "=" && text(at + 5) != "=";
        }
        let base = if loads(at) { at + 4 } else { at + 1 };
        (is_own(at) || loads(at)) && assigns_attribute(source, base)
    })
}

/// Returns `true` if an assignment to attributes such as `.total = …` starts at `start`.
fn assigns_attribute(source: &[String], start: usize) -> bool {
    let text = |at: usize| source.get(at).map_or("", String::as_str);
    let mut at = start;
    loop {
        let is_entry = text(at) == "[" && text(at + 2) == "]" && at > start && text(at - 1) == "__dict__";
        at += match text(at) {
            "." => 2,
            "[" if is_entry => 3,
            _ => break,
        };
    }
    at > start && text(at) == "=" && !["=", ">"].contains(&text(at + 1))
}

/// Returns `true` if a runner loads a file with this name before the tests, or if its name suggests that settings load
/// it.
fn is_setup_file(path: &str) -> bool {
    static SETUP_PATH: LazyLock<Regex> = LazyLock::new(|| {
        compile(concat!(
            r"(?:^|/)(?:conftest|sitecustomize|usercustomize)\.py$",
            r"|(?:^|/)(?:(?:jest|vitest|mocha|tests?)[\w.-]*[sS]etup|[sS]etup[.-]?(?:[jJ]est|[vV]itest|[tT]est))[\w.-]*\.[cm]?[jt]sx?$",
        ))
    });
    static TEST_SETUP_PATH: LazyLock<Regex> = LazyLock::new(|| compile(r"[sS]etup[\w.-]*\.[cm]?[jt]sx?$"));
    let is_test = [".test.", ".spec."].iter().any(|mark| path.contains(mark));
    !is_test && (SETUP_PATH.is_match(path) || (detect_role(path) == FileRole::Test && TEST_SETUP_PATH.is_match(path)))
}

/// Finds an added statement in a file that runs before the tests if the statement replaces a member of a module. If the
/// change makes the settings load the file (`is_loaded`), all statements count as added.
fn find_patch_in_setup(file: &DiffFile, is_loaded: bool) -> Option<Weakening> {
    let (path, language) = (file.path(), detect_language(file.path()));
    let declares = |text: &str| test_markers::find_test_name(text, language).is_some();
    let after = FileVersion::read(file, path, LineChange::Added);
    let is_setup = is_loaded || is_setup_file(path);
    if !is_setup && (detect_role(path) != FileRole::Test || after.lines.iter().any(|(_, text)| declares(text))) {
        return None;
    }
    let before = FileVersion::read(file, path, LineChange::Removed);
    let items = &after.file.scopes[0].items;
    let own = names_of_project_modules(items.iter(), language);
    let is_known = |item: &SourceItem| {
        !is_loaded && before.file.scopes[0].items.iter().any(|old| old.tokens_to_compare == item.tokens_to_compare)
    };
    // A fixture runs only if a test requests it by name, and a helper runs only if it is called.
    let is_run = |item: &SourceItem| match item.kind {
        ItemKind::Other | ItemKind::Hook => true,
        ItemKind::Definition => {
            self::is_setup_file(path) && !item.tokens_to_compare.iter().any(|text| text == "fixture")
        }
        _ => false,
    };
    let ends_well = |item: &SourceItem| {
        let lines = after.lines(&item.lines);
        is_loaded && lines.iter().any(|(_, text)| test_commands::ends_with_success(text))
    };
    let counts = |item: &&SourceItem| is_run(item) && !is_known(item);
    let first = |item: &SourceItem| after.lines(&item.lines).first().copied();
    let patched =
        items.iter().filter(counts).find(|item| patches_project_module(&item.tokens_to_compare, &own, language));
    let ended = items.iter().filter(counts).find(|item| ends_well(item));
    patched
        .and_then(|item| build_weakening(path, WeakeningKind::Mocked, first(item)))
        .or_else(|| ended.and_then(|item| build_weakening(path, WeakeningKind::FailureIgnored, first(item))))
}

/// Matchers of Jest and Vitest that tests rely on.
const BUILTIN_MATCHERS: [&str; 28] = [
    "toBe",
    "toEqual",
    "toStrictEqual",
    "toBeTruthy",
    "toBeFalsy",
    "toBeNull",
    "toBeUndefined",
    "toBeDefined",
    "toBeNaN",
    "toBeCloseTo",
    "toBeGreaterThan",
    "toBeGreaterThanOrEqual",
    "toBeLessThan",
    "toBeLessThanOrEqual",
    "toBeInstanceOf",
    "toContain",
    "toContainEqual",
    "toHaveLength",
    "toHaveProperty",
    "toMatch",
    "toMatchObject",
    "toMatchSnapshot",
    "toMatchInlineSnapshot",
    "toThrow",
    "toThrowError",
    "toHaveBeenCalled",
    "toHaveBeenCalledTimes",
    "toHaveBeenCalledWith",
];

/// Finds a matcher of the runner that `expect.extend` replaces, or an assignment to a function of `assert`.
fn find_replaced_matcher(file: &DiffFile) -> Option<Weakening> {
    let path = file.path();
    if detect_language(path) != Language::JavaScript {
        return None;
    }
    let (before, after) =
        (FileVersion::read(file, path, LineChange::Removed), FileVersion::read(file, path, LineChange::Added));
    let is_new = |item: &&SourceItem| {
        !before.file.scopes[0].items.iter().any(|old| old.tokens_to_compare == item.tokens_to_compare)
    };
    let new: Vec<&SourceItem> = after.file.scopes[0].items.iter().filter(is_new).collect();
    let extends = |item: &SourceItem| item.tokens_to_compare.windows(3).any(|words| words == ["expect", ".", "extend"]);
    let extends = after.file.scopes[0].items.iter().any(extends);
    // Matches a key of an object: `{ toBe(a, b) {…} }`, `{ toBe: (a, b) => … }`. Does not match a call.
    let is_key = |words: &[String]| {
        ["{", ",", "async"].contains(&words[0].as_str())
            && BUILTIN_MATCHERS.contains(&strip_quotes(&words[1]))
            && [":", "("].contains(&words[2].as_str())
    };
    let assert = BTreeSet::from(["assert", "expect"]);
    let item = new.into_iter().find(|item| {
        let assigns = (0..item.tokens_to_compare.len()).any(|at| {
            assert.contains(item.tokens_to_compare[at].as_str())
                && (at == 0 || item.tokens_to_compare[at - 1] != ".")
                && assigns_attribute(&item.tokens_to_compare, at + 1)
        });
        assigns || (extends && item.tokens_to_compare.windows(3).any(is_key))
    })?;
    build_weakening(path, WeakeningKind::Mocked, after.lines(&item.lines).first().copied())
}

/// Finds a mock in a `__mocks__` folder beside the source. A new mock is accepted if a new file of tests requests it,
/// because no older test uses the mock.
fn find_new_mock(file: &DiffFile, files: &[&DiffFile]) -> Option<Weakening> {
    let path = file.path();
    let (folder, name) = path.split_once("__mocks__/")?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // A `__mocks__` folder in the root contains mocks of packages.
    if folder.is_empty() || detect_language(path) != Language::JavaScript {
        return None;
    }
    let asks = |text: &str| test_commands::mocks_module(text) && text.contains(stem);
    let is_asked_for = |other: &&DiffFile| {
        let declares = |text: &str| test_markers::find_test_name(text, detect_language(other.path())).is_some();
        other.is_new()
            && detect_role(other.path()) == FileRole::Test
            && other.lines(LineChange::Added).any(|line| declares(&line.text))
            && other.lines(LineChange::Added).any(|line| asks(&line.text))
    };
    if file.is_new() && files.iter().copied().any(|other| is_asked_for(&other)) {
        return None;
    }
    let line = file.lines(LineChange::Added).next()?;
    build_weakening(path, WeakeningKind::Mocked, Some((line.number, &line.text)))
}

/// Returns `true` if new settings load a file of the project that is not in the diff.
fn has_unknown_source(loaded: &LoadedFile, files: &[&DiffFile]) -> bool {
    let is_path = !loaded.is_literal || is_project_module(&loaded.text, Language::JavaScript);
    loaded.is_new && is_path && !files.iter().any(|file| refers_to_file(&loaded.text, file.path()))
}

/// Returns the files and plugins that commands load: `-p fixes`, `--import ./fake.mjs`, `pytest_plugins =
/// ["tests.fixes"]`.
fn find_files_loaded_by_commands(file: &DiffFile) -> Vec<String> {
    static LOADING_OPTION: LazyLock<Regex> = LazyLock::new(|| {
        compile(r#"(?:\s|["'=])(?:-p|-r|--(?:import|require|loader|experimental-loader|preload))[ =]?([\w./-]+)"#)
    });
    static PLUGIN_NAME: LazyLock<Regex> = LazyLock::new(|| compile(r#"["']([\w.]+)["']"#));
    let path = file.path();
    let added = file.lines(LineChange::Added).map(|line| &line.text[..line.text.floor_char_boundary(2048)]);
    let names = |pattern: &Regex, text: &str| -> Vec<String> {
        pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
    };
    match detect_role(path) {
        FileRole::Settings(_) => added.flat_map(|text| names(&LOADING_OPTION, text)).collect(),
        FileRole::Test if is_path_suffix("conftest.py", path) => {
            added.filter(|text| text.contains("pytest_plugins")).flat_map(|text| names(&PLUGIN_NAME, text)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the strings of a file and the modules that the file imports.
fn find_project_module_references(version: &FileVersion<'_>) -> Vec<String> {
    let items = version.file.scopes[0].items.iter();
    let loads = items.filter(|item| matches!(item.kind, ItemKind::Import | ItemKind::Other));
    let own = |text: &&String| names_project_module(text, version.file.language);
    loads.flat_map(|item| item.tokens_to_compare.iter().filter(own)).map(|text| strip_quotes(text).to_owned()).collect()
}

/// Returns `true` if the specifier (`../src/cart.js`) or dotted name (`shop.cart`) refers to the file.
pub(super) fn refers_to_file(name: &str, path: &str) -> bool {
    let stem = |text: &str| {
        let known = ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs", "py"];
        let split = text.rsplit_once('.').filter(|(_, end)| known.contains(end));
        split.map_or(text, |(stem, _)| stem).to_owned()
    };
    let mut name = name.strip_prefix("<rootDir>/").unwrap_or(name);
    while let Some(rest) = name.strip_prefix("./").or_else(|| name.strip_prefix("../")) {
        name = rest;
    }
    let is_dotted = detect_language(path) == Language::Python && !name.contains('/');
    let name = if is_dotted { name.replace('.', "/") } else { stem(name) };
    let path = stem(path);
    let path = path.strip_suffix("/index").or_else(|| path.strip_suffix("/__init__")).unwrap_or(&path);
    !name.is_empty() && is_path_suffix(&name, path)
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}
