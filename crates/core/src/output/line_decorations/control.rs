//! Removes terminal control sequences and control characters from a line.

use crate::display::escape_length;
use crate::{text::bytes::append, text::bytes::run_end};
use wide::u8x16;

/// Properties of a text that are found in one pass.
#[derive(Clone, Copy)]
pub(in crate::output) struct ControlTraits {
    /// Set if the text has control characters other than tabs and line feeds.
    pub(in crate::output) has_control_characters: bool,
    /// Set if a line after the first starts with `E `, as pytest's error lines do.
    pub(in crate::output) may_have_pytest_marks: bool,
}

pub(in crate::output) fn find_control_traits(text: &[u8]) -> ControlTraits {
    let (mut controls, mut marks) = (u8x16::ZERO, u8x16::ZERO);
    let mut position = 0;
    // The loop has no early exit, because nearly every text is read to its end.
    while let Some(bytes) = text[position..].first_chunk::<18>() {
        let [first, second, third] =
            [0, 1, 2].map(|from| *bytes[from..].first_chunk().expect("the window is 2 bytes longer"));
        controls |= control_mask(first);
        let is = |bytes: [u8; 16], byte: u8| u8x16::new(bytes).simd_eq(u8x16::splat(byte));
        marks |= is(first, b'\n') & is(second, b'E') & is(third, b' ');
        position += 16;
    }
    let rest = &text[position..];
    ControlTraits {
        has_control_characters: controls.to_bitmask() != 0 || rest.iter().any(|&byte| is_control(byte)),
        may_have_pytest_marks: marks.to_bitmask() != 0 || rest.windows(3).any(|bytes| bytes == b"\nE "),
    }
}

/// Appends the line without control characters.
pub(in crate::output) fn append_without_controls(line: &[u8], out: &mut Vec<u8>) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut position = 0;
    loop {
        let stop = find_control(line, position);
        append::append_part(out, line, position, stop);
        position = match line.get(stop) {
            None => return,
            Some(0x1b) => stop + escape_length(line, stop),
            Some(b'\r') => {
                out.push(b' ');
                stop + 1
            }
            Some(_) => stop + 1,
        };
    }
}

/// Returns the position of the next control character, or the end of the line.
fn find_control(line: &[u8], start: usize) -> usize {
    let mut position = start.min(line.len());
    while let Some(chunk) = line[position..].first_chunk() {
        let found = control_mask(*chunk).to_bitmask();
        if found != 0 {
            return position + found.trailing_zeros() as usize;
        }
        position += chunk.len();
    }
    run_end(line, position, |byte| !is_control(byte))
}

/// Returns a mask of the control characters other than tabs and line feeds.
#[inline]
fn control_mask(bytes: [u8; 16]) -> u8x16 {
    let bytes = u8x16::new(bytes);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let low = bytes.min(u8x16::splat(b' ' - 1)).simd_eq(bytes);
    (low & !(is(b'\t') | is(b'\n'))) | is(0x7f)
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n')
}
