//! Defines the ordered table of placeholders, in which the first match wins. `walk` searches the table for the words of
//! a line.

pub(super) mod duration;
pub(super) mod ids;
mod machines;
pub(super) mod net;
mod numbered_names;
pub(super) mod numbers;
pub(super) mod paths;
mod table;

use super::word_context::{Replacement, WordContext};
use crate::{
    output::line_decorations::time,
    text::bytes::{
        ByteSet, DIGIT, HEXADECIMAL, LOWER, LOWER_HEX, NON_ASCII, UPPER, UPPER_HEX, WORD, byte_at, is_one_of,
        is_word_byte, scan_word,
    },
};
use numbers::NumberRole;
use table::{LONG_WORD_BYTES, PlaceholderTable};

/// A kind of text that changes from run to run. The fields describe the words at which `find` may match, so that most
/// words are rejected without calling `find`.
#[derive(Clone, Copy)]
pub(super) struct PlaceholderRule {
    /// Name of the kind. A test requires a vector for each name.
    #[cfg_attr(not(test), expect(dead_code, reason = "a reader of the table needs the names"))]
    pub(super) name: &'static str,
    /// Kinds of words at which a match may start.
    kinds: u8,
    /// Bytes that may follow the word. Empty for any byte.
    after: &'static str,
    /// Bytes that may be before the word in the output. Empty for any byte.
    before: &'static str,
    /// Minimum and maximum length of the word in bytes.
    length: (usize, usize),
    /// Classes that the word's bytes may have.
    classes: u8,
    /// The word must contain a byte of one of these classes. 0 for no condition.
    required_classes: u8,
    /// Set for a number with a unit.
    needs_unit: bool,
    /// Set for the last entry for numbers, which most numbers reach.
    is_number_fallback: bool,
    find: fn(&WordContext<'_>) -> Option<Replacement>,
}

/// Words of digits only.
const DIGIT_WORDS: u8 = 1;
/// Other words that start with a digit.
const DIGIT_FIRST_WORDS: u8 = 1 << 1;
/// Words that start with a letter and contain a digit.
const LETTER_FIRST_WORDS_WITH_DIGIT: u8 = 1 << 2;
/// Words without a digit.
const WORDS_WITHOUT_DIGIT: u8 = 1 << 3;

/// Creates an entry that matches at any word, with any byte before and after the word.
const fn placeholder(name: &'static str, find: fn(&WordContext<'_>) -> Option<Replacement>) -> PlaceholderRule {
    PlaceholderRule {
        name,
        kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
        after: "",
        before: "",
        length: (1, LONG_WORD_BYTES),
        classes: WORD,
        required_classes: 0,
        needs_unit: false,
        is_number_fallback: false,
        find,
    }
}

const UUID: PlaceholderRule = PlaceholderRule {
    after: "-",
    length: (8, 8),
    classes: HEXADECIMAL,
    ..placeholder("uuid", |h| ids::uuid_end(h.line, h.start).map(|e| Replacement::new(e, "<UUID>")))
};
const TRACE_ID: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    after: "-",
    length: (1, 2),
    ..placeholder("trace", |h| ids::trace_end(h.line, h.start).map(|e| Replacement::new(e, "<TRACE>")))
};
const MAC_ADDRESS: PlaceholderRule = PlaceholderRule {
    after: ":-",
    length: (2, 2),
    classes: HEXADECIMAL,
    ..placeholder("mac", |h| net::mac_end(h.line, h.start).map(|e| Replacement::new(e, "<MAC>")))
};
const PCI_ADDRESS: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    after: ":",
    length: (4, 4),
    classes: HEXADECIMAL,
    ..placeholder("pci address", |h| machines::pci_address_end(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const RACK_LOCATION: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT,
    after: "-",
    length: (3, 3),
    classes: DIGIT | UPPER,
    ..placeholder("place in a rack", |h| {
        machines::rack_location_end(h.line, h.start).map(|e| Replacement::new(e, "<ID>"))
    })
};
const IPV4: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    after: ".",
    length: (1, 3),
    classes: DIGIT,
    ..placeholder("ipv4", |h| net::ipv4_end(h.line, h.start).map(|e| Replacement::new(e, "<IP>")))
};
const IPV6: PlaceholderRule =
    PlaceholderRule { after: ":", length: (1, 4), classes: HEXADECIMAL, ..placeholder("ipv6", match_ipv6) };
