//! The kinds of output lines. `runner_lines` and `runtime_lines` find the kind of a line.

use crate::output::stack_frame::StackFrame;

/// The kind of a line, regardless of the lines around the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::output) enum LineKind<'a> {
    /// A message that starts at this byte.
    Message(usize),
    /// The stable part of a message whose end varies.
    StableText(&'a [u8]),
    /// A stack frame.
    Frame(StackFrame<'a>),
    /// A line without information about the failure.
    Noise,
    /// A line that opens a block without information about the failure.
    OpensBlock(SkippedBlock),
}

/// A block of lines to skip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::output) enum SkippedBlock {
    #[default]
    None,
    /// Up to the next empty line.
    Paragraph,
    /// A Rust or Go stack: up to the next empty line, with frames to read.
    Stack,
    /// All lines that are indented more than this.
    IndentedLines(usize),
    /// The properties of an error that Node prints below the stack: up to a brace that is indented less than this.
    Properties(usize),
    /// The header that a package manager prints for a script: its name, and its command on the next line.
    Script,
    /// The title of a test below a heading, as Mocha prints it: up to a line that ends with a colon or before the first
    /// line of the error, but at most this number of lines.
    Heading(u8),
}
