//! Parses a source file into items: tests, suites, hooks, definitions and imports. Callers compare items by their
//! tokens, so that two versions are equal if they differ only in comments and layout.

mod go;
mod javascript;
mod python;
mod rust;

use super::{
    files::{FileRole, Language, detect_role},
    tokens::{Token, TokenKind, is_symbol, nesting_change, starts_statement, tokenize},
};
use std::ops::Range;
/// A scope for names: a file, or a suite in a file.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Tokens of a suite outside of its items: its name, attributes and parameters.
    pub(crate) head: Vec<String>,
    pub(crate) line: u32,
    pub(crate) items: Vec<SourceItem>,
    pub(crate) parent: Option<usize>,
    /// Set if the scope contains only tests. A Rust file contains its tests and the tested code.
    pub(crate) has_only_tests: bool,
}

#[derive(Debug)]
pub(crate) struct SourceItem {
    pub(crate) kind: ItemKind,
    /// The title of a test, or the name that an import binds.
    pub(crate) name: String,
    /// The tokens to compare; for an import, the name and its module.
    pub(crate) tokens_to_compare: Vec<String>,
    pub(crate) lines: Range<u32>,
    /// Index of the scope of a suite.
    inner: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Test,
    Suite,
    /// Runs around tests, or decides which tests run.
    Hook,
    Definition,
    Import,
    Other,
}

/// A version of a file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) language: Language,
    /// The first scope is the scope of the whole file.
    pub(crate) scopes: Vec<Scope>,
}

/// A test and the scope that contains it.
#[derive(Clone, Copy)]
pub(crate) struct ScopedTest<'f> {
    pub(crate) item: &'f SourceItem,
    pub(crate) scope: usize,
}

impl File {
    /// Parses a file; `lines` are line numbers and texts.
    pub(crate) fn parse(path: &str, language: Language, lines: &[(u32, &str)]) -> Self {
        let tokens = tokenize(lines, language);
        let mut reader = ItemReader { tokens: &tokens, language, scopes: Vec::new() };
        let has_only_tests = detect_role(path) == FileRole::Test;
        reader.read_scope(Vec::new(), 1, 0..tokens.len(), None, has_only_tests);
        Self { path: path.to_owned(), language, scopes: reader.scopes }
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = ScopedTest<'_>> {
        self.scopes.iter().enumerate().flat_map(|(scope, one)| {
            one.items.iter().filter(|item| item.kind == ItemKind::Test).map(move |item| ScopedTest { item, scope })
        })
    }

    /// Returns the scopes around a test, innermost first.
    pub(crate) fn enclosing_scopes(&self, test: ScopedTest<'_>) -> impl Iterator<Item = &Scope> {
        std::iter::successors(Some(&self.scopes[test.scope]), |scope| scope.parent.map(|parent| &self.scopes[parent]))
    }

