//! Reads the items of Rust files.

use super::{ItemKind, ItemReader, SourceItem};
use crate::change::tokens::{TokenKind, find_closing_bracket, is_symbol};
use std::ops::Range;

impl ItemReader<'_> {
    pub(super) fn read_rust(&mut self, range: Range<usize>, scope: usize) -> Vec<SourceItem> {
        let mut at = range.start;
        let mut attributes = String::new();
        if self.token_text(at) == "#" && self.token_text(at + 1) == "!" {
            return vec![self.build_item(ItemKind::Hook, "", range)];
        }
        while self.token_text(at) == "#" && at < range.end {
            let end = (find_closing_bracket(self.tokens, at + 1) + 1).min(range.end);
            attributes += &self.compared_tokens(at..end).concat();
            at = end;
        }
        while ["pub", "async", "unsafe", "const", "extern", "(", "crate", ")"].contains(&self.token_text(at))
            && at < range.end
            && !(self.token_text(at) == "const" && self.token_text(at + 1) != "fn")
        {
            at += 1;
        }
        let name = self.token_text(at + 1).to_owned();
        match self.token_text(at) {
            "fn" if is_rust_test(&attributes) => vec![self.build_item(ItemKind::Test, &name, range)],
            "mod" if self.token_text(at + 2) == "{" => {
                let body = at + 3..find_closing_bracket(self.tokens, at + 2).min(range.end);
                let has_only_tests = self.scopes[scope].has_only_tests
                    || attributes.contains("cfg(test")
                    || matches!(name.as_str(), "tests" | "test");
                vec![self.read_suite(&name, range, body, scope, has_only_tests)]
            }
            "fn" | "const" | "static" | "struct" | "enum" | "type" | "trait" => {
                vec![self.build_item(ItemKind::Definition, &name, range)]
            }
            "impl" => {
                let header = self.tokens[at..range.end].split(|token| is_symbol(token, "{")).next().unwrap_or_default();
                let types = header.iter().filter(|token| token.text.starts_with(|letter: char| letter.is_uppercase()));
                // In `impl Display for Cart`, the second type is the name.
                let is_trait = header.iter().any(|token| token.text == "for");
                let name = types.map(|token| token.text.clone()).nth(usize::from(is_trait)).unwrap_or_default();
                vec![self.build_item(ItemKind::Definition, &name, range)]
            }
            "macro_rules" => {
                let name = self.token_text(at + 2).to_owned();
                vec![self.build_item(ItemKind::Definition, &name, range)]
            }
            "proptest" if self.token_text(at + 2) == "{" => {
                let body = at + 3..find_closing_bracket(self.tokens, at + 2).min(range.end);
                vec![self.read_suite("proptest", range, body, scope, self.scopes[scope].has_only_tests)]
            }
            // A macro of the project that declares a test: `rgtest!(name, |dir, cmd| {…})`.
            _ if self.token_text(at + 1) == "!" && self.token_text(at + 4) == "," => {
                vec![self.build_item(ItemKind::Test, self.token_text(at + 3), range)]
            }
            "use" => {
                let path = self.compared_tokens(at + 1..range.end);
                let words = self.tokens[at + 1..range.end].iter().filter(|token| token.kind == TokenKind::Word);
                words.map(|word| self.build_import(&word.text, path.clone(), &range)).collect()
            }
            _ => vec![self.build_item(ItemKind::Other, "", range)],
        }
    }
}

fn is_rust_test(attributes: &str) -> bool {
    ["test]", "test(", "rstest", "test_case", "quickcheck"].iter().any(|mark| attributes.contains(mark))
}
