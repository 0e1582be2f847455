//! Finds the end of a value that contains blanks or semicolons, is very long, or continues on further lines. `judge`
//! decides which values are secrets.

use super::assignment::{
    MAX_VALUE_BYTES, NAME_BYTES, NameSpan, Separator, ValueSpan, ends_unquoted_value, skip_quote, value_at,
};
use crate::redact::{
    judge::{names::Tier, predicates::starts_line, value},
    scan::{BLANK, ByteSet, Scan},
};

/// Maximum length of a line of a connection string or of a `.env` file.
const MAX_LINE_BYTES: usize = 512;

/// Extends a value over blanks. Connection strings, printed environment variables and pass phrases contain unquoted
/// values of several words.
pub(super) fn extend_over_blanks(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> ValueSpan {
    let plain = matches!(separator, Separator::Tight | Separator::Spaced | Separator::Colon | Separator::TightColon);
    if found.quoted || !plain || name.tier != Tier::Password {
        return found;
    }
    if let Some(end) = connection_value_end(scan, name, found) {
        let braced = usize::from(scan.byte_at(found.start) == b'{' && scan.byte_before(end) == b'}');
        return ValueSpan { start: found.start + braced, end: end - braced, quoted: braced > 0 };
    }
    let end = environment_value_end(scan, name, separator, found).or_else(|| pass_phrase_end(scan, name, found));
    ValueSpan { end: end.unwrap_or(found.end), ..found }
}

/// Returns the end of a value in a connection string, at the `;` before the next name: `;Password=my pass
/// word;Encrypt=true`, `;Password=ab;cd;Database=app`.
fn connection_value_end(scan: &Scan<'_>, name: NameSpan, found: ValueSpan) -> Option<usize> {
    let before = scan.run_start(name.start, &BLANK, 8);
    if scan.byte_before(before) != b';' {
        return None;
    }
    if scan.byte_at(found.start) == b'{' {
        let close = scan.slice(found.start, found.start + MAX_LINE_BYTES).iter().position(|&byte| byte == b'}')?;
        return Some(found.start + close + 1);
    }
    let line = scan.slice(found.start, found.start + MAX_LINE_BYTES);
    let stop = line.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\')).unwrap_or(line.len());
    let breaks = |at: &usize| line[*at] == b';';
    let named = |at: &usize| {
        let start = scan.run_end(found.start + at + 1, &BLANK, 4);
        let end = scan.run_end(start, &CONNECTION_NAME, 40);
        end > start && scan.byte_at(end) == b'='
    };
    let next = (0..stop).filter(breaks).find(named);
    let closed = || (stop > 0 && line[stop - 1] == b';').then(|| stop - 1);
    next.or_else(closed).map(|at| found.start + at)
}

static CONNECTION_NAME: ByteSet = ByteSet::new("A-Za-z0-9_ -");

/// Returns the end of a value in lines that set environment variables: `DB_PASSWORD=two words`.
fn environment_value_end(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> Option<usize> {
    let own = name.start == 0 || scan.byte_before(name.start) == b'\n';
    let capitals = scan.slice(name.start, name.end).iter().all(|byte| !byte.is_ascii_lowercase());
    if separator != Separator::Tight || !own || !capitals {
        return None;
    }
    let end = line_end(scan, found.start)?;
    let next = scan.run_end(end + 1, &VARIABLE_NAME, 64);
    (scan.byte_at(end) == b'\n' && next > end + 1 && scan.byte_at(next) == b'=').then_some(end)
}

static VARIABLE_NAME: ByteSet = ByteSet::new("A-Z0-9_");

/// Returns the end of a pass phrase of lower-case words up to the end of the line: `passphrase: correct horse battery
/// staple`.
fn pass_phrase_end(scan: &Scan<'_>, name: NameSpan, found: ValueSpan) -> Option<usize> {
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let phrase = owner.ends_with(b"phrase") || owner.ends_with(b"mnemonic");
    let end = line_end(scan, found.start)?;
    let text = scan.slice(found.start, end);
    let words = text.split(|&byte| byte == b' ').count();
    let small = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
    if !small || words < if phrase { 3 } else { 4 } || value::is_prose(text) {
        return None;
    }
    // Unlike a validator's message, a setting is followed by other lines of the form `name:`.
    let next = scan.run_end(end + 1, &NAME_BYTES, 64);
    let neighbour = scan.byte_at(end) == b'\n' && next > end + 1 && scan.byte_at(next) == b':';
    (phrase || (neighbour && starts_line(scan, name.start))).then_some(end)
}

fn line_end(scan: &Scan<'_>, from: usize) -> Option<usize> {
    let line = scan.slice(from, from + MAX_LINE_BYTES);
    let end = line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(line.len());
    (end < MAX_LINE_BYTES).then_some(from + end)
}

/// Returns the end of a value that is longer than [`MAX_VALUE_BYTES`], so that a secret is redacted completely.
pub(super) fn end_of_long_value(scan: &Scan<'_>, found: ValueSpan) -> usize {
    if found.end - found.start < MAX_VALUE_BYTES - 1 {
        return found.end;
    }
    let mut end = found.end;
    let quote = if found.quoted { scan.byte_before(found.start) } else { 0 };
    while end < scan.text.len() {
        let stop = if found.quoted {
            matches!(scan.text[end], b'\n' | b'\r') || scan.text[end] == quote
        } else {
            ends_unquoted_value(scan, end)
        };
        if stop {
            break;
        }
        end += 1;
    }
    end
}

/// Redacts further literals of the same value: `"abc"` and `"def"` on the next line, or with `+` between them.
pub(super) fn redact_further_literals(scan: &mut Scan<'_>, kind: &'static str, found: ValueSpan, end: usize) {
    let mut end = end;
    if !found.quoted {
        return;
    }
    for _ in 0..MAX_LITERALS {
        let from = end + 1;
        let at = scan.run_end(from, &LITERAL_SEPARATOR, 80);
        let joined = scan.slice(from, at).iter().any(|byte| matches!(byte, b'\n' | b'+'));
        let open = skip_quote(scan, at);
        let Some(part) = value_at(scan, at).filter(|part| joined && open > at && part.quoted) else { return };
        let after = scan.run_end(part.end + 1, &BLANK, 8);
        // Stop at the name of the next member.
        if matches!(scan.byte_at(after), b':' | b'=')
            || scan.slice(from, at).contains(&b'\n') && part.end - part.start < 4
        {
            return;
        }
        scan.add_by_name(kind, part.start, part.end);
        end = part.end;
    }
}

const MAX_LITERALS: usize = 64;
static LITERAL_SEPARATOR: ByteSet = ByteSet::new(" \t\r\n+\\.");
