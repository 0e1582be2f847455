//! Decides whether a value beside a name is a secret, from what the name proves and how the value looks. `assign` finds
//! names and values; `value` knows the look of random text.

pub(super) mod names;
pub(super) mod told;
pub(super) mod traits;
pub(super) mod value;

use super::{
    assign::assignment::{NameSpan, Separator, ValueSpan},
    finders::blocks,
    scan::{BLANK, Scan},
};
use names::Tier;
use told::{is_coded, is_mixed, is_told};
use traits::{ends_line, is_environment, is_known_key, is_own_line, is_state, is_very_random, speaks_of_itself};

pub(super) fn accepts(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> bool {
    let text = scan.slice(found.start, found.end);
    let tier = name.tier;
    if text.is_empty()
        || value::is_placeholder(text)
        || value::is_dummy(text)
        || (found.quoted && (value::is_prose(text) || is_prompt(text)))
        || repeats_name(scan, name, text)
        || (tier != Tier::Password && value::is_address(text))
    {
        return false;
    }
    // `checksum/secret: 2f15..` of Helm.
    if scan.before(name.start) == b'/' && tier != Tier::Password && value::is_hex(text) {
        return false;
    }
    if separator == Separator::Colon && !found.quoted && is_assignment(text) {
        return false;
    }
    // `"pass": "The element has a title"`: the text of a check.
    if found.quoted && text.contains(&b' ') && scan.slice(name.start, name.end).eq_ignore_ascii_case(b"pass") {
        return false;
    }
    // `proxy_pass => qq{` opens a block, `auth[1]` is an expression.
    if !found.quoted && (matches!(text.last(), Some(b'{' | b'(')) || value::is_subscript(text)) {
        return false;
    }
    if tier != Tier::Password && !found.quoted && is_printed_object(text) {
        return false;
    }
    let opens = matches!(text[0], b'[' | b'{' | b'(' | b'<');
    match (tier, separator) {
        (_, Separator::Word) if opens => false,
        (_, Separator::Word) => is_told(scan, name, found, text) || is_directive(scan, name, found, text),
        (_, Separator::Flag) if text[0] == b'-' || is_metavariable(scan, found, text) => false,
        (Tier::Password, _) => is_password(scan, name, separator, found, text),
        (_, _) if opens && !found.quoted => false,
        (Tier::Secret, Separator::Tight | Separator::Pair | Separator::Flag) => {
            text.len() >= 6
                && !value::is_path(text)
                && (found.quoted || separator == Separator::Flag || !value::is_code(text) || is_environment(scan, name))
        }
        (Tier::Secret, Separator::Tuple) => is_drawn(text) || (text.len() >= 8 && text.iter().any(u8::is_ascii_digit)),
        (Tier::Secret, _) if found.quoted => {
            text.len() >= 8
                && !value::is_path(text)
                && (!text.contains(&b' ') || value::is_random(text))
                && (value::is_random(text)
                    || text.iter().any(u8::is_ascii_digit)
                    || !text.contains(&b'-')
                    || (is_known_key(scan, name) && is_made_up(text)))
        }
        (Tier::Session, _) => text.len() >= 16 && is_drawn(text) && !value::is_uuid(text),
        (Tier::Key, _) if is_bare_key(scan, name) && text.len() < 32 => false,
        (Tier::Key, Separator::Flag) if is_coded(scan, name, text, true) => true,
        (Tier::Key, _) if !found.quoted && value::is_code(text) => false,
        (Tier::Key, _) => (text.len() >= 16 && !value::is_path(text) && is_very_random(text)) || is_pair(text),
        _ => is_drawn(text) || is_chosen(scan, name, separator, found, text) || is_coded(scan, name, text, true),
    }
}

/// `"New password: "`: a prompt for a person.
fn is_prompt(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(b":")
        && text.iter().all(|byte| byte.is_ascii_alphabetic() || b" :%'".contains(byte))
}

/// `password: vserver=svm1`: the following text has its own name.
fn is_assignment(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    name >= 2 && text.get(name) == Some(&b'=') && text.get(name + 1).is_some_and(u8::is_ascii_alphanumeric)
}

/// `secretKey: "SECRET_KEY"`, `private_key: "_DSAPrivateKey"`: a name or a type instead of a value.
fn repeats_name(scan: &Scan<'_>, name: NameSpan, text: &[u8]) -> bool {
    let flat = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
    };
    let is_identifier = text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !is_identifier || text.len() > MAX_IDENTIFIER_BYTES {
        return false;
    }
    let (own, value) = (flat(scan.slice(name.start, name.end)), flat(text));
    let is_type = name.tier == Tier::Secret && own.len() >= 8 && value.ends_with(&own);
    !value.is_empty() && (value == own || is_type || (own.ends_with(&value) && value.len() >= 3))
}

