//! Splits source code into tokens, without comments and layout.

use super::files::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A string or a regular expression.
    StringOrRegex,
    Punctuation,
    /// The indentation of a Python line that starts a statement.
    Indent,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// Line number.
    pub(crate) line: u32,
    /// Indentation of a [`TokenKind::Indent`] in characters, 0 for other kinds.
    pub(crate) indent: usize,
}

/// The text to compare; for Python's indentation, the number of spaces.
impl std::fmt::Display for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            TokenKind::Indent => write!(formatter, "{}:", self.indent),
            _ => formatter.write_str(&self.text),
        }
    }
}
/// Returns the tokens of the code in `lines`.
pub(crate) fn tokenize(lines: &[(u32, &str)], language: Language) -> Vec<Token> {
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
        } else if let Some(length) = comment_length(rest, language) {
            length
        } else {
            let width = indent.take().filter(|_| language == Language::Python && depth <= 0);
            if let Some(indent) = width {
                tokens.push(Token { kind: TokenKind::Indent, text: String::new(), line: number, indent });
            }
            let (kind, length) = read_token(rest, language, tokens.last());
            let text = if kind == TokenKind::StringOrRegex {
                normalize_quotes(&rest[..length], language)
            } else {
                rest[..length].to_owned()
            };
            match text.as_str() {
                _ if kind != TokenKind::Punctuation => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    // Ignore a trailing comma, because formatters add it.
                    tokens.pop_if(|last| last.kind == TokenKind::Punctuation && last.text == ",");
                }
                _ => {}
            }
            tokens.push(Token { kind, text, line: number, indent: 0 });
            length
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    if language == Language::Python { remove_assert_brackets(tokens) } else { tokens }
}

/// Treats `assert (a == b)` like `assert a == b`. Brackets with a comma inside are a tuple, which is always true, so
/// they stay.
fn remove_assert_brackets(tokens: Vec<Token>) -> Vec<Token> {
    let mut drop = vec![false; tokens.len()];
    for at in 1..tokens.len() {
        if tokens[at - 1].text == "assert" && is_symbol(&tokens[at], "(") {
            let close = find_closing_bracket(&tokens, at);
            let ends = tokens.get(close + 1).is_none_or(|next| next.kind == TokenKind::Indent || is_symbol(next, ","));
            let mut depth = 0;
            let mut has_comma = false;
            for token in &tokens[at..close.min(tokens.len())] {
                depth += nesting_change(token);
                has_comma |= depth == 1 && is_symbol(token, ",");
            }
            if ends && !has_comma && close < tokens.len() {
                (drop[at], drop[close]) = (true, true);
            }
        }
    }
    let mut drop = drop.into_iter();
    tokens.into_iter().filter(|_| !drop.next().unwrap_or_default()).collect()
}

