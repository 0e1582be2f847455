//! Decides by name and value whether a value is a secret. `assign` finds names and values, and `value` checks whether a
//! text looks random.

pub(super) mod names;
pub(super) mod predicates;
pub(super) mod prose;
pub(super) mod value;

use super::{
    assign::assignment::{NameSpan, Separator, ValueSpan},
    finders::blocks,
    scan::{BLANK, Scan},
};
use names::Tier;
use predicates::{
    ends_line, has_specific_name, has_upper_case_name, is_expression, is_state_word, is_very_random, starts_line,
};
use prose::{alternates_letters_and_digits, is_secret_in_prose, mixes_letters_with_digits_or_marks};

pub(super) fn is_secret_value(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan) -> bool {
    let text = scan.slice(found.start, found.end);
    let tier = name.tier;
    if text.is_empty()
        || value::is_placeholder(text)
        || value::is_dummy_token(text)
        || (found.quoted && (value::is_prose(text) || is_prompt(text)))
        || repeats_name(scan, name, text)
        || (tier != Tier::Password && value::is_ethereum_address(text))
    {
        return false;
    }
    if !found.quoted && (is_open_list(text) || (tier != Tier::Password && value::is_absolute_file_path(text))) {
        return false;
    }
    if is_public_key(text) || is_constant_phrase(text) || is_pytest_parameter(text) || is_kubectl_remark(scan, found) {
        return false;
    }
    // Excludes a label of Prometheus: `{namespace="prod",secret="tls-wildcard-2026"}`.
    if tier == Tier::Secret && found.quoted && is_metric_label(scan, name) && is_dashed_name(text) {
        return false;
    }
    // Excludes `RequestToken: 103111dc-e9ba-..`, which only makes a request idempotent.
    if value::is_uuid(text) && scan.slice(name.start, name.end).to_ascii_lowercase().ends_with(b"requesttoken") {
        return false;
    }
    // Excludes `checksum/secret: 2f15..` of Helm.
    if scan.byte_before(name.start) == b'/' && tier != Tier::Password && value::is_hex(text) {
        return false;
    }
    // Excludes a subtest of Go: `TestLogin/password:rotated_twice`.
    let is_plain = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    if separator == Separator::TightColon && scan.byte_before(name.start) == b'/' && is_plain {
        return false;
    }
    if separator == Separator::Colon && !found.quoted && is_assignment(text) {
        return false;
    }
    // Excludes the text of a passed check: `"pass": "The element has a title"`.
    if found.quoted && text.contains(&b' ') && scan.slice(name.start, name.end).eq_ignore_ascii_case(b"pass") {
        return false;
    }
    // Excludes `proxy_pass => qq{`, which opens a block, and `auth[1]`, which is an expression.
    if !found.quoted && (matches!(text.last(), Some(b'{' | b'(')) || value::is_subscript(text)) {
        return false;
    }
    if tier != Tier::Password && !found.quoted && is_printed_object(text) {
        return false;
    }
    let opens = matches!(text[0], b'[' | b'{' | b'(' | b'<');
    match (tier, separator) {
        (_, Separator::Word) if opens => false,
        (_, Separator::Word) => is_secret_in_prose(scan, name, found, text) || is_directive(scan, name, found, text),
        (_, Separator::Flag) if text[0] == b'-' || is_metavariable(scan, found, text) => false,
        (Tier::Password, _) => is_password(scan, name, separator, found, text),
        (_, _) if opens && !found.quoted => false,
        (Tier::Secret, Separator::Tight | Separator::Pair | Separator::Flag) => {
            text.len() >= 6
                && !value::is_path(text)
                && (found.quoted
                    || separator == Separator::Flag
                    || !value::is_code(text)
                    || has_upper_case_name(scan, name))
        }
        (Tier::Secret, Separator::Tuple) => {
            may_be_generated(text) || (text.len() >= 8 && text.iter().any(u8::is_ascii_digit))
        }
        (Tier::Secret, _) if found.quoted => {
            text.len() >= 8
                && !value::is_path(text)
                && (!text.contains(&b' ') || value::is_random(text))
                && (value::is_random(text)
                    || text.iter().any(u8::is_ascii_digit)
                    || !text.contains(&b'-')
                    || (has_specific_name(scan, name) && is_invented_word(text)))
        }
        (Tier::Session, _) => text.len() >= 16 && may_be_generated(text) && !value::is_uuid(text),
        (Tier::Token | Tier::Key, _) if found.quoted && is_long_mixed_text(text) => true,
        (Tier::Key, _) if is_bare_key_name(scan, name) && text.len() < 32 => false,
        (Tier::Key, Separator::Flag) if alternates_letters_and_digits(scan, name, text, true) => true,
        (Tier::Key, _) if !found.quoted && (value::is_code(text) || is_cache_key(text)) => false,
        (Tier::Key, _) => (text.len() >= 16 && !value::is_path(text) && is_very_random(text)) || is_encoded_login(text),
        _ => {
            may_be_generated(text)
                || may_be_invented(scan, name, separator, found, text)
                || alternates_letters_and_digits(scan, name, text, true)
        }
    }
}

