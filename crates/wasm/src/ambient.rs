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
    Ok(Ambient::of_call(made_at(moment, now()), call_id))
}

/// When a call is made that should have been made at a moment, if that was earlier. The clock may be before 1970.
#[expect(clippy::cast_possible_truncation, reason = "a moment that is out of range is not before now")]
fn made_at(moment: Option<f64>, now: i64) -> i64 {
    let now = Ambient::clamp_to_range(now);
    moment.map_or(now, |moment| (moment as i64).clamp(0, now))
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

#[cfg(test)]
mod tests {
    use super::made_at;

    #[test]
    fn a_call_that_waited_is_made_at_its_moment_whatever_the_clock_says() {
        assert_eq!(made_at(Some(5.0), 7), 5);
        assert_eq!(made_at(Some(9.0), 7), 7);
        assert_eq!(made_at(Some(-1.0), 7), 0);
        assert_eq!(made_at(Some(5.0), -86_400_000), 0);
        assert_eq!(made_at(None, -1), 0);
    }
}
