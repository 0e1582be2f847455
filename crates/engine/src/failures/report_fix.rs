//! Records a reported fix and whether it helped. A success counts once per failure of a run.

use super::{
    fix_results,
    lookup::{self, FailedCase},
    matching::{self, Match},
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::{fix_change, message_text, time_format},
    contract::{FixChange, FixRecord, FixTrust, RecordFixParams, ReportFixParams, ReportFixResult},
    evidence::{change, edits, evidence_rows, proof_progress::compute_progress},
    memory::{self, finding::shared},
    runs::{case_name::clean_name, claims::is_on_older_commit},
};
use argus_core::{
    Analysis, CallContext,
    confidence::confidence,
    evidence::stored_rows::fixes::{ProofProgress, ProofStatus},
};
use argus_store::{
    Tx,
    patterns::{self, Pattern, PatternKey, merging},
    runs::{
        cases::Status,
        claims::{self, LatestResult},
    },
    solutions::{self, Fix, NewFix, outcomes::Recorder},
};

/// Maximum size of the description of a fix. A description is not a diff, so it is short.
const MAX_DESCRIPTION_BYTES: usize = 4 * 1024;

/// Maximum number of earlier fixes that a claim is compared with.
const MAX_EARLIER_FIXES: u32 = 20;

/// A reported fix, cleaned for storing.
struct FixReport<'a> {
    /// The newest run with the case. `None` if no run after the failure has the case.
    newest: Option<LatestResult>,
    /// Number of passes since the failure, and number of passes that prove the fix.
    progress: ProofProgress,
    /// The change until the first pass.
    change: Option<FixChange>,
    /// The earlier report that this report corrects.
    supersedes: Option<&'a str>,
    /// Id of a confirmed fix of the same failure with another text. The passes count for that fix, not for this report.
    confirmed_fix_id: Option<String>,
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

/// Finds or creates the pattern, records the fix and counts it, in a single write transaction.
pub fn report_fix(
    engine: &Engine,
    context: &CallContext,
    params: &ReportFixParams,
) -> Result<ReportFixResult, EngineError> {
    let steps = clean_description(engine, &params.fix_description)?;
    let wanted = clean_name(engine, &params.case_name);
    let find = |tx: &mut Tx<'_>| lookup::find_failed_case(tx, &params.run_id, &wanted);
    let (_, case) = engine.read(context, find)?;
    let analysis = engine.analyzer.analyze(lookup::rebuild_event(&case.failure), &case.name);
    let (env, env_bucket) =
        memory::finding::related_incidents::resolve_optional_environment(engine, params.env.as_ref())?;
    let tried = shared::find_referenced_fix(engine, context, &analysis, &steps)?;
    let (shared, named) = tried.map_or((None, None), |tried| (tried.id, tried.steps));
    let steps = named.unwrap_or(steps);
    let body = |tx: &mut Tx<'_>| -> Result<ReportFixResult, EngineError> {
        let mut newest = claims::find_latest_result(tx, &case.run_id, &case.name)?;
        if let Some(passed) = newest.as_ref().filter(|newest| has_passed(newest)) {
            let memory = evidence_rows::load(tx)?.unwrap_or_default();
            if is_on_older_commit(&memory.window, &case.run_id, &passed.run_id) {
                newest = None;
            }
        }
        if let Some(passed) = newest.as_ref().filter(|newest| params.success && has_passed(newest))
            && edits::is_suspicious_success(tx, &case.run_id, &passed.run_id)?
        {
            return Err(EngineError::invalid_input(format!(
                "The change between {} and {} weakens tests or how they are run, so nothing was recorded. Restore \
                 the tests and run them again, or report with success: false.",
                case.run_id, passed.run_id
            )));
        }
        let progress = compute_progress(tx, &case, newest.as_ref().is_some_and(has_passed))?;
        let is_shown = params.success && newest.as_ref().is_some_and(has_passed);
        let change =
            if is_shown { change::find_change_until_first_pass(tx, &case.name, &case.run_id, &steps)? } else { None };
        let report = FixReport {
            newest,
            progress,
            change,
            supersedes: find_superseded(tx, params, &case.name)?,
            confirmed_fix_id: match params.supersedes {
                None if is_shown => change::find_unrelated_confirmed_fix(tx, &case.run_id, &case.name, &steps)?,
                _ => None,
            },
            run_id: &case.run_id,
            case_name: &case.name,
            steps: steps.clone(),
            worked: params.success,
            env: env.clone(),
            env_bucket: env_bucket.clone(),
            shared: shared.as_deref(),
            recorder: engine.recorder(),
        };
        let mut found = matching::find_match_after_resigning(engine, tx, &analysis, &case.name)?;
        if found.pattern.is_none() && found.own_pattern.is_none() {
            return record_on_new_pattern(engine, context, tx, &case, &analysis, &report);
        }
        matching::upsert_pattern(engine, context, tx, &case, &analysis, &mut found)?;
        record_on_known_pattern(context, tx, &report, found)
    };
    engine.write(context, body)
}

