//! Logins that an encoding hides: base64 of `user:password`, addresses in percent escapes, tokens whose first part is one.
//! What a name or a header introduces is decoded by `judge` and `headers`.

use super::blocks;
use crate::redact::{
    judge::value,
    scan::{BASE64, Scan, Set, WORD},
};

/// Base64 of the shortest `user:password` worth taking.
const MIN_ENCODED_BYTES: usize = 16;
const MAX_ENCODED_BYTES: usize = 128;

/// Every run of base64 in the text. A run of sixteen covers one of every sixteenth bytes, so only those are looked at.
pub(super) fn runs(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.text.len() {
        if !RUN.has(scan.text[at]) || !is_long_run(scan, at) {
            at += MIN_ENCODED_BYTES;
            continue;
        }
        let start = scan.run_back(at, &RUN, MAX_ENCODED_BYTES);
        let end = scan.run(scan.run(at, &RUN, MAX_ENCODED_BYTES), &PADDING, 2);
        look_at_run(scan, start, end);
        at = end.max(at + MIN_ENCODED_BYTES);
    }
}

/// A run of sixteen reaches eight further on one side; most words do not.
fn is_long_run(scan: &Scan<'_>, at: usize) -> bool {
    let has = |index: usize| RUN.has(scan.at(index));
    (has(at + 8) && has(at + 4)) || (at >= 8 && has(at - 8) && has(at - 4))
}

/// Base64 without `+` and `/`, to which only `>`, `?` and `~` of ASCII lead; with them every path would be a run.
static RUN: Set = Set::new("A-Za-z0-9");
static PADDING: Set = Set::new("=");

fn look_at_run(scan: &mut Scan<'_>, start: usize, end: usize) {
    let text = scan.slice(start, end);
    if text.len() < MIN_ENCODED_BYTES
        || text.len() >= MAX_ENCODED_BYTES
        || matches!(scan.before(start), b'-' | b'_' | b'%')
    {
        return;
    }
    // Most runs are words, and words have no such first letters.
    if matches!(text[0], b'M' | b'N' | b'O') && scan.at(end) == b'.' {
        bot_token(scan, start, end);
    } else if text.len().is_multiple_of(4) && text.iter().any(u8::is_ascii_uppercase) && is_login(text) {
        scan.add_by_name("base64-login", start, end);
    }
}

/// `user:password`, both as people have them.
fn is_login(text: &[u8]) -> bool {
    // A first look at what the beginning decodes to spares the rest.
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

/// `id.time.signature` of Discord: the first part is a number in base64.
fn bot_token(scan: &mut Scan<'_>, start: usize, end: usize) {
    let id = blocks::decode_base64(scan.slice(start, end));
    let second = scan.run(end + 1, &WORD, 16);
    let third = scan.run(second + 1, &WORD, 80);
    let numeric = (16..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit);
    if numeric && scan.at(second) == b'.' && (5..=8).contains(&(second - end - 1)) && third - second > 26 {
        scan.add_by_format("discord-token", start, third);
    }
}

/// `AUTH PLAIN x`, `AUTH LOGIN x` of SMTP.
pub(super) fn sasl(scan: &mut Scan<'_>, hit: usize) {
    let start = hit + "auth plain ".len();
    let end = scan.run(start, &BASE64, 512);
    let decoded = blocks::decode_base64(scan.slice(start, end));
    let printable = decoded.iter().all(|byte| byte.is_ascii_graphic() || *byte == 0);
    if end - start >= 8 && (end - start).is_multiple_of(4) && printable && scan.ends_token(end) {
        scan.add_by_name("authorization", start, end);
    }
}

/// `https%3A%2F%2Fbob%3Ax%40host`.
pub(super) fn userinfo(scan: &mut Scan<'_>, hit: usize) {
    let user = hit + "%3A%2F%2F".len();
    let user_end = scan.run(user, &UNESCAPED, 128);
    if user_end == user || !is_escape(scan, user_end, b"%3A") {
        return;
    }
    let start = user_end + "%3A".len();
    let limit = scan.text.len().min(start + 256);
    let mut at = start;
    while at < limit && (UNESCAPED.has(scan.text[at]) || scan.text[at] == b'%' || PASSWORD.has(scan.text[at])) {
        if is_escape(scan, at, b"%40") {
            let text = scan.slice(start, at);
            if !text.is_empty() && !value::is_placeholder(text) {
                scan.add_by_name("url-password", start, at);
            }
            return;
        }
        if is_escape(scan, at, b"%2F") {
            return;
        }
        at += 1;
    }
}

static UNESCAPED: Set = Set::new("A-Za-z0-9_.~-");
static PASSWORD: Set = Set::new("!*'()$+,");

fn is_escape(scan: &Scan<'_>, at: usize, escape: &[u8]) -> bool {
    scan.slice(at, at + 3).eq_ignore_ascii_case(escape)
}
