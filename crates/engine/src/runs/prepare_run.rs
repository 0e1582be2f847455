//! Converts the reports of a run into cases that can wait in a file until the run can be recorded. The failures are
//! analyzed only when the run is recorded.

use super::{
    failure_texts::{FailureTexts, TextBudget},
    read_reports::read_reports,
    record_run::NO_CASES_NOTE,
};
use crate::{Engine, EngineError, contract::RecordRunParams, evidence::judging::RUNNER_VERSION_CONDITION};
use argus_core::{CallContext, redact::RedactedText};
use argus_report::{CaseStatus, ReportCase};
use serde_json::Value;

/// Reads the reports into bounded and redacted cases. Recording the returned parameters records the same run.
pub fn prepare_run(
    engine: &Engine,
    context: &CallContext,
    params: &RecordRunParams,
) -> Result<RecordRunParams, EngineError> {
    let mut budget = TextBudget::default();
    let read = read_reports(engine, params, &mut |case| bound_case(engine, &mut budget, case));
    let mut prepared = RecordRunParams { reports: Vec::new(), ..params.clone() };
    if read.has_no_tests(params) && !params.expects_tests {
        prepared.notes.push(NO_CASES_NOTE.to_owned());
    }
    // The reports can come from several runners. A runner that the host names overrides all of them.
    let keep_without_override = |runner: Option<String>| runner.filter(|_| params.runner.is_none());
    prepared.cases.extend(
        read.cases.into_iter().map(|(case, runner)| ReportCase { runner: keep_without_override(runner), ..case }),
    );
    prepared.order_unknown |= read.facts.order_unknown;
    prepared.unread.extend(read.problems);
    prepared.runner = prepared.runner.or_else(|| read.facts.runner.clone());
    let runner_version = prepared.runner.as_deref().and_then(|runner| read.facts.runner_version(runner));
    let runner_version = runner_version.map(|version| (RUNNER_VERSION_CONDITION.to_owned(), version));
    prepared.started_at = params.started_at.or(read.facts.started_at).or(Some(context.now_ms));
    let redact = |text: &String| engine.analyzer.redact_without_limit(text).into_string();
    let conditions = params.environment.iter().map(|(name, value)| (redact(name), redact(value)));
    prepared.environment = runner_version.into_iter().chain(conditions).collect();
    prepared.duration_ms = params.duration_ms.or(read.facts.duration_ms);
    redact_all_texts(engine, &prepared)
}

/// Cuts the texts of a case after redaction, because half of a secret is not recognized.
fn bound_case(engine: &Engine, budget: &mut TextBudget, case: ReportCase) -> ReportCase {
    if case.status == CaseStatus::Failed && !budget.count_failure() {
        return ReportCase { error: None, stdout_tail: None, stderr_tail: None, error_type: None, ..case };
    }
    let ReportCase { error, stdout_tail: stdout, stderr_tail: stderr, error_type: kind, .. } = case.clone();
    let clean = budget.clean_texts(engine, FailureTexts { error, stdout, stderr, kind });
    let text = |text: Option<RedactedText>| text.map(RedactedText::into_string);
    ReportCase {
        error: text(clean.error),
        stdout_tail: text(clean.stdout),
        stderr_tail: text(clean.stderr),
        error_type: text(clean.kind),
        ..case
    }
}

/// Redacts every text of the parameters, in every field.
fn redact_all_texts(engine: &Engine, params: &RecordRunParams) -> Result<RecordRunParams, EngineError> {
    let mut value = serde_json::to_value(params).map_err(|error| EngineError::invalid_input(error.to_string()))?;
    redact_texts(engine, &mut value);
    serde_json::from_value(value).map_err(|error| EngineError::invalid_input(error.to_string()))
}

pub(crate) fn redact_texts(engine: &Engine, value: &mut Value) {
    match value {
        Value::String(text) => *text = engine.analyzer.redact_without_limit(text).into_string(),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_texts(engine, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_texts(engine, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
