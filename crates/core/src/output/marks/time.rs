//! Dates and times of day in the formats of logs and runtimes.

use crate::text::bytes::{Words, at, digits, is_word, number, run, word};

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

fn is_zone(name: &[u8]) -> bool {
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

/// Checks cheaply whether the digits at `start` may be the first part of a date or a time, judged by the byte that ends
/// them.
pub(crate) fn may_begin(text: &[u8], start: usize) -> bool {
    let end = digits(text, start);
    let next = at(text, end + 1);
    match at(text, end) {
        b':' => end - start <= 2 && next.is_ascii_digit(),
        b'-' | b'/' => end - start <= 4 && (next.is_ascii_digit() || next.is_ascii_uppercase()) || end - start == 8,
        // Check fully, because dots are in numeric dates but also in many other texts.
        b'.' => numeric_date(text, start).is_some(),
        b' ' => end - start <= 2 && next.is_ascii_uppercase() || end - start == 8,
        b'T' | b'_' => end - start == 8,
        _ => false,
    }
}

/// Returns the end of a date (with or without a time) or of a time of day that starts at `start`.
///
/// The parts may have any order: `Mon Jan 2 15:04:05 2006`, `02/Jan/2006:15:04:05 +0000`, `2006-01-02T15:04:05Z`.
pub(crate) fn timestamp(text: &[u8], start: usize) -> Option<usize> {
    let Some(end) = common(text, start) else { return in_any_order(text, start) };
    let end = zone_after_time(text, end).unwrap_or(end);
    (!is_word(at(text, end))).then_some(end)
}

/// Fast path for the two most common forms: returns the end of the time of day in `2006-01-02T15:04:05.999Z` or
/// `02/Jan/2006:15:04:05`.
fn common(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let (date, seconds) = match *rest.get(2)? {
        b'/' => (day_month_year(rest.first_chunk()?), 20),
        _ => (year_month_day(rest.first_chunk()?), 19),
    };
    let clock: &[u8; 8] = rest.get(seconds - 8..)?.first_chunk()?;
    let time = clock[2] == b':'
        && clock[5] == b':'
        && two_digits(clock, 0) < 24
        && two_digits(clock, 3) < 60
        && two_digits(clock, 6) < 61;
    let next = at(rest, seconds);
    (date && time && next != b':' && !next.is_ascii_digit()).then(|| clock_tail(text, start + seconds))
}

/// `2006-01-02T`, `2006-01-02 `.
fn year_month_day(date: &[u8; 11]) -> bool {
    let marks = date[4] == b'-' && date[7] == b'-' && matches!(date[10], b'T' | b' ');
    marks
        && matches!(two_digits(date, 0), 19 | 20)
        && two_digits(date, 2) < 100
        && month_day(two_digits(date, 5), two_digits(date, 8))
}

/// `02/Jan/2006:`.
fn day_month_year(date: &[u8; 12]) -> bool {
    let marks = date[2] == b'/' && date[6] == b'/' && date[11] == b':';
    let day = || month_day(1, two_digits(date, 0)) && date[3].is_ascii_uppercase() && MONTHS.has(&date[3..6]);
    marks && day() && matches!(two_digits(date, 7), 19 | 20) && two_digits(date, 9) < 100
}

/// Returns the end of `0102 15:04:05.000000`.
pub(crate) fn month_day_clock(text: &[u8], start: usize) -> Option<usize> {
    let time = start + "0102 ".len();
    let dated = month_day(two_digits(text, start), two_digits(text, start + 2)) && at(text, time - 1) == b' ';
    clock(text, time).filter(|&end| dated && end - time > "15:04:05.".len())
}

/// Returns the value of two digits, or `u32::MAX` if a byte is not a digit.
#[inline]
fn two_digits(text: &[u8], start: usize) -> u32 {
    let (tens, ones) = (text[start].wrapping_sub(b'0'), text[start + 1].wrapping_sub(b'0'));
    if tens < 10 && ones < 10 { u32::from(tens * 10 + ones) } else { u32::MAX }
}

/// Like [`timestamp`], for parts in any order.
pub(crate) fn in_any_order(text: &[u8], start: usize) -> Option<usize> {
    let mut seen = DateParts::default();
    let mut end = seen.read_part(text, start)?;
    loop {
        let next = separator(text, end);
        match seen.read_part(text, next).or_else(|| seen.read_zone(text, end)) {
            Some(after) => end = after,
            None => break,
        }
    }
    (seen.is_date() && !is_word(at(text, end))).then_some(end)
}

/// Skips up to two bytes between the parts of a date.
fn separator(text: &[u8], end: usize) -> usize {
    match (at(text, end), at(text, end + 1)) {
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
        if at(text, start).is_ascii_digit() {
            return self.numeric(text, start);
        }
        let (end, _) = word(text, start);
        let name = &text[start..end];
        if !self.weekday && !self.month && !self.time && WEEKDAYS.has(name) {
            self.weekday = true;
            return is_capitalized(name).then_some(end);
        }
        if !self.month && MONTHS.has(name) {
            self.month = true;
            return is_capitalized(name)
                .then_some(end + usize::from(at(text, end) == b'.' && at(text, end + 1) == b' '));
        }
        None
    }

    fn numeric(&mut self, text: &[u8], start: usize) -> Option<usize> {
        if !self.month
            && !self.year
            && !self.day
            && let Some(end) = numeric_date(text, start)
        {
            (self.month, self.year, self.day) = (true, true, true);
            return Some(end);
        }
        if !self.time
            && let Some(end) = clock(text, start).or_else(|| self.compact_clock(text, start))
        {
            self.time = true;
            return Some(end);
        }
        let end = digits(text, start);
        let value = number(&text[start..end]);
        if !self.day && end - start <= 2 && (1..=31).contains(&value) && (self.month || leads_month(text, end)) {
            self.day = true;
            return open_end(text, end);
        }
        let years =
            end - start == 4 && (1900..2100).contains(&value) || end - start == 2 && two_digit_year(text, start);
        if !self.year && self.month && self.day && years {
            self.year = true;
            return open_end(text, end);
        }
        None
    }

    /// `150405`, `1504` after a compact date.
    fn compact_clock(&self, text: &[u8], start: usize) -> Option<usize> {
        let end = digits(text, start);
        let four = &text[start..end.min(start + 4)];
        let valid = matches!(end - start, 4 | 6 | 9) && number(&four[..2]) < 24 && number(&four[2..]) < 60;
        let compact = start >= 9 && digits(text, start - 9) == start - 1;
        (self.year && compact && valid).then(|| clock_tail(text, end))
    }

    fn read_zone(&mut self, text: &[u8], end: usize) -> Option<usize> {
        if !self.time || self.zone {
            return None;
        }
        let after = zone_after_time(text, end)?;
        self.zone = true;
        Some(after)
    }
}

fn zone_after_time(text: &[u8], end: usize) -> Option<usize> {
    let start = end + usize::from(at(text, end) == b' ');
    // `+0000 UTC` as Go prints it.
    let both = |end: usize| if at(text, end) == b' ' { zone_name(text, end + 1).unwrap_or(end) } else { end };
    let after = zone_name(text, start).or_else(|| zone_offset(text, start).map(both))?;
    Some(zone_comment(text, after))
}

/// A day or a year must not continue as a fraction or a word: `Jan 2.5`, `May 3rd`.
fn open_end(text: &[u8], end: usize) -> Option<usize> {
    let fraction = at(text, end) == b'.' && at(text, end + 1).is_ascii_digit();
    let letter = is_word(at(text, end)) && at(text, end) != b'T';
    (!fraction && !letter).then_some(end)
}

fn leads_month(text: &[u8], end: usize) -> bool {
    let start = separator(text, end);
    let (stop, _) = word(text, start);
    let name = &text[start..stop];
    start > end && is_capitalized(name) && MONTHS.has(name)
}

/// `02-Jan-06`, `02 Jan 06 15:04`.
fn two_digit_year(text: &[u8], start: usize) -> bool {
    let before = at(text, start.wrapping_sub(1));
    before == b'-' || before == b' ' && at(text, start + 2) == b' ' && clock(text, start + 3).is_some()
}

fn is_capitalized(name: &[u8]) -> bool {
    at(name, 0).is_ascii_uppercase()
}

/// `2006-01-02`, `2006/01/02`, `2006.01.02`, `20060102T…`, `01/02/2006`, `02.01.06`.
fn numeric_date(text: &[u8], start: usize) -> Option<usize> {
    let first = digits(text, start);
    let mark = at(text, first);
    if first - start == 8 {
        return compact_date(text, start, first);
    }
    if !matches!(mark, b'-' | b'/' | b'.') {
        return None;
    }
    let second = digits(text, first + 1);
    // Month or day. This rejects most numbers with dots.
    if at(text, second) != mark || !matches!(second - first, 2..=3) {
        return None;
    }
    let third = digits(text, second + 1);
    let (a, b, c) = (number(&text[start..first]), number(&text[first + 1..second]), number(&text[second + 1..third]));
    let lengths = (first - start, second - first - 1, third - second - 1);
    let valid = match lengths {
        (4, 1..=2, 1..=2) => (1900..2100).contains(&a) && month_day(b, c),
        (1..=2, 1..=2, 4) => (1900..2100).contains(&c) && (month_day(a, b) || month_day(b, a)),
        // `17/06/09 20:10:40`: only with a time of day, because otherwise it is a version or a fraction.
        (2, 2, 2) => {
            let time = clock(text, third + 1).is_some();
            time && (month_day(b, c) || month_day(a, b) || month_day(b, a))
        }
        _ => false,
    };
    let ends = !matches!(at(text, third), b'-' | b'/' | b'.')
        || !at(text, third + 1).is_ascii_digit()
        || at(text, third) == b'-';
    (valid && ends).then_some(third)
}

fn compact_date(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let (year, month, day) =
        (number(&text[start..start + 4]), number(&text[start + 4..start + 6]), number(&text[start + 6..end]));
    let time = matches!(at(text, end), b'T' | b' ' | b'-' | b'_')
        && matches!(digits(text, end + 1) - end - 1, 4 | 6 | 9)
        || at(text, end) == b' ' && clock(text, end + 1).is_some();
    ((1900..2100).contains(&year) && month_day(month, day) && time).then_some(end)
}

fn month_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// `15:04`, `15:04:05`, `15:04:05.999`, `3:04PM`, `11:21 pm`.
fn clock(text: &[u8], start: usize) -> Option<usize> {
    let hours = digits(text, start.min(text.len()));
    if hours <= start || hours - start > 2 || at(text, hours) != b':' || number(&text[start..hours]) > 23 {
        return None;
    }
    let minutes = two_digits_below(text, hours + 1, 60)?;
    let seconds = if at(text, minutes) == b':' { two_digits_below(text, minutes + 1, 61) } else { None };
    let end = seconds.unwrap_or(minutes);
    let more = at(text, end) == b':' && at(text, end + 1).is_ascii_hexdigit();
    (!more).then(|| clock_tail(text, end))
}

fn two_digits_below(text: &[u8], start: usize, limit: u32) -> Option<usize> {
    let end = digits(text, start.min(text.len()));
    (end - start.min(end) == 2 && number(&text[start..end]) < limit).then_some(end)
}

/// Fraction, `AM`/`PM`, `Z`.
fn clock_tail(text: &[u8], end: usize) -> usize {
    let mut end = end;
    if matches!(at(text, end), b'.' | b',') && at(text, end + 1).is_ascii_digit() {
        end = digits(text, end + 1);
    }
    let half = end + usize::from(at(text, end) == b' ');
    let (a, m) = (at(text, half).to_ascii_lowercase(), at(text, half + 1).to_ascii_lowercase());
    if matches!(a, b'a' | b'p') && m == b'm' && !is_word(at(text, half + 2)) {
        return half + 2;
    }
    let zulu = matches!(at(text, end), b'Z' | b'z') && !is_word(at(text, end + 1));
    end + usize::from(zulu)
}

fn zone_name(text: &[u8], start: usize) -> Option<usize> {
    if !at(text, start).is_ascii_uppercase() {
        return None;
    }
    let (end, _) = word(text, start);
    if !is_zone(&text[start..end]) {
        return None;
    }
    Some(zone_offset(text, end).unwrap_or(end))
}

/// `+01:00`, `-0700`, `+01`.
fn zone_offset(text: &[u8], start: usize) -> Option<usize> {
    if !matches!(at(text, start), b'+' | b'-') {
        return None;
    }
    let end = digits(text, start + 1);
    match end - start - 1 {
        2 if at(text, end) == b':' => two_digits_below(text, end + 1, 60),
        2 | 4 => Some(end),
        _ => None,
    }
}

/// ` (Pacific Standard Time)`.
fn zone_comment(text: &[u8], end: usize) -> usize {
    if at(text, end) != b' ' || at(text, end + 1) != b'(' {
        return end;
    }
    let close = run(text, end + 2, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    if at(text, close) == b')' && close > end + 2 { close + 1 } else { end }
}
