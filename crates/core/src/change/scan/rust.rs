//! Items of Rust.

use super::{Item, ItemKind, Reader};
use crate::change::tokens::{Kind, close_of, is_mark};
use std::ops::Range;

impl Reader<'_> {
    pub(super) fn rust(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
        let mut at = range.start;
        let mut attributes = String::new();
        if self.text(at) == "#" && self.text(at + 1) == "!" {
            return vec![self.item(ItemKind::Hook, "", range)];
        }
        while self.text(at) == "#" && at < range.end {
            let end = (close_of(self.tokens, at + 1) + 1).min(range.end);
            attributes += &self.source(at..end).concat();
            at = end;
        }
        while ["pub", "async", "unsafe", "const", "extern", "(", "crate", ")"].contains(&self.text(at))
            && at < range.end
            && !(self.text(at) == "const" && self.text(at + 1) != "fn")
        {
            at += 1;
        }
        let name = self.text(at + 1).to_owned();
        match self.text(at) {
            "fn" if is_rust_test(&attributes) => vec![self.item(ItemKind::Test, &name, range)],
            "mod" if self.text(at + 2) == "{" => {
                let body = at + 3..close_of(self.tokens, at + 2).min(range.end);
                let is_of_tests = self.scopes[scope].is_of_tests
                    || attributes.contains("cfg(test")
                    || matches!(name.as_str(), "tests" | "test");
                vec![self.suite(&name, range, body, scope, is_of_tests)]
            }
            "fn" | "const" | "static" | "struct" | "enum" | "type" | "trait" => {
                vec![self.item(ItemKind::Definition, &name, range)]
            }
            "impl" => {
                let header = self.tokens[at..range.end].split(|token| is_mark(token, "{")).next().unwrap_or_default();
                let types = header.iter().filter(|token| token.text.starts_with(|letter: char| letter.is_uppercase()));
                // For `impl Display for Cart`, use the second type.
                let is_trait = header.iter().any(|token| token.text == "for");
                let name = types.map(|token| token.text.clone()).nth(usize::from(is_trait)).unwrap_or_default();
                vec![self.item(ItemKind::Definition, &name, range)]
            }
            "macro_rules" => {
                let name = self.text(at + 2).to_owned();
                vec![self.item(ItemKind::Definition, &name, range)]
            }
            "proptest" if self.text(at + 2) == "{" => {
                let body = at + 3..close_of(self.tokens, at + 2).min(range.end);
                vec![self.suite("proptest", range, body, scope, self.scopes[scope].is_of_tests)]
            }
            // A project's macro that declares tests: `rgtest!(name, |dir, cmd| {…})`.
            _ if self.text(at + 1) == "!" && self.text(at + 4) == "," => {
                vec![self.item(ItemKind::Test, self.text(at + 3), range)]
            }
            "use" => {
                let path = self.source(at + 1..range.end);
                let words = self.tokens[at + 1..range.end].iter().filter(|token| token.kind == Kind::Word);
                words.map(|word| self.import(&word.text, path.clone(), &range)).collect()
            }
            _ => vec![self.item(ItemKind::Other, "", range)],
        }
    }
}

fn is_rust_test(attributes: &str) -> bool {
    ["test]", "test(", "rstest", "test_case", "quickcheck"].iter().any(|mark| attributes.contains(mark))
}
