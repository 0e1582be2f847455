//! Redacts the values of `Authorization` and `Cookie`. `assign` finds the names of the headers.

use crate::redact::{
    judge::value,
    scan::{BLANK, ByteSet, ENCODED_TEXT, Scan},
};

/// Maximum length of a header line. Servers reject longer lines.
const MAX_HEADER_BYTES: usize = 8192;
static BEFORE_CREDENTIALS: ByteSet = ByteSet::new(" \t[({\\\"'`");
static CREDENTIAL_END: ByteSet = ByteSet::new(" \t\r\n\"'`,;<>\\)]}");
static SCHEME_BYTES: ByteSet = ByteSet::new("A-Za-z0-9-");

/// Redacts `Bearer x`, `Basic x`, `Digest a="..", response=".."`, or credentials without a scheme.
pub(in crate::redact) fn redact_authorization(scan: &mut Scan<'_>, at: usize) {
    let at = if scan.starts_with(at, b"%20") { at + 3 } else { at };
    // Skip the `b` of a Python literal: `b'AWS4-HMAC-SHA256 ..'`.
    let at = if scan.starts_with(at, b"b'") || scan.starts_with(at, b"b\"") { at + 1 } else { at };
    let start = scan.run_end(at, &BEFORE_CREDENTIALS, 12);
    let line = line_end(scan, start);
    let first = scan.run_end(start, &SCHEME_BYTES, 32);
    let scheme = scan.slice(start, first).to_ascii_lowercase();
    let after = scan.run_end(first, &BLANK, 8);
    let encoded = scan.starts_with(first, b"%20") || scan.starts_with(first, b"+");
    if matches!(&scheme[..], b"digest" | b"hawk" | b"oauth" | b"aws4-hmac-sha256" | b"signature" | b"mac")
        && after > first
    {
        return redact_parameters(scan, after, line);
    }
    if after > first && after < line {
        let from = if scan.starts_with(after, b"token=") { after + 6 } else { after };
        let from = scan.run_end(from, &BEFORE_CREDENTIALS, 4);
        return redact_credentials(scan, from, line, is_scheme(&scheme));
    }
    // A folded header continues on an indented line.
    let folded = scan.run_end(line, &WHITE_SPACE, 80);
    if after == line && is_scheme(&scheme) && matches!(scan.byte_before(folded), b' ' | b'\t') && folded > line + 1 {
        let end = line_end(scan, folded);
        return redact_credentials(scan, folded, end, true);
    }
    let from =
        if encoded && is_scheme(&scheme) { first + if scan.byte_at(first) == b'+' { 1 } else { 3 } } else { start };
    redact_credentials(scan, from, line, from > start);
}

static WHITE_SPACE: ByteSet = ByteSet::new(" \t\r\n");

fn is_scheme(word: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const SCHEMES: &[&[u8]] = &[
        b"bearer", b"basic", b"token", b"apikey", b"api-key", b"negotiate", b"ntlm", b"bot", b"sso-key", b"ssws",
        b"geniekey", b"splunk", b"key", b"jwt", b"shippotoken", b"klaviyo-api-key", b"discogs", b"snowflake",
        b"zoho-oauthtoken", b"sharedaccesssignature", b"sharedkey", b"client-id", b"access-token", b"dpop",
        b"kakaoak",
    ];
    SCHEMES.contains(&word)
}

fn redact_credentials(scan: &mut Scan<'_>, start: usize, line: usize, known_scheme: bool) {
    let mut end = start;
    while end < line && !CREDENTIAL_END.has(scan.text[end]) {
        end += 1;
    }
    while end > start && matches!(scan.text[end - 1], b'.' | b':') {
        end -= 1;
    }
    // A placeholder such as `<token>` or `${TOKEN}` ends at its closing bracket.
    let text = scan.slice(start, end.max(start));
    let wide = scan.slice(start, end + 1);
    let enough = if known_scheme {
        text.len() >= 4 && (text.len() >= 16 || !value::is_code(text))
    } else {
        text.len() >= 8 && value::is_random(text) && !value::is_code(text)
    };
    if enough && !value::is_placeholder(text) && !value::is_placeholder(wide) && !value::is_dummy_token(text) {
        scan.add_by_name("authorization", start, end);
    }
}

