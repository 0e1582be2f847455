//! Recognizes lines about normal progress: log lines below a warning, successful requests, passed tests. A line that
//! mentions a failure is a message at any level, and a level counts only in a log header.

use super::{access_log, log_level};
use crate::text::bytes::{PrefixList, byte_at, digits_end, is_word_byte, literals::LiteralFinder, range_mask, run_end};
use memchr::memmem::Finder;
use std::sync::LazyLock;
use wide::u8x16;

/// Number of bytes at the start of a log line in which the level is searched. The level may come after a time stamp, a
/// host, a process, a thread and a logger.
const MAX_HEADER_SEARCH_BYTES: usize = 96;
/// Maximum number of bytes that are searched for the level of a structured log line.
const MAX_KEY_SEARCH_BYTES: usize = 128;
/// Numbers that pino and bunyan print for the levels below a warning.
const NUMBERS_BELOW_WARNING: [&[u8]; 3] = [b"10", b"20", b"30"];
/// Marks that runners print before the name of a passed test.
static PASSED_TEST_MARKS: PrefixList<4> = PrefixList::new(["✓ ", "✔ ", "√ ", "--- PASS: "]);
/// Words and parts of words that mention a problem, in any case. These words count at any level, because a tool that
/// runs a program may log the output of the program as information.
#[rustfmt::skip]
const FAILURE_WORDS: [&str; 124] = [
    "error", "exception", "fault", "fail", "fatal", "panic", "uncaught", "traceback", "abort", "crash", "kill",
    "signal", "exit", "return code", "gave up", "dumped", "terminat", "denied", "refused", "reject", "forbidden",
    "unauthorized", "not permitted", "not allowed", "bad gateway", "unavailable", "unreachable", "timeout",
    "time out", "timed out", "deadline", "expire", "exceed", "exhaust", "cannot", "can't", "could not", "couldn't",
    "unable", "not found", "not exist", "not defined", "undefined", "no such", "no attribute", "invalid", "illegal",
    "missing", "unexpected", "unrecognized", "unsupported", "incompatible", "expected", "but was", "assert",
    "mismatch", "does not", "must be", "wrong", "duplicate", "conflict", "violat", "corrupt", "deadlock", "locked",
    "rolled back", "reset by", "broken", "in use", "smash", "memory", "oom", "space left", "quota", "too many",
    "too large", "overflow", "no route", "not known", "unknown", "cancel", "interrupt", "closed by", "is closed",
    "is down", "busy", "certificate", "null value", "by zero", "ambiguous", "already exists", "read-only",
    "read only", "a directory", "not empty", "too long", "syntax", "stale", "no rows", "eof", "!=", " is not ",
    "data race", "\" 4", "\" 5", "1.1 4", "1.1 5", "status=4", "status=5", "code=4", "code=5", "status\":4",
    "status\":5", "status\": 4", "status\": 5", "code\":4", "code\":5", "code\": 4", "code\": 5", "responded 4",
    "responded 5", "completed 4", "completed 5", "resolved [",
];

static LEVEL_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"level"));
static TIME_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"time\":"));
static FAILURE_WORD_FINDER: LazyLock<LiteralFinder> = LazyLock::new(|| LiteralFinder::new(&FAILURE_WORDS, true));

/// Checks whether the trimmed line reports no problem.
pub(crate) fn is_progress_line(line: &[u8]) -> bool {
    // A line that ends with a colon announces the next line.
    let harmless = |message: usize| !line.ends_with(b":") && !mentions_failure(&line[message..]);
    match byte_at(line, 0) {
        b'0'..=b'9' => {
            is_successful_request(line) || is_go_log(line) || skip_header_below_warning(line).is_some_and(harmless)
        }
        b':' => is_successful_request(line),
        b'[' => skip_header_below_warning(line).is_some_and(harmless),
        b'I' | b'D' | b'T' | b'N' | b'F' => skip_level_below_warning(line).is_some_and(harmless),
        b't' if line.starts_with(b"test ") => line.ends_with(b" ... ok"),
        b'{' => has_level_below_warning(line) && harmless(0),
        b'l' | b't' => is_logfmt(line) && has_level_below_warning(line) && harmless(0),
        b'o' => is_passed_test(line),
        b'P' => line.strip_prefix(b"PASS ").is_some_and(starts_with_file_or_class),
        b'-' | 0xe2 => PASSED_TEST_MARKS.matches_start(line),
        _ => false,
    }
}

/// Checks whether the text mentions a problem.
pub(crate) fn mentions_failure(text: &[u8]) -> bool {
    FAILURE_WORD_FINDER.occur_in(text)
}

