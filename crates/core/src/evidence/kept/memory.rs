//! All that verdicts look back on, as rows that each run changes.

use crate::evidence::facts::{CaseId, RunSeq, Trait};
use crate::evidence::kept::causes::Cause;
use crate::evidence::kept::fixes::Fix;
use crate::evidence::kept::history::TestHistory;
use crate::evidence::kept::order::Orders;
use crate::evidence::kept::traits::Traits;
use crate::evidence::kept::window::Window;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The rows. What is bounded is one of them, and is read whole; of the others only those that a run needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// The newest runs.
    pub window: Window,
    /// Orders that differ, of the newest runs; needed where [`Memory::needs_orders`] says so.
    #[serde(skip)]
    pub orders: Orders,
    /// What is kept of each test that failed once; needed of those that run.
    #[serde(skip)]
    pub tests: BTreeMap<CaseId, TestHistory>,
    /// Causes in the code that last.
    pub causes: Vec<Cause>,
    /// Outages, newest last.
    pub outages: Vec<Outage>,
    /// Changes after which a failure was gone.
    pub fixes: Vec<Fix>,
    /// What failures of each kind look like here.
    pub traits: Traits,
}

/// What the failures of an outage had in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// The id of the cause.
    pub id: u64,
    /// The error.
    pub common: Trait,
    /// The first run that had an outage with this error; absent in memories of earlier versions.
    #[serde(default)]
    pub first: Option<RunSeq>,
    /// The newest run that had it.
    pub last: RunSeq,
}
