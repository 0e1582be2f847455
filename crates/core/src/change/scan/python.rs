//! Items of Python.

use super::{Item, ItemKind, Reader};
use crate::change::tokens::{Kind, is_mark};
use std::ops::Range;

const PYTHON_HOOKS: [&str; 10] = [
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

impl Reader<'_> {
    pub(super) fn python(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
        let mut at = range.start;
        let mut decorators = String::new();
        // Each decorator is on its own line.
        while self.tokens.get(at).is_some_and(|token| token.kind == Kind::Indent) && self.text(at + 1) == "@" {
            let end = (at + 1..range.end).find(|at| self.tokens[*at].kind == Kind::Indent).unwrap_or(range.end);
            decorators += &self.source(at..end).concat();
            at = end;
        }
        at += usize::from(self.tokens.get(at).is_some_and(|token| token.kind == Kind::Indent));
        let at = if self.text(at) == "async" { at + 1 } else { at };
        let name = self.text(at + 1).to_owned();
        let is_name = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word);
        match self.text(at) {
            "def" if name.starts_with("test") => vec![self.item(ItemKind::Test, &name, range)],
            "def" => {
                let is_hook = PYTHON_HOOKS.contains(&name.as_str())
                    || name.starts_with("pytest_")
                    || decorators.contains("autouse=True");
                vec![self.item(if is_hook { ItemKind::Hook } else { ItemKind::Definition }, &name, range)]
            }
            "class" if self.holds_tests(&range) => {
                let indents = |at: &usize| self.tokens[*at].kind == Kind::Indent && self.tokens[*at].indent > 0;
                let body = (at..range.end).find(indents).unwrap_or(range.end)..range.end;
                vec![self.suite(&name, range, body, scope, true)]
            }
            "class" => vec![self.item(ItemKind::Definition, &name, range)],
            "import" => {
                let module = self.source(at + 1..range.end);
                self.python_names(at + 1..range.end, &range, &module)
            }
            "from" => {
                let end = (at..range.end).find(|at| self.text(*at) == "import").unwrap_or(range.end);
                let module = self.source(at + 1..end);
                self.python_names(end + 1..range.end, &range, &module)
            }
            "pytestmark" | "collect_ignore" | "collect_ignore_glob" => {
                let name = self.text(at).to_owned();
                vec![self.item(ItemKind::Hook, &name, range)]
            }
            _ if is_name(at) && (self.text(at + 1) == ":" || self.text(at + 1) == "=") && self.text(at + 2) != "=" => {
                let name = self.text(at).to_owned();
                vec![self.item(ItemKind::Definition, &name, range)]
            }
            _ => vec![self.item(ItemKind::Other, "", range)],
        }
    }

    fn holds_tests(&self, range: &Range<usize>) -> bool {
        self.tokens[range.clone()].windows(2).any(|pair| pair[0].text == "def" && pair[1].text.starts_with("test"))
    }

    fn python_names(&self, names: Range<usize>, all: &Range<usize>, module: &[String]) -> Vec<Item> {
        if names.start >= names.end {
            return Vec::new();
        }
        let entries = self.tokens[names].split(|token| is_mark(token, ","));
        let items = entries.filter_map(|entry| {
            let words: Vec<&str> =
                entry.iter().filter(|one| one.kind == Kind::Word).map(|token| token.text.as_str()).collect();
            let (first, last) = (words.first()?, words.last()?);
            let renamed = words.contains(&"as");
            // `import a.b` binds `a`.
            let name = if renamed { last } else { first };
            Some(self.import(name, [&[(*first).to_owned()], module].concat(), all))
        });
        items.collect()
    }
}
