//! Lines of files and protocols that hold a password by their form: `.pgpass`, `.netrc`, POP and IMAP, LDAP, a Secret.
//! Lines that name what they hold are read by `assign`.

use crate::redact::{
    assign::assignment::{ValueSpan, value_at},
    judge::{names::Tier, told, value},
    scan::{BLANK, Scan, Set},
};

static SPACE: Set = Set::new(" \t\r\n");
static FIELD: Set = Set::new("A-Za-z0-9_.*/@-");

fn redact_value(scan: &mut Scan<'_>, start: usize, end: usize, least: usize) {
    let text = scan.slice(start, end);
    if text.len() >= least && !value::is_placeholder(text) && !value::is_prose(text) {
        scan.add_by_name(Tier::Password.kind(), start, end);
    }
}

fn line_start(scan: &Scan<'_>, at: usize) -> usize {
    let from = at.saturating_sub(256);
    scan.slice(from, at).iter().rposition(|&byte| byte == b'\n').map_or(from, |line| from + line + 1)
}

fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.at(scan.run(at, &BLANK, 80)), 0 | b'\n' | b'\r')
}

/// `host:port:database:user:password`, of which the middle three are names or `*`.
pub(super) fn pgpass(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &FIELD, 128);
    let mut at = start;
    let mut fields = 0;
    while fields < 4 {
        let end = scan.run(at, &FIELD, 128);
        let text = scan.slice(at, end);
        let number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if end == at || scan.at(end) != b':' || (number != (fields == 1) && text != b"*") {
            return;
        }
        at = end + 1;
        fields += 1;
    }
    let end = (at..scan.text.len()).find(|&index| SPACE.has(scan.text[index])).unwrap_or(scan.text.len());
    let text = scan.slice(at, end);
    if ends_line(scan, end) && !text.contains(&b':') && !text.iter().all(u8::is_ascii_digit) {
        redact_value(scan, at, end, 4);
    }
}

/// `login x password y` of a `.netrc`.
pub(super) fn netrc(scan: &mut Scan<'_>, hit: usize) {
    let Some((between, found)) = password_after(scan, hit + "login".len()) else { return };
    let text = scan.slice(found.start, found.end);
    // `login failed password incorrect` is a sentence; a file names its machine, or the value cannot be a word.
    let before = scan.slice(hit.saturating_sub(128), hit);
    let machine = memchr::memmem::find(before, b"machine ").is_some() || before.ends_with(b"default ");
    if between == 1 && (machine || value::is_random(text)) {
        redact_value(scan, found.start, found.end, 4);
    }
}

/// The same whose lines stand in another order: `password x` before or behind its `machine`.
pub(super) fn netrc_machine(scan: &mut Scan<'_>, hit: usize) {
    let line = line_start(scan, hit);
    if scan.run(line, &BLANK, 80) != hit {
        return;
    }
    let previous = line_start(scan, line.saturating_sub(1));
    let word = scan.run(previous, &BLANK, 80);
    if word > previous && scan.starts_with(word, b"password ") {
        let start = scan.run(word + "password".len(), &BLANK, 8);
        let end = scan.run(start, &NOT_SPACE, 256);
        if ends_line(scan, end) {
            redact_value(scan, start, end, 4);
        }
    }
}

static NOT_SPACE: Set = Set::new("!-~");

/// The next `password x`, and how many words stand before it.
fn password_after(scan: &Scan<'_>, from: usize) -> Option<(usize, ValueSpan)> {
    let window = scan.slice(from, from + 256);
    let at = memchr::memmem::find(window, b"password")?;
    let after = from + at + "password".len();
    let start = scan.run(after, &SPACE, 8);
    let words = window[..at].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let found = value_at(scan, start).filter(|_| start > after)?;
    Some((words, found))
}

/// `PASS x` after `USER y`.
pub(super) fn pop(scan: &mut Scan<'_>, hit: usize) {
    if !scan.starts_with(hit, b"PASS ") || line_start(scan, hit) != hit {
        return;
    }
    let previous = line_start(scan, hit.saturating_sub(1));
    let start = hit + "PASS ".len();
    let end = scan.run(start, &NOT_SPACE, 256);
    if scan.starts_with(previous, b"USER ") && previous < hit && ends_line(scan, end) {
        redact_value(scan, start, end, 4);
    }
}

/// `a1 LOGIN bob x` of IMAP: a tag of letters and digits, a user, a password.
pub(super) fn imap(scan: &mut Scan<'_>, hit: usize) {
    if !scan.starts_with(hit, b" LOGIN ") || !scan.before(hit).is_ascii_digit() {
        return;
    }
    let user = hit + " LOGIN ".len();
    let user_end = scan.run(user, &NOT_SPACE, 128);
    let start = scan.run(user_end, &BLANK, 2);
    let Some(found) = value_at(scan, start).filter(|_| start > user_end && user_end > user) else { return };
    if ends_line(scan, found.end + usize::from(found.quoted)) {
        redact_value(scan, found.start, found.end, 4);
    }
}

