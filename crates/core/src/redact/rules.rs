//! Defines rules that are data. A rule has keywords, a pattern that finds the secret near a keyword, and a check that
//! rejects text that only looks like a secret. The tables of rules are in `tokens`, `lines` and `commands`.
//!
//! A pattern searches only a window of limited size, so that even a text full of keywords takes linear time. A pattern
//! is compiled when one of its keywords first occurs.

mod commands;
mod lines;
mod tokens;

use super::{
    judge::value,
    scan::{ENCODED_TEXT, Scan},
};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::{borrow::Cow, sync::OnceLock};

/// The part of the text in which a pattern is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchArea {
    /// The match starts at the keyword.
    At,
    /// The match covers the keyword and starts at most this number of bytes before it.
    Around(usize),
    /// Every match near the keyword counts. The window starts this number of bytes before the keyword.
    Near(usize),
    /// Every match up to the end of the line counts. The keyword must start a word. If the pattern begins with a blank,
    /// a keyword that consists of one word and a blank is the name of a program. The text may also contain the program
    /// as `name.exe`, in quotes, or in a list of arguments.
    Line,
}

/// A rule: where a secret is, and its format.
#[derive(Debug)]
pub(super) struct Rule {
    kind: &'static str,
    keywords: &'static [&'static str],
    /// The first group that matched is the secret, or the whole match if the pattern has no group. `{str}` captures a
    /// quoted text, `{word}` a quoted text or a word, and `{user:}` the part of a word after `name:`. `{lit}` matches a
    /// quoted text without capturing it.
    pattern: &'static str,
    scope: SearchArea,
    /// Size of the window after the start of the keyword, in bytes.
    ahead: usize,
    is_word: bool,
    accepts: fn(&[u8]) -> bool,
    /// Words that make a match harmless, such as `Hash` in the name of the function.
    allowed: &'static [&'static str],
}

/// A rule and its pattern, compiled on first use.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: &'static Rule,
    regex: OnceLock<Regex>,
}

const fn rule(kind: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule {
        kind,
        keywords,
        pattern,
        scope: SearchArea::At,
        ahead: MAX_AHEAD_BYTES,
        is_word: false,
        accepts: accept_any,
        allowed: &[],
    }
}

impl Rule {
    const fn around(mut self, bytes: usize) -> Self {
        self.scope = SearchArea::Around(bytes);
        self.ahead = MAX_TOKEN_BYTES;
        self
    }

    const fn near(mut self, before: usize, ahead: usize) -> Self {
        self.scope = SearchArea::Near(before);
        self.ahead = ahead;
        self
    }

    /// Limits the window to this number of bytes from the keyword.
    const fn within(mut self, bytes: usize) -> Self {
        self.ahead = bytes;
        self
    }

    const fn on_line(mut self) -> Self {
        self.scope = SearchArea::Line;
        self.is_word = true;
        self
    }

    /// Requires that no alphanumeric character precedes the keyword.
    const fn word(mut self) -> Self {
        self.is_word = true;
        self
    }

    const fn only(mut self, accepts: fn(&[u8]) -> bool) -> Self {
        self.accepts = accepts;
        self
    }

    const fn unless(mut self, allowed: &'static [&'static str]) -> Self {
        self.allowed = allowed;
        self
    }

    /// Returns the keywords. Names of programs have no blank at the end.
    pub(super) fn keywords(&self) -> impl Iterator<Item = &'static str> {
        self.keywords.iter().map(|&keyword| if self.is_program(keyword) { keyword.trim_end() } else { keyword })
    }

    fn is_program(&self, keyword: &str) -> bool {
        let has_arguments = self.pattern.starts_with(r"\s");
        self.scope == SearchArea::Line && has_arguments && keyword.find(' ') == Some(keyword.len() - 1)
    }

    /// Returns `true` if a word beside the secret identifies it, and `false` if the secret's format does.
    pub(super) fn is_identified_by_word(&self) -> bool {
        matches!(self.kind, "password" | "secret" | "token" | "authorization" | "url-password")
    }

    const fn must_cover_keyword(&self) -> bool {
        matches!(self.scope, SearchArea::At | SearchArea::Around(_))
    }
}

impl CompiledRule {
    /// Redacts secrets near the keyword at `hit`.
    pub(super) fn redact_match(&self, scan: &mut Scan<'_>, hit: usize) {
        let rule = self.rule;
        if rule.is_word && !scan.starts_token(hit) {
            return;
        }
        let before = match rule.scope {
            SearchArea::Around(bytes) | SearchArea::Near(bytes) => bytes,
            SearchArea::At | SearchArea::Line => 0,
        };
        let from = hit.saturating_sub(before);
        let line = scan.slice(from, hit + rule.ahead);
        let end = if rule.scope == SearchArea::Line { memchr::memchr(b'\n', line) } else { None };
        let line = &line[..end.unwrap_or(line.len())];
        let Some(window) = self.shell_line(line) else { return };
        for captures in self.regex().captures_iter(&window) {
            let Some(whole) = captures.get(0).filter(|whole| from + whole.start() <= hit || !rule.must_cover_keyword())
            else {
                return;
            };
            if !rule.must_cover_keyword() || from + whole.end() > hit {
                self.add_secret(scan, from, from + window.len(), &captures);
                if rule.must_cover_keyword() {
                    return;
                }
            }
        }
    }