/// Redacts the parameters that prove the identity of the client, as in `response="x", nonce=y`. Keeps the names.
fn redact_parameters(scan: &mut Scan<'_>, start: usize, line: usize) {
    #[rustfmt::skip] // One word per line would fill a page.
    const SECRET_PARAMETERS: &[&str] = &[
        "response", "nonce", "cnonce", "mac", "oauth_token", "oauth_signature", "oauth_nonce", "signature",
        "oauth_consumer_key", "opaque",
    ];
    let mut at = start;
    while at < line {
        let name_end = scan.run_end(at, &PARAMETER_BYTES, 40);
        if name_end == at || scan.byte_at(name_end) != b'=' {
            at = name_end.max(at + 1);
            continue;
        }
        let name = String::from_utf8_lossy(scan.slice(at, name_end)).to_ascii_lowercase();
        let value = scan.run_end(name_end + 1, &BEFORE_CREDENTIALS, 3);
        let end = scan.run_end(value, &ENCODED_TEXT, line.saturating_sub(value)).max(value);
        let text = scan.slice(value, end);
        if SECRET_PARAMETERS.contains(&name.as_str()) && text.len() >= 6 && !value::is_placeholder(text) {
            scan.add_by_name("authorization", value, end);
        }
        at = end.max(name_end + 1);
    }
}

static PARAMETER_BYTES: ByteSet = ByteSet::new("A-Za-z_");

/// Redacts the values in `a=1; b=2`, or of the only pair of `Set-Cookie`. Names and attributes stay.
pub(in crate::redact) fn redact_cookies(scan: &mut Scan<'_>, at: usize, is_set_cookie: bool) {
    let start = scan.run_end(at, &BEFORE_CREDENTIALS, 12);
    if start < scan.cookies_done {
        return;
    }
    let line = line_end(scan, start);
    scan.cookies_done = line;
    let mut pair = start;
    while pair < line {
        let mut end = pair;
        while end < line && !ends_cookie(scan, end) {
            end += 1;
        }
        redact_cookie_pair(scan, pair, end);
        let attributes = is_set_cookie && scan.byte_at(end) == b';';
        // Attributes such as `Path=/; HttpOnly` end at the next cookie of a list.
        pair = if attributes {
            find_next_cookie(scan, end, line)
        } else {
            scan.run_end(end, &PAIR_BREAK, 16).max(end + 1)
        };
    }
}

static PAIR_BREAK: ByteSet = ByteSet::new("; ,\t\"'\\[]");

fn ends_cookie(scan: &Scan<'_>, at: usize) -> bool {
    match scan.text[at] {
        b';' | b'"' | b'\'' | b'`' | b' ' | b'\t' | b'\\' | b']' => true,
        b',' => matches!(scan.byte_at(at + 1), b' ' | b'"' | b'\''),
        _ => false,
    }
}

fn find_next_cookie(scan: &Scan<'_>, from: usize, line: usize) -> usize {
    let rest = scan.slice(from, line);
    let next = rest.windows(2).position(|two| matches!(two[0], b'"' | b'\'') && two[1] == b',');
    next.map_or(line, |at| scan.run_end(from + at + 1, &PAIR_BREAK, 16).min(line))
}

fn redact_cookie_pair(scan: &mut Scan<'_>, start: usize, end: usize) {
    let Some(equals) = scan.slice(start, end).iter().position(|&byte| byte == b'=') else {
        return redact_unnamed_cookie(scan, start, end);
    };
    let value = scan.run_end(start + equals + 1, &BEFORE_CREDENTIALS, 2).min(end);
    let text = scan.slice(value, end);
    // Excludes `theme=dark`, `lang=en-US` and `consent=1`.
    let harmless =
        text.len() < 6 || (text.len() < 16 && text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-'));
    if !harmless
        && !value::is_placeholder(text)
        && !value::is_dummy_token(text)
        && !is_cookie_attribute(scan.slice(start, start + equals))
    {
        scan.add_by_name("cookie", value, end);
    }
}

fn redact_unnamed_cookie(scan: &mut Scan<'_>, start: usize, end: usize) {
    let text = scan.slice(start, end);
    if text.len() >= 20 && value::is_random(text) && !value::is_code(text) && !value::is_placeholder(text) {
        scan.add_by_name("cookie", start, end);
    }
}

fn is_cookie_attribute(name: &[u8]) -> bool {
    ["path", "domain", "expires", "max-age", "samesite", "priority"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns the end of a header line: a newline, an escaped newline, or the quote that encloses the whole header.
fn line_end(scan: &Scan<'_>, start: usize) -> usize {
    let limit = scan.text.len().min(start + MAX_HEADER_BYTES);
    let stop = |at: usize| {
        matches!(scan.text[at], b'\n' | b'\r')
            || (scan.text[at] == b'\\' && matches!(scan.byte_at(at + 1), b'n' | b'r'))
    };
    let quote = scan.byte_before(start);
    let closes = |at: usize| {
        matches!(quote, b'"' | b'\'' | b'`') && scan.text[at] == quote && !matches!(scan.byte_before(at), b'=')
    };
    let list = scan.slice(start.saturating_sub(3), start).contains(&b'[');
    (start..limit).find(|&at| stop(at) || (!list && closes(at))).unwrap_or(limit)
}
