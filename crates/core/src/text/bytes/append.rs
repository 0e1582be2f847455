//! Appends short texts with copies of a fixed size, because in wasm a copy of unknown length calls the host.

/// Appends `line[from..to]`, which usually is a few words. Copies sixteen bytes at a time and then removes the excess.
#[inline]
pub(crate) fn append_part(out: &mut Vec<u8>, line: &[u8], from: usize, to: usize) {
    let (mut position, end) = (from, out.len() + to - from);
    while position < to {
        let Some(piece) = line[position..].first_chunk::<16>() else { return append_short(out, &line[position..to]) };
        out.extend_from_slice(piece);
        position += 16;
    }
    out.truncate(end);
}

/// Appends a text that is usually short. Copies its first and its last bytes, which may overlap.
#[inline]
pub(crate) fn append_short(out: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        ..4 => text.iter().for_each(|&byte| out.push(byte)),
        4..=8 => copy_both_ends::<4>(out, text),
        9..=16 => copy_both_ends::<8>(out, text),
        _ => out.extend_from_slice(text),
    }
}

/// Appends a text of `N` to `2 * N` bytes.
#[inline]
fn copy_both_ends<const N: usize>(out: &mut Vec<u8>, text: &[u8]) {
    let end = out.len() + text.len();
    let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return };
    out.extend_from_slice(first);
    out.truncate(end - N);
    out.extend_from_slice(last);
}
