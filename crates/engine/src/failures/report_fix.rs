//! Records a reported fix and whether it helped. A success counts once per failure of a run.

use super::{
    lookup::{self, FailedCase},
    matching::{self, Match},
    trial,
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::{fix_change, moment, text},
    contract::{FixChange, FixRecord, FixTrust, RecordFixParams, ReportFixParams, ReportFixResult},
    evidence::{change, edits, progress::progress},
    memory::{self, finding::shared},
    runs::case_name::clean_name,
};
use argus_core::{
    Ambient, Analysis,
    confidence::confidence,
    evidence::kept::fixes::{Progress, ProofStatus},
};
use argus_store::{
    Tx,
    patterns::{self, Pattern, PatternKey, merging},
    runs::{
        cases::Status,
        claims::{self, Newest},
    },
    solutions::{self, Fix, NewFix, outcomes::Recorder},
};

/// A fix is a description, not a diff.
const MAX_DESCRIPTION_BYTES: usize = 4 * 1024;

/// Maximum number of earlier fixes that a claim is compared with.
const MAX_EARLIER_FIXES: u32 = 20;

/// A reported fix, cleaned for storing.
struct Report<'a> {
    /// The newest run with the case. None if there is no other run.
    newest: Option<Newest>,
    /// Number of passes since the failure, and number of passes that prove the fix.
    progress: Progress,
    /// The change until the first pass.
    change: Option<FixChange>,
    /// The earlier report that this report corrects.
    supersedes: Option<&'a str>,
    run_id: &'a str,
    case_name: &'a str,
    steps: String,
    worked: bool,
    /// Environment as canonical JSON. Empty if unknown.
    env: Option<String>,
    env_bucket: String,
    /// Id of the shared fix that was tried.
    shared: Option<&'a str>,
    recorder: Recorder<'a>,
}

/// Finds or starts the pattern, records the fix and counts it, in one write transaction.
pub fn report_fix(
    engine: &Engine,
    ambient: &Ambient,
    params: &ReportFixParams,
) -> Result<ReportFixResult, EngineError> {
    let steps = described(engine, &params.fix_description)?;
    let wanted = clean_name(engine, &params.case_name);
    let find = |tx: &mut Tx<'_>| lookup::failed_case(tx, &params.run_id, &wanted);
    let (_, case) = engine.read(ambient, find)?;
    let analysis = engine.analyzer.analyze(lookup::event_of(&case.failure), &case.name);
    let (env, env_bucket) = memory::finding::related_incidents::environment(engine, params.env.as_ref())?;
    let tried = shared::tried_fix(engine, ambient, &analysis, &steps)?;
    let (shared, named) = tried.map_or((None, None), |tried| (tried.id, tried.steps));
    let steps = named.unwrap_or(steps);
    let body = |tx: &mut Tx<'_>| -> Result<ReportFixResult, EngineError> {
        let newest = claims::newest_of(tx, &case.run_id, &case.name)?;
        if let Some(passed) = newest.as_ref().filter(|newest| params.success && has_passed(newest))
            && edits::is_suspicious(tx, &case.run_id, &passed.run_id)?
        {
            return Err(EngineError::invalid(format!(
                "What was edited between {} and {} weakens tests, or how they are run, so nothing was learned. Restore \
                 them and run them again, or report with success: false.",
                case.run_id, passed.run_id
            )));
        }
        let progress = progress(tx, &case, newest.as_ref().is_some_and(has_passed))?;
        let is_shown = params.success && newest.as_ref().is_some_and(has_passed);
        let change = if is_shown { change::until_first_pass(tx, &case.name, &case.run_id, &steps)? } else { None };
        let report = Report {
            newest,
            progress,
            change,
            supersedes: superseded(tx, params, &case.name)?,
            run_id: &case.run_id,
            case_name: &case.name,
            steps: steps.clone(),
            worked: params.success,
            env: env.clone(),
            env_bucket: env_bucket.clone(),
            shared: shared.as_deref(),
            recorder: engine.recorder(),
        };
        let mut found = matching::find_signed(engine, tx, &analysis, &case.name)?;
        if found.pattern.is_none() && found.own.is_none() {
            return on_new(engine, ambient, tx, &case, &analysis, &report);
        }
        matching::ensure_known(engine, ambient, tx, &case, &analysis, &mut found)?;
        on_known(ambient, tx, &report, found)
    };
    engine.write(ambient, body)
}

