//! Words without which a rule cannot match: where a text has none of them, its shape need not be tried.
//! Does not: look for the words; they are found with the hints.

use super::rule::Rule;

/// Rules that need words, each of which has a bit of `Met`.
const MOST: u32 = u32::BITS;

/// The rules whose needs were met in a text, a bit for each.
pub(super) type Met = u32;

/// Which rules need words, and which words they need.
#[derive(Debug)]
pub(super) struct Needs {
    /// For each rule its bit; none where it needs nothing.
    of_rule: Vec<Met>,
    /// For each hint the bits of the rules that need it or another.
    of_hint: Vec<Met>,
}

impl Needs {
    /// `hints` are sorted and hold the words of all `rules`.
    pub(super) fn of(rules: &[&'static Rule], hints: &[&'static str]) -> Self {
        let mut needs = Self { of_rule: vec![0; rules.len()], of_hint: vec![0; hints.len()] };
        let in_need = rules.iter().enumerate().filter(|(_, rule)| !rule.needs.is_empty());
        for (bit, (index, rule)) in (0..).zip(in_need) {
            assert!(bit < MOST, "there is a bit for each rule that needs words");
            needs.of_rule[index] = 1 << bit;
            for word in rule.needs {
                let id = hints.binary_search(word).expect("the hints were collected from these rules");
                needs.of_hint[id] |= 1 << bit;
            }
        }
        needs
    }

    /// What is met where the hint stands in a text.
    pub(super) fn met_by(&self, hint: usize) -> Met {
        self.of_hint[hint]
    }

    /// Whether the rule may match in a text that meets these needs.
    pub(super) fn may_match(&self, rule: usize, met: Met) -> bool {
        self.of_rule[rule] & !met == 0
    }
}
