//! All that verdicts look back on, as rows that each run changes.

use super::{
    causes::Cause,
    facts::{CaseId, RunSeq, Trait},
    fixes::Fix,
    history::TestHistory,
    order::Orders,
    traits::Traits,
    window::Window,
};
use std::collections::BTreeMap;

/// The rows. A verdict needs the tests that fail, a record those that ran; the rest is bounded.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The newest runs.
    pub window: Window,
    /// Orders that differ, of the newest runs.
    pub orders: Orders,
    /// What is kept of each test.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The id of the cause.
    pub id: u64,
    /// The error.
    pub common: Trait,
    /// The newest run that had it.
    pub last: RunSeq,
}