/// `enable password 7 x` of a router: how it is hidden, then the password.
pub(super) fn leveled(scan: &mut Scan<'_>, hit: usize) {
    let word = scan.run(hit, &FIELD, 16);
    let start = word + " 0 ".len();
    let end = scan.run(start, &NOT_SPACE, 128);
    if ends_line(scan, end) {
        redact_value(scan, start, end, 4);
    }
}

/// `/msg NickServ IDENTIFY x`.
pub(super) fn nickserv(scan: &mut Scan<'_>, hit: usize) {
    let before = scan.slice(hit.saturating_sub(16), hit).to_ascii_lowercase();
    if memchr::memmem::find(&before, b"nickserv").is_some() {
        let start = hit + "identify ".len();
        redact_value(scan, start, scan.run(start, &NOT_SPACE, 128), 4);
    }
}

/// `cn=admin,dc=example,dc=com:x`, `... password x`.
pub(super) fn ldap_login(scan: &mut Scan<'_>, hit: usize) {
    let end = scan.run(hit, &DISTINGUISHED, 256);
    if scan.slice(hit + 3, end).contains(&b'=') {
        return;
    }
    if scan.at(end) == b':' {
        let value_end = scan.run(end + 1, &NOT_SPACE, 128);
        let text = scan.slice(end + 1, value_end);
        if value_end > end + 1 && (told::is_mixed(text) || ends_line(scan, value_end)) && !text.contains(&b'=') {
            redact_value(scan, end + 1, value_end, 4);
        }
    } else if scan.starts_with(end, b" password ") {
        let start = end + " password ".len();
        let value_end = scan.run(start, &NOT_SPACE, 128);
        redact_value(scan, start, value_end, 4);
    }
}

static DISTINGUISHED: Set = Set::new("A-Za-z0-9=_-");

/// `user alice on >x` of a Redis access list.
pub(super) fn acl(scan: &mut Scan<'_>, hit: usize) {
    let before = scan.slice(hit.saturating_sub(80), hit).to_ascii_lowercase();
    let user = [&b"user "[..], b"setuser "].iter().any(|word| memchr::memmem::find(&before, word).is_some());
    let start = hit + " on >".len();
    let end = scan.run(start, &NOT_SPACE, 128);
    if user {
        redact_value(scan, start, end, 3);
    }
}

/// `kind: Secret`: whatever stands under `data` and `stringData` of the same object, before its kind or behind it, for
/// kubectl prints the keys in the order of the alphabet.
pub(super) fn secret_manifest(scan: &mut Scan<'_>, hit: usize) {
    let line = line_start(scan, hit);
    let own = ManifestLine::at(scan, line);
    if own.start == hit && ends_line(scan, hit + "kind: Secret".len()) {
        let start = manifest_start(scan, line, own.depth);
        manifest_entries(scan, start, line, own.depth);
    }
}

/// A manifest is smaller.
const MAX_MANIFEST_BYTES: usize = 64 * 1024;

/// A line of YAML.
struct ManifestLine<'t> {
    /// How far its key is indented; `- ` before the first key of an object in a list counts.
    depth: usize,
    is_item: bool,
    /// Where its key begins.
    start: usize,
    next: usize,
    words: &'t [u8],
}

impl<'t> ManifestLine<'t> {
    fn at(scan: &Scan<'t>, line: usize) -> Self {
        let blank = scan.run(line, &BLANK, 80);
        let is_item = scan.starts_with(blank, b"- ");
        let start = if is_item { scan.run(blank + 1, &BLANK, 80) } else { blank };
        let next = next_line(scan, line);
        Self { depth: start - line, is_item, start, next, words: scan.slice(start, next).trim_ascii() }
    }

    /// An object of this depth does not go on here.
    fn is_outside(&self, depth: usize) -> bool {
        let is_separator = self.depth == 0 && self.words.starts_with(b"---");
        is_separator || (self.depth < depth && !self.words.is_empty())
    }

    fn is_key(&self, depth: usize, key: &[u8]) -> bool {
        self.depth == depth && self.words.starts_with(key)
    }
}

fn next_line(scan: &Scan<'_>, from: usize) -> usize {
    memchr::memchr(b'\n', scan.slice(from, scan.text.len())).map_or(scan.text.len(), |at| from + at + 1)
}