const DATE: PlaceholderRule = PlaceholderRule { kinds: DIGIT_FIRST_WORDS, ..placeholder("timestamp", match_timestamp) };
const LOG_HEADER: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT,
    after: " ",
    length: (5, 5),
    classes: DIGIT | UPPER | UPPER_HEX,
    required_classes: DIGIT,
    ..placeholder("log header", match_log_header)
};
const HEX: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS,
    length: (3, LONG_WORD_BYTES),
    required_classes: LOWER | UPPER,
    ..placeholder("hex", match_prefixed_hex)
};
const DURATION: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    needs_unit: true,
    ..placeholder("duration", match_duration)
};
const SIZE: PlaceholderRule =
    PlaceholderRule { kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS, needs_unit: true, ..placeholder("size", match_size) };
const PERCENT: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    needs_unit: true,
    ..placeholder("percent", match_percent)
};
const VERSION: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    after: ".",
    classes: DIGIT,
    ..placeholder("version", match_version)
};
const HASH: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT,
    length: (4, LONG_WORD_BYTES),
    classes: HEXADECIMAL,
    ..placeholder("hash", match_hash)
};
/// A nano ID that is a single word of 21 bytes.
const NANO_ID: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    length: (21, 21),
    ..placeholder("nano id", match_nano_id)
};
/// A nano ID that `-` or `_` splits into words.
const JOINED_NANO_ID: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    after: "-_",
    ..placeholder("nano id", match_joined_nano_id)
};
/// A nano ID before a letter outside ASCII, which belongs to the same word.
const NANO_ID_BEFORE_UNICODE: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    required_classes: NON_ASCII,
    ..placeholder("nano id", match_nano_id)
};
/// Base64 in a single word must contain a capital letter, because otherwise it is a hex digest.
const BASE64: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT,
    length: (LONG_WORD_BYTES, LONG_WORD_BYTES),
    required_classes: UPPER | UPPER_HEX,
    ..placeholder("base64", match_base64)
};
const JOINED_BASE64: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT,
    after: "-_=+/",
    ..placeholder("base64", match_base64)
};
const JWT: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    after: ".-_=",
    length: (3, LONG_WORD_BYTES),
    required_classes: UPPER,
    ..placeholder("jwt", |h| ids::jwt_end(h.line, h.start).map(|e| Replacement::new(e, "<JWT>")))
};
const TRUNCATED_UUID: PlaceholderRule = PlaceholderRule {
    after: "-",
    length: (1, 8),
    classes: HEXADECIMAL,
    ..placeholder("cut uuid", match_truncated_uuid)
};
const RANDOM_ID: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT,
    length: (8, LONG_WORD_BYTES),
    ..placeholder("random id", match_random_id)
};
const RANDOM_SUFFIX: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS | LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    before: "-",
    length: (4, LONG_WORD_BYTES),
    ..placeholder("random suffix", match_random_suffix)
};
/// `Message@1b2c3d4f`, `<func[12 chars]c20>`: some of these words have no letter and some have no digit.
const OBJECT_IDENTITY: PlaceholderRule = PlaceholderRule {
    before: "@]",
    length: (1, 16),
    classes: HEXADECIMAL,
    ..placeholder("object identity", match_object_identity)
};
const CLOUD_ID: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    after: "-",
    length: (1, 8),
    classes: LOWER | LOWER_HEX,
    ..placeholder("cloud id", |h| net::cloud_id_end(h.line, h.start).map(|e| Replacement::new(e, "<ID>")))
};
const HOST: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    after: ".-",
    ..placeholder("host", match_host)
};
const BOOL: PlaceholderRule =
    PlaceholderRule { kinds: WORDS_WITHOUT_DIGIT, before: "=", length: (4, 5), ..placeholder("bool", match_boolean) };
