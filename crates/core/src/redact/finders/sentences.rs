//! Secrets in sentences: `password for app is x`, `want "x", got "y"`, `密码是 x`. `assign` reads names with a separator
//! after them.

use crate::redact::{
    assign::{
        assignment::{NameSpan, Separator, ValueSpan, skip_quote, value_at},
        redact_value::redact_value,
    },
    judge::{
        is_drawn,
        names::{self, Tier},
        told, value,
    },
    scan::{BLANK, Scan, Set},
};

/// Maximum length of a sentence about a password.
const MAX_SENTENCE_BYTES: usize = 160;

/// Handles a name without a value directly after it.
pub(in crate::redact) fn after_name(scan: &mut Scan<'_>, name: NameSpan) {
    qualified(scan, name);
    below(scan, name.start, name.end);
    let rest = scan.slice(name.end, name.end + 48).to_ascii_lowercase();
    let compares = [
        &b"mismatch"[..],
        b"differ",
        b"not match",
        b"t match",
        b"\", want",
        b"\", got",
        b"', want",
        b"', got",
        b" but got ",
        b" but was ",
    ];
    if compares.iter().any(|word| memchr::memmem::find(&rest, word).is_some()) {
        labels_below(scan, name);
    }
}

/// `cookie store expects secret_key_base to be at least 64 bytes: "x"`, `"api_key" = $1 ["x"]`: a quoted key later in
/// the line without a name of its own.
pub(in crate::redact) fn quoted_key(scan: &mut Scan<'_>, name: NameSpan) {
    if !matches!(name.tier, Tier::Password | Tier::Secret | Tier::Token) {
        return;
    }
    let line = scan.slice(name.end, name.end + MAX_SENTENCE_BYTES);
    let stop = memchr::memchr(b'\n', line).unwrap_or(line.len());
    let mut from = 0;
    while let Some(open) = memchr::memchr2(b'"', b'\'', &line[from..stop]).map(|at| from + at) {
        let start = name.end + open + 1;
        let end = scan.run(start, &KEY, 256);
        let text = scan.slice(start, end);
        let named = line[..open].trim_ascii_end().ends_with(b"=") || line[..open].trim_ascii_end().ends_with(b"\":");
        if scan.at(end) == line[open] && !named && is_mixed_key(text) {
            return scan.add_by_name(name.tier.kind(), start, end);
        }
        from = open + 1;
    }
}

static KEY: Set = Set::new("A-Za-z0-9+/=_-");

