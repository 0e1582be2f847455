//! Redacts encoded secrets: base64 of `user:password` or of a file with secrets, and tokens whose first part is base64.
//! `judge` and `headers` decode values after a name or a header.

use super::blocks;
use crate::redact::scan::{BASE64URL, ByteSet, Scan};

/// Length of the base64 of the shortest `user:password` to redact.
const MIN_ENCODED_BYTES: usize = 16;
const MAX_ENCODED_BYTES: usize = 128;

/// Checks every run of base64 for a secret. To find the runs, only every sixteenth byte is tested, because a run has at
/// least sixteen bytes.
pub(super) fn redact_base64(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.text.len() {
        if !BASE64_WITHOUT_SYMBOLS.has(scan.text[at]) || !is_inside_long_run(scan, at) {
            at += MIN_ENCODED_BYTES;
            continue;
        }
        let start = scan.run_start(at, &BASE64_WITHOUT_SYMBOLS, MAX_ENCODED_BYTES);
        let end = scan.run_end(scan.run_end(at, &BASE64_WITHOUT_SYMBOLS, MAX_ENCODED_BYTES), &PADDING, 2);
        redact_run(scan, start, end);
        at = end.max(at + MIN_ENCODED_BYTES);
    }
}

/// Checks whether at least eight bytes of base64 are on one side of `at`, which rejects most words.
fn is_inside_long_run(scan: &Scan<'_>, at: usize) -> bool {
    let has = |index: usize| BASE64_WITHOUT_SYMBOLS.has(scan.byte_at(index));
    (has(at + 8) && has(at + 4)) || (at >= 8 && has(at - 8) && has(at - 4))
}

/// Base64 without `+` and `/`. With `/`, every path would be a run of base64. Encoded ASCII contains these characters
/// only if the text has `>`, `?` or `~`.
static BASE64_WITHOUT_SYMBOLS: ByteSet = ByteSet::new("A-Za-z0-9");
static PADDING: ByteSet = ByteSet::new("=");

fn redact_run(scan: &mut Scan<'_>, start: usize, end: usize) {
    let text = scan.slice(start, end);
    if text.len() < MIN_ENCODED_BYTES || matches!(scan.byte_before(start), b'-' | b'_' | b'%') {
        return;
    }
    blocks::redact_key_lines(scan, start);
    if text.len() >= MAX_ENCODED_BYTES {
        return redact_encoded_text(scan, start);
    }
    // Check the first letters before decoding, because few words start with them.
    if matches!(text[0], b'M' | b'N' | b'O') && scan.byte_at(end) == b'.' {
        redact_discord_token(scan, start, end);
    } else if text.len().is_multiple_of(4) && text.iter().any(u8::is_ascii_uppercase) && is_login(text) {
        scan.add_by_name("base64-login", start, end);
    } else {
        redact_encoded_text(scan, start);
    }
}

/// Redacts the base64 of a text with secrets: a kubeconfig, a `.env` file, a service account key.
fn redact_encoded_text(scan: &mut Scan<'_>, at: usize) {
    if at < scan.encoded_done {
        return;
    }
    let start = scan.run_start(at, &BASE64_WITHOUT_PADDING, MAX_ENCODED_BYTES).max(scan.encoded_done);
    let end = scan.run_end(scan.run_end(at, &BASE64_WITHOUT_PADDING, MAX_TEXT_BYTES), &PADDING, 2);
    scan.encoded_done = end;
    // Decode only the start first, because most runs do not decode to text.
    if end - start < MIN_TEXT_BYTES || !is_text(&blocks::decode_base64(scan.slice(start, start + 16))) {
        return;
    }
    let decoded = blocks::decode_base64(scan.slice(start, end));
    if is_text(&decoded) && !super::find_secrets(&decoded).is_empty() {
        scan.add_by_format("base64-secret", start, end);
    }
}

/// Maximum length of an encoded text: enough for a kubeconfig of several clusters.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Length of the base64 of the shortest `name=value` to redact.
const MIN_TEXT_BYTES: usize = 24;
static BASE64_WITHOUT_PADDING: ByteSet = ByteSet::new("A-Za-z0-9+/");

fn is_text(decoded: &[u8]) -> bool {
    decoded.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'))
}

/// Checks for the base64 of a plausible `user:password`.
fn is_login(text: &[u8]) -> bool {
    // Decode only the start first, because most runs do not decode to text.
    let head = blocks::decode_base64(&text[..4]);
    if !head.iter().all(|byte| is_user_byte(*byte) || *byte == b':') {
        return false;
    }
    let decoded = blocks::decode_base64(text);
    let Some(colon) = decoded.iter().position(|&byte| byte == b':') else { return false };
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    let padded = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    (2..=40).contains(&user.len())
        && password.len() >= 5
        && padded <= 2
        && user.iter().all(|&byte| is_user_byte(byte))
        && user[0].is_ascii_alphabetic()
        && password.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b':' | b'{' | b'}' | b'"'))
        && !password.starts_with(b"//")
        && !password.iter().all(u8::is_ascii_digit)
}

fn is_user_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@' | b'$' | b'+')
}

/// Redacts a Discord token `id.time.signature`, whose first part is a number in base64.
fn redact_discord_token(scan: &mut Scan<'_>, start: usize, end: usize) {
    let id = blocks::decode_base64(scan.slice(start, end));
    let second = scan.run_end(end + 1, &BASE64URL, 16);
    let third = scan.run_end(second + 1, &BASE64URL, 80);
    let numeric = (16..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit);
    if numeric && scan.byte_at(second) == b'.' && (5..=8).contains(&(second - end - 1)) && third - second > 26 {
        scan.add_by_format("discord-token", start, third);
    }
}
