//! Decides whether text that stayed would be read the same way if a placeholder followed it. A wrong "no" only costs a
//! second walk over the line.

use crate::text::bytes::{HEXADECIMAL, Set, is_run, is_word};

/// Checks that nothing can match across the end of `kept`: a byte in it ends every name, address, path and token, or
/// its last byte is a colon outside an address. The callers handle dates and units, which match across blanks.
pub(super) fn ends_word(kept: &[u8]) -> bool {
    let colon = || kept.last() == Some(&b':') && !end_of_address(kept).iter().any(u8::is_ascii_hexdigit);
    kept.iter().any(|&byte| !is_run(byte)) || colon()
}

/// Checks whether the text in `kept`, which is directly before a placeholder, may match something now that it ends
/// there. Kept out of line because it is called rarely and would otherwise enlarge the stack frame of all callers.
#[inline(never)]
pub(super) fn runs_into(kept: &[u8]) -> bool {
    if ends_word(kept) {
        return false;
    }
    // Hardware addresses, random IDs, base64 and UUIDs are longer.
    kept.len() > 16
        || match kept.last() {
            // `db.com.5`, `1.2.3.4.5`
            Some(b'.') => true,
            // `bob@example.com-5`
            Some(b'-') => kept.contains(&b'@'),
            // IPv6 addresses and times of day contain a digit.
            Some(b':') => end_of_address(kept).iter().any(u8::is_ascii_digit),
            _ => false,
        }
}

/// Returns the end of the text that may be the start of an address or of a time of day.
fn end_of_address(text: &[u8]) -> &[u8] {
    static ADDRESS: Set = Set::of(HEXADECIMAL, ":.");
    let length = text.iter().rev().take_while(|&&byte| ADDRESS.has(byte)).count();
    let (before, tail) = text.split_at(text.len() - length);
    // A name starts with some other letter.
    let named = before.last().is_some_and(|&byte| is_word(byte));
    let name = if named { tail.iter().take_while(|&&byte| is_word(byte)).count() } else { 0 };
    &tail[name..]
}