const MAX_IDENTIFIER_BYTES: usize = 64;

/// `key` alone is as often a key of data as a secret.
fn is_bare_key(scan: &Scan<'_>, name: NameSpan) -> bool {
    matches!(&scan.slice(name.start, name.end).to_ascii_lowercase()[..], b"key" | b"keys")
}

/// Checks whether an issuer may have generated the value.
pub(super) fn is_drawn(text: &[u8]) -> bool {
    text.len() >= 8
        && !value::is_path(text)
        && !value::is_code(text)
        && (value::is_random(text) || value::is_url_safe(text) || value::is_grouped(text))
}

/// Checks whether a person may have invented the value, for a name that means a token: `"api_key": "letmein"`,
/// `Token:acme2024`.
fn is_chosen(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan, text: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| text.iter().filter(|byte| test(byte)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let plain =
        text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'!' | b'#' | b'@'));
    if !plain || letters < 3 || value::is_uuid(text) || name.tier == Tier::Query {
        return false;
    }
    let known = is_known_key(scan, name);
    let member = found.quoted && matches!(scan.at(name.end), b'"' | b'\'' | b'\\');
    let given = matches!(separator, Separator::Tight | Separator::TightColon | Separator::Pair | Separator::Flag);
    if digits >= 2 {
        return text.len() >= 8 && (known || found.quoted || (given && letters >= 4));
    }
    if digits == 1 && found.quoted && given && text.len() >= 10 && is_made_up(text) {
        return true;
    }
    if separator == Separator::Tuple || text.ends_with(b"key") {
        return false;
    }
    let named = found.quoted || separator == Separator::Flag;
    known && text.len() >= 6 && (member || named) && (digits == 1 || is_made_up(text))
}

/// Lower case, without words that describe a value.
fn is_made_up(text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const ABOUT: &[&[u8]] = &[
        b"key", b"auth", b"pass", b"value", b"name", b"user", b"config", b"env", b"file", b"path", b"include",
        b"omit", b"origin", b"public", b"private", b"header", b"query", b"cookie", b"session", b"bearer", b"basic",
        b"oauth", b"invalid", b"missing", b"expired", b"refused", b"denied", b"error", b"found", b"type", b"field",
        b"required", b"wrong", b"identifier", b"test", b"mock", b"fake", b"sample", b"changed", b"rotated",
        b"revoked", b"active",
    ];
    const ANYWHERE: &[&[u8]] = &[b"token", b"secret", b"passw", b"cred"];
    let lower = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    text.iter().all(lower)
        && !text.split(|&byte| byte == b'-').any(|part| ABOUT.contains(&part))
        && !ANYWHERE.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// A placeholder in a usage text: `--password PASSWORD`, `--password string   Password of the user`.
fn is_metavariable(scan: &Scan<'_>, found: ValueSpan, text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const WORDS: &[&[u8]] = &[
        b"option", b"options", b"flag", b"flags", b"argument", b"arguments", b"parameter", b"value", b"values",
        b"was", b"will", b"when", b"only", b"but", b"if", b"flag,", b"requires", b"needs", b"expects", b"as",
    ];
    let capitals = text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    let explained = scan.slice(found.end, found.end + 2) == b"  ";
    !found.quoted && (capitals || explained || WORDS.contains(&text) || value::is_telling(text) || value::is_path(text))
}

/// `token=Token{3f1a ActivityRecord{9a u0`: an object as Java and Kotlin print it.
fn is_printed_object(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    name >= 3 && text[0].is_ascii_uppercase() && text.get(name) == Some(&b'{')
}

/// Base64 of `user:password`, as in the configuration files of registries.
fn is_pair(text: &[u8]) -> bool {
    let decoded = blocks::decode_base64(text);
    text.len() >= 12 && decoded.contains(&b':') && decoded.iter().all(u8::is_ascii_graphic)
}

