/// An occurrence of a literal in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiteralMatch {
    pub(super) id: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// An occurrence of a rule's literal. Candidates are sorted by rule, then by position, because rules run in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    rule: u16,
    start: u32,
    length: u16,
}

impl Candidate {
    /// Returns `None` for positions beyond 4 GiB.
    pub(super) fn new(rule: u16, start: usize, end: usize) -> Option<Self> {
        Some(Self { rule, start: u32::try_from(start).ok()?, length: u16::try_from(end - start).ok()? })
    }

    pub(super) const fn rule(self) -> usize {
        self.rule as usize
    }

    pub(super) const fn start(self) -> usize {
        self.start as usize
    }

    pub(super) const fn end(self) -> usize {
        self.start() + self.length as usize
    }
}