/// Checks for a list whose quoted text continues after a blank, such as `[{"should` of `[{"should be longer", [count:
/// 12]}]`.
fn is_open_list(text: &[u8]) -> bool {
    matches!(text[0], b'[' | b'{' | b'(') && memchr::memchr_iter(b'"', text).count() % 2 == 1
}

/// Checks for generated text of all printable characters, such as the keys of `WordPress`: at least 8 kinds of marks,
/// digits, and letters of both cases.
fn is_long_mixed_text(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let marks: std::collections::BTreeSet<u8> = text.iter().copied().filter(u8::is_ascii_punctuation).collect();
    text.len() >= 40
        && marks.len() >= 8
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && memchr::memchr_iter(b' ', text).count() < 8
}

/// Checks for the key of a CI cache, which ends in the digest of a lock file: `Linux-pnpm-store-9487..`.
fn is_cache_key(text: &[u8]) -> bool {
    let mut parts = text.rsplit(|&byte| byte == b'-');
    let digest = parts.next().unwrap_or_default();
    let mut words = parts.peekable();
    matches!(digest.len(), 32 | 40 | 64 | 128)
        && value::is_hex(digest)
        && words.peek().is_some()
        && words.all(|word| {
            word.len() <= 16 && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        })
}

/// Checks for a public key: `ssh-ed25519 AAAA.. bob@host`.
fn is_public_key(text: &[u8]) -> bool {
    [&b"ssh-"[..], b"ecdsa-sha2-", b"sk-ssh-", b"sk-ecdsa-"].iter().any(|kind| text.starts_with(kind))
        && memchr::memmem::find(text, b" AAAA").is_some()
}

/// Checks for at least four words in capitals, which name an error or a constant:
/// `VALUE_SPECIFIED_IN_NO_LOG_PARAMETER`.
fn is_constant_phrase(text: &[u8]) -> bool {
    is_constant(text) && text.split(|&byte| byte == b'_').filter(|word| word.len() >= 2).count() >= 4
}

/// Checks for parameters of a test, which pytest joins with a hyphen: `test_reset[password=None-secret=missing]`.
fn is_pytest_parameter(text: &[u8]) -> bool {
    let Some(hyphen) = text.iter().position(|&byte| byte == b'-') else { return false };
    hyphen > 0 && value::is_placeholder(&text[..hyphen]) && text[hyphen..].contains(&b'=')
}

/// Checks for a remark of `kubectl describe`: `<set to the key 'password' in secret 'app'>`.
fn is_kubectl_remark(scan: &Scan<'_>, found: ValueSpan) -> bool {
    let rest = scan.slice(found.start, found.end + MAX_KUBECTL_REMARK_BYTES);
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let close = line.iter().position(|&byte| byte == b'>');
    !found.quoted
        && line[0] == b'<'
        && close.is_some_and(|close| {
            line[1..close].contains(&b' ')
                && line[1..close].iter().all(|byte| byte.is_ascii_alphanumeric() || b" '.,_-".contains(byte))
        })
}

const MAX_KUBECTL_REMARK_BYTES: usize = 120;

/// Checks for a label in braces directly after the name of a metric.
fn is_metric_label(scan: &Scan<'_>, name: NameSpan) -> bool {
    let before = scan.slice(name.start.saturating_sub(MAX_LINE_BYTES), name.start);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let brace = line.iter().rposition(|&byte| byte == b'{');
    let is_owner = |brace: usize| brace > 0 && (line[brace - 1].is_ascii_lowercase() || line[brace - 1] == b'_');
    matches!(line.last(), Some(b'{' | b',')) && brace.is_some_and(is_owner)
}

const MAX_LINE_BYTES: usize = 512;

/// Checks for words and short numbers with hyphens between them, as in the names of Kubernetes objects:
/// `tls-wildcard-2026`.
fn is_dashed_name(text: &[u8]) -> bool {
    text.contains(&b'-')
        && text.split(|&byte| byte == b'-').all(|part| {
            part.iter().all(u8::is_ascii_lowercase) || (part.len() <= 4 && part.iter().all(u8::is_ascii_digit))
        })
}

/// Checks for the text of a prompt: `"New password: "`.
fn is_prompt(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(b":")
        && text.iter().all(|byte| byte.is_ascii_alphabetic() || b" :%'".contains(byte))
}

/// Checks for a value that is itself an assignment, as in `password: vserver=svm1`.
fn is_assignment(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    name >= 2 && text.get(name) == Some(&b'=') && text.get(name + 1).is_some_and(u8::is_ascii_alphanumeric)
}

