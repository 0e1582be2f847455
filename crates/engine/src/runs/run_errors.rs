//! Lists the errors of a run, cleaned as recording does it and compared by their sentences. Reads nothing from the
//! memory and stores nothing.

use super::{
    collect::{clean_case, command_error, command_name, read_reports},
    failed_texts::{TextBudget, Texts},
    unsaid,
};
use crate::{
    Engine, EngineError,
    contract::{RecordRunParams, RunError, RunErrors},
    inspect::inspect,
};
use argus_core::{Ambient, FailureEvent, wording};
use argus_report::{CaseStatus, ReportCase};

/// Maximum number of errors. Further errors rarely add information.
const MAX_ERRORS: usize = 20;

/// Returns the errors of the failed cases. If there are none, returns the error from the output of the command.
pub fn run_errors(engine: &Engine, _: &Ambient, params: &RecordRunParams) -> Result<RunErrors, EngineError> {
    let failed = failed_cases(engine, params);
    let of_command = failed.is_empty();
    let told = if of_command { vec![the_command(engine, params)] } else { failed };
    let has_text = |(name, text): (String, Option<String>)| Some((name, text.filter(|text| !text.trim().is_empty())?));
    let told = told.into_iter().take(MAX_ERRORS).filter_map(has_text);
    Ok(RunErrors { errors: told.map(|(name, text)| run_error(engine, name, text)).collect(), of_command })
}

/// Returns the name and the error of each failed case.
fn failed_cases(engine: &Engine, params: &RecordRunParams) -> Vec<(String, Option<String>)> {
    let mut budget = TextBudget::default();
    let mut clean = |case: ReportCase| {
        let (case, texts) = (case.status == CaseStatus::Failed).then(|| clean_case(engine, &mut budget, case))?;
        let texts = unsaid::with_reason(engine, params.output_tail.as_deref(), &case.name, texts?);
        Some((case.name, texts.error.map(String::from)))
    };
    let read = read_reports(engine, params, &mut clean).cases.into_iter().map(|(case, _)| case);
    let cases: Vec<_> = read.collect();
    cases.into_iter().chain(params.cases.iter().cloned().map(clean)).flatten().collect()
}

fn the_command(engine: &Engine, params: &RecordRunParams) -> (String, Option<String>) {
    let texts = Texts { error: command_error(engine, params), ..Texts::default() };
    let error = TextBudget::default().clean(engine, texts).error;
    (command_name(engine, params), error.map(String::from))
}

/// Analyzes an error by its text alone, because other places that remember errors store only the text.
fn run_error(engine: &Engine, case_name: String, text: String) -> RunError {
    let seen = inspect(&engine.analyzer, FailureEvent { text, ..FailureEvent::default() }, &case_name);
    RunError {
        sentence: wording::sentence_hash(seen.category, seen.failure_kind, &seen.normalized, &seen.redacted),
        is_of_test: wording::is_of_test(seen.failure_kind),
        words: wording::words(&seen.normalized),
        family: seen.family_signature,
        case_name,
    }
}