/// Where the object begins whose kind stands on this line. A `kind` on the way is that of another object, and nothing
/// shows where that one ends.
fn manifest_start(scan: &Scan<'_>, own: usize, depth: usize) -> usize {
    let limit = own.saturating_sub(MAX_MANIFEST_BYTES);
    let mut start = own;
    while start > limit && !ManifestLine::at(scan, start).is_item {
        let previous = memchr::memrchr(b'\n', scan.slice(limit, start - 1)).map_or(limit, |at| limit + at + 1);
        let line = ManifestLine::at(scan, previous);
        if line.is_outside(depth) {
            return start;
        }
        if line.is_key(depth, b"kind: ") {
            return own;
        }
        start = previous;
        if line.is_key(depth, b"apiVersion: ") {
            return start;
        }
    }
    start
}

/// Redacts what the object that begins here has under `data` and `stringData`; its kind stands on the line `own`.
fn manifest_entries(scan: &mut Scan<'_>, start: usize, own: usize, depth: usize) {
    let end = scan.text.len().min(own + MAX_MANIFEST_BYTES);
    let (mut at, mut is_secret) = (start, false);
    while at < end {
        let line = ManifestLine::at(scan, at);
        let is_next_item = line.is_item && line.depth == depth && at > start;
        if line.is_outside(depth) || is_next_item || (at != own && line.is_key(depth, b"kind: ")) {
            break;
        }
        if line.depth == depth && !line.words.is_empty() {
            is_secret = matches!(line.words, b"data:" | b"stringData:");
        } else if is_secret {
            entry(scan, line.start, line.next);
        }
        at = line.next;
    }
}

/// `name: value`; a value of several lines has none on the first.
fn entry(scan: &mut Scan<'_>, start: usize, end: usize) {
    let line = scan.slice(start, end);
    let colon = line.windows(2).position(|two| two == b": ");
    let from = colon.map_or(start, |at| scan.run(start + at + 1, &BLANK, 40));
    let name_only = line.trim_ascii_end().ends_with(b":") || line.trim_ascii_end().ends_with(b"|");
    if let Some(found) = value_at(scan, from).filter(|_| !name_only) {
        let text = scan.slice(found.start, found.end);
        if !value::is_placeholder(text) {
            scan.add_by_name(Tier::Secret.kind(), found.start, found.end);
        }
    }
}

/// The same in JSON: whatever the object around `"kind": "Secret"` has under `data` and `stringData`.
pub(super) fn secret_json(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.manifests_done {
        return;
    }
    let (start, end) = (object_start(scan, hit), object_end(scan, hit));
    for label in [&b"\"data\":"[..], b"\"stringData\":"] {
        for at in memchr::memmem::find_iter(scan.slice(start, end), label) {
            let open = scan.run(start + at + label.len(), &SPACE, 8);
            if scan.at(open) == b'{' {
                members(scan, open + 1);
            }
        }
    }
    scan.manifests_done = end;
}

/// Where the object begins that a member of it stands in. Braces in texts are taken for the object's own.
fn object_start(scan: &Scan<'_>, member: usize) -> usize {
    let limit = member.saturating_sub(MAX_MANIFEST_BYTES).max(scan.manifests_done);
    object_edge(scan, (limit..member).rev(), b'{', b'}').unwrap_or(member)
}

/// Where it ends.
fn object_end(scan: &Scan<'_>, member: usize) -> usize {
    let limit = scan.text.len().min(member + MAX_MANIFEST_BYTES);
    object_edge(scan, member..limit, b'}', b'{').unwrap_or(limit)
}

/// The first `edge` of these places for which no `other` was passed before.
fn object_edge(scan: &Scan<'_>, places: impl Iterator<Item = usize>, edge: u8, other: u8) -> Option<usize> {
    let mut passed = 0_usize;
    for at in places {
        let byte = scan.text[at];
        if byte == other {
            passed += 1;
        } else if byte == edge && passed == 0 {
            return Some(at);
        } else if byte == edge {
            passed -= 1;
        }
    }
    None
}

fn members(scan: &mut Scan<'_>, from: usize) {
    let mut at = from;
    for _ in 0..64 {
        let name = scan.run(at, &MEMBER_BREAK, 80);
        let Some(label) = value_at(scan, name).filter(|label| label.quoted) else { return };
        let colon = scan.run(label.end + 1, &SPACE, 8);
        let Some(found) = value_at(scan, scan.run(colon + 1, &SPACE, 8)) else { return };
        if scan.at(colon) != b':' || !found.quoted {
            return;
        }
        scan.add_by_name(Tier::Secret.kind(), found.start, found.end);
        at = found.end + 1;
    }
}

static MEMBER_BREAK: Set = Set::new(" \t\r\n,");
