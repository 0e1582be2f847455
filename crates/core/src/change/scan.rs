//! A source file as tokens, and as the items of its scopes: tests, suites, hooks, definitions, imports. Comments and
//! layout are no part of it, so that two versions are equal where they only look different.

use super::files::{FileRole, Language, role};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// A string, or a regular expression.
    Text,
    Mark,
    /// The indentation of a line of Python that begins a statement.
    Indent,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// Number of its line.
    pub(crate) line: u32,
    /// The indentation, of [`Kind::Indent`].
    indent: usize,
}

/// As it is compared: of Python with its indentation.
impl std::fmt::Display for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            Kind::Indent => write!(formatter, "{}:", self.indent),
            _ => formatter.write_str(&self.text),
        }
    }
}

/// Where names are looked up: a file, or a suite in it.
#[derive(Debug)]
pub(crate) struct Scope {
    /// What stands before the items of a suite: its name, marks and parameters.
    pub(crate) head: Vec<String>,
    pub(crate) line: u32,
    pub(crate) items: Vec<Item>,
    pub(crate) parent: Option<usize>,
    /// Whether all of it is of tests; in a file of Rust beside its tests stands the code that they test.
    pub(crate) is_of_tests: bool,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    /// Of a test its title, of an import the name that it binds.
    pub(crate) name: String,
    /// What is compared; of an import what it binds the name to.
    pub(crate) source: Vec<String>,
    pub(crate) lines: Range<u32>,
    /// The scope of a suite.
    inner: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Test,
    Suite,
    /// Runs around tests, or decides which of them run.
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
    /// The file's own is the first.
    pub(crate) scopes: Vec<Scope>,
}

/// A test, and the scope that it stands in.
#[derive(Clone, Copy)]
pub(crate) struct TestAt<'f> {
    pub(crate) item: &'f Item,
    pub(crate) scope: usize,
}

impl File {
    /// `lines`: their numbers and texts.
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

    /// The scopes around a test, the innermost first.
    pub(crate) fn around(&self, test: TestAt<'_>) -> impl Iterator<Item = &Scope> {
        std::iter::successors(Some(&self.scopes[test.scope]), |scope| scope.parent.map(|parent| &self.scopes[parent]))
    }