    /// Returns the titles of the suites around a test and its own title, outermost first.
    pub(crate) fn title_path<'f>(&'f self, test: ScopedTest<'f>) -> Vec<&'f str> {
        let mut titles = vec![test.item.name.as_str()];
        let mut inner = test.scope;
        while let Some(parent) = self.scopes[inner].parent {
            let suite = self.scopes[parent].items.iter().find(|item| item.inner == Some(inner));
            titles.extend(suite.map(|suite| suite.name.as_str()));
            inner = parent;
        }
        titles.reverse();
        titles
    }
}
struct ItemReader<'t> {
    tokens: &'t [Token],
    language: Language,
    scopes: Vec<Scope>,
}
impl ItemReader<'_> {
    fn read_scope(
        &mut self,
        head: Vec<String>,
        line: u32,
        range: Range<usize>,
        parent: Option<usize>,
        has_only_tests: bool,
    ) -> usize {
        let index = self.scopes.len();
        self.scopes.push(Scope { head, line, items: Vec::new(), parent, has_only_tests });
        for statement in self.split_statements(range) {
            let items = match self.language {
                Language::JavaScript => self.read_javascript(statement, index),
                Language::Python => self.read_python(statement, index),
                Language::Go => self.read_go(statement),
                Language::Rust => self.read_rust(statement, index),
                _ => Vec::new(),
            };
            self.scopes[index].items.extend(items);
        }
        index
    }

    fn split_statements(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let (mut start, mut depth) = (range.start, 0_i32);
        let base =
            self.tokens[range.clone()].iter().find(|token| token.kind == TokenKind::Indent).map_or(0, |one| one.indent);
        for at in range.clone() {
            let token = &self.tokens[at];
            let begins = at > start
                && depth == 0
                && starts_statement(&self.tokens[at - 1], token, self.language)
                && token.indent <= base
                && !self.continues_statement(start..at);
            if begins {
                found.push(start..at);
                start = at;
            }
            depth = (depth + nesting_change(token)).max(0);
        }
        if start < range.end {
            found.push(start..range.end);
        }
        found
    }

    /// Checks whether the tokens after `statement` belong to the same statement. They do if `statement` is only a
    /// decorator or an attribute, or if the tokens start with a word such as `else`.
    fn continues_statement(&self, statement: Range<usize>) -> bool {
        let next = self.tokens.get(statement.end + 1);
        let words = self.first_words(&statement);
        match self.language {
            Language::Python => {
                let continuations = ["else", "elif", "except", "finally"];
                let last = self.tokens[statement.clone()]
                    .iter()
                    .rposition(|token| token.kind == TokenKind::Indent)
                    .unwrap_or(0);
                let is_decorator = words.first() == Some(&"@")
                    && self.tokens.get(statement.start + last + 1).is_some_and(|token| is_symbol(token, "@"));
                is_decorator || next.is_some_and(|next| continuations.contains(&next.text.as_str()))
            }
            Language::Rust if words.first() == Some(&"#") && words.get(1) != Some(&"!") => {
                let mut depth = 0;
                let is_outside = |token: &Token| {
                    let here = depth;
                    depth += nesting_change(token);
                    here == 0 && token.kind == TokenKind::Word
                };
                !self.tokens[statement].iter().any(is_outside)
            }
            _ => false,
        }
    }

    fn first_words(&self, range: &Range<usize>) -> Vec<&str> {
        let code = self.tokens[range.clone()].iter().filter(|token| token.kind != TokenKind::Indent);
        code.take(8).map(|token| token.text.as_str()).collect()
    }

    /// Returns the tokens to compare: for JavaScript without semicolons, for Python with the relative indentation.
    fn compared_tokens(&self, range: Range<usize>) -> Vec<String> {
        let tokens = &self.tokens[range];
        let base = tokens.iter().find(|token| token.kind == TokenKind::Indent).map_or(0, |token| token.indent);
        let text = |token: &Token| match token.kind {
            TokenKind::Indent => format!("\n{}", token.indent.saturating_sub(base)),
            _ => token.text.clone(),
        };
        let is_dropped = |token: &&Token| self.language == Language::JavaScript && is_symbol(token, ";");
        tokens.iter().filter(|token| !is_dropped(token)).map(text).collect()
    }

    fn build_item(&self, kind: ItemKind, name: &str, range: Range<usize>) -> SourceItem {
        let source = self.compared_tokens(range.clone());
        SourceItem {
            kind,
            name: name.to_owned(),
            tokens_to_compare: source,
            lines: self.line_range(&range),
            inner: None,
        }
    }

    fn line_range(&self, range: &Range<usize>) -> Range<u32> {
        let line = |at: usize| self.tokens.get(at).map_or(0, |token| token.line);
        line(range.start)..line(range.end.saturating_sub(1)) + 1
    }

    fn build_import(&self, name: &str, source: Vec<String>, range: &Range<usize>) -> SourceItem {
        SourceItem {
            kind: ItemKind::Import,
            name: name.to_owned(),
            tokens_to_compare: source,
            lines: self.line_range(range),
            inner: None,
        }
    }

    fn token_text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }
    fn read_suite(
        &mut self,
        name: &str,
        range: Range<usize>,
        body: Range<usize>,
        scope: usize,
        has_only_tests: bool,
    ) -> SourceItem {
        let head = [self.compared_tokens(range.start..body.start), self.compared_tokens(body.end..range.end)].concat();
        let line = self.line_range(&range).start;
        let inner = self.read_scope(head, line, body, Some(scope), has_only_tests);
        let lines = self.line_range(&range);
        SourceItem {
            kind: ItemKind::Suite,
            name: name.to_owned(),
            tokens_to_compare: Vec::new(),
            lines,
            inner: Some(inner),
        }
    }
}
