//! A secret known by the name it is given to: `NAME=x`, `"name": "x"`, `--name x`, `?name=x`, `<name>x</name>`.
//! Does not: decide what a name or a value means (`names`, `value`), or read header schemes (`headers`).

use super::{
    blocks, headers,
    names::{self, Tier},
    scan::{BLANK, Scan, Set},
    value,
};

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// `=`, `=>`, `:=` without blanks around.
    Tight,
    /// ` = `.
    Spaced,
    /// `:` directly followed by the value.
    TightColon,
    /// `: `.
    Colon,
    /// `--name value`.
    Flag,
    /// `<name>value`, `name: "X", value: "y"`.
    Pair,
    /// `("name", "value")`, or a list that holds the name.
    Tuple,
    /// `name value`, `name is value`, `NAME 'value'`.
    Word,
}

/// A value without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

/// Long enough for a JWT with many claims; one line of a minified bundle is longer.
const MAX_VALUE: usize = 4096;
const MAX_NAME: usize = 64;
static NAME: Set = Set::new("A-Za-z0-9_.$-");
static NAME_END: Set = Set::new("A-Za-z0-9_-");

/// Looks at the name around a hit of one of the name keywords.
pub(super) fn find(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.names_done {
        return;
    }
    let name_end = scan.run(hit, &NAME_END, MAX_NAME);
    scan.names_done = name_end;
    if !may_separate(scan.at(name_end)) {
        return;
    }
    let name_start = name_start(scan, hit);
    let Some((separator, at)) = separator(scan, name_start, name_end) else { return };
    let query = matches!(scan.before(name_start), b'?' | b'&' | b';') || scan.text[..name_start].ends_with(b"&amp;");
    // `--- PASS: TestUser2` of test runners.
    if matches!(&scan.text[name_start..name_end], b"PASS") && separator != Separator::Tight {
        return;
    }
    let Some(tier) = names::tier(&scan.text[name_start..name_end], query) else { return };
    if scan.text[..name_start].ends_with(b"[REDACTED:") {
        return;
    }
    look_at_value(scan, tier, separator, at, &(name_start, name_end));
}

/// The cheap first test: most hits are words of a sentence.
fn may_separate(byte: u8) -> bool {
    matches!(byte, b'=' | b':' | b'"' | b'\'' | b'`' | b'\\' | b' ' | b'\t' | b'>' | b'%' | b'\n' | b'\r')
}

/// Start of the name; `api key` and `access key` are names of two words.
fn name_start(scan: &Scan<'_>, hit: usize) -> usize {
    let start = scan.run_back(hit, &NAME, MAX_NAME);
    // `\npassword`: the `n` belongs to the escape.
    let escape = scan.before(start) == b'\\' && matches!(scan.at(start), b'n' | b'r' | b't');
    let start = if escape { start + 1 } else { start };
    let bare_key = start == hit && scan.text[hit..].get(..3).is_some_and(|key| key.eq_ignore_ascii_case(b"key"));
    if bare_key && scan.before(start) == b' ' { scan.run_back(start - 1, &NAME_END, 16) } else { start }
}

fn look_at_value(scan: &mut Scan<'_>, tier: Tier, separator: Separator, at: usize, name: &(usize, usize)) {
    match tier {
        Tier::Authorization if separator != Separator::Word => headers::authorization(scan, at),
        Tier::Cookie if separator != Separator::Word => {
            let set = scan.slice(name.0, name.1).get(..3).is_some_and(|first| first.eq_ignore_ascii_case(b"set"));
            headers::cookie(scan, at, set);
        }
        Tier::Authorization | Tier::Cookie => {}
        _ => {
            let Some(found) = value_at(scan, at) else { return };
            let found = after_type(scan, found, separator);
            if accepts(scan, tier, separator, found, name) {
                scan.told(tier.kind(), found.start, found.end);
            }
        }
    }
}

/// `password: string = "x"`: the value comes after the type.
fn after_type(scan: &Scan<'_>, found: Value, separator: Separator) -> Value {
    if found.quoted || separator != Separator::Colon {
        return found;
    }
    let next = scan.run(found.end, &BLANK, 4);
    let assigned = scan.at(next) == b'=' && !matches!(scan.at(next + 1), b'=' | b'>');
    if assigned { value_at(scan, scan.run(next + 1, &BLANK, 8)).unwrap_or(found) } else { found }
}

