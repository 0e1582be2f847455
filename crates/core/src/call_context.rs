//! Provides time and IDs as values, so that all code below the host is deterministic. The host reads the clock and
//! draws the random numbers once per call.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

/// The time and the randomness of an engine call.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// UTC milliseconds since the Unix epoch.
    pub now_ms: i64,
    seed: [u8; 16],
    stamp: IdTimestamp,
    /// Number of IDs per prefix so far. The IDs are counted per prefix so that the IDs of a prefix do not depend on
    /// those of other prefixes.
    ids: RefCell<BTreeMap<String, u64>>,
    fraction_count: Cell<u64>,
    call_id: Option<Box<str>>,
}

/// Source of the first 48 bits of an ID.
#[derive(Clone, Copy, Debug)]
enum IdTimestamp {
    /// A time. The IDs are `UUIDv7` and sort by time.
    Time(i64),
    /// The seed. The IDs are `UUIDv8`.
    None,
}

impl CallContext {
    /// 9999-12-31T23:59:59.999Z, the latest time that has a four-digit year in ISO 8601.
    pub const LATEST_MS: i64 = 253_402_300_799_999;

    /// Creates a context. `seed` is 16 random bytes that are new for every call. Clamps a time before 1970 or after
    /// 9999 to that range.
    pub const fn new(now: i64, seed: [u8; 16]) -> Self {
        let now = Self::clamp_to_range(now);
        Self {
            now_ms: now,
            seed,
            stamp: IdTimestamp::Time(now),
            ids: RefCell::new(BTreeMap::new()),
            fraction_count: Cell::new(0),
            call_id: None,
        }
    }

    /// Creates a context for a call with an ID. The same call ID always gives the same object IDs, so that sending a
    /// call again creates the same objects. If the call ID is a `UUIDv7`, the object IDs contain its time.
    pub fn with_call_id(now: i64, call_id: &str) -> Self {
        use sha2::{Digest, Sha256};
        let digest: [u8; 32] = Sha256::digest(call_id.as_bytes()).into();
        let mut seed = [0; 16];
        seed.copy_from_slice(&digest[..16]);
        let stamp = uuid_v7_millis(call_id).map_or(IdTimestamp::None, IdTimestamp::Time);
        Self { stamp, call_id: Some(call_id.into()), ..Self::new(now, seed) }
    }

    /// Returns the ID of the call, if it has an ID.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// Returns the nearest time from 1970 to 9999.
    pub const fn clamp_to_range(moment: i64) -> i64 {
        if moment < 0 {
            0
        } else if moment > Self::LATEST_MS {
            Self::LATEST_MS
        } else {
            moment
        }
    }

    /// Returns the time at which a call was made: `moment` if the call waited before it was sent, otherwise `now`. A
    /// `moment` after `now` counts as `now`.
    pub fn clamp_call_time(moment: Option<i64>, now: i64) -> i64 {
        let now = Self::clamp_to_range(now);
        moment.map_or(now, |moment| moment.clamp(0, now))
    }

    /// Returns the next random number in [0, 1).
    pub fn next_fraction(&self) -> f64 {
        let number = self.fraction_count.replace(self.fraction_count.get() + 1);
        let bytes = self.derive_bytes("", number);
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }

    /// Returns a new ID: `prefix-` and a UUID (RFC 9562). The IDs of a prefix do not depend on how many IDs other
    /// prefixes have, because that number may depend on stored data.
    pub fn create_id(&self, prefix: &str) -> String {
        let mut ids = self.ids.borrow_mut();
        let next = ids.entry(prefix.to_owned()).or_default();
        let digest = self.derive_bytes(prefix, *next);
        *next += 1;
        let mut bytes = [0_u8; 16];
        bytes.copy_from_slice(&digest[..16]);
        let version = match self.stamp {
            IdTimestamp::Time(millis) => {
                bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
                0x70
            }
            IdTimestamp::None => 0x80,
        };
        bytes[6] = version | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f); // the UUID variant
        let hex = crate::identity::sign::encode_hex(&bytes);
        format!("{prefix}-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    fn derive_bytes(&self, what: &str, number: u64) -> [u8; 32] {
        use sha2::{Digest, Sha256};
        Sha256::new().chain_update(self.seed).chain_update(what).chain_update(number.to_le_bytes()).finalize().into()
    }
}

