//! Matches dates and times of day in the formats of logs and runtimes.

use crate::text::bytes::{Words, byte_at, digits_end, is_word_byte, parse_digits, run_end, scan_word};

/// Months and their abbreviations.
static MONTHS: Words<24> = Words::new([
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]);

/// Days of the week and their abbreviations.
static WEEKDAYS: Words<14> = Words::new([
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]);

/// Checks for the name of a day or month.
pub(crate) fn is_day_or_month(name: &[u8]) -> bool {
    WEEKDAYS.has(name) || MONTHS.has(name)
}

fn is_time_zone(name: &[u8]) -> bool {
    matches!(
        name,
        b"UTC"
            | b"GMT"
            | b"EST"
            | b"EDT"
            | b"CST"
            | b"CDT"
            | b"MST"
            | b"MDT"
            | b"PST"
            | b"PDT"
            | b"CET"
            | b"CEST"
            | b"BST"
            | b"IST"
            | b"JST"
            | b"KST"
            | b"MSK"
            | b"AEST"
            | b"AEDT"
            | b"EET"
            | b"EEST"
            | b"WET"
            | b"HST"
            | b"AKST"
            | b"AKDT"
            | b"SGT"
    )
}

/// Checks cheaply, by the byte after the digits at `start`, whether the digits may be the first part of a date or a
/// time.
pub(crate) fn may_start_timestamp(text: &[u8], start: usize) -> bool {
    let end = digits_end(text, start);
    let next = byte_at(text, end + 1);
    match byte_at(text, end) {
        b':' => end - start <= 2 && next.is_ascii_digit(),
        b'-' | b'/' => end - start <= 4 && (next.is_ascii_digit() || next.is_ascii_uppercase()) || end - start == 8,
        // Check the whole date, because many other texts also have dots.
        b'.' => numeric_date_end(text, start).is_some(),
        b' ' => end - start <= 2 && next.is_ascii_uppercase() || end - start == 8,
        b'T' | b'_' => end - start == 8,
        _ => false,
    }
}

/// Returns the end of a date (with or without a time) or of a time of day that starts at `start`.
///
/// The parts may have any order: `Mon Jan 2 15:04:05 2006`, `02/Jan/2006:15:04:05 +0000`, `2006-01-02T15:04:05Z`.
pub(crate) fn timestamp_end(text: &[u8], start: usize) -> Option<usize> {
    let Some(end) = common_timestamp_end(text, start) else { return timestamp_end_in_any_order(text, start) };
    let end = zone_end(text, end).unwrap_or(end);
    (!is_word_byte(byte_at(text, end))).then_some(end)
}

/// Fast path for the two most common forms: returns the end of the time of day in `2006-01-02T15:04:05.999Z` or
/// `02/Jan/2006:15:04:05`.
fn common_timestamp_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let (date, seconds) = match *rest.get(2)? {
        b'/' => (is_day_month_year(rest.first_chunk()?), 20),
        _ => (is_year_month_day(rest.first_chunk()?), 19),
    };
    let clock: &[u8; 8] = rest.get(seconds - 8..)?.first_chunk()?;
    let time = clock[2] == b':'
        && clock[5] == b':'
        && two_digits(clock, 0) < 24
        && two_digits(clock, 3) < 60
        && two_digits(clock, 6) < 61;
    let next = byte_at(rest, seconds);
    (date && time && next != b':' && !next.is_ascii_digit()).then(|| clock_suffix_end(text, start + seconds))
}

/// Checks for `2006-01-02T` or `2006-01-02 `.
fn is_year_month_day(date: &[u8; 11]) -> bool {
    let marks = date[4] == b'-' && date[7] == b'-' && matches!(date[10], b'T' | b' ');
    marks
        && matches!(two_digits(date, 0), 19 | 20)
        && two_digits(date, 2) < 100
        && is_month_and_day(two_digits(date, 5), two_digits(date, 8))
}

/// Checks for `02/Jan/2006:`.
fn is_day_month_year(date: &[u8; 12]) -> bool {
    let marks = date[2] == b'/' && date[6] == b'/' && date[11] == b':';
    let day = || is_month_and_day(1, two_digits(date, 0)) && date[3].is_ascii_uppercase() && MONTHS.has(&date[3..6]);
    marks && day() && matches!(two_digits(date, 7), 19 | 20) && two_digits(date, 9) < 100
}