const ISO_DURATION: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT,
    required_classes: UPPER,
    ..placeholder("iso duration", |h| {
        duration::iso_duration_end(h.line, h.start).map(|e| Replacement::new(e, "<DURATION>"))
    })
};
const USER: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT | WORDS_WITHOUT_DIGIT,
    before: " =",
    ..placeholder("user", match_user)
};
const NUMBER: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS,
    is_number_fallback: true,
    ..placeholder("number", numbered_names::replace_number)
};
const NUMBERED_NAME: PlaceholderRule = PlaceholderRule {
    kinds: LETTER_FIRST_WORDS_WITH_DIGIT,
    ..placeholder("numbered name", numbered_names::replace_numbered_name)
};
const NAME_WITH_LEADING_DIGITS: PlaceholderRule = PlaceholderRule {
    kinds: DIGIT_FIRST_WORDS,
    ..placeholder("name that begins with digits", numbered_names::replace_digit_first_name)
};

pub(super) static PLACEHOLDERS: PlaceholderTable<38> = PlaceholderTable::new([
    UUID,
    TRACE_ID,
    // These come before `timestamp`, because `02:42:ac:11:00:02` starts like a time of day and `0000:06:07.0` continues
    // like a time of day.
    MAC_ADDRESS,
    PCI_ADDRESS,
    // This comes before `hash` and the names, because a log header looks like a code.
    LOG_HEADER,
    IPV6,
    // This comes before `ipv4` and `number`, because otherwise `2006.01.02` would become three numbers.
    DATE,
    PlaceholderRule { kinds: DIGIT_WORDS, after: ":-/.", length: (1, 4), ..DATE },
    PlaceholderRule { kinds: DIGIT_WORDS, after: " ", length: (1, 2), ..DATE },
    PlaceholderRule { kinds: DIGIT_WORDS, after: "-/. _", length: (8, 8), ..DATE },
    // A date needs the text after the word, because `Mon` and `May` alone are words.
    PlaceholderRule {
        kinds: WORDS_WITHOUT_DIGIT,
        after: " ,",
        length: (3, 9),
        required_classes: UPPER | UPPER_HEX,
        ..DATE
    },
    IPV4,
    PlaceholderRule { kinds: DIGIT_WORDS | DIGIT_FIRST_WORDS, ..HOST },
    HEX,
    // These come before `hash`, because of `30d` and `1500ms`.
    DURATION,
    SIZE,
    PERCENT,
    VERSION,
    OBJECT_IDENTITY,
    // These come before `host`, `base64`, `hash` and `random id`, which would match only a part of the text.
    JWT,
    NANO_ID,
    JOINED_NANO_ID,
    NANO_ID_BEFORE_UNICODE,
    BASE64,
    JOINED_BASE64,
    CLOUD_ID,
    RACK_LOCATION,
    HOST,
    TRUNCATED_UUID,
    HASH,
    RANDOM_ID,
    RANDOM_SUFFIX,
    BOOL,
    USER,
    ISO_DURATION,
    // The other words with digits are numbers, names with a number (`worker12`) or codes (`E0308`).
    NUMBER,
    NUMBERED_NAME,
    NAME_WITH_LEADING_DIGITS,
]);

/// Matches an IPv6 address. Also replaces the brackets of the loopback address before a port, because `localhost` may
/// be `127.0.0.1` in the next run.
fn match_ipv6(here: &WordContext<'_>) -> Option<Replacement> {
    let end = net::ipv6_end(here.line, here.start)?;
    let brackets = usize::from(here.previous() == b'[' && net::is_bracketed_loopback(here.line, here.start, end));
    Some(Replacement { replaced_bytes_before: brackets, ..Replacement::new(end + brackets, "<IP>") })
}

