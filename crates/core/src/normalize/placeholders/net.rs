//! Matches network addresses: URLs, e-mail, hosts, IPv4, IPv6, MAC.

use crate::text::bytes::{
    ByteSet, LOWER, UPPER, WORD, Words, byte_at, count_class_changes, digits_end, is_word_byte, name_end, parse_digits,
    run_end, scan_word,
};

/// Top-level domains of hosts that are rarely file extensions, members or packages.
static TOP_LEVEL_DOMAINS: Words<21> = Words::new([
    "com", "net", "org", "edu", "gov", "mil", "io", "dev", "cloud", "uk", "de", "fr", "jp", "cn", "hk", "kr", "ru",
    "br", "au", "ca", "eu",
]);
/// Top-level domains that count only in names with at least three parts.
static DEEP_TOP_LEVEL_DOMAINS: Words<22> = Words::new([
    "app", "info", "biz", "us", "nl", "ch", "se", "pl", "es", "it", "mx", "om", "tw", "tr", "ar", "za", "nz", "at",
    "be", "co", "sg", "cz",
]);

/// Returns the end of a URL whose scheme ends at `scheme_end`, without trailing punctuation of the sentence.
pub(in crate::normalize) fn url_end(text: &[u8], scheme_end: usize) -> Option<usize> {
    static ENDS: ByteSet = ByteSet::of_text_ends("\"'`<>|\\^{}");
    if !text[scheme_end..].starts_with(b"://") {
        return None;
    }
    let start = scheme_end + 3;
    let mut end = run_end(text, start, |byte| !ENDS.has(byte));
    // A placeholder or a replacement of the redactor inside a URL belongs to the URL:
    // `http://user:[REDACTED:password]@host`, `http://<HOST>/x`.
    while byte_at(text, end) == b'<' {
        let Some(after) = placeholder_end(text, end) else { break };
        end = run_end(text, after, |byte| !ENDS.has(byte));
    }
    end = trim_url(text, start, end);
    (end > start).then_some(end)
}

fn trim_url(text: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start {
        let last = text[end - 1];
        let open = match last {
            b')' => b'(',
            b']' => b'[',
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' => 0,
            _ => break,
        };
        if open != 0 && text[start..end].contains(&open) {
            break;
        }
        end -= 1;
    }
    end
}

/// Returns the end of a placeholder `<NAME>`, which an earlier pass wrote.
pub(super) fn placeholder_end(text: &[u8], start: usize) -> Option<usize> {
    let end = run_end(text, start + 1, |byte| byte.is_ascii_uppercase() || byte == b'_' || byte == b'*');
    (byte_at(text, start) == b'<' && end > start + 1 && byte_at(text, end) == b'>').then_some(end + 1)
}

/// Returns the end of `[REDACTED:kind]`.
pub(in crate::normalize) fn redaction_end(line: &[u8], start: usize) -> Option<usize> {
    if !line[start..].starts_with(b"[REDACTED:") {
        return None;
    }
    let end = run_end(line, start, |byte| byte != b']');
    (byte_at(line, end) == b']').then_some(end + 1)
}

/// Checks whether the byte is allowed in the local part of an e-mail address.
pub(in crate::normalize) fn is_local_part_byte(byte: u8) -> bool {
    static LOCAL_PART: ByteSet = ByteSet::of_classes(WORD, "._%+-");
    LOCAL_PART.has(byte)
}

/// Returns the end of the domain after the `@` at `at_sign`.
pub(in crate::normalize) fn email_domain_end(text: &[u8], at_sign: usize) -> Option<usize> {
    let mut end = run_end(text, at_sign + 1, |byte| is_word_byte(byte) || matches!(byte, b'.' | b'-'));
    while end > at_sign && matches!(text[end - 1], b'.' | b'-') {
        end -= 1;
    }
    let domain = text.get(at_sign + 1..end)?;
    let top = domain.rsplit(|&byte| byte == b'.').next()?;
    let letters = top.len() >= 2 && top.iter().all(|&byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    (letters && top.len() < domain.len()).then_some(end)
}

/// Returns the end of a dotted name of a public internet host that starts at `start`.
pub(super) fn host_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = name_end(text, start);
    while end > start && text[end - 1] == b'.' {
        end -= 1;
    }
    let name = &text[start..end];
    // A label of a host name must not start with a dash (RFC 1123, 2.1).
    if name.windows(2).any(|pair| pair == b".-") {
        return None;
    }
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    let top = &name[dot + 1..];
    let (likely, deep) = (TOP_LEVEL_DOMAINS.has(top), DEEP_TOP_LEVEL_DOMAINS.has(top));
    if !(likely || deep) || top.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let count = name[..dot].split(|&byte| byte == b'.').filter(|label| !label.is_empty()).count();
    let known = count >= if likely { 1 } else { 2 };
    let plain =
        !matches!(byte_at(text, end), b'(' | b'/' | b'\\' | b'$' | b'@') || byte_at(text, end) == b'/' && count >= 2;
    // Excludes packages and members such as `java.io` and `foo.Bar.com`: a name with two parts must have no capital
    // letter.
    let mixed = count == 1 && name.iter().any(u8::is_ascii_uppercase);
    let package = name.starts_with(b"java.") || name.starts_with(b"javax.");
    (known && plain && !mixed && !package).then_some(end)
}

