//! Decides whether a word of a sentence is a secret: `the key is Kx7p..`, `with password Tr0ub4dor`. `judge` handles
//! values after a separator.

use super::{
    names::Tier,
    predicates::{ends_line, has_specific_name, has_upper_case_name, is_expression, is_state_word, is_very_random},
    value,
};
use crate::redact::{
    assign::assignment::{NameSpan, ValueSpan},
    scan::{BLANK, Scan},
};

/// Checks whether a text in a sentence is a secret. Accepts only text that cannot be a word: `PASSWORD 'x1!..'`, `key
/// 9fQ2...`.
pub(super) fn is_secret_in_prose(scan: &Scan<'_>, name: NameSpan, found: ValueSpan, text: &[u8]) -> bool {
    // Excludes `bad auth mongodb://a:x@host`, because another finder redacts the password in the URL.
    if memchr::memmem::find(text, b"://").is_some() || value::is_path(text) || matches!(text[0], b'-' | b'@') {
        return false;
    }
    // Excludes `pass force_zip64 to use it` (a verb), `two-pass memchr2+SWAR code` (a part of a word) and `passwd
    // 1:4.13-1` (a package).
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let is_verb = matches!(owner.strip_suffix(b"pass"), Some(b"" | [.., b'-'])) && !has_password_mark(text);
    let is_object = owner.contains(&b'-') || text.iter().any(|byte| matches!(byte, b'_' | b'+' | b'='));
    if !found.quoted && ((is_verb && is_object) || (name.tier == Tier::Password && is_date_or_version(text))) {
        return false;
    }
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    let directly = scan.run_end(name.end, &BLANK, 40) == found.start - usize::from(found.quoted);
    match name.tier {
        Tier::Password => {
            (found.quoted && (has_upper_case_name(scan, name) || is_quoted_word(scan, name, found, text)))
                || (text.len() >= 8 && value::is_random(text) && !value::is_code(text))
                || (text.len() >= 8 && value::has_odd_case(text) && !value::is_code(text))
                || (if directly {
                    is_introduced(scan, name, text)
                } else {
                    text.len() >= 5 && mixes_letters_with_digits_or_marks(text)
                })
        }
        Tier::Query => false,
        Tier::Token | Tier::Key | Tier::Session
            if is_parser_or_table_term(scan, name) && !has_specific_name(scan, name) =>
        {
            false
        }
        // Excludes the ID of the store to which a variable is bound: `env.SESSION_TOKENS (cb3e48..)`.
        Tier::Token if value::is_hex(text) && is_variable(scan, name) && scan.byte_before(found.start) == b'(' => false,
        Tier::Token | Tier::Secret if has_specific_name(scan, name) && value::is_hex(digits) => digits.len() >= 20,
        Tier::Token | Tier::Secret
            if has_specific_name(scan, name) && text.len() >= 24 && text.iter().all(u8::is_ascii_alphanumeric) =>
        {
            value::is_random(text)
        }
        // Accepts 64 digits only directly after such a name: `rejected the account with key 0x..`
        Tier::Key if digits.len() == 64 && value::is_hex(digits) => {
            let name = scan.slice(name.start, name.end).to_ascii_lowercase();
            matches!(name.trim_ascii(), b"key" | b"with key" | b"using key")
        }
        Tier::Token if value::is_hex(text) => text.len() >= 32 && !is_parser_or_table_term(scan, name),
        _ if text.len() >= 20
            && (is_very_random(text) || (value::is_grouped_key(text) && has_specific_name(scan, name))) =>
        {
            true
        }
        _ => alternates_letters_and_digits(scan, name, text, directly),
    }
}

/// Checks for the name of a variable: `env.SESSION_TOKENS`, `API_TOKEN`.
fn is_variable(scan: &Scan<'_>, name: NameSpan) -> bool {
    let last = scan.slice(name.start, name.end).rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    !last.iter().any(u8::is_ascii_lowercase)
}

/// Checks for a quoted word such as `password 'blue-monkey'`, but not for ``pass `--lib` ``.
fn is_quoted_word(scan: &Scan<'_>, name: NameSpan, found: ValueSpan, text: &[u8]) -> bool {
    let verb = scan.slice(name.start, name.end).eq_ignore_ascii_case(b"pass");
    !verb
        && scan.byte_before(found.start) != b'`'
        && text.len() >= 4
        && !is_expression(text)
        && !text.contains(&b'(')
        && !text.starts_with(b"/")
}

/// Checks for a password that the words before or after it introduce: `with password Tr0ub4dor`, `, password
/// Maple-7788`, `user bob password x`.
fn is_introduced(scan: &Scan<'_>, name: NameSpan, text: &[u8]) -> bool {
    const INTRODUCING_WORDS: &[&str] =
        &["with ", "using ", "and ", "and the ", ", ", "with the ", "using the ", "is ", "; ", "/ "];
    let before = scan.slice(name.start.saturating_sub(12), name.start).to_ascii_lowercase();
    let introduced = INTRODUCING_WORDS.iter().any(|word| before.ends_with(word.as_bytes()));
    let user = follows_user(scan, name) && ends_line(scan, scan.run_end(name.end, &BLANK, 40) + text.len());
    let end = scan.run_end(name.end, &BLANK, 40) + text.len();
    let rejected = [&b" was "[..], b" is ", b" still ", b" does", b" did", b" no longer ", b" failed"]
        .iter()
        .any(|verb| scan.starts_with(end, verb));
    let phrase = scan.slice(name.start, name.end).to_ascii_lowercase().ends_with(b"phrase");
    ((rejected || phrase) && text.len() >= 8 && mixes_letters_with_digits_or_marks(text))
        || (user && text.len() >= 4 && !is_state_word(text) && !value::is_function_word(text))
        || text.len() >= 6
            && mixes_letters_with_digits_or_marks(text)
            && (introduced || has_digit_inside(text) || has_password_mark(text))
}

