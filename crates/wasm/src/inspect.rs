//! Analysis of a single failure text. Nothing is stored.

use crate::convert::{create_thrown_error, decode, decode_utf8, encode};
use argus_core::{Analyzer, Category, FailureEvent, classify::UserRule, normalize, redact::SecretPattern, sign};
use argus_engine::{ErrorCode, contract::Inspection, inspect, viewer::inspection};
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The field of an argument that is not part of the event.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CaseNameOption {
    case_name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AnalyzerOptions {
    pub(crate) rules: Vec<UserRule>,
    pub(crate) secrets: Vec<SecretPattern>,
}

/// Analyzes failure texts with the rules of the project: redacts, classifies, normalizes and signs them.
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
        let options: AnalyzerOptions = decode(options)?;
        let analyzer = Analyzer::new(&options.rules, &options.secrets);
        analyzer
            .map(|analyzer| Self { analyzer })
            .map_err(|error| create_thrown_error(ErrorCode::InvalidInput, &error.to_string()))
    }

    /// Returns the whole analysis of an event.
    pub fn inspect(&self, event: JsValue) -> Result<JsValue, JsValue> {
        encode(&self.run_analysis(event)?)
    }

    /// Returns the whole analysis, with the positions of placeholders.
    pub fn explain(&self, event: JsValue) -> Result<JsValue, JsValue> {
        let options: CaseNameOption = decode(event.clone())?;
        let case_name = options.case_name.unwrap_or_default();
        encode(&inspection::explain(&self.analyzer, decode(event)?, &case_name))
    }

    /// Returns only the category.
    pub fn classify(&self, event: JsValue) -> Result<String, JsValue> {
        Ok(self.run_analysis(event)?.category.to_string())
    }

    /// Analyzes JSON Lines: one JSON object per line in and out.
    #[wasm_bindgen(js_name = inspectJsonl)]
    pub fn inspect_jsonl(&self, lines: &str) -> String {
        inspect::inspect_jsonl(&self.analyzer, lines)
    }

    /// Like `inspectJsonl` for bytes from a pipe.
    #[wasm_bindgen(js_name = inspectJsonlBytes)]
    pub fn inspect_jsonl_bytes(&self, lines: &[u8]) -> Vec<u8> {
        self.inspect_jsonl(&decode_utf8(lines)).into_bytes()
    }
}

impl Inspector {
    fn run_analysis(&self, event: JsValue) -> Result<Inspection, JsValue> {
        let options: CaseNameOption = decode(event.clone())?;
        Ok(inspect::inspect(&self.analyzer, decode(event)?, &options.case_name.unwrap_or_default()))
    }
}

/// Returns the signature of a failure whose category is already known.
#[wasm_bindgen(js_name = generateSignature)]
pub fn generate_signature(category: &str, case_name: &str, error: &str) -> Result<String, JsValue> {
    let category: Category = category.parse().map_err(|_| {
        let names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        create_thrown_error(
            ErrorCode::InvalidInput,
            &format!("'{category}' is not a failure category. The categories are {}", names.join(", ")),
        )
    })?;
    let analyzer =
        Analyzer::new(&[], &[]).map_err(|error| create_thrown_error(ErrorCode::InternalError, &error.to_string()))?;
    let event = FailureEvent { text: analyzer.redact(error).into(), ..FailureEvent::default() };
    let normalized = normalize::normalize(&event.text);
    Ok(sign::sign(category, case_name, &event, &normalized).signature)
}
