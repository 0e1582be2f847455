//! Replaces secrets before a text is hashed, stored, logged or returned. Text that identifies a failure is not
//! replaced: commit hashes, digests, UUIDs, test names.
//!
//! One pass of an automaton over the text finds keywords (token prefixes, names, scheme words). Each keyword runs a
//! small matcher on the text near the keyword, so text without keywords costs only the pass of the automaton.

mod assign;
mod finders;
mod judge;
mod redacted;
mod rules;
mod scan;
mod unnamed_key;

pub use redacted::RedactedText;
pub use unnamed_key::find_unnamed_key;

use crate::{display, text::pattern_error::PatternError};
use regex::Regex;
use scan::{ENCODED_TEXT, Span};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// A pattern for secrets from the configuration of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretPattern {
    /// Shown in the replacement: `[REDACTED:NAME]`.
    pub name: String,
    /// A regular expression. Group 1 is redacted, or the whole match without a group.
    pub pattern: String,
}

/// A text without invisible characters and secrets, and the kinds that were replaced, in order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction<'t> {
    /// The original text if there is nothing to replace.
    pub text: Cow<'t, str>,
    /// Kind names without duplicates.
    pub kinds: Vec<&'static str>,
}

/// Redacts the built-in kinds of secrets and those of the user.
#[derive(Debug)]
pub struct Redactor {
    user: Vec<(&'static str, Regex)>,
}

/// Maximum number of passes. After a replacement, the text before and after the secret can look like a name and its
/// value. Therefore passes repeat until a pass finds no secret. Usually few passes are needed, because each pass
/// replaces only text that earlier passes left. The limit keeps the time linear for hostile texts.
const MAX_PASSES: usize = 8;

impl Redactor {
    /// Compiles the user's patterns. The built-in patterns are compiled once per process.
    pub fn new(user_secrets: &[SecretPattern]) -> Result<Self, PatternError> {
        let compile = |secret: &SecretPattern| {
            let failed = |error: regex::Error| PatternError::new(sanitize_rule_name(&secret.name), &error);
            Ok((intern_name(&secret.name), Regex::new(&secret.pattern).map_err(failed)?))
        };
        Ok(Self { user: user_secrets.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// Returns a redactor with the built-in kinds only, for texts that belong to no project.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: Redactor = Redactor { user: Vec::new() };
        &BUILT_IN
    }

    /// Redacts a text in linear time. Redacting the result again changes nothing. Removes invisible characters first,
    /// because a secret with an invisible character inside would not be recognized, and a later step could remove the
    /// character.
    pub fn redact<'t>(&self, text: &'t str) -> Redaction<'t> {
        let mut redacted = Redaction { text: display::sanitize_text(text), kinds: Vec::new() };
        for _ in 0..MAX_PASSES {
            let spans = self.find_spans(&redacted.text);
            if spans.is_empty() {
                break;
            }
            for span in &spans {
                if !redacted.kinds.contains(&span.kind) {
                    redacted.kinds.push(span.kind);
                }
            }
            redacted.text = Cow::Owned(replace_spans(&redacted.text, &spans));
        }
        redacted
    }

    /// Returns the spans of secrets: sorted, disjoint, on character boundaries.
    fn find_spans(&self, text: &str) -> Vec<Span> {
        let mut spans = finders::find_secrets(text.as_bytes());
        for (kind, regex) in &self.user {
            for captures in regex.captures_iter(text) {
                if let Some(found) = captures.get(1).or_else(|| captures.get(0)) {
                    spans.push(Span { start: found.start(), end: found.end(), kind, is_found_by_format: true });
                }
            }
        }
        merge_spans(text, spans)
    }
}

/// Returns the name of a user's rule in a form that is safe to show.
pub(crate) fn sanitize_rule_name(name: &str) -> String {
    Redactor::built_in().redact_text(name).to_single_line(80).into_string()
}

/// Sorts the spans and merges overlapping spans. A span that was found by format decides the kind, otherwise the wider
/// span. A span either covers a replacement of an earlier pass as a whole or leaves it unchanged.
fn merge_spans(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let old = if spans.is_empty() { Vec::new() } else { find_replacements(text) };
    spans.retain_mut(|span| {
        span.start = previous_boundary(text, span.start);
        span.end = next_boundary(text, span.end);
        extend_over_replacements(text, span, &old)
    });
    spans.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                let wider = span.end - span.start >= last.end - last.start;
                if (span.is_found_by_format && !last.is_found_by_format)
                    || (span.is_found_by_format == last.is_found_by_format && wider)
                {
                    last.kind = span.kind;
                    last.is_found_by_format = span.is_found_by_format;
                }
                last.end = last.end.max(span.end);
            }
            _ => merged.push(Span { end: end_of_long_secret(text.as_bytes(), &span), ..span }),
        }
    }
    merged
}

/// Returns the end of a secret that may be longer than the window of its matcher: after the last byte of encoded text.
/// Spans inside the secret are merged with its span, so each byte is visited once.
fn end_of_long_secret(text: &[u8], span: &Span) -> usize {
    let continues = |at: usize| text.get(at).is_some_and(|&byte| ENCODED_TEXT.has(byte));
    let mut end = span.end;
    if end - span.start >= LONG_SPAN_BYTES && continues(end - 1) {
        while continues(end) {
            end += 1;
        }
    }
    end
}

/// Minimum length of a span that may have been cut at the end of a window: half of the smallest window.
const LONG_SPAN_BYTES: usize = 1024;

/// Returns the spans of replacements from earlier passes.
fn find_replacements(text: &str) -> Vec<(usize, usize)> {
    let opens = memchr::memmem::find_iter(text.as_bytes(), b"[REDACTED:");
    opens
        .filter_map(|open| {
            text[open..]
                .bytes()
                .take(MAX_REPLACEMENT_BYTES)
                .position(|byte| byte == b']')
                .map(|at| (open, open + at + 1))
        })
        .collect()
}

/// Maximum length of a replacement: more than `[REDACTED:` with a name of 64 characters of four bytes.
const MAX_REPLACEMENT_BYTES: usize = 300;

/// Checks whether the span contains anything except replacements and punctuation. Extends the span over replacements
/// that it touches.
fn extend_over_replacements(text: &str, span: &mut Span, old: &[(usize, usize)]) -> bool {
    let mut from = span.start;
    let mut new = false;
    let is_informative = |part: &str| part.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let first = old.partition_point(|&(_, end)| end <= span.start);
    for &(open, close) in old[first..].iter().take_while(|&&(open, _)| open < span.end) {
        new |= from < open && is_informative(&text[from..open]);
        from = close;
    }
    new |= from < span.end && (is_informative(&text[from..span.end]) || from == span.start);
    if new && let Some(&(open, _)) = old.get(first).filter(|&&(open, _)| open < span.end) {
        span.start = span.start.min(open);
        span.end = span.end.max(from);
    }
    new
}

fn previous_boundary(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

fn next_boundary(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index += 1;
    }
    index
}

fn replace_spans(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        out.push_str(&text[from..span.start]);
        out.push_str("[REDACTED:");
        out.push_str(span.kind);
        out.push(']');
        from = span.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Returns the name of a user's kind with a static lifetime, like the built-in names. Equal names share memory that is
/// never freed.
fn intern_name(name: &str) -> &'static str {
    static INTERNED_NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let safe = |letter: char| if letter.is_alphanumeric() || "-_. ".contains(letter) { letter } else { '-' };
    let name: String = name.chars().take(64).map(safe).collect();
    let mut names = INTERNED_NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.insert(name);
    name
}

#[cfg(test)]
mod tests;