/// Returns the end of `0102 15:04:05.000000`.
pub(crate) fn month_day_clock_end(text: &[u8], start: usize) -> Option<usize> {
    let time = start + "0102 ".len();
    let dated =
        is_month_and_day(two_digits(text, start), two_digits(text, start + 2)) && byte_at(text, time - 1) == b' ';
    clock_end(text, time).filter(|&end| dated && end - time > "15:04:05.".len())
}

/// Returns the value of two digits, or `u32::MAX` if a byte is not a digit.
#[inline]
fn two_digits(text: &[u8], start: usize) -> u32 {
    let (tens, ones) = (text[start].wrapping_sub(b'0'), text[start + 1].wrapping_sub(b'0'));
    if tens < 10 && ones < 10 { u32::from(tens * 10 + ones) } else { u32::MAX }
}

/// Like [`timestamp_end`], without the fast path.
pub(crate) fn timestamp_end_in_any_order(text: &[u8], start: usize) -> Option<usize> {
    let mut seen = DateParts::default();
    let mut end = seen.read_part(text, start)?;
    loop {
        let next = separator_end(text, end);
        match seen.read_part(text, next).or_else(|| seen.read_zone(text, end)) {
            Some(after) => end = after,
            None => break,
        }
    }
    (seen.is_date() && !is_word_byte(byte_at(text, end))).then_some(end)
}

/// Returns the position after up to two bytes between the parts of a date.
fn separator_end(text: &[u8], end: usize) -> usize {
    match (byte_at(text, end), byte_at(text, end + 1)) {
        (b',' | b' ', b' ') => end + 2,
        (b' ' | b'-' | b'/' | b'T' | b't' | b':' | b'_' | b',', _) => end + 1,
        _ => end,
    }
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each part of a date was seen or was not")]
struct DateParts {
    weekday: bool,
    month: bool,
    day: bool,
    year: bool,
    time: bool,
    zone: bool,
}

impl DateParts {
    fn is_date(&self) -> bool {
        self.time || (self.month && (self.day || self.year))
    }

    fn read_part(&mut self, text: &[u8], start: usize) -> Option<usize> {
        if byte_at(text, start).is_ascii_digit() {
            return self.read_numeric_part(text, start);
        }
        let (end, _) = scan_word(text, start);
        let name = &text[start..end];
        if !self.weekday && !self.month && !self.time && WEEKDAYS.has(name) {
            self.weekday = true;
            return is_capitalized(name).then_some(end);
        }
        if !self.month && MONTHS.has(name) {
            self.month = true;
            return is_capitalized(name)
                .then_some(end + usize::from(byte_at(text, end) == b'.' && byte_at(text, end + 1) == b' '));
        }
        None
    }

    fn read_numeric_part(&mut self, text: &[u8], start: usize) -> Option<usize> {
        if !self.month
            && !self.year
            && !self.day
            && let Some(end) = numeric_date_end(text, start)
        {
            (self.month, self.year, self.day) = (true, true, true);
            return Some(end);
        }
        if !self.time
            && let Some(end) = clock_end(text, start)
                .or_else(|| self.compact_clock_end(text, start))
                .or_else(|| self.file_name_clock_end(text, start))
        {
            self.time = true;
            return Some(end);
        }
        let end = digits_end(text, start);
        let value = parse_digits(&text[start..end]);
        if !self.day && end - start <= 2 && (1..=31).contains(&value) && (self.month || precedes_month(text, end)) {
            self.day = true;
            return end_unless_continued(text, end);
        }
        let years =
            end - start == 4 && (1900..2100).contains(&value) || end - start == 2 && has_two_digit_year(text, start);
        if !self.year && self.month && self.day && years {
            self.year = true;
            return end_unless_continued(text, end);
        }
        None
    }

    /// Returns the end of `150405` or `1504` after a compact date.
    fn compact_clock_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let end = digits_end(text, start);
        let four = &text[start..end.min(start + 4)];
        let valid = matches!(end - start, 4 | 6 | 9) && parse_digits(&four[..2]) < 24 && parse_digits(&four[2..]) < 60;
        let compact = start >= 9 && digits_end(text, start - 9) == start - 1;
        (self.year && compact && valid).then(|| clock_suffix_end(text, end))
    }

    /// Returns the end of `18-51-20` or `18_51_20_781Z` after a date. Names of files have no colon, because Windows
    /// does not allow colons.
    fn file_name_clock_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let mark = byte_at(text, start + 2);
        if !self.year || !self.day || !matches!(mark, b'-' | b'_') {
            return None;
        }
        let minutes = two_digits_end(text, two_digits_end(text, start, 24)? + 1, 60)?;
        let seconds = if byte_at(text, minutes) == mark { two_digits_end(text, minutes + 1, 61) } else { None };
        // Require seconds, or a `T` or `_` before the time, because `2025-03-17-18-51` may be a version.
        let end = seconds.or_else(|| matches!(byte_at(text, start - 1), b'T' | b'_').then_some(minutes))?;
        let fraction = matches!(byte_at(text, end), b'-' | b'_' | b'.').then(|| digits_end(text, end + 1));
        let end = fraction.filter(|&fraction| seconds.is_some() && matches!(fraction - end, 4 | 7 | 10)).unwrap_or(end);
        Some(end + usize::from(byte_at(text, end) == b'Z' && !is_word_byte(byte_at(text, end + 1))))
    }

    fn read_zone(&mut self, text: &[u8], end: usize) -> Option<usize> {
        if !self.time || self.zone {
            return None;
        }
        let after = zone_end(text, end)?;
        self.zone = true;
        Some(after)
    }
}

