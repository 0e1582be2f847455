//! Redacts passwords in URLs and connection strings. `assign` reads query parameters.

use crate::redact::{
    judge::{prose, value},
    scan::{ByteSet, DIGIT, Scan},
};

const MAX_AUTHORITY_BYTES: usize = 4096;
static URL_END: ByteSet = ByteSet::new(" \t\r\n\"'`<>\\|");
static HOST_BYTES: ByteSet = ByteSet::new("A-Za-z0-9_.[]:-");
static USER_BYTES: ByteSet = ByteSet::new("A-Za-z0-9_.%+~-");

/// Redacts the password in `scheme://user:password@host`, or a single token before the `@`.
pub(super) fn redact_url_password(scan: &mut Scan<'_>, hit: usize) {
    let start = hit + "://".len();
    let limit = scan.text.len().min(start + MAX_AUTHORITY_BYTES);
    let Some((at, colon)) = find_userinfo_end(scan, start, limit) else { return };
    let Some(colon) = colon else {
        return redact_lone_token(scan, start, at);
    };
    let password = scan.slice(colon + 1, at);
    if is_password_placeholder(password) {
        redact_lone_token(scan, start, colon);
    } else if !value::is_placeholder(password) {
        scan.add_by_name("url-password", colon + 1, at);
    }
}

/// Returns the end of the userinfo and the position of its colon.
fn find_userinfo_end(scan: &Scan<'_>, start: usize, limit: usize) -> Option<(usize, Option<usize>)> {
    let mut colon = None;
    let mut at = None;
    let mut path = None;
    for index in start..limit {
        match scan.text[index] {
            byte if URL_END.has(byte) && !(byte == b'<' || byte == b'>') => break,
            b':' if colon.is_none() && at.is_none() => colon = Some(index),
            b'@' if path.is_none() || is_host(scan, index + 1) => at = Some(index),
            // After `host:8080/`, an `@` belongs to the path. Elsewhere, `/`, `?` and `#` may be in the password.
            b'/' | b'?' | b'#' if path.is_none() => {
                let host = at.is_some_and(|at| index > at + 2 && is_host(scan, at + 1));
                if host || !colon.is_some_and(|colon| may_be_password(scan, start, colon, index)) {
                    break;
                }
                path = Some(index);
            }
            // Excludes ports: `sqlserver://host:1433;user=..`, `mongodb://a:1,b:2`.
            b';' | b',' if colon.is_some_and(|colon| scan.run_end(colon + 1, &DIGIT, 6) == index) => break,
            _ => {}
        }
    }
    let at = at?;
    Some((at, colon.filter(|&colon| colon < at)))
}

/// Checks that the text before the colon is a name, and that the text between the colon and `index` is not a port.
fn may_be_password(scan: &Scan<'_>, start: usize, colon: usize, index: usize) -> bool {
    scan.run_end(colon + 1, &DIGIT, 6) != index && scan.run_end(start, &USER_BYTES, 256) == colon
}

/// Checks for a host and port before the end of an authority.
fn is_host(scan: &Scan<'_>, start: usize) -> bool {
    let end = scan.run_end(start, &HOST_BYTES, 256);
    end > start && matches!(scan.byte_at(end), b'/' | b'?' | b',' | b' ' | b'"' | b'\'' | b'\n' | b'\r' | b')' | 0)
}

/// Checks for a fixed word in place of the password. The text before the colon is then the token.
fn is_password_placeholder(password: &[u8]) -> bool {
    password.is_empty() || matches!(password, b"x-oauth-basic" | b"x-token-auth" | b"api_token" | b"X")
}

fn redact_lone_token(scan: &mut Scan<'_>, start: usize, end: usize) {
    let token = scan.slice(start, end);
    if token.len() >= 16 && value::is_random(token) && !value::is_placeholder(token) {
        scan.add_by_name("url-token", start, end);
    }
}

/// Redacts the password of a login without a scheme: `CORP/bob:password@10.0.0.12`.
pub(super) fn redact_login_without_scheme(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_start(hit, &LOGIN_BYTES, 128);
    let text = scan.slice(start, hit);
    let Some(colon) = text.iter().position(|&byte| byte == b':') else { return };
    let (user, password) = (&text[..colon], &text[colon + 1..]);
    if user == b"mailto" {
        return;
    }
    let end = scan.run_end(hit + 1, &HOST_BYTES, 256);
    let host = scan.slice(hit + 1, end);
    let dotted = host.contains(&b'.') || host.starts_with(b"localhost");
    let named = user.first().is_some_and(u8::is_ascii_alphabetic)
        && user.iter().all(|&byte| USER_BYTES.has(byte) || matches!(byte, b'/' | b'\\'));
    // Excludes `file.ts:10@..`, `image:tag@sha256:..` and `npm:name@1.2.3`.
    let version = host.first().is_some_and(u8::is_ascii_digit) && memchr::memchr_iter(b'.', host).count() != 3;
    if named
        && dotted
        && !version
        && password.len() >= 6
        && prose::mixes_letters_with_digits_or_marks(password)
        && !password.contains(&b'/')
    {
        scan.add_by_name("url-password", start + colon + 1, hit);
    }
}

static LOGIN_BYTES: ByteSet = ByteSet::new("A-Za-z0-9_.~!#$%^&*+=:/\\-");
