//! What came of trying a fix, counted and in words.

use crate::contract::Tried;
use argus_store::{StoreError, Tx, patterns::Pattern, solutions::outcomes};

/// It was learned, or a person chose it; a built-in's tip is none.
pub(crate) fn has_own_fix(pattern: &Pattern) -> bool {
    pattern.best_fix.is_some() && (!pattern.is_builtin || pattern.overrides.solution.is_some())
}

/// What came of trying the fix that a pattern suggests; none where it has none of its own.
pub(crate) async fn tried_fix(tx: &mut impl Tx, pattern: &Pattern) -> Result<Option<Tried>, StoreError> {
    Ok(tried_fixes(tx, std::slice::from_ref(pattern)).await?.pop().flatten())
}

/// The same of each of these patterns.
pub(crate) async fn tried_fixes(tx: &mut impl Tx, patterns: &[Pattern]) -> Result<Vec<Option<Tried>>, StoreError> {
    let own: Vec<_> = patterns.iter().map(|pattern| pattern.suggests.filter(|_| has_own_fix(pattern))).collect();
    let solutions: Vec<_> = own.iter().flatten().copied().collect();
    let mut counts = outcomes::outcome_counts_of(tx, &solutions).await?.into_iter();
    Ok(own.into_iter().map(|solution| solution.and_then(|_| counts.next()).map(Tried::from)).collect())
}

impl From<outcomes::OutcomeCounts> for Tried {
    fn from(outcomes::OutcomeCounts { proved, claimed, failed }: outcomes::OutcomeCounts) -> Self {
        Self { proved, claimed, failed }
    }
}

pub(super) const fn has_only_failed(tried: Tried) -> bool {
    tried.failed > 0 && tried.proved == 0 && tried.claimed == 0
}

/// What is known of a suggested fix, in words; a built-in's tip where nothing was counted.
pub(crate) fn describe_trial(tried: Option<Tried>) -> String {
    let times = |count: u32| if count == 1 { "1 time".to_owned() } else { format!("{count} times") };
    let Some(Tried { proved, claimed, failed }) = tried else { return "a built-in tip, not yet tried here".to_owned() };
    let and_failed = if failed > 0 { format!(", failed {}", times(failed)) } else { String::new() };
    match (proved, claimed) {
        (0, 0) if failed == 0 => "not yet tried".to_owned(),
        (0, 0) => format!("failed {}", times(failed)),
        (0, _) => format!("only claimed to have fixed it, {}{and_failed}", times(claimed)),
        (_, 0) => format!("fixed {proved} of {}", times(proved.saturating_add(failed))),
        _ => format!("fixed {proved} of {}, and claimed {}", times(proved.saturating_add(failed)), times(claimed)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tried, describe_trial};

    #[test]
    fn says_what_came_of_a_fix() {
        let say = |proved, claimed, failed| describe_trial(Some(Tried { proved, claimed, failed }));
        assert_eq!(describe_trial(None), "a built-in tip, not yet tried here");
        assert_eq!(say(0, 0, 0), "not yet tried");
        assert_eq!(say(1, 0, 0), "fixed 1 of 1 time");
        assert_eq!(say(2, 0, 1), "fixed 2 of 3 times");
        assert_eq!(say(1, 2, 0), "fixed 1 of 1 time, and claimed 2 times");
        assert_eq!(say(0, 1, 0), "only claimed to have fixed it, 1 time");
        assert_eq!(say(0, 1, 2), "only claimed to have fixed it, 1 time, failed 2 times");
        assert_eq!(say(0, 0, 2), "failed 2 times");
    }
}
