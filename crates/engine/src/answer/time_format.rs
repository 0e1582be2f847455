//! Times in the format of answers, ISO 8601 with milliseconds and `Z`.

use argus_core::CallContext;
use time::OffsetDateTime;

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Returns a time as ISO 8601 with milliseconds and `Z`. Times outside of the years 1970 to 9999 are clamped, because
/// a damaged database can contain any number.
pub(crate) fn format_iso(millis: i64) -> String {
    let nanos = i128::from(CallContext::clamp_to_range(millis)) * 1_000_000;
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
    fn format_iso_prints_utc_milliseconds_and_clamps_years() {
        assert_eq!(super::format_iso(1_740_000_000_007), "2025-02-19T21:20:00.007Z");
        assert_eq!(super::format_iso(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(super::format_iso(i64::MIN), "1970-01-01T00:00:00.000Z");
    }
}
