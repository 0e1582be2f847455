//! Judges the failures of a run while it is recorded, and stores the evidence for later verdicts.

use super::{
    change_words,
    edits::{self, EditedFiles},
    evidence_rows,
    failure_facts::{build_failure_facts, case_file_id, stack_file_ids},
    new_commits::{NewCommits, collect_new_commits},
    sentence_names::RunAndCaseNames,
    suite_failures,
};
use crate::{
    Engine, EngineError,
    answer::{row_conversion, time_format::format_iso},
    contract::{
        CaseVerdict, ChangesSinceGreen, FailingSince, GitFacts, Precedents, RecordRunParams, SameTreeFailures, Shuffle,
        SuspectCommit, Verdict,
    },
    failures::lookup,
    runs::{
        cause::{self, format_cause_id},
        collect::CollectedRun,
    },
};
use argus_core::Analysis;
use argus_core::evidence::{
    facts::{CaseId, ErrorSource, Failure, RunFacts, StackFiles, case_id},
    judge::{self, CaseJudgement},
    sentences::SentenceNames,
    stored_rows::{fixes::Fix, memory::EvidenceMemory, order::Order, record::RunResults, window::RunWindow},
    verdict::{self, Reason, VerdictKind},
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
    pub(crate) window: RunWindow,
    /// Changes since the last run without a failure; only for failed runs.
    pub(crate) since_green: Option<ChangesSinceGreen>,
    /// Fixes that runs have found so far.
    pub(crate) fixes: Vec<Fix>,
    /// Number of failures for which no earlier test was searched that makes them fail.
    pub(crate) unsearched: u32,
}

/// Judges the failures of a run, sets their verdicts, and stores the evidence. Foreign runs are judged, but leave no
/// evidence.
pub(crate) fn judge(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run: &Run,
    params: &RecordRunParams,
    collected: &mut CollectedRun,
) -> Result<RunJudgement, EngineError> {
    let mut memory = match evidence_rows::load(tx)? {
        Some(memory) => memory,
        None => rebuild_from_runs(engine, tx)?,
    };
    let mut ran = ExecutedCases::collect(&collected.cases, &collected.failed, collected.facts.order_unknown);
    let wanted_cases = [ran.order.cases(), &suite_failures::suite_cases_of_run(run, &collected.cases)].concat();
    let mut stored_names = evidence_rows::load_tests(tx, &mut memory, &wanted_cases)?;
    if memory.needs_orders(&ran.failures, &ran.retried) {
        evidence_rows::load_case_orders(tx, &mut memory)?;
    }
    let failed = ran.failures.iter().filter_map(|failure| Some((failure.case, *ran.names.get(&failure.case)?)));
    suite_failures::create_suite_histories(tx, &mut memory, run, failed)?;
    let order = ran.order.clone().with_passed_suites(suite_failures::find_passed_suite_cases(
        run,
        &collected.cases,
        &stored_names,
    ));
    let version = run.runner.as_deref().and_then(|runner| collected.facts.runner_version(runner));
    let facts = collect_run_facts(engine, run, params, version, &memory, &ran);
    mark_errors_naming_changes(&mut ran, &collected.cases, params);
    let recorded = RunResults {
        run: &facts,
        failures: &ran.failures,
        retried: &ran.retried,
        order: order.clone(),
        stacks: &collected.stacks,
        knows_edits: edits::has_edits(params),
    };
    let judgement = memory.record(recorded);
    let has_edits = judgement.verdicts.iter().any(|judged| judged.verdict.names_edits());
    let edits =
        if has_edits { edits::load_edited_files_with_run(engine, tx, facts.seq, params)? } else { EditedFiles::new() };
    let name = |case: CaseId| ran.names.get(&case).map(|name| (*name).to_owned());
    if !run.is_foreign {
        let name = |case: CaseId| name(case).or_else(|| stored_names.get(&case).cloned());
        evidence_rows::save(tx, &memory, facts.seq, &order, name)?;
        edits::save(engine, tx, &memory, facts.seq, params)?;
    }
    if judgement.verdicts.iter().any(|judged| judged.verdict.polluter.is_some_and(|case| name(case).is_none())) {
        stored_names.extend(evidence_rows::load_all_names(tx)?);
    }
    let case = |case| name(case).or_else(|| stored_names.get(&case).cloned());
    let names = RunAndCaseNames {
        window: &memory.window,
        edits: &edits,
        harmless_edits: edits::list_harmless_edits(params),
        stacks: &collected.stacks,
        case,
        command: run.command.as_deref(),
        judged_run: facts.seq,
    };
    let shuffle = row_conversion::parse_shuffle(run.shuffle.as_deref());
    let verdicts: Vec<CaseVerdict> =
        judgement.verdicts.iter().map(|judged| convert_verdict(judged, &names, shuffle.as_ref())).collect();
    let by_name: BTreeMap<&str, &CaseVerdict> =
        verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
    for case in &mut collected.cases {
        let verdict = by_name.get(case.name.as_str()).and_then(|verdict| serde_json::to_string(verdict).ok());
        if let Some(failure) = &mut case.failure {
            failure.verdict = verdict;
        }
    }
    let since_green = if run.has_failed && !run.is_foreign && params.git.is_some() {
        find_since_green(&memory.window, &edits, edits::list_files_edited_since(engine, params.git.as_ref()))
    } else {
        None
    };
    Ok(RunJudgement {
        verdicts,
        window: memory.window,
        since_green,
        fixes: memory.fixes,
        unsearched: judgement.unsearched,
    })
}