/// Records a fix for a pattern, without a failure.
pub fn record_fix(engine: &Engine, context: &CallContext, params: &RecordFixParams) -> Result<FixRecord, EngineError> {
    let steps = clean_description(engine, &params.fix_description)?;
    let (run_id, case_name) = (
        clean_required_name(engine, "runId", &params.run_id)?,
        clean_required_name(engine, "caseName", &params.case_name)?,
    );
    let report = FixReport {
        newest: None,
        progress: ProofProgress { passes: 0, needed: 1 },
        change: None,
        supersedes: None,
        confirmed_fix_id: None,
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
        let Some(mut pattern) = patterns::find_by_id(tx, &params.pattern_id)? else {
            return Err(pattern_not_found_error(&params.pattern_id));
        };
        if pattern.is_provisional() {
            merging::promote_provisional(tx, pattern.key)?;
        }
        let (id, _) = record_and_count(context, tx, &report, pattern.key, &mut pattern)?;
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
            created_at: time_format::format_iso(context.now_ms),
            recorded_by: report.recorder.by.map(ToOwned::to_owned),
            recorded_from: report.recorder.from.map(ToOwned::to_owned),
        })
    };
    engine.write(context, body)
}

pub(crate) fn pattern_not_found_error(id: &str) -> EngineError {
    let message = format!("Pattern '{}' not found. argus_patterns lists the ids.", message_text::quote(id));
    EngineError::new(ErrorCode::PatternNotFound, message)
}

/// Records the fix on the matched pattern. A success on a built-in pattern counts there and also creates the learned
/// pattern, which takes precedence from then on. A failed fix creates no learned pattern, because a learned pattern
/// without a fix would hide the suggestion of the built-in pattern.
fn record_on_known_pattern(
    context: &CallContext,
    tx: &mut Tx<'_>,
    report: &FixReport<'_>,
    found: Match,
) -> Result<ReportFixResult, EngineError> {
    let Match { pattern: Some(mut pattern), own_pattern: own, .. } = found else {
        return Err(EngineError::new(
            ErrorCode::InternalError,
            "The failure was stored but cannot be read again. Run argus doctor.",
        ));
    };
    let previous = confidence(pattern.resolutions, pattern.occurrences);
    let has_resolved = pattern.resolutions > 0 || own.as_ref().is_some_and(|own| own.resolutions > 0);
    let learner = match own.filter(|_| pattern.is_builtin && report.worked) {
        Some(mut own) => {
            merging::promote_provisional(tx, own.key)?;
            patterns::count_resolution(tx, &mut own, context.now_ms)?;
            Some(own)
        }
        None => None,
    };
    let learner_key = learner.as_ref().map_or(pattern.key, |own| own.key);
    let is_repeated = has_resolved && is_repeated_claim(tx, learner.as_ref().unwrap_or(&pattern), report)?;
    let (fix_record_id, was_counted) = record_and_count(context, tx, report, learner_key, &mut pattern)?;
    let mut result = build_result(pattern, Some(previous), fix_record_id, report);
    result.learned_by = learner.map(|own| own.id);
    if is_repeated {
        // The first report of the claim already had these warnings.
        result.warnings.clear();
    }
    if was_counted && report.supersedes.is_none() {
        let message =
            format!("A success of this failure in {} was already counted, so the counts do not change.", report.run_id);
        result.warnings.push(message);
    }
    Ok(result)
}