/// Returns the end of an IPv4 address.
pub(super) fn ipv4_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    for part in 0..4 {
        if part > 0 {
            if byte_at(text, end) != b'.' {
                return None;
            }
            end += 1;
        }
        let stop = digits_end(text, end);
        if stop == end || stop - end > 3 || parse_digits(&text[end..stop]) > 255 {
            return None;
        }
        end = stop;
    }
    let more = byte_at(text, end) == b'.' && is_word_byte(byte_at(text, end + 1));
    (!more && !is_word_byte(byte_at(text, end))).then_some(end)
}

/// Returns the end of an IPv6 address. The address must contain a digit, so that `Bee::bad` is not an address.
pub(in crate::normalize) fn ipv6_end(text: &[u8], start: usize) -> Option<usize> {
    if let Some(end) = loopback_before_port(text, start) {
        return Some(end);
    }
    let mut end = run_end(text, start, |byte| byte.is_ascii_hexdigit() || byte == b':');
    if byte_at(text, end) == b'.' {
        let tail = text[start..end].iter().rposition(|&byte| byte == b':')? + start + 1;
        end = ipv4_end(text, tail)?;
    }
    let mut body = &text[start..end];
    if body.ends_with(b":") && !body.ends_with(b"::") {
        end -= 1;
        body = &text[start..end];
    }
    let groups = body.split(|&byte| byte == b':');
    let long = groups.clone().any(|group| group.len() > 4 && !group.contains(&b'.'));
    let filled = groups.filter(|group| !group.is_empty()).count();
    let gaps = body.windows(2).filter(|pair| pair == b"::").count();
    let shape = gaps == 1 && (1..=7).contains(&filled) || gaps == 0 && filled == 8;
    let valid = shape && !long && body.iter().any(u8::is_ascii_digit) && !is_word_byte(byte_at(text, end));
    if valid && byte_at(text, end) == b'%' {
        // A zone may follow: `fe80::1%eth0`.
        return Some(scan_word(text, end + 1).0);
    }
    valid.then_some(end)
}

/// Returns the end of the loopback address in `::1:5432`, which Node and Java print without brackets.
fn loopback_before_port(text: &[u8], start: usize) -> Option<usize> {
    let end = [&b"::1:"[..], b"0:0:0:0:0:0:0:1:"]
        .iter()
        .find_map(|address| text[start..].starts_with(address).then(|| start + address.len() - 1))?;
    let port = digits_end(text, end + 1);
    let is_port =
        (2..=5).contains(&(port - end - 1)) && !is_word_byte(byte_at(text, port)) && byte_at(text, port) != b':';
    is_port.then_some(end)
}

/// Checks for the loopback address in brackets before a port: `[::1]:5432`.
pub(in crate::normalize) fn is_bracketed_loopback(text: &[u8], start: usize, end: usize) -> bool {
    matches!(&text[start..end], b"::1" | b"0:0:0:0:0:0:0:1")
        && byte_at(text, start.wrapping_sub(1)) == b'['
        && byte_at(text, end) == b']'
        && byte_at(text, end + 1) == b':'
        && byte_at(text, end + 2).is_ascii_digit()
}

/// Returns the end of a MAC address (six pairs of hexadecimal digits).
pub(super) fn mac_end(text: &[u8], start: usize) -> Option<usize> {
    let mark = byte_at(text, start + 2);
    if !matches!(mark, b':' | b'-') {
        return None;
    }
    let end = start + 17;
    let body = text.get(start..end)?;
    let valid =
        body.iter().enumerate().all(|(i, &byte)| if i % 3 == 2 { byte == mark } else { byte.is_ascii_hexdigit() });
    let more =
        is_word_byte(byte_at(text, end)) || byte_at(text, end) == mark && byte_at(text, end + 1).is_ascii_hexdigit();
    (valid && !more).then_some(end)
}

/// Returns the end of a cloud resource ID: `i-0d1f2dfeb37c586ad`, `vol-049df61146c4d7901`.
pub(super) fn cloud_id_end(text: &[u8], start: usize) -> Option<usize> {
    const KINDS: [&str; 18] = [
        "i", "vol", "snap", "ami", "sg", "subnet", "vpc", "eni", "rtb", "igw", "nat", "eipalloc", "acl", "vpce", "lt",
        "tgw", "fs", "pcx",
    ];
    let (kind_end, _) = scan_word(text, start);
    if byte_at(text, kind_end) != b'-' || !KINDS.iter().any(|kind| kind.as_bytes() == &text[start..kind_end]) {
        return None;
    }
    let (end, mask) = scan_word(text, kind_end + 1);
    let id = &text[kind_end + 1..end];
    (matches!(id.len(), 8 | 17) && mask & (LOWER | UPPER) == 0 && count_class_changes(id) > 0).then_some(end)
}
