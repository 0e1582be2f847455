//! Reconstructs the order in which the cases of a run were executed from its reports.

use argus_core::stable_sort::StableSort;
use argus_report::{CasePosition, ExecutionOrder, ParsedReport};

/// Start of a case, according to its report.
pub(super) struct CaseStart {
    place: CasePosition,
    /// Empty if the report has a single order for all of its cases.
    unit: String,
}

impl CaseStart {
    pub(super) const fn new(place: CasePosition, unit: String) -> Self {
        Self { place, unit }
    }
}

/// The cases of the reports that were read so far. Each entry has the start of the case, the index of its report, the
/// value that was made from the case, and the runner.
pub(super) struct ExecutionOrderBuilder<T> {
    cases: Vec<(CaseStart, usize, (T, Option<String>))>,
    orders: Vec<ExecutionOrder>,
}

impl<T> Default for ExecutionOrderBuilder<T> {
    fn default() -> Self {
        Self { cases: Vec::new(), orders: Vec::new() }
    }
}

impl<T> ExecutionOrderBuilder<T> {
    /// Adds a report with its cases.
    pub(super) fn add(&mut self, parsed: &ParsedReport, cases: Vec<(CaseStart, T)>) {
        if cases.is_empty() {
            return;
        }
        let report = self.orders.len();
        self.orders.push(parsed.order);
        let has_units = parsed.order == ExecutionOrder::ByStartInUnits;
        self.cases.extend(cases.into_iter().map(|(mut ran, case)| {
            if !has_units {
                ran.unit.clear();
            }
            (ran, report, (case, parsed.runner.clone()))
        }));
    }

    /// Returns all cases in the order of execution, and whether that order is unknown. Several reports can be ordered
    /// only by time. Units that ran in parallel are ordered by name, so that two runs have the same order even if
    /// another unit was faster.
    pub(super) fn finish(mut self) -> (Vec<(T, Option<String>)>, bool) {
        let is_known = match self.orders[..] {
            [ExecutionOrder::AsReported] => {
                self.cases.stable_sort_by_key(|(ran, ..)| ran.place.number);
                true
            }
            [_, ..] if self.orders.iter().all(|order| is_by_start(*order)) => {
                self.cases.stable_sort_by(|first, second| start_key(first).cmp(&start_key(second)));
                // Skipped cases never started.
                let ran: Vec<_> = self.cases.iter().map(start_key).filter(|(_, at, ..)| at.is_some()).collect();
                // Reports with times in seconds do not show which of two classes started first.
                ran.windows(2).all(|pair| pair[0].2 == pair[1].2 || (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1))
            }
            [] => true,
            _ => false,
        };
        (self.cases.into_iter().map(|(_, _, case)| case).collect(), !is_known)
    }
}

const fn is_by_start(order: ExecutionOrder) -> bool {
    matches!(order, ExecutionOrder::ByStart | ExecutionOrder::ByStartInUnits)
}

fn start_key<T>((ran, report, _): &(CaseStart, usize, T)) -> (&str, Option<i64>, usize, u64) {
    (&ran.unit, ran.place.started_at, *report, ran.place.number)
}

#[cfg(test)]
mod tests {
    use super::{CaseStart, ExecutionOrderBuilder};
    use argus_report::{CasePosition, ExecutionOrder, Options, ParsedReport, parse};

    fn parsed(order: ExecutionOrder) -> ParsedReport {
        let report = parse(&b"<testsuite/>"[..], None, &Options::default(), &mut |_| {}).unwrap();
        ParsedReport { order, ..report }
    }

    /// Start in milliseconds, number in the report, and name.
    type Timed = (i64, u64, &'static str);

    fn order(reports: &[(ExecutionOrder, &[Timed])]) -> (Vec<&'static str>, bool) {
        let mut all = ExecutionOrderBuilder::default();
        for (order, cases) in reports {
            let ran = |at: i64, number, name: &str| {
                CaseStart::new(
                    CasePosition { started_at: (at > 0).then_some(at), number, ..CasePosition::default() },
                    name[..1].to_owned(),
                )
            };
            all.add(&parsed(*order), cases.iter().map(|(at, number, name)| (ran(*at, *number, name), *name)).collect());
        }
        let (cases, is_unknown) = all.finish();
        (cases.into_iter().map(|(name, _)| name).collect(), is_unknown)
    }

    #[test]
    fn finish_orders_cases_by_execution_if_known() {
        use ExecutionOrder::{AsReported, ByStart, ByStartInUnits, Unknown};
        assert_eq!(order(&[(AsReported, &[(0, 2, "b"), (0, 1, "a")])]), (vec!["a", "b"], false));
        assert_eq!(order(&[(ByStart, &[(9, 1, "c"), (5, 3, "b"), (5, 2, "a")])]), (vec!["a", "b", "c"], false));
        assert_eq!(order(&[(Unknown, &[(0, 2, "b"), (0, 1, "a")])]), (vec!["b", "a"], true));
        let (late, early): (&[_], &[_]) = (&[(9, 1, "b")], &[(5, 1, "a")]);
        assert_eq!(order(&[(ByStart, late), (ByStart, early)]), (vec!["a", "b"], false));
        assert!(order(&[(ByStart, late), (ByStart, late)]).1, "two in one second");
        assert_eq!(order(&[(AsReported, late), (AsReported, early)]), (vec!["b", "a"], true));
        assert_eq!(order(&[]), (vec![], false));
        let (slow_a, slow_b) = ([(9, 1, "a2"), (8, 2, "a1"), (5, 3, "b1")], [(9, 1, "b1"), (3, 2, "a2"), (2, 3, "a1")]);
        let by_unit = (vec!["a1", "a2", "b1"], false);
        assert_eq!(order(&[(ByStartInUnits, &slow_a)]), by_unit, "units ran beside one another");
        assert_eq!(order(&[(ByStartInUnits, &slow_b)]), by_unit);
    }
}
