//! Reads settings that load files before the tests, or that map a module to another file.

use super::file_versions::build_weakening;
use crate::{
    change::{
        diff::{DiffFile, LineChange},
        files::Language,
        tokens::{Token, TokenKind, find_closing_bracket, is_symbol, nesting_change, strip_quotes, tokenize},
    },
    fix_loop::{Weakening, WeakeningKind},
};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// Settings whose value names files that are loaded before the tests.
const LOADER_SETTINGS: [&str; 6] =
    ["setupFiles", "setupFilesAfterEnv", "globalSetup", "globalTeardown", "snapshotEnvironment", "testEnvironment"];
/// Settings that map the name of a module to another file.
const MAPPER_SETTINGS: [&str; 4] = ["moduleNameMapper", "alias", "paths", "imports"];

/// A settings file in the syntax of JavaScript or JSON.
pub(super) struct SettingsFile<'d> {
    file: &'d DiffFile,
    is_scripted: bool,
    before: Vec<Token>,
    after: Vec<Token>,
}

/// A file that settings load.
pub(super) struct LoadedFile {
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) is_new: bool,
    /// True if the text is a path or the name of a package, and not a variable.
    pub(super) is_literal: bool,
}

impl<'d> SettingsFile<'d> {
    pub(super) fn parse(file: &'d DiffFile) -> Self {
        static SCRIPT_OR_JSON_PATH: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?:^|/)(?:package|[jt]sconfig[\w.-]*|jest\.\w+|\.mocharc)\.jsonc?$|(?:^|/)[\w.-]+\.(?:config|conf|workspace)\.[cm]?[jt]s$",
            ).expect("a constant pattern")
        });
        let side = |side: LineChange| {
            let is_in = |mark: LineChange| mark == side || mark == LineChange::Kept;
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| is_in(line.line_change));
            let lines: Vec<(u32, &str)> = lines.map(|line| (line.number, line.text.as_str())).collect();
            tokenize(&lines, Language::JavaScript)
        };
        let is_scripted = SCRIPT_OR_JSON_PATH.is_match(file.path());
        let read = |one| if is_scripted { side(one) } else { Vec::new() };
        Self { file, is_scripted, before: read(LineChange::Removed), after: read(LineChange::Added) }
    }

    pub(super) fn build_finding(&self, line: u32) -> Option<Weakening> {
        let text = self.file.lines(LineChange::Added).find(|one| one.number == line)?;
        build_weakening(self.file.path(), WeakeningKind::Mocked, Some((line, &text.text)))
    }

    pub(super) fn find_loaded_files(&self) -> Vec<LoadedFile> {
        let known: BTreeSet<&str> = find_setting_values(&self.before, &LOADER_SETTINGS)
            .flatten()
            .map(|token| strip_quotes(&token.text))
            .collect();
        let mut loaded = Vec::new();
        for value in find_setting_values(&self.after, &LOADER_SETTINGS) {
            let mut texts = value.iter().filter(|token| token.kind == TokenKind::StringOrRegex).peekable();
            // A variable may hold any file.
            let is_known = texts.peek().is_some();
            let named = texts.chain(value.iter().filter(|token| !is_known && token.kind == TokenKind::Word));
            loaded.extend(named.map(|token| LoadedFile {
                text: strip_quotes(&token.text).to_owned(),
                line: token.line,
                is_literal: is_known,
                is_new: !known.contains(strip_quotes(&token.text)),
            }));
        }
        loaded
    }

    /// Returns new entries that map a module of the project to another file.
    pub(super) fn find_new_mappings(&self) -> Vec<Weakening> {
        if !self.is_scripted {
            return Vec::new();
        }
        let mappings =
            |tokens| find_setting_values(tokens, &MAPPER_SETTINGS).flat_map(parse_mappings).collect::<Vec<_>>();
        let known = mappings(&self.before);
        let added = mappings(&self.after).into_iter().filter(|entry| !known.iter().any(|old| old.is_same(entry)));
        added.filter(Mapping::replaces_project_module).filter_map(|entry| self.build_finding(entry.line)).collect()
    }
}

/// Returns the values of these keys.
fn find_setting_values<'t>(tokens: &'t [Token], keys: &'static [&str]) -> impl Iterator<Item = &'t [Token]> {
    let is_key = move |at: usize| {
        keys.contains(&strip_quotes(&tokens[at].text)) && tokens.get(at + 1).is_some_and(|next| is_symbol(next, ":"))
    };
    (0..tokens.len()).filter(move |at| is_key(*at)).map(|at| setting_value(tokens, at + 2))
}

