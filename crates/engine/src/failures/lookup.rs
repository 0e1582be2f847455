//! Finds the run and the failed case that a caller names. On a miss the error lists the most similar names.

use crate::{
    EngineError, ErrorCode,
    answer::{message_text::quote, row_conversion},
    runs::case_name::CASE_NAME_SEPARATOR,
};
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

impl FailedCase {
    pub(crate) fn was_diagnosed(&self) -> bool {
        row_conversion::parse_stored_verdict(&self.failure).is_some_and(|verdict| verdict.diagnosed == Some(true))
    }
}

/// Maximum number of case names that are compared for a suggestion. Failed cases come first.
pub(crate) const MAX_COMPARED_NAMES: u32 = 2_000;

/// Maximum number of names in a message.
const MAX_SUGGESTED_NAMES: usize = 5;

/// Returns the failed case with this cleaned name and the key of its run.
pub(crate) fn find_failed_case(
    tx: &mut Tx<'_>,
    run_id: &str,
    case_name: &str,
) -> Result<(RunKey, FailedCase), EngineError> {
    let (key, run) = find_run(tx, run_id)?;
    Ok((key, find_case(tx, key, &run, case_name)?))
}

/// Rebuilds the event of a stored failure. Its text is the error, otherwise the end of the output.
pub(crate) fn rebuild_event(failure: &Failure) -> FailureEvent {
    let text = [&failure.error, &failure.stderr_tail, &failure.stdout_tail].into_iter().flatten();
    let text = text.into_iter().find(|text| !text.trim().is_empty()).cloned().unwrap_or_default();
    FailureEvent { text, ..failure.facts.clone() }
}

/// A caller can write this instead of the id of the newest run.
const LATEST_RUN: &str = "latest";

/// Minimum length of the beginning of an id. Shorter texts are more likely a mistake.
const MIN_PREFIX_CHARS: usize = 4;

/// Maximum number of ids in the error for an ambiguous prefix.
const MAX_LISTED_IDS: u32 = 5;

/// Returns the run with this id or unique prefix of an id. `latest` is the newest run, `@2` the run before it.
pub(crate) fn find_run(tx: &mut Tx<'_>, run_id: &str) -> Result<(RunKey, Run), EngineError> {
    let wanted = run_id.trim();
    if let Some(found) = runs::find_by_id(tx, wanted)? {
        return Ok(found);
    }
    let back = wanted.strip_prefix('@').and_then(|number| number.parse().ok());
    let found = match if wanted == LATEST_RUN { Some(1) } else { back } {
        Some(back) => runs::find_nth_newest(tx, back)?,
        None => find_run_by_prefix(tx, wanted)?,
    };
    found.map_or_else(|| Err(run_not_found_error(tx, wanted)?), Ok)
}

fn find_run_by_prefix(tx: &mut Tx<'_>, prefix: &str) -> Result<Option<(RunKey, Run)>, EngineError> {
    if prefix.chars().count() < MIN_PREFIX_CHARS {
        return Ok(None);
    }
    match &runs::list_ids_with_prefix(tx, prefix, MAX_LISTED_IDS + 1)?[..] {
        [] => Ok(None),
        [only] => Ok(runs::find_by_id(tx, only)?),
        several => {
            let shown = several.iter().take(MAX_LISTED_IDS as usize).cloned().collect::<Vec<_>>().join(", ");
            let more = if several.len() > MAX_LISTED_IDS as usize { " and more" } else { "" };
            let message = format!(
                "Several run ids begin with '{}': {shown}{more}. Use more characters of the id.",
                quote(prefix)
            );
            Err(EngineError::new(ErrorCode::RunNotFound, message))
        }
    }
}

fn run_not_found_error(tx: &mut Tx<'_>, run_id: &str) -> Result<EngineError, EngineError> {
    let newest = runs::list_newest_ids(tx, 3)?;
    let next = if newest.is_empty() {
        "No run is recorded yet. Call argus_run first".to_owned()
    } else {
        format!("The newest runs are {}; argus_history lists all runs", newest.join(", "))
    };
    // A caller that asks for the newest run passes an empty id, so the message quotes no id.
    let found = if run_id.is_empty() && newest.is_empty() {
        String::new()
    } else {
        format!("Test run '{}' not found in history. ", quote(run_id))
    };
    Ok(EngineError::new(ErrorCode::RunNotFound, format!("{found}{next}.")))
}

