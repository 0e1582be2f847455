//! Analysis of a single failure text. Nothing is stored.

use crate::convert::{decode, encode, thrown, utf8};
use argus_core::{Analyzer, Category, FailureEvent, classify::UserRule, normalize, redact::UserSecret, sign};
use argus_engine::{ErrorCode, contract::Inspection, inspect, viewer::inspection};
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The part of an argument that is not in the event.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Named {
    case_name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Options {
    pub(crate) rules: Vec<UserRule>,
    pub(crate) secrets: Vec<UserSecret>,
}

/// Redactor, classifier, normalizer and signer, with the rules of the project.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Inspector {
    analyzer: Analyzer,
}

#[wasm_bindgen]
impl Inspector {
    /// `options` is `{ rules, secrets }`. Both are optional.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: Options = decode(options)?;
        let analyzer = Analyzer::new(&options.rules, &options.secrets);
        analyzer.map(|analyzer| Self { analyzer }).map_err(|error| thrown(ErrorCode::InvalidInput, &error.to_string()))
    }

    /// Returns the whole analysis of an event.
    pub fn inspect(&self, event: JsValue) -> Result<JsValue, JsValue> {
        encode(&self.conclude(event)?)
    }

    /// Returns the whole analysis, with the positions of placeholders.
    pub fn explain(&self, event: JsValue) -> Result<JsValue, JsValue> {
        let named: Named = decode(event.clone())?;
        let case_name = named.case_name.unwrap_or_default();
        encode(&inspection::explain(&self.analyzer, decode(event)?, &case_name))
    }

    /// Returns only the category.
    pub fn classify(&self, event: JsValue) -> Result<String, JsValue> {
        Ok(self.conclude(event)?.category.to_string())
    }

    /// Analyzes JSON Lines: one JSON object per line in and out.
    #[wasm_bindgen(js_name = inspectJsonl)]
    pub fn inspect_jsonl(&self, lines: &str) -> String {
        inspect::inspect_jsonl(&self.analyzer, lines)
    }

    /// Like `inspectJsonl` for bytes from a pipe.
    #[wasm_bindgen(js_name = inspectJsonlBytes)]
    pub fn inspect_jsonl_bytes(&self, lines: &[u8]) -> Vec<u8> {
        self.inspect_jsonl(&utf8(lines)).into_bytes()
    }
}

impl Inspector {
    fn conclude(&self, event: JsValue) -> Result<Inspection, JsValue> {
        let named: Named = decode(event.clone())?;
        Ok(inspect::inspect(&self.analyzer, decode(event)?, &named.case_name.unwrap_or_default()))
    }
}

/// Returns the signature of a failure whose category is already known.
#[wasm_bindgen(js_name = generateSignature)]
pub fn generate_signature(category: &str, case_name: &str, error: &str) -> Result<String, JsValue> {
    let category: Category = category.parse().map_err(|_| {
        let names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        thrown(
            ErrorCode::InvalidInput,
            &format!("'{category}' is no failure category; there are: {}", names.join(", ")),
        )
    })?;
    let analyzer = Analyzer::new(&[], &[]).map_err(|error| thrown(ErrorCode::InternalError, &error.to_string()))?;
    let event = FailureEvent { text: analyzer.redact(error).into(), ..FailureEvent::default() };
    let normalized = normalize::normalize(&event.text);
    Ok(sign::sign(category, case_name, &event, &normalized).exact)
}