fn match_timestamp(here: &WordContext<'_>) -> Option<Replacement> {
    // A date without a separator after the first digits must have the form `20060102T150405`.
    let compact = here.end - here.start > 8 && here.line[here.start + 8] == b'T';
    let possible = match here.byte_classes & DIGIT {
        0 => is_day_or_month(here.line, here.start, here.end),
        _ => (here.byte_classes == DIGIT || compact) && time::may_start_timestamp(here.line, here.start),
    };
    if !possible {
        return None;
    }
    // Excludes `file.ts:10:30`, which is a place in a file, and `1.10:30`, which is a part of a number.
    if matches!(here.previous(), b':' | b'.')
        && here.before.iter().rev().nth(1).is_some_and(|&byte| byte != b':' && byte != b' ' && is_word_byte(byte))
    {
        return None;
    }
    let end = time::timestamp_end(here.line, here.start)?;
    let host = if here.start == 0 { machines::syslog_host_end(here.line, end) } else { None };
    Some(host.map_or_else(|| Replacement::new(end, "<TIMESTAMP>"), |host| Replacement::new(host, "<TIMESTAMP> <HOST>")))
}

/// Matches the hash of an object. Java prints an object without `toString` as its type and its hash.
fn match_object_identity(here: &WordContext<'_>) -> Option<Replacement> {
    // Python's unittest shortens `<function total at 0x7f12c20>` to `<func[12 chars]c20>`.
    if here.previous() == b']' {
        return here.before.ends_with(b" chars]").then(|| Replacement::new(here.end, "<HEX>"));
    }
    let owner = here.before.iter().rev().nth(1).filter(|_| here.end - here.start >= 5);
    let ends = !matches!(here.next(), b'.' | b'-' | b'@' | b'/');
    (ends && owner.is_some_and(|&byte| is_word_byte(byte) || matches!(byte, b';' | b'$')))
        .then(|| Replacement::new(here.end, "<HASH>"))
}

/// Matches the log header of glog and klog, for example `E0102 15:04:05.000000`: the letter is the level, and the date
/// has no year.
fn match_log_header(here: &WordContext<'_>) -> Option<Replacement> {
    let level = matches!(here.word()[0], b'I' | b'W' | b'E' | b'F');
    let end = time::month_day_clock_end(here.line, here.start + 1)
        .filter(|_| level && here.word()[1..].iter().all(u8::is_ascii_digit))?;
    Some(Replacement { kept_bytes: 1, ..Replacement::new(end, "<TIMESTAMP>") })
}

/// Matches hexadecimal numbers except for the status codes of Windows (`0x80070005`, `0xC0000005`), which identify the
/// failure.
fn match_prefixed_hex(here: &WordContext<'_>) -> Option<Replacement> {
    let end = ids::prefixed_hex_end(here.line, here.start)?;
    let code = end - here.start == 10 && matches!(byte_at(here.line, here.start + 2), b'8' | b'c' | b'C');
    if code && numbers::find_number_role(here.line, end, end, here.before) == NumberRole::Code {
        return Some(Replacement::keep_until(here, end));
    }
    Some(Replacement::new(end, "<HEX>"))
}

fn match_nano_id(here: &WordContext<'_>) -> Option<Replacement> {
    ids::nano_id_end(here.line, here.start).map(|end| Replacement::new(end, "<ID>"))
}

/// Matches a nano ID of several words. Excludes a first word with letters of a single case, which is a name before an
/// ID, for example `req_8fK2…`.
fn match_joined_nano_id(here: &WordContext<'_>) -> Option<Replacement> {
    let upper = here.byte_classes & (UPPER | UPPER_HEX) != 0;
    let lower = here.byte_classes & (LOWER | LOWER_HEX) != 0;
    if here.byte_classes & DIGIT == 0 && upper != lower { None } else { match_nano_id(here) }
}

fn match_base64(here: &WordContext<'_>) -> Option<Replacement> {
    ids::base64_end(here.line, here.start).map(|end| Replacement::new(end, "<BASE64>"))
}

fn match_truncated_uuid(here: &WordContext<'_>) -> Option<Replacement> {
    ids::truncated_uuid_end(here.line, here.start).map(|end| Replacement::new(end, "<UUID>"))
}