/// Returns `true` if the same fix was claimed for the case before and is neither proved nor refuted.
fn is_repeated_claim(tx: &mut Tx<'_>, pattern: &Pattern, report: &FixReport<'_>) -> Result<bool, EngineError> {
    if report.contradicting_run().is_none() {
        return Ok(false);
    }
    let steps = message_text::fold_case_and_spacing(&report.steps);
    let is_same = |fix: &Fix| {
        let is_open = fix.worked && fix.proved_by.is_none() && fix.refuted_by.is_none();
        is_open && fix.case_name == report.case_name && message_text::fold_case_and_spacing(&fix.steps) == steps
    };
    Ok(solutions::list_history(tx, pattern, MAX_EARLIER_FIXES)?.iter().any(is_same))
}

fn record_on_new_pattern(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    report: &FixReport<'_>,
) -> Result<ReportFixResult, EngineError> {
    let pattern = matching::learn_pattern(engine, context, tx, case, analysis, u32::from(report.worked))?;
    let (fix_record_id, _) = store_fix(context, tx, report, pattern.key, pattern.key)?;
    Ok(build_result(pattern, None, fix_record_id, report))
}

/// Stores the fix and counts it on `pattern`, unless a success of this failure was counted before or a person marked
/// these steps as wrong. Returns the id of the record, and whether a success was counted before.
fn record_and_count(
    context: &CallContext,
    tx: &mut Tx<'_>,
    report: &FixReport<'_>,
    learner: PatternKey,
    pattern: &mut Pattern,
) -> Result<(String, bool), EngineError> {
    let was_counted = report.worked && solutions::is_resolved(tx, report.run_id, report.case_name)?;
    let (id, may_count) = store_fix(context, tx, report, learner, pattern.key)?;
    if report.worked && !was_counted && may_count {
        patterns::count_resolution(tx, pattern, context.now_ms)?;
    }
    Ok((id, was_counted))
}

/// Stores the fix. Returns the id of the record, and whether a success of these steps counts.
fn store_fix(
    context: &CallContext,
    tx: &mut Tx<'_>,
    report: &FixReport<'_>,
    learner: PatternKey,
    counted_on: PatternKey,
) -> Result<(String, bool), EngineError> {
    let (id, solution_id) = (context.create_id("fix"), context.create_id("sol"));
    let changed = report.change.as_ref().and_then(fix_change::to_json);
    let fix = NewFix {
        id: &id,
        solution_id: &solution_id,
        learning_pattern: learner,
        counted_pattern: counted_on,
        run_id: report.run_id,
        case_name: report.case_name,
        steps: &report.steps,
        digest: &memory::input_cleaning::steps_digest(&report.steps),
        worked: report.worked,
        proved_by: report.proving_run(),
        passes: report.progress.passes,
        passes_needed: report.progress.needed,
        changed: changed.as_deref(),
        supersedes: report.supersedes,
        env: report.env.as_deref(),
        env_bucket: &report.env_bucket,
        recorder: report.recorder,
        now: context.now_ms,
    };
    let may_count = solutions::record_fix(tx, &fix)?;
    if let Some(shared) = report.shared {
        argus_store::shared_links::link_to_shared(tx, &id, shared)?;
    }
    Ok((id, may_count))
}

