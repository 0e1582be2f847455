//! Items of Go.

use super::{Item, ItemKind, Reader};
use crate::change::tokens::{Kind, close_of};
use std::ops::Range;

impl Reader<'_> {
    pub(super) fn go(&self, range: Range<usize>) -> Vec<Item> {
        let at = range.start;
        let has_receiver = self.text(at) == "func" && self.text(at + 1) == "(";
        // A method belongs to its type.
        let name = if has_receiver {
            let receiver = &self.tokens[at + 1..close_of(self.tokens, at + 1).min(range.end)];
            receiver.iter().rfind(|token| token.kind == Kind::Word).map_or("", |token| &token.text).to_owned()
        } else {
            self.text(at + 1).to_owned()
        };
        let starts = ["Test", "Benchmark", "Fuzz", "Example"];
        let is_test = !has_receiver && starts.iter().any(|start| name.starts_with(start));
        let kind = match self.text(at) {
            "func" if name == "TestMain" || name == "init" => ItemKind::Hook,
            "func" if is_test => ItemKind::Test,
            "const" | "var" if name == "(" => {
                let inside = self.statements(at + 2..close_of(self.tokens, at + 1).min(range.end));
                let definition = |one: Range<usize>| self.item(ItemKind::Definition, self.text(one.start), one);
                return inside.into_iter().map(definition).collect();
            }
            "func" | "type" | "const" | "var" => ItemKind::Definition,
            "import" => {
                let paths = self.tokens[range.clone()].iter().filter(|token| token.kind == Kind::Text);
                let name = |path: &str| path.trim_matches('"').rsplit('/').next().unwrap_or_default().to_owned();
                return paths.map(|path| self.import(&name(&path.text), vec![path.text.clone()], &range)).collect();
            }
            "package" => return Vec::new(),
            text if text.starts_with("//") => ItemKind::Hook,
            _ => ItemKind::Other,
        };
        vec![self.item(kind, &name, range)]
    }
}
