//! Builds search documents from incidents and patterns. The store keeps their vectors.

use crate::{Engine, EngineError};
use argus_core::{
    FailureEvent,
    bound::bound_to,
    search::{self, Document, Indexed},
};
use argus_store::{
    Tx,
    incidents::Texts,
    patterns::{self, PatternKey},
    search::{NewDocument, Owner},
};

/// Maximum number of patterns that a search indexes first. This takes a few milliseconds.
const BATCH_PATTERNS: u32 = 200;

/// Maximum number of merged patterns whose texts are added to the document of a pattern.
const MAX_MERGED_PARTS: usize = 10;

/// Maximum bytes of a pattern's error that are indexed. This program stores shorter errors, but a foreign file may
/// contain any length.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Returns the texts of an incident as a search document.
pub(super) fn document<'a>(texts: &Texts<'a>) -> Document<'a> {
    Document {
        title: texts.title,
        error_signature: texts.error_signature.unwrap_or_default(),
        summary: texts.summary.unwrap_or_default(),
        tags: texts.tags,
    }
}

/// Indexes the texts of an incident.
pub(super) fn of_incident(engine: &Engine, texts: &Texts<'_>) -> Indexed {
    search::index(&document(texts), &engine.analyzer)
}

/// Indexes the patterns that got their first solution or a new text since the last search.
pub(super) fn index_waiting(engine: &Engine, tx: &mut Tx<'_>) -> Result<(), EngineError> {
    if !argus_store::search::is_waiting(tx)? {
        return Ok(());
    }
    for key in argus_store::search::take_waiting(tx, BATCH_PATTERNS)? {
        argus_store::search::remove(tx, &[Owner::Pattern(key)])?;
        if let Some(indexed) = of_pattern(engine, tx, key)? {
            let document =
                NewDocument { owner: Owner::Pattern(key), family: indexed.family.as_deref(), vector: &indexed.vector };
            argus_store::search::add(tx, &[document])?;
        }
    }
    Ok(())
}

fn of_pattern(engine: &Engine, tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<Indexed>, EngineError> {
    let Some(pattern) = patterns::get(tx, key)? else { return Ok(None) };
    let event = patterns::sample(tx, key)?;
    let event = event.and_then(|event| serde_json::from_str::<FailureEvent>(&event).ok());
    let error = event.map(|event| event.text).filter(|text| !text.is_empty());
    let error = bound_to(error.as_deref().unwrap_or(&pattern.normalized), MAX_ERROR_BYTES);
    let mut summary = pattern.case_name.clone();
    for part in patterns::merged_into(tx, key)?.into_iter().take(MAX_MERGED_PARTS) {
        summary.push('\n');
        summary.push_str(&part.normalized);
    }
    let document =
        Document { title: pattern.shown_description(), error_signature: &error, summary: &summary, tags: &[] };
    Ok(Some(search::index(&document, &engine.analyzer)))
}
