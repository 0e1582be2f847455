//! Hashes of passwords, known by the scheme they name: `$2b$12$..`, `{SSHA}..`, `pbkdf2_sha256$..`. Who has one can guess.
//! Digests of files and commits stay: they name no scheme.

use crate::redact::{
    judge::value,
    scan::{BASE64, Scan, Set},
};

const KIND: &str = "password-hash";
static BODY: Set = Set::new("A-Za-z0-9./$=,+_-");
static NAMED: Set = Set::new("A-Za-z0-9./$=,+_:-");

/// Modular crypt: scheme, salt and hash between dollar signs.
pub(super) fn crypt(scan: &mut Scan<'_>, hit: usize) {
    let end = scan.run(hit, &BODY, 512);
    let text = scan.slice(hit, end);
    let longest = text.split(|&byte| byte == b'$').map(<[u8]>::len).max().unwrap_or_default();
    // `$1$2` of a replacement has no such part.
    if text.len() >= 20 && longest >= 16 && value::is_random(text) {
        scan.add_by_format(KIND, hit, end);
    }
}

/// `{SSHA}` and base64 of LDAP.
pub(super) fn braced(scan: &mut Scan<'_>, hit: usize) {
    let rest = scan.slice(hit, hit + 24);
    let Some(close) = rest.iter().position(|&byte| byte == b'}') else { return };
    let end = scan.run(hit + close + 1, &BODY, 512);
    if end - hit - close > 20 {
        scan.add_by_format(KIND, hit, end);
    }
}

/// Base64 of `{SSHA`, as LDIF has it.
pub(super) fn encoded(scan: &mut Scan<'_>, hit: usize) {
    let end = scan.run(hit, &BASE64, 512);
    if scan.starts_token(hit) && end - hit >= 24 {
        scan.add_by_format(KIND, hit, end);
    }
}

/// `pbkdf2_sha256$260000$..`, `scrypt:32768:8:1$..`, `SCRAM-SHA-256$4096:..`.
pub(super) fn named_hash(scan: &mut Scan<'_>, hit: usize) {
    let end = scan.run(hit, &NAMED, 512);
    let text = scan.slice(hit, end);
    if text.len() >= 40 && text.contains(&b'$') && value::is_random(text) {
        scan.add_by_format(KIND, hit, end);
    }
}
