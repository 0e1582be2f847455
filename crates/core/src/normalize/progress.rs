//! Tells the lines that say how things went along: of a log below the level of a warning, of a request that was answered,
//! of a test that passed.
//! Does not: guess. A line whose level stands anywhere but in the header of a log line is a message.

use super::bytes::{at, digits, run, starts_with_any};
use crate::access_log;
use memchr::memmem::Finder;
use std::sync::LazyLock;
use wide::u8x16;

/// Bytes of a line that its level is looked for in, after time stamp, host, process, thread and logger.
const HEADER_REACH: usize = 96;
/// Bytes of a structured line that its level is looked for in.
const KEYS_REACH: usize = 128;
/// Levels below a warning, as loggers print them; `LOG` is PostgreSQL's.
const QUIET: [&[u8]; 9] = [b"INFO", b"INF", b"DEBUG", b"DBG", b"TRACE", b"NOTICE", b"FINE", b"VERBOSE", b"LOG"];
/// Levels that say that something is wrong.
const LOUD: [&[u8]; 7] = [b"WARN", b"WARNING", b"ERROR", b"SEVERE", b"CRITICAL", b"FATAL", b"PANIC"];
/// What runners print before the name of a test that passed.
const PASSED: [&str; 5] = ["✓ ", "✔ ", "√ ", "PASS ", "--- PASS: "];
/// What a key of a structured line gives for them; the numbers are pino's.
const QUIET_VALUES: [&[u8]; 7] = [b"info", b"debug", b"trace", b"notice", b"10", b"20", b"30"];

static LEVEL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"level"));

/// Whether the line, trimmed, tells of no trouble.
pub(crate) fn is_progress(line: &[u8]) -> bool {
    match at(line, 0) {
        b'0'..=b'9' => is_go_log(line) || is_answered(line) || has_quiet_header(line),
        b'<' => is_answered(line) || line.starts_with(b"<TIMESTAMP>") && has_quiet_header(line),
        b'[' => has_quiet_header(line),
        b'I' | b'D' | b'T' | b'N' | b'F' => begins_with_level(line),
        b'{' | b'l' => has_quiet_key(line),
        b't' => has_quiet_key(line) || line.starts_with(b"test ") && line.ends_with(b" ... ok"),
        b'o' => is_ok(line),
        b'P' | b'-' | 0xe2 => starts_with_any(line, &PASSED),
        _ => false,
    }
}

/// `ok 3 - adds` of TAP, `ok  \tshop/cart\t0.012s` of Go.
fn is_ok(line: &[u8]) -> bool {
    line.starts_with(b"ok ") && (at(line, 3).is_ascii_digit() || matches!(line[2..], [b' ', b' ' | b'\t', ..]))
}

/// `2006/01/02 15:04:05 message`: Go's own log has no levels, and a test's failure is not in it.
fn is_go_log(line: &[u8]) -> bool {
    const SHAPE: &[u8; 20] = b"0000/00/00 00:00:00 ";
    line.len() > SHAPE.len()
        && line
            .iter()
            .zip(SHAPE)
            .all(|(&byte, &shape)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape })
}

/// `INFO: message`, `DEBUG    shop:cart.py:12 message`.
fn begins_with_level(line: &[u8]) -> bool {
    let end = run(line, 0, |byte| byte.is_ascii_uppercase());
    matches!(at(line, end), b':' | b' ' | b'\t') && QUIET.contains(&&line[..end])
}

/// `2026-01-02 10:00:00.123  INFO 12 --- [main] …`, `[INFO] …`, `[2026-01-02 10:00:00] shop.DEBUG: …`.
fn has_quiet_header(line: &[u8]) -> bool {
    let reach = &line[..line.len().min(HEADER_REACH)];
    let mut end = 0;
    while let Some(start) = two_capitals(reach, end) {
        end = run(reach, start, |byte| byte.is_ascii_uppercase());
        let word = &reach[start..end];
        if LOUD.contains(&word) {
            return false;
        }
        if QUIET.contains(&word) {
            return matches!(at(line, end), b' ' | b'\t' | b']' | b')' | b':' | b'|') && is_header(&line[..start]);
        }
    }
    false
}

