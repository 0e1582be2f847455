//! The time and the random seed of a call. Every call gets its own seed, unless the call has an id, which then
//! determines the seed.

use crate::convert::create_thrown_error;
use argus_core::CallContext;
use argus_engine::ErrorCode;
use std::cell::RefCell;
use wasm_bindgen::JsValue;

const SEED_BYTES: usize = 16;

/// Random numbers are fetched in bulk, because each fetch costs more than the rest of a call, regardless of its size.
const SEEDS_PER_FETCH: usize = 64;

thread_local! {
    static UNUSED_SEEDS: RefCell<Vec<[u8; SEED_BYTES]>> = const { RefCell::new(Vec::new()) };
}

/// Returns the context of a call. With a call id, the seed is computed from the id, and the time is `moment`, in
/// milliseconds since the epoch. The current time is used if `moment` is missing or in the future.
pub(crate) fn create_context_for(call_id: Option<&str>, moment: Option<f64>) -> Result<CallContext, JsValue> {
    let Some(call_id) = call_id else { return create_context() };
    #[expect(clippy::cast_possible_truncation, reason = "a moment that is out of range is not before now")]
    let moment = moment.map(|moment| moment as i64);
    Ok(CallContext::with_call_id(CallContext::clamp_call_time(moment, current_time_ms()), call_id))
}

/// Returns the context of a call without an id.
pub(crate) fn create_context() -> Result<CallContext, JsValue> {
    UNUSED_SEEDS.with_borrow_mut(|seeds| {
        if seeds.is_empty() {
            let mut bytes = [0; SEED_BYTES * SEEDS_PER_FETCH];
            getrandom::fill(&mut bytes).map_err(|error| {
                create_thrown_error(ErrorCode::InternalError, &format!("no random numbers: {error}"))
            })?;
            seeds.extend(bytes.as_chunks::<SEED_BYTES>().0);
        }
        let seed = seeds.pop().expect("just filled");
        Ok(CallContext::new(current_time_ms(), seed))
    })
}

/// Returns the time for creating or migrating a database outside a call.
pub(crate) fn current_time_in_range() -> i64 {
    CallContext::clamp_to_range(current_time_ms())
}

/// UTC milliseconds since the epoch.
#[expect(clippy::cast_possible_truncation, reason = "JavaScript's clock ends in the year 275760")]
pub(crate) fn current_time_ms() -> i64 {
    js_sys::Date::now() as i64
}
