//! Proves and refutes reported successes by a recorded run: enough passes of the test prove a success, and the same failure
//! refutes it. `argus_store::runs::claims` stores them.

use crate::{
    Engine, EngineError,
    answer::{fix_change, view},
    contract::ProvedFix,
    evidence::{change, edits},
    failures::{lookup, matching},
};
use argus_core::{
    display,
    evidence::{facts::RunFacts, kept::window::Window, verdict::VerdictKind},
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
use std::collections::{HashMap, HashSet};

/// Maximum number of proved fixes in an answer, and of characters of each. The history of a pattern lists all of them.
const MAX_TOLD: usize = 20;
const MAX_TOLD_CHARS: usize = 300;
const MAX_HISTORY: u32 = 50;

/// Proves claims of tests that passed often enough, and refutes claims of tests that failed again in the same way. For a test
/// that fails by chance, a failure also refutes a proved claim.
///
/// A run refutes a claim only if it contains the claimed change: it began soon after the claim on the same branch, or it is on
/// the same files as the failure and on the machine of the claim, so that the change is outside of the files. Later runs may
/// not contain the change any more. A random failure does not refute a claim about a constant one. Another failure of the test
/// has no effect, because there may be two faults. Runs of forks have no effect. A claim is not proved if another fix was
/// reported after it, or if its text has no word in common with the change.
///
/// `window` ends with this run. Returns the claims that the run proved.
pub(crate) fn judge(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run: &Run,
    cases: &[Case],
    window: &Window,
) -> Result<Vec<ProvedFix>, EngineError> {
    let on_same_files: HashSet<&str> = window.on_newest_files().collect();
    let is_on_same_files = |claim: &Claim| on_same_files.contains(claim.failed_in.as_str());
    let may_refute = |claim: &Claim, case: &Case| {
        let is_there = if is_on_same_files(claim) { is_made_here(engine, claim, window) } else { is_soon(run, claim) };
        may_refute(run, claim) && is_there && (claim.passes_needed > 1 || !is_by_chance(case))
    };
    let open = if run.is_foreign { Vec::new() } else { claims::open(tx)? };
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let ends = ends(cases);
    let mut passed = Vec::new();
    for claim in open {
        let Some(case) = ends.get(claim.case_name.as_str()) else {
            let ran = ends.iter().map(|(name, case)| (*name, case.status == Status::Passed));
            if may_prove(run, &claim) && whole_passed(run, ran, &claim.case_name) {
                passed.push(claim);
            }
            continue;
        };
        match case.status {
            Status::Passed if !case.flaky && may_prove(run, &claim) => passed.push(claim),
            Status::Failed if may_refute(&claim, case) && is_same(engine, tx, &claim, case)? => {
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
    let mut passed = standing(tx, proving)?;
    claims::count_passes(tx, &passed)?;
    note_changes(tx, &mut passed)?;
    passed.retain(|claim| !claim.is_proved && claim.passes + 1 >= claim.passes_needed && !is_unnamed(claim));
    for claim in &passed {
        claims::mark_proved(tx, claim, &run.id)?;
    }
    told(tx, run, &passed)
}

/// Stores what changed until the first pass of each claim.
fn note_changes(tx: &mut Tx<'_>, passed: &mut [Claim]) -> Result<(), EngineError> {
    for claim in passed.iter_mut().filter(|claim| claim.passes == 0 && claim.changed.is_none()) {
        let found = change::until_first_pass(tx, &claim.case_name, &claim.failed_in, &claim.steps)?;
        claim.changed = found.as_ref().and_then(fix_change::stored);
    }
    let changed = passed.iter().filter(|claim| claim.passes == 0);
    Ok(claims::set_changed(tx, changed.filter_map(|claim| Some((claim, claim.changed.as_deref()?))))?)
}

/// Returns `true` if the text of the claim has no word in common with the change that runs prove.
fn is_unnamed(claim: &Claim) -> bool {
    claim.changed.as_deref().and_then(fix_change::read).is_some_and(|change| change.unnamed)
}

/// Returns `true` if tests, or how they are run, were edited to make it pass.
fn weakens_tests(tx: &mut Tx<'_>, claim: &Claim, window: &Window) -> Result<bool, EngineError> {
    let failed = window.runs().find(|run| run.id == claim.failed_in);
    let Some((failed, now)) = failed.zip(window.runs().next_back()) else { return Ok(false) };
    edits::weakens_tests(tx, failed.seq, now.seq)
}

/// A claimed change usually still exists this long after the claim.
const SOON_MS: i64 = 24 * 60 * 60 * 1_000;

fn is_soon(run: &Run, claim: &Claim) -> bool {
    run.started_at - claim.made_at <= SOON_MS
}

fn is_by_chance(case: &Case) -> bool {
    let found = case.failure.as_deref().and_then(view::found_to_be);
    found.is_some_and(|found| found.verdict.kind == VerdictKind::Flaky)
}

/// Returns `true` if the newest run was where the claim was made: by the same recorder, on the machine of the failure.
fn is_made_here(engine: &Engine, claim: &Claim, window: &Window) -> bool {
    let failed = window.runs().find(|run| run.id == claim.failed_in);
    let machines = failed.and_then(machine).zip(window.runs().next_back().and_then(machine));
    claim.made_from.is_some()
        && claim.made_from.as_deref() == engine.recorder().from
        && machines.is_some_and(|(there, here)| there == here)
}

/// Name of the run condition that identifies the machine.
const MACHINE: &str = "machine";

fn machine(run: &RunFacts) -> Option<&str> {
    run.environment.iter().find(|(name, _)| name == MACHINE).map(|(_, machine)| machine.as_str())
}

/// Removes claims that another report superseded before they were proved, because later passes support the later
/// report.
fn standing(tx: &mut Tx<'_>, passed: Vec<Claim>) -> Result<Vec<Claim>, EngineError> {
    let is_superseded = claims::superseded(tx, &passed)?;
    let by_claim = passed.into_iter().zip(is_superseded);
    Ok(by_claim.filter(|(claim, is_superseded)| claim.is_proved || !is_superseded).map(|(claim, _)| claim).collect())
}

/// Describes the proved fixes: for each pattern and case, the newest success that this run proves.
fn told(tx: &mut Tx<'_>, run: &Run, proved: &[Claim]) -> Result<Vec<ProvedFix>, EngineError> {
    let mut told: Vec<ProvedFix> = Vec::new();
    for claim in proved {
        if told.len() == MAX_TOLD {
            break;
        }
        let pattern = match claim.pattern {
            Some(key) => patterns::get(tx, key)?,
            None => None,
        };
        let Some(pattern) = pattern else { continue };
        if told.iter().any(|fix| fix.case_name == claim.case_name && fix.pattern_id == pattern.id) {
            continue;
        }
        let history = solutions::history(tx, &pattern, MAX_HISTORY)?;
        let is_proved =
            |fix: &solutions::Fix| fix.case_name == claim.case_name && fix.proved_by.as_ref() == Some(&run.id);
        if let Some(fix) = history.into_iter().find(is_proved) {
            told.push(ProvedFix {
                case_name: fix.case_name,
                pattern_id: pattern.id,
                fix_description: display::shortened(&fix.steps, MAX_TOLD_CHARS),
            });
        }
    }
    Ok(told)
}

/// Returns `true` if a case without an entry of its own has passed. A command that failed without a case, and a file
/// that could not be loaded, appear as cases only when they fail. `ran` lists the cases that were not skipped, and
/// whether each passed.
pub(crate) fn whole_passed<'a>(run: &Run, ran: impl Iterator<Item = (&'a str, bool)>, case_name: &str) -> bool {
    if run.command.as_deref() == Some(case_name) && !run.has_failed {
        return true;
    }
    let Some(start) = claims::cases_of_suite(case_name) else { return false };
    let mut of_file = ran.filter(|(name, _)| name.starts_with(start)).peekable();
    of_file.peek().is_some() && of_file.all(|(_, has_passed)| has_passed)
}

/// Returns `true` if the run is late enough to prove the claim. For a random failure only runs after the claim count,
/// because earlier passes are expected of it.
fn may_prove(run: &Run, claim: &Claim) -> bool {
    let since = if claim.passes_needed > 1 { claim.made_at } else { claim.failed_at };
    since <= run.started_at
}

fn may_refute(run: &Run, claim: &Claim) -> bool {
    let branches = run.git_branch.as_ref().zip(claim.git_branch.as_ref());
    claim.made_at <= run.started_at && branches.is_none_or(|(here, there)| here == there)
}

/// Returns the final result of each case. If a name occurs more than once, a failure wins over a flaky pass, and a
/// flaky pass over a pass.
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

/// Returns `true` if a case failed in the way that was claimed to be fixed.
fn is_same(engine: &Engine, tx: &mut Tx<'_>, claim: &Claim, case: &Case) -> Result<bool, EngineError> {
    let Some(failure) = &case.failure else { return Ok(false) };
    let analysis = engine.analyzer.analyze(lookup::event_of(failure), &case.name);
    let found = matching::find_signed(engine, tx, &analysis, &case.name)?;
    let known = [found.own, found.pattern];
    Ok(known.iter().flatten().any(|pattern| Some(pattern.key) == claim.pattern))
}
