//! Decides whether a value looks like a secret: random letters as opposed to placeholders, words, identifiers and
//! paths. `names` classifies names.

use crate::redact::scan::{ALPHANUMERIC, ANY_CASE_HEX};

/// Words that type annotations, messages and examples have in place of a value. Lower case, sorted.
#[rustfmt::skip] // One word per line would fill a page.
static PLACEHOLDER_WORDS: &[&str] = &[
    "absent", "any", "blank", "bool", "boolean", "bytes", "changeme", "char", "default", "denied", "deprecated",
    "disabled", "dummy", "empty", "enabled", "encrypted", "env", "erforderlich", "error", "example", "expired",
    "failed", "falsch", "false", "filtered", "forbidden", "function", "hidden", "include", "incorrect", "incorrecta",
    "incorrecto", "input", "int", "integer", "invalid", "invalida", "invalide", "invalido", "key", "malformed",
    "masked", "mismatch", "mismatched", "missing", "nan", "never", "nil", "no", "none", "not", "null", "number",
    "object", "obligatoire", "obligatoria", "obligatorio", "obrigatorio", "ok", "omit", "optional", "pass", "passwd",
    "password", "pflichtfeld", "placeholder", "plain", "pwd", "redacted", "rejected", "removed", "replaceme",
    "requerida", "requerido", "required", "revoked", "richiesta", "scramsha256", "secret", "set", "str", "string", "symbol", "text",
    "todo", "token", "true", "unauthorized", "undefined", "unknown", "unset", "unsupported", "valid", "varchar",
    "verplicht", "void", "weak", "wrong", "wymagane", "yes",
];

/// Prefixes of expressions that a program evaluates.
#[rustfmt::skip] // One word per line would fill a page.
static EXPRESSION_PREFIXES: &[&str] = &[
    "process.env", "import.meta", "os.environ", "os.getenv", "os.Getenv", "System.getenv", "System.getProperty",
    "Deno.env", "Bun.env", "secrets.", "env.", "vars.", "ENV[", "ENV.", "getenv(", "env(", "environ", "$env:",
    "std::env", "Environment.Get", "vault:", "secret/", "arn:aws:", "ref+", "op://", "{{", "${", "$(", "#{", "<%",
    "%(", "%{", "@Value", "ENC[", "!vault",
];

/// Checks for a value that is not secret: a placeholder, a reference, an expression, a mask, an earlier replacement.
pub(in crate::redact) fn is_placeholder(value: &[u8]) -> bool {
    let Some((&first, &last)) = value.first().zip(value.last()) else { return true };
    let enclosed = |open: u8, close: u8| value.len() > 1 && first == open && last == close;
    (enclosed(b'<', b'>') && !value[1..value.len() - 1].contains(&b'<'))
        || (enclosed(b'[', b']') && !is_random(value))
        || (enclosed(b'{', b'}') && !is_random(value))
        || (enclosed(b'%', b'%') && is_name(&value[1..value.len() - 1]))
        || (enclosed(b'(', b')')
            && value[1..value.len() - 1].iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' '))
        || is_type(value)
        || is_public_hash(value)
        || is_regular_expression(value)
        || is_version(value)
        || is_replacement(value)
        || is_variable(value)
        || is_format_directive(value)
        || is_mask(value)
        || is_placeholder_word(value)
        || EXPRESSION_PREFIXES.iter().any(|start| value.starts_with(start.as_bytes()))
}

/// Checks for a type such as `Option<String>`, `typing.Optional[bytes]`, `&'static str` or `*mut`, and for a memory
/// address such as `0xc0000123a0`.
fn is_type(value: &[u8]) -> bool {
    let generic = value.iter().position(|byte| matches!(byte, b'<' | b'[')).is_some_and(|open| {
        open > 0
            && (value[open] == b'[' || value.ends_with(b">"))
            && value[open + 1..].iter().all(|byte| byte.is_ascii_alphanumeric() || b"[]<>.:,'\"_".contains(byte))
            && value[..open].iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b':' | b'.'))
            && !is_random(value)
    });
    // A longer number is a key, because an address has at most 64 bits.
    let pointer = value.strip_prefix(b"0x").is_some_and(|rest| (6..=16).contains(&rest.len()) && is_hex(rest));
    // C has types such as `__u32`.
    let reserved = value.starts_with(b"__") && is_name(value) && !is_random(value);
    generic
        || pointer
        || reserved
        || value.starts_with(b"&'")
        || matches!(value, b"*mut" | b"*const" | b"*char" | b"*string")
}

