//! The ordered, named table of placeholders; in each list the first that matches wins.
//! Does not: walk the text; `scan` does, and asks the list of the byte class it stands on.

use super::{
    duration, ids, machines, named, net,
    numbers::{self, Role},
    word::{Replacement, Word},
};
use crate::{
    bytes::{
        DIGIT, HEXADECIMAL, HIGH, LOWER, LOWER_HEX, NOT_HEX, Set, UPPER, UPPER_HEX, WORD, at, is_word, one_of, word,
    },
    output::time,
};

/// One kind of volatile text. Most words are seen not to be of it by what they are made of and what stands around them.
#[derive(Clone, Copy)]
pub(super) struct Placeholder {
    /// What it recognises; read by the vectors' test, which wants a row for each.
    #[cfg_attr(not(test), expect(dead_code, reason = "a table without names says nothing"))]
    pub(super) name: &'static str,
    /// What may stand right after the word. Empty for anything.
    after: &'static str,
    /// What may be the last byte written before the word, in the same way.
    before: &'static str,
    /// The least and the most bytes of the word.
    length: (usize, usize),
    /// All classes the word's bytes may be of.
    classes: u8,
    /// The word has a byte of one of these classes; 0 for any.
    some: u8,
    /// It is a number with a unit.
    measure: bool,
    /// It is whatever is left of numbers, as most are.
    number: bool,
    find: fn(&Word<'_>) -> Option<Replacement>,
}

/// One that any byte may stand before and after, and that may begin with any word.
const fn placeholder(name: &'static str, find: fn(&Word<'_>) -> Option<Replacement>) -> Placeholder {
    Placeholder {
        name,
        after: "",
        before: "",
        length: (1, LONG),
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
    after: ":",
    length: (4, 4),
    classes: HEXADECIMAL,
    ..placeholder("pci address", |h| machines::pci_address(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const RACK: Placeholder = Placeholder {
    after: "-",
    length: (3, 3),
    classes: DIGIT | UPPER,
    ..placeholder("place in a rack", |h| machines::rack_place(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const IPV4: Placeholder = Placeholder {
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
const DATE: Placeholder = placeholder("timestamp", timestamp);
const LOG_HEADER: Placeholder = Placeholder {
    after: " ",
    length: (5, 5),
    classes: DIGIT | UPPER | UPPER_HEX,
    some: DIGIT,
    ..placeholder("log header", log_header)
};
const HEX: Placeholder = Placeholder { length: (3, LONG), some: LOWER | UPPER, ..placeholder("hex", prefixed_hex) };
const DURATION: Placeholder = Placeholder { measure: true, ..placeholder("duration", duration) };
const SIZE: Placeholder = Placeholder { measure: true, ..placeholder("size", size) };
const PERCENT: Placeholder = Placeholder { measure: true, ..placeholder("percent", percent) };
const VERSION: Placeholder = Placeholder { after: ".", classes: DIGIT, ..placeholder("version", version) };
const HASH: Placeholder = Placeholder { length: (4, LONG), classes: HEXADECIMAL, ..placeholder("hash", hash) };
/// A word of 21 bytes.
const NANO_ID: Placeholder = Placeholder { length: (21, 21), ..placeholder("nano id", nano_id) };
/// The beginning of what `-` and `_` make one.
const JOINED_NANO_ID: Placeholder = Placeholder { after: "-_", ..placeholder("nano id", nano_id) };
/// It may end before a letter beyond ASCII, which belongs to the word.
const CUT_NANO_ID: Placeholder = Placeholder { some: HIGH, ..placeholder("nano id", nano_id) };
/// One word alone is mixed only with a capital: a digest is none.
const BASE64: Placeholder =
    Placeholder { length: (LONG, LONG), some: UPPER | UPPER_HEX, ..placeholder("base64", base64) };
const JOINED_BASE64: Placeholder = Placeholder { after: "-_=+/", ..placeholder("base64", base64) };
const JWT: Placeholder = Placeholder {
    after: ".-_=",
    length: (3, LONG),
    some: UPPER,
    ..placeholder("jwt", |h| ids::jwt(h.line, h.start).map(|e| Replacement::new(e, "<JWT>")))
};
const CUT_UUID: Placeholder =
    Placeholder { after: "-", length: (1, 8), classes: HEXADECIMAL, ..placeholder("cut uuid", cut_uuid) };
const RANDOM: Placeholder = Placeholder { length: (8, LONG), ..placeholder("random id", random) };
const SUFFIX: Placeholder = Placeholder { before: "-", length: (4, LONG), ..placeholder("random suffix", suffix) };
/// `Message@1b2c3d4f`, `<func[12 chars]c20>`: some have no letter, some no digit.
const IDENTITY: Placeholder = Placeholder {
    before: "@]",
    length: (1, 16),
    classes: HEXADECIMAL,
    ..placeholder("object identity", object_identity)
};
const CLOUD: Placeholder = Placeholder {
    after: "-",
    length: (1, 8),
    classes: LOWER | LOWER_HEX,
    ..placeholder("cloud id", |h| net::cloud_id(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const HOST: Placeholder = Placeholder { after: ".-", ..placeholder("host", host) };
const BOOL: Placeholder = Placeholder { before: "=", length: (4, 5), ..placeholder("bool", boolean) };
const ISO_DURATION: Placeholder = Placeholder {
    some: UPPER,
    ..placeholder("iso duration", |h| {
        duration::iso_duration(h.line, h.start).map(|e| Replacement::new(e, "<DURATION>"))
    })
};
const USER: Placeholder = Placeholder { before: " =", ..placeholder("user", user) };
const NUMBER: Placeholder = Placeholder { number: true, ..placeholder("number", named::number_or_code) };
const NUMBERED: Placeholder = placeholder("numbered name", named::numbered);
const DIGIT_NAME: Placeholder = placeholder("name that begins with digits", named::digit_name);

/// Words of this length and longer ones are the same to every entry.
const LONG: usize = 31;

/// Entries in order, and which of them a word leaves: bit `n` is about entry `n`.
pub(super) struct List<const N: usize> {
    pub(super) entries: [Placeholder; N],
    /// By the byte after the word.
    after: [u32; 256],
    /// By the byte before the word.
    before: [u32; 256],
    /// By the classes of the word's bytes.
    classes: [u32; 64],
    /// By the word's length.
    lengths: [u32; LONG + 1],
    /// Those that need a unit.
    measures: u32,
    /// The one that is left of numbers.
    number: u32,
}

/// Adds the entry to each of the bytes it allows.
const fn allow(table: &mut [u32; 256], entry: usize, bytes: &str) {
    let bytes = bytes.as_bytes();
    let count = if bytes.is_empty() { 256 } else { bytes.len() };
    let mut index = 0;
    while index < count {
        table[if bytes.is_empty() { index } else { bytes[index] as usize }] |= 1 << entry;
        index += 1;
    }
}

impl<const N: usize> List<N> {
    const fn new(entries: [Placeholder; N]) -> Self {
        let (bytes, classes, lengths) = ([0; 256], [0; 64], [0; LONG + 1]);
        let mut list = Self { entries, after: bytes, before: bytes, classes, lengths, measures: 0, number: 0 };
        let mut entry = 0;
        while entry < N {
            let Placeholder { after, before, length, classes, some, measure, number, .. } = entries[entry];
            list.measures |= (measure as u32) << entry;
            list.number |= (number as u32) << entry;
            allow(&mut list.after, entry, after);
            allow(&mut list.before, entry, before);
            let mut mask: u8 = 0;
            while mask <= WORD {
                if mask & !classes == 0 && (some == 0 || mask & some != 0) {
                    list.classes[mask as usize] |= 1 << entry;
                }
                mask += 1;
            }
            let mut bytes = length.0;
            while bytes <= length.1 {
                list.lengths[bytes] |= 1 << entry;
                bytes += 1;
            }
            entry += 1;
        }
        list
    }

    /// The first placeholder of the list that matches here.
    pub(super) fn first(&self, here: &Word<'_>) -> Option<Replacement> {
        let mut left = self.after[usize::from(here.next())]
            & self.before[usize::from(here.previous())]
            & self.classes[usize::from(here.mask & WORD)]
            & self.lengths[(here.end - here.start).min(LONG)];
        if left & self.measures != 0 && here.mask == DIGIT && !numbers::may_have_unit(here.line, here.end) {
            left &= !self.measures;
        }
        // Not by its pointer, so that it is compiled into this.
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

/// Words that begin with a digit.
pub(super) static BY_DIGIT: List<25> = List::new([
    UUID,
    TRACE,
    // Before `timestamp`: `02:42:ac:11:00:02` begins like a time of day, and `0000:06:07.0` goes on like one.
    MAC,
    PCI,
    IPV6,
    // Before `ipv4` and `number`: `2006.01.02`, or a date becomes three numbers.
    DATE,
    IPV4,
    HOST,
    HEX,
    // Before `hash`: `30d`, `1500ms`.
    DURATION,
    SIZE,
    PERCENT,
    VERSION,
    IDENTITY,
    // Before `hash` and `random id`, which would take only a part of them.
    NANO_ID,
    JOINED_NANO_ID,
    CUT_NANO_ID,
    BASE64,
    JOINED_BASE64,
    CUT_UUID,
    HASH,
    RANDOM,
    SUFFIX,
    NUMBER,
    DIGIT_NAME,
]);

/// Words of digits alone: those of the list above that such a word can begin.
pub(super) static BY_NUMBER: List<17> = List::new([
    UUID,
    TRACE,
    MAC,
    PCI,
    IPV6,
    Placeholder { after: ":-/.", length: (1, 4), ..DATE },
    Placeholder { after: " ", length: (1, 2), ..DATE },
    Placeholder { after: "-/. _", length: (8, 8), ..DATE },
    IPV4,
    HOST,
    Placeholder { after: " .", ..DURATION },
    Placeholder { after: " .,", ..SIZE },
    Placeholder { after: "%.,", ..PERCENT },
    VERSION,
    IDENTITY,
    CUT_UUID,
    NUMBER,
]);

/// Words that begin with a letter and hold a digit.
pub(super) static BY_NAME: List<21> = List::new([
    UUID,
    MAC,
    // Before `hash` and the names: it looks like a code.
    LOG_HEADER,
    IPV6,
    IDENTITY,
    // Before `host` and `base64`: those would take its beginning.
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
    // Last: what is left is a name with a number (`worker12`) or a code (`E0308`).
    USER,
    ISO_DURATION,
    NUMBERED,
]);

/// Words without a digit.
pub(super) static BY_WORD: List<15> = List::new([
    UUID,
    MAC,
    IPV6,
    // Only with what follows: `Mon`, `May` alone are words.
    Placeholder { length: (3, 9), some: UPPER | UPPER_HEX, ..DATE },
    JWT,
    IDENTITY,
    NANO_ID,
    JOINED_NANO_ID,
    CUT_NANO_ID,
    CLOUD,
    CUT_UUID,
    HOST,
    SUFFIX,
    BOOL,
    USER,
]);

fn timestamp(here: &Word<'_>) -> Option<Replacement> {
    // Without a mark after its first digits only `20060102T150405` begins a date.
    let compact = here.end - here.start > 8 && here.line[here.start + 8] == b'T';
    let possible = match here.mask & DIGIT {
        0 => is_day_or_month(here.line, here.start, here.end),
        _ => (here.mask == DIGIT || compact) && time::may_begin(here.line, here.start),
    };
    if !possible {
        return None;
    }
    // `file.ts:10:30` is a place in a file, `1.10:30` a part of a number.
    if matches!(here.previous(), b':' | b'.')
        && here.before.iter().rev().nth(1).is_some_and(|&byte| byte != b':' && byte != b' ' && is_word(byte))
    {
        return None;
    }
    let end = time::timestamp(here.line, here.start)?;
    let host = if here.start == 0 { machines::syslog_host(here.line, end) } else { None };
    Some(host.map_or_else(|| Replacement::new(end, "<TIMESTAMP>"), |host| Replacement::new(host, "<TIMESTAMP> <HOST>")))
}

/// What Java prints of an object without a text of its own: its type and its hash.
fn object_identity(here: &Word<'_>) -> Option<Replacement> {
    // Of a shortened `<function total at 0x7f12c20>` Python's unittest leaves `<func[12 chars]c20>`.
    if here.previous() == b']' {
        return here.before.ends_with(b" chars]").then(|| Replacement::new(here.end, "<HEX>"));
    }
    let owner = here.before.iter().rev().nth(1).filter(|_| here.end - here.start >= 5);
    let ends = !matches!(here.next(), b'.' | b'-' | b'@' | b'/');
    (ends && owner.is_some_and(|&byte| is_word(byte) || matches!(byte, b';' | b'$')))
        .then(|| Replacement::new(here.end, "<HASH>"))
}

/// `E0102 15:04:05.000000` of glog and klog: the letter is the level, the date has no year.
fn log_header(here: &Word<'_>) -> Option<Replacement> {
    let level = matches!(here.word()[0], b'I' | b'W' | b'E' | b'F');
    let end = time::month_day_clock(here.line, here.start + 1)
        .filter(|_| level && here.word()[1..].iter().all(u8::is_ascii_digit))?;
    Some(Replacement { keep: 1, ..Replacement::new(end, "<TIMESTAMP>") })
}

/// Windows status codes (`0x80070005`, `0xC0000005`) identify the failure; other hexadecimal numbers do not.
fn prefixed_hex(here: &Word<'_>) -> Option<Replacement> {
    let end = ids::prefixed_hex(here.line, here.start)?;
    let code = end - here.start == 10 && matches!(at(here.line, here.start + 2), b'8' | b'c' | b'C');
    if code && numbers::role(here.line, end, end, here.before) == Role::Code {
        return Some(Replacement::kept(here, end));
    }
    Some(Replacement::new(end, "<HEX>"))
}

fn nano_id(here: &Word<'_>) -> Option<Replacement> {
    ids::nano_id(here.line, here.start).map(|end| Replacement::new(end, "<ID>"))
}

fn base64(here: &Word<'_>) -> Option<Replacement> {
    ids::base64(here.line, here.start).map(|end| Replacement::new(end, "<BASE64>"))
}

fn cut_uuid(here: &Word<'_>) -> Option<Replacement> {
    ids::cut_uuid(here.line, here.start).map(|end| Replacement::new(end, "<UUID>"))
}

fn duration(here: &Word<'_>) -> Option<Replacement> {
    duration::duration(here.line, here.start).map(|end| Replacement::new(end, "<DURATION>"))
}

fn size(here: &Word<'_>) -> Option<Replacement> {
    numbers::size(here.line, here.start).map(|end| Replacement::new(end, "<SIZE>"))
}

fn percent(here: &Word<'_>) -> Option<Replacement> {
    let end = numbers::plain(here.line, here.start);
    (at(here.line, end) == b'%').then(|| Replacement::new(end + 1, "<PERCENT>"))
}

fn version(here: &Word<'_>) -> Option<Replacement> {
    numbers::version(here.line, here.start).map(|end| Replacement::new(end, "<VERSION>"))
}

fn hash(here: &Word<'_>) -> Option<Replacement> {
    ids::is_hash(here.word(), here.mask).then(|| Replacement::new(here.end, "<HASH>"))
}

/// A random id; after `-` also what it is appended to when that is a node's name, which the cluster made up too.
fn random(here: &Word<'_>) -> Option<Replacement> {
    let word = here.word();
    ids::is_random(word, here.mask).then(|| Replacement::new(here.end, "<ID>"))
}

fn suffix(here: &Word<'_>) -> Option<Replacement> {
    static NAME: Set = Set::of(WORD, "-<>");
    // A pod's last part may have no digit, but then what stands before it has.
    let letters = here.before.ends_with(b">-") && ids::is_cluster_suffix(here.word());
    if !letters && !ids::is_random_suffix(here.word(), here.mask) {
        return None;
    }
    let name = here.before.iter().rev().take_while(|&&byte| NAME.has(byte)).count();
    let node = here.before[..here.before.len() - name].ends_with(b"node ");
    Some(Replacement { back: if node { name } else { 0 }, ..Replacement::new(here.end, "<ID>") })
}

fn host(here: &Word<'_>) -> Option<Replacement> {
    if matches!(here.previous(), b'.' | b'-' | b'_' | b'/' | b'\\' | b'$') {
        return None;
    }
    net::host(here.line, here.start).map(|end| Replacement::new(end, "<HOST>"))
}

/// `flag=false`: as a value of a field only, `False` in a sentence stays.
fn boolean(here: &Word<'_>) -> Option<Replacement> {
    let value = !here.before.ends_with(b"==") && !here.before.ends_with(b"!=");
    (value && one_of(here.word(), &["true", "false"])).then(|| Replacement::new(here.end, "<BOOL>"))
}

/// Accounts in the idioms of login logs: `for user bob by`, `invalid user bob from`, `for bob from 10.0.0.1`, `user=bob`.
fn user(here: &Word<'_>) -> Option<Replacement> {
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

/// Whether the word can begin a placeholder although it has no digit, seen from the word and what stands around it.
pub(super) fn is_worth_a_look(line: &[u8], start: usize, end: usize, mask: u8) -> bool {
    let next = at(line, end);
    let first = line[start];
    let left = if start > 0 { line[start - 1] } else { 0 };
    if end - start == 5 && left == b'-' {
        return true;
    }
    match next {
        b'_' | b'-' if mask & (UPPER | UPPER_HEX) != 0 && mask & (LOWER | LOWER_HEX) != 0 => true,
        // The later parts of a dotted name are no host.
        b'.' if matches!(left, b'.' | b'/') && end - start != 21 && first != b'e' && mask & HIGH == 0 => {
            is_day_or_month(line, start, end)
        }
        b'.' => is_word(at(line, end + 1)),
        b':' | b'-' => mask & NOT_HEX == 0 || first == b'i' || next == b'-' && end - start <= 8,
        b',' | b' ' => {
            let known = is_day_or_month(line, start, end);
            // Accounts are looked for by what stands before them, however they go on.
            let account = left == b'=' || left == b' ' && start >= 2 && line[start - 2] == b'r';
            known || account && first.is_ascii_uppercase() && (3..=9).contains(&(end - start))
        }
        _ => false,
    }
}

/// Whether more than the text up to the next space counts for this word: it may begin a date, or be an account before
/// two spaces of which one will stay.
pub(super) fn looks_far(here: &Word<'_>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let spaced = here.next() == b'\t' || here.next() == b' ' && blank(at(here.line, here.end + 1));
    spaced && matches!(here.before, [.., b'r' | b'n', b' ' | b'='])
        || is_day_or_month(here.line, here.start, here.end)
        || here.mask == DIGIT && precedes_month(here)
}

/// `04/Mar`: whether it is a date hangs on all that follows.
fn precedes_month(here: &Word<'_>) -> bool {
    let start = here.end + 1;
    at(here.line, start).is_ascii_uppercase() && is_day_or_month(here.line, start, word(here.line, start).0)
}

fn is_day_or_month(line: &[u8], start: usize, end: usize) -> bool {
    line[start].is_ascii_uppercase() && time::is_day_or_month(&line[start..end])
}