/// Checks for a name or a type in place of a value: `secretKey: "SECRET_KEY"`, `private_key: "_DSAPrivateKey"`.
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
    // An object may have the name of a step: `rotate-keys-fetch-token-2817733901` for the step `fetch-token`.
    let is_derived = name.tier != Tier::Password && own.len() >= 8 && value.windows(own.len()).any(|part| part == own);
    !value.is_empty() && (value == own || is_type || is_derived || (own.ends_with(&value) && value.len() >= 3))
}

const MAX_IDENTIFIER_BYTES: usize = 64;

/// Checks for the bare name `key` or `keys`, which names a key of data as often as a secret.
fn is_bare_key_name(scan: &Scan<'_>, name: NameSpan) -> bool {
    matches!(&scan.slice(name.start, name.end).to_ascii_lowercase()[..], b"key" | b"keys")
}

/// Checks whether an issuer may have generated the value.
pub(super) fn may_be_generated(text: &[u8]) -> bool {
    text.len() >= 8
        && !value::is_path(text)
        && !value::is_code(text)
        && (value::is_random(text) || value::is_random_base64url(text) || value::is_grouped_key(text))
}

/// Checks whether a person may have invented the value of a token: `"api_key": "letmein"`, `Token:acme2024`.
fn may_be_invented(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan, text: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| text.iter().filter(|byte| test(byte)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let plain =
        text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'!' | b'#' | b'@'));
    if !plain || letters < 3 || value::is_uuid(text) || name.tier == Tier::Query {
        return false;
    }
    let known = has_specific_name(scan, name);
    let member = found.quoted && matches!(scan.byte_at(name.end), b'"' | b'\'' | b'\\');
    let given = matches!(separator, Separator::Tight | Separator::TightColon | Separator::Pair | Separator::Flag);
    if digits >= 2 {
        return text.len() >= 8 && (known || found.quoted || (given && letters >= 4));
    }
    if digits == 1 && found.quoted && given && text.len() >= 10 && is_invented_word(text) {
        return true;
    }
    if separator == Separator::Tuple || text.ends_with(b"key") {
        return false;
    }
    let named = found.quoted || separator == Separator::Flag;
    known && text.len() >= 6 && (member || named) && (digits == 1 || is_invented_word(text))
}

/// Checks for a word in lower case that does not describe a value.
fn is_invented_word(text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const DESCRIPTION_WORDS: &[&[u8]] = &[
        b"key", b"auth", b"pass", b"value", b"name", b"user", b"config", b"env", b"file", b"path", b"include",
        b"omit", b"origin", b"public", b"private", b"header", b"query", b"cookie", b"session", b"bearer", b"basic",
        b"oauth", b"invalid", b"missing", b"expired", b"refused", b"denied", b"error", b"found", b"type", b"field",
        b"required", b"wrong", b"identifier", b"test", b"mock", b"fake", b"sample", b"changed", b"rotated",
        b"revoked", b"active",
    ];
    const SECRET_WORDS: &[&[u8]] = &[b"token", b"secret", b"passw", b"cred"];
    let lower = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    text.iter().all(lower)
        && !text.split(|&byte| byte == b'-').any(|part| DESCRIPTION_WORDS.contains(&part))
        && !SECRET_WORDS.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// Checks for a placeholder in a usage text: `--password PASSWORD`, `--password string   Password of the user`.
fn is_metavariable(scan: &Scan<'_>, found: ValueSpan, text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const METAVARIABLE_WORDS: &[&[u8]] = &[
        b"option", b"options", b"flag", b"flags", b"argument", b"arguments", b"parameter", b"value", b"values",
        b"was", b"will", b"when", b"only", b"but", b"if", b"flag,", b"requires", b"needs", b"expects", b"as",
    ];
    let capitals = text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    let explained = scan.slice(found.end, found.end + 2) == b"  ";
    !found.quoted
        && (capitals
            || explained
            || METAVARIABLE_WORDS.contains(&text)
            || value::is_function_word(text)
            || value::is_path(text))
}

/// Checks for an object as Java and Kotlin print it: `token=Token{3f1a ActivityRecord{9a u0`.
fn is_printed_object(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    name >= 3 && text[0].is_ascii_uppercase() && text.get(name) == Some(&b'{')
}

/// Checks for base64 of `user:password`, as in the configuration files of registries.
fn is_encoded_login(text: &[u8]) -> bool {
    let decoded = blocks::decode_base64(text);
    text.len() >= 12 && decoded.contains(&b':') && decoded.iter().all(u8::is_ascii_graphic)
}

