//! Finds the position of a test in the newest runs from their stored orders, so that its case is found without reading
//! other cases.

use crate::EngineError;
use argus_core::evidence::{facts::case_id, stored_rows::memory::EvidenceMemory};
use argus_store::{Tx, evidence, runs::test_results::TestPosition};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Returns the positions in the `newest` newest runs, by run id.
pub(super) fn load(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    case_name: &str,
    newest: u32,
) -> Result<BTreeMap<String, TestPosition>, EngineError> {
    let case = case_id(case_name);
    let runs = || memory.window.runs().rev().take(newest as usize);
    let digests: BTreeSet<u64> = runs().map(|run| run.order).collect();
    let orders = evidence::find_orders(tx, &digests.into_iter().collect::<Vec<_>>())?;
    let count = |cases: usize| u32::try_from(cases).unwrap_or(u32::MAX);
    let place = |order: evidence::OrderRow| {
        let at = order.cases.iter().position(|other| *other == case);
        let place = at.map(|at| TestPosition::After { cases: count(at), of: count(order.cases.len()) });
        (order.digest, place.unwrap_or(TestPosition::Absent))
    };
    let by_order: HashMap<u64, TestPosition> = orders.into_iter().map(place).collect();
    Ok(runs().filter_map(|run| Some((run.id.clone(), *by_order.get(&run.order)?))).collect())
}
