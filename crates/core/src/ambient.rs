//! Time and ids as values, so that everything below the host is deterministic.
//! Does not: read a clock or draw random numbers; the host does, once per call.

use std::cell::Cell;

/// The moment and the randomness of one engine call.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// UTC milliseconds since the Unix epoch.
    pub now: i64,
    seed: [u8; 16],
    drawn: Cell<u64>,
}

impl Ambient {
    /// `seed` is 16 random bytes, fresh for every call.
    pub const fn new(now: i64, seed: [u8; 16]) -> Self {
        Self { now, seed, drawn: Cell::new(0) }
    }

    /// The next number in [0, 1).
    pub fn fraction(&self) -> f64 {
        let bytes = self.draw();
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }

    /// The next id: `prefix-` and a `UUIDv7` of this moment, different at each draw.
    pub fn id(&self, prefix: &str) -> String {
        let digest = self.draw();
        let mut bytes = [0_u8; 16];
        bytes[6..].copy_from_slice(&digest[..10]);
        bytes[..6].copy_from_slice(&self.now.to_be_bytes()[2..]);
        bytes[6] = 0x70 | (bytes[6] & 0x0f); // version 7 of RFC 9562
        bytes[8] = 0x80 | (bytes[8] & 0x3f); // its variant
        let hex = crate::sign::hex(&bytes);
        format!("{prefix}-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    fn draw(&self) -> [u8; 32] {
        use sha2::{Digest, Sha256};
        let draw = self.drawn.get();
        self.drawn.set(draw + 1);
        Sha256::new().chain_update(self.seed).chain_update(draw.to_le_bytes()).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Ambient;

    #[test]
    fn ids_are_uuid_v7_in_time_order_and_never_the_same() {
        let early = Ambient::new(1_740_000_000_000, [7; 16]);
        let late = Ambient::new(1_740_000_000_001, [7; 16]);
        let (first, second, third) = (early.id("run"), early.id("run"), late.id("run"));
        assert_eq!(first.len(), "run-".len() + 36);
        assert_eq!(first.as_bytes()[18], b'7');
        assert!(first != second && second < third);
    }

    #[test]
    fn fractions_lie_between_none_and_one() {
        let ambient = Ambient::new(0, [3; 16]);
        let drawn: Vec<f64> = (0..1000).map(|_| ambient.fraction()).collect();
        assert!(drawn.iter().all(|part| (0.0..1.0).contains(part)));
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
    }
}
