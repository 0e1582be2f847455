//! Finds the literals of all rules in one pass over the text, then runs the rules in order on the candidates.

use super::{
    event_view::EventView,
    line_role::{self, LineRole, LineRoleHints, LinesWithLiterals},
    literal_match::{Candidate, LiteralMatch},
    literal_prefilter::LiteralPrefilter,
    required_literals::{RequiredLiterals, RuleBits},
    rule::{AcceptedLines, CompiledRule, MatchedText, Matcher, Rule},
    rule_groups::RuleGroups,
    rules,
};
use crate::failure::category::Category;
use std::sync::LazyLock;

/// Maximum number of candidates per rule at the start of a text, and at its end, where a log usually reports the
/// failure.
const MAX_FIRST_CANDIDATES: u8 = 24;
const MAX_LAST_CANDIDATES: usize = 8;
/// Maximum number of rules. A fixed limit allows counters on the stack instead of an allocation for every text.
const MAX_RULES: usize = 512;
/// Initial capacity, enough for most texts.
const EXPECTED_CANDIDATES: usize = 64;

/// The rule that matched, with the range of the match in the view.
#[derive(Debug)]
pub(super) struct RuleMatch {
    pub(super) rule: &'static Rule,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Returns the first rule of the chain that matches. A match on a log line below error level is used only if no other
/// line matches.
pub(super) fn find_first_match(view: &EventView<'_>) -> Option<RuleMatch> {
    let chain = &*RULE_CHAIN;
    let LiteralScan { mut candidates, marks, satisfied } = chain.scan(view.bytes());
    let mut lines = LinesWithLiterals::new(view.bytes(), marks);
    candidates.sort_unstable();
    let mut last_resort = None;
    let mut tried = (usize::MAX, usize::MAX);
    for candidate in candidates {
        if !chain.required_literals.may_match(candidate.rule(), satisfied) {
            continue;
        }
        let line = lines.find_or_add_line(candidate);
        let rule = chain.rules[candidate.rule()];
        // A pattern sees the whole line, so a second literal on the same line cannot change the result.
        if tried == (candidate.rule(), line) && matches!(rule.matcher, Matcher::Regex(_)) {
            continue;
        }
        let match_use = choose_match_use(rule.accepted_lines, lines.role(line));
        // Do not keep a log line that reports an error without a category as a last resort.
        let useless = match_use == MatchUse::Defer && (last_resort.is_some() || rule.category == Category::Unknown);
        if match_use == MatchUse::Reject || useless {
            continue;
        }
        tried = (candidate.rule(), line);
        if !chain.groups.may_match(candidate.rule(), &lines, line) {
            continue;
        }
        let Some(found) = chain.try_rule(rule, candidate, line, &lines) else { continue };
        if match_use == MatchUse::Accept {
            return Some(found);
        }
        last_resort = Some(found);
    }
    last_resort
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchUse {
    Accept,
    Defer,
    Reject,
}

const fn choose_match_use(trust: AcceptedLines, role: LineRole) -> MatchUse {
    match (trust, role) {
        (AcceptedLines::All, _)
        | (AcceptedLines::MessagesFirst | AcceptedLines::MessagesOnly, LineRole::Message)
        | (AcceptedLines::MessagesAndLogs, LineRole::Message | LineRole::Log) => MatchUse::Accept,
        (AcceptedLines::MessagesFirst, LineRole::Log)
        | (AcceptedLines::LastResort, LineRole::Message | LineRole::Log | LineRole::Access) => MatchUse::Defer,
        (_, LineRole::Context | LineRole::Access) | (AcceptedLines::MessagesOnly, LineRole::Log) => MatchUse::Reject,
    }
}

/// The literals of a text.
struct LiteralScan {
    candidates: Vec<Candidate>,
    marks: LineRoleHints,
    /// The rules whose required literals are in the text.
    satisfied: RuleBits,
}

/// The rules and the checks of `line_role` that use a literal.
struct LiteralUse {
    /// The rules that try to match where the literal occurs. Empty for required literals and for the literals of
    /// `line_role`.
    rules: Vec<u16>,
    /// The rules that accept the literal as their required literal.
    satisfies: RuleBits,
    is_retry_word: bool,
    is_pytest_mark: bool,
}

impl LiteralUse {
    fn new(literal: &str, satisfies: RuleBits) -> Self {
        Self {
            rules: Vec::new(),
            satisfies,
            is_retry_word: line_role::RETRY_WORDS.contains(&literal),
            is_pytest_mark: literal == line_role::PYTEST_ERROR_MARK,
        }
    }
}

struct RuleChain {
    rules: Vec<&'static Rule>,
    compiled: Vec<CompiledRule>,
    finder: LiteralPrefilter,
    /// Indexed by literal.
    uses: Vec<LiteralUse>,
    required_literals: RequiredLiterals,
    groups: RuleGroups,
}

static RULE_CHAIN: LazyLock<RuleChain> = LazyLock::new(RuleChain::build);

impl RuleChain {
    fn build() -> Self {
        let rules: Vec<&'static Rule> = rules::all_rules().collect();
        assert!(rules.len() <= MAX_RULES, "there is a counter for each rule");
        let mut literals: Vec<&'static str> = rules
            .iter()
            .flat_map(|rule| rule.literals.iter().chain(rule.required_literals))
            .chain(line_role::RETRY_WORDS)
            .chain([&line_role::PYTEST_ERROR_MARK])
            .copied()
            .collect();
        literals.sort_unstable();
        literals.dedup();
        let required_literals = RequiredLiterals::new(&rules, &literals);
        let mut uses: Vec<LiteralUse> = (0..)
            .zip(&literals)
            .map(|(id, literal)| LiteralUse::new(literal, required_literals.rules_satisfied_by(id)))
            .collect();
        for (index, rule) in (0..).zip(&rules) {
            for literal in rule.literals {
                let id = literals.binary_search(literal).expect("the literals were collected from these rules");
                uses[id].rules.push(index);
            }
        }
        let finder = LiteralPrefilter::new(&literals);
        let compiled = rules.iter().map(|_| CompiledRule::default()).collect();
        let groups = RuleGroups::new(&rules);
        Self { rules, compiled, finder, uses, required_literals, groups }
    }

    fn scan(&self, text: &[u8]) -> LiteralScan {
        let mut scan = LiteralScan {
            candidates: Vec::with_capacity(EXPECTED_CANDIDATES),
            marks: LineRoleHints::default(),
            satisfied: 0,
        };
        let mut seen = [0_u8; MAX_RULES];
        let mut last = LastCandidates::default();
        self.finder.find(text, |LiteralMatch { id, start, end }| {
            let used = &self.uses[id];
            scan.satisfied |= used.satisfies;
            scan.marks.has_pytest_marks |= used.is_pytest_mark && text[start + 1] == b'E';
            if used.is_retry_word && used.rules.is_empty() {
                scan.marks.retries.push((start, end));
            }
            for candidate in used.rules.iter().filter_map(|&rule| Candidate::new(rule, start, end)) {
                let seen = &mut seen[candidate.rule()];
                if *seen < MAX_FIRST_CANDIDATES {
                    *seen += 1;
                    scan.candidates.push(candidate);
                } else {
                    last.push(candidate);
                }
            }
        });
        scan.candidates.extend(last.0.into_iter().flat_map(|ring| ring.last));
        scan
    }

    fn try_rule(
        &self,
        rule: &'static Rule,
        candidate: Candidate,
        line: usize,
        lines: &LinesWithLiterals<'_>,
    ) -> Option<RuleMatch> {
        let (from, to) = match rule.matched_text {
            MatchedText::Line => lines.bounds(line),
            MatchedText::NearbyLines => {
                line_role::bounds_of_nearby_lines(lines.text(), candidate.start(), candidate.end())
            }
        };
        let literal = (candidate.start() - from, candidate.end() - from);
        let (start, end) = self.compiled[candidate.rule()].find(rule, &lines.text()[from..to], literal)?;
        Some(RuleMatch { rule, start: from + start, end: from + end })
    }
}

/// The last candidates of each rule that has more than `MAX_FIRST_CANDIDATES`.
#[derive(Default)]
struct LastCandidates(Vec<RingBuffer>);

struct RingBuffer {
    last: Vec<Candidate>,
    oldest: usize,
}

impl LastCandidates {
    fn push(&mut self, candidate: Candidate) {
        match self.0.iter_mut().find(|ring| ring.last[0].rule() == candidate.rule()) {
            Some(ring) if ring.last.len() < MAX_LAST_CANDIDATES => ring.last.push(candidate),
            Some(ring) => {
                ring.last[ring.oldest] = candidate;
                ring.oldest = (ring.oldest + 1) % MAX_LAST_CANDIDATES;
            }
            None => self.0.push(RingBuffer { last: vec![candidate], oldest: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_candidates_are_kept_in_a_text_with_many_matches() {
        let text = "ETIMEDOUT ".repeat(10_000);
        let LiteralScan { candidates, .. } = RULE_CHAIN.scan(text.as_bytes());
        assert!(candidates.iter().any(|candidate| candidate.end() == text.len() - 1));
        assert!(candidates.len() < 20 * (usize::from(MAX_FIRST_CANDIDATES) + MAX_LAST_CANDIDATES));
    }
}
