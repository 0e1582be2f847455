//! Follows the chain of causes of the first error. Later errors may have their own causes, which do not explain this
//! failure.

use super::progress_lines::is_progress;
use crate::text::bytes::run;

/// Precedes a cause in Java and related languages.
const CAUSE: &[u8] = b"Caused by: ";
/// Replaces a cause that was printed before.
const CIRCULAR: &[u8] = b"Caused by: [CIRCULAR REFERENCE";

/// The state of the chain at the current line.
#[derive(Default)]
pub(super) struct CauseChain {
    /// Indentation of the first cause. Causes of suppressed errors are indented more.
    indent: Option<usize>,
    ended: bool,
}

impl CauseChain {
    /// Checks whether the line is a cause of the chain. `part` is the part of the line that stays, and `after_frame` is
    /// set if a frame precedes it.
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
        // Further lines of a cause's message are indented, and log lines of other threads may come between them.
        let outside = indent <= self.indent.unwrap_or(0);
        self.ended = outside && !is_progress(part);
        false
    }
}
