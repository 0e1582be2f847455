//! Reads the items of Go files.

use super::{ItemKind, ItemReader, SourceItem};
use crate::change::tokens::{TokenKind, find_closing_bracket};
use std::ops::Range;

impl ItemReader<'_> {
    pub(super) fn read_go(&self, range: Range<usize>) -> Vec<SourceItem> {
        let at = range.start;
        let has_receiver = self.token_text(at) == "func" && self.token_text(at + 1) == "(";
        // Name a method after its type, so that a change of the method counts as a change of the type.
        let name = if has_receiver {
            let receiver = &self.tokens[at + 1..find_closing_bracket(self.tokens, at + 1).min(range.end)];
            receiver.iter().rfind(|token| token.kind == TokenKind::Word).map_or("", |token| &token.text).to_owned()
        } else {
            self.token_text(at + 1).to_owned()
        };
        let starts = ["Test", "Benchmark", "Fuzz", "Example"];
        let is_test = !has_receiver && starts.iter().any(|start| name.starts_with(start));
        let kind = match self.token_text(at) {
            "func" if name == "TestMain" || name == "init" => ItemKind::Hook,
            "func" if is_test => ItemKind::Test,
            "const" | "var" if name == "(" => {
                let inside = self.split_statements(at + 2..find_closing_bracket(self.tokens, at + 1).min(range.end));
                let definition =
                    |one: Range<usize>| self.build_item(ItemKind::Definition, self.token_text(one.start), one);
                return inside.into_iter().map(definition).collect();
            }
            "func" | "type" | "const" | "var" => ItemKind::Definition,
            "import" => {
                let paths = self.tokens[range.clone()].iter().filter(|token| token.kind == TokenKind::StringOrRegex);
                let name = |path: &str| path.trim_matches('"').rsplit('/').next().unwrap_or_default().to_owned();
                return paths
                    .map(|path| self.build_import(&name(&path.text), vec![path.text.clone()], &range))
                    .collect();
            }
            "package" => return Vec::new(),
            text if text.starts_with("//") => ItemKind::Hook,
            _ => ItemKind::Other,
        };
        vec![self.build_item(kind, &name, range)]
    }
}
