//! Proves and refutes reported successes by a recorded run: enough passes of the test prove a success, and the same
//! failure refutes it. `argus_store::runs::claims` stores them.

use crate::{
    Engine, EngineError,
    answer::{fix_change, row_conversion},
    contract::ProvedFix,
    evidence::{change, edits},
    failures::{lookup, matching},
};
use argus_core::{
    case_name::stabilize_case_name,
    display,
    evidence::{facts::RunFacts, stored_rows::window::RunWindow, verdict::VerdictKind},
};
use argus_store::{
    Tx, patterns,
    runs::{
        Run,
        cases::{Case, Status},
        claims::{self, Claim},
    },
    solutions,
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// Maximum number of proved fixes in an answer, and of characters of each. The history of a pattern lists all of them.
const MAX_PROVED_FIXES: usize = 20;
const MAX_PROVED_FIX_CHARS: usize = 300;
const MAX_HISTORY: u32 = 50;

/// Proves claims of tests that passed often enough, and refutes claims of tests that failed again in the same way. For
/// a test that fails by chance, a failure also refutes a proved claim.
///
/// A run refutes a claim only if it contains the claimed change. Normally this is a run that began soon after the claim
/// on the same branch, because later runs may not contain the change any more. A run on the same files as the failure
/// and on the machine of the claim also contains the change, because the change is then outside of the files.
///
/// A random failure does not refute a claim about a constant failure. A different failure of the test has no effect,
/// because there may be two faults. Runs of forks have no effect.
///
/// A claim is not proved if another fix was reported later, if another fix is confirmed for the same failure, or if its
/// text has no word in common with the change.
///
/// `window` ends with this run. Returns the claims that the run proved.
pub(crate) fn judge_claims(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run: &Run,
    cases: &[Case],
    window: &RunWindow,
) -> Result<Vec<ProvedFix>, EngineError> {
    let on_same_files: HashSet<&str> = window.run_ids_on_newest_files().collect();
    let is_on_same_files = |claim: &Claim| on_same_files.contains(claim.failed_run_id.as_str());
    let may_refute = |claim: &Claim, case: &Case| {
        let is_there = if is_on_same_files(claim) {
            was_made_on_this_machine(engine, claim, window)
        } else {
            is_soon_after(run, claim)
        };
        may_refute(run, claim) && is_there && (claim.passes_needed > 1 || !is_flaky_failure(case))
    };
    let mut open = if run.is_foreign { Vec::new() } else { claims::list_open_claims(tx)? };
    // A pass on an older commit, such as of `argus run --at`, shows the time before the failure.
    open.retain(|claim| !is_on_older_commit(window, &claim.failed_run_id, &run.id));
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let final_cases = final_cases(cases);
    let mut passed = Vec::new();
    for claim in open {
        let Some(case) = final_cases.get(&stabilize_case_name(&claim.case_name)) else {
            let ran = final_cases.values().map(|case| (case.name.as_str(), case.status == Status::Passed));
            if may_prove(run, &claim) && has_suite_passed(run, ran, &claim.case_name) {
                passed.push(claim);
            }
            continue;
        };
        match case.status {
            Status::Passed if !case.flaky && may_prove(run, &claim) => passed.push(claim),
            Status::Failed if may_refute(&claim, case) && is_same_failure(engine, tx, &claim, case)? => {
                claims::mark_refuted(tx, &claim, &run.id)?;
            }
            _ => {}
        }
    }
    let mut proving = Vec::new();
    for claim in passed {
        if !weakens_tests(tx, &claim, window)? {
            proving.push(claim);
        }
    }
    let mut passed = remove_superseded(tx, proving)?;
    claims::count_passes(tx, &passed)?;
    store_changes_of_claims(tx, &mut passed)?;
    passed
        .retain(|claim| !claim.is_proved && claim.passes + 1 >= claim.passes_needed && !is_unrelated_to_change(claim));
    let mut proved = Vec::with_capacity(passed.len());
    for claim in passed {
        if change::find_unrelated_confirmed_fix(tx, &claim.failed_run_id, &claim.case_name, &claim.steps)?.is_none() {
            claims::mark_proved(tx, &claim, &run.id)?;
            proved.push(claim);
        }
    }
    describe_proved(tx, run, &proved)
}

/// Returns `true` if the run is on an older commit than the failure. Returns `false` if one of the two runs is no
/// longer in the window.
pub(crate) fn is_on_older_commit(window: &RunWindow, failed_in: &str, run_id: &str) -> bool {
    let run = |id: &str| window.runs().find(|run| run.id == id);
    let runs = run(failed_in).zip(run(run_id));
    runs.is_some_and(|(failed, run)| window.view_from(run).is_on_older_commit_than(failed.seq))
}

/// Stores what changed until the first pass of each claim.
fn store_changes_of_claims(tx: &mut Tx<'_>, passed: &mut [Claim]) -> Result<(), EngineError> {
    for claim in passed.iter_mut().filter(|claim| claim.passes == 0 && claim.changed.is_none()) {
        let found = change::find_change_until_first_pass(tx, &claim.case_name, &claim.failed_run_id, &claim.steps)?;
        claim.changed = found.as_ref().and_then(fix_change::to_json);
    }
    let changed = passed.iter().filter(|claim| claim.passes == 0);
    Ok(claims::store_changes(tx, changed.filter_map(|claim| Some((claim, claim.changed.as_deref()?))))?)
}

/// Returns `true` if the text of the claim has no word in common with the change that runs prove.
fn is_unrelated_to_change(claim: &Claim) -> bool {
    claim.changed.as_deref().and_then(fix_change::from_json).is_some_and(|change| change.unnamed)
}

/// Returns `true` if the changes since the failure weaken tests, or the way in which they are run.
fn weakens_tests(tx: &mut Tx<'_>, claim: &Claim, window: &RunWindow) -> Result<bool, EngineError> {
    let failed = window.runs().find(|run| run.id == claim.failed_run_id);
    let Some((failed, now)) = failed.zip(window.runs().next_back()) else { return Ok(false) };
    edits::weakens_tests(tx, window, failed.seq, now.seq)
}

/// A run this soon after a claim usually still contains the claimed change.
const MAX_CLAIM_AGE_MS: i64 = 24 * 60 * 60 * 1_000;

fn is_soon_after(run: &Run, claim: &Claim) -> bool {
    run.started_at - claim.reported_at <= MAX_CLAIM_AGE_MS
}

fn is_flaky_failure(case: &Case) -> bool {
    let found = case.failure.as_deref().and_then(row_conversion::parse_stored_verdict);
    found.is_some_and(|found| found.verdict.kind == VerdictKind::Flaky)
}

/// Returns `true` if the claim was made by a recorder with this machine name, and if the newest run and the failure
/// were on the same machine.
fn was_made_on_this_machine(engine: &Engine, claim: &Claim, window: &RunWindow) -> bool {
    let failed = window.runs().find(|run| run.id == claim.failed_run_id);
    let machines = failed.and_then(machine_of).zip(window.runs().next_back().and_then(machine_of));
    claim.reported_from.is_some()
        && claim.reported_from.as_deref() == engine.recorder().from
        && machines.is_some_and(|(there, here)| there == here)
}

/// Name of the run condition that identifies the machine.
const MACHINE_CONDITION: &str = "machine";

fn machine_of(run: &RunFacts) -> Option<&str> {
    run.environment.iter().find(|(name, _)| name == MACHINE_CONDITION).map(|(_, machine)| machine.as_str())
}

/// Removes claims that another report superseded before they were proved, because later passes support the later
/// report.
fn remove_superseded(tx: &mut Tx<'_>, passed: Vec<Claim>) -> Result<Vec<Claim>, EngineError> {
    let is_superseded = claims::are_superseded(tx, &passed)?;
    let by_claim = passed.into_iter().zip(is_superseded);
    Ok(by_claim.filter(|(claim, is_superseded)| claim.is_proved || !is_superseded).map(|(claim, _)| claim).collect())
}

/// Describes the proved fixes: for each pattern and case, the newest success that this run proves.
fn describe_proved(tx: &mut Tx<'_>, run: &Run, proved: &[Claim]) -> Result<Vec<ProvedFix>, EngineError> {
    let mut described: Vec<ProvedFix> = Vec::new();
    for claim in proved {
        if described.len() == MAX_PROVED_FIXES {
            break;
        }
        let pattern = match claim.pattern {
            Some(key) => patterns::get(tx, key)?,
            None => None,
        };
        let Some(pattern) = pattern else { continue };
        if described.iter().any(|fix| fix.case_name == claim.case_name && fix.pattern_id == pattern.id) {
            continue;
        }
        let history = solutions::list_history(tx, &pattern, MAX_HISTORY)?;
        let is_proved =
            |fix: &solutions::Fix| fix.case_name == claim.case_name && fix.proved_by.as_ref() == Some(&run.id);
        if let Some(fix) = history.into_iter().find(is_proved) {
            described.push(ProvedFix {
                case_name: fix.case_name,
                pattern_id: pattern.id,
                fix_description: display::truncate_chars(&fix.steps, MAX_PROVED_FIX_CHARS),
            });
        }
    }
    Ok(described)
}

/// Returns `true` if a suite case has passed, although the run does not report it. A suite case is a command that
/// failed without a case, or a file that could not be loaded. It appears only when it fails. `ran` lists the cases that
/// were not skipped, and whether each passed.
pub(crate) fn has_suite_passed<'a>(run: &Run, ran: impl Iterator<Item = (&'a str, bool)>, case_name: &str) -> bool {
    if run.command.as_deref() == Some(case_name) && !run.has_failed {
        return true;
    }
    let Some(start) = claims::suite_name_prefix(case_name) else { return false };
    let mut of_file = ran.filter(|(name, _)| name.starts_with(start)).peekable();
    of_file.peek().is_some() && of_file.all(|(_, has_passed)| has_passed)
}

