//! Finds the values in a message that distinguish failures with the same stable text: a port, a host, a name, a path, a
//! number. Values that change in each run, such as a time or an ID, do not count.

use crate::normalize::{self, VOLATILE_NAMES};
use regex::Regex;
use std::sync::LazyLock;

/// A memory address, which differs in each process.
static MEMORY_ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b0x[0-9a-fA-F]{8,16}\b").expect("the pattern is well-formed"));

/// Returns the message with its values. Values that change in each run are placeholders.
pub fn restore_values(message: &str) -> String {
    message.lines().map(restore_line).collect::<Vec<_>>().join("\n")
}

/// Checks whether two lines have the same stable text but different values.
pub fn differ_in_values(before: &str, now: &str) -> bool {
    normalize::normalize_line(before) == normalize::normalize_line(now) && restore_line(before) != restore_line(now)
}

/// Checks whether two lines differ in more than memory addresses.
pub fn differ_beyond_addresses(before: &str, now: &str) -> bool {
    MEMORY_ADDRESS.replace_all(before, "<ADDRESS>") != MEMORY_ADDRESS.replace_all(now, "<ADDRESS>")
}

fn restore_line(line: &str) -> String {
    let stable = normalize::normalize_line(line);
    restore_text(&stable, line).or_else(|| restore_by_words(&stable, line)).unwrap_or(stable)
}

/// Like [`restore_text`], but word by word, for lines in which the normalizer removed something, such as the folders of
/// a path. A word that cannot be restored stays normalized.
fn restore_by_words(stable: &str, line: &str) -> Option<String> {
    let (stable, line): (Vec<_>, Vec<_>) = (stable.split(' ').collect(), line.split_whitespace().collect());
    let word = |(stable, word): (&&str, &&str)| restore_text(stable, word).unwrap_or_else(|| (*stable).to_owned());
    (stable.len() == line.len()).then(|| stable.iter().zip(&line).map(word).collect::<Vec<_>>().join(" "))
}

/// Replaces the placeholders of the normalized line with the text of `line` between the literal parts. Returns `None`
/// if a literal part is not found, so that two equal failures are not separated by mistake.
fn restore_text(stable: &str, line: &str) -> Option<String> {
    let mut parts = literal_parts(stable).peekable();
    let mut out = String::with_capacity(line.len());
    let (first, mut placeholder) = parts.next()?;
    let mut rest = line.strip_prefix(first)?;
    out.push_str(first);
    while let Some(name) = placeholder {
        let (literal, next) = parts.next()?;
        let is_last = parts.peek().is_none();
        let end = if is_last { rest.strip_suffix(literal).map(str::len) } else { rest.find(literal) }?;
        if VOLATILE_NAMES.contains(&name) {
            out.extend(["<", name, ">"]);
        } else {
            out.push_str(&rest[..end]);
        }
        out.push_str(literal);
        rest = &rest[end + literal.len()..];
        placeholder = next;
    }
    Some(out)
}

/// Returns each literal part with the name of the placeholder after it. The last part has no placeholder.
fn literal_parts(stable: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut left = Some(stable);
    std::iter::from_fn(move || {
        let text = left?;
        let found = text.match_indices('<').find_map(|(at, _)| Some((at, placeholder_name(&text[at..])?)));
        let Some((at, name)) = found else {
            left = None;
            return Some((text, None));
        };
        left = Some(&text[at + name.len() + 2..]);
        Some((&text[..at], Some(name)))
    })
}

/// Returns the name of the placeholder at the start of a text.
fn placeholder_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.split('>').next()?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    (is_name && text.len() > name.len() + 1).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{differ_beyond_addresses, differ_in_values, restore_values};
    use crate::normalize::normalize;

    #[test]
    fn ports_hosts_names_paths_and_numbers_distinguish_failures() {
        let pairs = [
            ("connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:6379"),
            ("connect ECONNREFUSED 10.0.0.1:5432", "connect ECONNREFUSED 10.0.0.2:5432"),
            ("getaddrinfo ENOTFOUND db.internal.example.com", "getaddrinfo ENOTFOUND mail.internal.example.com"),
            ("open '/srv/shop/a.json' for 10.0.0.1:5432", "open '/srv/shop/a.json' for 10.0.0.1:6379"),
            ("expected 24 to equal 7", "expected 3 to equal 5"),
            ("listen EADDRINUSE: address already in use :::3000", "listen EADDRINUSE: address already in use :::3001"),
        ];
        for (one, other) in pairs {
            assert_ne!(
                restore_values(one),
                restore_values(other),
                "{} / {}",
                normalize(one).text,
                normalize(other).text
            );
            assert!(differ_in_values(one, other) && !differ_in_values(one, one), "{one}");
        }
    }

    #[test]
    fn values_that_change_at_each_run_are_ignored() {
        let pairs = [
            ("gave up after 5003 ms on 10.0.0.1:5432", "gave up after 4998 ms on 10.0.0.1:5432"),
            (
                "request 3f2b8c1e-9a4d-4c6f-8b7a-1d2e3f4a5b6c failed on port 5432",
                "request 0c9d1e2f-1a2b-4c3d-9e8f-7a6b5c4d3e2f failed on port 5432",
            ),
            ("no answer at 2026-02-26T10:00:00Z from db", "no answer at 2026-02-27T11:12:13Z from db"),
            ("cannot open /tmp/argus-Ab3dE9/db", "cannot open /tmp/argus-Zx81Qp/db"),
        ];
        for (one, other) in pairs {
            assert_eq!(restore_values(one), restore_values(other));
            assert!(!differ_in_values(one, other), "{one}");
        }
        assert!(!differ_in_values("no till on port 5432", "no shop on port 6379"), "they say something else");
    }

    #[test]
    fn memory_addresses_are_ignored() {
        let object = |address: &str| format!("assert <shop.Cart object at {address}> == None");
        assert!(!differ_beyond_addresses(&object("0x7f31a0b2c9d0"), &object("0x7fe2c0a1b350")));
        assert!(!differ_beyond_addresses("got (*shop.Cart)(0xc000012345)", "got (*shop.Cart)(0xc000abcdef)"));
        assert!(differ_beyond_addresses("expected 0x10 to equal 0x11", "expected 0x10 to equal 0x12"));
    }

    #[test]
    fn text_without_values_is_unchanged() {
        for text in ["", "no till in the shop", "a < b and <T>", "<>", "<"] {
            assert_eq!(restore_values(text), text);
        }
    }
}