/// Checks for `user bob ` before the name.
fn follows_user(scan: &Scan<'_>, name: NameSpan) -> bool {
    let before = scan.slice(name.start.saturating_sub(48), name.start).to_ascii_lowercase();
    let mut words = before.split(u8::is_ascii_whitespace).rev().filter(|word| !word.is_empty());
    let _user = words.next();
    matches!(words.next(), Some(b"user" | b"username" | b"login" | b"uid"))
}

/// Checks for letters mixed with digits or marks in a way that words are not, excluding dates, versions, sizes and
/// paths.
pub(in crate::redact) fn mixes_letters_with_digits_or_marks(text: &[u8]) -> bool {
    const TECHNICAL_PREFIXES: &[&str] = &[
        "sha", "md5", "base", "ed25519", "rsa", "hs256", "hs512", "rs256", "es256", "aes", "utf", "bcrypt", "argon",
        "scrypt", "pbkdf", "x509", "oauth", "http", "v1", "v2", "v3", "p256", "0x", "k8s", "ipv", "ecdsa", "ssh-",
        "curve", "chacha",
    ];
    let lower = text.to_ascii_lowercase();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let mixed = text.iter().any(|byte| byte.is_ascii_digit() || b"!#$@%^&*".contains(byte));
    let plain = text.iter().all(|byte| byte.is_ascii_graphic() && !b"()[]{}<>:\\,\"'`".contains(byte));
    let sized = text[0].is_ascii_digit() && text.len() < 8;
    letters >= 2
        && mixed
        && plain
        && !sized
        && !TECHNICAL_PREFIXES.iter().any(|head| lower.starts_with(head.as_bytes()))
}

/// Checks for a punctuation mark that names and expressions do not contain.
fn has_password_mark(text: &[u8]) -> bool {
    text.iter().any(|byte| b"!#$@%^&*".contains(byte))
}

fn has_digit_inside(text: &[u8]) -> bool {
    text.windows(3)
        .any(|three| three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_alphabetic())
}

/// Checks for alternating letters and digits: `API key k4jd-92ks-aa01`, `the key is Kx7pQ2mVt9Zr`.
pub(super) fn alternates_letters_and_digits(scan: &Scan<'_>, name: NameSpan, text: &[u8], directly: bool) -> bool {
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let before = find_word_before(scan, name);
    let word = &before[..];
    let vague = directly
        && match &owner[..] {
            b"key" | b"keys" | b"secrets" => true,
            b"secret" => !matches!(word, b"shared" | b"client" | b"app" | b"webhook" | b"signing"),
            _ => false,
        };
    let alnum: Vec<u8> = text.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let turns = alnum.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let digits = alnum.iter().filter(|byte| byte.is_ascii_digit()).count();
    let plain =
        text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'!' | b'#'));
    let enough = (turns >= 3 && text.len() >= 8) || (!directly && turns >= 1 && text.len() >= 10);
    // Excludes `cacheKey_a1b2c3d4`, which is the name of an object.
    let named = matches!(name.tier, Tier::Key)
        && text.contains(&b'_')
        && text.split(|&byte| byte == b'_').next().is_some_and(|first| first.iter().all(u8::is_ascii_alphabetic));
    plain
        && !named
        && enough
        && digits >= 2
        && alnum.len() >= digits + 3
        && !is_parser_or_table_term(scan, name)
        && !vague
        && !value::is_hex(text)
        && !value::is_uuid(text)
        && mixes_letters_with_digits_or_marks(text)
        && !is_date_or_version(text)
}

/// Checks for a token of a parser or a key of a table: `unexpected token`, `primary key`.
fn is_parser_or_table_term(scan: &Scan<'_>, name: NameSpan) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const PARSER_AND_TABLE_WORDS: &[&[u8]] = &[
        b"unexpected", b"undefined", b"missing", b"duplicate", b"continuation", b"page", b"sync", b"resume",
        b"expected", b"next", b"lookahead", b"illegal", b"unknown", b"cache", b"primary", b"sort", b"foreign",
    ];
    PARSER_AND_TABLE_WORDS.contains(&&find_word_before(scan, name)[..])
}

fn find_word_before(scan: &Scan<'_>, name: NameSpan) -> Vec<u8> {
    let before = scan.slice(name.start.saturating_sub(16), name.start).to_ascii_lowercase();
    before.trim_ascii_end().rsplit(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default().to_vec()
}

/// Checks for `2024-03-01T10` and `1.2.3-rc1`.
fn is_date_or_version(text: &[u8]) -> bool {
    text[0].is_ascii_digit() && text.iter().filter(|byte| matches!(byte, b'-' | b'.')).count() >= 2
}
