//! Reads the settings that load files before the tests, or that map a module to another file.

use super::versions::weakening;
use crate::{
    change::{
        diff::{DiffFile, LineChange},
        files::Language,
        tokens::{Kind, Token, close_of, depth_change, is_mark, tokens, unquoted},
    },
    fix_loop::{Weakening, WeakeningKind},
};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// Settings whose value names files that are loaded before the tests.
const LOADERS: [&str; 6] =
    ["setupFiles", "setupFilesAfterEnv", "globalSetup", "globalTeardown", "snapshotEnvironment", "testEnvironment"];
/// Settings that map the name of a module to another file.
const MAPPERS: [&str; 4] = ["moduleNameMapper", "alias", "paths", "imports"];

/// A settings file in the syntax of JavaScript or JSON.
pub(super) struct Settings<'d> {
    file: &'d DiffFile,
    is_scripted: bool,
    before: Vec<Token>,
    after: Vec<Token>,
}

/// A file that settings load.
pub(super) struct Loaded {
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) is_new: bool,
    /// True if the text is the path or the name of a package, not a variable.
    pub(super) is_known: bool,
}

impl<'d> Settings<'d> {
    pub(super) fn of(file: &'d DiffFile) -> Self {
        static SCRIPTED: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?:^|/)(?:package|[jt]sconfig[\w.-]*|jest\.\w+|\.mocharc)\.jsonc?$|(?:^|/)[\w.-]+\.(?:config|conf|workspace)\.[cm]?[jt]s$",
            ).expect("a constant pattern")
        });
        let side = |side: LineChange| {
            let is_in = |mark: LineChange| mark == side || mark == LineChange::Kept;
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| is_in(line.mark));
            let lines: Vec<(u32, &str)> = lines.map(|line| (line.number, line.text.as_str())).collect();
            tokens(&lines, Language::JavaScript)
        };
        let is_scripted = SCRIPTED.is_match(file.path());
        let read = |one| if is_scripted { side(one) } else { Vec::new() };
        Self { file, is_scripted, before: read(LineChange::Removed), after: read(LineChange::Added) }
    }

    pub(super) fn finding(&self, line: u32) -> Option<Weakening> {
        let text = self.file.lines(LineChange::Added).find(|one| one.number == line)?;
        weakening(self.file.path(), WeakeningKind::Mocked, Some((line, &text.text)))
    }

    pub(super) fn loaded(&self) -> Vec<Loaded> {
        let known: BTreeSet<&str> =
            values(&self.before, &LOADERS).flatten().map(|token| unquoted(&token.text)).collect();
        let mut loaded = Vec::new();
        for value in values(&self.after, &LOADERS) {
            let mut texts = value.iter().filter(|token| token.kind == Kind::Text).peekable();
            // A variable may hold any file.
            let is_known = texts.peek().is_some();
            let named = texts.chain(value.iter().filter(|token| !is_known && token.kind == Kind::Word));
            loaded.extend(named.map(|token| Loaded {
                text: unquoted(&token.text).to_owned(),
                line: token.line,
                is_known,
                is_new: !known.contains(unquoted(&token.text)),
            }));
        }
        loaded
    }

    /// New entries that map a module of the project to another file.
    pub(super) fn mappings(&self) -> Vec<Weakening> {
        if !self.is_scripted {
            return Vec::new();
        }
        let entries = |tokens| values(tokens, &MAPPERS).flat_map(entries).collect::<Vec<_>>();
        let known = entries(&self.before);
        let came = entries(&self.after).into_iter().filter(|entry| !known.iter().any(|old| old.is_same(entry)));
        came.filter(Mapping::replaces_own).filter_map(|entry| self.finding(entry.line)).collect()
    }
}

