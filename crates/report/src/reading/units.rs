//! Numbers and times in the formats of reports. A time without a zone is UTC.

use time::{Date, Month, PrimitiveDateTime, Time, UtcOffset};

/// Converts seconds to milliseconds: `0.012`, `1,234.5` (Surefire groups thousands) or `0,5` (decimal comma), with or
/// without `s`.
pub(crate) fn parse_seconds(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('s').trim_end();
    let number = if text.contains(',') { parse_decimal(text)? } else { text.parse::<f64>().ok()? };
    (number.is_finite() && number >= 0.0).then_some(number * 1000.0)
}

fn parse_decimal(text: &str) -> Option<f64> {
    let comma = text.rfind(',')?;
    let grouped = text.len() - comma == 4 && !text.starts_with("0,");
    let plain = match text.rfind('.') {
        Some(dot) if dot > comma => text.replace(',', ""),
        Some(_) => text.replace('.', "").replace(',', "."),
        None if grouped => text.replace(',', ""),
        None => text.replace(',', "."),
    };
    plain.parse().ok()
}

/// Converts a time span of .NET to milliseconds: `hh:mm:ss.fffffff`, with days in front if there are any
/// (`1.02:03:04`).
pub(crate) fn parse_time_span(text: &str) -> Option<f64> {
    let (rest, whole) =
        text.trim().rsplit_once(':').and_then(|(rest, second)| Some((rest, second.parse::<f64>().ok()?)))?;
    let (hours, minutes) = rest.split_once(':')?;
    let (days, hours) = hours.split_once('.').unwrap_or(("0", hours));
    let hours = days.parse::<f64>().ok()? * 24.0 + hours.parse::<f64>().ok()?;
    Some(((hours * 60.0 + minutes.parse::<f64>().ok()?) * 60.0 + whole) * 1000.0)
}

/// Converts an ISO 8601 time to UTC milliseconds since the epoch. Date and time are separated by `T` or a space, and
/// the zone is optional.
pub(crate) fn parse_timestamp(text: &str) -> Option<i64> {
    let text = text.trim();
    let date = parse_date(text.get(..10)?)?;
    let rest = text[10..].trim_start_matches(['T', 't', ' ']);
    if rest.is_empty() {
        return to_utc_millis(PrimitiveDateTime::new(date, Time::MIDNIGHT), UtcOffset::UTC);
    }
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let offset = parse_offset(rest[zone..].trim())?;
    to_utc_millis(PrimitiveDateTime::new(date, parse_time(rest[..zone].trim())?), offset)
}

fn to_utc_millis(moment: PrimitiveDateTime, offset: UtcOffset) -> Option<i64> {
    i64::try_from(moment.assume_offset(offset).unix_timestamp_nanos() / 1_000_000).ok()
}

fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = parts.next()?.parse().ok()?;
    let month = Month::try_from(parts.next()?.parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(year, month, parts.next()?.parse().ok()?).ok()
}

fn parse_time(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let mut parts = clock.split(':').map(|part| part.parse::<u8>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let nanos: String = fraction.chars().take_while(char::is_ascii_digit).chain("000000000".chars()).take(9).collect();
    Time::from_hms_nano(hour, minute, second.min(59), nanos.parse().ok()?).ok()
}

fn parse_offset(text: &str) -> Option<UtcOffset> {
    let sign = match text.as_bytes().first() {
        None | Some(b'Z' | b'z') => return Some(UtcOffset::UTC),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let hours: i8 = digits.get(..2)?.parse().ok()?;
    let minutes: i8 = digits.get(2..4).unwrap_or("00").parse().ok()?;
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_of_all_locales() {
        let rows = [
            ("0.012", 12.0),
            ("1,234.5", 1_234_500.0),
            ("1.234,5", 1_234_500.0),
            ("0,5", 500.0),
            ("0,125", 125.0),
            ("1,234", 1_234_000.0),
            ("12,25", 12_250.0),
            (" 3 ", 3_000.0),
            ("2.5s", 2_500.0),
        ];
        for (text, wanted) in rows {
            let got = parse_seconds(text).unwrap();
            assert!((got - wanted).abs() < 1e-6, "{text}: {got}");
        }
        for text in ["", "NaN", "-1", "inf", "abc", ","] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn reads_time_spans() {
        for (text, wanted) in [("00:00:00.1084258", 108.4258), ("1.02:03:04", 93_784_000.0)] {
            assert!((parse_time_span(text).unwrap() - wanted).abs() < 1e-6, "{text}");
        }
        assert_eq!(parse_time_span("3"), None);
    }

    #[test]
    fn reads_times_with_and_without_zone() {
        let rows = [
            ("1970-01-01T00:00:01", 1_000),
            ("1970-01-01 00:00:01.5", 1_500),
            ("1970-01-01T01:00:00+01:00", 0),
            ("1970-01-01T00:00:00.250Z", 250),
            ("1970-01-01T00:00:00-0130", 5_400_000),
            ("1970-01-02", 86_400_000),
            ("2026-11-21T22:35:47.175333+00:00", 1_795_300_547_175),
        ];
        for (text, wanted) in rows {
            assert_eq!(parse_timestamp(text), Some(wanted), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "2026-01-01T99:00:00", "ééééé2026-01-01"] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