/// Checks for letters of both cases and digits in a mix that only keys have.
pub(in crate::redact) fn is_mixed_key(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    text.len() >= 24
        && !value::is_uuid(text)
        && !value::is_hex(text)
        && !value::is_dummy(text)
        && is_drawn(text)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// `Your new token, copy it now:` with the token alone on the next line.
pub(in crate::redact) fn below(scan: &mut Scan<'_>, start: usize, end: usize) {
    let line = scan.slice(end, end + MAX_SENTENCE_BYTES);
    let Some(stop) = memchr::memchr(b'\n', line) else { return };
    let sentence = line[..stop].trim_ascii_end();
    if !sentence.ends_with(b":") && !sentence.ends_with(b" is") {
        return;
    }
    let value = scan.run(end + stop, &SPACE, 40);
    let value_end = scan.run(value, &GRAPHIC, 512);
    let text = scan.slice(value, value_end);
    let alone = matches!(scan.at(scan.run(value_end, &BLANK, 8)), 0 | b'\n' | b'\r');
    let Some(tier) = names::name_tier(scan.slice(start, end), false).filter(|_| alone && text.len() >= 6) else {
        return;
    };
    let is_secret = match tier {
        Tier::Password => told::is_mixed(text) || is_drawn(text),
        _ => text.len() >= 16 && is_drawn(text) && !value::is_uuid(text),
    };
    if is_secret && !value::is_placeholder(text) {
        scan.add_by_name(tier.kind(), value, value_end);
    }
}

static SPACE: Set = Set::new(" \t\r\n");
static GRAPHIC: Set = Set::new("!-~");

/// `password for user 'app' is 'x'`, `passphrase for /root/.ssh/id is "x"`.
fn qualified(scan: &mut Scan<'_>, name: NameSpan) {
    const ABOUT: &[&[u8]] = &[b"fingerprint", b"hash", b"digest", b" id ", b"version", b"name", b"size", b"type"];
    let is_of = scan.starts_with(name.end, b" for ") || scan.starts_with(name.end, b" of ");
    // `the api key we use is x`: only for keys, because a password may look like a word of the sentence.
    if !is_of && (name.tier == Tier::Password || scan.at(name.end) != b' ') {
        return;
    }
    let line = scan.slice(name.end, name.end + MAX_SENTENCE_BYTES);
    let stop = line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(line.len());
    let verbs = [
        &b" is: "[..],
        b" is ",
        b" was ",
        b" used: ",
        b" (hex): ",
        b" (base64): ",
        b" Got: ",
        b" got: ",
        b" = ",
        b": ",
    ];
    if !is_of && ABOUT.iter().any(|word| memchr::memmem::find(&line[..stop], word).is_some()) {
        return;
    }
    let verbs = if is_of { &verbs[..] } else { &verbs[..8] };
    let Some(at) = verbs.iter().find_map(|verb| Some(memchr::memmem::find(&line[..stop], verb)? + verb.len())) else {
        return;
    };
    if let Some(found) = value_at(scan, name.end + at) {
        redact_value(scan, name, Separator::Word, found);
    }
}

/// `).toBe("x")` after an expectation.
pub(in crate::redact) fn compared_value(scan: &Scan<'_>, close: usize) -> Option<(Separator, usize)> {
    #[rustfmt::skip] // One word per line would fill a page.
    const MATCHERS: &[&[u8]] = &[
        b").toBe(", b").toEqual(", b").toStrictEqual(", b").toContain(", b").to.equal(", b").to.eql(", b").to.eq(",
        b").isEqualTo(", b").toMatch(", b").to be(", b").to eq(",
    ];
    let at = close + MATCHERS.iter().find(|matcher| scan.starts_with(close, matcher))?.len();
    (skip_quote(scan, at) > at).then_some((Separator::Pair, at))
}

/// `assertEqual(user.password, "x")`.
pub(in crate::redact) fn equal_argument(
    scan: &Scan<'_>,
    name_start: usize,
    comma: usize,
) -> Option<(Separator, usize)> {
    let before = scan.slice(name_start.saturating_sub(8), name_start).to_ascii_lowercase();
    let asserts = [&b"equal("[..], b"equals(", b"same(", b"_eq!(", b"_eq("].iter().any(|call| before.ends_with(call));
    let at = scan.run(comma + 1, &BLANK, 4);
    (asserts && skip_quote(scan, at) > at).then_some((Separator::Pair, at))
}

/// `expect(password).toEqual(other)`: the expected and received values are below.
pub(in crate::redact) fn expectation(scan: &mut Scan<'_>, start: usize, end: usize) {
    let before = scan.slice(start.saturating_sub(7), start);
    if scan.at(end) != b')' || !before.ends_with(b"expect(") {
        return;
    }
    if let Some(tier) = names::name_tier(scan.slice(start, end), false) {
        labels_below(scan, NameSpan { start, end, tier });
    }
}

/// `want "x", got "y"`, `Expected: "x"` on the lines below.
fn labels_below(scan: &mut Scan<'_>, name: NameSpan) {
    const LABELS: &[&[u8]] = &[b"expected", b"received", b"actual", b"wanted", b"want", b"got", b"but was"];
    let limit = scan.text.len().min(name.end + MAX_SENTENCE_BYTES);
    let mut at = name.end;
    while at < limit {
        let word = scan.run(at, &WORD, 16);
        let text = scan.slice(at, word).to_ascii_lowercase();
        let value = scan.run(word, &AFTER_LABEL, 4);
        if LABELS.contains(&&text[..]) && value > word && skip_quote(scan, value) > value {
            let Some(found) = value_at(scan, value) else { return };
            redact_value(scan, name, Separator::Word, found);
            at = found.end + 1;
        } else {
            at = word.max(at + 1);
        }
    }
}

static WORD: Set = Set::new("A-Za-z");
static AFTER_LABEL: Set = Set::new(": =");

/// Words for a password with letters that names do not have: `contraseña: x`, `密码是 x`.
#[rustfmt::skip] // One word per line would fill a page.
pub(super) static FOREIGN: &[&str] = &[
    "contraseña", "hasło", "lösenord", "şifre", "salasõna", "slaptažodis", "jelszó", "κωδικός", "пароль", "Пароль",
    "ПАРОЛЬ", "סיסמה", "كلمة المرور", "कूटशब्द", "रहस्य", "รหัสผ่าน", "mật khẩu", "密码", "密碼", "口令", "パスワード", "暗証番号",
    "비밀번호", "암호",
];

pub(super) fn mot_de_passe(scan: &mut Scan<'_>, hit: usize) {
    foreign(scan, hit, "mot de passe".len());
}

pub(super) fn kata_sandi(scan: &mut Scan<'_>, hit: usize) {
    foreign(scan, hit, "kata sandi".len());
}

/// Redacts the value after one of these words.
pub(super) fn foreign(scan: &mut Scan<'_>, hit: usize, keyword: usize) {
    const WIDE_COLON: &[u8] = "：".as_bytes();
    const VERBS: &[&str] = &["是", "为", "為", "は", "ist ", "est ", "es ", "é ", "is ", "jest ", "är ", "это ", "— "];
    let end = hit + keyword;
    let closed = skip_quote(scan, end);
    let after = scan.run(closed, &BLANK, 8);
    let (separator, at) = match scan.at(after) {
        b':' => (Separator::Colon, after + 1),
        b'=' => (Separator::Tight, after + 1),
        _ if scan.starts_with(after, WIDE_COLON) => (Separator::Colon, after + WIDE_COLON.len()),
        _ => {
            let verb = VERBS.iter().find(|verb| scan.starts_with(after, verb.as_bytes()));
            let quoted = after > closed && skip_quote(scan, after) > after;
            let Some(length) = verb.map(|verb| verb.len()).or(quoted.then_some(0)) else { return };
            (Separator::Word, after + length)
        }
    };
    let Some(found) = value_at(scan, scan.run(at, &BLANK, 8)) else { return };
    let text = scan.slice(found.start, found.end);
    let wide = text.iter().position(|byte| !byte.is_ascii());
    let found = ValueSpan { end: wide.filter(|_| !found.quoted).map_or(found.end, |at| found.start + at), ..found };
    if found.start < found.end {
        redact_value(scan, NameSpan { start: hit, end, tier: Tier::Password }, separator, found);
    }
}