/// Returns what changed since the last run without a failure. `edited_since` lists the files whose edits differ between
/// an earlier run and the newest run.
fn find_since_green(
    window: &RunWindow,
    edits: &EditedFiles,
    edited_since: impl FnOnce(&RunFacts) -> Vec<String>,
) -> Option<ChangesSinceGreen> {
    let (green, commits, lost) = window.last_green()?;
    let newest = window.runs().next_back()?;
    let undone = edits::files_edited_between(window, edits, green.seq, newest.seq);
    let edited: BTreeSet<String> = edited_since(green).into_iter().chain(undone).collect();
    Some(ChangesSinceGreen {
        run_id: green.id.clone(),
        commits,
        lost,
        edited: edited.into_iter().take(MAX_EDITED_FILES).collect(),
    })
}

/// Maximum number of edited files in an answer.
const MAX_EDITED_FILES: usize = 20;

/// Judges a failure of an earlier run again with the evidence of later runs on the same commits and files. None if
/// there is no such evidence.
pub(crate) fn judge_earlier_failure_again(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run_id: &str,
    name: &str,
    failure: &Failure,
    analysis: &Analysis,
) -> Result<Option<CaseVerdict>, EngineError> {
    let Some(mut memory) = evidence_rows::load(tx)? else { return Ok(None) };
    let Some(run) = memory.window.runs().rev().skip(1).find(|run| run.id == run_id) else { return Ok(None) };
    let seq = run.seq;
    let stored_names = evidence_rows::load_tests(tx, &mut memory, &[failure.case])?;
    let files = stack_file_ids(name, analysis, &engine.options.project_root);
    let stacks = StackFiles::from([(failure.case, files)]);
    let Some(judged) = judge::judge_earlier_failure(&memory, seq, failure, &stacks) else { return Ok(None) };
    let edits = edits::load_edited_files(tx)?;
    let case = |case| if case == failure.case { Some(name.to_owned()) } else { stored_names.get(&case).cloned() };
    let command = runs::find_by_id(tx, run_id)?.and_then(|(_, run)| run.command);
    let names = RunAndCaseNames {
        window: &memory.window,
        edits: &edits,
        harmless_edits: BTreeSet::new(),
        stacks: &stacks,
        case,
        command: command.as_deref(),
        judged_run: seq,
    };
    Ok(Some(convert_verdict(&judged, &names, None)))
}

/// Marks machine errors that name something from the change: from the uncommitted edits, or a file of the newest
/// commit. In that case the change is the likely reason, not the machine.
fn mark_errors_naming_changes(ran: &mut ExecutedCases<'_>, cases: &[Case], params: &RecordRunParams) {
    let Some(git) = &params.git else { return };
    let newest = git.commits.first().map_or(&[][..], |commit| &commit.files);
    let change = change_words::ChangeWords::collect(&git.edits, newest);
    let texts: BTreeMap<CaseId, &str> =
        cases.iter().filter_map(|case| Some((case_id(&case.name), case.failure.as_ref()?.headline.as_str()))).collect();
    for failure in ran.failures.iter_mut().filter(|failure| failure.source == ErrorSource::Machine) {
        failure.names_change = texts.get(&failure.case).is_some_and(|text| change.names_part_of(text));
    }
}

/// Maximum number of runs, and of their cases, from which missing evidence is rebuilt.
const MAX_REBUILT_RUNS: u32 = 32;
const MAX_REBUILT_CASES: usize = 200_000;

