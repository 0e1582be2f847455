//! The data that verdicts use, as rows that each run updates.

use crate::evidence::facts::{CaseId, FailureKey, RunSeq};
use crate::evidence::stored_rows::causes::Cause;
use crate::evidence::stored_rows::failure_traits::FailureTraits;
use crate::evidence::stored_rows::fixes::Fix;
use crate::evidence::stored_rows::history::TestHistory;
use crate::evidence::stored_rows::order::CaseOrders;
use crate::evidence::stored_rows::window::RunWindow;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The rows. Bounded rows are stored and loaded as a whole; `orders` and `tests` are loaded only as far as a run needs
/// them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EvidenceMemory {
    /// The newest runs.
    pub window: RunWindow,
    /// Distinct orders of the newest runs. Needed if [`EvidenceMemory::needs_orders`] returns true.
    #[serde(skip)]
    pub orders: CaseOrders,
    /// Histories of tests that have failed. Needed for the tests that run.
    #[serde(skip)]
    pub tests: BTreeMap<CaseId, TestHistory>,
    /// Lasting causes in the code.
    pub causes: Vec<Cause>,
    /// Outages, newest last.
    pub outages: Vec<Outage>,
    /// Changes after which a failure was gone.
    pub fixes: Vec<Fix>,
    /// Learned properties of the failures of each kind.
    pub traits: FailureTraits,
}

/// A remembered outage, identified by the common property of its failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Id of the outage as a cause.
    pub id: u64,
    /// The error.
    pub common: FailureKey,
    /// The first run that had an outage with this error; absent in memories of earlier versions.
    #[serde(default)]
    pub first: Option<RunSeq>,
    /// The newest run that had this outage.
    pub last: RunSeq,
}
