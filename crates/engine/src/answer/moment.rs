//! Moments as the contracts write them.

use argus_core::Ambient;
use time::OffsetDateTime;

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// ISO 8601 with milliseconds and `Z`; what a database says of a year without four digits is the nearest that has them.
pub(crate) fn iso(millis: i64) -> String {
    let nanos = i128::from(Ambient::clamp_to_range(millis)) * 1_000_000;
    let moment = OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (date, time) = (moment.date(), moment.time());
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second(),
        time.millisecond()
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn writes_utc_with_milliseconds() {
        assert_eq!(super::iso(1_740_000_000_007), "2025-02-19T21:20:00.007Z");
        assert_eq!(super::iso(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(super::iso(i64::MIN), "1970-01-01T00:00:00.000Z");
    }
}
