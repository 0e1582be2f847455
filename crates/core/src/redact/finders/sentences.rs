//! Redacts secrets in sentences: `password for app is x`, `want "x", got "y"`, `密码是 x`. `assign` reads names with a
//! separator after them.

use crate::redact::{
    assign::{
        assignment::{NameSpan, Separator, ValueSpan, skip_quote, value_at},
        redact_value::redact_value,
    },
    judge::{
        may_be_generated,
        names::{self, Tier},
        prose, value,
    },
    scan::{BLANK, ByteSet, Scan},
};

/// Maximum length of a sentence about a password.
const MAX_SENTENCE_BYTES: usize = 160;

/// Redacts the secret of a name in a sentence, where the value is not directly after the name.
pub(in crate::redact) fn redact_in_sentence(scan: &mut Scan<'_>, name: NameSpan) {
    redact_after_verb(scan, name);
    redact_token_below(scan, name.start, name.end);
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
        redact_labelled_values_below(scan, name);
    }
}

/// Redacts a quoted key that is in the line after the name and has no name of its own: `cookie store expects
/// secret_key_base to be at least 64 bytes: "x"`, `"api_key" = $1 ["x"]`.
pub(in crate::redact) fn redact_quoted_key(scan: &mut Scan<'_>, name: NameSpan) {
    if !matches!(name.tier, Tier::Password | Tier::Secret | Tier::Token) {
        return;
    }
    let line = scan.slice(name.end, name.end + MAX_SENTENCE_BYTES);
    let stop = memchr::memchr(b'\n', line).unwrap_or(line.len());
    let mut from = 0;
    while let Some(open) = memchr::memchr2(b'"', b'\'', &line[from..stop]).map(|at| from + at) {
        let start = name.end + open + 1;
        let end = scan.run_end(start, &KEY_BYTES, 256);
        let text = scan.slice(start, end);
        let named = line[..open].trim_ascii_end().ends_with(b"=")
            || [b"\":", b"':"].iter().any(|colon| line[..open].trim_ascii_end().ends_with(*colon));
        if scan.byte_at(end) == line[open] && !named && is_mixed_key(text) {
            return scan.add_by_name(name.tier.kind(), start, end);
        }
        from = open + 1;
    }
}

static KEY_BYTES: ByteSet = ByteSet::new("A-Za-z0-9+/=_-");

