//! Parses a source file into the items of its scopes: tests, suites, hooks, definitions and imports. Items are compared
//! by their tokens, so that two versions are equal if they differ only in comments and layout.

mod go;
mod javascript;
mod python;
mod rust;

use super::{
    files::{FileRole, Language, role},
    tokens::{Kind, Token, begins_statement, depth_change, is_mark, tokens},
};
use std::ops::Range;
/// A scope for names: a file, or a suite in it.
#[derive(Debug)]
pub(crate) struct Scope {
    /// The part of a suite before its items: its name, marks and parameters.
    pub(crate) head: Vec<String>,
    pub(crate) line: u32,
    pub(crate) items: Vec<Item>,
    pub(crate) parent: Option<usize>,
    /// Set if the scope contains only tests. A Rust file contains its tests and the tested code.
    pub(crate) is_of_tests: bool,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    /// The title of a test, or the name that an import binds.
    pub(crate) name: String,
    /// The compared tokens; for an import, the source of the name.
    pub(crate) source: Vec<String>,
    pub(crate) lines: Range<u32>,
    /// The scope of a suite.
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

/// One version of a file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) language: Language,
    /// The first scope is the file's own.
    pub(crate) scopes: Vec<Scope>,
}

/// A test and the scope that contains it.
#[derive(Clone, Copy)]
pub(crate) struct TestAt<'f> {
    pub(crate) item: &'f Item,
    pub(crate) scope: usize,
}

impl File {
    /// Parses a file; `lines` are line numbers and texts.
    pub(crate) fn read(path: &str, language: Language, lines: &[(u32, &str)]) -> Self {
        let tokens = tokens(lines, language);
        let mut reader = Reader { tokens: &tokens, language, scopes: Vec::new() };
        let is_of_tests = role(path) == FileRole::Test;
        reader.scope(Vec::new(), 1, 0..tokens.len(), None, is_of_tests);
        Self { path: path.to_owned(), language, scopes: reader.scopes }
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = TestAt<'_>> {
        self.scopes.iter().enumerate().flat_map(|(scope, one)| {
            one.items.iter().filter(|item| item.kind == ItemKind::Test).map(move |item| TestAt { item, scope })
        })
    }

    /// Returns the scopes around a test, innermost first.
    pub(crate) fn around(&self, test: TestAt<'_>) -> impl Iterator<Item = &Scope> {
        std::iter::successors(Some(&self.scopes[test.scope]), |scope| scope.parent.map(|parent| &self.scopes[parent]))
    }

    /// Returns the titles of the suites around a test and its own title, outermost first.
    pub(crate) fn titles<'f>(&'f self, test: TestAt<'f>) -> Vec<&'f str> {
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
struct Reader<'t> {
    tokens: &'t [Token],
    language: Language,
    scopes: Vec<Scope>,
}
impl Reader<'_> {
    fn scope(
        &mut self,
        head: Vec<String>,
        line: u32,
        range: Range<usize>,
        parent: Option<usize>,
        is_of_tests: bool,
    ) -> usize {
        let index = self.scopes.len();
        self.scopes.push(Scope { head, line, items: Vec::new(), parent, is_of_tests });
        for statement in self.statements(range) {
            let items = match self.language {
                Language::JavaScript => self.javascript(statement, index),
                Language::Python => self.python(statement, index),
                Language::Go => self.go(statement),
                Language::Rust => self.rust(statement, index),
                _ => Vec::new(),
            };
            self.scopes[index].items.extend(items);
        }
        index
    }

    fn statements(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let (mut start, mut depth) = (range.start, 0_i32);
        let base =
            self.tokens[range.clone()].iter().find(|token| token.kind == Kind::Indent).map_or(0, |one| one.indent);
        for at in range.clone() {
            let token = &self.tokens[at];
            let begins = at > start
                && depth == 0
                && begins_statement(&self.tokens[at - 1], token, self.language)
                && token.indent <= base
                && !self.goes_on(start..at);
            if begins {
                found.push(start..at);
                start = at;
            }
            depth = (depth + depth_change(token)).max(0);
        }
        if start < range.end {
            found.push(start..range.end);
        }
        found
    }

    /// Checks whether the statement continues: it is a decorator or attribute of the next statement, or the next
    /// statement is a further part such as `else`.
    fn goes_on(&self, statement: Range<usize>) -> bool {
        let next = self.tokens.get(statement.end + 1);
        let words = self.words(&statement);
        match self.language {
            Language::Python => {
                let goes_on = ["else", "elif", "except", "finally"];
                let last =
                    self.tokens[statement.clone()].iter().rposition(|token| token.kind == Kind::Indent).unwrap_or(0);
                let is_decorator = words.first() == Some(&"@")
                    && self.tokens.get(statement.start + last + 1).is_some_and(|token| is_mark(token, "@"));
                is_decorator || next.is_some_and(|next| goes_on.contains(&next.text.as_str()))
            }
            Language::Rust if words.first() == Some(&"#") && words.get(1) != Some(&"!") => {
                let mut depth = 0;
                let is_outside = |token: &Token| {
                    let here = depth;
                    depth += depth_change(token);
                    here == 0 && token.kind == Kind::Word
                };
                !self.tokens[statement].iter().any(is_outside)
            }
            _ => false,
        }
    }

    fn words(&self, range: &Range<usize>) -> Vec<&str> {
        let code = self.tokens[range.clone()].iter().filter(|token| token.kind != Kind::Indent);
        code.take(8).map(|token| token.text.as_str()).collect()
    }

    /// Returns the compared tokens: without the semicolons of JavaScript, and with the relative indentation of Python.
    fn source(&self, range: Range<usize>) -> Vec<String> {
        let tokens = &self.tokens[range];
        let base = tokens.iter().find(|token| token.kind == Kind::Indent).map_or(0, |token| token.indent);
        let text = |token: &Token| match token.kind {
            Kind::Indent => format!("\n{}", token.indent.saturating_sub(base)),
            _ => token.text.clone(),
        };
        let is_dropped = |token: &&Token| self.language == Language::JavaScript && is_mark(token, ";");
        tokens.iter().filter(|token| !is_dropped(token)).map(text).collect()
    }

    fn item(&self, kind: ItemKind, name: &str, range: Range<usize>) -> Item {
        let source = self.source(range.clone());
        Item { kind, name: name.to_owned(), source, lines: self.lines(&range), inner: None }
    }

    fn lines(&self, range: &Range<usize>) -> Range<u32> {
        let line = |at: usize| self.tokens.get(at).map_or(0, |token| token.line);
        line(range.start)..line(range.end.saturating_sub(1)) + 1
    }

    fn import(&self, name: &str, source: Vec<String>, range: &Range<usize>) -> Item {
        Item { kind: ItemKind::Import, name: name.to_owned(), source, lines: self.lines(range), inner: None }
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }
    fn suite(&mut self, name: &str, range: Range<usize>, body: Range<usize>, scope: usize, is_of_tests: bool) -> Item {
        let head = [self.source(range.start..body.start), self.source(body.end..range.end)].concat();
        let line = self.lines(&range).start;
        let inner = self.scope(head, line, body, Some(scope), is_of_tests);
        let lines = self.lines(&range);
        Item { kind: ItemKind::Suite, name: name.to_owned(), source: Vec::new(), lines, inner: Some(inner) }
    }
}
