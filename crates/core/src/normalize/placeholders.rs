//! The ordered table of named placeholders; the first match wins. `walk` calls it for the words of a line.

pub(super) mod duration;
pub(super) mod ids;
mod machines;
mod named;
pub(super) mod net;
pub(super) mod numbers;
pub(super) mod paths;

use super::word::{Replacement, WordContext};
use crate::{
    output::marks::time,
    text::bytes::{DIGIT, HEXADECIMAL, HIGH, LOWER, LOWER_HEX, Set, UPPER, UPPER_HEX, WORD, at, is_word, one_of, word},
};
use numbers::NumberRole;

/// One kind of volatile text. The fields describe the words that it may match, so that most words are rejected without
/// calling `find`.
#[derive(Clone, Copy)]
pub(super) struct Placeholder {
    /// Name of the matched text. A test of the vectors requires a row for each name.
    #[cfg_attr(not(test), expect(dead_code, reason = "a table without names says nothing"))]
    pub(super) name: &'static str,
    /// Kinds of words at which a match may start.
    kinds: u8,
    /// Bytes that may follow the word; empty for any byte.
    after: &'static str,
    /// Bytes that may precede the word in the output; empty for any byte.
    before: &'static str,
    /// Minimum and maximum length of the word in bytes.
    length: (usize, usize),
    /// Classes that the word's bytes may have.
    classes: u8,
    /// Classes of which the word must have at least one byte; 0 if there is no such condition.
    some: u8,
    /// Set for a number with a unit.
    measure: bool,
    /// Set for the fallback entry, which most numbers reach.
    number: bool,
    find: fn(&WordContext<'_>) -> Option<Replacement>,
}

/// Words of digits only.
const NUMBERS: u8 = 1;
/// Other words that start with a digit.
const DIGIT_FIRST: u8 = 1 << 1;
/// Words that start with a letter and contain a digit.
const NAMES: u8 = 1 << 2;
/// Words without a digit.
const LETTERS: u8 = 1 << 3;

/// Builds an entry that matches at any word, with any byte before and after it.
const fn placeholder(name: &'static str, find: fn(&WordContext<'_>) -> Option<Replacement>) -> Placeholder {
    Placeholder {
        name,
        kinds: NUMBERS | DIGIT_FIRST | NAMES | LETTERS,
        after: "",
        before: "",
        length: (1, LONG_WORD_BYTES),
        classes: WORD,
        some: 0,
        measure: false,
        number: false,
        find,
    }
}