/// Returns the length in bytes of the comment at the start of `rest`.
fn comment_length(rest: &str, language: Language) -> Option<usize> {
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

fn read_token(rest: &str, language: Language, last: Option<&Token>) -> (TokenKind, usize) {
    if let Some(length) = string_length(rest, language, last) {
        return (TokenKind::StringOrRegex, length);
    }
    let word = rest.find(|letter: char| !is_word_char(letter)).unwrap_or(rest.len());
    if word > 0 {
        (TokenKind::Word, word)
    } else {
        (TokenKind::Punctuation, rest.chars().next().map_or(1, char::len_utf8))
    }
}

fn is_word_char(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// Returns the length in bytes of the string at the start of `rest`.
fn string_length(rest: &str, language: Language, last: Option<&Token>) -> Option<usize> {
    let first = rest.chars().next()?;
    let quoted =
        |from: usize, quote: &str, escapes: bool, lines: bool| Some(string_end(rest, from, quote, escapes, lines));
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
        Language::JavaScript if first == '`' => Some(template_end(rest)),
        Language::JavaScript if first == '/' => can_start_regex(last).then(|| regex_end(rest)),
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
                // A quote without a closing quote starts a lifetime.
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

/// Returns the end of a string. A single-line string without a closing quote ends at the end of the line.
fn string_end(rest: &str, from: usize, quote: &str, escapes: bool, may_have_lines: bool) -> usize {
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

fn template_end(rest: &str) -> usize {
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
                    b'`' => template_end(inside),
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

/// Checks whether a slash starts a regular expression here; otherwise it is a division.
fn can_start_regex(last: Option<&Token>) -> bool {
    match last {
        None => true,
        Some(token) => match token.kind {
            TokenKind::Word => matches!(token.text.as_str(), "return" | "typeof" | "case" | "in" | "of" | "await"),
            TokenKind::Punctuation => !matches!(token.text.as_str(), ")" | "]" | "}"),
            TokenKind::StringOrRegex | TokenKind::Indent => false,
        },
    }
}

fn regex_end(rest: &str) -> usize {
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

pub(crate) fn strip_quotes(text: &str) -> &str {
    let inside = text.strip_prefix(['"', '`']).unwrap_or(text);
    inside.strip_suffix(['"', '`']).unwrap_or(inside)
}

/// Replaces the quotes of a string by double quotes if the language has several quotes with the same meaning.
fn normalize_quotes(text: &str, language: Language) -> String {
    let prefix = text.find(['"', '\'']).unwrap_or(0);
    let (prefix, quoted) = text.split_at(prefix);
    let has_same_quotes = matches!(language, Language::Python | Language::JavaScript) && prefix.len() <= 2;
    let Some(quote) = quoted.chars().next().filter(|quote| has_same_quotes && matches!(quote, '"' | '\'')) else {
        return text.to_owned();
    };
    let inside = quoted.trim_start_matches(quote);
    // An empty string also starts with two quotes: the second quote closes the string.
    let width = if quoted.len() - inside.len() >= 3 { 3 } else { 1 };
    let (opens, inside) = quoted.split_at(width);
    let inside = inside.strip_suffix(opens).unwrap_or(inside);
    let prefix = prefix.trim_matches(['u', 'U']);
    format!("{prefix}\"{}\"", inside.replace("\\'", "'").replace("\\\"", "\""))
}

pub(crate) fn is_symbol(token: &Token, text: &str) -> bool {
    token.kind == TokenKind::Punctuation && token.text == text
}

pub(crate) fn nesting_change(token: &Token) -> i32 {
    match token.text.as_str() {
        _ if token.kind != TokenKind::Punctuation => 0,
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// Returns the index of the closing bracket, or the number of tokens if the closing bracket is missing.
pub(crate) fn find_closing_bracket(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        depth += nesting_change(token);
        if depth <= 0 {
            return at;
        }
    }
    tokens.len()
}

/// Checks whether the token starts a new statement.
pub(crate) fn starts_statement(last: &Token, token: &Token, language: Language) -> bool {
    if language == Language::Python {
        return token.kind == TokenKind::Indent;
    }
    if is_symbol(last, ";") {
        return true;
    }
    let goes_on =
        |token: &Token, marks: &[&str]| token.kind == TokenKind::Punctuation && marks.contains(&token.text.as_str());
    let before = [",", "=", "(", "[", "{", ".", "+", "|", "&", "?", ":", ">"];
    let after = [".", "?", ":", "|", "&", "+", "=", ")", "]", "}", "{"];
    let words = ["else", "catch", "finally", "where"];
    // JavaScript inserts no semicolon before a bracket.
    let is_call = language == Language::JavaScript && goes_on(token, &["(", "["]);
    let is_listed_word = token.kind == TokenKind::Word && words.contains(&token.text.as_str());
    let is_same =
        last.line == token.line || goes_on(last, &before) || goes_on(token, &after) || is_call || is_listed_word;
    !is_same
}

/// Returns the end of the statement that starts with this token.
pub(crate) fn find_statement_end(tokens: &[Token], start: usize, language: Language) -> usize {
    let mut depth = 0;
    for at in start..tokens.len() {
        let ends = depth == 0 && at > start && starts_statement(&tokens[at - 1], &tokens[at], language);
        depth += nesting_change(&tokens[at]);
        if ends && !(at == start + 1 && tokens[start].kind == TokenKind::Indent) || depth < 0 {
            return at;
        }
    }
    tokens.len()
}
