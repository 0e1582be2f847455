//! Checks whether a text contains any of many short literals.

use aho_corasick::{
    Anchored,
    automaton::{Automaton, StateID},
    dfa::DFA,
};

pub(crate) struct LiteralFinder {
    automaton: DFA,
    /// Length of the longest literal in bytes.
    longest: usize,
}

impl LiteralFinder {
    pub(crate) fn new(literals: impl IntoIterator<Item = &'static &'static str> + Clone, any_case: bool) -> Self {
        let longest = literals.clone().into_iter().map(|literal| literal.len()).max().unwrap_or(0);
        let built = DFA::builder().ascii_case_insensitive(any_case).build(literals);
        Self { automaton: built.expect("a few short literals fit any automaton"), longest }
    }

    /// Checks whether the text contains a literal.
    ///
    /// Searches both halves of the text at the same time, because each step must wait for the step before. Then the
    /// search in the first half continues into the second half as far as a literal may extend.
    pub(crate) fn occur_in(&self, text: &[u8]) -> bool {
        let (first, second) = text.split_at(text.len() / 2);
        let Ok(start) = self.automaton.start_state(Anchored::No) else { return false };
        let (mut one, mut other) = (start, start);
        for (&byte, &beyond) in first.iter().zip(second) {
            (one, other) = (self.step(one, byte), self.step(other, beyond));
            if self.is_found(one) || self.is_found(other) {
                return true;
            }
        }
        let across = &second[..second.len().min(self.longest)];
        self.finds_from(other, &second[first.len()..]) || self.finds_from(one, across)
    }

    fn finds_from(&self, state: StateID, text: &[u8]) -> bool {
        let mut state = state;
        text.iter().any(|&byte| {
            state = self.step(state, byte);
            self.is_found(state)
        })
    }

    #[inline]
    fn step(&self, state: StateID, byte: u8) -> StateID {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    #[inline]
    fn is_found(&self, state: StateID) -> bool {
        self.automaton.is_special(state) && self.automaton.is_match(state)
    }
}

#[cfg(test)]
mod tests {
    use super::LiteralFinder;

    #[test]
    fn literal_is_found_at_any_position() {
        let literals = LiteralFinder::new(&["no such", "oom"], true);
        for before in 0..24 {
            for after in 0..24 {
                for literal in ["no such", "OOM"] {
                    let text = format!("{}{literal}{}", "o".repeat(before), "x".repeat(after));
                    assert!(literals.occur_in(text.as_bytes()), "{text}");
                }
                let text = format!("{}o such o om{}", "x".repeat(before), "m".repeat(after));
                assert!(!literals.occur_in(text.as_bytes()), "{text}");
            }
        }
        assert!(!LiteralFinder::new(&["oom"], false).occur_in(b"OOM"));
    }
}