/// Returns `true` if the run is late enough to prove the claim. For a random failure only runs after the claim count,
/// because earlier passes are expected of it.
fn may_prove(run: &Run, claim: &Claim) -> bool {
    let since = if claim.passes_needed > 1 { claim.reported_at } else { claim.failed_at };
    since <= run.started_at
}

fn may_refute(run: &Run, claim: &Claim) -> bool {
    let branches = run.git_branch.as_ref().zip(claim.git_branch.as_ref());
    claim.reported_at <= run.started_at && branches.is_none_or(|(here, there)| here == there)
}

/// Returns the final result of each case by the stable part of its name. If a name occurs more than once, a failure
/// wins over a flaky pass, and a flaky pass over a pass.
fn final_cases(cases: &[Case]) -> HashMap<Cow<'_, str>, &Case> {
    let mut final_cases: HashMap<Cow<'_, str>, &Case> = HashMap::with_capacity(cases.len());
    for case in cases.iter().filter(|case| case.status != Status::Skipped) {
        let end = final_cases.entry(stabilize_case_name(&case.name)).or_insert(case);
        if case.status == Status::Failed || case.flaky && end.status == Status::Passed {
            *end = case;
        }
    }
    final_cases
}

/// Returns `true` if a case failed in the way that was claimed to be fixed.
fn is_same_failure(engine: &Engine, tx: &mut Tx<'_>, claim: &Claim, case: &Case) -> Result<bool, EngineError> {
    let Some(failure) = &case.failure else { return Ok(false) };
    let analysis = engine.analyzer.analyze(lookup::rebuild_event(failure), &case.name);
    let found = matching::find_match_after_resigning(engine, tx, &analysis, &case.name)?;
    let known = [found.own_pattern, found.pattern];
    Ok(known.iter().flatten().any(|pattern| Some(pattern.key) == claim.pattern))
}
