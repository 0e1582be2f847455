//! Reads the items of JavaScript and TypeScript files.

use super::{ItemKind, ItemReader, SourceItem};
use crate::change::tokens::{TokenKind, find_closing_bracket, is_symbol, strip_quotes};
use std::ops::Range;

const TEST_FUNCTIONS: [&str; 9] = ["it", "test", "specify", "scenario", "xit", "fit", "xtest", "xspecify", "bench"];
const SUITE_FUNCTIONS: [&str; 8] =
    ["describe", "context", "suite", "xdescribe", "fdescribe", "xcontext", "fcontext", "Deno"];
const HOOK_FUNCTIONS: [&str; 10] = [
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

/// Checks for `describe` or a project's own wrapper: `describeMatrix('cart', (runtime, { it }) => {…})`.
fn opens_suite(word: &str) -> bool {
    let own = ["describe", "suite"].iter().find_map(|name| word.strip_prefix(name));
    SUITE_FUNCTIONS.contains(&word)
        || own.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

impl ItemReader<'_> {
    pub(super) fn read_javascript(&mut self, range: Range<usize>, scope: usize) -> Vec<SourceItem> {
        let mut at = range.start;
        while at < range.end && ["export", "default", "declare", "async", "await"].contains(&self.token_text(at)) {
            at += 1;
        }
        let named = at..range.end;
        let word = self.token_text(at).to_owned();
        match word.as_str() {
            "import" if self.token_text(at + 1) != "(" => self.read_javascript_import(named),
            "const" | "let" | "var" if ["{", "["].contains(&self.token_text(at + 1)) => {
                let close = find_closing_bracket(self.tokens, at + 1);
                let value = self.compared_tokens((close + 1).min(range.end)..range.end);
                self.read_bindings(at + 2..close.min(range.end), &value, &range)
            }
            "const" | "let" | "var" => vec![self.build_item(ItemKind::Definition, self.token_text(at + 1), named)],
            "function" | "class" | "interface" | "type" | "enum" => {
                let name = if self.token_text(at + 1) == "*" { at + 2 } else { at + 1 };
                vec![self.build_item(ItemKind::Definition, self.token_text(name), named)]
            }
            word if TEST_FUNCTIONS.contains(&word) || SUITE_FUNCTIONS.contains(&word) => {
                self.read_javascript_test(range, at, scope)
            }
            word if HOOK_FUNCTIONS.contains(&word) && self.token_text(at + 1) == "(" => {
                vec![self.build_item(ItemKind::Hook, word, range)]
            }
            word if opens_suite(word) && self.token_text(at + 1) == "(" => self.read_javascript_test(range, at, scope),
            _ => vec![self.build_item(ItemKind::Other, "", range)],
        }
    }

    fn read_javascript_import(&self, range: Range<usize>) -> Vec<SourceItem> {
        let mut texts = self.tokens[range.clone()].iter().filter(|token| token.kind == TokenKind::StringOrRegex);
        let Some(module) = texts.next_back().map(|token| token.text.clone()) else { return Vec::new() };
        let end = range.clone().find(|at| self.token_text(*at) == "from").unwrap_or(range.end);
        let bound = self.read_bindings(range.start + 1..end, &[module], &range);
        if bound.is_empty() { vec![self.build_item(ItemKind::Other, "", range)] } else { bound }
    }

    /// Reads the names in a list of bindings, such as `a, b as c, d: e`, as imports.
    fn read_bindings(&self, names: Range<usize>, source: &[String], all: &Range<usize>) -> Vec<SourceItem> {
        let entries = self.tokens[names].split(|token| is_symbol(token, ","));
        let items = entries.filter_map(|entry| {
            let words: Vec<&str> = entry
                .iter()
                .filter(|token| token.kind == TokenKind::Word && !["as", "type"].contains(&token.text.as_str()))
                .map(|token| token.text.as_str())
                .collect();
            let (first, last) = (words.first()?, words.last()?);
            Some(self.build_import(last, [&[(*first).to_owned()], source].concat(), all))
        });
        items.collect()
    }

    /// Reads a test or a suite: `it.each([…])('adds', () => {…})`, `describe('cart', () => {…})`.
    fn read_javascript_test(&mut self, range: Range<usize>, start: usize, scope: usize) -> Vec<SourceItem> {
        let (mut at, mut is_suite) =
            (start + 1, opens_suite(self.token_text(start)) && self.token_text(start) != "Deno");
        while self.token_text(at) == "." {
            if HOOK_FUNCTIONS.contains(&self.token_text(at + 1)) {
                return vec![self.build_item(ItemKind::Hook, self.token_text(at + 1), range)];
            }
            is_suite |= SUITE_FUNCTIONS.contains(&self.token_text(at + 1));
            at += 2;
        }
        while at < range.end {
            if self.token_text(at) != "(" {
                // The table of `each` may be a template string.
                if self.tokens[at].kind != TokenKind::StringOrRegex {
                    break;
                }
                at += 1;
                continue;
            }
            let close = find_closing_bracket(self.tokens, at).min(range.end);
            let is_last = close + 1 >= range.end || self.token_text(close + 1) != "(";
            let first = &self.tokens[(at + 1).min(range.end - 1)];
            if !is_last || !matches!(first.kind, TokenKind::StringOrRegex | TokenKind::Word) {
                at = close + 1;
                continue;
            }
            // If the title is a variable, its value is unknown, so mark it like a placeholder.
            let place = if first.kind == TokenKind::Word { "$" } else { "" };
            let name = format!("{place}{}", strip_quotes(&first.text));
            if !is_suite {
                return vec![self.build_item(ItemKind::Test, &name, range)];
            }
            let opens = |at: &usize| self.token_text(*at) == "{" && [">", ")"].contains(&self.token_text(at - 1));
            let body = (at + 2..close)
                .find(opens)
                .map_or(close..close, |open| open + 1..find_closing_bracket(self.tokens, open).min(close));
            return vec![self.read_suite(&name, range, body, scope, true)];
        }
        vec![self.build_item(ItemKind::Other, "", range)]
    }
}
