//! The moment and the randomness of one call.
//! Does not: give the same twice.

use crate::convert::thrown;
use argus_core::Ambient;
use argus_engine::ErrorCode;
use wasm_bindgen::JsValue;

/// Taken once, at the beginning of a call.
pub(crate) fn ambient() -> Result<Ambient, JsValue> {
    let mut seed = [0; 16];
    getrandom::fill(&mut seed)
        .map_err(|error| thrown(ErrorCode::InternalError, &format!("no random numbers: {error}")))?;
    Ok(Ambient::new(now(), seed))
}

/// UTC milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "JavaScript's clock ends in the year 275760")]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}
