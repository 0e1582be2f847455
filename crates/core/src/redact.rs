//! Replaces secrets before a text is hashed, stored, logged or returned. Text that identifies a failure stays: SHAs,
//! digests, UUIDs, test names.
//!
//! One pass of an automaton over the text finds keywords (token prefixes, names, scheme words). Each hit runs one small
//! matcher on a bounded window around it, so text without keywords costs only that pass.

mod assign;
mod finders;
mod judge;
mod redacted;
mod rules;
mod scan;
mod unnamed_key;

pub use redacted::Redacted;
pub use unnamed_key::unnamed_key;

use crate::{display, text::pattern_error::PatternError};
use regex::Regex;
use scan::{LOOSE, Span};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// A pattern of secrets from the project's own configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserSecret {
    /// Shown in the replacement: `[REDACTED:NAME]`.
    pub name: String,
    /// A regular expression. Group 1 is redacted, or the whole match without a group.
    pub pattern: String,
}

/// A text without invisible characters and secrets, and the kinds that were replaced, in order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction<'t> {
    /// Borrowed if nothing was found.
    pub text: Cow<'t, str>,
    /// Kind names without duplicates.
    pub kinds: Vec<&'static str>,
}

/// Redacts the built-in kinds of secrets and the user's own.
#[derive(Debug)]
pub struct Redactor {
    user: Vec<(&'static str, Regex)>,
}

/// Limit of passes. A replacement can join two parts that then look like a name and its value, so passes repeat until
/// nothing is found. Few are needed because each pass only replaces new text; the limit keeps hostile texts linear.
const MAX_PASSES: usize = 8;

impl Redactor {
    /// Compiles the user's patterns. The built-in patterns are compiled once per process.
    pub fn new(user_secrets: &[UserSecret]) -> Result<Self, PatternError> {
        let compile = |secret: &UserSecret| {
            let failed = |error: regex::Error| PatternError::new(shown_name(&secret.name), &error);
            Ok((interned(&secret.name), Regex::new(&secret.pattern).map_err(failed)?))
        };
        Ok(Self { user: user_secrets.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// Returns a redactor with the built-in kinds only, for texts that belong to no project.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: Redactor = Redactor { user: Vec::new() };
        &BUILT_IN
    }

    /// Redacts a text in linear time; idempotent. Invisible characters are removed first, because a secret with such a
    /// character inside would not be recognized and would be whole again after a later removal.
    pub fn redact<'t>(&self, text: &'t str) -> Redaction<'t> {
        let mut redacted = Redaction { text: display::clean(text), kinds: Vec::new() };
        for _ in 0..MAX_PASSES {
            let spans = self.spans(&redacted.text);
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
    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = finders::find(text.as_bytes());
        for (kind, regex) in &self.user {
            for captures in regex.captures_iter(text) {
                if let Some(found) = captures.get(1).or_else(|| captures.get(0)) {
                    spans.push(Span { start: found.start(), end: found.end(), kind, sure: true });
                }
            }
        }
        settled(text, spans)
    }
}

/// Returns the name of a user's rule in a form that is safe to show.
pub(crate) fn shown_name(name: &str) -> String {
    Redactor::built_in().redacted(name).line(80).into_string()
}

/// Sorts the spans and merges overlaps; the wider span decides the kind. Replacements of an earlier pass are left alone
/// or included as a whole.
fn settled(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let old = if spans.is_empty() { Vec::new() } else { replacements(text) };
    spans.retain_mut(|span| {
        span.start = floor(text, span.start);
        span.end = ceil(text, span.end);
        is_new(text, span, &old)
    });
    spans.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut settled: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match settled.last_mut() {
            Some(last) if span.start < last.end => {
                let wider = span.end - span.start >= last.end - last.start;
                if (span.sure && !last.sure) || (span.sure == last.sure && wider) {
                    last.kind = span.kind;
                    last.sure = span.sure;
                }
                last.end = last.end.max(span.end);
            }
            _ => settled.push(Span { end: run_end(text.as_bytes(), &span), ..span }),
        }
    }
    settled
}

/// Returns the end of a span that fills its matcher's window: the secret continues as long as its characters do. Spans
/// inside are merged with it, so each character is visited once.
fn run_end(text: &[u8], span: &Span) -> usize {
    let goes_on = |at: usize| text.get(at).is_some_and(|&byte| LOOSE.has(byte));
    let mut end = span.end;
    if end - span.start >= LONG_SPAN_BYTES && goes_on(end - 1) {
        while goes_on(end) {
            end += 1;
        }
    }
    end
}

/// Half of the smallest window that can cut a secret.
const LONG_SPAN_BYTES: usize = 1024;

/// Returns the spans of replacements from earlier passes.
fn replacements(text: &str) -> Vec<(usize, usize)> {
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

/// Longer than `[REDACTED:` with a user's name of 64 characters.
const MAX_REPLACEMENT_BYTES: usize = 300;

/// Checks whether the span contains anything except replacements and punctuation. Extends the span over replacements
/// that it touches.
fn is_new(text: &str, span: &mut Span, old: &[(usize, usize)]) -> bool {
    let mut from = span.start;
    let mut new = false;
    let telling = |part: &str| part.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let first = old.partition_point(|&(_, end)| end <= span.start);
    for &(open, close) in old[first..].iter().take_while(|&&(open, _)| open < span.end) {
        new |= from < open && telling(&text[from..open]);
        from = close;
    }
    new |= from < span.end && (telling(&text[from..span.end]) || from == span.start);
    if new && let Some(&(open, _)) = old.get(first).filter(|&&(open, _)| open < span.end) {
        span.start = span.start.min(open);
        span.end = span.end.max(from);
    }
    new
}

fn floor(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

fn ceil(text: &str, mut index: usize) -> usize {
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

/// Returns a user's kind name with a static lifetime, like the built-in names. Each name is stored once.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let safe = |letter: char| if letter.is_alphanumeric() || "-_. ".contains(letter) { letter } else { '-' };
    let name: String = name.chars().take(64).map(safe).collect();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.insert(name);
    name
}

#[cfg(test)]
mod tests;
