//! The rules of the fix loop, with nothing stored.
//! The host runs the commands and keeps the state.

use crate::{
    ambient::ambient,
    convert::{decode, encode, refused, thrown},
    inspect::Options,
};
use argus_core::{Analyzer, fix_loop::FileChange};
use argus_engine::{ErrorCode, fix_loop};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Error class, circuit, backoff: what may happen next in a loop.
#[wasm_bindgen]
#[derive(Debug)]
pub struct FixLoop {
    analyzer: Analyzer,
}

#[wasm_bindgen]
impl FixLoop {
    /// `{ rules, secrets }`, both optional.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: Options = decode(options)?;
        let analyzer = Analyzer::new(&options.rules, &options.secrets);
        analyzer.map(|analyzer| Self { analyzer }).map_err(|error| thrown(ErrorCode::InvalidInput, &error.to_string()))
    }

    /// The state of a new loop.
    pub fn begin(&self, start: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::begin(&self.analyzer, &decode(start)?).map_err(|error| refused(&error))?)
    }

    /// The state with what may be changed on the way.
    pub fn adjust(&self, state: JsValue, wanted: JsValue) -> Result<JsValue, JsValue> {
        let adjusted = fix_loop::adjust(&self.analyzer, decode(state)?, &decode(wanted)?);
        encode(&adjusted.map_err(|error| refused(&error))?)
    }

    /// What a failed run says.
    pub fn understand(&self, failure: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::understand(&self.analyzer, &decode(failure)?))
    }

    /// The state after an event, and what may be done then. `random`, in [0, 1), is for the jitter of a delay.
    pub fn advance(&self, state: JsValue, event: JsValue, random: Option<f64>) -> Result<JsValue, JsValue> {
        let random = random.map_or_else(|| ambient().map(|ambient| ambient.fraction()), Ok)?;
        let advanced = fix_loop::advance(&self.analyzer, decode(state)?, decode(event)?, random);
        encode(&advanced.map_err(|error| refused(&error))?)
    }

    /// What may be done in a state.
    pub fn outlook(&self, state: JsValue) -> Result<JsValue, JsValue> {
        encode(&fix_loop::outlook(decode(state)?).map_err(|error| refused(&error))?)
    }

    /// The state in a file, checked.
    #[wasm_bindgen(js_name = readState)]
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands an optional text over by value")]
    pub fn read_state(&self, text: &str, command_hash: Option<String>) -> Result<JsValue, JsValue> {
        encode(&fix_loop::read_state(text, command_hash.as_deref()).map_err(|error| refused(&error))?)
    }

    /// A text of any length without secrets.
    pub fn redact(&self, text: &str) -> String {
        self.analyzer.redact_whole(text).into()
    }

    /// The prompt an output ends at; `silent`: nothing more is printed and the program did not end by itself.
    pub fn prompt(&self, output: &str, silent: bool) -> Option<String> {
        argus_core::fix_loop::prompt(output, silent)
    }

    /// The digest of a diff's code; none where it changes none.
    #[wasm_bindgen(js_name = changeDigest)]
    pub fn change_digest(&self, diff: &str) -> Option<String> {
        argus_core::change::change_digest(diff)
    }

    /// What in changed files (`FileChange[]`) and their diff lets tests pass without the fault being gone; `failing`, names
    /// of the tests that failed.
    pub fn weakened(&self, changed: JsValue, diff: &str, failing: JsValue) -> Result<JsValue, JsValue> {
        let (changed, failing): (Vec<FileChange>, Vec<String>) = (decode(changed)?, decode(failing)?);
        encode(&argus_core::fix_loop::weakened(&changed, diff, &failing))
    }
}
