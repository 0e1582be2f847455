//! Passwords that code and SQL hand over: `HTTPBasicAuth('bob', 'x')`, `fill('#password', 'x')`, `VALUES ('bob', 'x')`.
//! Named arguments are read by `assign`.

use crate::redact::{
    assign::assignment::{NAME, ValueSpan, value_at},
    judge::{
        names::{self, Tier},
        value,
    },
    scan::{BLANK, Scan, Set},
};

const MAX_CALL_BYTES: usize = 256;
static BETWEEN: Set = Set::new(" \t\r\n,");

fn redact_value(scan: &mut Scan<'_>, found: ValueSpan) {
    let text = scan.slice(found.start, found.end);
    if text.len() >= 3 && !value::is_placeholder(text) && !value::is_prose(text) {
        scan.add_by_name(Tier::Password.kind(), found.start, found.end);
    }
}

fn literal(scan: &Scan<'_>, at: usize) -> Option<ValueSpan> {
    value_at(scan, at).filter(|found| found.quoted)
}

/// `("bob", "x")`: the last of two or three arguments, all of them texts.
pub(super) fn last_string_argument(scan: &mut Scan<'_>, hit: usize) {
    let Some(open) = scan.slice(hit, hit + 16).iter().position(|&byte| byte == b'(') else { return };
    let mut at = hit + open + 1;
    let mut last = None;
    for count in 0..4 {
        let start = scan.run(at, &BETWEEN, 80);
        let Some(found) = literal(scan, start) else {
            // `getConnection(url, "bob", "x")`.
            let name = scan.run(start, &NAME, 40);
            if count > 0 || name == start || scan.at(name) != b',' {
                return;
            }
            at = name;
            continue;
        };
        at = found.end + 1;
        if scan.at(scan.run(at, &BLANK, 8)) == b')' {
            if last.is_some() {
                redact_value(scan, found);
            }
            return;
        }
        last = Some(found);
    }
}

/// `ConvertTo-SecureString "x"`, `-String "x"`.
pub(super) fn secure_string(scan: &mut Scan<'_>, hit: usize) {
    let mut at = hit + "to-securestring ".len();
    if scan.starts_with(at, b"-String ") {
        at += "-String ".len();
    }
    if let Some(found) = literal(scan, at) {
        redact_value(scan, found);
    }
}

/// `fill('#password', 'x')`, `get('#password').type('x')`.
pub(super) fn typed_into_field(scan: &mut Scan<'_>, hit: usize) {
    let Some(open) = scan.slice(hit, hit + 16).iter().position(|&byte| byte == b'(') else { return };
    let start = hit + open + 1;
    let Some(first) = literal(scan, start) else { return };
    if is_password_field(scan.slice(first.start, first.end)) {
        let second = scan.run(first.end + 1, &BETWEEN, 8);
        if let Some(found) = literal(scan, second).filter(|_| scan.at(first.end + 1) == b',') {
            redact_value(scan, found);
        }
        return;
    }
    let before = scan.slice(hit.saturating_sub(80), hit);
    let line = before.iter().rposition(|byte| matches!(byte, b'\n' | b';')).map_or(before, |at| &before[at + 1..]);
    let selector = line.iter().rposition(|byte| matches!(byte, b'"' | b'\'' | b'`')).map_or(&line[..0], |end| {
        let open = line[..end].iter().rposition(|byte| *byte == line[end]).map_or(end, |at| at + 1);
        &line[open..end]
    });
    if scan.before(hit) == b')' && is_password_field(selector) {
        redact_value(scan, first);
    }
}

/// A selector or a label that speaks of a password.
fn is_password_field(selector: &[u8]) -> bool {
    let lower = selector.to_ascii_lowercase();
    [&b"password"[..], b"passwd", b"passphrase"].iter().any(|word| memchr::memmem::find(&lower, word).is_some())
}

/// `PASSWORD('x')` of SQL, `Password("x")` of a dump.
pub(super) fn password_function(scan: &mut Scan<'_>, hit: usize) {
    let open = hit + "password".len();
    let Some(found) = literal(scan, open + 1) else { return };
    let alone = scan.at(found.end + 1) == b')' && scan.starts_token(hit);
    // `getPassword("prompt")` and `password("Enter:")` of a library ask for one.
    if alone && scan.text[hit].is_ascii_uppercase() {
        redact_value(scan, found);
    }
}

/// `assertEquals("x", user.getPassword())`.
pub(super) fn equals(scan: &mut Scan<'_>, hit: usize) {
    let Some(open) = scan.slice(hit, hit + 16).iter().position(|byte| matches!(byte, b'(' | b' ')) else { return };
    let Some(found) = literal(scan, hit + open + 1) else { return };
    let start = scan.run(found.end + 1, &BETWEEN, 8);
    let end = scan.run(start, &NAME, 80);
    let name = scan.slice(start, end);
    if scan.at(found.end + 1) == b',' && names::name_tier(name, false) == Some(Tier::Password) {
        redact_value(scan, found);
    }
}

/// `IDENTIFIED BY 'x'`, `IDENTIFIED WITH plugin BY 'x'` of SQL.
pub(super) fn identified(scan: &mut Scan<'_>, hit: usize) {
    let line = scan.slice(hit, hit + 80).to_ascii_lowercase();
    let Some(by) = memchr::memmem::find(&line, b" by ") else { return };
    let words = line[..by].split(|&byte| byte == b' ').count();
    if !matches!(words, 1 | 3) {
        return;
    }
    let found = literal(scan, scan.run(hit + by + " by ".len(), &BLANK, 8));
    if let Some(found) = found.filter(|found| !value::is_placeholder(scan.slice(found.start, found.end))) {
        scan.add_by_name(Tier::Password.kind(), found.start, found.end);
    }
}

/// `INSERT INTO users (name, password) VALUES ('bob', 'x')`: the value in the place of its column.
pub(super) fn insert(scan: &mut Scan<'_>, hit: usize) {
    let window = scan.slice(hit, hit + MAX_CALL_BYTES);
    let Some(open) = window.iter().position(|&byte| byte == b'(') else { return };
    let Some(close) = window[open..].iter().position(|&byte| byte == b')').map(|at| open + at) else { return };
    let columns = window[open + 1..close].split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let is_password = |column: &[u8]| names::name_tier(column, false) == Some(Tier::Password);
    let Some(wanted) = columns.into_iter().position(is_password) else { return };
    let rest = scan.slice(hit + close, hit + close + 32).to_ascii_lowercase();
    let Some(values) = memchr::memmem::find(&rest, b"values").filter(|at| *at < 4) else { return };
    let Some(from) = rest[values..].iter().position(|&byte| byte == b'(') else { return };
    let mut at = hit + close + values + from + 1;
    for index in 0..=wanted {
        let start = scan.run(at, &BETWEEN, 8);
        let Some(found) = value_at(scan, start) else { return };
        if index == wanted && found.quoted {
            redact_value(scan, found);
        }
        at = found.end + usize::from(found.quoted);
    }
}
