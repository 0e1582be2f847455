//! Takes terminal control sequences and control characters out of a line.
//! Does not: copy a line that has none.

use super::bytes::{at, run};

/// The line without control characters; borrowed from `scratch` only where something was taken out.
pub(super) fn clean<'a>(line: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // No early exit, so that the compiler can look at sixteen bytes at a time.
    let dirty =
        line.iter().fold(0, |found, &byte| found | u8::from((byte < b' ' && byte != b'\t') || byte == 0x7f)) != 0;
    if !dirty {
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