    /// The titles of the suites around a test and its own, from the outside in.
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

/// Tokens of the code in lines.
pub(crate) fn tokens(lines: &[(u32, &str)], language: Language) -> Vec<Token> {
    let text: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    let text = text.join("\n");
    let (mut rest, mut line, mut depth, mut indent) = (text.as_str(), 0, 0_i32, Some(0));
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let number = lines[line].0;
        let length = if first == '\n' {
            indent = Some(0);
            1
        } else if first.is_whitespace() {
            indent = indent.map(|width| width + 1);
            first.len_utf8()
        } else if language == Language::Python && rest.starts_with("\\\n") {
            2
        } else if let Some(length) = comment(rest, language) {
            length
        } else {
            let width = indent.take().filter(|_| language == Language::Python && depth <= 0);
            if let Some(indent) = width {
                tokens.push(Token { kind: Kind::Indent, text: String::new(), line: number, indent });
            }
            let (kind, length) = next(rest, language, tokens.last());
            let text =
                if kind == Kind::Text { plain_text(&rest[..length], language) } else { rest[..length].to_owned() };
            match text.as_str() {
                _ if kind != Kind::Mark => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    // A comma that a formatter adds.
                    tokens.pop_if(|last| last.kind == Kind::Mark && last.text == ",");
                }
                _ => {}
            }
            tokens.push(Token { kind, text, line: number, indent: 0 });
            length
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    if language == Language::Python { without_assert_brackets(tokens) } else { tokens }
}

/// `assert (a == b)` is `assert a == b`; with a comma in the brackets it is always true.
fn without_assert_brackets(tokens: Vec<Token>) -> Vec<Token> {
    let mut drop = vec![false; tokens.len()];
    for at in 1..tokens.len() {
        if tokens[at - 1].text == "assert" && is_mark(&tokens[at], "(") {
            let close = close_of(&tokens, at);
            let ends = tokens.get(close + 1).is_none_or(|next| next.kind == Kind::Indent || is_mark(next, ","));
            let mut depth = 0;
            let mut has_comma = false;
            for token in &tokens[at..close.min(tokens.len())] {
                depth += depth_change(token);
                has_comma |= depth == 1 && is_mark(token, ",");
            }
            if ends && !has_comma && close < tokens.len() {
                (drop[at], drop[close]) = (true, true);
            }
        }
    }
    let mut drop = drop.into_iter();
    tokens.into_iter().filter(|_| !drop.next().unwrap_or_default()).collect()
}

/// Bytes of the comment that begins here.
fn comment(rest: &str, language: Language) -> Option<usize> {
    let line = || rest.find('\n').unwrap_or(rest.len());
    let is_build_tag = language == Language::Go && (rest.starts_with("//go:build ") || rest.starts_with("// +build "));
    match language {
        Language::Python | Language::Ruby | Language::Data => return rest.starts_with('#').then(line),
        Language::Php if rest.starts_with('#') && !rest.starts_with("#[") => return Some(line()),
        Language::Other if rest.starts_with("# ") => return Some(line()),
        _ => {}
    }
    if rest.starts_with("//") {
        return (!is_build_tag).then(line);
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        let close = rest[at..].find("*/").map(|found| at + found);
        let Some(close) = close else { return Some(rest.len()) };
        let open = rest[at..close].find("/*").filter(|_| language == Language::Rust);
        (at, depth) = open.map_or((close + 2, depth - 1), |open| (at + open + 2, depth + 1));
    }
    Some(at)
}

fn next(rest: &str, language: Language, last: Option<&Token>) -> (Kind, usize) {
    if let Some(length) = string(rest, language, last) {
        return (Kind::Text, length);
    }
    let word = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
    if word > 0 { (Kind::Word, word) } else { (Kind::Mark, rest.chars().next().map_or(1, char::len_utf8)) }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// Bytes of the string that begins here.
fn string(rest: &str, language: Language, last: Option<&Token>) -> Option<usize> {
    let first = rest.chars().next()?;
    let quoted = |from: usize, quote: &str, escapes: bool, lines: bool| Some(end_of(rest, from, quote, escapes, lines));
    match language {
        Language::Go if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
        Language::Python => {
            let prefix = rest.find(|letter: char| !"rRbBuUfF".contains(letter)).filter(|length| *length <= 2)?;
            let quote = &rest[prefix..];
            let triple = ["\"\"\"", "'''"].into_iter().find(|triple| quote.starts_with(triple));
            match triple {
                Some(triple) => quoted(prefix + 3, triple, true, true),
                None if quote.starts_with(['"', '\'']) => quoted(prefix + 1, &quote[..1], true, false),
                None => None,
            }
        }
        Language::JavaScript if first == '`' => Some(end_of_template(rest)),
        Language::JavaScript if first == '/' => begins_regex(last).then(|| end_of_regex(rest)),
        Language::Go if first == '`' => quoted(1, "`", false, true),
        Language::Rust => {
            let raw = rest.trim_start_matches(['b', 'c']).strip_prefix('r');
            let marks = raw.map(|raw| raw.bytes().take_while(|byte| *byte == b'#').count());
            if let (Some(raw), Some(marks)) = (raw, marks)
                && raw[marks..].starts_with('"')
            {
                return quoted(rest.len() - raw.len() + marks + 1, &format!("\"{}", "#".repeat(marks)), false, true);
            }
            let prefix = usize::from(rest.starts_with("b\"") || rest.starts_with("b'") || rest.starts_with("c\""));
            match rest[prefix..].chars().next()? {
                '"' => quoted(prefix + 1, "\"", true, true),
                // Else it is a lifetime.
                '\'' => {
                    let mut inside = rest[prefix + 1..].chars();
                    let is_letter = inside.next()? == '\\' || inside.next() == Some('\'');
                    if is_letter { quoted(prefix + 1, "'", true, false) } else { None }
                }
                _ => None,
            }
        }
        Language::Jvm if rest.starts_with("\"\"\"") => quoted(3, "\"\"\"", true, true),
        _ if first == '"' || first == '\'' => quoted(1, &rest[..1], true, false),
        _ => None,
    }
}

/// Where a string ends; one of a line that is not closed, at the end of the line.
fn end_of(rest: &str, from: usize, quote: &str, escapes: bool, may_have_lines: bool) -> usize {
    let mut at = from;
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with(quote) {
            return at + quote.len();
        }
        if here.starts_with('\n') && !may_have_lines {
            return at;
        }
        let mut letters = here.chars();
        let first = letters.next().map_or(1, char::len_utf8);
        at += first;
        if escapes && here.starts_with('\\') {
            at += letters.next().map_or(0, char::len_utf8);
        }
    }
    rest.len()
}

fn end_of_template(rest: &str) -> usize {
    let mut at = 1;
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with('`') {
            return at + 1;
        }
        if here.starts_with("${") {
            at += 2;
            let mut depth = 1;
            while depth > 0 && at < rest.len() {
                let inside = &rest[at..];
                at += match inside.as_bytes()[0] {
                    b'{' => {
                        depth += 1;
                        1
                    }
                    b'}' => {
                        depth -= 1;
                        1
                    }
                    b'`' => end_of_template(inside),
                    _ => inside.chars().next().map_or(1, char::len_utf8),
                };
            }
            continue;
        }
        let mut letters = here.chars();
        at += letters.next().map_or(1, char::len_utf8);
        if here.starts_with('\\') {
            at += letters.next().map_or(0, char::len_utf8);
        }
    }
    rest.len()
}

/// Whether a slash is a division here.
fn begins_regex(last: Option<&Token>) -> bool {
    match last {
        None => true,
        Some(token) => match token.kind {
            Kind::Word => matches!(token.text.as_str(), "return" | "typeof" | "case" | "in" | "of" | "await"),
            Kind::Mark => !matches!(token.text.as_str(), ")" | "]" | "}"),
            Kind::Text | Kind::Indent => false,
        },
    }
}