/// Checks whether the next lines belong to this line: a value that an assertion prints, or a traceback.
pub(crate) fn expects_continuation(line: &[u8]) -> bool {
    let count = |wanted: u8| memchr::memchr_iter(wanted, line).count();
    // A log line such as `[ERROR] Failures:` announces nothing.
    let label = line.ends_with(b":") && !matches!(byte_at(line, 0), b'[' | b'0'..=b'9');
    let value = || count(b'<') > count(b'>') || count(b'"') % 2 == 1 || line.ends_with(b" got");
    label || line.ends_with(b"(most recent call last):") || value()
}

/// Checks for a passed test: `ok 3 - adds` of TAP, `ok  \tshop/cart\t0.012s` of Go.
fn is_passed_test(line: &[u8]) -> bool {
    let number = digits_end(line, 3);
    let tap = number > 3 && (number == line.len() || line[number..].starts_with(b" - "));
    line.starts_with(b"ok ") && (tap || matches!(line[2..], [b' ', b' ' | b'\t', ..]))
}

/// Checks whether the first word names a file or a class: `src/cart.test.ts (5.1 s)`.
fn starts_with_file_or_class(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text[..run_end(text, 0, |byte| byte != b' ')].iter().any(|byte| matches!(byte, b'/' | b'\\' | b'.'))
}

/// Checks for a line of Go's logger, `2006/01/02 15:04:05 message`, which other goroutines may print during a failing
/// test. Excludes programs such as nginx, which print a level after the same time stamp: `… [emerg] message`.
fn is_go_log(line: &[u8]) -> bool {
    const TIME_STAMP_SHAPE: &[u8; 20] = b"0000/00/00 00:00:00 ";
    let stamped = line.len() > TIME_STAMP_SHAPE.len()
        && line
            .iter()
            .zip(TIME_STAMP_SHAPE)
            .all(|(&byte, &shape)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape });
    stamped && {
        let level =
            &line[TIME_STAMP_SHAPE.len()..run_end(line, TIME_STAMP_SHAPE.len(), |byte| byte.is_ascii_uppercase())];
        line[TIME_STAMP_SHAPE.len()] != b'[' && !log_level::is_problem_level(level)
    }
}

/// Returns the start of the message in `INFO: message`, `DEBUG    shop:cart.py:12 message`, `INFO [main] message`.
/// Returns `None` for a sentence such as `INFO is no level`.
fn skip_level_below_warning(line: &[u8]) -> Option<usize> {
    let end = run_end(line, 0, |byte| byte.is_ascii_uppercase());
    let ends = matches!(byte_at(line, end), b':' | b' ' | b'\t') && !continues_as_sentence(&line[end..]);
    (ends && log_level::is_level_below_warning(&line[..end])).then_some(end)
}

/// Returns the start of the message in `2026-01-02 10:00:00.123  INFO 12 --- [main] message`, `[INFO] message`,
/// `[2026-01-02 10:00:00] shop.DEBUG: message`.
fn skip_header_below_warning(line: &[u8]) -> Option<usize> {
    let reach = &line[..line.len().min(MAX_HEADER_SEARCH_BYTES)];
    let mut end = 0;
    while let Some(start) = find_two_capitals(reach, end) {
        end = run_end(reach, start, |byte| byte.is_ascii_uppercase());
        let word = &reach[start..end];
        if log_level::is_problem_level(word) {
            return None;
        }
        if log_level::is_level_below_warning(word) {
            let ends = matches!(byte_at(line, end), b' ' | b'\t' | b']' | b')' | b':' | b'|');
            return (ends && is_log_header(&line[..start], &line[end..])).then_some(end);
        }
    }
    None
}

/// Returns the position of two adjacent capital letters from `start` on.
fn find_two_capitals(text: &[u8], start: usize) -> Option<usize> {
    let mut position = start;
    while let Some(bytes) = text[position..].first_chunk::<17>() {
        let [first, second] = [0, 1].map(|from| {
            let bytes: [u8; 16] = *bytes[from..].first_chunk().expect("the window is 1 byte longer");
            range_mask(u8x16::new(bytes), b'A', b'Z')
        });
        let found = (first & second).to_bitmask();
        if found != 0 {
            return Some(position + found.trailing_zeros() as usize);
        }
        position += 16;
    }
    let pair = text[position..].windows(2).position(|pair| pair.iter().all(u8::is_ascii_uppercase));
    pair.map(|gap| position + gap)
}

/// Checks whether the level continues as a sentence: ` is no level`.
fn continues_as_sentence(after: &[u8]) -> bool {
    let end = run_end(after, 1, |byte| byte.is_ascii_alphabetic());
    byte_at(after, 0) == b' ' && (end == after.len() || end > 1 && after[end] == b' ')
}

