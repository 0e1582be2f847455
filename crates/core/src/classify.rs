//! Assigns a failure to one of the ten categories with an ordered chain of named rules; the first match wins.
//!
//! One pass over the text finds the literals of all rules (`rule_chain`). A rule's pattern then runs only on the lines
//! that contain its literals, so the work stays linear and small. Lines that quote something (stack frames, source
//! code, test names; see `line_role`) are ignored. Log lines below error level count only if no other line matches.

mod deciding_facts;
mod event_view;
mod line_role;
mod literal_match;
mod literal_prefilter;
mod required_literals;
mod rule;
mod rule_chain;
mod rule_groups;
mod rules;
mod status_literals;
#[cfg(test)]
mod tests;

pub use crate::text::pattern_error::PatternError;
use crate::{failure::category::Category, failure::event::FailureEvent, redact::sanitize_rule_name};
use event_view::EventView;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

pub(crate) use line_role::is_context_line;

/// Maximum size of a user's compiled pattern, and also of its lazily built automaton. A long list of words needs a
/// tenth of this size. The limit prevents that a pattern such as a repeated `\w{1000}` exhausts memory.
const MAX_USER_PATTERN_BYTES: usize = 1 << 20;

/// The byte range of the matched words in the classified text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Start offset, inclusive.
    pub start: usize,
    /// End offset, exclusive.
    pub end: usize,
}

/// A category and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// Category of the failure.
    pub category: Category,
    /// Name of the rule that matched, or `none`.
    pub rule: String,
    /// The text that the rule matched. `None` if a fact outside the text decided, such as an exit code or a container
    /// state.
    pub evidence: Option<Span>,
}

/// A rule from the configuration of the project. These rules are tried before all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserRule {
    /// Answers show the name as `user:NAME`.
    pub name: String,
    /// Category of matching failures.
    pub category: Category,
    /// A regular expression in the syntax of the `regex` crate.
    pub pattern: String,
}

/// The rule chain, with the user's rules first.
#[derive(Debug)]
pub struct Classifier {
    user: Vec<CompiledUserRule>,
}

#[derive(Debug)]
struct CompiledUserRule {
    name: String,
    category: Category,
    regex: Regex,
}

impl Classifier {
    /// Compiles the user's rules. The built-in rules are compiled once per process.
    pub fn new(user_rules: &[UserRule]) -> Result<Self, PatternError> {
        let user = user_rules.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { user })
    }

    /// Returns the category of the first rule that matches.
    pub fn classify(&self, event: &FailureEvent) -> Classification {
        let view = EventView::new(event);
        if let Some(answer) = self.find_user_rule(&view) {
            return answer;
        }
        let from_text = rule_chain::find_first_match(&view);
        let from_facts = deciding_facts::find_deciding_fact(event);
        match (from_text, from_facts) {
            (Some(found), Some(fact)) if fact.rank() < found.rule.rank() => fact.into_classification(),
            (Some(found), _) => Classification {
                category: found.rule.category,
                rule: found.rule.name.to_owned(),
                evidence: view.original_span(found.start, found.end),
            },
            (None, Some(fact)) => fact.into_classification(),
            (None, None) => Classification { category: Category::Unknown, rule: "none".to_owned(), evidence: None },
        }
    }

    fn find_user_rule(&self, view: &EventView<'_>) -> Option<Classification> {
        self.user.iter().find_map(|rule| {
            let found = rule.regex.find(view.bytes())?;
            Some(Classification {
                category: rule.category,
                rule: format!("user:{}", rule.name),
                evidence: view.original_span(found.start(), found.end()),
            })
        })
    }
}

fn compile(rule: &UserRule) -> Result<CompiledUserRule, PatternError> {
    let regex = RegexBuilder::new(&rule.pattern)
        .size_limit(MAX_USER_PATTERN_BYTES)
        .dfa_size_limit(MAX_USER_PATTERN_BYTES)
        .build()
        .map_err(|error| PatternError::new(sanitize_rule_name(&rule.name), &error))?;
    Ok(CompiledUserRule { name: rule.name.clone(), category: rule.category, regex })
}
