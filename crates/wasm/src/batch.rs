//! Many texts in one crossing of the boundary, for measuring and for bulk work.
//! Does not: answer the texts themselves; these are the single steps.
//!
//! `texts` holds all texts as UTF-8 one after the other, `ends` where each one ends.

use argus_core::{
    Category, FailureEvent,
    classify::Classifier,
    normalize,
    redact::Redactor,
    sign::{self, Signatures},
};
use argus_engine::ErrorCode;
use std::borrow::Cow;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::convert::{thrown, utf8};

/// Bytes of all normalized texts together.
#[wasm_bindgen(js_name = normalizeBatch)]
pub fn normalize_batch(texts: &[u8], ends: &[u32]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a size in memory is far below 2^53")]
    split(texts, ends).map(|text| normalize::normalize(&text).text.len() as f64).sum()
}

/// Bytes of all redacted texts together.
#[wasm_bindgen(js_name = redactBatch)]
pub fn redact_batch(texts: &[u8], ends: &[u32]) -> Result<f64, JsValue> {
    let redactor = Redactor::new(&[]).map_err(|error| thrown(ErrorCode::InternalError, &error.to_string()))?;
    #[expect(clippy::cast_precision_loss, reason = "a size in memory is far below 2^53")]
    Ok(split(texts, ends).map(|text| redactor.redact(&text).text.len() as f64).sum())
}

/// For each text the place of its category in the contract's order.
#[wasm_bindgen(js_name = classifyBatch)]
pub fn classify_batch(texts: &[u8], ends: &[u32]) -> Result<Vec<u8>, JsValue> {
    let classifier = classifier()?;
    Ok(split(texts, ends).map(|text| place(classifier.classify(&event(text)).category)).collect())
}

/// For each text the 64 hex digits of its signature.
#[wasm_bindgen(js_name = signBatch)]
pub fn sign_batch(texts: &[u8], ends: &[u32], case_name: &str) -> Result<Vec<u8>, JsValue> {
    let classifier = classifier()?;
    let mut digits = Vec::with_capacity(ends.len() * 64);
    for text in split(texts, ends) {
        digits.extend_from_slice(signatures(&classifier, &event(text), case_name).exact.as_bytes());
    }
    Ok(digits)
}

fn signatures(classifier: &Classifier, event: &FailureEvent, case_name: &str) -> Signatures {
    let category = classifier.classify(event).category;
    sign::sign(category, case_name, event, &normalize::normalize(&event.text))
}

fn classifier() -> Result<Classifier, JsValue> {
    Classifier::new(&[]).map_err(|error| thrown(ErrorCode::InternalError, &error.to_string()))
}

fn event(text: Cow<'_, str>) -> FailureEvent {
    FailureEvent { text: text.into_owned(), ..FailureEvent::default() }
}

fn place(category: Category) -> u8 {
    let at = Category::ALL.iter().position(|other| *other == category).expect("ALL has every category");
    u8::try_from(at).expect("there are ten")
}

fn split<'t>(texts: &'t [u8], ends: &'t [u32]) -> impl Iterator<Item = Cow<'t, str>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let spans = starts.zip(ends.iter().copied());
    spans.map(|(start, end)| utf8(texts.get(start as usize..end as usize).unwrap_or_default()))
}
