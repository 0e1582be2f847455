//! Finds tests whose result changed since a commit. The runs of the commit and before it are compared with the runs
//! after it.
//!
//! A run can contain only a part of the tests, so each test is compared by the newest run on each side that has it.

use super::{
    test_history::parse_failure_headline,
    test_lookup::{age_note, find_recorded_commit},
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::row_conversion,
    contract::{CaseState, ChangeKind, TestChange, TestChangeCounts, TestChangesParams, TestChangesResult},
    runs::history::{check_page_limit, has_more_after},
    viewer::grid::convert_outcome,
};
use argus_core::{CallContext, evidence::verdict::VerdictKind, stable_sort::StableSort};
use argus_store::{
    Tx,
    runs::{
        Run, RunKey,
        case_history::CaseOutcome,
        commits::{self, CommitStart},
        test_results,
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Default number of changes on a page.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;

/// Maximum number of compared runs on each side, and of their cases in total. The newest run is always compared.
const MAX_RUNS: u32 = 128;
const MAX_CASES: u32 = 60_000;

/// Returns the changes, most urgent first.
pub fn test_changes(
    engine: &Engine,
    context: &CallContext,
    params: &TestChangesParams,
) -> Result<TestChangesResult, EngineError> {
    let limit = check_page_limit("limit", params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let offset = params.offset.unwrap_or(0);
    let body = |tx: &mut Tx<'_>| -> Result<TestChangesResult, EngineError> {
        let (since, start) = find_recorded_commit(tx, &params.since)?;
        let until = commits::list_until(tx, &since, start, MAX_RUNS)?;
        let after = keep_newest_branch(commits::list_after(tx, &since, start, MAX_RUNS)?);
        let before = ComparedRuns::read(tx, until)?;
        let after = ComparedRuns::read(tx, after)?;
        let (mut changes, counts) = compare(&before, &after);
        changes.stable_sort_by(|one, other| (one.kind, one.name).cmp(&(other.kind, other.name)));
        let total = u32::try_from(changes.len()).unwrap_or(u32::MAX);
        let shown: Vec<Change<'_>> = changes.into_iter().skip(offset as usize).take(limit as usize).collect();
        let has_more = has_more_after(offset, shown.len(), total);
        let notes = collect_notes(context, start, &before, &after);
        let changes = convert_changes(tx, &shown)?;
        let newest = |side: ComparedRuns| side.runs.into_iter().next().map(|(_, run)| row_conversion::convert_run(run));
        Ok(TestChangesResult {
            since,
            base: newest(before).ok_or_else(|| EngineError::new(ErrorCode::InternalError, "A commit has no run."))?,
            head: newest(after),
            changes,
            counts,
            total,
            has_more,
            notes,
        })
    };
    engine.read(context, body)
}

/// Keeps the runs on the branch of the newest run, because changes on another branch did not happen here.
fn keep_newest_branch(mut runs: Vec<(RunKey, Run)>) -> Vec<(RunKey, Run)> {
    let branch = runs.first().and_then(|(_, run)| run.git_branch.clone());
    runs.retain(|(_, run)| run.git_branch == branch);
    runs
}

/// The runs before or after the commit, newest first, with the result of each test.
struct ComparedRuns {
    runs: Vec<(RunKey, Run)>,
    tests: BTreeMap<String, TestResult>,
    /// Set if there are more runs than were compared.
    is_shortened: bool,
}

/// The result of a test on either side.
struct TestResult {
    /// Index of the newest run that has the test.
    newest: usize,
    /// The result in that run. If several cases have the same name, the worst result.
    outcome: CaseOutcome,
    /// Set if that result is a failure of the code, which is neither random nor caused by the machine.
    is_broken: bool,
    /// Set if the test failed randomly, or passed only at a later attempt, in any of the runs.
    is_flaky: bool,
    /// Index of the newest run in which the test failed.
    failed_in: Option<usize>,
}

impl ComparedRuns {
    fn read(tx: &mut Tx<'_>, mut runs: Vec<(RunKey, Run)>) -> Result<Self, EngineError> {
        let mut cases = 0_u32;
        let fits = |(_, run): &&(RunKey, Run)| {
            cases = cases.saturating_add(run.passed + run.failed);
            cases <= MAX_CASES
        };
        let fitting = runs.iter().take_while(fits).count().max(1);
        let is_shortened = runs.len() > fitting || runs.len() == MAX_RUNS as usize;
        runs.truncate(fitting);
        let keys: Vec<RunKey> = runs.iter().map(|(key, _)| *key).collect();
        let by_chance = list_failures_with_verdict(tx, &keys, VerdictKind::Flaky)?;
        let by_machine = list_failures_with_verdict(tx, &keys, VerdictKind::Infrastructure)?;
        let mut tests = BTreeMap::new();
        for (at, cases) in test_results::list_outcomes(tx, &keys)?.into_iter().enumerate() {
            for (name, outcome) in cases {
                let failed_by_chance = by_chance[at].contains(&name);
                let has_failed = outcome == CaseOutcome::Failed;
                let is_broken = has_failed && !failed_by_chance && !by_machine[at].contains(&name);
                let new = TestResult { newest: at, outcome, is_broken, is_flaky: false, failed_in: None };
                let result = tests.entry(name).or_insert(new);
                result.is_flaky |= failed_by_chance || outcome == CaseOutcome::Flaky;
                result.failed_in = result.failed_in.or(has_failed.then_some(at));
            }
        }
        Ok(Self { runs, tests, is_shortened })
    }
}

/// Returns for each run the names of the failures whose verdict has this kind.
fn list_failures_with_verdict(
    tx: &mut Tx<'_>,
    runs: &[RunKey],
    kind: VerdictKind,
) -> Result<Vec<BTreeSet<String>>, EngineError> {
    // The searched JSON cannot occur inside of a text, because quotation marks are escaped there.
    let kind = serde_json::to_string(&kind).unwrap_or_default();
    let names = test_results::list_cases_with_verdict_containing(tx, runs, &format!("\"kind\":{kind}"))?;
    Ok(names.into_iter().map(|names| names.into_iter().collect()).collect())
}

/// A test whose result changed.
struct Change<'a> {
    name: &'a str,
    kind: ChangeKind,
    base: Option<(&'a Run, CaseOutcome)>,
    head: (&'a Run, CaseOutcome),
    failed_in: Option<&'a (RunKey, Run)>,
}

fn compare<'a>(before: &'a ComparedRuns, after: &'a ComparedRuns) -> (Vec<Change<'a>>, TestChangeCounts) {
    let (mut changes, mut counts) = (Vec::new(), TestChangeCounts::default());
    for (name, now) in &after.tests {
        let was = before.tests.get(name);
        let Some(kind) = classify_change(was, now) else {
            counts.still_failing += u32::from(now.outcome == CaseOutcome::Failed);
            continue;
        };
        *match kind {
            ChangeKind::Failing => &mut counts.failing,
            ChangeKind::Flaky => &mut counts.flaky,
            ChangeKind::New => &mut counts.new,
            ChangeKind::Fixed => &mut counts.fixed,
        } += 1;
        let failed_before = || was.and_then(|was| was.failed_in).map(|at| &before.runs[at]);
        changes.push(Change {
            name,
            kind,
            base: was.map(|was| (&before.runs[was.newest].1, was.outcome)),
            head: (&after.runs[now.newest].1, now.outcome),
            failed_in: now.failed_in.map(|at| &after.runs[at]).or_else(failed_before),
        });
    }
    (changes, counts)
}

/// Returns how the result of a test changed. A pass after a random failure is not a fix.
fn classify_change(was: Option<&TestResult>, now: &TestResult) -> Option<ChangeKind> {
    let Some(was) = was else { return Some(ChangeKind::New) };
    let (failed, fails) = (was.outcome == CaseOutcome::Failed, now.outcome == CaseOutcome::Failed);
    if now.is_broken && !was.is_broken {
        Some(ChangeKind::Failing)
    } else if now.is_flaky && !was.is_flaky {
        Some(ChangeKind::Flaky)
    } else if fails && !failed {
        Some(ChangeKind::Failing)
    } else if was.is_broken && !fails {
        Some(ChangeKind::Fixed)
    } else {
        None
    }
}

fn convert_changes(tx: &mut Tx<'_>, changes: &[Change<'_>]) -> Result<Vec<TestChange>, EngineError> {
    let failed: Vec<(RunKey, &str)> =
        changes.iter().filter_map(|change| change.failed_in.map(|(key, _)| (*key, change.name))).collect();
    let mut failures = test_results::read_failure_headlines(tx, &failed)?.into_iter();
    let convert = |change: &Change<'_>| {
        let failure = change.failed_in.and_then(|_| failures.next().flatten());
        let (headline, verdict) = parse_failure_headline(failure);
        TestChange {
            case_name: change.name.to_owned(),
            change: change.kind,
            base: change.base.map_or(CaseState::Absent, |(_, outcome)| convert_outcome(outcome)),
            base_run_id: change.base.map(|(run, _)| run.id.clone()),
            head: convert_outcome(change.head.1),
            head_run_id: change.head.0.id.clone(),
            failed_in: change.failed_in.map(|(_, run)| run.id.clone()),
            verdict: verdict.as_ref().map(row_conversion::shorten_verdict),
            cause_id: verdict.map(|verdict| verdict.cause_id),
            headline,
        }
    };
    Ok(changes.iter().map(convert).collect())
}

fn collect_notes(
    context: &CallContext,
    start: CommitStart,
    before: &ComparedRuns,
    after: &ComparedRuns,
) -> Vec<String> {
    let mut notes = Vec::new();
    if start.has_only_dirty_runs {
        let base = before.runs.first().map_or("", |(_, run)| run.id.as_str());
        notes.push(format!(
            "The tests were run on this commit only with uncommitted changes, so the comparison starts at '{base}'."
        ));
    }
    match after.runs.first() {
        None => notes.push(
            "No run of later or edited code is recorded, so nothing is compared. Run argus_run, then ask again."
                .to_owned(),
        ),
        Some((_, run)) => notes.extend(age_note(context.now_ms, run.started_at)),
    }
    if before.is_shortened || after.is_shortened {
        notes.push(format!(
            "Only the newest runs were compared: {} up to the commit and {} after it. A test that these runs do not include counts as new.",
            before.runs.len(),
            after.runs.len()
        ));
    }
    notes
}