/// Checks for letters of both cases and digits that alternate as only in keys.
pub(in crate::redact) fn is_mixed_key(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    text.len() >= 24
        && !value::is_uuid(text)
        && !value::is_hex(text)
        && !value::is_dummy_token(text)
        && may_be_generated(text)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Redacts a token that is alone on the line below a sentence such as `Your new token, copy it now:`.
pub(in crate::redact) fn redact_token_below(scan: &mut Scan<'_>, start: usize, end: usize) {
    let line = scan.slice(end, end + MAX_SENTENCE_BYTES);
    let Some(stop) = memchr::memchr(b'\n', line) else { return };
    let sentence = line[..stop].trim_ascii_end();
    if !sentence.ends_with(b":") && !sentence.ends_with(b" is") {
        return;
    }
    let value = scan.run_end(end + stop, &SPACE, 40);
    let value_end = scan.run_end(value, &GRAPHIC, 512);
    let text = scan.slice(value, value_end);
    let alone = matches!(scan.byte_at(scan.run_end(value_end, &BLANK, 8)), 0 | b'\n' | b'\r');
    let Some(tier) = names::classify_name(scan.slice(start, end), false).filter(|_| alone && text.len() >= 6) else {
        return;
    };
    let is_secret = match tier {
        Tier::Password => prose::mixes_letters_with_digits_or_marks(text) || may_be_generated(text),
        _ => text.len() >= 16 && may_be_generated(text) && !value::is_uuid(text),
    };
    if is_secret && !value::is_placeholder(text) {
        scan.add_by_name(tier.kind(), value, value_end);
    }
}

static SPACE: ByteSet = ByteSet::new(" \t\r\n");
static GRAPHIC: ByteSet = ByteSet::new("!-~");

/// Redacts the value after the verb: `password for user 'app' is 'x'`, `passphrase for /root/.ssh/id is "x"`.
fn redact_after_verb(scan: &mut Scan<'_>, name: NameSpan) {
    const DESCRIPTION_WORDS: &[&[u8]] =
        &[b"fingerprint", b"hash", b"digest", b" id ", b"version", b"name", b"size", b"type"];
    let is_of = scan.starts_with(name.end, b" for ") || scan.starts_with(name.end, b" of ");
    // A sentence without `for` or `of`, such as `the api key we use is x`, is read only for keys, because a password
    // may look like a word of the sentence.
    if !is_of && (name.tier == Tier::Password || scan.byte_at(name.end) != b' ') {
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
    if !is_of && DESCRIPTION_WORDS.iter().any(|word| memchr::memmem::find(&line[..stop], word).is_some()) {
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

/// Finds the expected value in `).toBe("x")` after `expect(name`.
pub(in crate::redact) fn find_compared_value(scan: &Scan<'_>, close: usize) -> Option<(Separator, usize)> {
    #[rustfmt::skip] // One word per line would fill a page.
    const MATCHERS: &[&[u8]] = &[
        b").toBe(", b").toEqual(", b").toStrictEqual(", b").toContain(", b").to.equal(", b").to.eql(", b").to.eq(",
        b").isEqualTo(", b").toMatch(", b").to be(", b").to eq(",
    ];
    let at = close + MATCHERS.iter().find(|matcher| scan.starts_with(close, matcher))?.len();
    (skip_quote(scan, at) > at).then_some((Separator::Pair, at))
}

/// Finds the second argument of `assertEqual(user.password, "x")`.
pub(in crate::redact) fn find_equal_argument(
    scan: &Scan<'_>,
    name_start: usize,
    comma: usize,
) -> Option<(Separator, usize)> {
    let before = scan.slice(name_start.saturating_sub(8), name_start).to_ascii_lowercase();
    let asserts = [&b"equal("[..], b"equals(", b"same(", b"_eq!(", b"_eq("].iter().any(|call| before.ends_with(call));
    let at = scan.run_end(comma + 1, &BLANK, 4);
    (asserts && skip_quote(scan, at) > at).then_some((Separator::Pair, at))
}

/// Redacts the expected and received values below `expect(password).toEqual(other)`.
pub(in crate::redact) fn redact_expectation(scan: &mut Scan<'_>, start: usize, end: usize) {
    let before = scan.slice(start.saturating_sub(7), start);
    if scan.byte_at(end) != b')' || !before.ends_with(b"expect(") {
        return;
    }
    if let Some(tier) = names::classify_name(scan.slice(start, end), false) {
        redact_labelled_values_below(scan, NameSpan { start, end, tier });
    }
}

/// Redacts values with labels such as `want "x", got "y"` or `Expected: "x"` on the lines below the name.
fn redact_labelled_values_below(scan: &mut Scan<'_>, name: NameSpan) {
    const LABELS: &[&[u8]] = &[b"expected", b"received", b"actual", b"wanted", b"want", b"got", b"but was"];
    let limit = scan.text.len().min(name.end + MAX_SENTENCE_BYTES);
    let mut at = name.end;
    while at < limit {
        let word = scan.run_end(at, &LETTERS, 16);
        let text = scan.slice(at, word).to_ascii_lowercase();
        let value = scan.run_end(word, &AFTER_LABEL, 4);
        if LABELS.contains(&&text[..]) && value > word && skip_quote(scan, value) > value {
            let Some(found) = value_at(scan, value) else { return };
            redact_value(scan, name, Separator::Word, found);
            at = found.end + 1;
        } else {
            at = word.max(at + 1);
        }
    }
}

static LETTERS: ByteSet = ByteSet::new("A-Za-z");
static AFTER_LABEL: ByteSet = ByteSet::new(": =");

/// Words for a password with letters outside ASCII: `contraseña: x`, `密码是 x`.
#[rustfmt::skip] // One word per line would fill a page.
pub(super) static FOREIGN_WORDS: &[&str] = &[
    "contraseña", "hasło", "lösenord", "şifre", "salasõna", "slaptažodis", "jelszó", "κωδικός", "пароль", "Пароль",
    "ПАРОЛЬ", "סיסמה", "كلمة المرور", "कूटशब्द", "रहस्य", "รหัสผ่าน", "mật khẩu", "密码", "密碼", "口令", "パスワード", "暗証番号",
    "비밀번호", "암호",
];

pub(super) fn redact_after_mot_de_passe(scan: &mut Scan<'_>, hit: usize) {
    redact_after_foreign_word(scan, hit, "mot de passe".len());
}

pub(super) fn redact_after_kata_sandi(scan: &mut Scan<'_>, hit: usize) {
    redact_after_foreign_word(scan, hit, "kata sandi".len());
}

/// Redacts the value after one of [`FOREIGN_WORDS`].
pub(super) fn redact_after_foreign_word(scan: &mut Scan<'_>, hit: usize, keyword: usize) {
    const WIDE_COLON: &[u8] = "：".as_bytes();
    const VERBS: &[&str] = &["是", "为", "為", "は", "ist ", "est ", "es ", "é ", "is ", "jest ", "är ", "это ", "— "];
    let end = hit + keyword;
    let closed = skip_quote(scan, end);
    let after = scan.run_end(closed, &BLANK, 8);
    let (separator, at) = match scan.byte_at(after) {
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
    let Some(found) = value_at(scan, scan.run_end(at, &BLANK, 8)) else { return };
    let text = scan.slice(found.start, found.end);
    let wide = text.iter().position(|byte| !byte.is_ascii());
    let found = ValueSpan { end: wide.filter(|_| !found.quoted).map_or(found.end, |at| found.start + at), ..found };
    if found.start < found.end {
        redact_value(scan, NameSpan { start: hit, end, tier: Tier::Password }, separator, found);
    }
}