fn zone_end(text: &[u8], end: usize) -> Option<usize> {
    let start = end + usize::from(byte_at(text, end) == b' ');
    // Go prints `+0000 UTC`.
    let both = |end: usize| if byte_at(text, end) == b' ' { zone_name_end(text, end + 1).unwrap_or(end) } else { end };
    let after = zone_name_end(text, start).or_else(|| zone_offset_end(text, start).map(both))?;
    Some(zone_comment_end(text, after))
}

/// Returns `end` unless the number continues as a fraction or a word: `Jan 2.5`, `May 3rd`.
fn end_unless_continued(text: &[u8], end: usize) -> Option<usize> {
    let fraction = byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit();
    let letter = is_word_byte(byte_at(text, end)) && byte_at(text, end) != b'T';
    (!fraction && !letter).then_some(end)
}

fn precedes_month(text: &[u8], end: usize) -> bool {
    let start = separator_end(text, end);
    let (stop, _) = scan_word(text, start);
    let name = &text[start..stop];
    start > end && is_capitalized(name) && MONTHS.has(name)
}

/// Checks for a year with two digits: `02-Jan-06`, `02 Jan 06 15:04`.
fn has_two_digit_year(text: &[u8], start: usize) -> bool {
    let before = byte_at(text, start.wrapping_sub(1));
    before == b'-' || before == b' ' && byte_at(text, start + 2) == b' ' && clock_end(text, start + 3).is_some()
}

fn is_capitalized(name: &[u8]) -> bool {
    byte_at(name, 0).is_ascii_uppercase()
}

/// Returns the end of `2006-01-02`, `2006/01/02`, `2006.01.02`, `20060102T…`, `01/02/2006` or `02.01.06`.
fn numeric_date_end(text: &[u8], start: usize) -> Option<usize> {
    let first = digits_end(text, start);
    let mark = byte_at(text, first);
    if first - start == 8 {
        return compact_date_end(text, start, first);
    }
    if !matches!(mark, b'-' | b'/' | b'.') {
        return None;
    }
    let second = digits_end(text, first + 1);
    // Month or day. This rejects most numbers with dots.
    if byte_at(text, second) != mark || !matches!(second - first, 2..=3) {
        return None;
    }
    let third = digits_end(text, second + 1);
    let (a, b, c) = (
        parse_digits(&text[start..first]),
        parse_digits(&text[first + 1..second]),
        parse_digits(&text[second + 1..third]),
    );
    let lengths = (first - start, second - first - 1, third - second - 1);
    let valid = match lengths {
        (4, 1..=2, 1..=2) => (1900..2100).contains(&a) && is_month_and_day(b, c),
        (1..=2, 1..=2, 4) => (1900..2100).contains(&c) && (is_month_and_day(a, b) || is_month_and_day(b, a)),
        // A date such as `17/06/09 20:10:40` needs a time of day, because without it the text is a version or a
        // fraction.
        (2, 2, 2) => {
            let time = clock_end(text, third + 1).is_some();
            time && (is_month_and_day(b, c) || is_month_and_day(a, b) || is_month_and_day(b, a))
        }
        _ => false,
    };
    let ends = !matches!(byte_at(text, third), b'-' | b'/' | b'.')
        || !byte_at(text, third + 1).is_ascii_digit()
        || byte_at(text, third) == b'-';
    (valid && ends).then_some(third)
}

