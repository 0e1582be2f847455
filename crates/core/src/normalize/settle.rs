//! Tells when a part of a line that was looked at and kept is read the same once what follows it is a placeholder.
//! Does not: read it; a doubt costs a second walk over the line, no more.

use super::bytes::is_word;

/// Whether something in `kept` ends every run that a placeholder is recognised by.
pub(super) fn ends(kept: &[u8]) -> bool {
    kept.iter().any(|&byte| !is_word(byte) && !matches!(byte, b'.' | b'-' | b'_' | b':' | b'/' | b'+' | b'=' | b'@'))
}

/// Whether what begins in `kept`, right before a placeholder, may be recognised now that it ends there.
pub(super) fn runs_into(kept: &[u8]) -> bool {
    if ends(kept) {
        return false;
    }
    // Hardware addresses, random ids, base64 and UUIDs are longer.
    kept.len() > 16
        || match kept.last() {
            // `db.com.5`, `1.2.3.4.5`
            Some(b'.') => true,
            // `bob@example.com-5`
            Some(b'-') => kept.contains(&b'@'),
            Some(b':') => is_address(kept),
            _ => false,
        }
}

/// Whether the text ends with what may be the beginning of an IPv6 address or of a time of day.
fn is_address(text: &[u8]) -> bool {
    let length = text.iter().rev().take_while(|&&byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')).count();
    let (before, tail) = text.split_at(text.len() - length);
    // What began with another letter is a name.
    let named = before.last().is_some_and(|&byte| is_word(byte));
    let from = if named { tail.iter().position(|&byte| !is_word(byte)) } else { Some(0) };
    from.is_some_and(|from| tail[from..].iter().any(u8::is_ascii_digit))
}