/// Checks for `SHA256:` or `sha512-` with base64, which is the fingerprint of a public key or the integrity of a
/// package.
fn is_public_hash(value: &[u8]) -> bool {
    const ALGORITHMS: &[&[u8]] = &[b"sha1", b"sha256", b"sha384", b"sha512", b"md5"];
    ALGORITHMS.iter().any(|name| {
        let head = value.get(..name.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(name)) && matches!(value.get(name.len()), Some(b':' | b'-'))
    })
}

/// Checks for the version of a package, because the name of a package may end in `password`: `1.0.5`, `^2.1.0-rc.1`.
fn is_version(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"^").or_else(|| value.strip_prefix(b"~")).unwrap_or(value);
    let mut numbers = digits.splitn(3, |&byte| byte == b'.');
    let is_number = |part: Option<&[u8]>| {
        part.is_some_and(|part| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
    };
    let patch = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_digit) && !is_random(part) && !mixes_symbols_with_digits(part)
    };
    is_number(numbers.next()) && is_number(numbers.next()) && numbers.next().is_some_and(patch)
}

/// Checks for a regular expression: `/^[A-Za-z0-9-_]+$/`, `qr/[\x21]/`.
fn is_regular_expression(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    if memchr::memchr3(b'[', b'(', b'/', value).is_none() {
        return false;
    }
    value.starts_with(b"/^") || value.starts_with(b"qr/") || has(b"[A-Z") || has(b"[a-z") || has(b"[0-9]") || has(b"(?")
}

/// Checks for a text that is exactly a replacement of the redactor.
pub(super) fn is_replacement(value: &[u8]) -> bool {
    value
        .strip_prefix(b"[REDACTED:")
        .and_then(|rest| rest.iter().position(|&byte| byte == b']').map(|at| (rest, at)))
        .is_some_and(|(rest, at)| at + 1 == rest.len())
}

/// Checks for a variable: `$NAME`, `$1`, `$self->{pass}`, `*password`. A password that starts with `$` has more than a
/// name after it.
fn is_variable(value: &[u8]) -> bool {
    let is_dereferenced = |name: &[u8]| is_name(name) && name.iter().all(|byte| !byte.is_ascii_digit());
    if value.strip_prefix(b"*").is_some_and(is_dereferenced) {
        return true;
    }
    value.strip_prefix(b"$").is_some_and(|name| {
        let word = name.iter().take_while(|&&byte| ALPHANUMERIC.has(byte) || byte == b'_').count();
        let member = [&b"->"[..], b"::", b"["].iter().any(|operator| name[word..].starts_with(operator));
        if word > 0 && member && is_name(&name[..word]) {
            return true;
        }
        let lower = name.iter().any(u8::is_ascii_lowercase);
        let upper = name.iter().any(u8::is_ascii_uppercase);
        let digits = name.iter().filter(|byte| byte.is_ascii_digit()).count();
        is_name(name) && !(lower && upper && digits > 0) && (digits <= 2)
    })
}

/// Checks for a format directive or a parameter: `%s`, `%-10v`, `{}`, `?`, `:name`, `:py:data:` of reStructuredText.
fn is_format_directive(value: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'`');
    let is_role = |name: &[u8]| name.iter().all(is_word) && !is_random(name);
    (value[0] == b'%' && value.len() <= 4)
        || value == b"?"
        || (value[0] == b':' && value.len() > 1 && is_role(&value[1..]))
}

