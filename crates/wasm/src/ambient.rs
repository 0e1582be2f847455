//! The moment and the randomness of one call.
//! No two calls get the same, unless a call has a name of its own.

use crate::convert::thrown;
use argus_core::Ambient;
use argus_engine::ErrorCode;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

const SEED_BYTES: usize = 16;

/// Fetching random numbers costs more than a call does otherwise, whether few or many.
const SEEDS_PER_FETCH: usize = 64;

thread_local! {
    static FRESH: RefCell<Vec<[u8; SEED_BYTES]>> = const { RefCell::new(Vec::new()) };
}

/// Taken once, at the beginning of a call that is asked for by this name and for this moment, if it has them.
pub(crate) fn ambient_of(call_id: Option<&str>, moment: Option<f64>) -> Result<Ambient, JsValue> {
    let Some(call_id) = call_id else { return ambient() };
    #[expect(clippy::cast_possible_truncation, reason = "a moment that is out of range is not before now")]
    let moment = moment.map(|moment| moment as i64);
    Ok(Ambient::of_call(Ambient::moment_of_call(moment, now()), call_id))
}

/// Of a call without a name.
pub(crate) fn ambient() -> Result<Ambient, JsValue> {
    FRESH.with_borrow_mut(|fresh| {
        if fresh.is_empty() {
            let mut bytes = [0; SEED_BYTES * SEEDS_PER_FETCH];
            getrandom::fill(&mut bytes)
                .map_err(|error| thrown(ErrorCode::InternalError, &format!("no random numbers: {error}")))?;
            fresh.extend(bytes.as_chunks::<SEED_BYTES>().0);
        }
        let seed = fresh.pop().expect("just filled");
        Ok(Ambient::new(now(), seed))
    })
}

/// When a database is made that no call makes.
pub(crate) fn made_now() -> i64 {
    Ambient::clamp_to_range(now())
}

/// UTC milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "JavaScript's clock ends in the year 275760")]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}