/// Where from `start` on two capital letters stand side by side.
fn two_capitals(text: &[u8], start: usize) -> Option<usize> {
    let mut position = start;
    while let Some(bytes) = text[position..].first_chunk::<17>() {
        let [first, second] = [0, 1].map(|from| capitals(*bytes[from..].first_chunk().expect("it is one longer")));
        let found = (first & second).to_bitmask();
        if found != 0 {
            return Some(position + found.trailing_zeros() as usize);
        }
        position += 16;
    }
    let pair = text[position..].windows(2).position(|pair| pair.iter().all(u8::is_ascii_uppercase));
    pair.map(|gap| position + gap)
}

fn capitals(bytes: [u8; 16]) -> u8x16 {
    let offset = u8x16::new(bytes) - u8x16::splat(b'A');
    offset.min(u8x16::splat(25)).simd_eq(offset)
}

/// Whether all before the level belongs to a log's header: a time stamp or a bracket first, and nothing of a sentence.
fn is_header(before: &[u8]) -> bool {
    let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|');
    let mut words = before.split(separator).filter(|word| !word.is_empty());
    let first = words.next().is_some_and(|word| word[0] == b'[' || is_time(word));
    first && words.all(is_name)
}

/// A date, a time of day, or the digits of one.
fn is_time(word: &[u8]) -> bool {
    let marks = word.iter().any(|byte| matches!(byte, b'-' | b':' | b'/' | b'.' | b'<'));
    marks && word.len() > 4 || digits(word, 0) >= 6
}

/// Whether the word is more than letters, as a number, a logger's name or one in brackets is; or a zone.
fn is_name(word: &[u8]) -> bool {
    !word.iter().all(u8::is_ascii_alphabetic) || word.iter().all(u8::is_ascii_uppercase)
}

/// `{"level":"info",…}`, `time=… level=info …`.
fn has_quiet_key(line: &[u8]) -> bool {
    let start = &line[..line.len().min(KEYS_REACH)];
    let pairs = at(line, 0) == b'{' || at(line, run(line, 0, |byte| byte.is_ascii_alphanumeric())) == b'=';
    pairs
        && LEVEL.find_iter(start).any(|found| {
            let rest = &start[found + LEVEL.needle().len()..];
            let from = run(rest, 0, |byte| matches!(byte, b'"' | b':' | b'=' | b' '));
            let to = run(rest, from, |byte| byte.is_ascii_alphanumeric());
            let key = rest[..from].iter().any(|byte| matches!(byte, b':' | b'='));
            key && QUIET_VALUES.iter().any(|value| value.eq_ignore_ascii_case(&rest[from..to]))
        })
}

/// A line of an access log that tells of neither a refusal nor a failure.
fn is_answered(line: &[u8]) -> bool {
    matches!(access_log::status_class(line), Some(b'1'..=b'3'))
}

#[cfg(test)]
mod tests {
    use super::is_progress;

    #[test]
    fn progress_is_told_from_messages() {
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
            "2026-01-02 10:00:00.101 UTC [812] LOG:  database system is ready to accept connections",
            "2026/01/02 10:00:00 opened",
            "<TIMESTAMP> [main] INFO opened",
            "INFO:root:opened",
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
            "<IP> - bob [<TIMESTAMP>] \"GET /cart HTTP/<VERSION>\" 304 <NUM>",
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
            "ok, so what",
            "test cart::total ... FAILED",
            "PASSWORD is not set",
            "192.0.2.1 refused the connection",
            "expected 192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET /cart HTTP/1.1\" 200 12",
            "",
        ];
        assert_eq!(progress.iter().find(|line| !is_progress(line.as_bytes())), None);
        assert_eq!(messages.iter().find(|line| is_progress(line.as_bytes())), None);
    }
}