fn is_password(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan, text: &[u8]) -> bool {
    // `pass: 1234` counts tests.
    let counts =
        text.iter().all(u8::is_ascii_digit) && scan.slice(name.start, name.end).to_ascii_lowercase().ends_with(b"pass");
    if text.len() < 3 || counts || (value::is_path(text) && !value::is_random(text)) {
        return false;
    }
    let plain = text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'\''));
    // `willow.VELVET123` looks like a member, but members do not end in such a number.
    let is_numbered = is_mixed(text) && text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count() >= 3;
    let sensible =
        (plain || (value::is_code(text) && !is_numbered)) && !value::is_random(text) && !value::has_odd_case(text);
    let whole_line = || is_own_line(scan, name.start) && is_whole_line(scan, found.end);
    match separator {
        Separator::Pair => true,
        Separator::Tuple => !sensible || (is_environment(scan, name) && !is_constant(text) && !speaks_of_itself(text)),
        _ if found.quoted => true,
        Separator::Tight | Separator::TightColon => !(sensible && speaks_of_itself(text)),
        // `self.key_password = key_password`, `password: options.password`.
        Separator::Spaced if text.contains(&b'_') && speaks_of_itself(text) => !sensible,
        Separator::Spaced | Separator::Colon if text.contains(&b'.') && speaks_of_itself(text) => !sensible,
        Separator::Spaced => !sensible || (plain && whole_line()),
        Separator::Colon => {
            let settled = names::is_foreign(scan.slice(name.start, name.end)) || is_environment(scan, name);
            let closed = settled && plain && text.len() >= 4 && ends_line(scan, found.end) && !value::is_telling(text);
            !sensible
                || whole_line()
                || closed
                || (plain && text.len() >= 4 && is_beside_user(scan, name) && !is_state(text))
        }
        Separator::Flag => true,
        Separator::Word => false,
    }
}

/// `DB_HOST` in a list of names.
fn is_constant(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
}

/// `user: bob, pass: x` outside of code.
fn is_beside_user(scan: &Scan<'_>, name: NameSpan) -> bool {
    let before = scan.slice(name.start.saturating_sub(64), name.start).to_ascii_lowercase();
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let labels = [&b"user: "[..], b"username: ", b"login: ", b"email: "];
    !line.iter().any(|byte| b"{}()[]".contains(byte))
        && labels.iter().any(|label| memchr::memmem::find(line, label).is_some())
}

fn is_whole_line(scan: &Scan<'_>, end: usize) -> bool {
    let end = scan.run(end, &BLANK, 80);
    matches!(scan.at(end), 0 | b'\n' | b'\r')
}

/// `requirepass x`, `SecretKey x`: a line of a configuration file with a name and a value.
fn is_directive(scan: &Scan<'_>, name: NameSpan, found: ValueSpan, text: &[u8]) -> bool {
    let line = scan.run_back(name.start, &BLANK, 80);
    let begins = line == 0 || scan.text[line - 1] == b'\n' || is_set(scan.slice(line.saturating_sub(8), line));
    let end = found.end + usize::from(found.quoted);
    let ends = matches!(scan.at(scan.run(end, &BLANK, 16)), 0 | b'\n' | b'\r' | b';' | b'#');
    let owner = scan.slice(name.start, name.end);
    let compound = !matches!(
        &owner.to_ascii_lowercase()[..],
        b"password"
            | b"passwords"
            | b"passwd"
            | b"pass"
            | b"passphrase"
            | b"pwd"
            | b"token"
            | b"tokens"
            | b"secret"
            | b"key"
            | b"auth"
            | b"passwort"
            | b"kennwort"
            | b"senha"
            | b"heslo"
            | b"parola"
            | b"salasana"
            | b"wachtwoord"
            | b"passord"
            | b"contrasena"
            | b"lozinka"
            | b"adgangskode"
    );
    let directly = scan.run(name.end, &BLANK, 40) == found.start - usize::from(found.quoted);
    // A column of names and a column of values, as `vault kv get` prints them.
    let gap = scan.slice(name.end, found.start);
    let is_aligned = (gap.len() >= 3 || gap.contains(&b'\t')) && is_mixed(text) && begins && ends;
    if is_aligned && name.tier == Tier::Password && directly && text.len() >= 6 {
        return is_set_value(name.tier, text);
    }
    begins && ends && compound && directly && text.len() >= 4 && !is_state(text) && is_set_value(name.tier, text)
}

/// `set`, `setenv`, `ENV`, `export` before a name.
fn is_set(before: &[u8]) -> bool {
    let word = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default().to_ascii_lowercase();
    matches!(&word[..], b"set" | b"setenv" | b"setx" | b"env" | b"arg")
}

fn is_set_value(tier: Tier, text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    match tier {
        Tier::Password => !value::is_path(text) && !text.contains(&b'('),
        Tier::Secret => text.len() >= 6 && digits > 0 && !value::is_path(text),
        Tier::Key => is_very_random(text),
        Tier::Session => is_drawn(text) && !value::is_uuid(text),
        _ => is_drawn(text) || (digits >= 2 && text.len() >= 8 && !value::is_path(text) && !text.contains(&b'(')),
    }
}