fn match_duration(here: &WordContext<'_>) -> Option<Replacement> {
    duration::duration_end(here.line, here.start).map(|end| Replacement::new(end, "<DURATION>"))
}

fn match_size(here: &WordContext<'_>) -> Option<Replacement> {
    numbers::size_end(here.line, here.start).map(|end| Replacement::new(end, "<SIZE>"))
}

fn match_percent(here: &WordContext<'_>) -> Option<Replacement> {
    let end = numbers::decimal_number_end(here.line, here.start);
    (byte_at(here.line, end) == b'%').then(|| Replacement::new(end + 1, "<PERCENT>"))
}

fn match_version(here: &WordContext<'_>) -> Option<Replacement> {
    numbers::version_end(here.line, here.start).map(|end| Replacement::new(end, "<VERSION>"))
}

fn match_hash(here: &WordContext<'_>) -> Option<Replacement> {
    ids::is_hash(here.word(), here.byte_classes).then(|| Replacement::new(here.end, "<HASH>"))
}

fn match_random_id(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    ids::is_random_id(word, here.byte_classes).then(|| Replacement::new(here.end, "<ID>"))
}

/// Matches a random suffix after `-`. Also replaces the name of a node before the suffix, because the cluster generated
/// this name.
fn match_random_suffix(here: &WordContext<'_>) -> Option<Replacement> {
    static NAME: ByteSet = ByteSet::of_classes(WORD, "-<>");
    // The last part of a pod's name may have no digit, but then the part before the last part has a digit.
    let letters = here.before.ends_with(b">-") && ids::is_cluster_suffix(here.word());
    if !letters && !ids::is_random_suffix(here.word(), here.byte_classes) {
        return None;
    }
    let name = here.before.iter().rev().take_while(|&&byte| NAME.has(byte)).count();
    let node = here.before[..here.before.len() - name].ends_with(b"node ");
    Some(Replacement { replaced_bytes_before: if node { name } else { 0 }, ..Replacement::new(here.end, "<ID>") })
}

fn match_host(here: &WordContext<'_>) -> Option<Replacement> {
    if matches!(here.previous(), b'.' | b'-' | b'_' | b'/' | b'\\' | b'$') {
        return None;
    }
    net::host_end(here.line, here.start).map(|end| Replacement::new(end, "<HOST>"))
}

/// Matches the value of a field, as in `flag=false`, but not `False` in a sentence.
fn match_boolean(here: &WordContext<'_>) -> Option<Replacement> {
    let value = !here.before.ends_with(b"==") && !here.before.ends_with(b"!=");
    (value && is_one_of(here.word(), &["true", "false"])).then(|| Replacement::new(here.end, "<BOOL>"))
}

/// Matches account names in messages about logins: `for user bob by`, `invalid user bob from`, `for bob from 10.0.0.1`,
/// `user=bob`.
fn match_user(here: &WordContext<'_>) -> Option<Replacement> {
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
    let address = before.ends_with(b" for ") && rest.starts_with(b" from ") && byte_at(rest, 6).is_ascii_digit();
    (field || named && goes_on || address).then(|| Replacement::new(here.end, "<USER>"))
}

/// Checks whether a placeholder may depend on text after the next space: the word may start a date, or be an account
/// before two spaces that become one.
pub(super) fn needs_lookahead(here: &WordContext<'_>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let spaced = here.next() == b'\t' || here.next() == b' ' && blank(byte_at(here.line, here.end + 1));
    spaced && matches!(here.before, [.., b'r' | b'n', b' ' | b'='])
        || is_day_or_month(here.line, here.start, here.end)
        || here.byte_classes == DIGIT && may_precede_month(here)
}

/// `04/Mar` is a date only if the rest of a date follows.
fn may_precede_month(here: &WordContext<'_>) -> bool {
    let start = here.end + 1;
    byte_at(here.line, start).is_ascii_uppercase() && is_day_or_month(here.line, start, scan_word(here.line, start).0)
}

fn is_day_or_month(line: &[u8], start: usize, end: usize) -> bool {
    line[start].is_ascii_uppercase() && time::is_day_or_month(&line[start..end])
}
