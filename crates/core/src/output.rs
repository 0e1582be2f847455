//! Reads the output of a command once to find the lines that describe the failure, and the place of the failure.
//!
//! `marks` removes prefixes and control sequences from the lines. `line`, `stack_frame`, `log_level`, `access_log` and
//! `progress_lines` classify each line alone. `lines` also uses the lines around a line, `causes` follows the chain of
//! causes, and `salient` chooses from the remaining lines.

pub(crate) mod access_log;
mod causes;
pub(crate) mod frame_owner;
pub(crate) mod line;
pub(crate) mod line_decorations;
pub(crate) mod line_selector;
pub(crate) mod log_level;
pub(crate) mod progress_lines;
pub(crate) mod salient_lines;
pub(crate) mod stack_frame;

use causes::CauseChain;
use line_decorations::{ci_prefix, control};
use line_selector::{LinePart, LineSelector};
use std::borrow::Cow;

/// Maximum number of bytes of a line that are read.
const MAX_LINE_BYTES: usize = 8192;
/// Maximum number of lines from which the salient lines are chosen.
const MAX_KEPT_LINES: usize = 512;
/// Initial capacity, enough for most texts.
const EXPECTED_LINES: usize = 64;

/// A line that is part of the failure.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the line")]
pub(crate) struct OutputLine<'t> {
    /// The part of the line that stays.
    pub(crate) part: &'t [u8],
    /// Number of lines in the text before this line.
    pub(crate) line_index: usize,
    /// Set if the whole line stays.
    pub(crate) is_untouched: bool,
    /// Set if the line is a message and not progress output, regardless of its prefix.
    pub(crate) is_message: bool,
    /// Set if the line belongs to the chain of causes.
    pub(crate) is_cause: bool,
    /// Set if the runner printed the line as the message of a failed test.
    is_reported: bool,
}

/// The description of the failure in a text.
pub(crate) struct Output<'t> {
    /// The lines of the failure, in order.
    pub(crate) lines: Vec<OutputLine<'t>>,
    /// Set if log lines about normal progress were left out.
    pub(crate) has_progress: bool,
    /// Set if lines were left out because of the lines around them.
    pub(crate) is_pruned: bool,
    selector: LineSelector<'t>,
}

impl<'t> Output<'t> {
    /// Reads a clean text. Lines about normal progress are kept only if `with_progress` is set.
    pub(crate) fn read(text: &'t CleanText<'_>, with_progress: bool) -> Self {
        let mut selector = LineSelector::new(&text.text, text.may_have_pytest_marks);
        let mut lines: Vec<OutputLine<'t>> = Vec::with_capacity(EXPECTED_LINES);
        let (mut has_progress, mut has_restarted, mut chain) = (false, false, CauseChain::default());
        // The last line that is a message, and whether it announces the next lines (computed on demand).
        let (mut above, mut announced) = (&b""[..], None);
        // Whether the error is among the first lines (computed on demand). If not, a later line may be the error.
        let mut has_headline = None;
        // Read all lines even if enough lines were kept, because the last lines may contain the innermost frame and the
        // deepest cause.
        for (number, line) in lines_of(&text.text).enumerate() {
            let Some(LinePart { text: part, whole, is_reported }) = selector.select_kept_part(line) else {
                let is_restart = std::mem::take(&mut selector.drops_previous_lines)
                    || std::mem::take(&mut selector.has_panicked)
                        && lines.iter().all(|line| is_program_output(line.part));
                if is_restart && !has_restarted {
                    has_restarted = true;
                    lines.clear();
                }
                continue;
            };
            let progress = !with_progress && lines.len() < MAX_KEPT_LINES && selector.is_progress(part);
            if progress && !*announced.get_or_insert_with(|| progress_lines::expects_continuation(above)) {
                has_progress = true;
                continue;
            }
            if !progress {
                (above, announced) = (part, None);
            }
            let is_cause = chain.accept_line(line, part, selector.has_frame);
            let is_late = lines.len() >= MAX_KEPT_LINES
                && !*has_headline
                    .get_or_insert_with(|| lines.iter().any(|line| salient_lines::looks_like_error(line.part)))
                && salient_lines::looks_like_error(part);
            if is_late {
                has_headline = Some(true);
            }
            if is_cause || is_late || lines.len() < MAX_KEPT_LINES {
                let is_message = whole && !with_progress && !progress;
                let is_untouched = part.len() == line.len();
                lines.push(OutputLine { part, line_index: number, is_untouched, is_message, is_cause, is_reported });
            }
        }
        let is_pruned = salient_lines::remove_unrelated_lines(&mut lines, |line| line.part, |line| line.is_reported)
            || has_restarted;
        Self { lines, has_progress, is_pruned, selector }
    }

    /// Returns file and function of the innermost in-app frame.
    pub(crate) fn innermost_app_frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.selector.innermost_app_frame()
    }

    /// Returns file and function of the innermost in-app frame, otherwise of the innermost frame of the tests.
    pub(crate) fn innermost_project_frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.selector.innermost_project_frame()
    }

    /// Checks whether the text has a stack frame of any code.
    pub(crate) fn has_frame(&self) -> bool {
        self.selector.has_frame
    }

    /// Returns the place of the failure, as one line.
    pub(crate) fn failure_place(&self) -> Option<String> {
        self.selector.failure_place()
    }
}

/// Checks for a line that a Rust test printed before it panicked. The panic of Insta does not contain the difference,
/// which Insta prints before it.
fn is_program_output(line: &[u8]) -> bool {
    !salient_lines::looks_like_error(line) && !line.starts_with(b"Snapshot file: ")
}

/// A text without control characters and CI line prefixes. Its lines are cut at `MAX_LINE_BYTES`.
pub(crate) struct CleanText<'t> {
    text: Cow<'t, [u8]>,
    /// Set if a line after the first may have pytest's `E` mark.
    may_have_pytest_marks: bool,
}

impl<'t> CleanText<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let stamped = ci_prefix::has_prefixes(text);
        if !stamped {
            let traits = control::find_control_traits(text);
            if !traits.has_control_characters {
                return Self { text: Cow::Borrowed(text), may_have_pytest_marks: traits.may_have_pytest_marks };
            }
        }
        let mut cleaned = Vec::with_capacity(text.len());
        for line in lines_of(text) {
            let from = if stamped { ci_prefix::prefix_length(line) } else { 0 };
            control::append_without_controls(&line[from..], &mut cleaned);
            cleaned.push(b'\n');
        }
        Self { text: Cow::Owned(cleaned), may_have_pytest_marks: true }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines_of(&self.text)
    }
}

/// Returns the lines, each cut at `MAX_LINE_BYTES`.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        start += length + 1;
        Some(&rest[..length.min(MAX_LINE_BYTES)])
    })
}
