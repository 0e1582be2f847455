//! Tells when a part of a line that was looked at and kept is read the same once what follows it is a placeholder.
//! A wrong doubt costs a second walk over the line, no more.

use crate::text::bytes::{HEXADECIMAL, Set, is_run, is_word};

/// Whether nothing is recognised across the end of `kept`: something in it ends every name, address, path and token, or its
/// last byte is a colon that belongs to no address. Dates and units, which go across blanks, are seen to by the callers.
pub(super) fn ends_word(kept: &[u8]) -> bool {
    let colon = || kept.last() == Some(&b':') && !end_of_address(kept).iter().any(u8::is_ascii_hexdigit);
    kept.iter().any(|&byte| !is_run(byte)) || colon()
}

/// Whether what begins in `kept`, right before a placeholder, may be recognised now that it ends there. Rarely asked: inlined,
/// it would have all callers make room for what it is answered.
#[inline(never)]
pub(super) fn runs_into(kept: &[u8]) -> bool {
    if ends_word(kept) {
        return false;
    }
    // Hardware addresses, random ids, base64 and UUIDs are longer.
    kept.len() > 16
        || match kept.last() {
            // `db.com.5`, `1.2.3.4.5`
            Some(b'.') => true,
            // `bob@example.com-5`
            Some(b'-') => kept.contains(&b'@'),
            // IPv6 and times of day have a digit.
            Some(b':') => end_of_address(kept).iter().any(u8::is_ascii_digit),
            _ => false,
        }
}

/// What the text ends with that may be the beginning of an address or of a time of day.
fn end_of_address(text: &[u8]) -> &[u8] {
    static ADDRESS: Set = Set::of(HEXADECIMAL, ":.");
    let length = text.iter().rev().take_while(|&&byte| ADDRESS.has(byte)).count();
    let (before, tail) = text.split_at(text.len() - length);
    // What began with another letter is a name.
    let named = before.last().is_some_and(|&byte| is_word(byte));
    let name = if named { tail.iter().take_while(|&&byte| is_word(byte)).count() } else { 0 };
    &tail[name..]
}
