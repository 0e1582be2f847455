//! Redacts passwords in an SQL statement: `INSERT INTO users (name, password) VALUES ('bob', 'x')`.

use crate::redact::{
    assign::assignment::value_at,
    judge::{
        names::{self, Tier},
        value,
    },
    scan::{ByteSet, Scan},
};

const MAX_CALL_BYTES: usize = 256;
static VALUE_SEPARATOR: ByteSet = ByteSet::new(" \t\r\n,");

/// Redacts the value at the position of the password column.
pub(super) fn redact_insert(scan: &mut Scan<'_>, hit: usize) {
    let window = scan.slice(hit, hit + MAX_CALL_BYTES);
    let Some(open) = window.iter().position(|&byte| byte == b'(') else { return };
    let Some(close) = window[open..].iter().position(|&byte| byte == b')').map(|at| open + at) else { return };
    let columns = window[open + 1..close].split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let is_password = |column: &[u8]| names::classify_name(column, false) == Some(Tier::Password);
    let Some(wanted) = columns.into_iter().position(is_password) else { return };
    let rest = scan.slice(hit + close, hit + close + 32).to_ascii_lowercase();
    let Some(values) = memchr::memmem::find(&rest, b"values").filter(|at| *at < 4) else { return };
    let Some(from) = rest[values..].iter().position(|&byte| byte == b'(') else { return };
    let mut at = hit + close + values + from + 1;
    for index in 0..=wanted {
        let start = scan.run_end(at, &VALUE_SEPARATOR, 8);
        let Some(found) = value_at(scan, start) else { return };
        if index == wanted && found.quoted {
            let text = scan.slice(found.start, found.end);
            if text.len() >= 3 && !value::is_placeholder(text) && !value::is_prose(text) {
                scan.add_by_name(Tier::Password.kind(), found.start, found.end);
            }
        }
        at = found.end + usize::from(found.quoted);
    }
}