fn separator(scan: &Scan<'_>, name_start: usize, name_end: usize) -> Option<(Separator, usize)> {
    let closed = skip_quote(scan, name_end);
    let quoted = closed > name_end;
    let closed = if quoted && scan.at(closed) == b']' { closed + 1 } else { closed };
    let at = scan.run(closed, &BLANK, 40);
    let blanks = at > closed;
    let skip = |from: usize| scan.run(from, &BLANK, 40);
    match scan.at(at) {
        b'=' => {
            let end = scan.run(at, &EQUALS, 3);
            let value = skip(end);
            Some((if blanks || value > end { Separator::Spaced } else { Separator::Tight }, value))
        }
        b':' if scan.starts_with(at, b"://") => None,
        b':' => {
            let end = scan.run(at, &COLONS, 3);
            let value = skip(end);
            Some((if value > end { Separator::Colon } else { Separator::TightColon }, value))
        }
        b'%' if scan.starts_with(at, b"%22%3A%22") => Some((Separator::Tight, at + 9)),
        b'%' if scan.starts_with(at, b"%3D") || scan.starts_with(at, b"%3A") => Some((Separator::Tight, at + 3)),
        b'\\' if scan.starts_with(at, b"\\u003d") => Some((Separator::Tight, at + 6)),
        b'>' if !quoted && !blanks && scan.before(name_start) == b'<' => Some((Separator::Pair, at + 1)),
        b',' if quoted => named_pair(scan, at + 1).or_else(|| Some((Separator::Tuple, quote_at(scan, skip(at + 1))?))),
        b'\n' | b'\r' => named_pair(scan, at),
        _ if quoted && blanks => named_pair(scan, at),
        _ if blanks && scan.text[..name_start].ends_with(b"-") => Some((Separator::Flag, at)),
        _ if blanks && scan.text[name_start..name_end].starts_with(b"-") => Some((Separator::Flag, at)),
        _ if blanks => Some((Separator::Word, skip_verb(scan, at))),
        _ => None,
    }
}

static EQUALS: Set = Set::new("=>~");
static COLONS: Set = Set::new(":=>");
static BETWEEN: Set = Set::new(" \t\r\n,\"'\\");

/// `"name": "DB_PASSWORD", "value": "x"` and the same in YAML and XML: what follows `value` is the value.
fn named_pair(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let label = scan.run(at, &BETWEEN, 40);
    let word = scan.run(label, &NAME_END, 8);
    let is_value = [&b"value"[..], b"content"].iter().any(|known| scan.slice(label, word).eq_ignore_ascii_case(known));
    let closed = skip_quote(scan, word);
    let at = scan.run(closed, &BLANK, 8);
    (is_value && matches!(scan.at(at), b':' | b'=')).then(|| (Separator::Pair, scan.run(at + 1, &BLANK, 8)))
}

/// `token is x`, `password set to x`.
fn skip_verb(scan: &Scan<'_>, at: usize) -> usize {
    const VERBS: &[&[u8]] =
        &[b"was provided: ", b"is ", b"was ", b"set to ", b"to ", b"of ", b"provided: ", b"provided ", b"value "];
    VERBS.iter().find(|verb| scan.starts_with(at, verb)).map_or(at, |verb| at + verb.len())
}

fn quote_at(scan: &Scan<'_>, at: usize) -> Option<usize> {
    (skip_quote(scan, at) > at).then_some(at)
}

