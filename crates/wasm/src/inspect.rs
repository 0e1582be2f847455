//! What can be concluded from one failure text, with nothing stored.
//! Does not: open a database.

use crate::{
    convert::{decode, encode, thrown, utf16_len},
    jsonl,
};
use argus_core::{Analysis, Analyzer, Category, FailureEvent, classify::UserRule, normalize, redact::UserSecret, sign};
use argus_engine::contract::{Evidence, Inspection};
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A failure event with the name of its case; every field but the text may be missing.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Input {
    text: String,
    case_name: Option<String>,
    exception_type: Option<String>,
    exit_code: Option<i32>,
    signal: Option<String>,
    http_status: Option<u16>,
    container_status: Option<String>,
    oom_killed: Option<bool>,
    runner: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    rules: Vec<UserRule>,
    secrets: Vec<UserSecret>,
}

/// Redactor, classifier, normalizer and signer, with the project's own rules.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Inspector {
    analyzer: Analyzer,
}

#[wasm_bindgen]
impl Inspector {
    /// `{ rules, secrets }`, both optional.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: Options = decode(options)?;
        let analyzer = Analyzer::new(&options.rules, &options.secrets);
        analyzer.map(|analyzer| Self { analyzer }).map_err(|error| thrown("INVALID_INPUT", &error.to_string()))
    }

    /// All of it, for one event.
    pub fn inspect(&self, event: JsValue) -> Result<JsValue, JsValue> {
        encode(&inspection(self.analyze(decode(event)?)))
    }

    /// The category alone.
    pub fn classify(&self, event: JsValue) -> Result<String, JsValue> {
        let input: Input = decode(event)?;
        Ok(self.analyze(input).classification.category.to_string())
    }

    /// Whole lines, one JSON object each, to as many lines.
    #[wasm_bindgen(js_name = inspectJsonl)]
    pub fn inspect_jsonl(&self, lines: &str) -> String {
        jsonl::inspect(lines, |input| inspection(self.analyze(input)))
    }

    /// The same for bytes as they come from a pipe.
    #[wasm_bindgen(js_name = inspectJsonlBytes)]
    pub fn inspect_jsonl_bytes(&self, lines: &[u8]) -> Vec<u8> {
        self.inspect_jsonl(&String::from_utf8_lossy(lines)).into_bytes()
    }
}

impl Inspector {
    fn analyze(&self, input: Input) -> Analysis {
        let case_name = input.case_name.unwrap_or_default();
        let event = FailureEvent {
            text: input.text,
            exception_type: input.exception_type,
            exit_code: input.exit_code,
            signal: input.signal,
            http_status: input.http_status,
            container_status: input.container_status,
            oom_killed: input.oom_killed,
            runner: input.runner,
        };
        self.analyzer.analyze(event, &case_name)
    }
}

/// The contract's signature of a failure whose category is already known.
#[wasm_bindgen(js_name = generateSignature)]
pub fn generate_signature(category: &str, case_name: &str, error: &str) -> Result<String, JsValue> {
    let category: Category = category.parse().map_err(|_| {
        let names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        thrown("INVALID_INPUT", &format!("'{category}' is no failure category; there are: {}", names.join(", ")))
    })?;
    let analyzer = Analyzer::new(&[], &[]).map_err(|error| thrown("INTERNAL_ERROR", &error.to_string()))?;
    let event = FailureEvent { text: analyzer.redact(error), ..FailureEvent::default() };
    let normalized = normalize::normalize(&event.text);
    Ok(sign::sign(category, case_name, &event, &normalized).exact)
}

/// The contract's form of an analysis.
fn inspection(analysis: Analysis) -> Inspection {
    let span = analysis.classification.evidence;
    let evidence = span.and_then(|span| {
        let text = analysis.redacted.get(span.start..span.end)?.to_owned();
        let start = utf16_len(&analysis.redacted[..span.start]);
        Some(Evidence { start, end: start + utf16_len(&text), text })
    });
    Inspection {
        category: analysis.classification.category,
        rule: analysis.classification.rule,
        evidence,
        redactions: analysis.redactions.into_iter().map(str::to_owned).collect(),
        normalized: analysis.normalized.text,
        signature: analysis.signatures.exact,
        family_signature: analysis.signatures.family,
        signature_pattern: analysis.signatures.pattern,
        redacted: analysis.redacted,
    }
}
