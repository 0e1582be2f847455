//! Changes after which a failure was gone.

use crate::evidence::explanations::flakiness::passes_that_prove;
use crate::evidence::facts::{CaseId, RunSeq};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How sure a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProofStatus {
    /// Somebody reported it.
    Claimed,
    /// Found without a report: the failure was there on one tree and gone on a later one.
    Candidate,
    /// It passed often enough since.
    Proved,
    /// The same error came back on a tree that has the fix.
    Refuted,
    /// A later one took its place before it was proved.
    Superseded,
}

/// A change after which a failure was gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// The cause that it mended.
    pub cause: u64,
    /// Commits between the last failure and the first pass, newest first: one of them did it.
    pub commits: Vec<String>,
    /// The tests, with the error that each had.
    pub cases: BTreeMap<CaseId, u64>,
    /// The last run that failed.
    pub failed: RunSeq,
    /// The first run that passed.
    pub passed: RunSeq,
    /// The rate at which the failure came while it was there: 1 where it always came.
    pub rate: f64,
    /// Passes since, of the test that has fewest.
    pub passes: u32,
    /// How sure it is.
    pub status: ProofStatus,
}

/// How sure a proof is.
pub const CONFIDENCE: f64 = 0.95;

impl Fix {
    /// One that somebody reports; `rate`: how often the failure came while it was there.
    pub fn claimed(cause: u64, commits: Vec<String>, cases: BTreeMap<CaseId, u64>, run: RunSeq, rate: f64) -> Self {
        Self { cause, commits, cases, failed: run, passed: run, rate, passes: 0, status: ProofStatus::Claimed }
    }

    /// A later one is found for the same failures.
    pub fn record_later(&mut self, later: &Self) {
        let same = self.cases.iter().any(|(case, signature)| later.is_of(*case, *signature));
        if same && matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) {
            self.status = ProofStatus::Superseded;
        }
    }

    /// One more run of its tests that passed.
    pub fn record_pass(&mut self) {
        self.passes += 1;
        let needed = passes_that_prove(self.rate, CONFIDENCE);
        if matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) && self.passes >= needed {
            self.status = ProofStatus::Proved;
        }
    }

    /// The same error of the same test came back on a tree that has the fix.
    pub fn record_return(&mut self) {
        self.status = ProofStatus::Refuted;
    }

    /// Whether a failure is what it is said to have mended.
    pub fn is_of(&self, case: CaseId, signature: u64) -> bool {
        self.cases.get(&case) == Some(&signature)
    }
}