const UUID: Placeholder = Placeholder {
    after: "-",
    length: (8, 8),
    classes: HEXADECIMAL,
    ..placeholder("uuid", |h| ids::uuid(h.line, h.start).map(|e| Replacement::new(e, "<UUID>")))
};
const TRACE: Placeholder = Placeholder {
    kinds: NUMBERS | DIGIT_FIRST,
    after: "-",
    length: (1, 2),
    ..placeholder("trace", |h| ids::trace(h.line, h.start).map(|e| Replacement::new(e, "<TRACE>")))
};
const MAC: Placeholder = Placeholder {
    after: ":-",
    length: (2, 2),
    classes: HEXADECIMAL,
    ..placeholder("mac", |h| net::mac(h.line, h.start).map(|e| Replacement::new(e, "<MAC>")))
};
const PCI: Placeholder = Placeholder {
    kinds: NUMBERS | DIGIT_FIRST,
    after: ":",
    length: (4, 4),
    classes: HEXADECIMAL,
    ..placeholder("pci address", |h| machines::pci_address(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const RACK: Placeholder = Placeholder {
    kinds: NAMES,
    after: "-",
    length: (3, 3),
    classes: DIGIT | UPPER,
    ..placeholder("place in a rack", |h| machines::rack_place(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const IPV4: Placeholder = Placeholder {
    kinds: NUMBERS | DIGIT_FIRST,
    after: ".",
    length: (1, 3),
    classes: DIGIT,
    ..placeholder("ipv4", |h| net::ipv4(h.line, h.start).map(|e| Replacement::new(e, "<IP>")))
};
const IPV6: Placeholder = Placeholder {
    after: ":",
    length: (1, 4),
    classes: HEXADECIMAL,
    ..placeholder("ipv6", |h| net::ipv6(h.line, h.start).map(|e| Replacement::new(e, "<IP>")))
};
const DATE: Placeholder = Placeholder { kinds: DIGIT_FIRST, ..placeholder("timestamp", timestamp) };
const LOG_HEADER: Placeholder = Placeholder {
    kinds: NAMES,
    after: " ",
    length: (5, 5),
    classes: DIGIT | UPPER | UPPER_HEX,
    some: DIGIT,
    ..placeholder("log header", log_header)
};
const HEX: Placeholder = Placeholder {
    kinds: DIGIT_FIRST,
    length: (3, LONG_WORD_BYTES),
    some: LOWER | UPPER,
    ..placeholder("hex", prefixed_hex)
};
const DURATION: Placeholder =
    Placeholder { kinds: NUMBERS | DIGIT_FIRST, measure: true, ..placeholder("duration", duration) };
const SIZE: Placeholder = Placeholder { kinds: NUMBERS | DIGIT_FIRST, measure: true, ..placeholder("size", size) };
const PERCENT: Placeholder =
    Placeholder { kinds: NUMBERS | DIGIT_FIRST, measure: true, ..placeholder("percent", percent) };
const VERSION: Placeholder =
    Placeholder { kinds: NUMBERS | DIGIT_FIRST, after: ".", classes: DIGIT, ..placeholder("version", version) };
const HASH: Placeholder = Placeholder {
    kinds: DIGIT_FIRST | NAMES,
    length: (4, LONG_WORD_BYTES),
    classes: HEXADECIMAL,
    ..placeholder("hash", hash)
};
/// A nano ID that is a single word of 21 bytes.
const NANO_ID: Placeholder =
    Placeholder { kinds: DIGIT_FIRST | NAMES | LETTERS, length: (21, 21), ..placeholder("nano id", nano_id) };
/// A nano ID that `-` or `_` splits into words.
const JOINED_NANO_ID: Placeholder =
    Placeholder { kinds: DIGIT_FIRST | NAMES | LETTERS, after: "-_", ..placeholder("nano id", joined_nano_id) };
/// A nano ID that ends before a letter beyond ASCII, which belongs to the word.
const CUT_NANO_ID: Placeholder =
    Placeholder { kinds: DIGIT_FIRST | NAMES | LETTERS, some: HIGH, ..placeholder("nano id", nano_id) };
/// Base64 in a single word must contain a capital letter, because otherwise it is a hex digest.
const BASE64: Placeholder = Placeholder {
    kinds: DIGIT_FIRST | NAMES,
    length: (LONG_WORD_BYTES, LONG_WORD_BYTES),
    some: UPPER | UPPER_HEX,
    ..placeholder("base64", base64)
};
const JOINED_BASE64: Placeholder =
    Placeholder { kinds: DIGIT_FIRST | NAMES, after: "-_=+/", ..placeholder("base64", base64) };
const JWT: Placeholder = Placeholder {
    kinds: NAMES | LETTERS,
    after: ".-_=",
    length: (3, LONG_WORD_BYTES),
    some: UPPER,
    ..placeholder("jwt", |h| ids::jwt(h.line, h.start).map(|e| Replacement::new(e, "<JWT>")))
};
const CUT_UUID: Placeholder =
    Placeholder { after: "-", length: (1, 8), classes: HEXADECIMAL, ..placeholder("cut uuid", cut_uuid) };
const RANDOM: Placeholder =
    Placeholder { kinds: DIGIT_FIRST | NAMES, length: (8, LONG_WORD_BYTES), ..placeholder("random id", random) };
const SUFFIX: Placeholder = Placeholder {
    kinds: DIGIT_FIRST | NAMES | LETTERS,
    before: "-",
    length: (4, LONG_WORD_BYTES),
    ..placeholder("random suffix", suffix)
};
/// `Message@1b2c3d4f`, `<func[12 chars]c20>`: some of these words have no letter and some have no digit.
const IDENTITY: Placeholder = Placeholder {
    before: "@]",
    length: (1, 16),
    classes: HEXADECIMAL,
    ..placeholder("object identity", object_identity)
};
const CLOUD: Placeholder = Placeholder {
    kinds: NAMES | LETTERS,
    after: "-",
    length: (1, 8),
    classes: LOWER | LOWER_HEX,
    ..placeholder("cloud id", |h| net::cloud_id(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const HOST: Placeholder = Placeholder { kinds: NAMES | LETTERS, after: ".-", ..placeholder("host", host) };
const BOOL: Placeholder = Placeholder { kinds: LETTERS, before: "=", length: (4, 5), ..placeholder("bool", boolean) };
const ISO_DURATION: Placeholder = Placeholder {
    kinds: NAMES,
    some: UPPER,
    ..placeholder("iso duration", |h| {
        duration::iso_duration(h.line, h.start).map(|e| Replacement::new(e, "<DURATION>"))
    })
};
const USER: Placeholder = Placeholder { kinds: NAMES | LETTERS, before: " =", ..placeholder("user", user) };
const NUMBER: Placeholder =
    Placeholder { kinds: NUMBERS | DIGIT_FIRST, number: true, ..placeholder("number", named::number_or_code) };
const NUMBERED: Placeholder = Placeholder { kinds: NAMES, ..placeholder("numbered name", named::numbered) };
const DIGIT_NAME: Placeholder =
    Placeholder { kinds: DIGIT_FIRST, ..placeholder("name that begins with digits", named::digit_name) };

/// Words of at least this length are treated alike by every entry.
const LONG_WORD_BYTES: usize = 31;

/// The placeholders in order, with bit masks of the entries that a word leaves. Bit `n` stands for entry `n`.
pub(super) struct Table<const N: usize> {
    pub(super) entries: [Placeholder; N],
    /// Indexed by the kind of word.
    kinds: [u64; 4],
    /// Indexed by the byte after the word.
    after: [u64; 256],
    /// Indexed by the byte before the word.
    before: [u64; 256],
    /// Indexed by the classes of the word's bytes.
    classes: [u64; 64],
    /// Indexed by the word's length.
    lengths: [u64; LONG_WORD_BYTES + 1],
    /// The entries that need a unit.
    measures: u64,
    /// The fallback entry for numbers.
    number: u64,
}

/// Sets the entry's bit for each byte in `bytes`, or for all bytes if `bytes` is empty.
const fn allow(table: &mut [u64; 256], entry: usize, bytes: &str) {
    let bytes = bytes.as_bytes();
    let count = if bytes.is_empty() { 256 } else { bytes.len() };
    let mut index = 0;
    while index < count {
        table[if bytes.is_empty() { index } else { bytes[index] as usize }] |= 1 << entry;
        index += 1;
    }
}

impl<const N: usize> Table<N> {
    const fn new(entries: [Placeholder; N]) -> Self {
        let (bytes, classes, lengths) = ([0; 256], [0; 64], [0; LONG_WORD_BYTES + 1]);
        let mut table =
            Self { entries, kinds: [0; 4], after: bytes, before: bytes, classes, lengths, measures: 0, number: 0 };
        let mut entry = 0;
        while entry < N {
            let Placeholder { kinds, after, before, length, classes, some, measure, number, .. } = entries[entry];
            table.measures |= (measure as u64) << entry;
            table.number |= (number as u64) << entry;
            allow(&mut table.after, entry, after);
            allow(&mut table.before, entry, before);
            let mut kind = 0;
            while kind < table.kinds.len() {
                table.kinds[kind] |= ((kinds >> kind & 1) as u64) << entry;
                kind += 1;
            }
            let mut mask: u8 = 0;
            while mask <= WORD {
                if mask & !classes == 0 && (some == 0 || mask & some != 0) {
                    table.classes[mask as usize] |= 1 << entry;
                }
                mask += 1;
            }
            let mut bytes = length.0;
            while bytes <= length.1 {
                table.lengths[bytes] |= 1 << entry;
                bytes += 1;
            }
            entry += 1;
        }
        table
    }

    /// Returns the first placeholder that matches at this word.
    pub(super) fn first(&self, here: &WordContext<'_>) -> Option<Replacement> {
        let mut left = self.kinds[here.kind()]
            & self.after[usize::from(here.next())]
            & self.before[usize::from(here.previous())]
            & self.classes[usize::from(here.mask & WORD)]
            & self.lengths[(here.end - here.start).min(LONG_WORD_BYTES)];
        if left & self.measures != 0 && here.mask == DIGIT && !numbers::may_have_unit(here.line, here.end) {
            left &= !self.measures;
        }
        // A direct call instead of the function pointer, so that the compiler can inline it.
        if left == self.number && left != 0 {
            return named::number_or_code(here);
        }
        while left != 0 {
            let hit = (self.entries[left.trailing_zeros() as usize].find)(here);
            if hit.is_some() {
                return hit;
            }
            left &= left - 1;
        }
        None
    }
}

pub(super) static PLACEHOLDERS: Table<38> = Table::new([
    UUID,
    TRACE,
    // Before `timestamp`, because `02:42:ac:11:00:02` starts like a time of day and `0000:06:07.0` continues like a
    // time of day.
    MAC,
    PCI,
    // Before `hash` and the names, because a log header looks like a code.
    LOG_HEADER,
    IPV6,
    // Before `ipv4` and `number`, because otherwise `2006.01.02` becomes three numbers.
    DATE,
    Placeholder { kinds: NUMBERS, after: ":-/.", length: (1, 4), ..DATE },
    Placeholder { kinds: NUMBERS, after: " ", length: (1, 2), ..DATE },
    Placeholder { kinds: NUMBERS, after: "-/. _", length: (8, 8), ..DATE },
    // Only with the text that follows, because `Mon` and `May` alone are words.
    Placeholder { kinds: LETTERS, after: " ,", length: (3, 9), some: UPPER | UPPER_HEX, ..DATE },
    IPV4,
    Placeholder { kinds: NUMBERS | DIGIT_FIRST, ..HOST },
    HEX,
    // Before `hash`: `30d`, `1500ms`.
    DURATION,
    SIZE,
    PERCENT,
    VERSION,
    IDENTITY,
    // Before `host`, `base64`, `hash` and `random id`, because those would match only a part.
    JWT,
    NANO_ID,
    JOINED_NANO_ID,
    CUT_NANO_ID,
    BASE64,
    JOINED_BASE64,
    CLOUD,
    RACK,
    HOST,
    CUT_UUID,
    HASH,
    RANDOM,
    SUFFIX,
    BOOL,
    USER,
    ISO_DURATION,
    // Last, because what remains is a number, a name with a number (`worker12`) or a code (`E0308`).
    NUMBER,
    NUMBERED,
    DIGIT_NAME,
]);

fn timestamp(here: &WordContext<'_>) -> Option<Replacement> {
    // Of the dates without a separator after the first digits, only the form `20060102T150405` is recognized.
    let compact = here.end - here.start > 8 && here.line[here.start + 8] == b'T';
    let possible = match here.mask & DIGIT {
        0 => is_day_or_month(here.line, here.start, here.end),
        _ => (here.mask == DIGIT || compact) && time::may_begin(here.line, here.start),
    };
    if !possible {
        return None;
    }
    // `file.ts:10:30` is a place in a file, and `1.10:30` is a part of a number.
    if matches!(here.previous(), b':' | b'.')
        && here.before.iter().rev().nth(1).is_some_and(|&byte| byte != b':' && byte != b' ' && is_word(byte))
    {
        return None;
    }
    let end = time::timestamp(here.line, here.start)?;
    let host = if here.start == 0 { machines::syslog_host(here.line, end) } else { None };
    Some(host.map_or_else(|| Replacement::new(end, "<TIMESTAMP>"), |host| Replacement::new(host, "<TIMESTAMP> <HOST>")))
}

/// Java prints an object without `toString` as its type and its hash.
fn object_identity(here: &WordContext<'_>) -> Option<Replacement> {
    // Python's unittest shortens `<function total at 0x7f12c20>` to `<func[12 chars]c20>`.
    if here.previous() == b']' {
        return here.before.ends_with(b" chars]").then(|| Replacement::new(here.end, "<HEX>"));
    }
    let owner = here.before.iter().rev().nth(1).filter(|_| here.end - here.start >= 5);
    let ends = !matches!(here.next(), b'.' | b'-' | b'@' | b'/');
    (ends && owner.is_some_and(|&byte| is_word(byte) || matches!(byte, b';' | b'$')))
        .then(|| Replacement::new(here.end, "<HASH>"))
}

/// Log header of glog and klog, for example `E0102 15:04:05.000000`: the letter is the level, and the date has no year.
fn log_header(here: &WordContext<'_>) -> Option<Replacement> {
    let level = matches!(here.word()[0], b'I' | b'W' | b'E' | b'F');
    let end = time::month_day_clock(here.line, here.start + 1)
        .filter(|_| level && here.word()[1..].iter().all(u8::is_ascii_digit))?;
    Some(Replacement { keep: 1, ..Replacement::new(end, "<TIMESTAMP>") })
}

/// Windows status codes (`0x80070005`, `0xC0000005`) identify the failure; other hexadecimal numbers do not.
fn prefixed_hex(here: &WordContext<'_>) -> Option<Replacement> {
    let end = ids::prefixed_hex(here.line, here.start)?;
    let code = end - here.start == 10 && matches!(at(here.line, here.start + 2), b'8' | b'c' | b'C');
    if code && numbers::role(here.line, end, end, here.before) == NumberRole::Code {
        return Some(Replacement::kept(here, end));
    }
    Some(Replacement::new(end, "<HEX>"))
}

fn nano_id(here: &WordContext<'_>) -> Option<Replacement> {
    ids::nano_id(here.line, here.start).map(|end| Replacement::new(end, "<ID>"))
}

/// A first part with letters of one case only is a name with an appended ID, for example `req_8fK2…`.
fn joined_nano_id(here: &WordContext<'_>) -> Option<Replacement> {
    let upper = here.mask & (UPPER | UPPER_HEX) != 0;
    let lower = here.mask & (LOWER | LOWER_HEX) != 0;
    if here.mask & DIGIT == 0 && upper != lower { None } else { nano_id(here) }
}

fn base64(here: &WordContext<'_>) -> Option<Replacement> {
    ids::base64(here.line, here.start).map(|end| Replacement::new(end, "<BASE64>"))
}

fn cut_uuid(here: &WordContext<'_>) -> Option<Replacement> {
    ids::cut_uuid(here.line, here.start).map(|end| Replacement::new(end, "<UUID>"))
}

fn duration(here: &WordContext<'_>) -> Option<Replacement> {
    duration::duration(here.line, here.start).map(|end| Replacement::new(end, "<DURATION>"))
}

fn size(here: &WordContext<'_>) -> Option<Replacement> {
    numbers::size(here.line, here.start).map(|end| Replacement::new(end, "<SIZE>"))
}

fn percent(here: &WordContext<'_>) -> Option<Replacement> {
    let end = numbers::plain(here.line, here.start);
    (at(here.line, end) == b'%').then(|| Replacement::new(end + 1, "<PERCENT>"))
}

fn version(here: &WordContext<'_>) -> Option<Replacement> {
    numbers::version(here.line, here.start).map(|end| Replacement::new(end, "<VERSION>"))
}

fn hash(here: &WordContext<'_>) -> Option<Replacement> {
    ids::is_hash(here.word(), here.mask).then(|| Replacement::new(here.end, "<HASH>"))
}

fn random(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    ids::is_random(word, here.mask).then(|| Replacement::new(here.end, "<ID>"))
}

/// Matches a random suffix after `-`. The name of a node before the suffix is replaced too, because the cluster
/// generated it.
fn suffix(here: &WordContext<'_>) -> Option<Replacement> {
    static NAME: Set = Set::of(WORD, "-<>");
    // A pod's last part may have no digit, but then the part before it has a digit.
    let letters = here.before.ends_with(b">-") && ids::is_cluster_suffix(here.word());
    if !letters && !ids::is_random_suffix(here.word(), here.mask) {
        return None;
    }
    let name = here.before.iter().rev().take_while(|&&byte| NAME.has(byte)).count();
    let node = here.before[..here.before.len() - name].ends_with(b"node ");
    Some(Replacement { back: if node { name } else { 0 }, ..Replacement::new(here.end, "<ID>") })
}

fn host(here: &WordContext<'_>) -> Option<Replacement> {
    if matches!(here.previous(), b'.' | b'-' | b'_' | b'/' | b'\\' | b'$') {
        return None;
    }
    net::host(here.line, here.start).map(|end| Replacement::new(end, "<HOST>"))
}

/// `flag=false`: only the value of a field, because `False` in a sentence stays.
fn boolean(here: &WordContext<'_>) -> Option<Replacement> {
    let value = !here.before.ends_with(b"==") && !here.before.ends_with(b"!=");
    (value && one_of(here.word(), &["true", "false"])).then(|| Replacement::new(here.end, "<BOOL>"))
}

/// Account names in the phrases of login logs: `for user bob by`, `invalid user bob from`, `for bob from 10.0.0.1`,
/// `user=bob`.
fn user(here: &WordContext<'_>) -> Option<Replacement> {
    let before = here.before;
    let rest = &here.line[here.end..];
    if !matches!(before, [.., b'r' | b'n', b' ' | b'=']) {
        return None;
    }
    let field = [&b"user="[..], b"username=", b"ruser=", b"login="].iter().any(|key| before.ends_with(key));
    let goes_on = rest.is_empty()
        || [&b" from"[..], b" by", b" [", b" on", b"(", b" port"].iter().any(|next| rest.starts_with(next));
    let named = before.ends_with(b"authentication failures for ")
        || before.ends_with(b"for user ")
        || before.ends_with(b"nvalid user ")
        || before.ends_with(b"llegal user ");
    let address = before.ends_with(b" for ") && rest.starts_with(b" from ") && at(rest, 6).is_ascii_digit();
    (field || named && goes_on || address).then(|| Replacement::new(here.end, "<USER>"))
}

/// Checks whether a placeholder may depend on text after the next space: the word may start a date, or be an account
/// before two spaces that become one.
pub(super) fn needs_lookahead(here: &WordContext<'_>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let spaced = here.next() == b'\t' || here.next() == b' ' && blank(at(here.line, here.end + 1));
    spaced && matches!(here.before, [.., b'r' | b'n', b' ' | b'='])
        || is_day_or_month(here.line, here.start, here.end)
        || here.mask == DIGIT && precedes_month(here)
}

/// `04/Mar` is a date only if the rest of a date follows.
fn precedes_month(here: &WordContext<'_>) -> bool {
    let start = here.end + 1;
    at(here.line, start).is_ascii_uppercase() && is_day_or_month(here.line, start, word(here.line, start).0)
}

fn is_day_or_month(line: &[u8], start: usize, end: usize) -> bool {
    line[start].is_ascii_uppercase() && time::is_day_or_month(&line[start..end])
}