/// Returns the time of a `UUIDv7`, or `None` for any other text.
fn uuid_v7_millis(text: &str) -> Option<i64> {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_hexdigit() });
    if !is_uuid || text.as_bytes()[14] != b'7' {
        return None;
    }
    i64::from_str_radix(&format!("{}{}", &text[..8], &text[9..13]), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::CallContext;

    #[test]
    fn ids_are_unique_uuid_v7_in_time_order() {
        let early = CallContext::new(1_740_000_000_000, [7; 16]);
        let late = CallContext::new(1_740_000_000_001, [7; 16]);
        let (first, second, third) = (early.create_id("run"), early.create_id("run"), late.create_id("run"));
        assert_eq!(first.len(), "run-".len() + 36);
        assert_eq!(first.as_bytes()[18], b'7');
        assert!(first != second && second < third);
    }

    #[test]
    fn same_call_id_gives_the_same_ids_at_any_time() {
        let name = "0195220c-2a00-7abc-8def-001122334455";
        let (first, again) = (CallContext::with_call_id(1, name), CallContext::with_call_id(2, name));
        let ids = |context: &CallContext| [context.create_id("run"), context.create_id("fix")];
        assert_eq!(ids(&first), ids(&again));
        assert!(CallContext::with_call_id(1, name).create_id("run").starts_with("run-0195220c-2a00-7"));
        assert_ne!(
            CallContext::with_call_id(1, name).create_id("run"),
            CallContext::with_call_id(1, "another").create_id("run")
        );
    }

    #[test]
    fn ids_do_not_depend_on_other_prefixes() {
        let (short, long) = (CallContext::new(1, [7; 16]), CallContext::new(1, [7; 16]));
        long.create_id("pat");
        long.next_fraction();
        assert_eq!(short.create_id("fix"), long.create_id("fix"));
        assert_ne!(short.create_id("fix"), long.create_id("sol"));
        assert_ne!(long.create_id("fix"), long.create_id("fix"));
    }

    #[test]
    fn call_id_without_a_time_gives_uuid_v8() {
        for name in ["", "another", "0195220c-2a00-4abc-8def-001122334455", "0195220c+2a00-7abc-8def-001122334455", "ä"]
        {
            let (early, late) = (CallContext::with_call_id(1, name), CallContext::with_call_id(i64::MAX, name));
            let id = early.create_id("run");
            assert_eq!((id.as_bytes()[18], id.clone()), (b'8', late.create_id("run")));
        }
    }

    #[test]
    fn clock_out_of_range_is_clamped() {
        for (clock, moment) in [(i64::MIN, 0), (-1, 0), (7, 7), (i64::MAX, CallContext::LATEST_MS)] {
            let context = CallContext::new(clock, [7; 16]);
            assert_eq!(context.now_ms, moment);
            assert_eq!(context.create_id("run").len(), "run-".len() + 36);
        }
    }

    #[test]
    fn waiting_call_keeps_its_time_but_not_after_now() {
        for (moment, now, made) in
            [(Some(5), 7, 5), (Some(9), 7, 7), (Some(-1), 7, 0), (Some(5), -86_400_000, 0), (None, -1, 0)]
        {
            assert_eq!(CallContext::clamp_call_time(moment, now), made);
        }
    }

    #[test]
    fn fractions_are_in_unit_interval() {
        let context = CallContext::new(0, [3; 16]);
        let drawn: Vec<f64> = (0..1000).map(|_| context.next_fraction()).collect();
        assert!(drawn.iter().all(|part| (0.0..1.0).contains(part)));
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
    }
}
