//! The time and the random seed of a call. Every call gets its own seed, unless the call has an id, which then
//! determines the seed.

use crate::convert::thrown;
use argus_core::Ambient;
use argus_engine::ErrorCode;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

const SEED_BYTES: usize = 16;

/// Random numbers are fetched in bulk, because each fetch costs more than the rest of a call, regardless of its size.
const SEEDS_PER_FETCH: usize = 64;

thread_local! {
    static FRESH: RefCell<Vec<[u8; SEED_BYTES]>> = const { RefCell::new(Vec::new()) };
}

/// The ambient of a call. With a call id, the seed comes from the id and the time is `moment`, if that is not in the
/// future.
pub(crate) fn ambient_of(call_id: Option<&str>, moment: Option<f64>) -> Result<Ambient, JsValue> {
    let Some(call_id) = call_id else { return ambient() };
    #[expect(clippy::cast_possible_truncation, reason = "a moment that is out of range is not before now")]
    let moment = moment.map(|moment| moment as i64);
    Ok(Ambient::of_call(Ambient::moment_of_call(moment, now()), call_id))
}

/// The ambient of a call without an id.
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

/// The time for creating or migrating a database outside a call.
pub(crate) fn made_now() -> i64 {
    Ambient::clamp_to_range(now())
}

/// UTC milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "JavaScript's clock ends in the year 275760")]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}
