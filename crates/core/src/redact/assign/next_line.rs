//! Values on the lines below their name. `assign` reads values beside their name.

use super::{
    assignment::{BACKSLASH, NameSpan, Separator, value_at},
    redact_value::redact_value,
};
use crate::redact::{
    judge::{is_drawn, names::Tier, told::is_mixed, traits::is_own_line, value},
    scan::{BLANK, Scan, Set},
};

/// `password:` with its value on the next line, or a block of lines: `|`, `>-`.
pub(super) fn on_next_line(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) -> bool {
    let block = scan.run(at, &BLOCK, 3);
    let marks = scan.slice(at, block);
    let line = scan.run(block, &BLANK, 16);
    let break_at = scan.run(line, &RETURN, 1);
    if scan.at(break_at) != b'\n'
        || !matches!(
            separator,
            Separator::Colon
                | Separator::TightColon
                | Separator::Spaced
                | Separator::Tight
                | Separator::Flag
                | Separator::Pair
        )
    {
        return false;
    }
    // An empty line may separate them.
    let blank = scan.run(scan.run(break_at + 1, &BLANK, 80), &RETURN, 1);
    let break_at = if scan.at(blank) == b'\n' && marks.is_empty() { blank } else { break_at };
    let indent = scan.run(break_at + 1, &BLANK, 80) - break_at - 1;
    let start = break_at + 1 + indent;
    match marks {
        b"" if separator == Separator::Pair => element_text(scan, name, start),
        b"" if separator != Separator::Flag => single(scan, name, separator, start, indent),
        b"\\" => take_at(scan, name, separator, start),
        b"" => false,
        _ if marks[0] != b'\\' => lines(scan, name, break_at + 1, indent),
        _ => false,
    }
}

static BLOCK: Set = Set::new("|>\\+-");
static RETURN: Set = Set::new("\r");

/// Redacts a word or a quoted text that is alone on its line. It must be indented more than the name unless it looks
/// random.
fn single(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, start: usize, indent: usize) -> bool {
    let own = is_own_line(scan, name.start);
    let Some(found) = value_at(scan, start) else { return false };
    let end = found.end + usize::from(found.quoted);
    let end = scan.run(end, &END, 4);
    let text = scan.slice(found.start, found.end);
    let alone = matches!(scan.at(end), 0 | b'\n' | b'\r');
    let entry = matches!(text.first(), Some(b'-' | b'{' | b'[' | b'<' | b'@' | b'#'))
        || scan.before(found.end) == b':'
        || scan.at(found.end) == b':';
    let is_certain =
        if name.tier == Tier::Password { own && is_mixed(text) } else { text.len() >= 16 && is_drawn(text) };
    if !alone || entry || separator == Separator::Flag || !(is_certain || (own && indent > 0)) {
        return false;
    }
    redact_value(scan, name, Separator::Colon, found)
}

static END: Set = Set::new(" \t,;");

/// A name at the end of a line and a value alone on the next line, perhaps with a ruler between them. The first line is
/// a title or a command behind a prompt: `$ echo $DB_PASSWORD`, `(Pdb) p api_key`, `irb> ENV['API_KEY']`.
pub(super) fn under_heading(scan: &Scan<'_>, name_start: usize, at: usize) -> Option<(Separator, usize)> {
    let next = scan.run(scan.run(at, &RETURN, 1) + 1, &BLANK, 80);
    let ruler = scan.run(next, &RULER, 80);
    let is_command = is_command(scan, name_start);
    let start = if ruler > next + 2 { scan.run(ruler, &BREAK, 8) } else { next };
    let start = if is_command { skip_answer(scan, start) } else { start };
    let end = scan.run(start, &VALUE, 256);
    let text = scan.slice(start, end);
    let title = scan.run_back(name_start, &TITLE, 40);
    let begins = is_command || matches!(scan.before(title), 0 | b'\n');
    let is_value = ruler > next + 2 || (is_command && text.len() >= 8);
    let drawn = text.len() >= 8 && is_drawn(text) || (is_value && !text.is_empty() && is_mixed(unquoted(text)));
    (begins && drawn && matches!(scan.at(end), 0 | b'\n' | b'\r')).then_some((Separator::Colon, start))
}

/// Checks for a prompt at the start of the line: `$ `, `> `, `irb> `, `(gdb) `.
fn is_command(scan: &Scan<'_>, name_start: usize) -> bool {
    let before = scan.slice(name_start.saturating_sub(160), name_start);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let prompt = line.windows(2).take(40).position(|two| matches!(two, b"$ " | b"> " | b"# " | b") "));
    prompt.is_some_and(|at| !line[..at].contains(&b' '))
}

/// Skips `=> ` of Ruby or `$1 = 0x5590 ` of GDB.
fn skip_answer(scan: &Scan<'_>, start: usize) -> usize {
    let line = scan.slice(start, start + 48);
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let quote = line.iter().position(|byte| matches!(byte, b'"' | b'\''));
    let is_answer = line.starts_with(b"=> ") || line.starts_with(b"$");
    quote.filter(|_| is_answer).map_or(start, |at| start + at)
}

fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [b'"' | b'\'' | b'`', inner @ .., b'"' | b'\'' | b'`'] if !inner.is_empty() => inner,
        _ => text,
    }
}

static RULER: Set = Set::new("-=");
static BREAK: Set = Set::new(" \t\r\n");
static VALUE: Set = Set::new("!-~");
static TITLE: Set = Set::new("A-Za-z #*");

/// Redacts the text of an XML element whose closing tag is on its own line.
fn element_text(scan: &mut Scan<'_>, name: NameSpan, start: usize) -> bool {
    let found = value_at(scan, start).filter(|found| scan.starts_with(scan.run(found.end, &BREAK, 80), b"</"));
    found.is_some_and(|found| redact_value(scan, name, Separator::Pair, found))
}

fn take_at(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, start: usize) -> bool {
    value_at(scan, start).is_some_and(|found| redact_value(scan, name, separator, found))
}

/// Redacts all lines with the indentation of the first line.
fn lines(scan: &mut Scan<'_>, name: NameSpan, first: usize, indent: usize) -> bool {
    let mut line = first;
    let mut end = first;
    while indent > 0 && line < scan.text.len() && scan.run(line, &BLANK, indent) == line + indent {
        end = scan.text[line..].iter().position(|&byte| byte == b'\n').map_or(scan.text.len(), |at| line + at);
        line = end + 1;
    }
    let start = first + indent;
    let text = scan.slice(start, end);
    let secret = match name.tier {
        Tier::Password => !value::is_placeholder(text) && !value::is_prose(text) && !text.contains(&b':'),
        _ => text.len() >= 16 && value::is_random(text) && !text.contains(&b' ') || is_key_material(text),
    };
    if start < end && secret {
        scan.add_by_name(name.tier.kind(), start, end);
    }
    start < end && secret
}

/// Checks for lines of base64.
fn is_key_material(text: &[u8]) -> bool {
    text.len() >= 64
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b' ' | b'\n' | b'\r'))
        && text.split(|&byte| byte == b'\n').filter(|line| line.trim_ascii().len() >= 32).count() * 2
            > text.split(|&byte| byte == b'\n').count()
}

/// Checks for a single backslash at `at`, because escapes are not a line continuation.
pub(super) fn is_continuation(scan: &Scan<'_>, at: usize) -> bool {
    scan.run(at, &BACKSLASH, 2) == at + 1 && matches!(scan.at(at + 1), b'\n' | b'\r')
}
