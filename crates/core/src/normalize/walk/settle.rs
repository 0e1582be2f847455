//! Decides whether text that stayed could match if a placeholder follows. A wrong "yes" only costs a second pass over
//! the line.

use crate::text::bytes::{ByteSet, HEXADECIMAL, is_run_byte, is_word_byte};

/// Checks that no match can cross the end of `kept`. That holds if `kept` contains a byte that ends every name,
/// address, path and token, or if `kept` ends with a colon outside of an address. The callers handle dates and units,
/// which can match across blanks.
pub(super) fn is_match_boundary(kept: &[u8]) -> bool {
    let colon = || kept.last() == Some(&b':') && !find_address_suffix(kept).iter().any(u8::is_ascii_hexdigit);
    kept.iter().any(|&byte| !is_run_byte(byte)) || colon()
}

/// Checks whether the text in `kept` may match because a placeholder now follows directly. Not inlined, because the
/// function is called rarely and would enlarge the stack frames of its callers.
#[inline(never)]
pub(super) fn may_match_at_end(kept: &[u8]) -> bool {
    if is_match_boundary(kept) {
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
            Some(b':') => find_address_suffix(kept).iter().any(u8::is_ascii_digit),
            _ => false,
        }
}

/// Returns the last part of the text, which may be the start of an address or of a time of day.
fn find_address_suffix(text: &[u8]) -> &[u8] {
    static ADDRESS: ByteSet = ByteSet::of_classes(HEXADECIMAL, ":.");
    let length = text.iter().rev().take_while(|&&byte| ADDRESS.has(byte)).count();
    let (before, tail) = text.split_at(text.len() - length);
    // A name starts with a letter that is not a hexadecimal digit.
    let named = before.last().is_some_and(|&byte| is_word_byte(byte));
    let name = if named { tail.iter().take_while(|&&byte| is_word_byte(byte)).count() } else { 0 };
    &tail[name..]
}
