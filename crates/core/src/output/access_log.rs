//! Parses a line of an HTTP server's access log in the Common Log Format or one of its extensions (Apache httpd, nginx,
//! werkzeug, http.server).

use memchr::{memchr, memmem::Finder};
use std::sync::LazyLock;

static REQUEST_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\" "));

/// Returns the class of the status, for example `b'4'` for 404, if the line has the form `192.0.2.1 - bob
/// [02/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 404 512`. The fields may be placeholders.
pub(crate) fn status_class(line: &[u8]) -> Option<u8> {
    let (host, rest) = split_at_byte(line, b' ')?;
    let (user, rest) = split_at_byte(rest.strip_prefix(b"- ")?, b' ')?;
    let (_, rest) = split_at_byte(rest.strip_prefix(b"[")?, b']')?;
    let request = rest.strip_prefix(b" \"")?;
    let named = |name: &[u8]| !name.is_empty() && name.iter().all(|byte| !matches!(byte, b'"' | b'(' | b'=' | b','));
    if !named(host) || !named(user) {
        return None;
    }
    let status = &request[REQUEST_END.find(request)? + 2..];
    let &[class @ b'1'..=b'5', ..] = status else { return None };
    Some(class)
}

/// Splits at the first `byte`.
fn split_at_byte(line: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(byte, line)?;
    Some((&line[..at], &line[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::status_class;

    #[test]
    fn quoted_access_log_lines_have_no_status() {
        let rows: [(&str, Option<u8>); 10] = [
            ("192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 404 512", Some(b'4')),
            ("::1 - bob [02/Jan/2026:10:00:00 +0000] \"GET /a\\\"b HTTP/2\" 200 -", Some(b'2')),
            ("<IP> - - [<TIMESTAMP>] \"GET /carts/<ID> HTTP/1.1\" 5xx <NUM> \"-\" \"curl/<VERSION>\"", Some(b'5')),
            ("gateway - - [02/Jan/2026 10:00:00] \"GET / HTTP/1.1\" 503 -", Some(b'5')),
            ("expected 192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1", None),
            ("E   192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1", None),
            ("\"192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1", None),
            ("192.0.2.1 - - [02/Jan/2026:10:00:00 +0000] \"GET / HTTP/1.1\"", None),
            ("192.0.2.1 refused the connection", None),
            ("", None),
        ];
        for (line, class) in rows {
            assert_eq!(status_class(line.as_bytes()), class, "{line}");
        }
    }
}
