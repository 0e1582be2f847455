//! In which order the commits of a window come, oldest first, though runs go back and forth between them: one that is checked
//! out again is where it was, whatever ran in between.

use crate::evidence::facts::RunFacts;
use std::collections::BTreeMap;

/// Commits by their places.
#[derive(Default)]
pub(super) struct CommitOrder<'a> {
    commits: Vec<&'a str>,
    places: BTreeMap<&'a str, u32>,
}

impl<'a> CommitOrder<'a> {
    /// Adds the commits that a run has and the one before, on `before`, has not. Where it is not known how it came from there,
    /// a commit that is known stays where it is, and a new one is the newest.
    pub(super) fn add(&mut self, run: &RunFacts, path: &'a [String], before: Option<&str>) {
        // More than one are known to lie between the two.
        let mut after = before.filter(|_| run.follows || path.len() > 1).and_then(|commit| self.place(commit));
        for commit in path {
            self.add_after(after, commit);
            after = self.place(commit);
        }
    }

    /// Where a commit stands.
    pub(super) fn place(&self, commit: &str) -> Option<u32> {
        self.places.get(commit).copied()
    }

    fn add_after(&mut self, after: Option<u32>, commit: &'a str) {
        let behind = after.map_or(self.commits.len(), |after| index(after) + 1);
        match self.place(commit).map(index) {
            Some(known) if known < behind && after.is_some() => {
                self.commits.remove(known);
                self.commits.insert(behind - 1, commit);
                self.renumber(known);
            }
            Some(_) => {}
            None => {
                self.commits.insert(behind, commit);
                self.renumber(behind);
            }
        }
    }

    fn renumber(&mut self, from: usize) {
        let moved = (0..).zip(&self.commits).skip(from).map(|(place, commit)| (*commit, place));
        self.places.extend(moved);
    }
}

fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::CommitOrder;
    use crate::evidence::facts::RunFacts;

    /// Of runs on the last commits of these; `+` are those since the run before, and what stands alone came somehow else.
    fn order(runs: &[&str]) -> String {
        let paths: Vec<(bool, Vec<String>)> = runs
            .iter()
            .map(|run| (run.starts_with('+'), run.trim_start_matches('+').split(' ').map(str::to_owned).collect()))
            .collect();
        let mut order = CommitOrder::default();
        let mut before = None;
        for (follows, path) in &paths {
            order.add(&RunFacts { follows: *follows, ..RunFacts::default() }, path, before);
            before = path.last().map(String::as_str);
        }
        order.commits.join(" ")
    }

    #[test]
    fn a_commit_stands_once_and_behind_those_it_came_from() {
        for (runs, wanted) in [
            (&["a", "+b", "+c d"][..], "a b c d"),
            // Bisected.
            (&["a", "+b c d e", "c", "b", "+c d e"], "a b c d e"),
            // What is older than all that ran before is seen to be so once it is left again.
            (&["e", "b", "+c d e"], "b c d e"),
            (&["e", "b", "+c d", "+e"], "b c d e"),
            // A branch, from which one goes back to where it began.
            (&["a", "+x", "a", "+b"], "a b x"),
            (&["a", "+x", "a", "+b", "+x m"], "a b x m"),
            // As earlier versions kept it.
            (&["a", "b", "a", "c"], "a b c"),
        ] {
            assert_eq!(order(runs), wanted, "{runs:?}");
        }
    }
}