fn is_password(scan: &Scan<'_>, name: NameSpan, separator: Separator, found: ValueSpan, text: &[u8]) -> bool {
    // Excludes `pass: 1234`, which counts tests.
    let counts =
        text.iter().all(u8::is_ascii_digit) && scan.slice(name.start, name.end).to_ascii_lowercase().ends_with(b"pass");
    if text.len() < 3 || counts || (value::is_path(text) && !value::is_random(text)) {
        return false;
    }
    let plain = text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'\''));
    // `willow.VELVET123` looks like a member of an object, but members do not end in a number of three digits.
    let is_numbered = mixes_letters_with_digits_or_marks(text)
        && text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count() >= 3;
    let sensible =
        (plain || (value::is_code(text) && !is_numbered)) && !value::is_random(text) && !value::has_odd_case(text);
    let whole_line = || starts_line(scan, name.start) && is_end_of_line(scan, found.end);
    match separator {
        Separator::Pair => true,
        Separator::Tuple => {
            !sensible || (has_upper_case_name(scan, name) && !is_constant(text) && !is_expression(text))
        }
        _ if found.quoted => true,
        Separator::Tight | Separator::TightColon => !(sensible && is_expression(text)),
        // Excludes `self.key_password = key_password` and `password: options.password`.
        Separator::Spaced if text.contains(&b'_') && is_expression(text) => !sensible,
        Separator::Spaced | Separator::Colon if text.contains(&b'.') && is_expression(text) => !sensible,
        Separator::Spaced => !sensible || (plain && whole_line()),
        Separator::Colon => {
            let settled = names::is_foreign_word(scan.slice(name.start, name.end)) || has_upper_case_name(scan, name);
            let closed =
                settled && plain && text.len() >= 4 && ends_line(scan, found.end) && !value::is_function_word(text);
            !sensible
                || whole_line()
                || closed
                || (plain && text.len() >= 4 && follows_user_name(scan, name) && !is_state_word(text))
        }
        Separator::Flag => true,
        Separator::Word => false,
    }
}

/// Checks for the name of a constant, as in a list of names: `DB_HOST`.
fn is_constant(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
}

/// Checks for a user name earlier in a line that is not code: `user: bob, pass: x`.
fn follows_user_name(scan: &Scan<'_>, name: NameSpan) -> bool {
    let before = scan.slice(name.start.saturating_sub(64), name.start).to_ascii_lowercase();
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let labels = [&b"user: "[..], b"username: ", b"login: ", b"email: "];
    !line.iter().any(|byte| b"{}()[]".contains(byte))
        && labels.iter().any(|label| memchr::memmem::find(line, label).is_some())
}

fn is_end_of_line(scan: &Scan<'_>, end: usize) -> bool {
    let end = scan.run_end(end, &BLANK, 80);
    matches!(scan.byte_at(end), 0 | b'\n' | b'\r')
}

/// Checks for a line of a configuration file with a name and a value: `requirepass x`, `SecretKey x`.
fn is_directive(scan: &Scan<'_>, name: NameSpan, found: ValueSpan, text: &[u8]) -> bool {
    let line = scan.run_start(name.start, &BLANK, 80);
    let begins =
        line == 0 || scan.text[line - 1] == b'\n' || ends_with_set_command(scan.slice(line.saturating_sub(8), line));
    let end = found.end + usize::from(found.quoted);
    let ends = matches!(scan.byte_at(scan.run_end(end, &BLANK, 16)), 0 | b'\n' | b'\r' | b';' | b'#');
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
    let directly = scan.run_end(name.end, &BLANK, 40) == found.start - usize::from(found.quoted);
    // `vault kv get` prints a column of names and a column of values.
    let gap = scan.slice(name.end, found.start);
    let is_aligned =
        (gap.len() >= 3 || gap.contains(&b'\t')) && mixes_letters_with_digits_or_marks(text) && begins && ends;
    if is_aligned && name.tier == Tier::Password && directly && text.len() >= 6 {
        return is_plausible_setting(name.tier, text);
    }
    begins
        && ends
        && compound
        && directly
        && text.len() >= 4
        && !is_state_word(text)
        && is_plausible_setting(name.tier, text)
}

/// Checks for a command such as `set`, `setenv` or `ENV` at the end of the text before a name.
fn ends_with_set_command(before: &[u8]) -> bool {
    let word = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default().to_ascii_lowercase();
    matches!(&word[..], b"set" | b"setenv" | b"setx" | b"env" | b"arg")
}

fn is_plausible_setting(tier: Tier, text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    match tier {
        Tier::Password => !value::is_path(text) && !text.contains(&b'('),
        Tier::Secret => text.len() >= 6 && digits > 0 && !value::is_path(text),
        Tier::Key => is_very_random(text),
        Tier::Session => may_be_generated(text) && !value::is_uuid(text),
        _ => {
            may_be_generated(text) || (digits >= 2 && text.len() >= 8 && !value::is_path(text) && !text.contains(&b'('))
        }
    }
}
