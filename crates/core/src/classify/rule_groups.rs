//! Groups rules that share their literals. These rules run on the same lines and rarely match, so a combined pattern
//! rejects them together. The rules run individually only if the combined pattern matches.

use super::{
    line_role::LinesWithLiterals,
    rule::{MatchedText, Matcher, Rule, compile},
};
use regex::bytes::Regex;
use std::sync::OnceLock;

/// Maximum number of groups, because a line caches a bit per group in a byte.
const MAX_GROUPS: usize = 8;

#[derive(Debug)]
pub(super) struct RuleGroups {
    /// The group of each rule, indexed by rule.
    group: Vec<Option<usize>>,
    groups: Vec<RuleGroup>,
}

/// The combined pattern of the rules in a group.
#[derive(Debug)]
struct RuleGroup {
    pattern: String,
    regex: OnceLock<Regex>,
}

impl RuleGroups {
    pub(super) fn new(rules: &[&'static Rule]) -> Self {
        let mut groups = Self { group: vec![None; rules.len()], groups: Vec::new() };
        for index in 0..rules.len() {
            let alike: Vec<usize> =
                (index..rules.len()).filter(|&other| can_share_group(rules[index], rules[other])).collect();
            if groups.group[index].is_some() || alike.len() < 2 || groups.groups.len() == MAX_GROUPS {
                continue;
            }
            for &rule in &alike {
                groups.group[rule] = Some(groups.groups.len());
            }
            let patterns: Vec<String> = alike
                .iter()
                .filter_map(|&rule| find_line_pattern(rules[rule]))
                .map(|matcher| format!("(?:{matcher})"))
                .collect();
            groups.groups.push(RuleGroup { pattern: patterns.join("|"), regex: OnceLock::new() });
        }
        groups
    }

    /// Returns `false` if the rule cannot match on the line. Returns `true` for rules that are in no group.
    pub(super) fn may_match(&self, rule: usize, lines: &LinesWithLiterals<'_>, line: usize) -> bool {
        let Some(index) = self.group[rule] else { return true };
        lines.group_cache(line).get_or_compute(index, || {
            let (from, to) = lines.bounds(line);
            let RuleGroup { pattern, regex } = &self.groups[index];
            regex.get_or_init(|| compile(pattern)).is_match(&lines.text()[from..to])
        })
    }
}

fn can_share_group(one: &Rule, other: &Rule) -> bool {
    one.literals == other.literals && find_line_pattern(one).is_some() && find_line_pattern(other).is_some()
}

/// Returns the pattern of a rule that is matched against the line of the literal.
fn find_line_pattern(rule: &Rule) -> Option<&'static str> {
    match rule.matcher {
        Matcher::Regex(pattern) if rule.matched_text == MatchedText::Line => Some(pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{RuleGroups, find_line_pattern};
    use crate::classify::{
        line_role::{LineRoleHints, LinesWithLiterals},
        literal_match::Candidate,
        rule::compile,
        rules,
    };

    #[test]
    fn group_matches_if_and_only_if_a_rule_matches() {
        let rules: Vec<_> = rules::all_rules().collect();
        let groups = RuleGroups::new(&rules);
        assert!(!groups.groups.is_empty());
        let lines = [
            "upstream returned 503",
            "unexpected response status 404",
            "failed to fetch https://example.com/x: 404 Not Found",
            "GET /orders/1 -> 500",
            "read 404 lines",
        ];
        let candidate = Candidate::new(0, 0, 1).expect("the text is short");
        for line in lines {
            let mut seen = LinesWithLiterals::new(line.as_bytes(), LineRoleHints::default());
            let index = seen.find_or_add_line(candidate);
            let grouped = (0..rules.len()).filter(|&rule| groups.group[rule].is_some());
            let missed = grouped.filter(|&rule| !groups.may_match(rule, &seen, index));
            for matcher in missed.filter_map(|rule| find_line_pattern(rules[rule])) {
                assert!(!compile(matcher).is_match(line.as_bytes()), "{line}: {matcher}");
            }
        }
    }
}