fn find_case(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<FailedCase, EngineError> {
    if wanted.is_empty() {
        return Err(EngineError::invalid_input(
            "caseName is empty. argus_history with runId lists the cases of a run.",
        ));
    }
    let name = match cases::find_failed(tx, key, wanted)? {
        Some(failure) => return Ok(FailedCase { run_id: run.id.clone(), name: wanted.to_owned(), failure }),
        None => find_full_name(tx, key, run, wanted)?,
    };
    match cases::find_failed(tx, key, &name)? {
        Some(failure) => Ok(FailedCase { run_id: run.id.clone(), name, failure }),
        None => Err(case_not_failed_error(tx, key, run, &name)?),
    }
}

/// Returns the full name for a wanted name, which is either a full name or a unique end of a full name.
fn find_full_name(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<String, EngineError> {
    if cases::find_status(tx, key, wanted)?.is_some() {
        return Ok(wanted.to_owned());
    }
    let limit = u32::try_from(MAX_SUGGESTED_NAMES).expect("a handful") + 1;
    let ending = format!("{CASE_NAME_SEPARATOR}{wanted}");
    let mut candidates = cases::list_names_ending(tx, key, &ending, limit)?;
    match candidates.len() {
        1 => Ok(candidates.remove(0)),
        0 => Err(case_not_found_error(tx, key, run, wanted)?),
        _ => Err(ambiguous_case_error(run, wanted, &candidates)),
    }
}

fn ambiguous_case_error(run: &Run, wanted: &str, candidates: &[String]) -> EngineError {
    let more = if candidates.len() > MAX_SUGGESTED_NAMES { " and more" } else { "" };
    let message = format!(
        "Case '{}' is not unique in run '{}'. Use a full name: {}{more}.",
        quote(wanted),
        run.id,
        list_names(candidates)
    );
    EngineError::new(ErrorCode::CaseNotFound, message)
}

fn case_not_found_error(tx: &mut Tx<'_>, key: RunKey, run: &Run, wanted: &str) -> Result<EngineError, EngineError> {
    let names = cases::list_names(tx, key, MAX_COMPARED_NAMES)?;
    let next = if names.is_empty() {
        "The run has no cases".to_owned()
    } else {
        format!(
            "The closest names are {}; argus_history with this runId lists all names",
            list_names(&find_closest_names(wanted, names))
        )
    };
    let message = format!("Case '{}' not found in run '{}'. {next}.", quote(wanted), run.id);
    Ok(EngineError::new(ErrorCode::CaseNotFound, message))
}

fn case_not_failed_error(tx: &mut Tx<'_>, key: RunKey, run: &Run, name: &str) -> Result<EngineError, EngineError> {
    let was = match cases::find_status(tx, key, name)? {
        Some(Status::Skipped) => "was skipped",
        _ => "passed",
    };
    let next = match cases::find_newest_failure(tx, name)? {
        Some(failed) => format!("It failed in run '{failed}'; use that runId"),
        None => "It failed in no recorded run; argus_history lists the runs".to_owned(),
    };
    let message = format!("Case '{}' did not fail in run '{}': it {was}. {next}.", quote(name), run.id);
    Ok(EngineError::new(ErrorCode::CaseNotFailed, message))
}

pub(crate) fn list_names(names: &[String]) -> String {
    names.iter().take(MAX_SUGGESTED_NAMES).map(|name| format!("'{}'", quote(name))).collect::<Vec<_>>().join(", ")
}

/// Returns the most similar names, best first.
pub(crate) fn find_closest_names(wanted: &str, names: Vec<String>) -> Vec<String> {
    let unique: BTreeSet<String> = names.into_iter().collect();
    let mut scored: Vec<(f64, String)> =
        unique.into_iter().map(|name| (name_similarity(wanted, &name), name)).collect();
    scored.stable_sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(MAX_SUGGESTED_NAMES).map(|(_, name)| name).collect()
}

/// Returns a similarity from 0 to 1: the largest of the word overlap, the edit similarity to the whole name, and the
/// edit similarity to the last part of the name.
fn name_similarity(wanted: &str, name: &str) -> f64 {
    let last = name.rsplit(CASE_NAME_SEPARATOR).next().unwrap_or(name);
    let words = word_overlap(wanted, name);
    words.max(edit_similarity(wanted, name)).max(edit_similarity(wanted, last))
}

#[allow(clippy::cast_precision_loss, reason = "a handful of words")]
/// Returns the number of words that both texts contain, divided by the number of all words.
fn word_overlap(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (a, b) = (words(a), words(b));
    let union = a.union(&b).count();
    if union == 0 { 0.0 } else { a.intersection(&b).count() as f64 / union as f64 }
}

/// Returns 1 minus the edit distance divided by the longer length.
fn edit_similarity(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(&cut_for_comparison(a), &cut_for_comparison(b))
}

/// Cuts long names, because the time for an edit distance is quadratic, and ignores case.
fn cut_for_comparison(text: &str) -> String {
    text.chars().take(120).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::find_closest_names;

    #[test]
    fn find_closest_names_lists_the_most_similar_name_first() {
        let names = ["a.ts > cart > adds", "a.ts > cart > removes", "b.ts > health"].map(ToOwned::to_owned).to_vec();
        assert_eq!(find_closest_names("cart > remove", names)[0], "a.ts > cart > removes");
    }
}
