//! Walks one line once and writes it with placeholders. `output::lines` chooses the lines.

mod quotes;
mod settle;
mod stops;

use super::{
    placeholders::{self, PLACEHOLDERS, duration, ids, net, numbers, paths},
    word::{Replacement, WordContext},
};
use crate::{
    output::marks::time,
    text::bytes::{DIGIT, HIGH, LOWER, LOWER_HEX, Set, UPPER, UPPER_HEX, append, at, digits, is_word, run, word},
};
use quotes::Quotations;
use stops::{Stop, Stops};

/// Appends `line` with placeholders to `out`, and its exact HTTP statuses to `statuses`. `line` must be trimmed and
/// free of control characters.
pub(super) fn write_line(line: &[u8], out: &mut Vec<u8>, statuses: &mut Vec<u16>) -> WalkOutcome {
    let mut stops = Stops::new(line);
    WalkState::new(line, out, statuses).walk(|position| stops.from(position))
}

/// Like `write_line`, but stops at every byte; tests compare the two.
#[cfg(test)]
pub(super) fn write_line_slowly(line: &[u8], out: &mut Vec<u8>, statuses: &mut Vec<u16>) -> WalkOutcome {
    WalkState::new(line, out, statuses).walk(|position| {
        let before = line.get(position..).filter(|rest| !rest.is_empty()).and(line.get(..position))?;
        let word = position - before.iter().rev().take_while(|&&byte| is_word(byte)).count();
        Some(Stop { position, word })
    })
}

/// Properties of a written line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WalkOutcome {
    /// Another walk cannot change the line. Set if each word was plain, was replaced as a whole, or was rejected by all
    /// placeholders with no replacement in the text that touches it.
    pub(super) settled: bool,
    /// Blanks became one space, so the line changed outside placeholders too.
    pub(super) respaced: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each says something else of the line")]
struct WalkState<'a> {
    line: &'a [u8],
    position: usize,
    /// End of the input that is already in `out`.
    copied: usize,
    /// Start of this line in `out`.
    begin: usize,
    out: &'a mut Vec<u8>,
    statuses: &'a mut Vec<u16>,
    /// See `WalkOutcome`.
    settled: bool,
    respaced: bool,
    /// Start of the first rejected text that may extend into the next text; `usize::MAX` if there is none.
    open: usize,
    quotations: Quotations,
    /// Set if a three-digit number stayed, because next to a URL it may be an HTTP status.
    has_code: bool,
    has_url: bool,
}

impl<'a> WalkState<'a> {
    fn new(line: &'a [u8], out: &'a mut Vec<u8>, statuses: &'a mut Vec<u16>) -> Self {
        let begin = out.len();
        Self {
            line,
            position: 0,
            copied: 0,
            begin,
            out,
            statuses,
            settled: true,
            respaced: false,
            open: usize::MAX,
            quotations: Quotations::default(),
            has_code: false,
            has_url: false,
        }
    }

    /// Walks from stop to stop. `next` returns the first stop at or after a position.
    #[inline]
    fn walk(mut self, mut next: impl FnMut(usize) -> Option<Stop>) -> WalkOutcome {
        while let Some(Stop { position: stop, word }) = self.rest_of_word().or_else(|| next(self.position)) {
            let byte = self.line[stop];
            // Skip the part of the word that was already passed.
            let start = word.max(self.position);
            if is_word(byte) {
                self.word(start);
            } else if start < stop {
                if self.may_be_special(start, stop) {
                    self.word(start);
                } else {
                    self.position = stop;
                }
                // A byte that ends a word may also start something; then the next stop is that byte again.
                self.position += usize::from(self.position == stop && !self.may_begin(stop));
            } else {
                self.position = stop;
                self.symbol(byte);
            }
        }
        self.position = self.line.len();
        self.flush();
        WalkOutcome { settled: self.settled && !(self.has_code && self.has_url), respaced: self.respaced }
    }

    /// Returns the rest of a word after a placeholder, because the stops do not list it: `1.5GET /`.
    #[inline]
    fn rest_of_word(&self) -> Option<Stop> {
        let position = self.position;
        let inside = position > 0 && is_word(self.line[position - 1]);
        (inside && is_word(at(self.line, position))).then_some(Stop { position, word: position })
    }

