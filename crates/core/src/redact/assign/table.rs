//! Redacts values in tables of Markdown, databases and CSV: in the cell after their name, or in the column below their
//! name. A bar is `|`, `│` or `┃`.

use super::{
    assignment::{NameSpan, Separator, ValueSpan, value_at},
    redact_value::redact_value,
};
use crate::redact::{
    judge::names,
    scan::{BLANK, ByteSet, Scan},
};

const MAX_LINE_BYTES: usize = 1024;
const MAX_ROWS: usize = 64;
const MAX_CELLS: usize = 16;
static RULER_MARKS: ByteSet = ByteSet::new("-+|=: \t");
static CELL_PADDING: ByteSet = ByteSet::new(" \t`*");

/// Redacts the values in the cells after a name, `| name | value | value |`. Returns `false` if the name is not in a
/// cell.
pub(super) fn redact_row(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let mut bar = scan.run_end(name_end, &CELL_PADDING, 80);
    let before = scan.run_start(name_start, &CELL_PADDING, 40);
    // 0x82 and 0x83 are the last bytes of `│` and `┃`.
    let begins = matches!(scan.byte_before(before), b'|' | b'\n' | 0 | 0x82 | 0x83);
    if !begins || bar_size(scan, bar) == 0 {
        return false;
    }
    let Some(tier) = names::classify_name(scan.slice(name_start, name_end), false) else { return false };
    let name = NameSpan { start: name_start, end: name_end, tier };
    for _ in 0..MAX_CELLS {
        let start = scan.run_end(bar + bar_size(scan, bar), &BLANK, 80);
        let Some(found) = value_at(scan, start).map(|found| cut_at_bar(scan, found)) else { break };
        bar = scan.run_end(found.end + usize::from(found.quoted), &CELL_PADDING, 80);
        // A cell with several words contains a sentence.
        if bar_size(scan, bar) > 0 || matches!(scan.byte_at(bar), b'\n' | b'\r' | 0) {
            redact_value(scan, name, Separator::Spaced, found);
        }
        let line = scan.slice(bar, next_line_start(scan, bar));
        let Some((next, _)) = find_bars(line).next() else { break };
        bar += next;
    }
    true
}

/// Redacts the values below a name in the head of a table. Returns `false` if the name is not in a head.
pub(super) fn redact_column(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let behind = scan.run_end(name_end, &CELL_PADDING, 80);
    if bar_size(scan, behind) == 0 && !matches!(scan.byte_at(behind), b'\n' | b'\r') {
        return false;
    }
    let head = line_start(scan, name_start);
    let ruler = next_line_start(scan, name_end);
    let below = next_line_start(scan, ruler);
    let marks = scan.slice(ruler, below).trim_ascii();
    let is_line = ["-", "─", "━", "═"].iter().any(|line| memchr::memmem::find(marks, line.as_bytes()).is_some());
    let is_ruler = marks.len() >= 3 && is_line && marks.iter().all(|&byte| RULER_MARKS.has(byte) || byte >= 0x80);
    let before = find_bars(scan.slice(head, name_start)).count();
    if !is_ruler || find_bars(scan.slice(head, ruler)).next().is_none() {
        return false;
    }
    let Some(tier) = names::classify_name(scan.slice(name_start, name_end), false) else { return false };
    let name = NameSpan { start: name_start, end: name_end, tier };
    let mut line = below;
    for _ in 0..MAX_ROWS {
        let end = next_line_start(scan, line);
        let Some(start) = find_cell(scan, line, end, before) else { break };
        if let Some(found) = value_at(scan, start).filter(|found| found.end <= end) {
            let found = cut_at_bar(scan, found);
            redact_value(scan, name, Separator::Spaced, found);
        }
        line = end;
    }
    true
}

/// Returns the start of the cell after `before` bars.
fn find_cell(scan: &Scan<'_>, line: usize, end: usize, before: usize) -> Option<usize> {
    let mut places = find_bars(scan.slice(line, end)).map(|(at, size)| line + at + size);
    let start = if before == 0 { places.next().map(|_| line) } else { places.nth(before - 1) };
    start.map(|start| scan.run_end(start, &BLANK, 80))
}

/// Cuts the value before a bar that follows it without a blank, as in `x|`.
fn cut_at_bar(scan: &Scan<'_>, found: ValueSpan) -> ValueSpan {
    let bar = find_bars(scan.slice(found.start, found.end)).next();
    ValueSpan { end: bar.filter(|_| !found.quoted).map_or(found.end, |(at, _)| found.start + at), ..found }
}

/// Returns the positions and lengths of the bars.
fn find_bars(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let size = |at: usize| match &text[at..] {
        [b'|', ..] => 1,
        [0xe2, 0x94, 0x82 | 0x83, ..] => 3,
        _ => 0,
    };
    memchr::memchr2_iter(b'|', 0xe2, text).map(move |at| (at, size(at))).filter(|(_, size)| *size > 0)
}

/// Returns the length of the bar at `at`, or 0.
fn bar_size(scan: &Scan<'_>, at: usize) -> usize {
    find_bars(scan.slice(at, at + 3)).next().filter(|(place, _)| *place == 0).map_or(0, |(_, size)| size)
}

/// Redacts the values below a name in the first line of a CSV. Returns `false` if the line is not a CSV header.
pub(super) fn redact_csv_column(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let is_field = matches!(scan.byte_at(name_end), b',' | b'\n' | b'\r')
        && matches!(scan.byte_before(name_start), b',' | b'\n' | 0);
    if !is_field {
        return false;
    }
    let (head, below) = (line_start(scan, name_start), next_line_start(scan, name_end));
    let titles = scan.slice(head, below).trim_ascii_end();
    let is_title = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'_' | b'-');
    let (before, commas) = (count_commas(scan.slice(head, name_start)), count_commas(titles));
    let Some(tier) = names::classify_name(scan.slice(name_start, name_end), false) else { return false };
    if commas == 0 || !titles.iter().all(is_title) {
        return false;
    }
    let name = NameSpan { start: name_start, end: name_end, tier };
    let mut line = below;
    for _ in 0..MAX_ROWS {
        let end = next_line_start(scan, line);
        let row = scan.slice(line, end).trim_ascii_end();
        if count_commas(row) != commas {
            break;
        }
        let cell = row.split(|&byte| byte == b',').nth(before).unwrap_or_default();
        let start = line + row.split(|&byte| byte == b',').take(before).map(|cell| cell.len() + 1).sum::<usize>();
        redact_value(scan, name, Separator::Tuple, ValueSpan { start, end: start + cell.len(), quoted: false });
        line = end;
    }
    true
}

fn count_commas(text: &[u8]) -> usize {
    memchr::memchr_iter(b',', text).count()
}

fn line_start(scan: &Scan<'_>, at: usize) -> usize {
    let from = at.saturating_sub(MAX_LINE_BYTES);
    memchr::memrchr(b'\n', scan.slice(from, at)).map_or(from, |line| from + line + 1)
}

fn next_line_start(scan: &Scan<'_>, from: usize) -> usize {
    let text = scan.slice(from, from + MAX_LINE_BYTES);
    memchr::memchr(b'\n', text).map_or(from + text.len(), |at| from + at + 1)
}
