//! Literals without which a rule cannot match: where none of them stands in a text, its pattern need not be tried.
//! They are looked for in the pass that finds all literals (`rule_chain`).

use super::rule::Rule;

/// Rules that may require literals: there is a bit of `RuleBits` for each.
const MAX_REQUIRING_RULES: u32 = u32::BITS;

/// A set of rules that require literals, a bit for each rule.
pub(super) type RuleBits = u32;

/// Which rules require literals, and which ones.
#[derive(Debug)]
pub(super) struct RequiredLiterals {
    /// For each rule its bit; none where it requires nothing.
    by_rule: Vec<RuleBits>,
    /// For each literal the bits of the rules that require it or another.
    by_literal: Vec<RuleBits>,
}

impl RequiredLiterals {
    /// `literals` are sorted and hold what all `rules` require.
    pub(super) fn of(rules: &[&'static Rule], literals: &[&'static str]) -> Self {
        let mut required = Self { by_rule: vec![0; rules.len()], by_literal: vec![0; literals.len()] };
        let requiring = rules.iter().enumerate().filter(|(_, rule)| !rule.required_literals.is_empty());
        for (bit, (index, rule)) in (0..).zip(requiring) {
            assert!(bit < MAX_REQUIRING_RULES, "there is a bit for each rule that requires literals");
            required.by_rule[index] = 1 << bit;
            for literal in rule.required_literals {
                let id = literals.binary_search(literal).expect("the literals were collected from these rules");
                required.by_literal[id] |= 1 << bit;
            }
        }
        required
    }

    /// The rules that require this literal or another.
    pub(super) fn satisfied_by(&self, literal: usize) -> RuleBits {
        self.by_literal[literal]
    }

    /// Whether the rule may match in a text whose literals satisfy these rules.
    pub(super) fn may_match(&self, rule: usize, satisfied: RuleBits) -> bool {
        self.by_rule[rule] & !satisfied == 0
    }
}
