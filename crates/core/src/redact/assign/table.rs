//! Tables as Markdown and databases print them: a value in the cell behind its name, or in the column below it.

use super::{
    assignment::{NameSpan, Separator, ValueSpan, value_at},
    redact_value::redact_value,
};
use crate::redact::{
    judge::names,
    scan::{BLANK, Scan, Set},
};

const MAX_LINE_BYTES: usize = 1024;
const MAX_ROWS: usize = 64;
const MAX_CELLS: usize = 16;
static RULER: Set = Set::new("-+|=: \t");
static FRAME: Set = Set::new(" \t`*");

/// Takes the values in the cells behind a name, `| name | value | value |`; false where the name is in no cell.
pub(super) fn row(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let mut bar = scan.run(name_end, &FRAME, 80);
    let before = scan.run_back(name_start, &FRAME, 40);
    if scan.at(bar) != b'|' || !matches!(scan.before(before), b'|' | b'\n' | 0) {
        return false;
    }
    let Some(tier) = names::name_tier(scan.slice(name_start, name_end), false) else { return false };
    let name = NameSpan { start: name_start, end: name_end, tier };
    for _ in 0..MAX_CELLS {
        let start = scan.run(bar + 1, &BLANK, 80);
        let Some(found) = value_at(scan, start).map(|found| without_bar(scan, found)) else { break };
        bar = scan.run(found.end + usize::from(found.quoted), &FRAME, 80);
        // A sentence fills a cell with more than one word.
        if matches!(scan.at(bar), b'|' | b'\n' | b'\r' | 0) {
            redact_value(scan, name, Separator::Spaced, found);
        }
        let Some(next) = memchr::memchr2(b'|', b'\n', scan.slice(bar, bar + MAX_LINE_BYTES)) else { break };
        bar += next;
        if scan.at(bar) == b'\n' {
            break;
        }
    }
    true
}

/// Takes the values below a name in the head of a table; false where the name is in no head.
pub(super) fn column(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let behind = scan.run(name_end, &FRAME, 80);
    if !matches!(scan.at(behind), b'|' | b'\n' | b'\r') {
        return false;
    }
    let head = line_start(scan, name_start);
    let ruler = next_line(scan, name_end);
    let below = next_line(scan, ruler);
    let marks = scan.slice(ruler, below).trim_ascii();
    let is_ruler = marks.len() >= 3 && marks.contains(&b'-') && scan.run(ruler, &RULER, MAX_LINE_BYTES) + 3 > below;
    let bars = bars(scan.slice(head, name_start));
    if !is_ruler || !scan.slice(head, ruler).contains(&b'|') {
        return false;
    }
    let Some(tier) = names::name_tier(scan.slice(name_start, name_end), false) else { return false };
    let name = NameSpan { start: name_start, end: name_end, tier };
    let mut line = below;
    for _ in 0..MAX_ROWS {
        let end = next_line(scan, line);
        let Some(start) = field(scan, line, end, bars) else { break };
        if let Some(found) = value_at(scan, start).filter(|found| found.end <= end) {
            let found = without_bar(scan, found);
            redact_value(scan, name, Separator::Spaced, found);
        }
        line = end;
    }
    true
}

/// Start of the cell behind `bars` bars.
fn field(scan: &Scan<'_>, line: usize, end: usize, bars: usize) -> Option<usize> {
    let text = scan.slice(line, end);
    let mut places = memchr::memchr_iter(b'|', text).map(|at| line + at + 1);
    let start = if bars == 0 { places.next().map(|_| line) } else { places.nth(bars - 1) };
    start.map(|start| scan.run(start, &BLANK, 80))
}

/// `x|` where nothing parts a value from the next bar.
fn without_bar(scan: &Scan<'_>, found: ValueSpan) -> ValueSpan {
    let bar = memchr::memchr(b'|', scan.slice(found.start, found.end));
    ValueSpan { end: bar.filter(|_| !found.quoted).map_or(found.end, |at| found.start + at), ..found }
}

fn bars(text: &[u8]) -> usize {
    memchr::memchr_iter(b'|', text).count()
}

fn line_start(scan: &Scan<'_>, at: usize) -> usize {
    let from = at.saturating_sub(MAX_LINE_BYTES);
    memchr::memrchr(b'\n', scan.slice(from, at)).map_or(from, |line| from + line + 1)
}

fn next_line(scan: &Scan<'_>, from: usize) -> usize {
    let text = scan.slice(from, from + MAX_LINE_BYTES);
    memchr::memchr(b'\n', text).map_or(from + text.len(), |at| from + at + 1)
}