/// Checks for a mask or a repeated character: `****`, `xxxx`, `....`, `abc***`.
fn is_mask(value: &[u8]) -> bool {
    let masked = |byte: &&u8| matches!(**byte, b'*' | b'.' | b'x' | b'X' | b'-' | b'_' | b'#' | b'?');
    value.iter().all(|byte| masked(&byte))
        || value.starts_with(b"***")
        || value.ends_with(b"***")
        || memchr::memchr_iter(b'*', value).count() * 3 >= value.len()
        || value.starts_with("•".as_bytes())
        || value.starts_with("…".as_bytes())
        || value.starts_with(b"...")
        || (value.len() >= 4 && value.iter().all(|byte| byte == &value[0]))
}

fn is_placeholder_word(value: &[u8]) -> bool {
    let word = value.strip_suffix(b"!").or_else(|| value.strip_suffix(b"?")).unwrap_or(value);
    let marks = [&b"&"[..], b"?", b"0x"];
    let word = marks.iter().find_map(|mark| word.strip_prefix(*mark)).unwrap_or(word);
    if word.len() > 64 {
        return false;
    }
    let lower: String = word
        .iter()
        .filter(|byte| **byte != b'_' && **byte != b'-')
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let rule = lower.split_once('|').is_some_and(|(first, _)| PLACEHOLDER_WORDS.contains(&first));
    rule || PLACEHOLDER_WORDS.contains(&lower.as_str())
        || ["your", "example", "placeholder", "changeme", "replaceme", "redacted", "dummy"]
            .iter()
            .any(|part| lower.starts_with(part) && lower.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// Checks for letters, digits and `_` that do not start with a digit.
fn is_name(value: &[u8]) -> bool {
    value.first().is_some_and(|byte| !byte.is_ascii_digit())
        && value.iter().all(|&byte| ALPHANUMERIC.has(byte) || byte == b'_')
}

/// Checks for a placeholder token, such as `xxxxxxxxxx` or `...EXAMPLE`.
pub(in crate::redact) fn is_dummy_token(body: &[u8]) -> bool {
    let seen = body.iter().fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    let distinct = seen.count_ones();
    (body.len() >= 10 && distinct < 4) || body.ends_with(b"EXAMPLE") || body.ends_with(b"EXAMPLEKEY")
}

/// Checks for an identifier or an expression of identifiers: `config.auth.token`, `user_password`, `getToken()`.
pub(in crate::redact) fn is_code(value: &[u8]) -> bool {
    let letters = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'(' | b')' | b'&');
    // `!` and `?` count only at the end, as in `include_str!` and `valid?`, because a mark inside belongs to a
    // password.
    let word = value.strip_suffix(b"!").or_else(|| value.strip_suffix(b"?")).unwrap_or(value);
    let word = word.strip_prefix(b"!").unwrap_or(word);
    // Calls and subscripts: `get_secret(`, `config.get<string>(`, `credentials[0]`, `config['password']`.
    let call = value.windows(2).any(|two| (two[0].is_ascii_alphanumeric() || two[0] == b'>') && two[1] == b'(');
    let call = call || is_subscript(value);
    (word.iter().all(letters) && !is_random(value) && !has_odd_case(value)) || call || is_dotted_name(value)
}

/// Checks for a name with an index: `credentials[0]`, `config['password']`, `key[:16]`.
pub(in crate::redact) fn is_subscript(value: &[u8]) -> bool {
    let Some(open) = value.iter().position(|&byte| byte == b'[') else { return false };
    let index = &value[open + 1..];
    let quoted = matches!(index.first(), Some(b'\'' | b'"' | b'`'));
    let number = index.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b':').count();
    let is_index = quoted || number == index.len() || index[number..].starts_with(b"]");
    let is_owner = |part: &[u8]| is_name(part) && !is_random(part);
    is_index && value[..open].split(|&byte| byte == b'.').all(is_owner)
}

/// Checks for upper and lower case in an order that words and `camelCase` do not have: `EwUNpdiDqDSE`.
pub(in crate::redact) fn has_odd_case(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphabetic()).any(|part| {
        part.len() >= 4 && part.iter().any(u8::is_ascii_lowercase) && measure_case_randomness(part) * 4 >= part.len()
    })
}

