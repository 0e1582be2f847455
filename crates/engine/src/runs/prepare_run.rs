//! Converts the reports of a run into cases that can wait in a file until the run can be recorded. The failures are
//! analyzed only when the run is recorded.

use super::{
    collect::read_reports,
    failed_texts::{TextBudget, Texts},
    record_run::NO_CASES,
};
use crate::{Engine, EngineError, contract::RecordRunParams, evidence::judging::RUNNER_VERSION};
use argus_core::{Ambient, redact::Redacted};
use argus_report::{CaseStatus, ReportCase};
use serde_json::Value;

/// Reads the reports into bounded and redacted cases. Recording the returned parameters records the same run.
pub fn prepare_run(
    engine: &Engine,
    ambient: &Ambient,
    params: &RecordRunParams,
) -> Result<RecordRunParams, EngineError> {
    let mut budget = TextBudget::default();
    let read = read_reports(engine, params, &mut |case| bounded(engine, &mut budget, case));
    let mut prepared = RecordRunParams { reports: Vec::new(), ..params.clone() };
    if read.have_no_tests(params) && !params.expects_tests {
        prepared.notes.push(NO_CASES.to_owned());
    }
    // Reports can be of several runners. A runner that the host names takes precedence over all of them.
    let named = |runner: Option<String>| runner.filter(|_| params.runner.is_none());
    prepared.cases.extend(read.cases.into_iter().map(|(case, runner)| ReportCase { runner: named(runner), ..case }));
    prepared.order_unknown |= read.facts.order_unknown;
    prepared.unread.extend(read.problems);
    prepared.runner = prepared.runner.or_else(|| read.facts.runner.clone());
    let runner_version = prepared.runner.as_deref().and_then(|runner| read.facts.runner_version(runner));
    let runner_version = runner_version.map(|version| (RUNNER_VERSION.to_owned(), version));
    prepared.started_at = params.started_at.or(read.facts.started_at).or(Some(ambient.now));
    let redact = |text: &String| engine.analyzer.redact_whole(text).into_string();
    let conditions = params.environment.iter().map(|(name, value)| (redact(name), redact(value)));
    prepared.environment = runner_version.into_iter().chain(conditions).collect();
    prepared.duration_ms = params.duration_ms.or(read.facts.duration_ms);
    without_secrets(engine, &prepared)
}

/// Cuts the texts of a case after redaction, because half of a secret is not recognized.
fn bounded(engine: &Engine, budget: &mut TextBudget, case: ReportCase) -> ReportCase {
    if case.status == CaseStatus::Failed && !budget.takes_failure() {
        return ReportCase { error: None, stdout_tail: None, stderr_tail: None, error_type: None, ..case };
    }
    let ReportCase { error, stdout_tail: stdout, stderr_tail: stderr, error_type: kind, .. } = case.clone();
    let clean = budget.clean(engine, Texts { error, stdout, stderr, kind });
    let text = |text: Option<Redacted>| text.map(Redacted::into_string);
    ReportCase {
        error: text(clean.error),
        stdout_tail: text(clean.stdout),
        stderr_tail: text(clean.stderr),
        error_type: text(clean.kind),
        ..case
    }
}

/// Redacts every text of the parameters, in every field.
fn without_secrets(engine: &Engine, params: &RecordRunParams) -> Result<RecordRunParams, EngineError> {
    let mut value = serde_json::to_value(params).map_err(|error| EngineError::invalid(error.to_string()))?;
    redact_texts(engine, &mut value);
    serde_json::from_value(value).map_err(|error| EngineError::invalid(error.to_string()))
}

pub(crate) fn redact_texts(engine: &Engine, value: &mut Value) {
    match value {
        Value::String(text) => *text = engine.analyzer.redact_whole(text).into_string(),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_texts(engine, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_texts(engine, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