/// The values of these keys.
fn values<'t>(tokens: &'t [Token], keys: &'static [&str]) -> impl Iterator<Item = &'t [Token]> {
    let is_key = move |at: usize| {
        keys.contains(&unquoted(&tokens[at].text)) && tokens.get(at + 1).is_some_and(|next| is_mark(next, ":"))
    };
    (0..tokens.len()).filter(move |at| is_key(*at)).map(|at| value(tokens, at + 2))
}

/// The tokens from `start` to the comma or bracket that ends the value.
fn value(tokens: &[Token], start: usize) -> &[Token] {
    let start = start.min(tokens.len());
    let mut depth = 0;
    for at in start..tokens.len() {
        depth += depth_change(&tokens[at]);
        if depth < 0 || (depth == 0 && is_mark(&tokens[at], ",")) {
            return &tokens[start..at];
        }
    }
    &tokens[start..]
}

/// Target of a mapping whose files are unknown.
const STAND_IN: &str = "fake";

/// A module and the files that are loaded instead.
struct Mapping {
    key: String,
    targets: Vec<String>,
    line: u32,
}

/// Entries of a mapping: `{ '../src/cart': './test/fake.ts' }`, `[{ find: /cart$/, replacement: fake }]`. A variable or
/// a call may map anything.
fn entries(value: &[Token]) -> Vec<Mapping> {
    let Some(first) = value.first() else { return Vec::new() };
    let texts = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().filter(|one| one.kind == Kind::Text).map(|one| unquoted(&one.text).to_owned()).collect()
    };
    if !is_mark(first, "{") && !is_mark(first, "[") {
        let is_constant = first.kind == Kind::Text || ["true", "false", "undefined", "null"].contains(&&*first.text);
        let key = value.iter().map(|token| token.text.as_str()).collect();
        let any = Mapping { key, targets: vec![STAND_IN.to_owned()], line: first.line };
        return if is_constant { Vec::new() } else { vec![any] };
    }
    let inside = &value[1..close_of(value, 0).min(value.len())];
    let (mut found, mut at) = (Vec::new(), 0);
    while at < inside.len() {
        let entry = self::value(inside, at);
        at += entry.len() + 1;
        let Some(start) = entry.first() else { continue };
        if is_mark(start, "{") {
            let of = |key: &'static str| {
                (0..entry.len())
                    .find(|at| entry[*at].text == key)
                    .map(|at| self::value(entry, at + 2))
                    .unwrap_or_default()
            };
            let key = of("find").iter().map(|token| unquoted(&token.text)).collect();
            found.push(Mapping { key, targets: texts(of("replacement")), line: start.line });
        } else {
            let key = unquoted(&start.text).to_owned();
            found.push(Mapping { key, targets: texts(&entry[1..]), line: start.line });
        }
    }
    found
}

impl Mapping {
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self.targets == other.targets
    }

    fn replaces_own(&self) -> bool {
        // A runner cannot load styles and pictures.
        static ASSETS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:css|less|s[ac]ss|styl|svg|png|jpe?g|gif|webp|woff2?|ttf|md|graphql)\b")
                .expect("a constant pattern")
        });
        static PATHS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^\^?(?:\(\?:)?[\\.]{1,4}/|(?:^|[/^])(?:src|lib|app)(?:\\?/|\$?$)").expect("a constant pattern")
        });
        if ASSETS.is_match(&self.key) {
            return false;
        }
        // `'^src/(.*)$': '<rootDir>/src/$1'` keeps the path of the module.
        let keeps_path = self.targets.iter().any(|target| target.contains('$') || target.contains('*'));
        self.targets.iter().any(|target| is_stand_in(target)) || (PATHS.is_match(&self.key) && !keeps_path)
    }
}

/// Returns true if the path is in a folder of tests or its name indicates a replacement (`fake`, `mock`).
pub(super) fn is_stand_in(path: &str) -> bool {
    static STAND_INS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|/)(?:__mocks__|tests?|__tests__|specs?)(?:/|$)|fake|mock|stub|dummy")
            .expect("a constant pattern")
    });
    STAND_INS.is_match(path)
}
