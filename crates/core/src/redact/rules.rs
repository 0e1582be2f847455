//! Rules as data. A rule has keywords that select positions, a pattern that finds the secret there, and a check that
//! rejects look-alikes. The tables are in `tokens`, `lines` and `commands`.
//!
//! A pattern sees a bounded window, so that even a text full of keywords takes linear time. It is compiled when its
//! keyword first occurs.

mod commands;
mod lines;
mod tokens;

use super::{
    judge::value,
    scan::{LOOSE, Scan},
};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::sync::OnceLock;

/// Where a pattern is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The match starts at the keyword.
    At,
    /// The match covers the keyword and starts at most this number of bytes before it.
    Around(usize),
    /// Every match near the keyword counts, from this number of bytes before it.
    Near(usize),
    /// Every match up to the end of the line counts; the keyword must start a word.
    Line,
}

/// The position and the format of a secret.
#[derive(Debug)]
pub(super) struct Rule {
    kind: &'static str,
    pub(super) keywords: &'static [&'static str],
    /// The first group that matched is the secret, or the whole match if the pattern has no group. `{str}` captures a
    /// quoted text, `{word}` a quoted text or a word, and `{user:}` the part of a word after `name:`. `{lit}` matches a
    /// quoted text without capturing it.
    pattern: &'static str,
    scope: Scope,
    /// Bytes of the window after the start of the keyword.
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
        scope: Scope::At,
        ahead: MAX_AHEAD_BYTES,
        is_word: false,
        accepts: is_any,
        allowed: &[],
    }
}

impl Rule {
    const fn around(mut self, bytes: usize) -> Self {
        self.scope = Scope::Around(bytes);
        self.ahead = MAX_TOKEN_BYTES;
        self
    }

    const fn near(mut self, before: usize, ahead: usize) -> Self {
        self.scope = Scope::Near(before);
        self.ahead = ahead;
        self
    }

    /// Limits the window to this number of bytes from the keyword.
    const fn within(mut self, bytes: usize) -> Self {
        self.ahead = bytes;
        self
    }

    const fn on_line(mut self) -> Self {
        self.scope = Scope::Line;
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

    /// Returns `true` if a word beside the secret identifies it, and `false` if the secret's format does.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.kind, "password" | "secret" | "token" | "authorization" | "url-password")
    }

    /// Checks whether the match must cover the keyword.
    const fn is_bound(&self) -> bool {
        matches!(self.scope, Scope::At | Scope::Around(_))
    }
}

impl CompiledRule {
    /// Checks the text around a hit of one of the keywords.
    pub(super) fn find(&self, scan: &mut Scan<'_>, hit: usize) {
        let rule = self.rule;
        if rule.is_word && !scan.starts_token(hit) {
            return;
        }
        let before = match rule.scope {
            Scope::Around(bytes) | Scope::Near(bytes) => bytes,
            Scope::At | Scope::Line => 0,
        };
        let from = hit.saturating_sub(before);
        let line = scan.slice(from, hit + rule.ahead);
        let end = if rule.scope == Scope::Line { memchr::memchr(b'\n', line) } else { None };
        let window = &line[..end.unwrap_or(line.len())];
        for captures in self.regex().captures_iter(window) {
            let Some(whole) = captures.get(0).filter(|whole| from + whole.start() <= hit || !rule.is_bound()) else {
                return;
            };
            if !rule.is_bound() || from + whole.end() > hit {
                self.add(scan, from, from + window.len(), &captures);
                if rule.is_bound() {
                    return;
                }
            }
        }
    }

    /// Adds the secret. If it reaches the end of the window, `cut`, it continues as long as its characters do.
    fn add(&self, scan: &mut Scan<'_>, from: usize, cut: usize, captures: &Captures<'_>) {
        let rule = self.rule;
        let groups = captures.iter().skip(1).flatten().next();
        let Some(found) = groups.or_else(|| captures.get(0)) else { return };
        let text = found.as_bytes();
        let whole = captures.get(0).map_or(text, |whole| whole.as_bytes());
        if rule.allowed.iter().any(|word| memchr::memmem::find(whole, word.as_bytes()).is_some()) {
            return;
        }
        if value::is_placeholder(text) || value::is_dummy(text) || !(rule.accepts)(text) {
            return;
        }
        let (start, mut end) = (from + found.start(), from + found.end());
        if end == cut {
            end = scan.run(end, &LOOSE, usize::MAX);
        }
        if rule.is_told() {
            scan.add_by_name(rule.kind, start, end);
        } else {
            scan.add_by_format(rule.kind, start, end);
        }
    }

    fn regex(&self) -> &Regex {
        let rule = self.rule;
        self.regex.get_or_init(|| {
            let pattern = expanded(rule.pattern);
            let anchored = if rule.scope == Scope::At { format!(r"\A(?:{pattern})") } else { pattern };
            RegexBuilder::new(&anchored)
                .unicode(false)
                .case_insensitive(rule.is_told() && rule.scope != Scope::Line)
                .multi_line(true)
                .build()
                .expect("a test compiles every pattern")
        })
    }
}

/// Longer than a line, a call or a link with a secret.
const MAX_AHEAD_BYTES: usize = 512;
/// A token that is longer continues as long as its characters do.
const MAX_TOKEN_BYTES: usize = 160;

/// Replaces the names of parts that many patterns use.
fn expanded(pattern: &str) -> String {
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

/// Returns every rule in the order of trial.
pub(super) fn rules() -> Vec<CompiledRule> {
    let rules = tokens::RULES.iter().chain(lines::RULES).chain(commands::RULES);
    rules.map(|rule| CompiledRule { rule, regex: OnceLock::new() }).collect()
}

fn is_any(_: &[u8]) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::rules;

    #[test]
    fn every_pattern_compiles() {
        for compiled in rules() {
            assert!(!compiled.regex().as_str().contains("{word}"), "{:?}", compiled.rule);
        }
    }
}
