//! Takes terminal control sequences and control characters out of a line.
//! Does not: copy a line that has none.

use super::bytes::{at, run};
use wide::u8x16;

/// Whether the text has no control characters but tabs and line feeds.
pub(super) fn is_clean(text: &[u8]) -> bool {
    let (chunks, rest) = text.as_chunks::<16>();
    let control = |bytes: u8x16| {
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        let low = bytes.min(u8x16::splat(b' ' - 1)).simd_eq(bytes);
        (low & !(is(b'\t') | is(b'\n'))) | is(0x7f)
    };
    // No early exit: nearly every text is read to its end.
    let found = chunks.iter().fold(u8x16::ZERO, |found, chunk| found | control(u8x16::new(*chunk)));
    found.to_bitmask() == 0 && !rest.iter().any(|&byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n'))
}

/// The line without control characters; borrowed from `scratch` only where something was taken out.
pub(super) fn clean<'a>(line: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_clean(line) {
        return line;
    }
    scratch.clear();
    let mut position = 0;
    while position < line.len() {
        let byte = line[position];
        if byte == 0x1b {
            position = escape(line, position);
        } else {
            if byte >= b' ' && byte != 0x7f || byte == b'\t' {
                scratch.push(byte);
            } else if byte == b'\r' {
                scratch.push(b' ');
            }
            position += 1;
        }
    }
    scratch
}

/// End of an escape sequence: CSI (`ESC [ … m`), OSC (`ESC ] … BEL`), or two bytes.
fn escape(line: &[u8], start: usize) -> usize {
    match at(line, start + 1) {
        b'[' => {
            let end = run(line, start + 2, |byte| (0x20..0x40).contains(&byte));
            end + usize::from((0x40..0x7f).contains(&at(line, end)))
        }
        b']' => {
            let end = run(line, start + 2, |byte| byte != 7 && byte != 0x1b);
            end + usize::from(at(line, end) == 7)
        }
        0x20..0x7f => start + 2,
        _ => start + 1,
    }
}
