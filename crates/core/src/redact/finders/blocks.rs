//! Redacts private key blocks in all encodings, and private members of JSON web keys. Certificates and public keys
//! stay.

use crate::redact::{
    judge::value,
    scan::{BASE64, BASE64URL, ByteSet, Scan},
};

/// Maximum length of a block: more than a 16384-bit RSA key with armor headers.
const MAX_BLOCK_BYTES: usize = 64 * 1024;

/// Redacts `-----BEGIN ... PRIVATE KEY-----` up to its END line, or as long as the lines look like a key.
pub(super) fn redact_from_begin_line(scan: &mut Scan<'_>, hit: usize) {
    let rest = scan.slice(hit, hit + 80);
    let Some(label) = find_position(rest, b"PRIVATE KEY").filter(|at| !rest[..*at].contains(&b'\n')) else { return };
    let start = dashes_start(scan, hit);
    let window = scan.slice(hit + label, hit + MAX_BLOCK_BYTES);
    // The END line of another block must not close this block.
    let next = find_position(window, b"BEGIN ").unwrap_or(window.len());
    let end = match find_position(&window[..next], b"END ") {
        Some(at) if closes_block(&window[at..]) => hit + label + at + end_line_length(&window[at..]),
        _ => truncated_block_end(scan, scan.run_end(hit + label, &BLOCK_LABEL, 40)),
    };
    scan.add_by_format("private-key", start, end);
}

/// Returns the start of the dashes before `BEGIN`: `-----BEGIN`, or `---- BEGIN` of SSH2.
fn dashes_start(scan: &Scan<'_>, hit: usize) -> usize {
    let spaced = hit - usize::from(scan.byte_before(hit) == b' ');
    let start = scan.run_start(spaced, &DASH, 8);
    if start < spaced { start } else { hit }
}

static DASH: ByteSet = ByteSet::new("-");

fn closes_block(rest: &[u8]) -> bool {
    let line = &rest[..rest.len().min(80)];
    find_position(line, b"PRIVATE KEY")
        .is_some_and(|label| !line[..label].contains(&b'\n') && find_position(&line[..label], b"--").is_none())
}

/// Returns the length from `END ` to the end of the dashes after `PRIVATE KEY`.
fn end_line_length(rest: &[u8]) -> usize {
    let label = find_position(rest, b"PRIVATE KEY").map_or(0, |at| at + "PRIVATE KEY".len());
    let label = if rest[label..].starts_with(b" BLOCK") { label + " BLOCK".len() } else { label };
    label + rest[label..].iter().take_while(|&&byte| byte == b'-').count()
}

/// Returns the end of a truncated block: the first word that cannot belong to a key.
fn truncated_block_end(scan: &Scan<'_>, from: usize) -> usize {
    let mut at = from;
    let mut in_body = false;
    let limit = scan.text.len().min(from + MAX_BLOCK_BYTES);
    loop {
        let token = scan.run_end(at, &KEY_SEPARATOR, 64);
        let end = scan.run_end(token, &BASE64, MAX_BLOCK_BYTES);
        let escaped = scan.byte_before(token) == b'\\' && matches!(scan.byte_at(token), b'n' | b'r');
        let body = if escaped { token + 1 } else { token };
        // Armor headers may precede the key.
        let armour = !in_body && scan.byte_at(end) == b':';
        let key_like =
            end - body >= 32 || (end > body && is_last_key_line(scan, body, end)) || (escaped && end == body);
        if armour && end > token && end < limit {
            at = line_end(scan, end, limit);
        } else if key_like && end < limit {
            in_body = true;
            at = end;
        } else {
            return if key_like { end } else { at };
        }
    }
}

static BLOCK_LABEL: ByteSet = ByteSet::new("A-Z -");
static KEY_SEPARATOR: ByteSet = ByteSet::new(" \t\r\n|+\\\"',");

/// Checks for the last, shorter line of a block: letters of both cases or digits, unlike the words of a log line.
fn is_last_key_line(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let text = scan.slice(start, end);
    text.ends_with(b"=") || (text.len() >= 12 && value::is_random(text))
}

fn line_end(scan: &Scan<'_>, from: usize, limit: usize) -> usize {
    (from..limit)
        .find(|&at| scan.text[at] == b'\n' || (scan.text[at] == b'\\' && scan.byte_at(at + 1) == b'n'))
        .unwrap_or(limit)
}