/// Builds the evidence from the newest stored runs. Needed if the database has no readable evidence, for example
/// because an earlier version recorded the runs.
fn rebuild_from_runs(engine: &Engine, tx: &mut Tx<'_>) -> Result<EvidenceMemory, EngineError> {
    let mut memory = EvidenceMemory::default();
    let mut runs = Vec::new();
    let mut count = 0;
    let newest = runs::list_newest(tx, MAX_REBUILT_RUNS)?;
    for (key, run) in newest.into_iter().filter(|(_, run)| !run.is_foreign) {
        let cases = cases::list_in_report_order(tx, key)?;
        count += cases.len();
        if count > MAX_REBUILT_CASES {
            break;
        }
        runs.push((run, cases));
    }
    let mut names = BTreeMap::new();
    for (run, cases) in runs.iter().rev() {
        let failed: Vec<Failure> = cases.iter().filter_map(|case| rebuild_failure(engine, case)).collect();
        let ran = ExecutedCases::collect(cases, &failed, true);
        let facts = collect_run_facts(engine, run, &RecordRunParams::default(), None, &memory, &ran);
        names.extend(ran.names.iter().map(|(case, name)| (*case, (*name).to_owned())));
        memory.record(RunResults {
            run: &facts,
            failures: &ran.failures,
            retried: &ran.retried,
            order: ran.order,
            stacks: &StackFiles::new(),
            knows_edits: false,
        });
    }
    evidence_rows::save_all(tx, &memory, |case| names.get(&case).cloned())?;
    Ok(memory)
}

fn rebuild_failure(engine: &Engine, case: &Case) -> Option<Failure> {
    let failure = case.failure.as_ref()?;
    let event = lookup::rebuild_event(failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let summary = cause::describe_failure(engine, &analysis, &event, &case.name);
    Some(build_failure_facts(&case.name, failure.category, &analysis, &summary))
}

/// The executed cases of a run.
struct ExecutedCases<'a> {
    names: BTreeMap<CaseId, &'a str>,
    order: Order,
    failures: Vec<Failure>,
    retried: Vec<CaseId>,
    files: u32,
}

impl<'a> ExecutedCases<'a> {
    /// Cases with the same name count as a single case, which failed if any of them failed. Failures that were not
    /// analyzed are left out, because neither their outcome nor their error is reliable.
    fn collect(cases: &'a [Case], failed: &[Failure], order_unknown: bool) -> Self {
        let (mut names, mut order, mut files) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        let is_known = |case: &&Case| match case.status {
            Status::Skipped => false,
            Status::Failed => case.failure.as_ref().is_some_and(|failure| !failure.signature.is_empty()),
            Status::Passed => true,
        };
        for case in cases.iter().filter(is_known) {
            let id = case_id(&case.name);
            if names.insert(id, case.name.as_str()).is_none() {
                order.push(id);
                files.insert(case_file_id(&case.name));
            }
        }
        let failures: BTreeMap<CaseId, Failure> = failed.iter().map(|one| (one.case, *one)).collect();
        let flaky = cases.iter().filter(|case| case.flaky).map(|case| case_id(&case.name));
        let retried: BTreeSet<CaseId> = flaky.filter(|case| !failures.contains_key(case)).collect();
        Self {
            names,
            order: if order_unknown { Order::with_unknown_order(order) } else { Order::new(order) },
            failures: failures.into_values().collect(),
            retried: retried.into_iter().collect(),
            files: saturate_to_u32(files.len()),
        }
    }
}

/// Condition with the runner and its version from the reports. A value from the host takes precedence.
pub(crate) const RUNNER_VERSION_CONDITION: &str = "runner_version";

fn collect_run_facts(
    engine: &Engine,
    run: &Run,
    params: &RecordRunParams,
    runner_version: Option<String>,
    memory: &EvidenceMemory,
    ran: &ExecutedCases<'_>,
) -> RunFacts {
    let git = params.git.as_ref();
    // An unknown tree must not equal the tree of any other run.
    let unknown = || format!("tree of {}", run.id);
    let is_clean = run.git_dirty == Some(false);
    let redact = |text: &String| engine.analyzer.redact(text).into_string();
    let tree = git.and_then(|git| known_tree(engine, git));
    let NewCommits { path, follows, authored, lost, touched, edited, idle, documentation, configuration } =
        git.map(|git| collect_new_commits(memory, run, &git.commits, redact)).unwrap_or_default();
    let version = runner_version.map(|version| (RUNNER_VERSION_CONDITION.to_owned(), version));
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
        authored,
        lost,
        touched,
        edited,
        edited_files: edits::edited_file_ids(engine, params, |_| true),
        untracked: edits::edited_file_ids(engine, params, |edit| edit.untracked),
        untracked_only: !is_clean && git.is_some_and(|git| git.untracked_only),
        idle,
        documentation,
        configuration,
        tree: tree.unwrap_or_else(unknown),
        dirty: !is_clean,
        branch: run.git_branch.clone().unwrap_or_default(),
        environment: environment.into_iter().collect(),
        order: ran.order.digest(),
        order_unknown: ran.order.is_unknown(),
        ran: saturate_to_u32(ran.order.cases().len()),
        failed: saturate_to_u32(ran.failures.len()),
        newly_failing: 0,
        files: ran.files,
        interrupted: run.timed_out || run.signal.is_some(),
    }
}

