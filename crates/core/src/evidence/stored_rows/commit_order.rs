//! Orders the commits of a window, oldest first, although runs go back and forth between them. A commit that is checked
//! out again keeps its place.

use crate::evidence::facts::RunFacts;
use std::collections::BTreeMap;

/// Commits and their places.
#[derive(Default)]
pub(super) struct CommitOrder<'a> {
    commits: Vec<&'a str>,
    places: BTreeMap<&'a str, u32>,
}

impl<'a> CommitOrder<'a> {
    /// Adds the commits in `path`: the commits of a run that the previous run, on commit `before`, does not have. If
    /// the commits between the two runs are unknown, or the run lacks commits of the previous run, a known commit keeps
    /// its place and a new commit becomes the newest.
    pub(super) fn add_path(&mut self, run: &RunFacts, path: &'a [String], before: Option<&str>) {
        // A path of several commits starts at the commit of the previous run, unless the run lost commits.
        let follows = run.follows || path.len() > 1 && run.lost.is_empty();
        let mut after = before.filter(|_| follows).and_then(|commit| self.place(commit));
        for commit in path {
            self.add_after(after, commit);
            after = self.place(commit);
        }
    }

    pub(super) fn place(&self, commit: &str) -> Option<u32> {
        self.places.get(commit).copied()
    }

    fn add_after(&mut self, after: Option<u32>, commit: &'a str) {
        let position = after.map_or(self.commits.len(), |after| index(after) + 1);
        match self.place(commit).map(index) {
            Some(known) if known < position && after.is_some() => {
                self.commits.remove(known);
                self.commits.insert(position - 1, commit);
                self.renumber(known);
            }
            Some(_) => {}
            None => {
                self.commits.insert(position, commit);
                self.renumber(position);
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

    /// Returns the order after runs on the last commits of these paths. A path with `+` has the commits since the
    /// previous run; without `+`, the commits between the two runs are unknown.
    fn order(runs: &[&str]) -> String {
        let paths: Vec<(bool, Vec<String>)> = runs
            .iter()
            .map(|run| (run.starts_with('+'), run.trim_start_matches('+').split(' ').map(str::to_owned).collect()))
            .collect();
        let mut order = CommitOrder::default();
        let mut before = None;
        for (follows, path) in &paths {
            order.add_path(&RunFacts { follows: *follows, ..RunFacts::default() }, path, before);
            before = path.last().map(String::as_str);
        }
        order.commits.join(" ")
    }

    #[test]
    fn commits_are_unique_and_follow_their_ancestors() {
        for (runs, wanted) in [
            (&["a", "+b", "+c d"][..], "a b c d"),
            // A bisection.
            (&["a", "+b c d e", "c", "b", "+c d e"], "a b c d e"),
            // A commit that is older than all earlier runs gets its place when a run leaves it again.
            (&["e", "b", "+c d e"], "b c d e"),
            (&["e", "b", "+c d", "+e"], "b c d e"),
            // A branch, and a return to the commit where it began.
            (&["a", "+x", "a", "+b"], "a b x"),
            (&["a", "+x", "a", "+b", "+x m"], "a b x m"),
            // Paths as earlier versions stored them.
            (&["a", "b", "a", "c"], "a b c"),
        ] {
            assert_eq!(order(runs), wanted, "{runs:?}");
        }
    }
}
