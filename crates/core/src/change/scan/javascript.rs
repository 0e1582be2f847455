//! Items of JavaScript and TypeScript.

use super::{Item, ItemKind, Reader};
use crate::change::tokens::{Kind, close_of, is_mark, unquoted};
use std::ops::Range;

const JS_TESTS: [&str; 9] = ["it", "test", "specify", "scenario", "xit", "fit", "xtest", "xspecify", "bench"];
const JS_SUITES: [&str; 8] = ["describe", "context", "suite", "xdescribe", "fdescribe", "xcontext", "fcontext", "Deno"];
const JS_HOOKS: [&str; 10] = [
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "before",
    "after",
    "setup",
    "teardown",
    "suiteSetup",
    "suiteTeardown",
];

/// Matches `describe` and a project's own wrapper: `describeMatrix('cart', (runtime, { it }) => {…})`.
fn opens_suite(word: &str) -> bool {
    let own = ["describe", "suite"].iter().find_map(|name| word.strip_prefix(name));
    JS_SUITES.contains(&word) || own.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

impl Reader<'_> {
    pub(super) fn javascript(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
        let mut at = range.start;
        while at < range.end && ["export", "default", "declare", "async", "await"].contains(&self.text(at)) {
            at += 1;
        }
        let named = at..range.end;
        let word = self.text(at).to_owned();
        match word.as_str() {
            "import" if self.text(at + 1) != "(" => self.javascript_import(named),
            "const" | "let" | "var" if ["{", "["].contains(&self.text(at + 1)) => {
                let close = close_of(self.tokens, at + 1);
                let value = self.source((close + 1).min(range.end)..range.end);
                self.bound(at + 2..close.min(range.end), &value, &range)
            }
            "const" | "let" | "var" => vec![self.item(ItemKind::Definition, self.text(at + 1), named)],
            "function" | "class" | "interface" | "type" | "enum" => {
                let name = if self.text(at + 1) == "*" { at + 2 } else { at + 1 };
                vec![self.item(ItemKind::Definition, self.text(name), named)]
            }
            word if JS_TESTS.contains(&word) || JS_SUITES.contains(&word) => self.javascript_test(range, at, scope),
            word if JS_HOOKS.contains(&word) && self.text(at + 1) == "(" => {
                vec![self.item(ItemKind::Hook, word, range)]
            }
            word if opens_suite(word) && self.text(at + 1) == "(" => self.javascript_test(range, at, scope),
            _ => vec![self.item(ItemKind::Other, "", range)],
        }
    }

    fn javascript_import(&self, range: Range<usize>) -> Vec<Item> {
        let mut texts = self.tokens[range.clone()].iter().filter(|token| token.kind == Kind::Text);
        let Some(module) = texts.next_back().map(|token| token.text.clone()) else { return Vec::new() };
        let end = range.clone().find(|at| self.text(*at) == "from").unwrap_or(range.end);
        let bound = self.bound(range.start + 1..end, &[module], &range);
        if bound.is_empty() { vec![self.item(ItemKind::Other, "", range)] } else { bound }
    }

    /// Returns the names in a list of bindings: `a, b as c, d: e`.
    fn bound(&self, names: Range<usize>, source: &[String], all: &Range<usize>) -> Vec<Item> {
        let entries = self.tokens[names].split(|token| is_mark(token, ","));
        let items = entries.filter_map(|entry| {
            let words: Vec<&str> = entry
                .iter()
                .filter(|token| token.kind == Kind::Word && !["as", "type"].contains(&token.text.as_str()))
                .map(|token| token.text.as_str())
                .collect();
            let (first, last) = (words.first()?, words.last()?);
            Some(self.import(last, [&[(*first).to_owned()], source].concat(), all))
        });
        items.collect()
    }

    /// `it.each([…])('adds', () => {…})`, `describe('cart', () => {…})`.
    fn javascript_test(&mut self, range: Range<usize>, start: usize, scope: usize) -> Vec<Item> {
        let (mut at, mut is_suite) = (start + 1, opens_suite(self.text(start)) && self.text(start) != "Deno");
        while self.text(at) == "." {
            if JS_HOOKS.contains(&self.text(at + 1)) {
                return vec![self.item(ItemKind::Hook, self.text(at + 1), range)];
            }
            is_suite |= JS_SUITES.contains(&self.text(at + 1));
            at += 2;
        }
        while at < range.end {
            if self.text(at) != "(" {
                // The table of `each` may be a template.
                if self.tokens[at].kind != Kind::Text {
                    break;
                }
                at += 1;
                continue;
            }
            let close = close_of(self.tokens, at).min(range.end);
            let is_last = close + 1 >= range.end || self.text(close + 1) != "(";
            let first = &self.tokens[(at + 1).min(range.end - 1)];
            if !is_last || !matches!(first.kind, Kind::Text | Kind::Word) {
                at = close + 1;
                continue;
            }
            // The value of a title in a variable is unknown.
            let place = if first.kind == Kind::Word { "$" } else { "" };
            let name = format!("{place}{}", unquoted(&first.text));
            if !is_suite {
                return vec![self.item(ItemKind::Test, &name, range)];
            }
            let opens = |at: &usize| self.text(*at) == "{" && [">", ")"].contains(&self.text(at - 1));
            let body = (at + 2..close)
                .find(opens)
                .map_or(close..close, |open| open + 1..close_of(self.tokens, open).min(close));
            return vec![self.suite(&name, range, body, scope, true)];
        }
        vec![self.item(ItemKind::Other, "", range)]
    }
}
