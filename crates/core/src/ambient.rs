//! Time and IDs as values, so that all code below the host is deterministic. The host reads the clock and the random
//! numbers once per call.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

/// The time and the randomness of one engine call.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// UTC milliseconds since the Unix epoch.
    pub now: i64,
    seed: [u8; 16],
    stamp: Stamp,
    /// Number of IDs per prefix so far. Counting per prefix means that IDs of one prefix do not depend on the IDs of
    /// another.
    ids: RefCell<BTreeMap<String, u64>>,
    fractions: Cell<u64>,
    call_id: Option<Box<str>>,
}

/// Source of the first 48 bits of an ID.
#[derive(Clone, Copy, Debug)]
enum Stamp {
    /// A time: the IDs are `UUIDv7` and sort by time.
    Time(i64),
    /// Only the seed: the IDs are `UUIDv8`.
    None,
}

impl Ambient {
    /// 9999-12-31T23:59:59.999Z, the last time that ISO 8601 writes with a four-digit year.
    pub const LATEST_MS: i64 = 253_402_300_799_999;

    /// `seed` is 16 random bytes, fresh for every call. A time before 1970 or after 9999 is clamped to that range.
    pub const fn new(now: i64, seed: [u8; 16]) -> Self {
        let now = Self::clamp_to_range(now);
        Self {
            now,
            seed,
            stamp: Stamp::Time(now),
            ids: RefCell::new(BTreeMap::new()),
            fractions: Cell::new(0),
            call_id: None,
        }
    }

    /// For a call with its own ID: the same ID always gives the same IDs, so that a call that is sent again makes the
    /// same objects. If the call's ID is a `UUIDv7`, its time is used.
    pub fn of_call(now: i64, call_id: &str) -> Self {
        use sha2::{Digest, Sha256};
        let digest: [u8; 32] = Sha256::digest(call_id.as_bytes()).into();
        let mut seed = [0; 16];
        seed.copy_from_slice(&digest[..16]);
        let stamp = uuid_v7_millis(call_id).map_or(Stamp::None, Stamp::Time);
        Self { stamp, call_id: Some(call_id.into()), ..Self::new(now, seed) }
    }

    /// Returns the call's own ID, if it has one.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// Returns the nearest time that can be written.
    pub const fn clamp_to_range(moment: i64) -> i64 {
        if moment < 0 {
            0
        } else if moment > Self::LATEST_MS {
            Self::LATEST_MS
        } else {
            moment
        }
    }

    /// Returns the time of a call that may have waited since `moment`; never later than the clock's `now`.
    pub fn moment_of_call(moment: Option<i64>, now: i64) -> i64 {
        let now = Self::clamp_to_range(now);
        moment.map_or(now, |moment| moment.clamp(0, now))
    }

    /// Returns the next number in [0, 1).
    pub fn fraction(&self) -> f64 {
        let number = self.fractions.replace(self.fractions.get() + 1);
        let bytes = self.draw("", number);
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }

    /// Returns the next ID: `prefix-` and a UUID (RFC 9562), different at each call. The first ID of a prefix does not
    /// depend on IDs of other prefixes, whose number may depend on stored data.
    pub fn id(&self, prefix: &str) -> String {
        let mut ids = self.ids.borrow_mut();
        let next = ids.entry(prefix.to_owned()).or_default();
        let digest = self.draw(prefix, *next);
        *next += 1;
        let mut bytes = [0_u8; 16];
        bytes.copy_from_slice(&digest[..16]);
        let version = match self.stamp {
            Stamp::Time(millis) => {
                bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
                0x70
            }
            Stamp::None => 0x80,
        };
        bytes[6] = version | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f); // the UUID variant
        let hex = crate::identity::sign::hex(&bytes);
        format!("{prefix}-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    fn draw(&self, what: &str, number: u64) -> [u8; 32] {
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
    use super::Ambient;

    #[test]
    fn ids_are_unique_uuid_v7_in_time_order() {
        let early = Ambient::new(1_740_000_000_000, [7; 16]);
        let late = Ambient::new(1_740_000_000_001, [7; 16]);
        let (first, second, third) = (early.id("run"), early.id("run"), late.id("run"));
        assert_eq!(first.len(), "run-".len() + 36);
        assert_eq!(first.as_bytes()[18], b'7');
        assert!(first != second && second < third);
    }

    #[test]
    fn same_call_id_gives_the_same_ids_at_any_time() {
        let name = "0195220c-2a00-7abc-8def-001122334455";
        let (first, again) = (Ambient::of_call(1, name), Ambient::of_call(2, name));
        let ids = |ambient: &Ambient| [ambient.id("run"), ambient.id("fix")];
        assert_eq!(ids(&first), ids(&again));
        assert!(Ambient::of_call(1, name).id("run").starts_with("run-0195220c-2a00-7"));
        assert_ne!(Ambient::of_call(1, name).id("run"), Ambient::of_call(1, "another").id("run"));
    }

    #[test]
    fn ids_do_not_depend_on_other_prefixes() {
        let (short, long) = (Ambient::new(1, [7; 16]), Ambient::new(1, [7; 16]));
        long.id("pat");
        long.fraction();
        assert_eq!(short.id("fix"), long.id("fix"));
        assert_ne!(short.id("fix"), long.id("sol"));
        assert_ne!(long.id("fix"), long.id("fix"));
    }

    #[test]
    fn call_id_without_a_time_gives_uuid_v8() {
        for name in ["", "another", "0195220c-2a00-4abc-8def-001122334455", "0195220c+2a00-7abc-8def-001122334455", "ä"]
        {
            let (early, late) = (Ambient::of_call(1, name), Ambient::of_call(i64::MAX, name));
            let id = early.id("run");
            assert_eq!((id.as_bytes()[18], id.clone()), (b'8', late.id("run")));
        }
    }

    #[test]
    fn clock_out_of_range_is_clamped() {
        for (clock, moment) in [(i64::MIN, 0), (-1, 0), (7, 7), (i64::MAX, Ambient::LATEST_MS)] {
            let ambient = Ambient::new(clock, [7; 16]);
            assert_eq!(ambient.now, moment);
            assert_eq!(ambient.id("run").len(), "run-".len() + 36);
        }
    }

    #[test]
    fn waiting_call_keeps_its_time_but_not_after_now() {
        for (moment, now, made) in
            [(Some(5), 7, 5), (Some(9), 7, 7), (Some(-1), 7, 0), (Some(5), -86_400_000, 0), (None, -1, 0)]
        {
            assert_eq!(Ambient::moment_of_call(moment, now), made);
        }
    }

    #[test]
    fn fractions_are_in_unit_interval() {
        let ambient = Ambient::new(0, [3; 16]);
        let drawn: Vec<f64> = (0..1000).map(|_| ambient.fraction()).collect();
        assert!(drawn.iter().all(|part| (0.0..1.0).contains(part)));
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
    }
}
