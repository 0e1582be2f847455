//! Processes many texts in a single call from JavaScript, for benchmarks and bulk work. Each function does a single
//! step of the analysis; [`crate::engine`] makes complete calls.
//!
//! `texts` holds all texts as concatenated UTF-8, and `ends` the end of each text in bytes.

use argus_core::{
    Category, FailureEvent,
    analyze::BATCH_FAILURES,
    classify::Classifier,
    normalize::{self, NormalizedFailure},
    redact::Redactor,
    sign,
};
use argus_engine::ErrorCode;
use std::borrow::Cow;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::convert::{create_thrown_error, decode_utf8};

/// Normalizes the texts. Returns the total bytes of the normalized texts.
#[wasm_bindgen(js_name = normalizeBatch)]
pub fn normalize_batch(texts: &[u8], ends: &[u32]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a size in memory is far below 2^53")]
    split_texts(texts, ends).map(|text| normalize::normalize(&text).text.len() as f64).sum()
}

/// Redacts the texts. Returns the total bytes of the redacted texts.
#[wasm_bindgen(js_name = redactBatch)]
pub fn redact_batch(texts: &[u8], ends: &[u32]) -> Result<f64, JsValue> {
    let redactor =
        Redactor::new(&[]).map_err(|error| create_thrown_error(ErrorCode::InternalError, &error.to_string()))?;
    #[expect(clippy::cast_precision_loss, reason = "a size in memory is far below 2^53")]
    Ok(split_texts(texts, ends).map(|text| redactor.redact(&text).text.len() as f64).sum())
}

/// Returns for each text the index of its category in `Category::ALL`.
#[wasm_bindgen(js_name = classifyBatch)]
pub fn classify_batch(texts: &[u8], ends: &[u32]) -> Result<Vec<u8>, JsValue> {
    let (classifier, mut event) = (create_classifier()?, FailureEvent::default());
    let category = |text: Cow<'_, str>| {
        event.text.clear();
        event.text.push_str(&text);
        category_index(classifier.classify(&event).category)
    };
    Ok(split_texts(texts, ends).map(category).collect())
}

/// Returns for each text the 64 hex digits of its signature, concatenated.
#[wasm_bindgen(js_name = signBatch)]
pub fn sign_batch(texts: &[u8], ends: &[u32], case_name: &str) -> Result<Vec<u8>, JsValue> {
    let classifier = create_classifier()?;
    let mut digits = Vec::with_capacity(ends.len() * 64);
    let mut all = split_texts(texts, ends).map(build_event).peekable();
    // The batches have the same size as in `Analyzer::analyze_all`.
    while all.peek().is_some() {
        let events: Vec<FailureEvent> = all.by_ref().take(BATCH_FAILURES).collect();
        let categories: Vec<Category> = events.iter().map(|event| classifier.classify(event).category).collect();
        let normalized: Vec<NormalizedFailure> = events.iter().map(|event| normalize::normalize(&event.text)).collect();
        for ((event, category), normalized) in events.iter().zip(categories).zip(&normalized) {
            digits.extend_from_slice(sign::sign(category, case_name, event, normalized).signature.as_bytes());
        }
    }
    Ok(digits)
}

fn create_classifier() -> Result<Classifier, JsValue> {
    Classifier::new(&[]).map_err(|error| create_thrown_error(ErrorCode::InternalError, &error.to_string()))
}

fn build_event(text: Cow<'_, str>) -> FailureEvent {
    FailureEvent { text: text.into_owned(), ..FailureEvent::default() }
}

fn category_index(category: Category) -> u8 {
    let at = Category::ALL.iter().position(|other| *other == category).expect("ALL has every category");
    u8::try_from(at).expect("there are ten")
}

fn split_texts<'t>(texts: &'t [u8], ends: &'t [u32]) -> impl Iterator<Item = Cow<'t, str>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let spans = starts.zip(ends.iter().copied());
    spans.map(|(start, end)| decode_utf8(texts.get(start as usize..end as usize).unwrap_or_default()))
}
