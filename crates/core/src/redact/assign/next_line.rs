//! Finds values on the lines below their name. `assign` finds values beside their name.

use super::{
    assignment::{BACKSLASH, NameSpan, Separator, value_at},
    redact_value::redact_value,
};
use crate::redact::{
    judge::{may_be_generated, names::Tier, predicates::starts_line, prose::mixes_letters_with_digits_or_marks, value},
    scan::{BLANK, ByteSet, Scan},
};

/// Redacts the value of `password:` on the next line, or a block of lines after `|` or `>-`.
pub(super) fn redact_next_line(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) -> bool {
    let block = scan.run_end(at, &BLOCK_MARKS, 3);
    let marks = scan.slice(at, block);
    let line = scan.run_end(block, &BLANK, 16);
    let break_at = scan.run_end(line, &CARRIAGE_RETURN, 1);
    if scan.byte_at(break_at) != b'\n'
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
    // An empty line may be between the name and the value.
    let blank = scan.run_end(scan.run_end(break_at + 1, &BLANK, 80), &CARRIAGE_RETURN, 1);
    let break_at = if scan.byte_at(blank) == b'\n' && marks.is_empty() { blank } else { break_at };
    let indent = scan.run_end(break_at + 1, &BLANK, 80) - break_at - 1;
    let start = break_at + 1 + indent;
    match marks {
        b"" if separator == Separator::Pair => redact_element_text(scan, name, start),
        b"" if separator != Separator::Flag => redact_lone_value(scan, name, separator, start, indent),
        b"\\" => redact_value_at(scan, name, separator, start),
        b"" => false,
        _ if marks[0] != b'\\' => redact_block(scan, name, break_at + 1, indent),
        _ => false,
    }
}

static BLOCK_MARKS: ByteSet = ByteSet::new("|>\\+-");
static CARRIAGE_RETURN: ByteSet = ByteSet::new("\r");

/// Redacts a word or a quoted text that is alone on its line. The value must be indented unless it looks random.
fn redact_lone_value(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, start: usize, indent: usize) -> bool {
    let own = starts_line(scan, name.start);
    let Some(found) = value_at(scan, start) else { return false };
    let end = found.end + usize::from(found.quoted);
    let end = scan.run_end(end, &VALUE_END, 4);
    let text = scan.slice(found.start, found.end);
    let alone = matches!(scan.byte_at(end), 0 | b'\n' | b'\r');
    let entry = matches!(text.first(), Some(b'-' | b'{' | b'[' | b'<' | b'@' | b'#'))
        || scan.byte_before(found.end) == b':'
        || scan.byte_at(found.end) == b':';
    let is_certain = if name.tier == Tier::Password {
        own && mixes_letters_with_digits_or_marks(text)
    } else {
        text.len() >= 16 && may_be_generated(text)
    };
    if !alone || entry || separator == Separator::Flag || !(is_certain || (own && indent > 0)) {
        return false;
    }
    redact_value(scan, name, Separator::Colon, found)
}

static VALUE_END: ByteSet = ByteSet::new(" \t,;");

/// Finds a value that is alone on the line below its name. A ruler may be between the lines. The upper line is a title
/// or a command behind a prompt: `$ echo $DB_PASSWORD`, `(Pdb) p api_key`, `irb> ENV['API_KEY']`.
pub(super) fn find_value_under_heading(scan: &Scan<'_>, name_start: usize, at: usize) -> Option<(Separator, usize)> {
    let next = scan.run_end(scan.run_end(at, &CARRIAGE_RETURN, 1) + 1, &BLANK, 80);
    let ruler = scan.run_end(next, &RULER_MARKS, 80);
    let is_command = is_behind_prompt(scan, name_start);
    let start = if ruler > next + 2 { scan.run_end(ruler, &WHITE_SPACE, 8) } else { next };
    let start = if is_command { skip_result_mark(scan, start) } else { start };
    let end = scan.run_end(start, &GRAPHIC, 256);
    let text = scan.slice(start, end);
    let title = scan.run_start(name_start, &HEADING, 40);
    let begins = is_command || matches!(scan.byte_before(title), 0 | b'\n');
    let is_value = ruler > next + 2 || (is_command && text.len() >= 8);
    let drawn = text.len() >= 8 && may_be_generated(text)
        || (is_value && !text.is_empty() && mixes_letters_with_digits_or_marks(strip_quotes(text)));
    (begins && drawn && matches!(scan.byte_at(end), 0 | b'\n' | b'\r')).then_some((Separator::Colon, start))
}