/// Records a fix for a pattern, without a failure.
pub fn record_fix(engine: &Engine, ambient: &Ambient, params: &RecordFixParams) -> Result<FixRecord, EngineError> {
    let steps = described(engine, &params.fix_description)?;
    let (run_id, case_name) = (named(engine, "runId", &params.run_id)?, named(engine, "caseName", &params.case_name)?);
    let report = Report {
        newest: None,
        progress: Progress { passes: 0, needed: 1 },
        change: None,
        supersedes: None,
        run_id: &run_id,
        case_name: &case_name,
        steps,
        worked: params.success,
        env: None,
        env_bucket: String::new(),
        shared: None,
        recorder: engine.recorder(),
    };
    let body = |tx: &mut Tx<'_>| -> Result<FixRecord, EngineError> {
        let Some(mut pattern) = patterns::by_id(tx, &params.pattern_id)? else {
            return Err(unknown_pattern(&params.pattern_id));
        };
        if pattern.is_provisional() {
            merging::show_provisional(tx, pattern.key)?;
        }
        let (id, _) = record(ambient, tx, &report, pattern.key, &mut pattern)?;
        Ok(FixRecord {
            id,
            pattern_id: pattern.id,
            run_id: report.run_id.to_owned(),
            case_name: report.case_name.to_owned(),
            of_other_failure: false,
            fix_description: report.steps.clone(),
            success: report.worked,
            state: report.worked.then_some(ProofStatus::Claimed),
            proved_by: None,
            refuted_by: None,
            passes: None,
            passes_needed: None,
            created_at: moment::iso(ambient.now),
            recorded_by: report.recorder.by.map(ToOwned::to_owned),
            recorded_from: report.recorder.from.map(ToOwned::to_owned),
        })
    };
    engine.write(ambient, body)
}

pub(crate) fn unknown_pattern(id: &str) -> EngineError {
    let message = format!("Pattern '{}' not found. argus_patterns lists the ids.", text::quoted(id));
    EngineError::new(ErrorCode::PatternNotFound, message)
}

/// A success on a built-in pattern counts there and also creates the learned pattern, which takes precedence from then
/// on.
/// A failed fix creates none, because a learned pattern without a suggestion would hide the suggestion of the built-in
/// pattern.
fn on_known(
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    report: &Report<'_>,
    found: Match,
) -> Result<ReportFixResult, EngineError> {
    let Match { pattern: Some(mut pattern), own, .. } = found else {
        return Err(EngineError::new(ErrorCode::InternalError, "A failure that was just remembered is unknown."));
    };
    let previous = confidence(pattern.resolutions, pattern.occurrences);
    let has_resolved = pattern.resolutions > 0 || own.as_ref().is_some_and(|own| own.resolutions > 0);
    let learner = match own.filter(|_| pattern.is_builtin && report.worked) {
        Some(mut own) => {
            merging::show_provisional(tx, own.key)?;
            patterns::count_resolution(tx, &mut own, ambient.now)?;
            Some(own)
        }
        None => None,
    };
    let learner_key = learner.as_ref().map_or(pattern.key, |own| own.key);
    let is_repeated = has_resolved && is_claimed_already(tx, learner.as_ref().unwrap_or(&pattern), report)?;
    let (fix_record_id, was_counted) = record(ambient, tx, report, learner_key, &mut pattern)?;
    let mut result = changed(pattern, Some(previous), fix_record_id, report);
    result.learned_by = learner.map(|own| own.id);
    if is_repeated {
        // The first report of the claim already had these warnings.
        result.warnings.clear();
    }
    if was_counted && report.supersedes.is_none() {
        let message = format!("A success of this failure in {} was counted before, so the counts stay.", report.run_id);
        result.warnings.push(message);
    }
    Ok(result)
}

