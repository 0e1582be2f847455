//! Skips rules whose required literals are missing: if the text contains none of them, the rule's pattern does not run.
//! The pass that finds all literals also finds these (`rule_chain`).

use super::rule::Rule;

/// Maximum number of rules with required literals, because each such rule has a bit of `RuleBits`.
const MAX_REQUIRING_RULES: u32 = u32::BITS;

pub(super) type RuleBits = u32;

/// The rules that have required literals, and those literals.
#[derive(Debug)]
pub(super) struct RequiredLiterals {
    /// The bit of each rule; 0 if the rule requires no literal.
    by_rule: Vec<RuleBits>,
    /// For each literal, the bits of the rules that accept it as their required literal.
    by_literal: Vec<RuleBits>,
}

impl RequiredLiterals {
    /// Assigns the bits. `literals` must be sorted and contain every required literal of `rules`.
    pub(super) fn new(rules: &[&'static Rule], literals: &[&'static str]) -> Self {
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

    /// Returns the rules that accept this literal as their required literal.
    pub(super) fn rules_satisfied_by(&self, literal: usize) -> RuleBits {
        self.by_literal[literal]
    }

    /// Returns `false` if the rule requires a literal and the text has none of its required literals.
    pub(super) fn may_match(&self, rule: usize, satisfied: RuleBits) -> bool {
        self.by_rule[rule] & !satisfied == 0
    }
}