/// Checks for identifiers with dots between them: `a.b2.c`.
fn is_dotted_name(value: &[u8]) -> bool {
    let parts: Vec<_> = value.split(|&byte| byte == b'.').collect();
    parts.len() > 1 && parts.iter().all(|part| is_name(part) && !is_random(part) && !has_odd_case(part))
}

/// Checks for a file, a route or a URL: `/run/secrets/db`, `./token.txt`, `C:\keys`, `file:///x`, `https://host/path`.
pub(in crate::redact) fn is_path(value: &[u8]) -> bool {
    let starts = [&b"./"[..], b"../", b"~/", b"file:", b"http://", b"https://", b"\\\\"];
    let drive =
        value.len() > 2 && value[0].is_ascii_alphabetic() && value[1] == b':' && matches!(value[2], b'\\' | b'/');
    let rooted = value[0] == b'/' && value[1..].split(|&byte| byte == b'/').all(|part| !is_random(part));
    let relative = value.contains(&b'/')
        && !has_odd_case(value)
        && value.split(|&byte| byte == b'/').all(|part| part.is_empty() || (has_name_bytes(part) && !is_random(part)));
    let registry =
        value.split(|&byte| byte == b'\\').filter(|part| part.len() >= 2 && has_name_bytes(part)).count() >= 3;
    starts.iter().any(|start| value.starts_with(start)) || drive || rooted || relative || registry
}

/// Checks for an absolute path of a file with an extension, even if a part of the path is random:
/// `/tmp/gha-creds-4ca2188b49caac97.json`. Base64 does not match, because it has no dots.
pub(in crate::redact) fn is_absolute_file_path(value: &[u8]) -> bool {
    let mut parts = value.rsplit(|&byte| byte == b'/');
    let file = parts.next().unwrap_or_default();
    let ending = file.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    value[0] == b'/'
        && parts.count() >= 2
        && file.len() > ending.len() + 1
        && (2..=5).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_lowercase)
}

fn has_name_bytes(part: &[u8]) -> bool {
    part.iter().all(|&byte| ALPHANUMERIC.has(byte) || matches!(byte, b'_' | b'-' | b'.' | b'@'))
}

/// Checks for a function word of a sentence.
pub(in crate::redact) fn is_function_word(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| FUNCTION_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Checks for a sentence: `must be at least 8 characters`.
pub(in crate::redact) fn is_prose(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let has_function_word = || {
        text.split([' ', ',', '.', ':', '"']).any(|word| FUNCTION_WORDS.contains(&word.to_ascii_lowercase().as_str()))
    };
    text.contains(' ') && (is_sentence(text) || has_function_word())
}

/// Checks for a capital letter and at least four words without a digit: `O elemento tem um atributo`. A pass phrase is
/// in lower case.
fn is_sentence(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && text.split(' ').count() >= 4
        && text.split(' ').skip(1).filter(|word| word.starts_with(char::is_lowercase)).count() >= 2
        && !text.contains(|letter: char| letter.is_ascii_digit())
}

#[rustfmt::skip] // One word per line would fill a page.
static FUNCTION_WORDS: &[&str] = &[
    "a", "an", "and", "are", "at", "be", "been", "blank", "can", "cannot", "can't", "did", "do", "does", "doesn't",
    "field", "for", "from", "has", "have", "in", "incorrect", "invalid", "is", "isn't", "least", "may", "missing",
    "must", "not", "of", "or", "provided", "required", "should", "the", "this", "to", "too", "was", "with", "your",
];

/// Checks for groups of 8, 4, 4, 4 and 12 hexadecimal digits.
pub(in crate::redact) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(index, &byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => ANY_CASE_HEX.has(byte),
        })
}