    /// Checks cheaply whether a word without a digit may need more than copying, judged by the byte that ends it.
    #[inline]
    fn may_be_special(&self, start: usize, end: usize) -> bool {
        let (first, last, next) = (self.line[start], self.line[end - 1], at(self.line, end + 1));
        match self.line[end] {
            // Days, months and HTTP methods.
            b' ' | b',' => {
                let word = &self.line[start..end];
                time::is_day_or_month(word) || last.is_ascii_uppercase() && numbers::is_method(word)
            }
            // A value after `=` is handled when the walk reaches the value.
            b'=' => false,
            b':' => matches!(next, b'/' | b'\\') || last.is_ascii_hexdigit() || first == b'i',
            b'.' => is_word(next) || first.is_ascii_uppercase(),
            _ => true,
        }
    }

    /// Checks whether the byte after a word may start something.
    #[inline]
    fn may_begin(&self, position: usize) -> bool {
        let next = at(self.line, position + 1);
        match self.line[position] {
            b' ' => matches!(next, b' ' | b'\t'),
            b':' => next == b':',
            b'.' | b'-' | b'_' | b',' => false,
            _ => true,
        }
    }

    /// Copies the input that was passed without changes.
    #[inline]
    fn flush(&mut self) {
        if self.copied < self.position {
            append::append_part(self.out, self.line, self.copied, self.position);
            self.copied = self.position;
        }
    }

    /// Writes `text` in place of everything since the last flush, and continues at `end`.
    fn replace(&mut self, end: usize, text: &str) {
        self.changes(self.copied, end);
        append::append_short(self.out, text.as_bytes());
        self.position = end;
        self.copied = end;
    }

    /// Records that `start..end` will be replaced. A rejected word that touches it may be read differently in the next
    /// walk.
    fn changes(&mut self, start: usize, end: usize) {
        if self.open < start {
            self.settled &= !settle::runs_into(&self.line[self.open..start]);
            self.open = usize::MAX;
        }
        self.settled &= !is_word(at(self.line, end));
    }

    /// Records that the text at `start` stays as long as the text that it touches stays.
    fn keep_as_is(&mut self, start: usize) {
        if !self.is_open(start) {
            self.open = start;
        }
    }

    /// Checks whether a rejected text may extend into the text at `start`.
    fn is_open(&self, start: usize) -> bool {
        self.open < start && !settle::ends_word(&self.line[self.open..start])
    }

    fn word(&mut self, start: usize) {
        self.position = start;
        let (end, mask) = word(self.line, start);
        if self.follows_symbol(start, end, mask) {
            return;
        }
        if mask & DIGIT == 0 && self.is_plain(start, end, mask) {
            self.position = self.past_labels(end);
            return;
        }
        self.flush();
        if self.special_word(start, end, mask) {
            return;
        }
        let here = WordContext { line: self.line, start, end, mask, before: &self.out[self.begin..] };
        let hit = PLACEHOLDERS.first(&here);
        let stays = hit.as_ref().is_none_or(|hit| hit.text.is_empty());
        self.settled &= !(stays && placeholders::needs_lookahead(&here));
        if let Some(hit) = hit {
            self.apply(start, mask, hit);
        } else {
            self.keep_as_is(start);
            self.position = self.past_labels(end);
        }
    }

    /// Returns where to continue after a word that stays. It skips all labels of a dotted name except the last, because
    /// only a token (`eyJ…`) or a nano ID can start at a label of letters. A nano ID may end before a letter beyond
    /// ASCII.
    #[inline]
    fn past_labels(&self, end: usize) -> usize {
        let mut passed = end;
        while at(self.line, passed) == b'.' {
            let (stop, mask) = word(self.line, passed + 1);
            let token = at(self.line, passed + 1) == b'e' || stop - (passed + 1) == 21;
            if token || mask == 0 || mask & (DIGIT | HIGH) != 0 || at(self.line, stop) != b'.' {
                break;
            }
            passed = stop;
        }
        passed
    }

    /// Handles a sign, a bound or a bracket that belongs to the word after it.
    #[inline]
    fn follows_symbol(&mut self, start: usize, end: usize, mask: u8) -> bool {
        if start == self.copied {
            return false;
        }
        match (self.line[start - 1], self.line[start]) {
            (b'-' | b'+', b'0'..=b'9') => self.signed_number(start, end, mask),
            // `lifetime <1 sec`: a bound belongs to its duration.
            (b'<', b'0'..=b'9') => self.bounded_duration(start),
            (b'[', b'R') => self.redaction(start),
            _ => false,
        }
    }

    /// Checks for a word of small letters between spaces, as most words are. The word before it must not end in `r`,
    /// because after `for` or `user` it may be an account.
    #[inline]
    fn is_plain(&self, start: usize, end: usize, mask: u8) -> bool {
        let (left, before) = if start >= 2 { (self.line[start - 1], self.line[start - 2]) } else { (0, 0) };
        mask & (UPPER | UPPER_HEX) == 0
            && matches!(at(self.line, end), 0 | b' ' | b',' | b')' | b';')
            && left == b' '
            && before != b'r'
    }

