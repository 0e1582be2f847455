//! What a line of a runner's output can be.
//! `runner_lines` and `runtime_lines` tell which one a line is.

use crate::output::stack_frame::Frame;

/// What a line is, seen by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::output) enum LineKind<'a> {
    /// Part of the message, from this byte on.
    Message(usize),
    /// What stays of a message whose end differs from one time to the next.
    Text(&'a [u8]),
    /// A frame of a stack.
    Frame(Frame<'a>),
    /// Says nothing about the failure.
    Noise,
    /// Opens a block of lines that say nothing about the failure.
    Opens(SkippedBlock),
}

/// A block of lines to put aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::output) enum SkippedBlock {
    /// None.
    #[default]
    None,
    /// Up to the next empty line.
    Paragraph,
    /// A Rust or Go stack: up to the next empty line, with frames to read.
    Stack,
    /// Lines indented deeper than this.
    Deeper(usize),
    /// What Node prints of an error's properties under its stack: up to a brace that is indented less than this.
    Properties(usize),
    /// What a package manager says before it runs a script: its name, and on the next line the command.
    Script,
    /// A Mocha heading: up to a line that ends with a colon, if one is near.
    Heading(u8),
}
