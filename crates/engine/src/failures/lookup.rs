//! Finds the run and the failed case that a caller names, or says what they may have meant.

use crate::{EngineError, ErrorCode, answer::text::quoted, runs::case_name::SEPARATOR};
use argus_core::{FailureEvent, stable_sort::StableSort};
use argus_store::{
    Tx,
    runs::{
        self, Run, RunKey,
        cases::{self, Failure, Status},
    },
};
use std::collections::BTreeSet;

/// A failed case of a run.
pub(crate) struct FailedCase {
    pub(crate) run_id: String,
    /// Its qualified name, however it was asked for.
    pub(crate) name: String,
    pub(crate) failure: Failure,
}

/// How many case names are compared for a suggestion; failed ones come first.
pub(crate) const MAX_COMPARED_NAMES: u32 = 2_000;

/// How many suggestions a message has room for.
const MAX_SUGGESTIONS: usize = 5;

/// The failure a tool call is about, by its cleaned name, and the run it is in.
pub(crate) fn failed_case(tx: &mut Tx<'_>, run_id: &str, case_name: &str) -> Result<(RunKey, FailedCase), EngineError> {
    let (key, run) = find_run(tx, run_id)?;
    Ok((key, find_case(tx, key, &run, case_name)?))
}

/// What is known about a stored failure: its error text, else the end of its output.
pub(crate) fn event_of(failure: &Failure) -> FailureEvent {
    let text = [&failure.error, &failure.stderr_tail, &failure.stdout_tail].into_iter().flatten();
    let text = text.into_iter().find(|text| !text.trim().is_empty()).cloned().unwrap_or_default();
    FailureEvent { text, ..failure.facts.clone() }
}

pub(crate) fn find_run(tx: &mut Tx<'_>, run_id: &str) -> Result<(RunKey, Run), EngineError> {
    if let Some(found) = runs::by_id(tx, run_id.trim())? {
        return Ok(found);
    }
    let newest = runs::newest_ids(tx, 3)?;
    let next = if newest.is_empty() {
        "No run is recorded yet; argus_run records one".to_owned()
    } else {
        format!("The newest are {}; argus_history lists all", newest.join(", "))
    };
    // Who asks for the newest of none names none.
    let found = if run_id.trim().is_empty() && newest.is_empty() {
        String::new()
    } else {
        format!("Test run '{}' not found in history. ", quoted(run_id))
    };
    let message = format!("{found}{next}.");
    Err(EngineError::new(ErrorCode::RunNotFound, message))
}

fn find_case(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<FailedCase, EngineError> {
    if wanted.is_empty() {
        return Err(EngineError::invalid("caseName is empty. argus_history with runId lists the cases of a run."));
    }
    let name = match cases::failed(tx, key, wanted)? {
        Some(failure) => return Ok(FailedCase { run_id: run.id.clone(), name: wanted.to_owned(), failure }),
        None => qualified(tx, key, run, wanted)?,
    };
    match cases::failed(tx, key, &name)? {
        Some(failure) => Ok(FailedCase { run_id: run.id.clone(), name, failure }),
        None => Err(not_failed(tx, key, run, &name)?),
    }
}

/// The one name that is meant: exact, or the end of exactly one.
fn qualified(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<String, EngineError> {
    if cases::status_of(tx, key, wanted)?.is_some() {
        return Ok(wanted.to_owned());
    }
    let limit = u32::try_from(MAX_SUGGESTIONS).expect("a handful") + 1;
    let ending = format!("{SEPARATOR}{wanted}");
    let mut candidates = cases::names_ending(tx, key, &ending, limit)?;
    match candidates.len() {
        1 => Ok(candidates.remove(0)),
        0 => Err(not_found(tx, key, run, wanted)?),
        _ => Err(ambiguous(run, wanted, &candidates)),
    }
}

fn ambiguous(run: &Run, wanted: &str, candidates: &[String]) -> EngineError {
    let more = if candidates.len() > MAX_SUGGESTIONS { " and more" } else { "" };
    let message = format!(
        "Case '{}' is not unique in run '{}'. Use one of the full names: {}{more}.",
        quoted(wanted),
        run.id,
        list_names(candidates)
    );
    EngineError::new(ErrorCode::CaseNotFound, message)
}

fn not_found(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<EngineError, EngineError> {
    let names = cases::names(tx, key, MAX_COMPARED_NAMES)?;
    let next = if names.is_empty() {
        "The run has no cases".to_owned()
    } else {
        format!(
            "The closest names are {}; argus_history with this runId lists all",
            list_names(&closest(wanted, names))
        )
    };
    let message = format!("Case '{}' not found in run '{}'. {next}.", quoted(wanted), run.id);
    Ok(EngineError::new(ErrorCode::CaseNotFound, message))
}

fn not_failed(tx: &mut Tx<'_>, key: RunKey, run: &Run, name: &str) -> Result<EngineError, EngineError> {
    let was = match cases::status_of(tx, key, name)? {
        Some(Status::Skipped) => "was skipped",
        _ => "passed",
    };
    let next = match cases::newest_failure(tx, name)? {
        Some(failed) => format!("It failed in run '{failed}'; use that runId"),
        None => "No recorded run has it as failed; argus_history lists the runs".to_owned(),
    };
    let message = format!("Case '{}' did not fail in run '{}': it {was}. {next}.", quoted(name), run.id);
    Ok(EngineError::new(ErrorCode::CaseNotFailed, message))
}

pub(crate) fn list_names(names: &[String]) -> String {
    names.iter().take(MAX_SUGGESTIONS).map(|name| format!("'{}'", quoted(name))).collect::<Vec<_>>().join(", ")
}

/// The most alike names, best first.
pub(crate) fn closest(wanted: &str, names: Vec<String>) -> Vec<String> {
    let unique: BTreeSet<String> = names.into_iter().collect();
    let mut scored: Vec<(f64, String)> = unique.into_iter().map(|name| (likeness(wanted, &name), name)).collect();
    scored.stable_sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Shared words, or few typing mistakes in the whole or in the last part.
fn likeness(wanted: &str, name: &str) -> f64 {
    let last = name.rsplit(SEPARATOR).next().unwrap_or(name);
    let words = shared_words(wanted, name);
    words.max(closeness(wanted, name)).max(closeness(wanted, last))
}

#[allow(clippy::cast_precision_loss, reason = "a handful of words")]
fn shared_words(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (a, b) = (words(a), words(b));
    let union = a.union(&b).count();
    if union == 0 { 0.0 } else { a.intersection(&b).count() as f64 / union as f64 }
}

/// 1 minus the edit distance over the longer length.
fn closeness(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(&beginning(a), &beginning(b))
}

/// Long names are compared by their beginning; edit distance is quadratic.
fn beginning(text: &str) -> String {
    text.chars().take(120).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn names_the_most_alike_first() {
        let names = ["a.ts > cart > adds", "a.ts > cart > removes", "b.ts > health"].map(ToOwned::to_owned).to_vec();
        assert_eq!(closest("cart > remove", names)[0], "a.ts > cart > removes");
    }
}
