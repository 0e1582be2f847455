//! The order in which the cases of a run were executed, out of what its reports say of it.

use argus_core::stable_sort::StableSort;
use argus_report::{ExecutionOrder, Parsed, Place};

/// The cases of the reports read so far; of each what the reader of it made, and the runner that its report names.
pub(super) struct RunOrder<T> {
    cases: Vec<(Place, usize, (T, Option<String>))>,
    orders: Vec<ExecutionOrder>,
}

impl<T> Default for RunOrder<T> {
    fn default() -> Self {
        Self { cases: Vec::new(), orders: Vec::new() }
    }
}

impl<T> RunOrder<T> {
    /// Adds a report.
    pub(super) fn add(&mut self, parsed: &Parsed, cases: Vec<(Place, T)>) {
        if cases.is_empty() {
            return;
        }
        let report = self.orders.len();
        self.orders.push(parsed.order);
        self.cases.extend(cases.into_iter().map(|(place, case)| (place, report, (case, parsed.runner.clone()))));
    }

    /// All cases, in the order of execution where that is known, else as they came; and whether it is unknown. Several
    /// reports have one order only by the time.
    pub(super) fn finish(mut self) -> (Vec<(T, Option<String>)>, bool) {
        let is_known = match self.orders[..] {
            [ExecutionOrder::AsReported] => {
                self.cases.stable_sort_by_key(|(place, ..)| place.number);
                true
            }
            [_, ..] if self.orders.iter().all(|order| *order == ExecutionOrder::ByStart) => {
                let came = |one: &(Place, usize, _)| (one.0.started_at, one.1, one.0.number);
                // What was skipped never started.
                let mut sorted: Vec<_> = self.cases.iter().map(came).filter(|(at, ..)| at.is_some()).collect();
                sorted.sort_unstable();
                // Reports with times in seconds do not say which of two classes was first.
                let is_told = sorted.windows(2).all(|pair| pair[0].1 == pair[1].1 || pair[0].0 != pair[1].0);
                if is_told {
                    self.cases.stable_sort_by_key(came);
                }
                is_told
            }
            [] => true,
            _ => false,
        };
        (self.cases.into_iter().map(|(_, _, case)| case).collect(), !is_known)
    }
}

#[cfg(test)]
mod tests {
    use super::RunOrder;
    use argus_report::{ExecutionOrder, Options, Parsed, Place, parse};

    fn parsed(order: ExecutionOrder) -> Parsed {
        let report = parse(&b"<testsuite/>"[..], None, &Options::default(), &mut |_| {}).unwrap();
        Parsed { order, ..report }
    }

    /// Start in milliseconds, number in the report, name.
    type Timed = (i64, u64, &'static str);

    fn order(reports: &[(ExecutionOrder, &[Timed])]) -> (Vec<&'static str>, bool) {
        let mut all = RunOrder::default();
        for (order, cases) in reports {
            let place = |at: i64, number| Place { started_at: (at > 0).then_some(at), number };
            all.add(&parsed(*order), cases.iter().map(|(at, number, name)| (place(*at, *number), *name)).collect());
        }
        let (cases, is_unknown) = all.finish();
        (cases.into_iter().map(|(name, _)| name).collect(), is_unknown)
    }

    #[test]
    fn cases_come_as_they_ran_where_that_is_known() {
        use ExecutionOrder::{AsReported, ByStart, Unknown};
        assert_eq!(order(&[(AsReported, &[(0, 2, "b"), (0, 1, "a")])]), (vec!["a", "b"], false));
        assert_eq!(order(&[(ByStart, &[(9, 1, "c"), (5, 3, "b"), (5, 2, "a")])]), (vec!["a", "b", "c"], false));
        assert_eq!(order(&[(Unknown, &[(0, 2, "b"), (0, 1, "a")])]), (vec!["b", "a"], true));
        let (late, early): (&[_], &[_]) = (&[(9, 1, "b")], &[(5, 1, "a")]);
        assert_eq!(order(&[(ByStart, late), (ByStart, early)]), (vec!["a", "b"], false));
        assert!(order(&[(ByStart, late), (ByStart, late)]).1, "two in one second");
        assert_eq!(order(&[(AsReported, late), (AsReported, early)]), (vec!["b", "a"], true));
        assert_eq!(order(&[]), (vec![], false));
    }
}
