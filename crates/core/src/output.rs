//! What a command printed, read once: which of its lines are the failure, and where it was noticed.
//!
//! `marks` take off what others put around and into the lines. Of each, `line`, `stack_frame`, `log_level`, `access_log`
//! and `progress_lines` tell by itself what it is; `lines` knows the ones around it, `causes` the chain it may belong to,
//! and `salient` chooses among those that are left.

pub(crate) mod access_log;
mod causes;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod log_level;
pub(crate) mod marks;
pub(crate) mod progress_lines;
pub(crate) mod salient;
pub(crate) mod stack_frame;

use causes::CauseChain;
use lines::{LinePart, Selector};
use marks::{ci_prefix, control};
use std::borrow::Cow;

/// Longest part of one line that counts.
const MAX_LINE_BYTES: usize = 8192;
/// Most lines of which the salient ones are chosen.
const MAX_KEPT_LINES: usize = 512;
/// Lines that most texts have fewer of.
const EXPECTED_LINES: usize = 64;

/// A line that is part of the failure.
pub(crate) struct OutputLine<'t> {
    /// What stays of it.
    pub(crate) part: &'t [u8],
    /// How many lines of the text are before it.
    pub(crate) number: usize,
    /// All of it stays.
    pub(crate) is_untouched: bool,
    /// It is a message that tells of no progress, whatever stands before it.
    pub(crate) is_message: bool,
    /// It is of the chain of causes.
    pub(crate) is_cause: bool,
}

/// What is read of a text.
pub(crate) struct Output<'t> {
    /// The lines that are the failure, in order.
    pub(crate) lines: Vec<OutputLine<'t>>,
    /// Lines of a log that say how things went along were left out.
    pub(crate) has_progress: bool,
    /// Lines were left out for what stands beside them.
    pub(crate) is_pruned: bool,
    selector: Selector<'t>,
}

impl<'t> Output<'t> {
    /// Reads a clean text; the lines that tell of progress stay only where they are asked for.
    pub(crate) fn read(text: &'t CleanText<'_>, with_progress: bool) -> Self {
        let mut selector = Selector::new(&text.text, text.may_be_marked);
        let mut lines = Vec::with_capacity(EXPECTED_LINES);
        let (mut has_progress, mut chain) = (false, CauseChain::default());
        // The last line that is a message, and whether it announces those that follow, where that was asked.
        let (mut above, mut announced) = (&b""[..], None);
        // To the last line even where enough are kept: the innermost frame and the deepest cause may be there.
        for (number, line) in lines_of(&text.text).enumerate() {
            let Some(LinePart { text: part, whole }) = selector.kept_part(line) else { continue };
            let progress = !with_progress && lines.len() < MAX_KEPT_LINES && selector.is_progress(part);
            if progress && !*announced.get_or_insert_with(|| progress_lines::expects_continuation(above)) {
                has_progress = true;
                continue;
            }
            if !progress {
                (above, announced) = (part, None);
            }
            let is_cause = chain.has(line, part, selector.has_frame);
            if is_cause || lines.len() < MAX_KEPT_LINES {
                let is_message = whole && !with_progress && !progress;
                lines.push(OutputLine { part, number, is_untouched: part.len() == line.len(), is_message, is_cause });
            }
        }
        let is_pruned = salient::prune(&mut lines, |line| line.part);
        Self { lines, has_progress, is_pruned, selector }
    }

    /// The innermost in-app frame: file and function.
    pub(crate) fn frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.selector.frame()
    }

    /// Where the failure was noticed, as one line.
    pub(crate) fn site(&self) -> Option<String> {
        self.selector.site()
    }
}

/// A text without control characters and without what a CI system puts before each line, its lines bounded.
pub(crate) struct CleanText<'t> {
    text: Cow<'t, [u8]>,
    /// Below its first line may be pytest's mark.
    may_be_marked: bool,
}

impl<'t> CleanText<'t> {
    pub(crate) fn of(text: &'t [u8]) -> Self {
        let stamped = ci_prefix::are_in(text);
        if !stamped {
            let traits = control::traits(text);
            if !traits.controls {
                return Self { text: Cow::Borrowed(text), may_be_marked: traits.marks };
            }
        }
        let mut cleaned = Vec::with_capacity(text.len());
        for line in lines_of(text) {
            let from = if stamped { ci_prefix::length(line) } else { 0 };
            control::clean(&line[from..], &mut cleaned);
            cleaned.push(b'\n');
        }
        Self { text: Cow::Owned(cleaned), may_be_marked: true }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines_of(&self.text)
    }
}

/// The lines, bounded.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        start += length + 1;
        Some(&rest[..length.min(MAX_LINE_BYTES)])
    })
}