/// Redacts the lines before `-----END ... PRIVATE KEY-----` if the start of the block was cut off.
pub(super) fn redact_up_to_end_line(scan: &mut Scan<'_>, hit: usize) {
    let rest = scan.slice(hit, hit + 80);
    if !closes_block(rest) || scan.format_end > hit {
        return;
    }
    let mut start = dashes_start(scan, hit);
    loop {
        let before = scan.run_start(skip_removed_mark(scan, start), &KEY_SEPARATOR, 64);
        let line = scan.run_start(before, &BASE64, MAX_BLOCK_BYTES);
        let body = scan.slice(line, before);
        let escaped = scan.byte_before(line) == b'\\' && body.starts_with(b"n");
        let body = if escaped { &body[1..] } else { body };
        if escaped && body.is_empty() {
            start = line - 1;
            continue;
        }
        if body.len() < 32
            && !body.ends_with(b"=")
            && !(body.len() >= 4 && before + 8 > start && body.iter().any(u8::is_ascii_digit))
        {
            break;
        }
        start = line;
    }
    let end = hit + end_line_length(rest);
    scan.add_by_format("private-key", start, end);
}

/// Returns the position before the `-` that a diff writes at the start of a removed line.
fn skip_removed_mark(scan: &Scan<'_>, start: usize) -> usize {
    if start >= 2 && scan.slice(start - 2, start) == b"\n-" { start - 1 } else { start }
}

/// Redacts the lines after `Private-Lines: N` of a `PuTTY` key file.
pub(super) fn redact_putty_key(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_end(hit + "private-lines".len(), &LINE_COUNT, 12);
    let end = scan.run_end(start, &PUTTY_BODY, MAX_BLOCK_BYTES);
    // Stop before the next line of the file, which starts with a word.
    let end = if ends_line(scan, end) { end } else { line_start(scan, start, end) };
    if end - start >= 32 {
        scan.add_by_format("private-key", scan.run_end(start, &KEY_SEPARATOR, 8), end);
    }
}

fn line_start(scan: &Scan<'_>, from: usize, at: usize) -> usize {
    memchr::memrchr(b'\n', scan.slice(from, at)).map_or(at, |line| from + line)
}

static LINE_COUNT: ByteSet = ByteSet::new(": 0-9");
static PUTTY_BODY: ByteSet = ByteSet::new("A-Za-z0-9+/=\r\n");

/// Redacts a base64-encoded PEM file, as in kubeconfigs and CI variables.
pub(super) fn redact_encoded_pem(scan: &mut Scan<'_>, hit: usize) {
    let head = decode_base64(scan.slice(hit, hit + 64));
    if find_position(&head, b"PRIVATE KEY").is_some() {
        scan.add_by_format("private-key", hit, scan.run_end(hit, &BASE64, MAX_BLOCK_BYTES));
    }
}

/// Redacts the base64 of a private key without its BEGIN line. In DER a private key is a sequence that starts with its
/// version, 0 or 1 (RFC 5208, RFC 8017, RFC 5915). A certificate starts with another sequence, and a public key with a
/// sequence or a long number.
pub(super) fn redact_der_key(scan: &mut Scan<'_>, hit: usize) {
    let head = decode_base64(scan.slice(hit, hit + 24));
    let size = match head.get(1) {
        Some(0x82) => 2,
        Some(0x81) => 1,
        _ => 0,
    };
    let version = head.get(2 + size..5 + size);
    let is_key = head.first() == Some(&0x30) && matches!(version, Some([2, 1, 0 | 1]));
    if is_key && scan.starts_token(hit) && scan.run_end(hit, &BASE64, 48) == hit + 48 {
        scan.add_by_format("private-key", hit, truncated_block_end(scan, hit));
    }
}

/// Redacts a key that starts with the base64 of `openssh-key-v1`.
pub(super) fn redact_openssh_key(scan: &mut Scan<'_>, hit: usize) {
    if scan.starts_token(hit) && scan.run_end(hit, &BASE64, 48) == hit + 48 {
        scan.add_by_format("private-key", hit, truncated_block_end(scan, hit));
    }
}

