//! Replaces secrets before anything is hashed, stored, logged or answered.
//! What identifies a failure stays: SHAs, digests, UUIDs, test names.
//!
//! One pass of an automaton over the text finds keywords (issuers' prefixes, names, scheme words); each hit runs one
//! small matcher on a bounded window around it. Text without keywords costs that one pass.

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
    /// A regular expression; group 1 is what goes, or the whole match where there is no group.
    pub pattern: String,
}

/// Text without invisible characters and secrets, and which kinds were replaced (kind names, in order of first
/// occurrence).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction<'t> {
    /// Borrowed when nothing was found.
    pub text: Cow<'t, str>,
    /// Kind names, each once.
    pub kinds: Vec<&'static str>,
}

/// The built-in kinds and the user's.
#[derive(Debug)]
pub struct Redactor {
    user: Vec<(&'static str, Regex)>,
}

/// A replacement can bring two halves together that then read as a name and its value; each further pass only
/// replaces what is not yet replaced, so few are ever needed. Bounded, or a hostile text would not be linear.
const MAX_PASSES: usize = 8;

impl Redactor {
    /// Compiles the user's patterns; the built-in ones are compiled once per process.
    pub fn new(user_secrets: &[UserSecret]) -> Result<Self, PatternError> {
        let compile = |secret: &UserSecret| {
            let failed = |error: regex::Error| PatternError::new(shown_name(&secret.name), &error);
            Ok((interned(&secret.name), Regex::new(&secret.pattern).map_err(failed)?))
        };
        Ok(Self { user: user_secrets.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// The built-in kinds alone, for texts that belong to no project.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: Redactor = Redactor { user: Vec::new() };
        &BUILT_IN
    }

    /// Linear in the text; idempotent. What cannot be seen goes first, for a secret with such a character inside looks
    /// like none and would stand whole once it is gone.
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

    /// Where the secrets stand; sorted, apart from each other, on character boundaries.
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

/// The name of a user's rule as it may be shown.
pub(crate) fn shown_name(name: &str) -> String {
    Redactor::built_in().redacted(name).line(80).into_string()
}

/// Sorted, overlaps joined (the wider one names the kind), replacements of an earlier pass left alone or taken whole.
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

/// The matchers look at a bounded window. A secret that fills one goes on as long as its letters do; spans inside are
/// joined with it, so each letter is passed once.
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

/// Half of the smallest window that cuts a secret.
const LONG_SPAN_BYTES: usize = 1024;

/// Where an earlier pass put its replacements.
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

/// `[REDACTED:` and a user's name of 64 letters.
const MAX_REPLACEMENT_BYTES: usize = 300;

/// Something besides replacements and punctuation lies in the span; replacements it touches are taken whole.
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

/// A user's kind name for the life of the process, as the built-in ones have; each name is kept once.
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
