//! Reads a line once and writes the line with placeholders. `output::lines` chooses the lines.

mod quotes;
mod settle;
mod stops;

use super::{
    placeholders::{self, PLACEHOLDERS, duration, ids, net, numbers, paths},
    word_context::{Replacement, WordContext},
};
use crate::{
    output::line_decorations::time,
    text::bytes::{
        ByteSet, DIGIT, LOWER, LOWER_HEX, NON_ASCII, UPPER, UPPER_HEX, append, byte_at, digits_end, is_word_byte,
        run_end, scan_word,
    },
};
use quotes::Quotations;
use stops::{Stop, Stops};

/// Appends `line` with placeholders to `out`, and its exact HTTP statuses to `statuses`. `line` must be trimmed and
/// free of control characters.
pub(super) fn write_line(line: &[u8], out: &mut Vec<u8>, statuses: &mut Vec<u16>) -> WalkOutcome {
    let mut stops = Stops::new(line);
    WalkState::new(line, out, statuses).walk(|position| stops.next_from(position))
}

/// Like `write_line`, but stops at every byte; tests compare the two.
#[cfg(test)]
pub(super) fn write_line_slowly(line: &[u8], out: &mut Vec<u8>, statuses: &mut Vec<u16>) -> WalkOutcome {
    WalkState::new(line, out, statuses).walk(|position| {
        let before = line.get(position..).filter(|rest| !rest.is_empty()).and(line.get(..position))?;
        let word = position - before.iter().rev().take_while(|&&byte| is_word_byte(byte)).count();
        Some(Stop { position, word })
    })
}

