//! Counts the results of trying a fix and describes them in a sentence.

use crate::{
    answer::fix_change,
    contract::{FixTrialCounts, FixTrust},
};
use argus_core::evidence::stored_rows::fixes::ProofStatus;
use argus_store::{StoreError, Tx, patterns::Pattern, solutions::outcomes};

/// Returns `true` if the pattern has a fix that was learned or that a person chose. The tip of a built-in pattern does
/// not count.
pub(crate) fn has_own_fix(pattern: &Pattern) -> bool {
    pattern.best_fix.is_some() && (!pattern.is_builtin || pattern.overrides.solution.is_some())
}

/// The results of trying a fix, and how far runs have proved it.
#[derive(Clone)]
pub(crate) struct FixResults {
    pub(crate) tried: FixTrialCounts,
    /// `None` if the fix was not reported for a failure of a run.
    pub(crate) trust: Option<FixTrust>,
}

/// Returns the state of a reported success. All callers use this function, so that the states agree.
pub(crate) const fn proof_state(proved_by: Option<&str>, refuted_by: Option<&str>) -> ProofStatus {
    match (proved_by, refuted_by) {
        (_, Some(_)) => ProofStatus::Refuted,
        (Some(_), None) => ProofStatus::Proved,
        (None, None) => ProofStatus::Claimed,
    }
}

impl From<outcomes::SuccessEvidence> for FixTrust {
    fn from(success: outcomes::SuccessEvidence) -> Self {
        let outcomes::SuccessEvidence { run_id, proved_by, refuted_by, passes, passes_needed, changed } = success;
        Self {
            state: proof_state(proved_by.as_deref(), refuted_by.as_deref()),
            // A success from another memory is proved there, so its passes are not stored here and count as 1.
            passes: passes.max(u32::from(proved_by.is_some())),
            needed: passes_needed,
            failed_in: run_id,
            proved_by,
            refuted_by,
            change: changed.as_deref().and_then(fix_change::from_json),
        }
    }
}

/// Returns the results of trying the fix that a pattern suggests, if the pattern has its own fix.
pub(crate) fn load_fix_results(tx: &mut Tx<'_>, pattern: &Pattern) -> Result<Option<FixResults>, StoreError> {
    let Some(solution) = pattern.suggested_solution.filter(|_| has_own_fix(pattern)) else { return Ok(None) };
    let found = outcomes::read_solution_summaries(tx, &[solution])?.pop();
    Ok(found.map(|found| FixResults { tried: found.counts.into(), trust: found.best.map(FixTrust::from) }))
}

/// Like [`load_fix_results`], but returns only the counts.
pub(crate) fn count_fix_results(tx: &mut Tx<'_>, pattern: &Pattern) -> Result<Option<FixTrialCounts>, StoreError> {
    Ok(count_fix_results_of_each(tx, std::slice::from_ref(pattern))?.pop().flatten())
}

/// Like [`count_fix_results`] for several patterns, in their order.
pub(crate) fn count_fix_results_of_each(
    tx: &mut Tx<'_>,
    patterns: &[Pattern],
) -> Result<Vec<Option<FixTrialCounts>>, StoreError> {
    let own: Vec<_> =
        patterns.iter().map(|pattern| pattern.suggested_solution.filter(|_| has_own_fix(pattern))).collect();
    let solutions: Vec<_> = own.iter().flatten().copied().collect();
    let mut counts = outcomes::count_outcomes_of_each(tx, &solutions)?.into_iter();
    Ok(own.into_iter().map(|solution| solution.and_then(|_| counts.next()).map(FixTrialCounts::from)).collect())
}

impl From<outcomes::OutcomeCounts> for FixTrialCounts {
    fn from(outcomes::OutcomeCounts { proved, claimed, failed }: outcomes::OutcomeCounts) -> Self {
        Self { proved, claimed, failed }
    }
}

pub(super) const fn has_only_failed(tried: FixTrialCounts) -> bool {
    tried.failed > 0 && tried.proved == 0 && tried.claimed == 0
}

/// Describes the results for people, for example "fixed 2 of 3 times". `None` means a built-in tip.
pub(crate) fn describe_fix_results(tried: Option<FixTrialCounts>) -> String {
    let times = |count: u32| if count == 1 { "1 time".to_owned() } else { format!("{count} times") };
    let Some(FixTrialCounts { proved, claimed, failed }) = tried else {
        return "a built-in tip, not yet tried here".to_owned();
    };
    let and_failed = if failed > 0 { format!(", failed {}", times(failed)) } else { String::new() };
    match (proved, claimed) {
        (0, 0) if failed == 0 => "not yet tried".to_owned(),
        (0, 0) => format!("failed {}", times(failed)),
        (0, 1) => format!("reported once, not confirmed{and_failed}"),
        (0, _) => format!("reported {}, not confirmed{and_failed}", times(claimed)),
        (_, 0) => format!("fixed {proved} of {}", times(proved.saturating_add(failed))),
        _ => format!("fixed {proved} of {}, and reported {}", times(proved.saturating_add(failed)), times(claimed)),
    }
}

/// Describes how many of the needed passes were seen. Returns `None` if a single pass is enough.
pub(super) fn describe_passes(trust: &FixTrust) -> Option<String> {
    let is_open = trust.state == ProofStatus::Claimed && trust.needed > 1;
    is_open.then(|| format!("; {} of {} passes seen", trust.passes, trust.needed))
}

#[cfg(test)]
mod tests {
    use super::{FixTrialCounts, describe_fix_results};

    #[test]
    fn a_refuted_success_stays_refuted_after_a_proof() {
        assert_eq!(super::proof_state(None, None), super::ProofStatus::Claimed);
        assert_eq!(super::proof_state(Some("run-1"), None), super::ProofStatus::Proved);
        assert_eq!(super::proof_state(Some("run-1"), Some("run-2")), super::ProofStatus::Refuted);
    }

    #[test]
    fn describe_fix_results_counts_proofs_claims_and_failures() {
        let say = |proved, claimed, failed| describe_fix_results(Some(FixTrialCounts { proved, claimed, failed }));
        assert_eq!(describe_fix_results(None), "a built-in tip, not yet tried here");
        assert_eq!(say(0, 0, 0), "not yet tried");
        assert_eq!(say(1, 0, 0), "fixed 1 of 1 time");
        assert_eq!(say(2, 0, 1), "fixed 2 of 3 times");
        assert_eq!(say(1, 2, 0), "fixed 1 of 1 time, and reported 2 times");
        assert_eq!(say(0, 1, 0), "reported once, not confirmed");
        assert_eq!(say(0, 1, 2), "reported once, not confirmed, failed 2 times");
        assert_eq!(say(0, 0, 2), "failed 2 times");
    }
}