/// Returns the id of the tree. A clean tree without a known id is identified by its commit.
pub(super) fn known_tree(engine: &Engine, git: &GitFacts) -> Option<String> {
    let commit = git.commit.as_ref().filter(|_| git.dirty == Some(false));
    git.tree.as_ref().or(commit).map(|id| engine.analyzer.redact(id).into_string())
}

fn convert_verdict<F: Fn(CaseId) -> Option<String>>(
    judged: &CaseJudgement,
    names: &RunAndCaseNames<'_, F>,
    shuffle: Option<&Shuffle>,
) -> CaseVerdict {
    let verdict = &judged.verdict;
    let case = judged.failure.case;
    let since = verdict.since.as_ref().and_then(|since| convert_failing_since(since, judged, names));
    let settle = verdict.settle.as_ref().map(|settle| settle.to_sentence(names, case));
    let is_order_verdict = verdict.kind == VerdictKind::Order;
    CaseVerdict {
        case_name: names.case_name(case),
        verdict: Verdict {
            kind: verdict.kind,
            probability: verdict.probability,
            since,
            because: verdict.because.iter().map(|reason| reason.to_sentence(names)).collect(),
            against: verdict.against.iter().map(|reason| reason.to_sentence(names)).collect(),
            settle: settle.map(|settle| if is_order_verdict { add_shuffle_option(settle, shuffle) } else { settle }),
            polluter: verdict.polluter.and_then(|polluter| (names.case)(polluter)),
            condition: verdict.condition.as_ref().map(format_condition),
        },
        cause_id: format_cause_id(judged.cause),
        suspects: verdict
            .suspects
            .iter()
            .map(|one| SuspectCommit {
                commit: one.commit.clone(),
                probability: one.probability,
                lost: one.is_lost,
                ..SuspectCommit::default()
            })
            .collect(),
        precedents: convert_precedents(&verdict.precedents, names),
        diagnosed: None,
    }
}

/// Maximum number of files of the edit that broke a test.
const MAX_BREAKING_FILES: usize = 3;

fn convert_failing_since<F: Fn(CaseId) -> Option<String>>(
    since: &verdict::FailureStart,
    judged: &CaseJudgement,
    names: &RunAndCaseNames<'_, F>,
) -> Option<FailingSince> {
    let first = names.window.get(since.run)?;
    let verdict = &judged.verdict;
    let runs = verdict.because.iter().find_map(|reason| match *reason {
        Reason::FailsSince { runs, .. } | Reason::AlwaysFailed { runs, .. } => Some(runs),
        _ => None,
    });
    let edit = verdict.because.iter().find_map(|reason| match *reason {
        Reason::Changed { passed, failed, .. } if failed == since.run => Some((passed, failed)),
        _ => None,
    });
    let is_here = |run: &RunFacts| run.commit == first.commit && run.branch == first.branch;
    let lasts = names.window.get(names.judged_run).is_some_and(is_here);
    let edited = edit
        .filter(|_| lasts)
        .map(|(passed, failed)| names.list_breaking_files(passed, failed, judged))
        .unwrap_or_default();
    Some(FailingSince {
        run_id: first.id.clone(),
        commit: since.commit.clone(),
        started_at: Some(format_iso(first.started_at)),
        runs: Some(runs.unwrap_or(1)),
        edited: edited.into_iter().take(MAX_BREAKING_FILES).collect(),
    })
}

/// Maximum number of precedent commits of a failure.
const MAX_PRECEDENT_COMMITS: usize = 16;

fn convert_precedents<F>(precedents: &verdict::Precedents, names: &RunAndCaseNames<'_, F>) -> Option<Precedents> {
    let mut commits: Vec<String> = Vec::new();
    for commit in precedents.failed.iter().rev().filter_map(|seq| names.window.get(*seq)?.commit.as_ref()) {
        if commits.len() < MAX_PRECEDENT_COMMITS && !commits.contains(commit) {
            commits.push(commit.clone());
        }
    }
    let passed_in = precedents.passed_on_tree.and_then(|seq| names.window.get(seq)).map(|run| run.id.clone());
    let failed_here =
        precedents.failed_on_tree.map(|failed| SameTreeFailures { runs: failed.runs, chance: failed.chance });
    let is_known = !commits.is_empty() || passed_in.is_some() || failed_here.is_some();
    is_known.then_some(Precedents { failed_at: commits, passed_in, failed_here })
}

/// Adds the option that reruns all tests in the same order, if the runner accepts a seed.
fn add_shuffle_option(settle: String, shuffle: Option<&Shuffle>) -> String {
    match shuffle.and_then(|shuffle| shuffle.option.as_ref()) {
        Some(option) => format!("{settle} Or run all tests in the order of this run: add {option} to the command."),
        None => settle,
    }
}

pub(super) fn format_condition((name, value): &(String, String)) -> String {
    format!("{name}={value}")
}

fn saturate_to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
