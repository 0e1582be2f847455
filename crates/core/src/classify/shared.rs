//! Rules with the same hints are tried on the same lines, nearly always in vain: one search says so for all of them.
//! Does not: decide anything; a rule that may match is tried by itself.

use super::{
    line::Lines,
    rule::{Rule, Shape, Window, compile},
};
use regex::bytes::Regex;
use std::sync::OnceLock;

/// Groups of rules; a line remembers one bit of each.
const MOST: usize = 8;

/// The rules that share their hints with others.
#[derive(Debug)]
pub(super) struct Shared {
    /// For each rule, the group it is in.
    group: Vec<Option<usize>>,
    groups: Vec<Group>,
}

/// What a group matches.
#[derive(Debug)]
struct Group {
    pattern: String,
    regex: OnceLock<Regex>,
}

impl Shared {
    /// Groups the rules of the chain.
    pub(super) fn of(rules: &[&'static Rule]) -> Self {
        let mut shared = Self { group: vec![None; rules.len()], groups: Vec::new() };
        for index in 0..rules.len() {
            let alike: Vec<usize> =
                (index..rules.len()).filter(|&other| are_alike(rules[index], rules[other])).collect();
            if shared.group[index].is_some() || alike.len() < 2 || shared.groups.len() == MOST {
                continue;
            }
            for &rule in &alike {
                shared.group[rule] = Some(shared.groups.len());
            }
            let shapes: Vec<String> =
                alike.iter().filter_map(|&rule| shape(rules[rule])).map(|shape| format!("(?:{shape})")).collect();
            shared.groups.push(Group { pattern: shapes.join("|"), regex: OnceLock::new() });
        }
        shared
    }

    /// False where the rule cannot match on the line; only rules that share their hints are looked at.
    pub(super) fn may_match(&self, rule: usize, lines: &Lines<'_>, line: usize) -> bool {
        let Some(index) = self.group[rule] else { return true };
        lines.answers(line).get_or_ask(index, || {
            let (from, to) = lines.bounds(line);
            let Group { pattern, regex } = &self.groups[index];
            regex.get_or_init(|| compile(pattern)).is_match(&lines.text()[from..to])
        })
    }
}

fn are_alike(one: &Rule, other: &Rule) -> bool {
    one.hints == other.hints && shape(one).is_some() && shape(other).is_some()
}

/// The shape that is looked for on the line of the hint.
fn shape(rule: &Rule) -> Option<&'static str> {
    match rule.shape {
        Shape::Regex(pattern) if rule.window == Window::Line => Some(pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Shared, shape};
    use crate::classify::{
        hint_match::Candidate,
        line::{Lines, Marks},
        rule::compile,
        rules,
    };

    #[test]
    fn a_group_matches_what_its_rules_match() {
        let rules: Vec<_> = rules::chain().collect();
        let shared = Shared::of(&rules);
        assert!(!shared.groups.is_empty());
        let lines = [
            "upstream returned 503",
            "unexpected response status 404",
            "failed to fetch https://example.com/x: 404 Not Found",
            "GET /orders/1 -> 500",
            "read 404 lines",
        ];
        let place = Candidate::new(0, 0, 1).expect("the text is short");
        for line in lines {
            let mut seen = Lines::new(line.as_bytes(), Marks::default());
            let index = seen.of_place(place);
            let grouped = (0..rules.len()).filter(|&rule| shared.group[rule].is_some());
            let missed = grouped.filter(|&rule| !shared.may_match(rule, &seen, index));
            for shape in missed.filter_map(|rule| shape(rules[rule])) {
                assert!(!compile(shape).is_match(line.as_bytes()), "{line}: {shape}");
            }
        }
    }
}
