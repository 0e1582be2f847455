//! What a recorded run says of the successes that were reported before it: the next run of a case proves or refutes them.
//! The claims themselves are kept by `argus_store::runs::claims`.

use crate::{
    Engine, EngineError,
    failures::{lookup, matching},
};
use argus_store::{
    Database, Tx,
    runs::{
        Run,
        cases::{Case, Status},
        claims::{self, Claim},
    },
};
use std::collections::HashMap;

/// Proves what was claimed of cases that passed, and refutes what was claimed of cases that failed again in the same way.
///
/// A run that began before the claim refutes nothing, for the fix may have been made since; nor does one on another branch,
/// such as that of another work tree, where the change may not be. Another failure of the case neither proves nor refutes:
/// what was claimed may have been the first of two faults.
pub(crate) async fn judge<D: Database>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    run: &Run,
    cases: &[Case],
) -> Result<(), EngineError> {
    let open = claims::open(tx).await?;
    if open.is_empty() {
        return Ok(());
    }
    let ends = ends(cases);
    for claim in open {
        let is_later = claim.failed_at <= run.started_at;
        let Some(case) = ends.get(claim.case_name.as_str()) else {
            if is_later && whole_passed(run, &ends, &claim.case_name) {
                claims::mark_proved(tx, &claim, &run.id).await?;
            }
            continue;
        };
        match case.status {
            Status::Passed if !case.flaky && is_later => claims::mark_proved(tx, &claim, &run.id).await?,
            Status::Failed if may_refute(run, &claim) && is_same(engine, tx, &claim, case).await? => {
                claims::mark_refuted(tx, &claim, &run.id).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A command that failed without a case, and a file that could not be loaded, have no case where they are well.
fn whole_passed(run: &Run, ends: &HashMap<&str, &Case>, case_name: &str) -> bool {
    let is_command = run.command.as_deref() == Some(case_name) && !run.has_failed;
    let is_suite = claims::cases_of_suite(case_name).is_some_and(|start| {
        let mut of_file = ends.iter().filter(|(name, _)| name.starts_with(start)).peekable();
        of_file.peek().is_some() && of_file.all(|(_, case)| case.status == Status::Passed)
    });
    is_command || is_suite
}

fn may_refute(run: &Run, claim: &Claim) -> bool {
    let branches = run.git_branch.as_ref().zip(claim.git_branch.as_ref());
    claim.made_at <= run.started_at && branches.is_none_or(|(here, there)| here == there)
}

/// How each case ended; where a name is there more than once, its failure.
fn ends(cases: &[Case]) -> HashMap<&str, &Case> {
    let mut ends: HashMap<&str, &Case> = HashMap::with_capacity(cases.len());
    for case in cases.iter().filter(|case| case.status != Status::Skipped) {
        let end = ends.entry(&case.name).or_insert(case);
        if case.status == Status::Failed || case.flaky && end.status == Status::Passed {
            *end = case;
        }
    }
    ends
}

/// Whether a case failed in the way that was claimed to be fixed.
async fn is_same<D: Database>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    claim: &Claim,
    case: &Case,
) -> Result<bool, EngineError> {
    let Some(failure) = &case.failure else { return Ok(false) };
    let analysis = engine.analyzer.analyze(lookup::event_of(failure), &case.name);
    let found = matching::find_signed(engine, tx, &analysis, &case.name).await?;
    let known = [found.own, found.pattern];
    Ok(known.iter().flatten().any(|pattern| Some(pattern.key) == claim.pattern))
}