/// End of a quote, escaped or not; `at` itself where there is none.
fn skip_quote(scan: &Scan<'_>, at: usize) -> usize {
    let slashes = scan.run(at, &BACKSLASH, 8);
    if matches!(scan.at(slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { at }
}

static BACKSLASH: Set = Set::new("\\");
static STRING_PREFIX: Set = Set::new("brufBRUF@$N");

/// The value at `at`: quoted to its closing quote, else to where it must end.
pub(super) fn value_at(scan: &Scan<'_>, at: usize) -> Option<Value> {
    let prefixed = scan.run(at, &STRING_PREFIX, 2);
    let at = if prefixed > at && matches!(scan.at(prefixed), b'"' | b'\'') { prefixed } else { at };
    let open = skip_quote(scan, at);
    let (start, end) = match scan.at(at) {
        _ if open > at => (open, closing_quote(scan, open, open - at)),
        // `Header:[value]` as Go and Java print it.
        b'[' if scan.at(at + 1).is_ascii_alphanumeric() => (at + 1, bracket_end(scan, at + 1)),
        _ => (at, unquoted_end(scan, at)),
    };
    (start < end).then_some(Value { start, end, quoted: open > at })
}

/// The quote is `size` bytes long with its backslashes; another as long and no longer ends the value.
fn closing_quote(scan: &Scan<'_>, start: usize, size: usize) -> usize {
    let quote = scan.at(start - 1);
    let limit = scan.text.len().min(start + MAX_VALUE);
    let mut at = start;
    while at < limit {
        match scan.text[at] {
            b'\\' => {
                let slashes = scan.run(at, &BACKSLASH, 16);
                if scan.at(slashes) == quote && slashes - at < size && size > 1 {
                    return at;
                }
                at = slashes + 1;
            }
            byte if byte == quote && size == 1 => return at,
            b'\n' | b'\r' if quote != b'`' => return at,
            _ => at += 1,
        }
    }
    limit.min(at)
}

fn bracket_end(scan: &Scan<'_>, start: usize) -> usize {
    let end = unquoted_end(scan, start);
    scan.slice(start, end).iter().position(|&byte| byte == b']').map_or(end, |bracket| start + bracket)
}

fn unquoted_end(scan: &Scan<'_>, start: usize) -> usize {
    let limit = scan.text.len().min(start + MAX_VALUE);
    let mut end = start;
    while end < limit && !ends_unquoted(scan, end) {
        end += 1;
    }
    while end > start
        && matches!(scan.text[end - 1], b',' | b';' | b':' | b'.' | b')' | b'>')
        && !is_closed(scan, start, end)
    {
        end -= 1;
    }
    end - usize::from(matches!(scan.before(end), b']' | b'}') && !is_closed(scan, start, end))
}

/// The last byte closes a bracket that the value opened: `<password>`, `[REDACTED:x]`, `${NAME}`, `f()`.
fn is_closed(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let open = match scan.text[end - 1] {
        b')' => b'(',
        b'>' => b'<',
        b']' => b'[',
        b'}' => b'{',
        _ => return false,
    };
    scan.text[start..end].contains(&open)
}

fn ends_unquoted(scan: &Scan<'_>, at: usize) -> bool {
    let next = scan.at(at + 1);
    match scan.text[at] {
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'<' | 0 => scan.text[at] != b'<' || next == b'/',
        // A quote that a letter follows belongs to the password: `ab'c1`.
        b'"' | b'\'' | b'`' => !next.is_ascii_alphanumeric(),
        b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\''),
        b',' => matches!(next, b' ' | b'"' | b'\'' | b'\n' | 0) || names_follow(scan, at + 1),
        // `test[auth=false](org.example.Test)`.
        b']' => next == b'(',
        b'&' => parameter_follows(scan, at + 1) || scan.starts_with(at, b"&amp;"),
        b'%' => scan.starts_with(at, b"%26") || scan.starts_with(at, b"%20") || scan.starts_with(at, b"%22"),
        _ => false,
    }
}

/// `name=` follows, so the value before it has ended.
fn names_follow(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run(at, &NAME, MAX_NAME);
    end > at && matches!(scan.at(end), b'=' | b':')
}

/// `&grant_type=`, `&useSSL=`: a name of several small letters, or a longer one of words; in a password `&K=` may stand.
fn parameter_follows(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run(at, &NAME, MAX_NAME);
    let name = scan.slice(at, end);
    scan.at(end) == b'='
        && name.len() >= 2
        && (name.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.'))
            || name.len() >= 5 && name[0].is_ascii_lowercase() && name.iter().all(u8::is_ascii_alphabetic))
}

fn accepts(scan: &Scan<'_>, tier: Tier, separator: Separator, found: Value, name: &(usize, usize)) -> bool {
    let text = scan.slice(found.start, found.end);
    if value::is_placeholder(text) || value::is_dummy(text) || (found.quoted && value::is_prose(text)) {
        return false;
    }
    if tier != Tier::Password && !found.quoted && is_printed_object(text) {
        return false;
    }
    let opens = matches!(text[0], b'[' | b'{' | b'(' | b'<');
    match (tier, separator) {
        (_, Separator::Word) if opens => false,
        (Tier::Token | Tier::Secret, Separator::Word) if is_known_key(scan, name) && value::is_hex(text) => {
            text.len() >= 32
        }
        (_, Separator::Word) => is_told(tier, text, found.quoted && is_environment(scan, name)),
        (_, Separator::Flag) if text[0] == b'-' => false,
        (Tier::Password, _) => is_password(scan, separator, found, text, name),
        (_, _) if opens && !found.quoted => false,
        (Tier::Secret, Separator::Tight | Separator::Pair) => {
            text.len() >= 6
                && !value::is_path(text)
                && (found.quoted || !value::is_code(text) || is_environment(scan, name))
        }
        (Tier::Secret, _) if found.quoted => {
            text.len() >= 8
                && !value::is_path(text)
                && (value::is_random(text) || text.iter().any(u8::is_ascii_digit) || !text.contains(&b'-'))
        }
        (Tier::Key, _) => (text.len() >= 16 && !value::is_path(text) && is_very_random(text)) || is_pair(text),
        _ => {
            text.len() >= 8
                && !value::is_path(text)
                && !value::is_code(text)
                && (value::is_random(text) || value::is_url_safe(text))
        }
    }
}

/// `token=Token{3f1a ActivityRecord{9a u0`: an object as Java and Kotlin print it.
fn is_printed_object(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    name >= 3 && text[0].is_ascii_uppercase() && text.get(name) == Some(&b'{')
}

/// Base64 of `user:password`, as registries' configuration files have it.
fn is_pair(text: &[u8]) -> bool {
    let decoded = blocks::decode_base64(text);
    text.len() >= 12 && decoded.contains(&b':') && decoded.iter().all(u8::is_ascii_graphic)
}

/// `SESSION_SECRET=...`: names in capitals are given values, not expressions.
fn is_environment(scan: &Scan<'_>, name: &(usize, usize)) -> bool {
    !scan.text[name.0..name.1].iter().any(u8::is_ascii_lowercase)
}

fn is_password(scan: &Scan<'_>, separator: Separator, found: Value, text: &[u8], name: &(usize, usize)) -> bool {
    // `pass: 1234` counts tests.
    let counts =
        text.iter().all(u8::is_ascii_digit) && scan.slice(name.0, name.1).to_ascii_lowercase().ends_with(b"pass");
    if text.len() < 3 || counts || (value::is_path(text) && !value::is_random(text)) {
        return false;
    }
    let plain = text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'\''));
    let sensible = (plain || value::is_code(text)) && !value::is_random(text) && !value::has_odd_case(text);
    let whole_line = || is_own_line(scan, name.0) && is_whole_line(scan, found.end);
    match separator {
        Separator::Pair => true,
        Separator::Tuple => !sensible,
        _ if found.quoted => true,
        Separator::Tight | Separator::TightColon => !(sensible && speaks_of_itself(text)),
        Separator::Spaced => !sensible || (plain && whole_line()),
        Separator::Colon => !sensible || whole_line(),
        Separator::Flag => !sensible,
        Separator::Word => false,
    }
}

