//! Decodes the paths of `file:` URLs, which runtimes print for modules.

use std::borrow::Cow;

/// Returns the path of a `file:` URL: `/srv/my shop/a.js` for `file:///srv/my%20shop/a.js`, `C:/a.js` for
/// `file:///C:/a.js`. Returns `None` for other URLs. A `%` without two hexadecimal digits stays. If the decoded bytes
/// are not printable text, nothing is decoded.
pub fn path_of_file_url(url: &str) -> Option<Cow<'_, str>> {
    let path = url.strip_prefix("file://")?;
    let path = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':')).unwrap_or(path);
    Some(decode_escapes(path).map_or(Cow::Borrowed(path), Cow::Owned))
}

/// Returns `None` if there is nothing to decode.
fn decode_escapes(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = if *first == b'%' { decode_byte(tail) } else { None };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    let text = String::from_utf8(bytes).ok()?;
    (text.len() < path.len() && !text.contains(char::is_control)).then_some(text)
}

/// Returns the byte that the first two hexadecimal digits encode.
fn decode_byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(0)? * 16 + digit(1)?)
}

#[cfg(test)]
mod tests {
    use super::path_of_file_url;

    #[test]
    fn escapes_are_decoded() {
        for (url, path) in [
            ("file:///srv/shop/a.js", "/srv/shop/a.js"),
            ("file:///srv/mein%20Projekt%20%C3%A4/%E6%97%A5%e6%9c%ac/a.js", "/srv/mein Projekt ä/日本/a.js"),
            ("file:///C:/my%20shop/a.js", "C:/my shop/a.js"),
            ("file:///srv/100%/a.js", "/srv/100%/a.js"),
            ("file:///srv/100%25%20off/a.js", "/srv/100% off/a.js"),
            ("file:///srv/%+1%2/a.js%", "/srv/%+1%2/a.js%"),
            ("file:///srv/%ff%20/a.js", "/srv/%ff%20/a.js"),
            ("file:///srv/%0aError:%20no/a.js", "/srv/%0aError:%20no/a.js"),
        ] {
            assert_eq!(path_of_file_url(url).as_deref(), Some(path), "{url}");
        }
        assert_eq!(path_of_file_url("/srv/my%20shop/a.js"), None);
    }
}
