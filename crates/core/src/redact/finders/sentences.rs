//! Secrets that a sentence tells: `the password is x`, `credentials admin/x`, `want "x", got "y"`.
//! Names with a separator behind them are read by `assign`.

use crate::redact::{
    assign::{
        assignment::{NameSpan, Separator, ValueSpan, skip_quote, value_at},
        redact_value::redact_value,
    },
    judge::{
        names::{self, Tier},
        told, value,
    },
    scan::{BLANK, DIGIT, Scan, Set},
};

/// A sentence about a password is shorter.
const MAX_SENTENCE_BYTES: usize = 160;

/// What follows a name that has no value directly behind it.
pub(in crate::redact) fn after_name(scan: &mut Scan<'_>, name: NameSpan) {
    qualified(scan, name);
    let rest = scan.slice(name.end, name.end + 48).to_ascii_lowercase();
    let compares =
        [&b"mismatch"[..], b"differ", b"not match", b"t match", b"\", want", b"\", got", b"', want", b"', got"];
    if compares.iter().any(|word| memchr::memmem::find(&rest, word).is_some()) {
        labels_below(scan, name);
    }
}

/// `password for user 'app' is 'x'`, `passphrase for /root/.ssh/id is "x"`.
fn qualified(scan: &mut Scan<'_>, name: NameSpan) {
    if !scan.starts_with(name.end, b" for ") && !scan.starts_with(name.end, b" of ") {
        return;
    }
    let line = scan.slice(name.end, name.end + MAX_SENTENCE_BYTES);
    let stop = line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(line.len());
    let verbs = [&b" is: "[..], b" is ", b" was ", b" = ", b": "];
    let Some(at) = verbs.iter().find_map(|verb| Some(memchr::memmem::find(&line[..stop], verb)? + verb.len())) else {
        return;
    };
    if let Some(found) = value_at(scan, name.end + at) {
        redact_value(scan, name, Separator::Word, found);
    }
}

/// `).toBe("x")` behind what is expected to be it.
pub(in crate::redact) fn compared_value(scan: &Scan<'_>, close: usize) -> Option<(Separator, usize)> {
    const MATCHERS: &[&[u8]] = &[
        b").toBe(",
        b").toEqual(",
        b").toStrictEqual(",
        b").toContain(",
        b").to.equal(",
        b").to.eql(",
        b").to.eq(",
        b").isEqualTo(",
        b").toMatch(",
        b").to be(",
        b").to eq(",
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

/// `expect(password).toEqual(other)`: what was expected and received stands below.
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

/// `credentials admin/x`, `credentials: svc / x`.
pub(super) fn credentials(scan: &mut Scan<'_>, hit: usize) {
    name_and_password(scan, hit + "credentials".len());
}

/// `Login with admin:x failed`.
pub(super) fn login(scan: &mut Scan<'_>, hit: usize) {
    name_and_password(scan, hit + "login with ".len());
}

fn name_and_password(scan: &mut Scan<'_>, from: usize) {
    let user = scan.run(from, &OPENING, 4);
    let end = scan.run(user, &USER, 64);
    let spaced = scan.starts_with(end, b" / ");
    if user == end || !(spaced || matches!(scan.at(end), b':' | b'/')) || scan.starts_with(end, b"://") {
        return;
    }
    let start = end + if spaced { 3 } else { 1 };
    let Some(found) = value_at(scan, start) else { return };
    let text = scan.slice(found.start, found.end);
    if text.len() >= 6 && told::is_mixed(text) && !value::is_placeholder(text) && !text.contains(&b'/') {
        scan.add_by_name(Tier::Password.kind(), found.start, found.end);
    }
}

static OPENING: Set = Set::new(" :('\"");
static USER: Set = Set::new("A-Za-z0-9_.@\\-");

/// `bob / Eagle!2020`: beside a name, what nobody would write but as a password.
pub(super) fn slashed(scan: &mut Scan<'_>, hit: usize) {
    let user = scan.run_back(hit, &USER, 64);
    let Some(found) = value_at(scan, hit + " / ".len()) else { return };
    let text = scan.slice(found.start, found.end);
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let marked = has(|byte| b"!#$@%^&*".contains(byte)) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    if user < hit
        && text.len() >= 8
        && marked
        && told::is_mixed(text)
        && !text.contains(&b'/')
        && !text.starts_with(b"@")
    {
        scan.add_by_name(Tier::Password.kind(), found.start, found.end);
    }
}

/// `PIN: 4821`, `OTP code is 493817`: digits that open something.
pub(super) fn digits(scan: &mut Scan<'_>, hit: usize) {
    let word = scan.run(hit, &WORD, 8);
    let start = scan.run(word, &AFTER_LABEL, 4);
    let start = if scan.starts_with(start, b"is ") { start + 3 } else { start };
    let end = scan.run(start, &DIGIT, 9);
    let before = scan.slice(hit.saturating_sub(16), hit).to_ascii_lowercase();
    let owner = before.trim_ascii_end().rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
    let named = match scan.slice(hit, word) {
        b"PIN" => scan.starts_token(hit),
        _ => {
            matches!(owner, b"otp" | b"time" | b"verification" | b"security" | b"2fa" | b"mfa" | b"login" | b"pairing")
        }
    };
    if named && (4..=8).contains(&(end - start)) && scan.ends_token(end) && scan.at(end) != b'.' {
        scan.add_by_name(Tier::Token.kind(), start, end);
    }
}

/// `seed phrase: twelve small words`.
pub(super) fn seed(scan: &mut Scan<'_>, hit: usize) {
    let line = scan.slice(hit, hit + 32);
    let Some(phrase) = memchr::memmem::find(line, b"phrase") else { return };
    let start = scan.run(hit + phrase + "phrase".len(), &AFTER_PHRASE, 4);
    let end = scan.run(start, &SMALL, 400);
    let end = scan.run_back(end, &BLANK, 4);
    let words = scan.slice(start, end);
    if words.split(|&byte| byte == b' ').count() >= 6 && !value::is_prose(words) {
        scan.add_by_name(Tier::Password.kind(), start, end);
    }
}

static AFTER_PHRASE: Set = Set::new(": =\"'");
static SMALL: Set = Set::new("a-z ");

/// Words for a password whose letters are not those of names: `contraseña: x`, `密码是 x`.
pub(super) static FOREIGN: &[&str] = &[
    "contraseña",
    "hasło",
    "lösenord",
    "şifre",
    "salasõna",
    "slaptažodis",
    "jelszó",
    "κωδικός",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "סיסמה",
    "كلمة المرور",
    "कूटशब्द",
    "रहस्य",
    "รหัสผ่าน",
    "mật khẩu",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
];

pub(super) fn mot_de_passe(scan: &mut Scan<'_>, hit: usize) {
    foreign(scan, hit, "mot de passe".len());
}

pub(super) fn kata_sandi(scan: &mut Scan<'_>, hit: usize) {
    foreign(scan, hit, "kata sandi".len());
}

/// The value behind one of them.
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