fn build_result(
    pattern: Pattern,
    previous_confidence: Option<f64>,
    fix_record_id: String,
    report: &FixReport<'_>,
) -> ReportFixResult {
    let proof = report.proving_run();
    let is_claimed = report.worked && proof.is_none();
    let name = message_text::quote(report.case_name);
    ReportFixResult {
        state: report.worked.then(|| fix_results::proof_state(proof, None)),
        trust: report.worked.then(|| FixTrust {
            state: fix_results::proof_state(proof, None),
            passes: report.progress.passes,
            needed: report.progress.needed,
            failed_in: report.run_id.to_owned(),
            proved_by: proof.map(ToOwned::to_owned),
            refuted_by: None,
            change: report.change.clone(),
        }),
        proved_by: proof.map(ToOwned::to_owned),
        to_prove: (is_claimed && report.unnamed_change().is_none() && report.confirmed_fix_id.is_none())
            .then(|| describe_missing_proof(&name, report.progress)),
        warnings: (report.contradicting_run().map(|newest| still_fails_warning(&name, newest)).into_iter())
            .chain(report.unnamed_change().map(|change| unnamed_change_warning(change, &fix_record_id)))
            .chain(report.confirmed_fix_id.as_deref().map(other_fix_confirmed_warning))
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

fn describe_missing_proof(name: &str, ProofProgress { passes, needed }: ProofProgress) -> String {
    if needed == 1 {
        return format!("A recorded run in which '{name}' passes: call argus_run.");
    }
    format!(
        "'{name}' fails by chance, so a single pass proves little: {passes} of {needed} passes seen. Each recorded run in \
         which it passes counts: call argus_run again."
    )
}

fn has_passed(newest: &LatestResult) -> bool {
    newest.status == Status::Passed && !newest.flaky
}

fn still_fails_warning(name: &str, LatestResult { run_id, flaky, .. }: &LatestResult) -> String {
    let how = if *flaky { "passed only on a retry" } else { "still fails" };
    format!(
        "'{name}' {how} in {run_id}, the newest run that has it, so this success is only claimed. If the fix was made \
         since, run the tests again; if it did not help, report it with success: false."
    )
}

fn unnamed_change_warning(change: &FixChange, fix_record_id: &str) -> String {
    format!(
        "Between the last failure and the first pass {} changed, which this text does not mention. The runs prove that \
         change, not the text, so it stays claimed. To describe the change, report it again with supersedes: {fix_record_id}.",
        fix_change::format_changed_files(change)
    )
}

fn other_fix_confirmed_warning(fix_id: &str) -> String {
    format!(
        "{fix_id} is already confirmed as the fix of this failure, so this text stays claimed. To correct that report, \
         report again with supersedes: {fix_id}."
    )
}

/// Returns the id of the earlier report that this report corrects.
fn find_superseded<'a>(
    tx: &mut Tx<'_>,
    params: &'a ReportFixParams,
    case_name: &str,
) -> Result<Option<&'a str>, EngineError> {
    let Some(id) = params.supersedes.as_deref() else { return Ok(None) };
    if solutions::is_reported_success(tx, id, case_name)? {
        return Ok(Some(id));
    }
    Err(EngineError::invalid_input(format!(
        "supersedes: '{}' is not a reported success of this test. argus_diagnose lists the reported fixes in fixHistory.",
        message_text::quote(id)
    )))
}

impl FixReport<'_> {
    /// Returns the change if the text of the report does not mention it.
    fn unnamed_change(&self) -> Option<&FixChange> {
        self.change.as_ref().filter(|change| change.unnamed)
    }

    /// Returns the id of the run that proves the reported success.
    fn proving_run(&self) -> Option<&str> {
        let newest = self.newest.as_ref().filter(|newest| has_passed(newest));
        let is_enough = self.worked && self.progress.passes >= self.progress.needed;
        let is_about_this_fix = self.unnamed_change().is_none() && self.confirmed_fix_id.is_none();
        newest.filter(|_| is_enough && is_about_this_fix).map(|newest| newest.run_id.as_str())
    }

    /// Returns the newest run if it contradicts a reported success.
    fn contradicting_run(&self) -> Option<&LatestResult> {
        self.newest.as_ref().filter(|newest| self.worked && !has_passed(newest))
    }
}

fn clean_description(engine: &Engine, description: &str) -> Result<String, EngineError> {
    let described = engine.analyzer.redact(description).trimmed();
    if described.is_empty() {
        return Err(EngineError::invalid_input("fixDescription is empty. Describe the change in a sentence or two."));
    }
    Ok(described.bounded_to(MAX_DESCRIPTION_BYTES).into_string())
}

fn clean_required_name(engine: &Engine, field: &str, value: &str) -> Result<String, EngineError> {
    let name = clean_name(engine, value);
    if name.is_empty() {
        return Err(EngineError::invalid_input(format!("{field} is empty.")));
    }
    Ok(name)
}
