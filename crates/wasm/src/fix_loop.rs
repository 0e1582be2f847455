//! The rules of the fix loop. This module stores nothing: the host runs the commands and stores the state.

use crate::{
    call_context::create_context,
    convert::{convert_error, create_thrown_error, decode, encode},
    inspect::AnalyzerOptions,
};
use argus_core::{Analyzer, fix_loop::FileChange};
use argus_engine::{ErrorCode, fix_loop};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Decides what may happen next in a loop, by error class, circuit breaker and backoff.
#[wasm_bindgen]
#[derive(Debug)]
pub struct FixLoop {
    analyzer: Analyzer,
}

#[wasm_bindgen]
impl FixLoop {
    /// `options` is `{ rules, secrets }`. Both are optional.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: AnalyzerOptions = decode(options)?;
        let analyzer = Analyzer::new(&options.rules, &options.secrets);
        analyzer
            .map(|analyzer| Self { analyzer })
            .map_err(|error| create_thrown_error(ErrorCode::InvalidInput, &error.to_string()))
    }

    /// Returns the state of a new loop.
    pub fn begin(&self, start: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::begin(&self.analyzer, &decode(start)?).map_err(|error| convert_error(&error))?)
    }

    /// Returns the state with new values for settings that may change during a loop.
    pub fn adjust(&self, state: JsValue, wanted: JsValue) -> Result<JsValue, JsValue> {
        let adjusted = fix_loop::adjust(&self.analyzer, decode(state)?, &decode(wanted)?);
        encode(&adjusted.map_err(|error| convert_error(&error))?)
    }

    /// Returns the error of a failed run (`FixError`), with its class.
    pub fn understand(&self, failure: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::analyze_loop_failure(&self.analyzer, &decode(failure)?))
    }

    /// Returns the state after an event and the actions that are allowed then. `random` in [0, 1) determines the jitter
    /// of a delay.
    pub fn advance(&self, state: JsValue, event: JsValue, random: Option<f64>) -> Result<JsValue, JsValue> {
        let random = random.map_or_else(|| create_context().map(|context| context.next_fraction()), Ok)?;
        let advanced = fix_loop::advance(&self.analyzer, decode(state)?, decode(event)?, random);
        encode(&advanced.map_err(|error| convert_error(&error))?)
    }

    /// Returns the actions that are allowed in a state.
    #[wasm_bindgen(js_name = nextStep)]
    pub fn next_step(&self, state: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::next_step(decode(state)?).map_err(|error| convert_error(&error))?)
    }

    /// Parses and checks a state from a file.
    #[wasm_bindgen(js_name = readState)]
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands an optional text over by value")]
    pub fn read_state(&self, text: &str, command_hash: Option<String>) -> Result<JsValue, JsValue> {
        encode(&fix_loop::read_state(text, command_hash.as_deref()).map_err(|error| convert_error(&error))?)
    }

    /// Redacts secrets in a text of any length.
    pub fn redact(&self, text: &str) -> String {
        self.analyzer.redact_without_limit(text).into()
    }

    /// Returns the question to the user with which an output ends, or nothing. `silent` is true if the program then
    /// printed nothing more and did not end by itself.
    pub fn prompt(&self, output: &str, silent: bool) -> Option<String> {
        argus_core::fix_loop::find_prompt(output, silent)
    }

    /// Returns the digest of the code changes in a diff, or nothing if it changes no code.
    #[wasm_bindgen(js_name = changeDigest)]
    pub fn change_digest(&self, diff: &str) -> Option<String> {
        argus_core::change::change_digest(diff)
    }

    /// Returns changes that let tests pass without fixing the fault. `changed` is `FileChange[]`, and `failing` has the
    /// names of the failed tests.
    pub fn weakened(&self, changed: JsValue, diff: &str, failing: JsValue) -> Result<JsValue, JsValue> {
        let (changed, failing): (Vec<FileChange>, Vec<String>) = (decode(changed)?, decode(failing)?);
        encode(&argus_core::fix_loop::find_weakenings(&changed, diff, &failing))
    }
}