/// Properties of a written line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WalkOutcome {
    /// Set if another pass would not change the line. That holds if every word is plain, was replaced entirely, or
    /// matched no placeholder and does not touch a replacement.
    pub(super) is_line_stable: bool,
    /// Set if blanks became a single space, so that the line also changed outside of placeholders.
    pub(super) spaces_collapsed: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each describes another property of the line")]
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
    /// Start of the earliest text that matched no placeholder, but that may match together with the text after it.
    /// `usize::MAX` if there is no such text.
    open_start: usize,
    quotations: Quotations,
    /// Set if a number of three digits stayed, because it may be an HTTP status if the line has a URL.
    has_three_digit_number: bool,
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
            open_start: usize::MAX,
            quotations: Quotations::default(),
            has_three_digit_number: false,
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
            if is_word_byte(byte) {
                self.handle_word(start);
            } else if start < stop {
                if self.may_be_special(start, stop) {
                    self.handle_word(start);
                } else {
                    self.position = stop;
                }
                // A byte that ends a word may also start a match. The next stop is then the same byte.
                self.position += usize::from(self.position == stop && !self.may_start_match(stop));
            } else {
                self.position = stop;
                self.handle_symbol(byte);
            }
        }
        self.position = self.line.len();
        self.flush();
        WalkOutcome {
            is_line_stable: self.settled && !(self.has_three_digit_number && self.has_url),
            spaces_collapsed: self.respaced,
        }
    }

    /// Returns the rest of a word after a placeholder, because the stops do not list it: `1.5GET /`.
    #[inline]
    fn rest_of_word(&self) -> Option<Stop> {
        let position = self.position;
        let inside = position > 0 && is_word_byte(self.line[position - 1]);
        (inside && is_word_byte(byte_at(self.line, position))).then_some(Stop { position, word: position })
    }

    /// Checks cheaply, by the byte after a word without a digit, whether the word may need more than copying.
    #[inline]
    fn may_be_special(&self, start: usize, end: usize) -> bool {
        let (first, last, next) = (self.line[start], self.line[end - 1], byte_at(self.line, end + 1));
        match self.line[end] {
            // Days, months and HTTP methods.
            b' ' | b',' => {
                let word = &self.line[start..end];
                time::is_day_or_month(word) || last.is_ascii_uppercase() && numbers::is_http_method(word)
            }
            // A value after `=` is handled later, at its own stop.
            b'=' => false,
            b':' => matches!(next, b'/' | b'\\') || last.is_ascii_hexdigit() || first == b'i',
            b'.' => is_word_byte(next) || first.is_ascii_uppercase(),
            _ => true,
        }
    }

    /// Checks whether the byte after a word may start a match.
    #[inline]
    fn may_start_match(&self, position: usize) -> bool {
        let next = byte_at(self.line, position + 1);
        match self.line[position] {
            b' ' => matches!(next, b' ' | b'\t'),
            b':' => next == b':',
            b'.' | b'-' | b'_' | b',' => false,
            _ => true,
        }
    }

    /// Copies the input before the current position that is not in the output.
    #[inline]
    fn flush(&mut self) {
        if self.copied < self.position {
            append::append_part(self.out, self.line, self.copied, self.position);
            self.copied = self.position;
        }
    }

    /// Writes `text` in place of the input since the last flush, and continues at `end`.
    fn replace(&mut self, end: usize, text: &str) {
        self.note_replacement(self.copied, end);
        append::append_short(self.out, text.as_bytes());
        self.position = end;
        self.copied = end;
    }

    /// Records that `start..end` will be replaced. A word directly beside it that matched no placeholder may match in
    /// the next pass.
    fn note_replacement(&mut self, start: usize, end: usize) {
        if self.open_start < start {
            self.settled &= !settle::may_match_at_end(&self.line[self.open_start..start]);
            self.open_start = usize::MAX;
        }
        self.settled &= !is_word_byte(byte_at(self.line, end));
    }

    /// Records that the text at `start` stays unless the text beside it is replaced.
    fn keep_as_is(&mut self, start: usize) {
        if !self.may_extend_into(start) {
            self.open_start = start;
        }
    }

    /// Checks whether a text that matched no placeholder may continue in the text at `start`.
    fn may_extend_into(&self, start: usize) -> bool {
        self.open_start < start && !settle::is_match_boundary(&self.line[self.open_start..start])
    }

    fn handle_word(&mut self, start: usize) {
        self.position = start;
        let (end, mask) = scan_word(self.line, start);
        if self.handle_symbol_before(start, end, mask) {
            return;
        }
        if mask & DIGIT == 0 && self.is_plain_word(start, end, mask) {
            self.position = self.end_of_kept_labels(end);
            return;
        }
        self.flush();
        if self.handle_special_word(start, end, mask) {
            return;
        }
        let here = WordContext { line: self.line, start, end, byte_classes: mask, before: &self.out[self.begin..] };
        let hit = PLACEHOLDERS.find_first(&here);
        let stays = hit.as_ref().is_none_or(|hit| hit.text.is_empty());
        self.settled &= !(stays && placeholders::needs_lookahead(&here));
        if let Some(hit) = hit {
            self.apply_replacement(start, mask, hit);
        } else {
            self.keep_as_is(start);
            self.position = self.end_of_kept_labels(end);
        }
    }

    /// Returns where to continue after a word that stays. Skips the labels of a dotted name except the last label,
    /// because only a token (`eyJ…`) or a nano ID can start at a label of letters. A nano ID may end before a letter
    /// outside ASCII.
    #[inline]
    fn end_of_kept_labels(&self, end: usize) -> usize {
        let mut passed = end;
        while byte_at(self.line, passed) == b'.' {
            let (stop, mask) = scan_word(self.line, passed + 1);
            let token = byte_at(self.line, passed + 1) == b'e' || stop - (passed + 1) == 21;
            if token || mask == 0 || mask & (DIGIT | NON_ASCII) != 0 || byte_at(self.line, stop) != b'.' {
                break;
            }
            passed = stop;
        }
        passed
    }

    /// Handles a sign, a `<` or a bracket that belongs to the next word.
    #[inline]
    fn handle_symbol_before(&mut self, start: usize, end: usize, mask: u8) -> bool {
        if start == self.copied {
            return false;
        }
        match (self.line[start - 1], self.line[start]) {
            (b'-' | b'+', b'0'..=b'9') => self.replace_signed_number(start, end, mask),
            // In `lifetime <1 sec`, the `<` belongs to the duration.
            (b'<', b'0'..=b'9') => self.replace_bounded_duration(start),
            (b'[', b'R') => self.skip_redaction(start),
            _ => false,
        }
    }

    /// Checks for a word of small letters between spaces, as most words are. The word before must not end in `r`,
    /// because a word after `for` or `user` may be the name of an account.
    #[inline]
    fn is_plain_word(&self, start: usize, end: usize, mask: u8) -> bool {
        let (left, before) = if start >= 2 { (self.line[start - 1], self.line[start - 2]) } else { (0, 0) };
        mask & (UPPER | UPPER_HEX) == 0
            && matches!(byte_at(self.line, end), 0 | b' ' | b',' | b')' | b';')
            && left == b' '
            && before != b'r'
    }

    #[inline]
    fn apply_replacement(&mut self, start: usize, mask: u8, hit: Replacement) {
        // The common case, checked before writing the text before `start`: a placeholder for the whole word.
        if hit.kept_bytes == 0 && hit.replaced_bytes_before == 0 && hit.text.len() > 3 {
            self.replace(hit.end, hit.text);
        } else {
            self.apply_partial_replacement(start, mask, hit);
        }
    }

    /// Applies a replacement that writes a class of statuses such as `5xx`, that replaces only a part of the word, or
    /// that keeps the text.
    #[inline(never)]
    fn apply_partial_replacement(&mut self, start: usize, mask: u8, hit: Replacement) {
        let left = if start > 0 { self.line[start - 1] } else { 0 };
        // Only a class of statuses such as `5xx` has three bytes. Any other text has angle brackets or is empty.
        if hit.text.len() == 3 {
            self.statuses
                .push(u16::try_from(crate::text::bytes::parse_digits(&self.line[start..hit.end])).unwrap_or(0));
            // Another pass reads the class as a word, which stays between these bytes.
            self.settled &= !matches!(left, b'-' | b'+' | b'<')
                && matches!(byte_at(self.line, hit.end), 0 | b' ' | b',' | b'}' | b'"');
        } else if hit.text.is_empty() {
            self.has_three_digit_number |= mask == DIGIT && digits_end(self.line, start) == start + 3;
        } else if hit.kept_bytes > 0 {
            if !self.may_extend_into(start) {
                self.open_start = usize::MAX;
            }
            // The rest of the word may be the unit of a number that stayed: `UTF-8 s2006`.
            let unit = matches!(self.out[self.begin..], [.., b'0'..=b'9', b' ']);
            self.settled &= !matches!(left, b'=' | b'-') && !unit && self.open_start == usize::MAX;
        }
        self.settled &= hit.replaced_bytes_before == 0;
        self.out.truncate(self.out.len() - hit.replaced_bytes_before);
        self.position = start + hit.kept_bytes;
        self.flush();
        if hit.text.is_empty() {
            self.keep_as_is(start);
            self.position = hit.end;
        } else {
            self.replace(hit.end, hit.text);
        }
    }

    /// Handles words that are special because of the text after them: URLs, routes after an HTTP method, and Windows
    /// paths.
    fn handle_special_word(&mut self, start: usize, end: usize, mask: u8) -> bool {
        if byte_at(self.line, end) == b':' {
            if let Some(after) = net::url_end(self.line, end) {
                self.has_url = true;
                self.replace(after, "<URL>");
                return true;
            }
            // With a placeholder after the slashes, the text would be a URL: `db://<5ms`.
            self.settled &= !self.line[end..].starts_with(b"://");
            if end - start == 1 && byte_at(self.line, end + 1) == b'\\' {
                return self.replace_path(start);
            }
        }
        if mask & (LOWER | LOWER_HEX | DIGIT | NON_ASCII) == 0 && numbers::is_http_method(&self.line[start..end]) {
            let path = run_end(self.line, end, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'`'));
            // A word before a quote is not a stop.
            if byte_at(self.line, end) == b' ' && byte_at(self.line, path) == b'/' {
                self.position = path;
                self.flush();
                self.write_route(path);
                return true;
            }
        }
        false
    }

    /// Writes the path of a request: IDs become `<ID>`, and the query is dropped.
    fn write_route(&mut self, start: usize) {
        static ENDS: ByteSet = ByteSet::of_text_ends("\"'`?#,)];");
        static QUERY_ENDS: ByteSet = ByteSet::of_text_ends("\"'`)]");
        let end = run_end(self.line, start, |byte| !ENDS.has(byte));
        let mut position = start;
        while position < end {
            let stop = run_end(&self.line[..end], position + 1, |byte| byte != b'/');
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
        if byte_at(self.line, end) == b'?' {
            let query = run_end(self.line, end, |byte| !QUERY_ENDS.has(byte));
            self.replace(query, "?<QUERY>");
        }
    }

    fn handle_symbol(&mut self, byte: u8) {
        let start = self.position;
        match byte {
            b' ' | b'\t' => self.write_space(),
            b'/' => {
                if !self.replace_path(start) {
                    self.position += 1;
                }
            }
            b':' if byte_at(self.line, start + 1) == b':' => self.replace_short_ipv6(),
            b'@' => self.replace_email(),
            b'=' if matches!(byte_at(self.line, start + 1), b'\'' | b'"') => self.replace_quoted_value(start + 1),
            _ => self.position += 1,
        }
    }

    fn replace_bounded_duration(&mut self, start: usize) -> bool {
        let Some(end) = duration::duration_end(self.line, start) else { return false };
        self.position = start - 1;
        self.flush();
        self.replace(end, "<DURATION>");
        true
    }

    fn skip_redaction(&mut self, start: usize) -> bool {
        let end = net::redaction_end(self.line, start - 1);
        self.position = end.unwrap_or(self.position);
        end.is_some()
    }

    /// Writes a single space for a run of blanks.
    fn write_space(&mut self) {
        let end = run_end(self.line, self.position, |byte| matches!(byte, b' ' | b'\t'));
        if end == self.position + 1 && self.line[self.position] == b' ' {
            self.position = end;
        } else {
            self.flush();
            self.respaced = true;
            // Another pass may read a single space differently than a tab. After these bytes and after a status in
            // brackets, it may read a single space differently than two spaces.
            let tab = self.line[self.position..end].contains(&b'\t');
            self.settled &=
                !(tab || self.has_three_digit_number || matches!(self.out.last(), Some(b'r' | b'0'..=b'9')));
            self.out.push(b' ');
            (self.position, self.copied) = (end, end);
        }
    }

    fn replace_path(&mut self, start: usize) -> bool {
        if start > 0
            && (is_word_byte(self.line[start - 1])
                || matches!(self.line[start - 1], b'/' | b'.' | b'>' | b'-' | b'_' | b'~' | b':' | b'}' | b'$'))
        {
            return false;
        }
        let Some(path) = paths::find_volatile_part(self.line, start) else { return false };
        self.position = start;
        self.flush();
        self.replace(path.end, path.text);
        true
    }

    fn replace_short_ipv6(&mut self) {
        let start = self.position;
        let boundary = start == 0
            || !(is_word_byte(self.line[start - 1]) || self.line[start - 1] == b':' || self.line[start - 1] == b'>');
        match net::ipv6_end(self.line, start) {
            Some(end) if boundary => {
                self.flush();
                let brackets = self.out.last() == Some(&b'[') && net::is_bracketed_loopback(self.line, start, end);
                if brackets {
                    self.out.pop();
                    self.settled = false;
                }
                self.replace(end + usize::from(brackets), "<IP>");
            }
            _ => {
                self.keep_as_is(start);
                self.position += 2;
            }
        }
    }

    /// Replaces an e-mail address. The part before the `@` is already in the output, perhaps with placeholders, so it
    /// is removed first.
    fn replace_email(&mut self) {
        let at_sign = self.position;
        self.flush();
        let written = &self.out[self.begin..];
        let local = written
            .iter()
            .rev()
            .take_while(|&&byte| net::is_local_part_byte(byte) || matches!(byte, b'<' | b'>'))
            .count();
        match net::email_domain_end(self.line, at_sign) {
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

    /// Replaces a number with its sign, unless the text before the sign shows that the sign is a dash.
    fn replace_signed_number(&mut self, number: usize, end: usize, mask: u8) -> bool {
        let start = number - 1;
        let left = if start > self.copied { self.line[start - 1] } else { self.out.last().copied().unwrap_or(0) };
        let line_start = start == 0 || self.copied == start && self.out.len() == self.begin;
        let dash = !line_start && (is_word_byte(left) || matches!(left, b'>' | b')' | b']' | b'-' | b'+' | b'.'));
        if dash || left == b'@' && byte_at(self.line, digits_end(self.line, number)) == b',' {
            return false;
        }
        self.position = start;
        self.flush();
        let here =
            WordContext { line: self.line, start: number, end, byte_classes: mask, before: &self.out[self.begin..] };
        match PLACEHOLDERS.find_first(&here) {
            Some(hit) if !hit.text.is_empty() => {
                self.settled &= hit.text.len() > 3;
                self.copied = number;
                self.apply_replacement(number, mask, hit);
            }
            other => {
                self.settled = false;
                self.position = other.map_or(end, |hit| hit.end);
            }
        }
        true
    }

    fn replace_quoted_value(&mut self, start: usize) {
        self.position = start;
        if let Some(end) = self.quotations.find_value_end(self.line, start) {
            self.flush();
            self.replace(end, "<STR>");
        } else {
            self.settled &= quotes::is_identifying_field(self.line, start);
            self.position += 1;
        }
    }
}