/// Finds the value that a command behind a prompt prints alone on the next line, such as `$ argocd admin
/// initial-password -n argocd`. Excludes `git`, which prints hashes.
pub(super) fn find_command_output(scan: &Scan<'_>, name_start: usize, at: usize) -> Option<(Separator, usize)> {
    let rest = scan.slice(at, at + MAX_COMMAND_BYTES);
    let start = at + memchr::memchr(b'\n', rest)? + 1;
    let end = scan.run_end(start, &GRAPHIC, 256);
    let text = scan.slice(start, end);
    let is_value = text.len() >= 12 && may_be_generated(text) && matches!(scan.byte_at(end), 0 | b'\n' | b'\r');
    let is_git = memchr::memmem::rfind(line_before(scan, name_start), b"git ").is_some();
    (is_value && !is_git && is_behind_prompt(scan, name_start)).then_some((Separator::Colon, start))
}

const MAX_COMMAND_BYTES: usize = 200;

/// Checks for a prompt at the start of the line: `$ `, `> `, `irb> `, `(gdb) `.
fn is_behind_prompt(scan: &Scan<'_>, name_start: usize) -> bool {
    let line = line_before(scan, name_start);
    let prompt = line.windows(2).take(40).position(|two| matches!(two, b"$ " | b"> " | b"# " | b") "));
    prompt.is_some_and(|at| !line[..at].contains(&b' '))
}

fn line_before<'t>(scan: &Scan<'t>, at: usize) -> &'t [u8] {
    let before = scan.slice(at.saturating_sub(160), at);
    before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// Skips `=> ` of Ruby or `$1 = 0x5590 ` of GDB.
fn skip_result_mark(scan: &Scan<'_>, start: usize) -> usize {
    let line = scan.slice(start, start + 48);
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let quote = line.iter().position(|byte| matches!(byte, b'"' | b'\''));
    let is_answer = line.starts_with(b"=> ") || line.starts_with(b"$");
    quote.filter(|_| is_answer).map_or(start, |at| start + at)
}

fn strip_quotes(text: &[u8]) -> &[u8] {
    match text {
        [b'"' | b'\'' | b'`', inner @ .., b'"' | b'\'' | b'`'] if !inner.is_empty() => inner,
        _ => text,
    }
}

static RULER_MARKS: ByteSet = ByteSet::new("-=");
static WHITE_SPACE: ByteSet = ByteSet::new(" \t\r\n");
static GRAPHIC: ByteSet = ByteSet::new("!-~");
static HEADING: ByteSet = ByteSet::new("A-Za-z #*");

/// Redacts the text of an XML element whose closing tag is on its own line.
fn redact_element_text(scan: &mut Scan<'_>, name: NameSpan, start: usize) -> bool {
    let found =
        value_at(scan, start).filter(|found| scan.starts_with(scan.run_end(found.end, &WHITE_SPACE, 80), b"</"));
    found.is_some_and(|found| redact_value(scan, name, Separator::Pair, found))
}

fn redact_value_at(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, start: usize) -> bool {
    value_at(scan, start).is_some_and(|found| redact_value(scan, name, separator, found))
}

/// Redacts all lines with the indentation of the first line.
fn redact_block(scan: &mut Scan<'_>, name: NameSpan, first: usize, indent: usize) -> bool {
    let mut line = first;
    let mut end = first;
    while indent > 0 && line < scan.text.len() && scan.run_end(line, &BLANK, indent) == line + indent {
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

/// Checks for a single backslash at the end of the line, which continues the line.
pub(super) fn is_continuation(scan: &Scan<'_>, at: usize) -> bool {
    scan.run_end(at, &BACKSLASH, 2) == at + 1 && matches!(scan.byte_at(at + 1), b'\n' | b'\r')
}
