//! Reads the items of Python files.

use super::{ItemKind, ItemReader, SourceItem};
use crate::change::tokens::{TokenKind, is_symbol};
use std::ops::Range;

const HOOK_FUNCTIONS: [&str; 10] = [
    "setUp",
    "tearDown",
    "setUpClass",
    "tearDownClass",
    "setUpModule",
    "tearDownModule",
    "setup_method",
    "setup_function",
    "setup_module",
    "setup_class",
];

impl ItemReader<'_> {
    pub(super) fn read_python(&mut self, range: Range<usize>, scope: usize) -> Vec<SourceItem> {
        let mut at = range.start;
        let mut decorators = String::new();
        // Each decorator is on its own line.
        while self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Indent) && self.token_text(at + 1) == "@"
        {
            let end = (at + 1..range.end).find(|at| self.tokens[*at].kind == TokenKind::Indent).unwrap_or(range.end);
            decorators += &self.compared_tokens(at..end).concat();
            at = end;
        }
        at += usize::from(self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Indent));
        let at = if self.token_text(at) == "async" { at + 1 } else { at };
        let name = self.token_text(at + 1).to_owned();
        let is_name = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word);
        match self.token_text(at) {
            "def" if name.starts_with("test") => vec![self.build_item(ItemKind::Test, &name, range)],
            "def" => {
                let is_hook = HOOK_FUNCTIONS.contains(&name.as_str())
                    || name.starts_with("pytest_")
                    || decorators.contains("autouse=True");
                vec![self.build_item(if is_hook { ItemKind::Hook } else { ItemKind::Definition }, &name, range)]
            }
            "class" if self.contains_test(&range) => {
                let indents = |at: &usize| self.tokens[*at].kind == TokenKind::Indent && self.tokens[*at].indent > 0;
                let body = (at..range.end).find(indents).unwrap_or(range.end)..range.end;
                vec![self.read_suite(&name, range, body, scope, true)]
            }
            "class" => vec![self.build_item(ItemKind::Definition, &name, range)],
            "import" => {
                let module = self.compared_tokens(at + 1..range.end);
                self.read_python_imports(at + 1..range.end, &range, &module)
            }
            "from" => {
                let end = (at..range.end).find(|at| self.token_text(*at) == "import").unwrap_or(range.end);
                let module = self.compared_tokens(at + 1..end);
                self.read_python_imports(end + 1..range.end, &range, &module)
            }
            "pytestmark" | "collect_ignore" | "collect_ignore_glob" => {
                let name = self.token_text(at).to_owned();
                vec![self.build_item(ItemKind::Hook, &name, range)]
            }
            _ if is_name(at)
                && (self.token_text(at + 1) == ":" || self.token_text(at + 1) == "=")
                && self.token_text(at + 2) != "=" =>
            {
                let name = self.token_text(at).to_owned();
                vec![self.build_item(ItemKind::Definition, &name, range)]
            }
            _ => vec![self.build_item(ItemKind::Other, "", range)],
        }
    }

    fn contains_test(&self, range: &Range<usize>) -> bool {
        self.tokens[range.clone()].windows(2).any(|pair| pair[0].text == "def" && pair[1].text.starts_with("test"))
    }

    fn read_python_imports(&self, names: Range<usize>, all: &Range<usize>, module: &[String]) -> Vec<SourceItem> {
        if names.start >= names.end {
            return Vec::new();
        }
        let entries = self.tokens[names].split(|token| is_symbol(token, ","));
        let items = entries.filter_map(|entry| {
            let words: Vec<&str> =
                entry.iter().filter(|one| one.kind == TokenKind::Word).map(|token| token.text.as_str()).collect();
            let (first, last) = (words.first()?, words.last()?);
            let renamed = words.contains(&"as");
            // `import a.b` binds `a`.
            let name = if renamed { last } else { first };
            Some(self.build_import(name, [&[(*first).to_owned()], module].concat(), all))
        });
        items.collect()
    }
}