/// `password=db_password`, `password=get_secret()`: an expression, not a value.
fn speaks_of_itself(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let path = text.contains(&b'.') && !text.iter().any(u8::is_ascii_digit) && !value::has_odd_case(text);
    path || text.contains(&b'(')
        || ["pass", "pwd", "secret", "token", "config", "env"]
            .iter()
            .any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()))
}

fn is_own_line(scan: &Scan<'_>, name_start: usize) -> bool {
    let start = scan.run_back(name_start, &INDENT, 80);
    start == 0 || scan.text[start - 1] == b'\n'
}

static INDENT: Set = Set::new(" \t\"'-");

fn is_whole_line(scan: &Scan<'_>, end: usize) -> bool {
    let end = scan.run(end, &BLANK, 80);
    matches!(scan.at(end), 0 | b'\n' | b'\r')
}

/// `api key`, `auth_token`: more than the bare word, so that even what looks like a digest is one.
fn is_known_key(scan: &Scan<'_>, name: &(usize, usize)) -> bool {
    let name = scan.slice(name.0, name.1);
    !["key", "keys", "token", "secret", "jwt"].iter().any(|bare| name.eq_ignore_ascii_case(bare.as_bytes()))
}

/// In a sentence only what cannot be a word of it: `PASSWORD 'x1!..'`, `key 9fQ2...`.
fn is_told(tier: Tier, text: &[u8], sql: bool) -> bool {
    // `bad auth mongodb://a:x@host`: the password in the address is another's to find.
    if memchr::memmem::find(text, b"://").is_some() {
        return false;
    }
    match tier {
        Tier::Password => {
            sql || (text.len() >= 8 && value::is_random(text) && !value::is_code(text) && !value::is_path(text))
        }
        Tier::Query => false,
        _ => text.len() >= 20 && is_very_random(text) && !value::is_path(text),
    }
}

/// Upper and lower case without sense, and neither a digest nor a UUID.
fn is_very_random(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    !value::is_hex(text)
        && !value::is_uuid(text)
        && (value::is_random(text) || value::is_url_safe(text))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !text.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>'))
}

/// `IDENTIFIED BY 'x'` of SQL.
pub(super) fn sql(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run(hit + "identified by".len(), &BLANK, 8);
    let Some(found) = value_at(scan, start).filter(|found| found.quoted) else { return };
    if !value::is_placeholder(scan.slice(found.start, found.end)) {
        scan.told(Tier::Password.kind(), found.start, found.end);
    }
}
