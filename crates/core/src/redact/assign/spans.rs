//! Finds where a value ends: blanks and semicolons inside a value, the rest of a long value, parts on further lines.
//! `judge` decides which values are secrets.

use super::assignment::{MAX_VALUE_BYTES, NAME, NameSpan, Separator, ValueSpan, ends_unquoted, skip_quote, value_at};
use crate::redact::{
    judge::{names::Tier, traits::is_own_line, value},
    scan::{BLANK, Scan, Set},
};

/// Maximum line of a connection string or of a `.env` file.
const MAX_LINE_BYTES: usize = 512;

/// Extends a value over blanks, because connection strings, dumps of the environment and pass phrases contain unquoted
/// values of several words.
pub(super) fn with_blanks(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> ValueSpan {
    let plain = matches!(separator, Separator::Tight | Separator::Spaced | Separator::Colon | Separator::TightColon);
    if found.quoted || !plain || name.tier != Tier::Password {
        return found;
    }
    if let Some(end) = connection_end(scan, name, found) {
        let braced = usize::from(scan.at(found.start) == b'{' && scan.before(end) == b'}');
        return ValueSpan { start: found.start + braced, end: end - braced, quoted: braced > 0 };
    }
    let end = environment_end(scan, name, separator, found).or_else(|| phrase_end(scan, name, found));
    ValueSpan { end: end.unwrap_or(found.end), ..found }
}

/// `;Password=my pass word;Encrypt=true`, `;Password=ab;cd;Database=app`: up to the `;` before the next name.
fn connection_end(scan: &Scan<'_>, name: NameSpan, found: ValueSpan) -> Option<usize> {
    let before = scan.run_back(name.start, &BLANK, 8);
    if scan.before(before) != b';' {
        return None;
    }
    if scan.at(found.start) == b'{' {
        let close = scan.slice(found.start, found.start + MAX_LINE_BYTES).iter().position(|&byte| byte == b'}')?;
        return Some(found.start + close + 1);
    }
    let line = scan.slice(found.start, found.start + MAX_LINE_BYTES);
    let stop = line.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\')).unwrap_or(line.len());
    let breaks = |at: &usize| line[*at] == b';';
    let named = |at: &usize| {
        let start = scan.run(found.start + at + 1, &BLANK, 4);
        let end = scan.run(start, &CONNECTION_NAME, 40);
        end > start && scan.at(end) == b'='
    };
    let next = (0..stop).filter(breaks).find(named);
    let closed = || (stop > 0 && line[stop - 1] == b';').then(|| stop - 1);
    next.or_else(closed).map(|at| found.start + at)
}

static CONNECTION_NAME: Set = Set::new("A-Za-z0-9_ -");

/// `DB_PASSWORD=two words` among lines that set variables.
fn environment_end(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> Option<usize> {
    let own = name.start == 0 || scan.before(name.start) == b'\n';
    let capitals = scan.slice(name.start, name.end).iter().all(|byte| !byte.is_ascii_lowercase());
    if separator != Separator::Tight || !own || !capitals {
        return None;
    }
    let end = line_end(scan, found.start)?;
    let next = scan.run(end + 1, &VARIABLE, 64);
    (scan.at(end) == b'\n' && next > end + 1 && scan.at(next) == b'=').then_some(end)
}

static VARIABLE: Set = Set::new("A-Z0-9_");

/// `passphrase: correct horse battery staple`: lower-case words to the end of the line.
fn phrase_end(scan: &Scan<'_>, name: NameSpan, found: ValueSpan) -> Option<usize> {
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let phrase = owner.ends_with(b"phrase") || owner.ends_with(b"mnemonic");
    let end = line_end(scan, found.start)?;
    let text = scan.slice(found.start, end);
    let words = text.split(|&byte| byte == b' ').count();
    let small = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
    if !small || words < if phrase { 3 } else { 4 } || value::is_prose(text) {
        return None;
    }
    // A validator's message has no other lines of `name:` after it, but a setting has.
    let next = scan.run(end + 1, &NAME, 64);
    let neighbour = scan.at(end) == b'\n' && next > end + 1 && scan.at(next) == b':';
    (phrase || (neighbour && is_own_line(scan, name.start))).then_some(end)
}

fn line_end(scan: &Scan<'_>, from: usize) -> Option<usize> {
    let line = scan.slice(from, from + MAX_LINE_BYTES);
    let end = line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(line.len());
    (end < MAX_LINE_BYTES).then_some(from + end)
}

/// Returns the whole end of a value that fills [`MAX_VALUE_BYTES`], so that a secret is redacted completely.
pub(super) fn whole_end(scan: &Scan<'_>, found: ValueSpan) -> usize {
    if found.end - found.start < MAX_VALUE_BYTES - 1 {
        return found.end;
    }
    let mut end = found.end;
    let quote = if found.quoted { scan.before(found.start) } else { 0 };
    while end < scan.text.len() {
        let stop = if found.quoted {
            matches!(scan.text[end], b'\n' | b'\r') || scan.text[end] == quote
        } else {
            ends_unquoted(scan, end)
        };
        if stop {
            break;
        }
        end += 1;
    }
    end
}

/// `"abc"` and `"def"` on the next line, or with `+` between: one value in two literals.
pub(super) fn further_parts(scan: &mut Scan<'_>, kind: &'static str, found: ValueSpan, end: usize) {
    let mut end = end;
    if !found.quoted {
        return;
    }
    for _ in 0..MAX_PARTS {
        let from = end + 1;
        let at = scan.run(from, &JOIN, 80);
        let joined = scan.slice(from, at).iter().any(|byte| matches!(byte, b'\n' | b'+'));
        let open = skip_quote(scan, at);
        let Some(part) = value_at(scan, at).filter(|part| joined && open > at && part.quoted) else { return };
        let after = scan.run(part.end + 1, &BLANK, 8);
        // The name of the next member.
        if matches!(scan.at(after), b':' | b'=') || scan.slice(from, at).contains(&b'\n') && part.end - part.start < 4 {
            return;
        }
        scan.add_by_name(kind, part.start, part.end);
        end = part.end;
    }
}

const MAX_PARTS: usize = 64;
static JOIN: Set = Set::new(" \t\r\n+\\.");
