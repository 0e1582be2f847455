//! Follows the first error's chain of causes.
//! Whatever comes after the chain may have causes of its own, which say nothing of this failure.

use super::progress_lines::is_progress;
use crate::text::bytes::run;

/// Before the text of a cause, in Java and the languages beside it.
const CAUSE: &[u8] = b"Caused by: ";
/// In place of a cause that was printed before.
const CIRCULAR: &[u8] = b"Caused by: [CIRCULAR REFERENCE";

/// Where in the chain the lines are that were seen.
#[derive(Default)]
pub(super) struct CauseChain {
    /// How far the first cause is indented; those of an error that was suppressed are further to the right.
    indent: Option<usize>,
    ended: bool,
}

impl CauseChain {
    /// Whether the line is a cause of the chain; `part` is what stays of it, `after_frame` where there was a frame before.
    pub(super) fn has(&mut self, line: &[u8], part: &[u8], after_frame: bool) -> bool {
        let is_cause = part.starts_with(CAUSE);
        if self.ended || !is_cause && !after_frame && self.indent.is_none() {
            return false;
        }
        let indent = run(line, 0, |byte| matches!(byte, b' ' | b'\t'));
        if is_cause {
            let chain = *self.indent.get_or_insert(indent);
            return indent <= chain && !part.starts_with(CIRCULAR);
        }
        // Further lines of a cause's message are indented, and other threads log into the midst of it.
        let outside = indent <= self.indent.unwrap_or(0);
        self.ended = outside && !is_progress(part);
        false
    }
}
