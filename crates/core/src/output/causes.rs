//! Follows the chain of causes of the first error. The causes of later errors do not explain the failure.

use super::progress_lines::is_progress_line;
use crate::text::bytes::run_end;

/// Text before a cause in Java and related languages.
const CAUSE_PREFIX: &[u8] = b"Caused by: ";
/// Text that Java prints in place of a cause that was printed before.
const CIRCULAR_CAUSE_PREFIX: &[u8] = b"Caused by: [CIRCULAR REFERENCE";

/// The state of the chain at the current line.
#[derive(Default)]
pub(super) struct CauseChain {
    /// Indentation of the first cause. Causes of suppressed errors are indented more.
    indent: Option<usize>,
    ended: bool,
}

impl CauseChain {
    /// Checks whether the line is a cause in the chain. `part` is the part of the line that stays. `after_frame` is set
    /// if a stack frame was printed before the line.
    pub(super) fn accept_line(&mut self, line: &[u8], part: &[u8], after_frame: bool) -> bool {
        let is_cause = part.starts_with(CAUSE_PREFIX);
        if self.ended || !is_cause && !after_frame && self.indent.is_none() {
            return false;
        }
        let indent = run_end(line, 0, |byte| matches!(byte, b' ' | b'\t'));
        if is_cause {
            let chain = *self.indent.get_or_insert(indent);
            return indent <= chain && !part.starts_with(CIRCULAR_CAUSE_PREFIX);
        }
        // Further lines of a cause's message are indented, and log lines of other threads may come between them.
        let outside = indent <= self.indent.unwrap_or(0);
        self.ended = outside && !is_progress_line(part);
        false
    }
}
