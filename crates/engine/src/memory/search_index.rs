//! Builds search documents from incidents and patterns. The store keeps the vectors of these documents.

use crate::{Engine, EngineError};
use argus_core::{
    FailureEvent,
    bound::truncate_middle_to,
    search::{self, Document, IndexedDocument},
};
use argus_store::{
    Tx,
    incidents::IncidentTexts,
    patterns::{self, PatternKey},
    search::{DocumentOwner, NewDocument},
};

/// Maximum number of patterns that a search indexes before it searches. This takes a few milliseconds.
const BATCH_PATTERNS: u32 = 200;

/// Maximum number of merged patterns whose texts are added to the document of a pattern.
const MAX_MERGED_PATTERNS: usize = 10;

/// Maximum number of bytes of a pattern's error that are indexed. This program stores shorter errors, but a foreign
/// database may contain longer errors.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Returns the texts of an incident as a search document.
pub(super) fn build_document<'a>(texts: &IncidentTexts<'a>) -> Document<'a> {
    Document {
        title: texts.title,
        error_signature: texts.error_signature.unwrap_or_default(),
        summary: texts.summary.unwrap_or_default(),
        tags: texts.tags,
    }
}

/// Indexes the texts of an incident.
pub(super) fn index_incident(engine: &Engine, texts: &IncidentTexts<'_>) -> IndexedDocument {
    search::create_indexed_document(&build_document(texts), &engine.analyzer)
}

/// Indexes the patterns that got their first solution or a new text since the last search.
pub(super) fn index_pending_patterns(engine: &Engine, tx: &mut Tx<'_>) -> Result<(), EngineError> {
    if !argus_store::search::has_pending_patterns(tx)? {
        return Ok(());
    }
    for key in argus_store::search::take_pending_patterns(tx, BATCH_PATTERNS)? {
        argus_store::search::remove(tx, &[DocumentOwner::Pattern(key)])?;
        if let Some(indexed) = index_pattern(engine, tx, key)? {
            let document = NewDocument {
                owner: DocumentOwner::Pattern(key),
                family: indexed.family.as_deref(),
                vector: &indexed.vector,
            };
            argus_store::search::add(tx, &[document])?;
        }
    }
    Ok(())
}

fn index_pattern(engine: &Engine, tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<IndexedDocument>, EngineError> {
    let Some(pattern) = patterns::get(tx, key)? else { return Ok(None) };
    let event = patterns::read_sample(tx, key)?;
    let event = event.and_then(|event| serde_json::from_str::<FailureEvent>(&event).ok());
    let error = event.map(|event| event.text).filter(|text| !text.is_empty());
    let error = truncate_middle_to(error.as_deref().unwrap_or(&pattern.normalized), MAX_ERROR_BYTES);
    let mut summary = pattern.case_name.clone();
    for part in patterns::list_merged(tx, key)?.into_iter().take(MAX_MERGED_PATTERNS) {
        summary.push('\n');
        summary.push_str(&part.normalized);
    }
    let document =
        Document { title: pattern.shown_description(), error_signature: &error, summary: &summary, tags: &[] };
    Ok(Some(search::create_indexed_document(&document, &engine.analyzer)))
}