    #[inline]
    fn apply(&mut self, start: usize, mask: u8, hit: Replacement) {
        // The common case, checked before writing the text before `start`: a placeholder for the whole word.
        if hit.keep == 0 && hit.back == 0 && hit.text.len() > 3 {
            self.replace(hit.end, hit.text);
        } else {
            self.apply_part(start, mask, hit);
        }
    }

    /// Handles a class of statuses, a placeholder for a part of a word, and text that stays.
    #[inline(never)]
    fn apply_part(&mut self, start: usize, mask: u8, hit: Replacement) {
        let left = if start > 0 { self.line[start - 1] } else { 0 };
        // Only a class of statuses such as `5xx` has three bytes; every other text has angle brackets or is empty.
        if hit.text.len() == 3 {
            self.statuses.push(u16::try_from(crate::text::bytes::number(&self.line[start..hit.end])).unwrap_or(0));
            // The class is a word itself, and plain between these bytes.
            self.settled &=
                !matches!(left, b'-' | b'+' | b'<') && matches!(at(self.line, hit.end), 0 | b' ' | b',' | b'}' | b'"');
        } else if hit.text.is_empty() {
            self.has_code |= mask == DIGIT && digits(self.line, start) == start + 3;
        } else if hit.keep > 0 {
            if !self.is_open(start) {
                self.open = usize::MAX;
            }
            // The rest of the word may be the unit of a number that stayed: `UTF-8 s2006`.
            let unit = matches!(self.out[self.begin..], [.., b'0'..=b'9', b' ']);
            self.settled &= !matches!(left, b'=' | b'-') && !unit && self.open == usize::MAX;
        }
        self.settled &= hit.back == 0;
        self.out.truncate(self.out.len() - hit.back);
        self.position = start + hit.keep;
        self.flush();
        if hit.text.is_empty() {
            self.keep_as_is(start);
            self.position = hit.end;
        } else {
            self.replace(hit.end, hit.text);
        }
    }

