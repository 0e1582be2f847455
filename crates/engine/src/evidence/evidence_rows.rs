//! Reads and writes the rows of evidence.

use crate::{EngineError, ErrorCode};
use argus_core::evidence::{
    facts::{CaseId, RunSeq},
    stored_rows::{
        fixes::Fix,
        history::TestHistory,
        memory::EvidenceMemory,
        order::{MAX_ORDERED_CASES, MAX_ORDERS, Order},
    },
};
use argus_store::{
    Tx,
    evidence::{self, OrderRow, TestHistoryRow},
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Names of the tests with a row.
pub(super) type TestNames = BTreeMap<CaseId, String>;

/// Reads the state of the evidence, which has a bounded size. The rows of tests and orders are loaded separately. None
/// if nothing was judged yet.
pub(crate) fn load(tx: &mut Tx<'_>) -> Result<Option<EvidenceMemory>, EngineError> {
    let state = evidence::read_state(tx)?;
    // The evidence is derived from runs, so unreadable state is rebuilt.
    Ok(state.and_then(|state| serde_json::from_str(&state).ok()))
}

/// Reads only the fixes from the state, because they are a small part of it.
pub(crate) fn load_fixes(tx: &mut Tx<'_>) -> Result<Vec<Fix>, EngineError> {
    #[derive(Default, Deserialize)]
    struct Fixes {
        fixes: Vec<Fix>,
    }
    let state = evidence::read_state(tx)?;
    let read: Option<Fixes> = state.and_then(|state| serde_json::from_str(&state).ok());
    Ok(read.unwrap_or_default().fixes)
}

/// Reads git's tree ids of the newest runs, by run id.
pub(crate) fn load_trees(tx: &mut Tx<'_>) -> Result<BTreeMap<String, String>, EngineError> {
    #[derive(Default, Deserialize)]
    struct Trees {
        window: WindowRuns,
    }
    #[derive(Default, Deserialize)]
    struct WindowRuns {
        runs: Vec<RunTree>,
    }
    #[derive(Deserialize)]
    struct RunTree {
        id: String,
        tree: String,
        commit: Option<String>,
    }
    let state = evidence::read_state(tx)?;
    let read: Option<Trees> = state.and_then(|state| serde_json::from_str(&state).ok());
    // If git gave no id of the tree, the field has the commit or a unique text instead.
    let is_git_tree =
        |run: &RunTree| run.commit.as_ref() != Some(&run.tree) && run.tree.bytes().all(|byte| byte.is_ascii_hexdigit());
    let runs = read.unwrap_or_default().window.runs.into_iter().filter(is_git_tree);
    Ok(runs.map(|run| (run.id, run.tree)).collect())
}

/// Adds the rows of the given tests, if they exist.
pub(super) fn load_tests(
    tx: &mut Tx<'_>,
    memory: &mut EvidenceMemory,
    cases: &[CaseId],
) -> Result<TestNames, EngineError> {
    Ok(add_tests(memory, evidence::find_test_histories(tx, cases)?))
}

/// Adds the rows of all tests.
pub(super) fn load_all_tests(tx: &mut Tx<'_>, memory: &mut EvidenceMemory) -> Result<TestNames, EngineError> {
    Ok(add_tests(memory, evidence::list_test_histories(tx)?))
}

/// Returns the names of all tests with a row.
pub(super) fn load_all_names(tx: &mut Tx<'_>) -> Result<TestNames, EngineError> {
    Ok(evidence::list_test_names(tx)?)
}

/// Returns the names of the given tests, if they have a row.
pub(super) fn load_names(tx: &mut Tx<'_>, cases: &[CaseId]) -> Result<TestNames, EngineError> {
    Ok(evidence::find_test_histories(tx, cases)?.into_iter().map(|row| (row.case, row.name)).collect())
}

fn add_tests(memory: &mut EvidenceMemory, rows: Vec<TestHistoryRow>) -> TestNames {
    let mut names = TestNames::new();
    for TestHistoryRow { case, name, history } in rows {
        if let Ok(history) = serde_json::from_str::<TestHistory>(&history) {
            memory.tests.insert(case, history);
        }
        names.insert(case, name);
    }
    names
}

/// Adds the orders of the newest runs.
pub(super) fn load_case_orders(tx: &mut Tx<'_>, memory: &mut EvidenceMemory) -> Result<(), EngineError> {
    for row in evidence::list_orders(tx)? {
        memory.orders.push(row.run_seq, Order::restore(row.cases, row.digest));
    }
    Ok(())
}

/// Writes the evidence after a run. `order` is the order of its cases, and `name` returns the name of a case.
pub(super) fn save(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    seq: RunSeq,
    order: &Order,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    evidence::set_state(tx, &to_json(memory)?)?;
    save_tests(tx, memory, |case| if order.contains(case) { name(case) } else { None })?;
    save_order(tx, seq, order)
}

/// Writes all evidence into a database without evidence.
pub(super) fn save_all(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    evidence::set_state(tx, &to_json(memory)?)?;
    save_tests(tx, memory, name)?;
    for (seq, order) in memory.orders.iter() {
        save_order(tx, *seq, order)?;
    }
    Ok(())
}

/// Writes the rows of the tests that have a name.
fn save_tests(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    let mut rows = Vec::new();
    for (case, history) in &memory.tests {
        let Some(name) = name(*case) else { continue };
        rows.push(TestHistoryRow { case: *case, name, history: to_json(history)? });
    }
    Ok(evidence::store_test_histories(tx, &rows)?)
}

fn save_order(tx: &mut Tx<'_>, seq: RunSeq, order: &Order) -> Result<(), EngineError> {
    let row = OrderRow { digest: order.digest(), run_seq: seq, cases: order.cases().to_vec() };
    Ok(evidence::store_order(tx, &row, MAX_ORDERS, MAX_ORDERED_CASES)?)
}

pub(super) fn to_json(value: &impl serde::Serialize) -> Result<String, EngineError> {
    serde_json::to_string(value)
        .map_err(|error| EngineError::new(ErrorCode::InternalError, format!("Evidence cannot be written: {error}.")))
}
