//! The moment and the randomness of one call.
//! Does not: give the same twice, but to a call that has a name of its own.

use crate::convert::thrown;
use argus_core::Ambient;
use argus_engine::ErrorCode;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

const SEED: usize = 16;

/// Fetching random numbers costs more than a call does otherwise, whether few or many.
const SEEDS: usize = 64;

thread_local! {
    static FRESH: RefCell<Vec<[u8; SEED]>> = const { RefCell::new(Vec::new()) };
}

/// Taken once, at the beginning of a call that is asked for by this name and for this moment, if it has them.
#[expect(clippy::cast_possible_truncation, reason = "a moment that is out of range is not before now")]
pub(crate) fn ambient_of(call_id: Option<&str>, moment: Option<f64>) -> Result<Ambient, JsValue> {
    let Some(call_id) = call_id else { return ambient() };
    let now = now();
    Ok(Ambient::of_call(moment.map_or(now, |moment| (moment as i64).clamp(0, now)), call_id))
}

/// Of a call without a name.
pub(crate) fn ambient() -> Result<Ambient, JsValue> {
    FRESH.with_borrow_mut(|fresh| {
        if fresh.is_empty() {
            let mut bytes = [0; SEED * SEEDS];
            getrandom::fill(&mut bytes)
                .map_err(|error| thrown(ErrorCode::InternalError, &format!("no random numbers: {error}")))?;
            fresh.extend(bytes.as_chunks::<SEED>().0);
        }
        let seed = fresh.pop().expect("just filled");
        Ok(Ambient::new(now(), seed))
    })
}

/// UTC milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "JavaScript's clock ends in the year 275760")]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}