fn end_of_regex(rest: &str) -> usize {
    let mut in_class = false;
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            '\n' => return 1,
            _ => {}
        }
    }
    1
}

fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix(['"', '`']).unwrap_or(text);
    inside.strip_suffix(['"', '`']).unwrap_or(inside)
}

/// With one kind of quotes, where a language has several that mean the same.
fn plain_text(text: &str, language: Language) -> String {
    let prefix = text.find(['"', '\'']).unwrap_or(0);
    let (prefix, quoted) = text.split_at(prefix);
    let has_same_quotes = matches!(language, Language::Python | Language::JavaScript) && prefix.len() <= 2;
    let Some(quote) = quoted.chars().next().filter(|quote| has_same_quotes && matches!(quote, '"' | '\'')) else {
        return text.to_owned();
    };
    let inside = quoted.trim_start_matches(quote);
    // An empty string has two, and is closed by the second.
    let width = if quoted.len() - inside.len() >= 3 { 3 } else { 1 };
    let (opens, inside) = quoted.split_at(width);
    let inside = inside.strip_suffix(opens).unwrap_or(inside);
    let prefix = prefix.trim_matches(['u', 'U']);
    format!("{prefix}\"{}\"", inside.replace("\\'", "'").replace("\\\"", "\""))
}

fn is_mark(token: &Token, text: &str) -> bool {
    token.kind == Kind::Mark && token.text == text
}

fn depth_change(token: &Token) -> i32 {
    match token.text.as_str() {
        _ if token.kind != Kind::Mark => 0,
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The bracket that closes this one; the number of tokens where none does.
fn close_of(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        depth += depth_change(token);
        if depth <= 0 {
            return at;
        }
    }
    tokens.len()
}

/// Whether the token begins another statement than the one before it.
pub(crate) fn begins_statement(last: &Token, token: &Token, language: Language) -> bool {
    if language == Language::Python {
        return token.kind == Kind::Indent;
    }
    if is_mark(last, ";") {
        return true;
    }
    let goes_on = |token: &Token, marks: &[&str]| token.kind == Kind::Mark && marks.contains(&token.text.as_str());
    let before = [",", "=", "(", "[", "{", ".", "+", "|", "&", "?", ":", ">"];
    let after = [".", "?", ":", "|", "&", "+", "=", ")", "]", "}", "{"];
    let words = ["else", "catch", "finally", "where"];
    // No semicolon is put before a bracket in JavaScript.
    let is_call = language == Language::JavaScript && goes_on(token, &["(", "["]);
    let is_word = token.kind == Kind::Word && words.contains(&token.text.as_str());
    let is_same = last.line == token.line || goes_on(last, &before) || goes_on(token, &after) || is_call || is_word;
    !is_same
}

/// Where the statement ends that begins with this token.
pub(crate) fn statement_end(tokens: &[Token], start: usize, language: Language) -> usize {
    let mut depth = 0;
    for at in start..tokens.len() {
        let ends = depth == 0 && at > start && begins_statement(&tokens[at - 1], &tokens[at], language);
        depth += depth_change(&tokens[at]);
        if ends && !(at == start + 1 && tokens[start].kind == Kind::Indent) || depth < 0 {
            return at;
        }
    }
    tokens.len()
}

struct Reader<'t> {
    tokens: &'t [Token],
    language: Language,
    scopes: Vec<Scope>,
}

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

    /// Whether these are decorators or attributes of what follows, or it is a further part of them.
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

    /// What is compared: no semicolon of JavaScript, and of Python how far it is indented within the statement.
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

    fn javascript(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
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

    /// The names of a list of bindings: `a, b as c, d: e`.
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
        let (mut at, mut is_suite) = (start + 1, JS_SUITES.contains(&self.text(start)) && self.text(start) != "Deno");
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
            // A title that stands in a variable may be any.
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

    fn suite(&mut self, name: &str, range: Range<usize>, body: Range<usize>, scope: usize, is_of_tests: bool) -> Item {
        let head = [self.source(range.start..body.start), self.source(body.end..range.end)].concat();
        let line = self.lines(&range).start;
        let inner = self.scope(head, line, body, Some(scope), is_of_tests);
        let lines = self.lines(&range);
        Item { kind: ItemKind::Suite, name: name.to_owned(), source: Vec::new(), lines, inner: Some(inner) }
    }

    fn python(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
        let mut at = range.start;
        let mut decorators = String::new();
        // Each decorator is a line of its own.
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

    fn go(&self, range: Range<usize>) -> Vec<Item> {
        let at = range.start;
        let has_receiver = self.text(at) == "func" && self.text(at + 1) == "(";
        // A method is part of its type.
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

    fn rust(&mut self, range: Range<usize>, scope: usize) -> Vec<Item> {
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
                // Of `impl Display for Cart` the second.
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
            // A macro of the project that declares tests: `rgtest!(name, |dir, cmd| {…})`.
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
