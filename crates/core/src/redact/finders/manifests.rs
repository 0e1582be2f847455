//! Redacts Kubernetes secrets: all values of `data` and `stringData` in an object of the kind `Secret`, in YAML and
//! JSON.

use crate::redact::{
    assign::assignment::value_at,
    judge::{names::Tier, value},
    scan::{BLANK, ByteSet, Scan},
};

static SPACE: ByteSet = ByteSet::new(" \t\r\n");

fn line_start(scan: &Scan<'_>, at: usize) -> usize {
    let from = at.saturating_sub(256);
    scan.slice(from, at).iter().rposition(|&byte| byte == b'\n').map_or(from, |line| from + line + 1)
}

fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.byte_at(scan.run_end(at, &BLANK, 80)), 0 | b'\n' | b'\r')
}

/// Redacts `data` and `stringData` of the object with `kind: Secret`. The data may be before the kind, because kubectl
/// sorts the keys.
pub(super) fn redact_yaml_secret(scan: &mut Scan<'_>, hit: usize) {
    let line = line_start(scan, hit);
    let own = ManifestLine::read(scan, line);
    if own.start == hit && ends_line(scan, hit + "kind: Secret".len()) {
        let start = find_manifest_start(scan, line, own.depth);
        redact_manifest_data(scan, start, line, own.depth);
    }
}

/// Maximum length of a manifest.
const MAX_MANIFEST_BYTES: usize = 64 * 1024;

struct ManifestLine<'t> {
    /// Indentation of the key in bytes, including the `- ` before the first key of an object in a list.
    depth: usize,
    is_item: bool,
    /// Position of the key.
    start: usize,
    next: usize,
    words: &'t [u8],
}

impl<'t> ManifestLine<'t> {
    fn read(scan: &Scan<'t>, line: usize) -> Self {
        let blank = scan.run_end(line, &BLANK, 80);
        let is_item = scan.starts_with(blank, b"- ");
        let start = if is_item { scan.run_end(blank + 1, &BLANK, 80) } else { blank };
        let next = next_line(scan, line);
        Self { depth: start - line, is_item, start, next, words: scan.slice(start, next).trim_ascii() }
    }

    /// Checks whether an object of this depth ends before this line.
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

/// Returns the start of the object whose kind is on the line `own`. Stops at another `kind`, because that line belongs
/// to another object.
fn find_manifest_start(scan: &Scan<'_>, own: usize, depth: usize) -> usize {
    let limit = own.saturating_sub(MAX_MANIFEST_BYTES);
    let mut start = own;
    while start > limit && !ManifestLine::read(scan, start).is_item {
        let previous = memchr::memrchr(b'\n', scan.slice(limit, start - 1)).map_or(limit, |at| limit + at + 1);
        let line = ManifestLine::read(scan, previous);
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

/// Redacts `data` and `stringData` of the object that starts at `start` and whose kind is on the line `own`.
fn redact_manifest_data(scan: &mut Scan<'_>, start: usize, own: usize, depth: usize) {
    let end = scan.text.len().min(own + MAX_MANIFEST_BYTES);
    let (mut at, mut is_secret) = (start, false);
    while at < end {
        let line = ManifestLine::read(scan, at);
        let is_next_item = line.is_item && line.depth == depth && at > start;
        if line.is_outside(depth) || is_next_item || (at != own && line.is_key(depth, b"kind: ")) {
            break;
        }
        if line.depth == depth && !line.words.is_empty() {
            is_secret = matches!(line.words, b"data:" | b"stringData:");
        } else if is_secret {
            redact_entry(scan, line.start, line.next);
        }
        at = line.next;
    }
}

/// Redacts the value of `name: value`. The first line of a multi-line value has no value.
fn redact_entry(scan: &mut Scan<'_>, start: usize, end: usize) {
    let line = scan.slice(start, end);
    let colon = line.windows(2).position(|two| two == b": ");
    let from = colon.map_or(start, |at| scan.run_end(start + at + 1, &BLANK, 40));
    let name_only = line.trim_ascii_end().ends_with(b":") || line.trim_ascii_end().ends_with(b"|");
    if let Some(found) = value_at(scan, from).filter(|_| !name_only) {
        let text = scan.slice(found.start, found.end);
        if !value::is_placeholder(text) {
            scan.add_by_name(Tier::Secret.kind(), found.start, found.end);
        }
    }
}

/// Redacts `data` and `stringData` of the JSON object around `"kind": "Secret"`.
pub(super) fn redact_json_secret(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.manifests_done {
        return;
    }
    let (start, end) = (object_start(scan, hit), object_end(scan, hit));
    for label in [&b"\"data\":"[..], b"\"stringData\":"] {
        for at in memchr::memmem::find_iter(scan.slice(start, end), label) {
            let open = scan.run_end(start + at + label.len(), &SPACE, 8);
            if scan.byte_at(open) == b'{' {
                redact_members(scan, open + 1);
            }
        }
    }
    scan.manifests_done = end;
}

/// Returns the start of the object that contains `member`. Also counts braces in strings.
fn object_start(scan: &Scan<'_>, member: usize) -> usize {
    let limit = member.saturating_sub(MAX_MANIFEST_BYTES).max(scan.manifests_done);
    find_object_edge(scan, (limit..member).rev(), b'{', b'}').unwrap_or(member)
}

/// Returns the end of the object that contains `member`.
fn object_end(scan: &Scan<'_>, member: usize) -> usize {
    let limit = scan.text.len().min(member + MAX_MANIFEST_BYTES);
    find_object_edge(scan, member..limit, b'}', b'{').unwrap_or(limit)
}

/// Returns the first `edge` that is not matched by an `other` before it.
fn find_object_edge(scan: &Scan<'_>, places: impl Iterator<Item = usize>, edge: u8, other: u8) -> Option<usize> {
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

fn redact_members(scan: &mut Scan<'_>, from: usize) {
    let mut at = from;
    for _ in 0..64 {
        let name = scan.run_end(at, &MEMBER_BREAK, 80);
        let Some(label) = value_at(scan, name).filter(|label| label.quoted) else { return };
        let colon = scan.run_end(label.end + 1, &SPACE, 8);
        let Some(found) = value_at(scan, scan.run_end(colon + 1, &SPACE, 8)) else { return };
        if scan.byte_at(colon) != b':' || !found.quoted {
            return;
        }
        scan.add_by_name(Tier::Secret.kind(), found.start, found.end);
        at = found.end + 1;
    }
}

static MEMBER_BREAK: ByteSet = ByteSet::new(" \t\r\n,");
