//! Lists the errors of a run, redacted and shortened as in a recorded run. Reads nothing from the memory and stores
//! nothing.

use super::{
    collect::{clean_case, command_error, command_name},
    failure_texts::{FailureTexts, TextBudget},
    read_reports::read_reports,
    recovered_errors,
};
use crate::{
    Engine, EngineError,
    contract::{RecordRunParams, RunError, RunErrors},
    inspect::inspect,
};
use argus_core::{CallContext, FailureEvent, wording};
use argus_report::{CaseStatus, ReportCase};

/// Maximum number of listed errors, because further errors rarely add information.
const MAX_ERRORS: usize = 20;

/// Returns the errors of the failed cases. If there are none, returns the error from the output of the command.
pub fn run_errors(engine: &Engine, _: &CallContext, params: &RecordRunParams) -> Result<RunErrors, EngineError> {
    let failed = failed_cases(engine, params);
    let of_command = failed.is_empty();
    let errors = if of_command { vec![command_failure(engine, params)] } else { failed };
    let has_text = |(name, text): (String, Option<String>)| Some((name, text.filter(|text| !text.trim().is_empty())?));
    let errors = errors.into_iter().take(MAX_ERRORS).filter_map(has_text);
    Ok(RunErrors { errors: errors.map(|(name, text)| describe_error(engine, name, text)).collect(), of_command })
}

/// Returns the name and the error of each failed case.
fn failed_cases(engine: &Engine, params: &RecordRunParams) -> Vec<(String, Option<String>)> {
    let mut budget = TextBudget::default();
    let mut clean = |case: ReportCase| {
        let (case, texts) = (case.status == CaseStatus::Failed).then(|| clean_case(engine, &mut budget, case))?;
        let texts =
            recovered_errors::recover_error_from_output(engine, params.output_tail.as_deref(), &case.name, texts?);
        Some((case.name, texts.error.map(String::from)))
    };
    let read = read_reports(engine, params, &mut clean).cases.into_iter().map(|(case, _)| case);
    let cases: Vec<_> = read.collect();
    cases.into_iter().chain(params.cases.iter().cloned().map(clean)).flatten().collect()
}

fn command_failure(engine: &Engine, params: &RecordRunParams) -> (String, Option<String>) {
    let texts = FailureTexts { error: command_error(engine, params), ..FailureTexts::default() };
    let error = TextBudget::default().clean_texts(engine, texts).error;
    (command_name(engine, params), error.map(String::from))
}

/// Analyzes an error by its text alone, because other places that remember errors store only the text.
fn describe_error(engine: &Engine, case_name: String, text: String) -> RunError {
    let inspected = inspect(&engine.analyzer, FailureEvent { text, ..FailureEvent::default() }, &case_name);
    RunError {
        sentence: wording::sentence_hash(
            inspected.category,
            inspected.failure_kind,
            &inspected.normalized,
            &inspected.redacted,
        ),
        is_of_test: wording::depends_on_test(inspected.failure_kind),
        words: wording::extract_search_words(&inspected.normalized),
        family: inspected.family_signature,
        case_name,
    }
}