    /// Returns the line as it would be in a shell, with unchanged offsets: `["psql","-W","x"` becomes `["psql   -W
    /// x"`. Returns `None` if the line begins with a longer word than a program's name.
    fn shell_line<'l>(&self, line: &'l [u8]) -> Option<Cow<'l, [u8]>> {
        let starts_line = |keyword: &&&str| {
            line.get(..keyword.len() - 1).is_some_and(|start| start.eq_ignore_ascii_case(keyword.trim_end().as_bytes()))
        };
        let programs = self.rule.keywords.iter().filter(|keyword| self.rule.is_program(keyword));
        let Some(length) = programs.filter(starts_line).map(|keyword| keyword.len() - 1).max() else {
            return Some(Cow::Borrowed(line));
        };
        let rest = &line[length..];
        let rest = rest.strip_prefix(b".exe").or_else(|| rest.strip_prefix(b".EXE")).unwrap_or(rest);
        let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
        match (quote, rest.get(usize::from(quote.is_some()))) {
            (Some(quote), Some(b',')) => Some(Cow::Owned(replace_argument_separators(line, quote))),
            (_, Some(b' ' | b'\t')) => Some(Cow::Borrowed(line)),
            _ => None,
        }
    }

    /// Adds the secret. If the match reaches the end of the window (`cut`), the secret extends over all further bytes
    /// of encoded text.
    fn add_secret(&self, scan: &mut Scan<'_>, from: usize, cut: usize, captures: &Captures<'_>) {
        let rule = self.rule;
        let groups = captures.iter().skip(1).flatten().next();
        let Some(found) = groups.or_else(|| captures.get(0)) else { return };
        let text = found.as_bytes();
        let whole = captures.get(0).map_or(text, |whole| whole.as_bytes());
        if rule.allowed.iter().any(|word| memchr::memmem::find(whole, word.as_bytes()).is_some()) {
            return;
        }
        if value::is_placeholder(text) || value::is_dummy_token(text) || !(rule.accepts)(text) {
            return;
        }
        let (start, mut end) = (from + found.start(), from + found.end());
        if end == cut {
            end = scan.run_end(end, &ENCODED_TEXT, usize::MAX);
        }
        if rule.is_identified_by_word() {
            scan.add_by_name(rule.kind, start, end);
        } else {
            scan.add_by_format(rule.kind, start, end);
        }
    }

    fn regex(&self) -> &Regex {
        let rule = self.rule;
        self.regex.get_or_init(|| {
            let pattern = expand_pattern(rule.pattern);
            let anchored = if rule.scope == SearchArea::At { format!(r"\A(?:{pattern})") } else { pattern };
            RegexBuilder::new(&anchored)
                .unicode(false)
                .case_insensitive(rule.is_identified_by_word() && rule.scope != SearchArea::Line)
                .multi_line(true)
                .build()
                .expect("a test compiles every pattern")
        })
    }
}

/// Replaces what separates two quoted arguments, such as `", "`, by blanks.
fn replace_argument_separators(line: &[u8], quote: u8) -> Vec<u8> {
    let mut arguments = line.to_vec();
    for comma in memchr::memchr_iter(b',', line) {
        let blanks = line[comma + 1..].iter().take_while(|byte| **byte == b' ').count();
        let end = comma + 1 + blanks;
        if comma > 0 && line[comma - 1] == quote && line.get(end) == Some(&quote) {
            arguments[comma - 1..=end].fill(b' ');
        }
    }
    arguments
}

/// Default size of a window: more than a line, a call or a link with a secret.
const MAX_AHEAD_BYTES: usize = 512;
/// Maximum length of a token in a window. [`CompiledRule::add_secret`] extends longer tokens.
const MAX_TOKEN_BYTES: usize = 160;

/// Replaces `{str}` and other abbreviations by the patterns that they stand for.
fn expand_pattern(pattern: &str) -> String {
    let quoted = |open: &str, close: &str| {
        let mark = |quote: char| format!(r"\\*{quote}{open}(?:[^{quote}\\\r\n]|\\[^{quote}nr])+{close}\\*{quote}");
        format!("{}|{}|{}", mark('"'), mark('\''), mark('`'))
    };
    let bare = r#"[^\s"'`;|<>(-](?:(?:[^\s"'`;|<>]|['"]\b)*[^\s"'`;|<>,:.)])?"#;
    let mut pattern = pattern
        .replace("{str}", &format!("[bruf]{{0,2}}(?:{})", quoted("(", ")")))
        .replace("{lit}", &format!("[bruf]{{0,2}}(?:{})", quoted("", "")))
        .replace("{word}", &format!("(?:{}|({bare}))", quoted("(", ")")));
    for mark in [':', '%', ',', '='] {
        let name = format!(r#"[^\s"'`{mark}]+{mark}"#);
        let pair =
            format!(r#"(?:"{name}([^"\r\n]+)"|'{name}([^'\r\n]+)'|{name}(?:'([^'\r\n]+)'|"([^"\r\n]+)"|({bare})))"#);
        pattern = pattern.replace(&format!("{{user{mark}}}"), &pair);
    }
    pattern
}

/// Returns all rules in the order in which they are tried.
pub(super) fn compile_rules() -> Vec<CompiledRule> {
    let rules = tokens::RULES.iter().chain(lines::RULES).chain(commands::RULES);
    rules.map(|rule| CompiledRule { rule, regex: OnceLock::new() }).collect()
}

fn accept_any(_: &[u8]) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::compile_rules;

    #[test]
    fn every_pattern_compiles() {
        for compiled in compile_rules() {
            assert!(!compiled.regex().as_str().contains("{word}"), "{:?}", compiled.rule);
        }
    }
}