/// Returns `true` if the same fix was claimed for the case before and is neither proved nor refuted.
fn is_claimed_already(tx: &mut Tx<'_>, pattern: &Pattern, report: &Report<'_>) -> Result<bool, EngineError> {
    if report.still_failing().is_none() {
        return Ok(false);
    }
    let steps = text::folded(&report.steps);
    let is_same = |fix: &Fix| {
        let is_open = fix.worked && fix.proved_by.is_none() && fix.refuted_by.is_none();
        is_open && fix.case_name == report.case_name && text::folded(&fix.steps) == steps
    };
    Ok(solutions::history(tx, pattern, MAX_EARLIER_FIXES)?.iter().any(is_same))
}

fn on_new(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    report: &Report<'_>,
) -> Result<ReportFixResult, EngineError> {
    let pattern = matching::learn_pattern(engine, ambient, tx, case, analysis, u32::from(report.worked))?;
    let (fix_record_id, _) = write_down(ambient, tx, report, pattern.key, pattern.key)?;
    Ok(changed(pattern, None, fix_record_id, report))
}

/// Stores the fix and counts it on `pattern`, unless a success of this failure was counted before or a person marked these
/// steps as wrong. Returns the id of the record, and whether a success was counted before.
fn record(
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    report: &Report<'_>,
    learner: PatternKey,
    pattern: &mut Pattern,
) -> Result<(String, bool), EngineError> {
    let was_counted = report.worked && solutions::is_resolved(tx, report.run_id, report.case_name)?;
    let (id, may_count) = write_down(ambient, tx, report, learner, pattern.key)?;
    if report.worked && !was_counted && may_count {
        patterns::count_resolution(tx, pattern, ambient.now)?;
    }
    Ok((id, was_counted))
}

/// Stores the fix. Returns the id of the record, and whether a success of these steps counts.
fn write_down(
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    report: &Report<'_>,
    learner: PatternKey,
    counted_on: PatternKey,
) -> Result<(String, bool), EngineError> {
    let (id, solution_id) = (ambient.id("fix"), ambient.id("sol"));
    let changed = report.change.as_ref().and_then(fix_change::stored);
    let fix = NewFix {
        id: &id,
        solution_id: &solution_id,
        learner,
        counted_on,
        run_id: report.run_id,
        case_name: report.case_name,
        steps: &report.steps,
        digest: &memory::input::digest(&report.steps),
        worked: report.worked,
        proved_by: report.proof(),
        passes: report.progress.passes,
        passes_needed: report.progress.needed,
        changed: changed.as_deref(),
        supersedes: report.supersedes,
        env: report.env.as_deref(),
        env_bucket: &report.env_bucket,
        recorder: report.recorder,
        now: ambient.now,
    };
    let may_count = solutions::record_fix(tx, &fix)?;
    if let Some(shared) = report.shared {
        argus_store::shared::note(tx, &id, shared)?;
    }
    Ok((id, may_count))
}

