//! Groups rules that share their literals. Such rules run on the same lines and rarely match, so one combined pattern
//! rejects them together. Only if it matches do the rules run one by one.

use super::{
    line_role::Lines,
    rule::{Matcher, Rule, Window, compile},
};
use regex::bytes::Regex;
use std::sync::OnceLock;

/// Maximum number of groups, because a line caches one bit per group in a byte.
const MAX_GROUPS: usize = 8;

#[derive(Debug)]
pub(super) struct RuleGroups {
    /// The group of each rule, indexed by rule.
    group: Vec<Option<usize>>,
    groups: Vec<Group>,
}

/// Combined pattern of the rules in the group.
#[derive(Debug)]
struct Group {
    pattern: String,
    regex: OnceLock<Regex>,
}

impl RuleGroups {
    pub(super) fn of(rules: &[&'static Rule]) -> Self {
        let mut groups = Self { group: vec![None; rules.len()], groups: Vec::new() };
        for index in 0..rules.len() {
            let alike: Vec<usize> =
                (index..rules.len()).filter(|&other| are_alike(rules[index], rules[other])).collect();
            if groups.group[index].is_some() || alike.len() < 2 || groups.groups.len() == MAX_GROUPS {
                continue;
            }
            for &rule in &alike {
                groups.group[rule] = Some(groups.groups.len());
            }
            let patterns: Vec<String> =
                alike.iter().filter_map(|&rule| matcher(rules[rule])).map(|matcher| format!("(?:{matcher})")).collect();
            groups.groups.push(Group { pattern: patterns.join("|"), regex: OnceLock::new() });
        }
        groups
    }

    /// Returns `false` if the rule cannot match on the line. Rules outside a group always return `true`.
    pub(super) fn may_match(&self, rule: usize, lines: &Lines<'_>, line: usize) -> bool {
        let Some(index) = self.group[rule] else { return true };
        lines.group_cache(line).get_or_search(index, || {
            let (from, to) = lines.bounds(line);
            let Group { pattern, regex } = &self.groups[index];
            regex.get_or_init(|| compile(pattern)).is_match(&lines.text()[from..to])
        })
    }
}

fn are_alike(one: &Rule, other: &Rule) -> bool {
    one.literals == other.literals && matcher(one).is_some() && matcher(other).is_some()
}

/// Returns the pattern if it is matched against the line of the literal.
fn matcher(rule: &Rule) -> Option<&'static str> {
    match rule.matcher {
        Matcher::Regex(pattern) if rule.window == Window::Line => Some(pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{RuleGroups, matcher};
    use crate::classify::{
        line_role::{LineMarks, Lines},
        literal_match::Candidate,
        rule::compile,
        rules,
    };

    #[test]
    fn group_matches_iff_one_of_its_rules_matches() {
        let rules: Vec<_> = rules::chain().collect();
        let groups = RuleGroups::of(&rules);
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
            let mut seen = Lines::new(line.as_bytes(), LineMarks::default());
            let index = seen.index_of(candidate);
            let grouped = (0..rules.len()).filter(|&rule| groups.group[rule].is_some());
            let missed = grouped.filter(|&rule| !groups.may_match(rule, &seen, index));
            for matcher in missed.filter_map(|rule| matcher(rules[rule])) {
                assert!(!compile(matcher).is_match(line.as_bytes()), "{line}: {matcher}");
            }
        }
    }
}
