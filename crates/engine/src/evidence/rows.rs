//! Reads and writes the rows of evidence.

use crate::{EngineError, ErrorCode};
use argus_core::evidence::{
    facts::{CaseId, RunSeq},
    kept::{
        fixes::Fix,
        history::TestHistory,
        memory::Memory,
        order::{MAX_ORDERED_CASES, MAX_ORDERS, Order},
    },
};
use argus_store::{
    Tx,
    evidence::{self, OrderRow, TestRow},
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Names of the tests with a row.
pub(super) type TestNames = BTreeMap<CaseId, String>;

/// Reads the bounded part of the evidence. None if nothing was judged yet.
pub(super) async fn load(tx: &mut impl Tx) -> Result<Option<Memory>, EngineError> {
    let state = evidence::state(tx).await?;
    // The evidence is derived from runs, so unreadable state is rebuilt.
    Ok(state.and_then(|state| serde_json::from_str(&state).ok()))
}

/// Reads only the fixes of the bounded part, which are a small share of it.
pub(crate) async fn load_fixes(tx: &mut impl Tx) -> Result<Vec<Fix>, EngineError> {
    #[derive(Default, Deserialize)]
    struct Fixes {
        fixes: Vec<Fix>,
    }
    let state = evidence::state(tx).await?;
    let read: Option<Fixes> = state.and_then(|state| serde_json::from_str(&state).ok());
    Ok(read.unwrap_or_default().fixes)
}

/// Reads git's tree ids of the newest runs, by run id.
pub(crate) async fn load_trees(tx: &mut impl Tx) -> Result<BTreeMap<String, String>, EngineError> {
    #[derive(Default, Deserialize)]
    struct Trees {
        window: RunsOfWindow,
    }
    #[derive(Default, Deserialize)]
    struct RunsOfWindow {
        runs: Vec<TreeOfRun>,
    }
    #[derive(Deserialize)]
    struct TreeOfRun {
        id: String,
        tree: String,
        commit: Option<String>,
    }
    let state = evidence::state(tx).await?;
    let read: Option<Trees> = state.and_then(|state| serde_json::from_str(&state).ok());
    // Without an id from git, the commit or a unique text stands in for the tree.
    let is_of_git = |run: &TreeOfRun| {
        run.commit.as_ref() != Some(&run.tree) && run.tree.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let runs = read.unwrap_or_default().window.runs.into_iter().filter(is_of_git);
    Ok(runs.map(|run| (run.id, run.tree)).collect())
}

/// Adds the rows of the given tests, if they have one.
pub(super) async fn load_tests(
    tx: &mut impl Tx,
    memory: &mut Memory,
    cases: &[CaseId],
) -> Result<TestNames, EngineError> {
    Ok(add_tests(memory, evidence::tests(tx, cases).await?))
}

/// Adds the rows of all tests.
pub(super) async fn load_all_tests(tx: &mut impl Tx, memory: &mut Memory) -> Result<TestNames, EngineError> {
    Ok(add_tests(memory, evidence::all_tests(tx).await?))
}

/// Returns the names of the given tests, if they have a row.
pub(super) async fn names(tx: &mut impl Tx, cases: &[CaseId]) -> Result<TestNames, EngineError> {
    Ok(evidence::tests(tx, cases).await?.into_iter().map(|row| (row.case, row.name)).collect())
}

fn add_tests(memory: &mut Memory, rows: Vec<TestRow>) -> TestNames {
    let mut names = TestNames::new();
    for TestRow { case, name, history } in rows {
        if let Ok(history) = serde_json::from_str::<TestHistory>(&history) {
            memory.tests.insert(case, history);
        }
        names.insert(case, name);
    }
    names
}

/// Adds the orders of the newest runs.
pub(super) async fn load_orders(tx: &mut impl Tx, memory: &mut Memory) -> Result<(), EngineError> {
    for row in evidence::orders(tx).await? {
        memory.orders.push(row.run_seq, Order::kept(row.cases, row.digest));
    }
    Ok(())
}

/// Writes the changes of a run. `order` is the order of its cases, and `name` returns the name of a case.
pub(super) async fn save(
    tx: &mut impl Tx,
    memory: &Memory,
    seq: RunSeq,
    order: &Order,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    evidence::set_state(tx, &json(memory)?).await?;
    save_tests(tx, memory, |case| if order.contains(case) { name(case) } else { None }).await?;
    save_order(tx, seq, order).await
}

/// Writes all evidence into a database without evidence.
pub(super) async fn save_all(
    tx: &mut impl Tx,
    memory: &Memory,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    evidence::set_state(tx, &json(memory)?).await?;
    save_tests(tx, memory, name).await?;
    for (seq, order) in memory.orders.iter() {
        save_order(tx, *seq, order).await?;
    }
    Ok(())
}

/// Writes the rows of the tests that have a name.
async fn save_tests(
    tx: &mut impl Tx,
    memory: &Memory,
    name: impl Fn(CaseId) -> Option<String>,
) -> Result<(), EngineError> {
    let mut rows = Vec::new();
    for (case, history) in &memory.tests {
        let Some(name) = name(*case) else { continue };
        rows.push(TestRow { case: *case, name, history: json(history)? });
    }
    Ok(evidence::set_tests(tx, &rows).await?)
}

async fn save_order(tx: &mut impl Tx, seq: RunSeq, order: &Order) -> Result<(), EngineError> {
    let row = OrderRow { digest: order.digest(), run_seq: seq, cases: order.cases().to_vec() };
    Ok(evidence::keep_order(tx, &row, MAX_ORDERS, MAX_ORDERED_CASES).await?)
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, EngineError> {
    serde_json::to_string(value)
        .map_err(|error| EngineError::new(ErrorCode::InternalError, format!("Evidence cannot be written: {error}.")))
}
