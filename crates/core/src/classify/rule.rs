//! What one rule is: literals that select it, what its line must look like, and the texts it must leave alone.
//! The rules themselves stand in `rules`.

use crate::failure::category::Category;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// What must be true of the place where a literal was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Matcher {
    /// The literal is a sentence that means one thing only.
    Literal,
    /// The literal is a token: no letter, digit or underscore may touch it.
    Word,
    /// The line (or the lines around it, see `Rule::near`) must match, letter case aside.
    Regex(&'static str),
}

/// How much of the text around a literal the rule may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// The line of the literal.
    Line,
    /// A few lines before and after it.
    Near,
}

/// Which lines a rule trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Lines that report; log lines below error level only when nothing else decides.
    Messages,
    /// Lines that report, and nothing else: what a log line below error level mentions is not what happened.
    MessagesOnly,
    /// Also log lines of any level: container events are logged as information.
    Logs,
    /// Every line, also test names and source code.
    All,
    /// Only when nothing else decides.
    LastResort,
}

/// One named rule; built by `rule` and the methods below in the tables.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) category: Category,
    /// Lower-case literals, one of which must stand in the text for the rule to be tried.
    pub(super) literals: &'static [&'static str],
    pub(super) matcher: Matcher,
    /// Lower-case literals, one of which stands in the text wherever the rule matches; none where nothing is known.
    pub(super) required_literals: &'static [&'static str],
    /// Texts that the rule would take by mistake: the guard, matched against the same window.
    pub(super) unless: Option<&'static str>,
    pub(super) window: Window,
    pub(super) trust: Trust,
}

/// One pattern of several alternatives, each on a line of its own.
macro_rules! any {
    ($first:literal $(, $more:literal)* $(,)?) => { concat!($first $(, "|", $more)*) };
}
pub(super) use any;

/// A rule for lines that report, decided on the line of the literal.
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
        window: Window::Line,
        trust: Trust::Messages,
    }
}

impl Rule {
    pub(super) const fn unless(self, guard: &'static str) -> Self {
        Self { unless: Some(guard), ..self }
    }

    /// For patterns that are slow and whose literals stand in many other texts: without one of these they are not tried.
    pub(super) const fn required_literals(self, literals: &'static [&'static str]) -> Self {
        Self { required_literals: literals, ..self }
    }

    pub(super) const fn near(self) -> Self {
        Self { window: Window::Near, ..self }
    }

    pub(super) const fn trust(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    /// Place of the rule's category in the order of decision; facts beside the text are weighed by it.
    pub(super) const fn rank(&self) -> u8 {
        rank(self.category)
    }
}

/// The order in which categories decide when several apply.
pub(super) const fn rank(category: Category) -> u8 {
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

/// A rule's regular expressions, compiled when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    matcher: OnceLock<Regex>,
    unless: OnceLock<Regex>,
}

impl Compiled {
    /// Where in `window` the rule sees its failure; `literal` is the literal's span in it.
    pub(super) fn find(&self, rule: &Rule, window: &[u8], literal: (usize, usize)) -> Option<(usize, usize)> {
        let found = match rule.matcher {
            Matcher::Literal => literal,
            Matcher::Word => whole_word(window, literal)?,
            Matcher::Regex(pattern) => {
                let found = self.matcher.get_or_init(|| compile(pattern)).find(window)?;
                (found.start(), found.end())
            }
        };
        let guarded = rule.unless.is_some_and(|guard| self.unless.get_or_init(|| compile(guard)).is_match(window));
        (!guarded).then_some(found)
    }
}

fn whole_word(window: &[u8], (start, end): (usize, usize)) -> Option<(usize, usize)> {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let touched = start.checked_sub(1).is_some_and(|before| part(window.get(before))) || part(window.get(end));
    (!touched).then_some((start, end))
}

/// ASCII only, which keeps the automata small; evidence is rounded to characters later.
pub(super) fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(true)
        .multi_line(true)
        .build()
        .expect("every pattern of the tables compiles; a test compiles them all")
}
