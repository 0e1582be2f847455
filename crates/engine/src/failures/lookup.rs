//! Finds the run and the failed case that a caller names. On a miss the error lists the most similar names.

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
    /// The qualified name, even if the caller gave a short name.
    pub(crate) name: String,
    pub(crate) failure: Failure,
}

/// Maximum number of case names that are compared for a suggestion. Failed cases come first.
pub(crate) const MAX_COMPARED_NAMES: u32 = 2_000;

/// Maximum number of names in a message.
const MAX_SUGGESTIONS: usize = 5;

/// Returns the failed case with this cleaned name and the key of its run.
pub(crate) fn failed_case(tx: &mut Tx<'_>, run_id: &str, case_name: &str) -> Result<(RunKey, FailedCase), EngineError> {
    let (key, run) = find_run(tx, run_id)?;
    Ok((key, find_case(tx, key, &run, case_name)?))
}

/// Rebuilds the event of a stored failure. Its text is the error, otherwise the end of the output.
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
    // A caller that asks for the newest run passes an empty id, so there is no id to quote.
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

/// Returns the full name for a wanted name, which is either a full name or a unique end of a full name.
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

/// Returns the most similar names, best first.
pub(crate) fn closest(wanted: &str, names: Vec<String>) -> Vec<String> {
    let unique: BTreeSet<String> = names.into_iter().collect();
    let mut scored: Vec<(f64, String)> = unique.into_iter().map(|name| (likeness(wanted, &name), name)).collect();
    scored.stable_sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Similarity from 0 to 1: the largest of shared words, edit distance to the whole name, and edit distance to its last
/// part.
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

/// Returns 1 minus the edit distance divided by the longer length.
fn closeness(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(&beginning(a), &beginning(b))
}

/// Cuts long names, because edit distance is quadratic.
fn beginning(text: &str) -> String {
    text.chars().take(120).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn closest_lists_the_most_similar_name_first() {
        let names = ["a.ts > cart > adds", "a.ts > cart > removes", "b.ts > health"].map(ToOwned::to_owned).to_vec();
        assert_eq!(closest("cart > remove", names)[0], "a.ts > cart > removes");
    }
}
