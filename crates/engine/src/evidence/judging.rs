//! Judges the failures of a run while it is recorded, and stores the evidence for later verdicts.

use super::{
    edits::{self, EditedFiles},
    failure_facts::{failure_facts, file_number, files_of_stack, ids_of_changed, is_documentation, is_kept_by_argus},
    named_things,
    names::Named,
    rows, wholes,
};
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{
        CaseVerdict, CommitFacts, FailedHere, Precedents, RecordRunParams, Shuffle, SinceGreen, SuspectCommit, Verdict,
        VerdictSince,
    },
    failures::lookup,
    limits,
    runs::{
        cause::{self, cause_id},
        collect::Collected,
    },
};
use argus_core::Analysis;
use argus_core::evidence::{
    facts::{CaseId, ErrorSource, Failure, FileId, RunFacts, RunSeq, StackFiles, fingerprint},
    judge::{self, Judged},
    kept::{fixes::Fix, memory::Memory, order::Order, record::Recorded, window::Window},
    sentences::Names,
    verdict::{self, VerdictKind},
};
use argus_store::{
    Tx,
    runs::{
        self, Run,
        cases::{self, Case, Status},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// The result of judging a run.
pub(crate) struct RunJudgement {
    /// A verdict for each failure.
    pub(crate) verdicts: Vec<CaseVerdict>,
    /// The newest runs, with this run last.
    pub(crate) window: Window,
    /// Changes since the last run without a failure; only for failed runs.
    pub(crate) since_green: Option<SinceGreen>,
    /// Fixes that runs have found so far.
    pub(crate) fixes: Vec<Fix>,
}

/// Judges the failures of a run, sets their verdicts, and stores the evidence. Foreign runs are judged, but leave no
/// evidence.
pub(crate) fn judge(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run: &Run,
    params: &RecordRunParams,
    collected: &mut Collected,
) -> Result<RunJudgement, EngineError> {
    let mut memory = match rows::load(tx)? {
        Some(memory) => memory,
        None => sum_up(engine, tx)?,
    };
    let mut ran = RanCases::of(&collected.cases, &collected.failed, collected.facts.order_unknown);
    let asked = [ran.order.cases(), &wholes::of_run(run, &collected.cases)].concat();
    let mut of_rows = rows::load_tests(tx, &mut memory, &asked)?;
    if memory.needs_orders(&ran.failures, &ran.retried) {
        rows::load_orders(tx, &mut memory)?;
    }
    let failed = ran.failures.iter().filter_map(|failure| Some((failure.case, *ran.names.get(&failure.case)?)));
    wholes::begin(tx, &mut memory, run, failed)?;
    let order = ran.order.clone().with_wholes(wholes::passed(run, &collected.cases, &of_rows));
    let version = run.runner.as_deref().and_then(|runner| collected.facts.runner_version(runner));
    let facts = run_facts(engine, run, params, version, &memory, &ran);
    note_named_changes(&mut ran, &collected.cases, params);
    let recorded = Recorded {
        run: &facts,
        failures: &ran.failures,
        retried: &ran.retried,
        order: order.clone(),
        stacks: &collected.stacks,
        has_edits: edits::has_edits(params),
    };
    let judgement = memory.record(recorded);
    let has_edits = judgement.verdicts.iter().any(|judged| judged.verdict.names_edits());
    let edits = if has_edits { edits::load_with(engine, tx, facts.seq, params)? } else { EditedFiles::new() };
    let name = |case: CaseId| ran.names.get(&case).map(|name| (*name).to_owned());
    if !run.is_foreign {
        let name = |case: CaseId| name(case).or_else(|| of_rows.get(&case).cloned());
        rows::save(tx, &memory, facts.seq, &order, name)?;
        edits::save(engine, tx, &memory, facts.seq, params)?;
    }
    if judgement.verdicts.iter().any(|judged| judged.verdict.polluter.is_some_and(|case| name(case).is_none())) {
        of_rows.extend(rows::load_all_tests(tx, &mut memory)?);
    }
    let case = |case| name(case).or_else(|| of_rows.get(&case).cloned());
    let named = Named { window: &memory.window, edits: &edits, case, command: run.command.as_deref() };
    let shuffle = view::shuffle(run.shuffle.as_deref());
    let verdicts: Vec<CaseVerdict> =
        judgement.verdicts.iter().map(|judged| shown(judged, &named, shuffle.as_ref())).collect();
    let by_name: BTreeMap<&str, &CaseVerdict> =
        verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
    for case in &mut collected.cases {
        let verdict = by_name.get(case.name.as_str()).and_then(|verdict| serde_json::to_string(verdict).ok());
        if let Some(failure) = &mut case.failure {
            failure.verdict = verdict;
        }
    }
    let since_green = if run.has_failed && !run.is_foreign && params.git.is_some() {
        since_green(&memory.window, &edits, edits::edited_since(engine, params))
    } else {
        None
    };
    Ok(RunJudgement { verdicts, window: memory.window, since_green, fixes: memory.fixes })
}

/// `edited_since` lists the files whose edits differ between an earlier run and the newest run.
fn since_green(
    window: &Window,
    edits: &EditedFiles,
    edited_since: impl FnOnce(&RunFacts) -> Vec<String>,
) -> Option<SinceGreen> {
    let (green, commits) = window.last_green()?;
    let newest = window.runs().next_back()?;
    let undone = edits::between_runs(window, edits, green.seq, newest.seq);
    let edited: BTreeSet<String> = edited_since(green).into_iter().chain(undone).collect();
    Some(SinceGreen { run_id: green.id.clone(), commits, edited: edited.into_iter().take(MAX_EDITED).collect() })
}

/// Maximum number of edited files in an answer.
const MAX_EDITED: usize = 20;

/// Judges a failure of an earlier run again with the evidence of later runs on the same commits and files. None if there is
/// no such evidence.
pub(crate) fn judged_again(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run_id: &str,
    name: &str,
    failure: &Failure,
    analysis: &Analysis,
) -> Result<Option<CaseVerdict>, EngineError> {
    let Some(mut memory) = rows::load(tx)? else { return Ok(None) };
    let Some(run) = memory.window.runs().rev().skip(1).find(|run| run.id == run_id) else { return Ok(None) };
    let seq = run.seq;
    let of_rows = rows::load_tests(tx, &mut memory, &[failure.case])?;
    let files = files_of_stack(name, analysis, &engine.options.project_root);
    let stacks = StackFiles::from([(failure.case, files)]);
    let Some(judged) = judge::judge_again(&memory, seq, failure, &stacks) else { return Ok(None) };
    let edits = edits::load_files(tx)?;
    let case = |case| if case == failure.case { Some(name.to_owned()) } else { of_rows.get(&case).cloned() };
    let command = runs::by_id(tx, run_id)?.and_then(|(_, run)| run.command);
    let named = Named { window: &memory.window, edits: &edits, case, command: command.as_deref() };
    Ok(Some(shown(&judged, &named, None)))
}

/// Marks machine errors that name something from the change: from the uncommitted edits, or a file of the newest commit. In
/// that case the change is the likely reason, not the machine.
fn note_named_changes(ran: &mut RanCases<'_>, cases: &[Case], params: &RecordRunParams) {
    let Some(git) = &params.git else { return };
    let newest = git.commits.first().map_or(&[][..], |commit| &commit.files);
    let change = named_things::Change::of(&git.edits, newest);
    let texts: BTreeMap<CaseId, &str> = cases
        .iter()
        .filter_map(|case| Some((fingerprint(&case.name), case.failure.as_ref()?.headline.as_str())))
        .collect();
    for failure in ran.failures.iter_mut().filter(|failure| failure.source == ErrorSource::Machine) {
        failure.names_change = texts.get(&failure.case).is_some_and(|text| change.has_named_in(text));
    }
}

/// Maximum number of runs and cases that are summed up for a database of a version without evidence.
const MAX_SUMMED_RUNS: u32 = 32;
const MAX_SUMMED_CASES: usize = 200_000;

/// Builds the evidence from runs that were recorded by a version without evidence.
fn sum_up(engine: &Engine, tx: &mut Tx<'_>) -> Result<Memory, EngineError> {
    let mut memory = Memory::default();
    let mut runs = Vec::new();
    let mut count = 0;
    let newest = runs::newest(tx, MAX_SUMMED_RUNS)?;
    for (key, run) in newest.into_iter().filter(|(_, run)| !run.is_foreign) {
        let cases = cases::in_order(tx, key)?;
        count += cases.len();
        if count > MAX_SUMMED_CASES {
            break;
        }
        runs.push((run, cases));
    }
    let mut names = BTreeMap::new();
    for (run, cases) in runs.iter().rev() {
        let failed: Vec<Failure> = cases.iter().filter_map(|case| stored_failure(engine, case)).collect();
        let ran = RanCases::of(cases, &failed, true);
        let facts = run_facts(engine, run, &RecordRunParams::default(), None, &memory, &ran);
        names.extend(ran.names.iter().map(|(case, name)| (*case, (*name).to_owned())));
        memory.record(Recorded {
            run: &facts,
            failures: &ran.failures,
            retried: &ran.retried,
            order: ran.order,
            stacks: &StackFiles::new(),
            has_edits: false,
        });
    }
    rows::save_all(tx, &memory, |case| names.get(&case).cloned())?;
    Ok(memory)
}

fn stored_failure(engine: &Engine, case: &Case) -> Option<Failure> {
    let failure = case.failure.as_ref()?;
    let event = lookup::event_of(failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let sight = cause::describe_failure(engine, &analysis, &event, &case.name);
    Some(failure_facts(&case.name, failure.category, &analysis, &sight))
}

/// The executed cases of a run.
struct RanCases<'a> {
    names: BTreeMap<CaseId, &'a str>,
    order: Order,
    failures: Vec<Failure>,
    retried: Vec<CaseId>,
    files: u32,
}

impl<'a> RanCases<'a> {
    /// Cases with the same name count as one, which failed if any of them did. Failures that were not analyzed are left out,
    /// because neither their outcome nor their error is reliable.
    fn of(cases: &'a [Case], failed: &[Failure], order_unknown: bool) -> Self {
        let (mut names, mut order, mut files) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        let is_known = |case: &&Case| match case.status {
            Status::Skipped => false,
            Status::Failed => case.failure.as_ref().is_some_and(|failure| !failure.signature.is_empty()),
            Status::Passed => true,
        };
        for case in cases.iter().filter(is_known) {
            let id = fingerprint(&case.name);
            if names.insert(id, case.name.as_str()).is_none() {
                order.push(id);
                files.insert(file_number(&case.name));
            }
        }
        let failures: BTreeMap<CaseId, Failure> = failed.iter().map(|one| (one.case, *one)).collect();
        let flaky = cases.iter().filter(|case| case.flaky).map(|case| fingerprint(&case.name));
        let retried: BTreeSet<CaseId> = flaky.filter(|case| !failures.contains_key(case)).collect();
        Self {
            names,
            order: if order_unknown { Order::unknown(order) } else { Order::new(order) },
            failures: failures.into_values().collect(),
            retried: retried.into_iter().collect(),
            files: count(files.len()),
        }
    }
}

/// Condition with the runner and its version from the reports. A value from the host takes precedence.
pub(crate) const RUNNER_VERSION: &str = "runner_version";

fn run_facts(
    engine: &Engine,
    run: &Run,
    params: &RecordRunParams,
    runner_version: Option<String>,
    memory: &Memory,
    ran: &RanCases<'_>,
) -> RunFacts {
    let git = params.git.as_ref();
    // An unknown tree must not equal the tree of any other run.
    let unknown = || format!("tree of {}", run.id);
    let is_clean = run.git_dirty == Some(false);
    let of_commit = run.git_commit.clone().filter(|_| is_clean);
    let redact = |text: &String| engine.analyzer.redact(text).into_string();
    let tree = git.and_then(|git| git.tree.as_ref()).map(redact).or(of_commit);
    let NewCommits { path, follows, touched, edited, idle, documentation } =
        git.map(|git| path_since(memory, run, &git.commits, redact)).unwrap_or_default();
    let version = runner_version.map(|version| (RUNNER_VERSION.to_owned(), version));
    let runner = run.runner.iter().map(|runner| ("runner".to_owned(), runner.clone()));
    let conditions = params.environment.iter().map(|(name, value)| (redact(name), redact(value)));
    let environment: BTreeMap<_, _> = version.into_iter().chain(conditions).chain(runner).collect();
    RunFacts {
        seq: memory.window.next_seq(),
        id: run.id.clone(),
        started_at: run.started_at,
        commit: run.git_commit.clone(),
        path,
        follows,
        touched,
        edited,
        edited_files: edits::edited_files(engine, params, |_| true),
        untracked: edits::edited_files(engine, params, |edit| edit.untracked),
        untracked_only: !is_clean && git.is_some_and(|git| git.untracked_only),
        idle,
        documentation,
        tree: tree.unwrap_or_else(unknown),
        dirty: !is_clean,
        branch: run.git_branch.clone().unwrap_or_default(),
        environment: environment.into_iter().collect(),
        order: ran.order.digest(),
        order_unknown: ran.order.is_unknown(),
        ran: count(ran.order.cases().len()),
        failed: count(ran.failures.len()),
        began: 0,
        files: ran.files,
        interrupted: run.timed_out || run.signal.is_some(),
    }
}

/// Commits since the previous run, in the form of [`RunFacts`].
#[derive(Default)]
struct NewCommits {
    path: Vec<String>,
    follows: bool,
    touched: Vec<Vec<FileId>>,
    edited: Vec<(String, RunSeq)>,
    idle: Vec<String>,
    documentation: Vec<String>,
}

/// If the commit of the previous run is not among the known commits, the number of commits between the runs is unknown, and
/// the run's own commit stands in for all of them.
fn path_since(memory: &Memory, run: &Run, commits: &[CommitFacts], redact: impl Fn(&String) -> String) -> NewCommits {
    let Some(commit) = &run.git_commit else { return NewCommits::default() };
    let before = memory.window.runs().next_back().and_then(|run| run.commit.as_ref());
    if before == Some(commit) {
        return NewCommits::default();
    }
    let mut newer: Vec<(String, &CommitFacts)> = Vec::new();
    let mut is_whole = false;
    for one in commits {
        let commit = redact(&one.commit);
        if Some(&commit) == before {
            is_whole = true;
            break;
        }
        newer.push((commit, one));
        is_whole = one.parents.iter().any(|parent| Some(&redact(parent)) == before);
    }
    if !is_whole {
        newer.retain(|(one, _)| one == commit);
        newer.truncate(1);
    }
    let of_files = |is_it: fn(&str) -> bool| -> Vec<String> {
        let touches_only = |one: &CommitFacts| !one.files.is_empty() && one.files.iter().all(|file| is_it(file));
        newer.iter().filter(|(_, one)| touches_only(one)).map(|(commit, _)| commit.clone()).collect()
    };
    let (idle, documentation) = (of_files(is_kept_by_argus), of_files(is_documentation));
    let mut room = MAX_RUN_FILES;
    let mut files = |one: &CommitFacts| {
        let is_known = one.files.len() <= room.min(limits::MAX_COMMIT_FILES as usize);
        let files = one.files.iter().filter(|_| is_known);
        room -= if is_known { one.files.len() } else { 0 };
        files.flat_map(|file| ids_of_changed(&redact(file)).collect::<Vec<_>>()).collect()
    };
    let mut touched: Vec<Vec<FileId>> = newer.iter().map(|(_, one)| files(one)).collect();
    touched.reverse();
    if touched.iter().all(Vec::is_empty) {
        touched.clear();
    }
    let run_of_edit = |commit: &String, one: &CommitFacts| {
        let tree = redact(one.tree.as_ref()?);
        let became = |run: &&RunFacts| run.dirty && run.tree == tree && run.commit.as_ref() != Some(commit);
        Some((commit.clone(), memory.window.runs().rev().find(became)?.seq))
    };
    let edited = newer.iter().filter_map(|(commit, one)| run_of_edit(commit, one)).collect();
    let mut path: Vec<String> = newer.into_iter().rev().map(|(commit, _)| commit).collect();
    if !is_whole && path.is_empty() {
        path.push(commit.clone());
    }
    NewCommits { path, follows: is_whole, touched, edited, idle, documentation }
}

/// Maximum number of files stored for the commits of a run, newest commits first. A full window then takes 300 KB.
const MAX_RUN_FILES: usize = 256;

fn shown<F: Fn(CaseId) -> Option<String>>(
    judged: &Judged,
    named: &Named<'_, F>,
    shuffle: Option<&Shuffle>,
) -> CaseVerdict {
    let verdict = &judged.verdict;
    let case = judged.failure.case;
    let since = verdict
        .since
        .as_ref()
        .and_then(|since| named.run_id(since.run).map(|run_id| VerdictSince { run_id, commit: since.commit.clone() }));
    let settle = verdict.settle.as_ref().map(|settle| settle.sentence(named, case));
    let is_of_order = verdict.kind == VerdictKind::Order;
    CaseVerdict {
        case_name: named.case(case),
        verdict: Verdict {
            kind: verdict.kind,
            probability: verdict.probability,
            since,
            because: verdict.because.iter().map(|reason| reason.sentence(named)).collect(),
            against: verdict.against.iter().map(|reason| reason.sentence(named)).collect(),
            settle: settle.map(|settle| if is_of_order { in_same_order(settle, shuffle) } else { settle }),
            polluter: verdict.polluter.and_then(|polluter| (named.case)(polluter)),
            condition: verdict.condition.as_ref().map(condition_text),
        },
        cause_id: cause_id(judged.cause),
        suspects: verdict
            .suspects
            .iter()
            .map(|one| SuspectCommit {
                commit: one.commit.clone(),
                probability: one.probability,
                ..SuspectCommit::default()
            })
            .collect(),
        precedents: precedents(&verdict.precedents, named),
    }
}

/// Maximum number of precedent commits of a failure.
const MAX_PRECEDENT_COMMITS: usize = 16;

fn precedents<F>(found: &verdict::Precedents, named: &Named<'_, F>) -> Option<Precedents> {
    let mut commits: Vec<String> = Vec::new();
    for commit in found.failed.iter().rev().filter_map(|seq| named.window.get(*seq)?.commit.as_ref()) {
        if commits.len() < MAX_PRECEDENT_COMMITS && !commits.contains(commit) {
            commits.push(commit.clone());
        }
    }
    let passed_in = found.passed_on_tree.and_then(|seq| named.window.get(seq)).map(|run| run.id.clone());
    let failed_here = found.failed_on_tree.map(|found| FailedHere { runs: found.runs, chance: found.chance });
    let is_known = !commits.is_empty() || passed_in.is_some() || failed_here.is_some();
    is_known.then_some(Precedents { failed_at: commits, passed_in, failed_here })
}

/// For a runner that accepts a seed, rerunning everything in the same order works as well as running the two tests.
fn in_same_order(settle: String, shuffle: Option<&Shuffle>) -> String {
    match shuffle.and_then(|shuffle| shuffle.option.as_ref()) {
        Some(option) => format!("{settle} Or all of it in the order of this run: add {option} to the command."),
        None => settle,
    }
}

pub(super) fn condition_text((name, value): &(String, String)) -> String {
    format!("{name}={value}")
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