/// Checks for the address of an Ethereum account or contract, which is public: `0x` and 40 hexadecimal digits.
pub(in crate::redact) fn is_ethereum_address(value: &[u8]) -> bool {
    value.len() == 42 && value.starts_with(b"0x") && is_hex(&value[2..])
}

/// Checks for hexadecimal digits only, which are as likely a digest as a key.
pub(in crate::redact) fn is_hex(value: &[u8]) -> bool {
    value.iter().all(|&byte| ANY_CASE_HEX.has(byte))
}

/// Checks for generated text: letters and digits mixed inside a part, or upper and lower case in random order.
pub(in crate::redact) fn is_random(value: &[u8]) -> bool {
    value.split(|&byte| !ALPHANUMERIC.has(byte)).any(is_random_part)
        || mixes_symbols_with_digits(value)
        || (is_uuid(value))
}

/// Checks for random base64url. `-` and `_` make its parts too short to judge each part alone: `Xq3_ZpR-m8aTc_Wd`.
pub(in crate::redact) fn is_random_base64url(value: &[u8]) -> bool {
    let weight: usize = value.split(|byte| !byte.is_ascii_alphabetic()).map(measure_case_randomness).sum();
    let numbers = value.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).filter(|run| run[0].is_ascii_digit());
    value.len() >= 16
        && value.iter().all(|&byte| ALPHANUMERIC.has(byte) || matches!(byte, b'-' | b'_'))
        && value.iter().any(u8::is_ascii_uppercase)
        // The name `HTTPServer_TLSv1_2_ID` has a sum of 7.
        && weight + numbers.count() >= 8
}

/// Checks for at least four groups of capital letters and digits: `QK7T-9WZE-4HQM-J2XW`.
pub(super) fn is_grouped_key(value: &[u8]) -> bool {
    let mut groups = value.split(|&byte| byte == b'-');
    let size = groups.clone().next().map_or(0, <[u8]>::len);
    let is_group = |group: &[u8]| {
        group.len() == size && group.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    (4..=8).contains(&size)
        && groups.clone().count() >= 4
        && groups.all(is_group)
        && value.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && value.iter().any(u8::is_ascii_uppercase)
}

fn is_random_part(part: &[u8]) -> bool {
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = part.len() - digits;
    let changes = count_class_changes(part);
    match part.len() {
        0..8 => false,
        _ if digits == part.len() => digits >= 24,
        8..12 => digits >= 2 && letters >= 2 && changes >= 3,
        _ if digits > 0 => letters >= 2 && changes >= 3,
        16..20 => measure_case_randomness(part) >= 4,
        // The name `NSURLUbiquitousItemIsDownloadedKey` has a weight of 3 in 34 letters.
        _ => part.len() >= 20 && measure_case_randomness(part) >= (part.len() / 5).max(3),
    }
}

/// Measures how random the case is: `camelCase` has runs of small letters and single capitals, but random text also has
/// single small letters and runs of capitals.
fn measure_case_randomness(part: &[u8]) -> usize {
    let runs = part.chunk_by(|a, b| a.is_ascii_uppercase() == b.is_ascii_uppercase());
    let weight = |run: &[u8]| match (run[0].is_ascii_uppercase(), run.len()) {
        (false, 1) => 2,
        (true, 2..) => 1,
        _ => 0,
    };
    runs.map(weight).sum()
}

/// Checks for letters, digits and a symbol, as in short generated passwords: `a7f!x_Q2`.
fn mixes_symbols_with_digits(value: &[u8]) -> bool {
    let symbol = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b',');
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    value.len() >= 8
        && value.iter().any(symbol)
        && !value.iter().any(|byte| matches!(byte, b'(' | b')' | b'<' | b'>' | b' '))
        && count(u8::is_ascii_digit) >= 1
        && count(u8::is_ascii_lowercase) >= 1
        && (count(u8::is_ascii_uppercase) >= 1 || count(u8::is_ascii_digit) >= 2)
}

/// Counts the changes of class (digit, upper, lower) between neighboring bytes.
fn count_class_changes(part: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    part.windows(2).filter(|two| class(two[0]) != class(two[1])).count()
}