/// Returns the tokens from `start` to the comma or bracket that ends the value.
fn setting_value(tokens: &[Token], start: usize) -> &[Token] {
    let start = start.min(tokens.len());
    let mut depth = 0;
    for at in start..tokens.len() {
        depth += nesting_change(&tokens[at]);
        if depth < 0 || (depth == 0 && is_symbol(&tokens[at], ",")) {
            return &tokens[start..at];
        }
    }
    &tokens[start..]
}

/// Target of a mapping whose target is unknown. It counts as a replacement, because [`is_replacement_path`] accepts it.
const UNKNOWN_REPLACEMENT: &str = "fake";

/// A module and the files that are loaded instead.
struct Mapping {
    key: String,
    targets: Vec<String>,
    line: u32,
}

/// Parses the entries of a mapping: `{ '../src/cart': './test/fake.ts' }`, `[{ find: /cart$/, replacement: fake }]`. A
/// variable or a call counts as a mapping of any module.
fn parse_mappings(value: &[Token]) -> Vec<Mapping> {
    let Some(first) = value.first() else { return Vec::new() };
    let texts = |tokens: &[Token]| -> Vec<String> {
        tokens
            .iter()
            .filter(|one| one.kind == TokenKind::StringOrRegex)
            .map(|one| strip_quotes(&one.text).to_owned())
            .collect()
    };
    if !is_symbol(first, "{") && !is_symbol(first, "[") {
        let is_constant =
            first.kind == TokenKind::StringOrRegex || ["true", "false", "undefined", "null"].contains(&&*first.text);
        let key = value.iter().map(|token| token.text.as_str()).collect();
        let any = Mapping { key, targets: vec![UNKNOWN_REPLACEMENT.to_owned()], line: first.line };
        return if is_constant { Vec::new() } else { vec![any] };
    }
    let inside = &value[1..find_closing_bracket(value, 0).min(value.len())];
    let (mut found, mut at) = (Vec::new(), 0);
    while at < inside.len() {
        let entry = self::setting_value(inside, at);
        at += entry.len() + 1;
        let Some(start) = entry.first() else { continue };
        if is_symbol(start, "{") {
            let of = |key: &'static str| {
                (0..entry.len())
                    .find(|at| entry[*at].text == key)
                    .map(|at| self::setting_value(entry, at + 2))
                    .unwrap_or_default()
            };
            let key = of("find").iter().map(|token| strip_quotes(&token.text)).collect();
            found.push(Mapping { key, targets: texts(of("replacement")), line: start.line });
        } else {
            let key = strip_quotes(&start.text).to_owned();
            found.push(Mapping { key, targets: texts(&entry[1..]), line: start.line });
        }
    }
    found
}

impl Mapping {
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self.targets == other.targets
    }

    fn replaces_project_module(&self) -> bool {
        // Mapping styles and pictures is accepted, because a runner cannot load them.
        static ASSET_PATH: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:css|less|s[ac]ss|styl|svg|png|jpe?g|gif|webp|woff2?|ttf|md|graphql)\b")
                .expect("a constant pattern")
        });
        static PATHS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^\^?(?:\(\?:)?[\\.]{1,4}/|(?:^|[/^])(?:src|lib|app)(?:\\?/|\$?$)").expect("a constant pattern")
        });
        if ASSET_PATH.is_match(&self.key) {
            return false;
        }
        // `'^src/(.*)$': '<rootDir>/src/$1'` maps a module to its own file.
        let keeps_path = self.targets.iter().any(|target| target.contains('$') || target.contains('*'));
        self.targets.iter().any(|target| is_replacement_path(target)) || (PATHS.is_match(&self.key) && !keeps_path)
    }
}

/// Returns `true` if the path is in a folder of tests, or if its name contains a word such as `fake` or `mock`.
pub(super) fn is_replacement_path(path: &str) -> bool {
    static REPLACEMENT_PATH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|/)(?:__mocks__|tests?|__tests__|specs?)(?:/|$)|fake|mock|stub|dummy")
            .expect("a constant pattern")
    });
    REPLACEMENT_PATH.is_match(path)
}