fn changed(
    pattern: Pattern,
    previous_confidence: Option<f64>,
    fix_record_id: String,
    report: &Report<'_>,
) -> ReportFixResult {
    let proof = report.proof();
    let is_claimed = report.worked && proof.is_none();
    let name = text::quoted(report.case_name);
    ReportFixResult {
        state: report.worked.then(|| trial::state(proof, None)),
        trust: report.worked.then(|| FixTrust {
            state: trial::state(proof, None),
            passes: report.progress.passes,
            needed: report.progress.needed,
            failed_in: report.run_id.to_owned(),
            proved_by: proof.map(ToOwned::to_owned),
            refuted_by: None,
            change: report.change.clone(),
        }),
        proved_by: proof.map(ToOwned::to_owned),
        to_prove: (is_claimed && report.unnamed_change().is_none()).then(|| to_prove(&name, report.progress)),
        warnings: (report.still_failing().map(|newest| still_fails(&name, newest)).into_iter())
            .chain(report.unnamed_change().map(|change| names_no_change(change, &fix_record_id)))
            .collect(),
        updated_confidence: confidence(pattern.resolutions, pattern.occurrences),
        is_new_pattern: previous_confidence.is_none(),
        category: pattern.shown_category(),
        pattern_id: pattern.id,
        learned_by: None,
        previous_confidence,
        occurrences: pattern.occurrences,
        resolutions: pattern.resolutions,
        fix_record_id,
    }
}

fn to_prove(name: &str, Progress { passes, needed }: Progress) -> String {
    if needed == 1 {
        return format!("A recorded run in which '{name}' passes: call argus_run.");
    }
    format!(
        "'{name}' fails by chance, so that one pass says little: {passes} of {needed} passes seen. Each recorded run in \
         which it passes counts, whoever makes it: call argus_run again."
    )
}

fn has_passed(newest: &Newest) -> bool {
    newest.status == Status::Passed && !newest.flaky
}

fn still_fails(name: &str, Newest { run_id, flaky, .. }: &Newest) -> String {
    let how = if *flaky { "passed only at a further attempt" } else { "still fails" };
    format!(
        "'{name}' {how} in {run_id}, the newest run that has it, so this success is only claimed. If the fix was made \
         since, run the tests again; if it did not help, report it with success: false."
    )
}

fn names_no_change(change: &FixChange, fix_record_id: &str) -> String {
    format!(
        "Between the last failure and the first pass {} changed, which this text does not mention. The runs prove that \
         change, not the text, so it stays claimed. To describe the change, report it again with supersedes: {fix_record_id}.",
        fix_change::files(change)
    )
}

/// The earlier report that a report corrects.
fn superseded<'a>(
    tx: &mut Tx<'_>,
    params: &'a ReportFixParams,
    case_name: &str,
) -> Result<Option<&'a str>, EngineError> {
    let Some(id) = params.supersedes.as_deref() else { return Ok(None) };
    if solutions::is_success_of(tx, id, case_name)? {
        return Ok(Some(id));
    }
    Err(EngineError::invalid(format!(
        "supersedes: '{}' is no reported success of this test. argus_diagnose lists the reported fixes in fixHistory.",
        text::quoted(id)
    )))
}

impl Report<'_> {
    /// A change that the text does not mention.
    fn unnamed_change(&self) -> Option<&FixChange> {
        self.change.as_ref().filter(|change| change.unnamed)
    }

    /// The run that proves a success.
    fn proof(&self) -> Option<&str> {
        let newest = self.newest.as_ref().filter(|newest| has_passed(newest));
        let is_enough = self.worked && self.progress.passes >= self.progress.needed && self.unnamed_change().is_none();
        newest.filter(|_| is_enough).map(|newest| newest.run_id.as_str())
    }

    /// The newest run, if it contradicts a reported success.
    fn still_failing(&self) -> Option<&Newest> {
        self.newest.as_ref().filter(|newest| self.worked && !has_passed(newest))
    }
}

fn described(engine: &Engine, description: &str) -> Result<String, EngineError> {
    let described = engine.analyzer.redact(description).trimmed();
    if described.is_empty() {
        return Err(EngineError::invalid("fixDescription is empty. Say in a sentence or two what was changed."));
    }
    Ok(described.bounded_to(MAX_DESCRIPTION_BYTES).into_string())
}

fn named(engine: &Engine, field: &str, value: &str) -> Result<String, EngineError> {
    let name = clean_name(engine, value);
    if name.is_empty() {
        return Err(EngineError::invalid(format!("{field} is empty.")));
    }
    Ok(name)
}
