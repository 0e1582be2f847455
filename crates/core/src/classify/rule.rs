//! Defines a rule: the literals that select lines, the pattern for a line, and the texts that the rule must not match.
//! The tables of rules are in `rules`.

use crate::failure::category::Category;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// Condition that the text at a literal must meet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Matcher {
    /// No further condition, because the literal is an unambiguous sentence.
    Literal,
    /// The literal is a token: no letter, digit or underscore may touch it.
    Word,
    /// The line (or the lines around it, see `Rule::near`) must match the pattern, ignoring case.
    Regex(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchedText {
    /// The line of the literal.
    Line,
    /// A few lines before and after the literal.
    NearbyLines,
}

/// Line roles that a rule accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AcceptedLines {
    /// Messages, and log lines below error level if no other line matches.
    MessagesFirst,
    /// Only messages, because a log line below error level may mention things that did not fail.
    MessagesOnly,
    /// Messages and log lines of any level, because container events are logged as information.
    MessagesAndLogs,
    /// All lines, including test names and source code.
    All,
    /// Any line, but only if no other line matches.
    LastResort,
}

/// A named rule. The tables build it with `rule` and the methods below.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) category: Category,
    /// Lower-case literals. The rule is tried if the text contains any of them.
    pub(super) literals: &'static [&'static str],
    pub(super) matcher: Matcher,
    /// Lower-case literals. Every text that the pattern matches contains at least one of them. Empty if the rule has no
    /// such list.
    pub(super) required_literals: &'static [&'static str],
    /// Guard pattern for texts that the rule would match by mistake. It is searched in the same text as the pattern.
    pub(super) unless: Option<&'static str>,
    pub(super) matched_text: MatchedText,
    pub(super) accepted_lines: AcceptedLines,
}

/// Joins alternatives into a single pattern, so that each alternative can be on a separate line.
macro_rules! any {
    ($first:literal $(, $more:literal)* $(,)?) => { concat!($first $(, "|", $more)*) };
}
pub(super) use any;

/// Creates a rule that accepts messages and searches only the line of the literal.
pub(super) const fn rule(
    name: &'static str,
    category: Category,
    literals: &'static [&'static str],
    matcher: Matcher,
) -> Rule {
    Rule {
        name,
        category,
        literals,
        matcher,
        required_literals: &[],
        unless: None,
        matched_text: MatchedText::Line,
        accepted_lines: AcceptedLines::MessagesFirst,
    }
}

impl Rule {
    pub(super) const fn unless(self, guard: &'static str) -> Self {
        Self { unless: Some(guard), ..self }
    }

    /// Runs the pattern only if the text also contains one of these literals. For slow patterns with common literals.
    pub(super) const fn required_literals(self, literals: &'static [&'static str]) -> Self {
        Self { required_literals: literals, ..self }
    }

    pub(super) const fn match_nearby_lines(self) -> Self {
        Self { matched_text: MatchedText::NearbyLines, ..self }
    }

    pub(super) const fn accepted_lines(self, trust: AcceptedLines) -> Self {
        Self { accepted_lines: trust, ..self }
    }

    /// Returns the rank of the rule's category. A match wins over a deciding fact unless the rank of the fact is lower.
    pub(super) const fn rank(&self) -> u8 {
        category_rank(self.category)
    }
}

/// Returns the rank of a category. If several categories apply, the category with the lowest rank wins.
pub(super) const fn category_rank(category: Category) -> u8 {
    match category {
        Category::MockMismatch => 0,
        Category::ContainerOom => 1,
        Category::ContainerCrash => 2,
        Category::ConnectionRefused => 3,
        Category::NetworkError => 4,
        Category::Timeout => 5,
        Category::AssertionMismatch => 6,
        Category::HttpError => 7,
        Category::ConfigError => 8,
        Category::Unknown => 9,
    }
}

/// A rule's regular expressions, compiled on first use.
#[derive(Debug, Default)]
pub(super) struct CompiledRule {
    matcher: OnceLock<Regex>,
    unless: OnceLock<Regex>,
}

impl CompiledRule {
    /// Returns the match in `window`; `literal` is the literal's range in `window`.
    pub(super) fn find(&self, rule: &Rule, window: &[u8], literal: (usize, usize)) -> Option<(usize, usize)> {
        let found = match rule.matcher {
            Matcher::Literal => literal,
            Matcher::Word => match_whole_word(window, literal)?,
            Matcher::Regex(pattern) => {
                let found = self.matcher.get_or_init(|| compile(pattern)).find(window)?;
                (found.start(), found.end())
            }
        };
        let guarded = rule.unless.is_some_and(|guard| self.unless.get_or_init(|| compile(guard)).is_match(window));
        (!guarded).then_some(found)
    }
}

fn match_whole_word(window: &[u8], (start, end): (usize, usize)) -> Option<(usize, usize)> {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let touched = start.checked_sub(1).is_some_and(|before| part(window.get(before))) || part(window.get(end));
    (!touched).then_some((start, end))
}

/// Compiles a pattern for ASCII only, to keep the automaton small. Evidence is moved to character boundaries later.
pub(super) fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(true)
        .multi_line(true)
        .build()
        .expect("every pattern of the tables compiles; a test compiles them all")
}