/// Redacts lines of a private key without BEGIN and END: at least two lines of 64 or 70 base64 characters, starting
/// with the line at `at`. Lines between other BEGIN and END lines stay, because they are a certificate or a public key.
pub(super) fn redact_key_lines(scan: &mut Scan<'_>, at: usize) {
    let Some((mut start, first_end)) = find_key_line(scan, at) else { return };
    if start < scan.key_lines_done {
        return;
    }
    let width = first_end - start;
    loop {
        let before = scan.run_start(start, &LINE_BREAK, 64);
        let Some((line, end)) = before.checked_sub(1).and_then(|last| find_key_line(scan, last)) else { break };
        if end - line != width || line < scan.key_lines_done || before == start {
            break;
        }
        start = line;
    }
    let (mut end, mut lines) = (start, 0);
    loop {
        let next = scan.run_end(end, &LINE_BREAK, 64);
        let line_end = scan.run_end(next, &BASE64, width + 1);
        let is_full = line_end - next == width;
        if !is_full {
            // The last line is shorter.
            let is_last = lines > 0 && line_end - next >= 4 && line_end - next < width && ends_line(scan, line_end);
            end = if is_last { line_end } else { end };
            break;
        }
        end = line_end;
        lines += 1;
    }
    scan.key_lines_done = end;
    let before = scan.slice(start.saturating_sub(80), start);
    let after = scan.slice(end, end + 80);
    // A certificate in XML has no BEGIN and END lines, but it starts like DER.
    let is_other = find_position(before, b"-----BEGIN ").is_some()
        || find_position(after, b"-----END ").is_some()
        || scan.starts_with(start, b"MII");
    if lines >= 2 && !is_other {
        scan.add_by_format("private-key", start, end);
    }
}

/// Returns the line around `at` if it consists of exactly 64 or 70 base64 characters.
fn find_key_line(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let start = scan.run_start(at, &BASE64, 80);
    let end = scan.run_end(at, &BASE64, 80);
    let begins = matches!(scan.byte_before(scan.run_start(start, &INDENT, 40)), 0 | b'\n');
    (matches!(end - start, 64 | 70) && begins && ends_line(scan, end)).then_some((start, end))
}

fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.byte_at(at), 0 | b'\n' | b'\r')
}

static INDENT: ByteSet = ByteSet::new(" \t|>");
static LINE_BREAK: ByteSet = ByteSet::new(" \t\r\n|>");

/// Redacts the private members of a JSON web key: `"kty":"RSA", ... "d":"..."`.
pub(super) fn redact_web_key(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.web_keys_done {
        return;
    }
    let from = hit.saturating_sub(2048).max(scan.web_keys_done);
    let object = scan.text[from..hit].iter().rposition(|&byte| byte == b'{').map_or(from, |at| from + at);
    let limit = scan.text.len().min(hit + 4096);
    let close = scan.text[hit..limit].iter().position(|&byte| byte == b'}').map_or(limit, |at| hit + at);
    scan.web_keys_done = close;
    let mut at = object;
    while at < close {
        let name_end = scan.run_end(at, &BASE64URL, 8);
        let member = matches!(scan.slice(at, name_end), b"d" | b"p" | b"q" | b"dp" | b"dq" | b"qi" | b"k");
        let value = scan.run_end(name_end, &MEMBER_BREAK, 10);
        let end = scan.run_end(value, &BASE64URL, 4096);
        let is_number = value::is_random(scan.slice(value, end)) || value::is_random_base64url(scan.slice(value, end));
        if member && value > name_end + 1 && end - value >= 16 && is_number {
            scan.add_by_format("private-key", value, end);
        }
        at = if member { end.max(name_end + 1) } else { name_end.max(at + 1) };
    }
}

static MEMBER_BREAK: ByteSet = ByteSet::new("\\\"': =>");

/// Redacts a JSON web token: at least two parts, the first of which is a JSON object.
pub(super) fn redact_jwt(scan: &mut Scan<'_>, hit: usize) {
    if !scan.starts_with(hit, b"eyJ") || !scan.starts_token(hit) {
        return;
    }
    let end = scan.run_end(hit, &JWT_BODY, 16 * 1024);
    let text = scan.slice(hit, end);
    let trimmed = text.len() - text.iter().rev().take_while(|&&byte| byte == b'.').count();
    let parts: Vec<_> = text[..trimmed].split(|&byte| byte == b'.').collect();
    let claims = parts.get(1).is_some_and(|part| part.starts_with(b"eyJ"));
    // The base64 of `{"alg":` or `{"typ":` only occurs at the start of a token.
    let header = text.starts_with(b"eyJhbGciOi") || text.starts_with(b"eyJ0eXAiOi") || text.starts_with(b"eyJraWQiOi");
    let long = |least: usize| trimmed >= least && parts[0].len() >= 12;
    if (claims && long(30)) || (header && long(20)) || (parts.len() == 5 && long(60)) {
        scan.add_by_format("jwt", hit, hit + trimmed);
    }
}

static JWT_BODY: ByteSet = ByteSet::new("A-Za-z0-9_.-");

/// Decodes base64 up to the first byte outside the alphabet.
pub(in crate::redact) fn decode_base64(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for &byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

fn find_position(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}
