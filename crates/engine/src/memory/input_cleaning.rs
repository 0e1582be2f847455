//! Cleans, redacts and bounds the texts of a call. Texts that lose their meaning when cut, such as steps, are rejected
//! if they are too long. `environment` cleans environments.

use crate::{Engine, EngineError, answer::message_text};
use argus_core::sign::sha256_hex;

/// Maximum size of a query. A longer text is not an error text.
const MAX_QUERY_BYTES: usize = 5 * 1024 * 1024;
/// Maximum number of bytes of a query that are searched.
const MAX_QUERY_READ_BYTES: usize = 64 * 1024;
const MAX_STEPS_BYTES: usize = 100 * 1024;
const MAX_NOTES_BYTES: usize = 10 * 1024;
/// Maximum characters of a title. Longer titles are cut.
const MAX_TITLE_CHARS: usize = 500;
/// Maximum bytes of a signature or a summary. Longer texts are cut.
const MAX_TEXT_BYTES: usize = 64 * 1024;
const MAX_TAGS: usize = 50;
/// Maximum characters of a tag.
const MAX_TAG_CHARS: usize = 100;

/// Returns the redacted query, and a warning if only a part of it was read. Returns an error if the query is empty or
/// too long.
pub(super) fn clean_query(engine: &Engine, query: &str) -> Result<(String, Option<String>), EngineError> {
    if query.trim().is_empty() {
        return Err(EngineError::invalid_input(
            "query_text is empty. Pass the error as printed, or describe the problem.",
        ));
    }
    if query.len() > MAX_QUERY_BYTES {
        return Err(EngineError::invalid_input(format!(
            "query_text has {} bytes; the limit is {MAX_QUERY_BYTES}. The error and the end of the log are enough.",
            query.len()
        )));
    }
    let warning = (query.len() > MAX_QUERY_READ_BYTES).then(|| {
        format!(
            "query_text has {} KB; only its beginning and its end were read, {} KB in total.",
            query.len() / 1024,
            MAX_QUERY_READ_BYTES / 1024
        )
    });
    Ok((engine.analyzer.redact_without_limit(query).bounded_to(MAX_QUERY_READ_BYTES).into_string(), warning))
}

/// Returns the cleaned steps. Steps that are too long are rejected, because a part of a fix is not a fix.
pub(super) fn clean_steps(engine: &Engine, steps: &str) -> Result<String, EngineError> {
    if steps.len() > MAX_STEPS_BYTES {
        let message = format!(
            "steps has {} bytes; the limit is {MAX_STEPS_BYTES} (100 KB). Describe the change, do not copy files.",
            steps.len()
        );
        return Err(EngineError::invalid_input(message));
    }
    let kept = clean_text(engine, steps, MAX_STEPS_BYTES);
    if kept.is_empty() {
        return Err(EngineError::invalid_input("steps is empty. Describe the fix step by step."));
    }
    Ok(kept)
}

/// Returns a hash of steps that ignores case and spacing, so that equal steps have the same digest.
pub(crate) fn steps_digest(steps: &str) -> String {
    sha256_hex(&message_text::fold_case_and_spacing(steps))
}

/// Returns the cleaned notes, or an error if they are too long.
pub(super) fn clean_notes(engine: &Engine, notes: Option<&str>) -> Result<Option<String>, EngineError> {
    let notes = notes.unwrap_or_default();
    if notes.len() > MAX_NOTES_BYTES {
        return Err(EngineError::invalid_input(format!(
            "notes has {} bytes; the limit is {MAX_NOTES_BYTES} (10 KB).",
            notes.len()
        )));
    }
    Ok(Some(clean_text(engine, notes, MAX_NOTES_BYTES)).filter(|notes| !notes.is_empty()))
}

/// Returns the title as a single line, or an error if it is empty.
pub(super) fn clean_title(engine: &Engine, title: &str) -> Result<String, EngineError> {
    let kept = clean_line(engine, title, MAX_TITLE_CHARS);
    if kept.is_empty() {
        return Err(EngineError::invalid_input("title is empty. Describe the problem in one line."));
    }
    Ok(kept)
}

/// Returns a cleaned signature or summary, or `None` if it is empty.
pub(super) fn clean_optional_text(engine: &Engine, text: Option<&str>) -> Option<String> {
    text.map(|text| clean_text(engine, text, MAX_TEXT_BYTES)).filter(|text| !text.is_empty())
}

/// Returns the cleaned tags, or an error if there are too many tags or a tag is too long.
pub(super) fn clean_tags(engine: &Engine, tags: &[String]) -> Result<Vec<String>, EngineError> {
    if tags.len() > MAX_TAGS {
        return Err(EngineError::invalid_input(format!("tags has {} entries; the limit is {MAX_TAGS}.", tags.len())));
    }
    if let Some(long) = tags.iter().find(|tag| tag.chars().count() > MAX_TAG_CHARS) {
        let message = format!(
            "A tag may have at most {MAX_TAG_CHARS} characters; the tag that begins with '{}' is longer.",
            message_text::quote_beginning(long, 40)
        );
        return Err(EngineError::invalid_input(message));
    }
    let kept = tags.iter().map(|tag| clean_line(engine, tag, MAX_TAG_CHARS));
    Ok(kept.filter(|tag| !tag.is_empty()).collect())
}

/// Returns the tags of an import. Tags beyond the limits are cut instead of rejected, so that the import continues.
pub(super) fn clean_imported_tags(engine: &Engine, tags: &[String]) -> Vec<String> {
    let kept = tags.iter().take(MAX_TAGS).map(|tag| clean_line(engine, tag, MAX_TAG_CHARS));
    kept.filter(|tag| !tag.is_empty()).collect()
}

/// Returns the notes of an import. Notes that are too long are cut instead of rejected.
pub(super) fn clean_imported_notes(engine: &Engine, notes: Option<&str>) -> Option<String> {
    notes.map(|notes| clean_text(engine, notes, MAX_NOTES_BYTES)).filter(|notes| !notes.is_empty())
}

/// Returns the text as a single redacted line of at most `limit` characters.
pub(super) fn clean_line(engine: &Engine, text: &str, limit: usize) -> String {
    engine.analyzer.redact(text).to_single_line(limit).into_string()
}

fn clean_text(engine: &Engine, text: &str, limit: usize) -> String {
    engine.analyzer.redact(text).trimmed().bounded_to(limit).into_string()
}