/// Checks whether the text before the level is a log header: it starts with a time stamp or a bracket and contains no
/// words of a sentence.
fn is_log_header(before: &[u8], after: &[u8]) -> bool {
    let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|');
    let mut words = before.split(separator).filter(|word| !word.is_empty());
    let begins = match words.next() {
        Some(b"[") => true,
        // SLF4J prints only a thread before the level: `[main] INFO com.acme.Cart - message`.
        Some([b'[', name @ .., b']']) if is_thread_name(name) => !continues_as_sentence(after),
        Some([b'[', date @ ..]) => is_time(date),
        Some(word) => is_time(word),
        None => false,
    };
    begins && words.all(is_header_word)
}

fn is_thread_name(name: &[u8]) -> bool {
    !name.is_empty() && !is_time(name) && name.iter().all(|&byte| is_word_byte(byte) || b"-._/#$".contains(&byte))
}

/// Checks for a date, a time of day with seconds, or the digits of a date or time.
fn is_time(word: &[u8]) -> bool {
    let marks = word.iter().filter(|byte| matches!(byte, b'-' | b':' | b'/')).count();
    let marked = marks >= 2 && word[0].is_ascii_digit() && word.last() != Some(&b':');
    marked || digits_end(word, 0) >= 6
}

/// Checks for a number, a logger, a thread or a time zone, as opposed to a word of a sentence or a level of a single
/// letter.
fn is_header_word(word: &[u8]) -> bool {
    let whole = word.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`'));
    let letters = word.iter().all(u8::is_ascii_alphabetic);
    let zone = word.len() > 1 && word.iter().all(u8::is_ascii_uppercase);
    let clause = match word.last() {
        Some(b',') => !word[0].is_ascii_digit(),
        last => last == Some(&b':'),
    };
    whole && !clause && (!letters || zone)
}

/// Checks for a line such as `time=… level=info …`.
fn is_logfmt(line: &[u8]) -> bool {
    [&b"time="[..], b"ts=", b"t=", b"level="].iter().any(|key| line.starts_with(key))
}

/// Checks whether the first key for a level has a value below a warning: `{"level":"info",…}`, `time=… level=info …`.
fn has_level_below_warning(line: &[u8]) -> bool {
    let start = &line[..line.len().min(MAX_KEY_SEARCH_BYTES)];
    let value = LEVEL_KEY.find_iter(start).find_map(|found| find_level_value(start, found));
    value.is_some_and(|value| {
        // A number is a level only in a line with a time.
        log_level::is_value_below_warning(value)
            || NUMBERS_BELOW_WARNING.contains(&value) && TIME_KEY.find(line).is_some()
    })
}

/// Returns the value of the key at `start` if the key is a level: `level=`, `"level":`, `"log.level":`, not
/// `"log_level":`.
fn find_level_value(line: &[u8], start: usize) -> Option<&[u8]> {
    let before = &line[..start];
    let key = if byte_at(line, 0) == b'{' {
        before.ends_with(b"\"") || before.ends_with(b"\"log.")
    } else {
        matches!(before.last(), None | Some(b' '))
    };
    let rest = &line[start + LEVEL_KEY.needle().len()..];
    let marks = run_end(rest, 0, |byte| matches!(byte, b'"' | b':' | b'=' | b' '));
    let end = run_end(rest, marks, |byte| byte.is_ascii_alphanumeric());
    let given = rest[..marks].iter().any(|byte| matches!(byte, b':' | b'='));
    (key && given).then_some(&rest[marks..end])
}

/// Checks for an access log line whose status is below 400.
fn is_successful_request(line: &[u8]) -> bool {
    matches!(access_log::status_class(line), Some(b'1'..=b'3'))
}

#[cfg(test)]
mod tests {
    use super::is_progress_line;

    #[test]
    fn progress_matches_and_messages_do_not() {
        let progress = [
            "2026-01-02 10:00:00.123  INFO 812 --- [nio-8080-exec-1] c.a.shop.Cart : opened",
            "2026-01-02T10:00:00Z DEBUG shop::cart: opened",
            "2026-01-02 10:00:00,123 - shop.cart - INFO - opened",
            "10:00:00.123 [main] DEBUG com.acme.Cart -- opened",
            "[2026-01-02 10:00:00] local.INFO: opened",
            "[2026-01-02T10:00:00Z INFO  shop::cart] opened",
            "[10:00:00 INF] opened",
            "[main] INFO com.acme.Cart - opened",
            "[INFO] Scanning for projects...",
            "081109 203615 148 INFO dfs.DataNode$PacketResponder: opened",
            "2026/01/02 10:00:00 opened",
            "[2026-01-02, 10:00:00 UTC] {cart.py:93} INFO - opened",
            "2026-01-02 10:00:00 UTC [812] INFO opened",
            "::1 - - [02/Jan/2026:10:00:00 +0000] \"GET /error HTTP/1.1\" 304 -",
            "INFO:root:opened",
            "INFO [main] opened",
            "DEBUG    shop:cart.py:12 opened",
            "{\"level\":\"info\",\"msg\":\"opened\"}",
            "{\"time\":1767348000,\"level\":30,\"msg\":\"opened\"}",
            "{\"@timestamp\":\"2026-01-02\",\"log.level\": \"INFO\"}",
            "time=\"2026-01-02T10:00:00Z\" level=info msg=opened",
            "level=debug ts=2026-01-02T10:00:00Z msg=opened",
            "192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET /cart HTTP/1.1\" 200 512",
            "✓ adds (3 ms)",
            "PASS src/cart.test.ts (5.1 s)",
            "ok 3 - adds",
            "ok  \tshop/cart\t0.012s",
            "test cart::total ... ok",
        ];
        let messages = [
            "2026-01-02 10:00:00.123 ERROR 812 --- [main] c.a.shop.Cart : level INFO is unknown",
            "2026-01-02 10:00:00.123  WARN 812 --- [main] c.a.shop.Cart : retrying at INFO",
            "2026-01-02 10:00:00 expected INFO to equal DEBUG",
            "2026-01-02 10:00:00 expected: INFO",
            "3 INFO messages expected, 2 found",
            "12: INFO is no level",
            "[ERROR] INFO is no level",
            "[info] - totals *** FAILED ***",
            "INFORMATION_SCHEMA.TABLES does not exist",
            "INFO",
            "DEBUG=1 is not set",
            "TypeError: level=info is no function",
            "{\"level\":\"error\",\"msg\":\"level info\"}",
            "{\"level\":50,\"msg\":\"refused\"}",
            "{\"msg\":\"refused\",\"water level\":\"low\"}",
            "test info level=info",
            "time: level is info",
            "192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET /cart HTTP/1.1\" 500 12",
            "2026-01-02 10:00:00 UTC [812] LOG:  syntax error in file \"postgresql.conf\" line 9",
            "2026-01-02 10:00:00 UTC [812] LOG:  checkpoint starting: time",
            "01-02 10:00:00.123  4321  4321 F DEBUG   : backtrace:",
            "[2026-01-02, 10:00:00 UTC] {subprocess.py:93} INFO - KeyError: 'total'",
            "2026-01-02 10:00:01,123 INFO exited: api (exit status 1; not expected)",
            "INFO:     127.0.0.1:1234 - \"POST /cart HTTP/1.1\" 500 Internal Server Error",
            "[INFO] Chrome Headless 120.0 (Linux) Cart shows the total FAILED",
            "2026/01/02 10:00:00 ERROR refused db=orders",
            "2026/01/02 10:00:00 [emerg] 1#1: host not found in upstream \"api\"",
            "time=\"2026-01-02T10:00:00Z\" level=fatal msg=\"no port\" log-level=info",
            "{\"level\":\"fatal\",\"log_level\":\"info\",\"text\":\"no table\"}",
            "{\"name\":\"bob\",\"level\":20,\"hp\":-1}",
            "[GET, TRACE]",
            "[\"INFO opened\"]",
            "[[INFO] opened]",
            "[ReferenceError: LOG is no function]",
            "[chromium] › cart.spec.ts:3:5 › INFO banner is shown",
            "[10:00:00 ERR] DEBUG symbols are gone",
            "2026-01-02T10:00:00.1234567Z NameError: DEBUG is no name",
            "1.2.3.4 INFO service is gone",
            "10.0.0.1:8080 DEBUG endpoint must be closed",
            "12:15: TRACE undeclared",
            "00:01 +0 -1: DEBUG banner [E]",
            "INFO line is gone",
            "TRACE header differs",
            "ok, so what",
            "ok 200 is not 500",
            "PASS rate is 3 not 4",
            "total=3 level=info",
            "{ level: \"info\", total: 3 }",
            "[Cart] DEBUG flag is on",
            "2026-01-02 10:00:00 DEBUG org.hibernate.SQL :",
            "[2026-01-02, 10:00:00 UTC] {subprocess.py:93} INFO - relation \"orders\" does not exist",
            "{\"level\":30,\"time\":1,\"res\":{\"statusCode\":503},\"msg\":\"request completed\"}",
            "{\"level\": \"info\", \"status\": 404, \"msg\": \"done\"}",
            "[10:00:00 INF] HTTP GET /cart responded 500 in 34.1 ms",
            "INFO: b> but was: <INFO: a",
            "test cart::total ... FAILED",
            "PASSWORD is not set",
            "192.0.2.1 refused the connection",
            "expected 192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET /cart HTTP/1.1\" 200 12",
            "",
        ];
        assert_eq!(progress.iter().find(|line| !is_progress_line(line.as_bytes())), None);
        assert_eq!(messages.iter().find(|line| is_progress_line(line.as_bytes())), None);
    }
}