fn compact_date_end(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let (year, month, day) = (
        parse_digits(&text[start..start + 4]),
        parse_digits(&text[start + 4..start + 6]),
        parse_digits(&text[start + 6..end]),
    );
    let time = matches!(byte_at(text, end), b'T' | b' ' | b'-' | b'_')
        && matches!(digits_end(text, end + 1) - end - 1, 4 | 6 | 9)
        || byte_at(text, end) == b' ' && clock_end(text, end + 1).is_some();
    ((1900..2100).contains(&year) && is_month_and_day(month, day) && time).then_some(end)
}

fn is_month_and_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// Returns the end of `15:04`, `15:04:05`, `15:04:05.999`, `3:04PM` or `11:21 pm`.
fn clock_end(text: &[u8], start: usize) -> Option<usize> {
    let hours = digits_end(text, start.min(text.len()));
    if hours <= start || hours - start > 2 || byte_at(text, hours) != b':' || parse_digits(&text[start..hours]) > 23 {
        return None;
    }
    let minutes = two_digits_end(text, hours + 1, 60)?;
    let seconds = if byte_at(text, minutes) == b':' { two_digits_end(text, minutes + 1, 61) } else { None };
    let end = seconds.unwrap_or(minutes);
    let more = byte_at(text, end) == b':' && byte_at(text, end + 1).is_ascii_hexdigit();
    (!more).then(|| clock_suffix_end(text, end))
}

fn two_digits_end(text: &[u8], start: usize, limit: u32) -> Option<usize> {
    let end = digits_end(text, start.min(text.len()));
    (end - start.min(end) == 2 && parse_digits(&text[start..end]) < limit).then_some(end)
}

/// Returns the end of a fraction, of `AM` or `PM`, and of `Z`.
fn clock_suffix_end(text: &[u8], end: usize) -> usize {
    let mut end = end;
    if matches!(byte_at(text, end), b'.' | b',') && byte_at(text, end + 1).is_ascii_digit() {
        end = digits_end(text, end + 1);
    }
    let half = end + usize::from(byte_at(text, end) == b' ');
    let (a, m) = (byte_at(text, half).to_ascii_lowercase(), byte_at(text, half + 1).to_ascii_lowercase());
    if matches!(a, b'a' | b'p') && m == b'm' && !is_word_byte(byte_at(text, half + 2)) {
        return half + 2;
    }
    let zulu = matches!(byte_at(text, end), b'Z' | b'z') && !is_word_byte(byte_at(text, end + 1));
    end + usize::from(zulu)
}

fn zone_name_end(text: &[u8], start: usize) -> Option<usize> {
    if !byte_at(text, start).is_ascii_uppercase() {
        return None;
    }
    let (end, _) = scan_word(text, start);
    if !is_time_zone(&text[start..end]) {
        return None;
    }
    Some(zone_offset_end(text, end).unwrap_or(end))
}

/// Returns the end of `+01:00`, `-0700` or `+01`.
fn zone_offset_end(text: &[u8], start: usize) -> Option<usize> {
    if !matches!(byte_at(text, start), b'+' | b'-') {
        return None;
    }
    let end = digits_end(text, start + 1);
    match end - start - 1 {
        2 if byte_at(text, end) == b':' => two_digits_end(text, end + 1, 60),
        2 | 4 => Some(end),
        _ => None,
    }
}

/// Returns the end of ` (Pacific Standard Time)`.
fn zone_comment_end(text: &[u8], end: usize) -> usize {
    if byte_at(text, end) != b' ' || byte_at(text, end + 1) != b'(' {
        return end;
    }
    let close = run_end(text, end + 2, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    if byte_at(text, close) == b')' && close > end + 2 { close + 1 } else { end }
}