    /// Handles words that are special because of what follows: URLs, routes after an HTTP method, and Windows paths.
    fn special_word(&mut self, start: usize, end: usize, mask: u8) -> bool {
        if at(self.line, end) == b':' {
            if let Some(after) = net::url(self.line, end) {
                self.has_url = true;
                self.replace(after, "<URL>");
                return true;
            }
            // A placeholder after it would make it a URL: `db://<5ms`.
            self.settled &= !self.line[end..].starts_with(b"://");
            if end - start == 1 && at(self.line, end + 1) == b'\\' {
                return self.path(start);
            }
        }
        if mask & (LOWER | LOWER_HEX | DIGIT | HIGH) == 0 && numbers::is_method(&self.line[start..end]) {
            let path = run(self.line, end, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'`'));
            // A word before a quote is not a stop.
            if at(self.line, end) == b' ' && at(self.line, path) == b'/' {
                self.position = path;
                self.flush();
                self.route(path);
                return true;
            }
        }
        false
    }

    /// Writes the path of a request: IDs become `<ID>`, and the query is dropped.
    fn route(&mut self, start: usize) {
        static ENDS: Set = Set::of_ends("\"'`?#,)];");
        static QUERY_ENDS: Set = Set::of_ends("\"'`)]");
        let end = run(self.line, start, |byte| !ENDS.has(byte));
        let mut position = start;
        while position < end {
            let stop = run(&self.line[..end], position + 1, |byte| byte != b'/');
            let segment = &self.line[position + 1..stop];
            let text = segment.strip_suffix(b":").unwrap_or(segment);
            let (id, rest) = (ids::is_path_id(text), &segment[text.len()..]);
            self.out.push(b'/');
            self.out.extend_from_slice(if id { b"<ID>" } else { text });
            self.out.extend_from_slice(rest);
            position = stop;
        }
        self.position = end;
        self.copied = end;
        if at(self.line, end) == b'?' {
            let query = run(self.line, end, |byte| !QUERY_ENDS.has(byte));
            self.replace(query, "?<QUERY>");
        }
    }

    fn symbol(&mut self, byte: u8) {
        let start = self.position;
        match byte {
            b' ' | b'\t' => self.space(),
            b'/' => {
                if !self.path(start) {
                    self.position += 1;
                }
            }
            b':' if at(self.line, start + 1) == b':' => self.short_ipv6(),
            b'@' => self.email(),
            b'=' if matches!(at(self.line, start + 1), b'\'' | b'"') => self.quoted_value(start + 1),
            _ => self.position += 1,
        }
    }

    fn bounded_duration(&mut self, start: usize) -> bool {
        let Some(end) = duration::duration(self.line, start) else { return false };
        self.position = start - 1;
        self.flush();
        self.replace(end, "<DURATION>");
        true
    }

    fn redaction(&mut self, start: usize) -> bool {
        let end = net::redaction(self.line, start - 1);
        self.position = end.unwrap_or(self.position);
        end.is_some()
    }

    /// Writes one space for a run of blanks.
    fn space(&mut self) {
        let end = run(self.line, self.position, |byte| matches!(byte, b' ' | b'\t'));
        if end == self.position + 1 && self.line[self.position] == b' ' {
            self.position = end;
        } else {
            self.flush();
            self.respaced = true;
            // A space may mean more than a tab. After these bytes, and after a status in brackets, one space may mean
            // more than two.
            let tab = self.line[self.position..end].contains(&b'\t');
            self.settled &= !(tab || self.has_code || matches!(self.out.last(), Some(b'r' | b'0'..=b'9')));
            self.out.push(b' ');
            (self.position, self.copied) = (end, end);
        }
    }

    fn path(&mut self, start: usize) -> bool {
        if start > 0
            && (is_word(self.line[start - 1])
                || matches!(self.line[start - 1], b'/' | b'.' | b'>' | b'-' | b'_' | b'~' | b':' | b'}' | b'$'))
        {
            return false;
        }
        let Some(path) = paths::find_volatile(self.line, start) else { return false };
        self.position = start;
        self.flush();
        self.replace(path.end, path.text);
        true
    }

    fn short_ipv6(&mut self) {
        let start = self.position;
        let boundary = start == 0
            || !(is_word(self.line[start - 1]) || self.line[start - 1] == b':' || self.line[start - 1] == b'>');
        match net::ipv6(self.line, start) {
            Some(end) if boundary => {
                self.flush();
                self.replace(end, "<IP>");
            }
            _ => {
                self.keep_as_is(start);
                self.position += 2;
            }
        }
    }

    /// Replaces an e-mail address. Its local part is already in the output, perhaps with placeholders, so it is removed
    /// first.
    fn email(&mut self) {
        let at_sign = self.position;
        self.flush();
        let written = &self.out[self.begin..];
        let local =
            written.iter().rev().take_while(|&&byte| net::is_local_part(byte) || matches!(byte, b'<' | b'>')).count();
        match net::email_domain(self.line, at_sign) {
            Some(end) if local > 0 => {
                // For an address in angle brackets such as `<bob@example.com>`, keep the opening bracket.
                let bracket = written[written.len() - local..].iter().rposition(|&byte| byte == b'<').unwrap_or(0);
                let opened = !written[written.len() - local..].contains(&b'>')
                    && written[written.len() - local + bracket] == b'<';
                self.out.truncate(self.out.len() - local + if opened { bracket + 1 } else { 0 });
                self.settled = false;
                self.replace(end, "<EMAIL>");
            }
            _ => {
                self.keep_as_is(at_sign);
                self.position += 1;
            }
        }
    }

    /// Reads a number with its sign, unless the text before the sign makes it a dash.
    fn signed_number(&mut self, number: usize, end: usize, mask: u8) -> bool {
        let start = number - 1;
        let left = if start > self.copied { self.line[start - 1] } else { self.out.last().copied().unwrap_or(0) };
        let line_start = start == 0 || self.copied == start && self.out.len() == self.begin;
        let dash = !line_start && (is_word(left) || matches!(left, b'>' | b')' | b']' | b'-' | b'+' | b'.'));
        if dash || left == b'@' && at(self.line, digits(self.line, number)) == b',' {
            return false;
        }
        self.position = start;
        self.flush();
        let here = WordContext { line: self.line, start: number, end, mask, before: &self.out[self.begin..] };
        match PLACEHOLDERS.first(&here) {
            Some(hit) if !hit.text.is_empty() => {
                self.settled &= hit.text.len() > 3;
                self.copied = number;
                self.apply(number, mask, hit);
            }
            other => {
                self.settled = false;
                self.position = other.map_or(end, |hit| hit.end);
            }
        }
        true
    }

    fn quoted_value(&mut self, start: usize) {
        self.position = start;
        if let Some(end) = self.quotations.end_of_value(self.line, start) {
            self.flush();
            self.replace(end, "<STR>");
        } else {
            self.settled &= quotes::is_telling(self.line, start);
            self.position += 1;
        }
    }
}
