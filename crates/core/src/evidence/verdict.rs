//! Verdicts with their reasons and the run that would settle them.

use crate::evidence::facts::{CaseId, RunSeq};
use crate::failure::category::Category;
use serde::{Deserialize, Serialize};

/// Kind of verdict on a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerdictKind {
    /// The failure began with a change.
    Regression,
    /// The failure continues from an earlier run.
    Broken,
    /// The test fails by chance.
    Flaky,
    /// The machine failed, not the code.
    Infrastructure,
    /// A test that ran before makes the test fail.
    Order,
    /// The test fails in some environments.
    Environment,
    /// The test has no history.
    New,
    /// The evidence is insufficient.
    Unknown,
}

impl VerdictKind {
    /// Returns the name of the kind in answers to agents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Broken => "broken",
            Self::Flaky => "flaky",
            Self::Infrastructure => "infrastructure",
            Self::Order => "order",
            Self::Environment => "environment",
            Self::New => "new",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the kind of a failure from the probabilities of its explanations, and the probability of the most likely
    /// explanation. `has_history` states whether the test ran before. `may_be_chance` states whether there is evidence
    /// for chance; without such evidence, the result is `Flaky` only if every other explanation is ruled out.
    pub fn choose_likeliest(weighed: &[(Self, f64)], has_history: bool, may_be_chance: bool) -> (Self, f64) {
        let best =
            weighed.iter().copied().fold((Self::Unknown, 0.0), |best, one| if one.1 > best.1 { one } else { best });
        let kind = match best.0 {
            kind @ (Self::Infrastructure | Self::Broken) if best.1 >= 0.5 => kind,
            _ if !has_history => Self::New,
            Self::Flaky if !may_be_chance && best.1 < MIN_SOLE_CHANCE_PROBABILITY => Self::Unknown,
            kind if best.1 >= MIN_PROBABILITY => kind,
            _ => Self::Unknown,
        };
        (kind, best.1)
    }
}

/// Minimum probability of the best explanation. Below it, the verdict is `unknown`.
const MIN_PROBABILITY: f64 = 0.4;
/// Above this probability of chance, every other explanation is ruled out.
const MIN_SOLE_CHANCE_PROBABILITY: f64 = 0.995;

/// The verdict on a failing case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Kind of the failure.
    pub kind: VerdictKind,
    /// Calibrated probability of `kind`.
    pub probability: f64,
    /// Probability of each kind that was weighed. They sum to 1.
    pub weighed: Vec<(VerdictKind, f64)>,
    /// The run and commit at which the failure started.
    pub since: Option<FailureStart>,
    /// Evidence for the verdict.
    pub because: Vec<Reason>,
    /// Evidence for another verdict.
    pub against: Vec<Reason>,
    /// The run that would settle the verdict.
    pub settle: Option<SettlingRun>,
    /// The test that makes this test fail, for `order`.
    pub polluter: Option<CaseId>,
    /// The condition under which the test fails, for `environment`.
    pub condition: Option<(String, String)>,
    /// Commits that may have introduced the failure.
    pub suspects: Vec<Suspect>,
    /// Earlier runs that show the same failure without the changes of this run.
    pub precedents: Precedents,
}

/// Earlier runs with the same failure, by which a gate can excuse the failure. A caller that knows the commits of a
/// change can check whether the failure occurs without that change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Precedents {
    /// Runs of committed trees in which the test failed with the same error, oldest first. For `environment`, only runs
    /// that have the condition. For `infrastructure`, runs that had the same outage.
    pub failed: Vec<RunSeq>,
    /// The newest run on the same tree in which the test passed.
    pub passed_on_tree: Option<RunSeq>,
    /// Set if the test failed in all of several runs on this tree, which is evidence against an excuse.
    pub failed_on_tree: Option<TreeFailures>,
}

/// Failures of a test in all runs on the same tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeFailures {
    /// Number of runs including the judged run, at least 2.
    pub runs: u32,
    /// Probability of `runs` consecutive failures at the failure rate of the test on other committed trees.
    pub chance: f64,
}

impl Verdict {
    /// Returns `true` if a reason names edited files.
    pub fn names_edits(&self) -> bool {
        self.because
            .iter()
            .chain(&self.against)
            .any(|reason| matches!(reason, Reason::Changed { .. } | Reason::DiffersFromCommit { .. }))
    }
}

/// A commit that may have introduced the failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// The commit.
    pub commit: String,
    /// Probability that this commit introduced the failure.
    pub probability: f64,
    /// True if the tree lost this commit, so that its absence introduced the failure.
    pub is_lost: bool,
}

/// The start of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureStart {
    /// The first failing run.
    pub run: RunSeq,
    /// Commit of that run, if an earlier run passed. Otherwise the failure may be older.
    pub commit: Option<String>,
}

/// A run that would settle a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettlingRun {
    /// Run only this case again on the same tree.
    RerunAlone,
    /// Run only these two tests, in this order.
    RunPair {
        /// The test that may make the other test fail.
        first: CaseId,
    },
    /// Run the case at this commit.
    RunAt {
        /// The commit.
        commit: String,
    },
    /// Run this tree on a machine without the condition.
    RunElsewhere {
        /// The condition.
        condition: (String, String),
    },
    /// Run all tests again.
    RerunAll,
}

/// Evidence for or against a verdict. Each reason names a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reason {
    /// The test passed and failed on the same tree.
    BothOutcomes {
        /// A run that passed.
        passed: RunSeq,
        /// A run on the same tree that failed.
        failed: RunSeq,
    },
    /// The test failed with this error before and passed since.
    CameBefore {
        /// Number of earlier failures with this error.
        times: u32,
        /// The newest earlier run with this error.
        last: RunSeq,
    },
    /// The test has failed since this run.
    FailsSince {
        /// The run.
        run: RunSeq,
        /// Number of failing runs in a row.
        runs: u32,
    },
    /// No pass of the test is known.
    AlwaysFailed {
        /// The first known run.
        first: RunSeq,
        /// Number of runs.
        runs: u32,
    },
    /// The test never failed with this error before.
    FirstTime {
        /// The judged run.
        run: RunSeq,
        /// Number of runs in which the test passed before.
        passed: u32,
    },
    /// There are commits or edits between the last pass and the failure.
    Changed {
        /// The last run that passed.
        passed: RunSeq,
        /// The run that failed.
        failed: RunSeq,
        /// Number of commits between them; 0 for an edit.
        commits: u32,
    },
    /// The tree lacks commits of the last pass, because the branch was reset or switched.
    Lost {
        /// The last run that passed.
        passed: RunSeq,
        /// The run that failed.
        failed: RunSeq,
        /// Number of lost commits that may be the reason.
        commits: u32,
    },
    /// The first known run was on files that differ from their commit.
    DiffersFromCommit {
        /// The run.
        run: RunSeq,
        /// Number of failures with a file that differs, in the stack or as the file of the test.
        there: u32,
        /// Total number of failures of the run.
        failures: u32,
    },
    /// Nothing changed since the test passed.
    Unchanged {
        /// The last run that passed.
        passed: RunSeq,
    },
    /// Other tests fail in the same function or with the same error.
    Together {
        /// The run.
        run: RunSeq,
        /// Number of tests.
        cases: u32,
    },
    /// An error occurs in many files.
    Spread {
        /// The run.
        run: RunSeq,
        /// Number of tests that failed with it.
        cases: u32,
        /// Number of files with such tests.
        files: u32,
        /// Number of tests that ran.
        ran: u32,
    },
    /// The category is typical of machine failures.
    MachineCategory {
        /// The run.
        run: RunSeq,
        /// The category.
        category: Category,
    },
    /// The error is typical of machines, and nothing that the failure involves was changed.
    MachineError {
        /// The judged run.
        run: RunSeq,
        /// The last run that passed.
        passed: RunSeq,
    },
    /// Failures with the condition compared to failures without it.
    Condition {
        /// The newest failing run.
        run: RunSeq,
        /// The condition.
        condition: (String, String),
        /// Failures and total number of runs with the condition.
        inside: (u32, u32),
        /// Failures and total number of runs without the condition.
        outside: (u32, u32),
    },
    /// Another test ran before this test whenever it failed.
    RanBefore {
        /// The newest failing run.
        run: RunSeq,
        /// The other test.
        polluter: CaseId,
        /// Number of failing runs in which the other test ran before this test.
        failing: u32,
        /// Number of further tests that are equally suspect, because they ran before this test equally often in failing
        /// and in passing runs.
        others: u32,
    },
    /// This error occurred by chance in other tests, which are flaky.
    ChanceElsewhere {
        /// The judged run.
        run: RunSeq,
        /// Number of tests.
        tests: u32,
    },
    /// How often the test fails by chance.
    FailsByChance {
        /// The newest failing run.
        run: RunSeq,
        /// Number of failing runs, and of runs in which the test could have failed.
        failures: (u32, u32),
    },
    /// The runs do not distinguish the two most likely explanations.
    Undecided {
        /// The judged run.
        run: RunSeq,
        /// The most likely explanation and its probability.
        likeliest: (VerdictKind, f64),
        /// The second most likely explanation and its probability.
        next: (VerdictKind, f64),
    },
}

impl Reason {
    /// Returns the newest run that the reason names.
    pub fn run(&self) -> RunSeq {
        match *self {
            Self::BothOutcomes { passed, failed }
            | Self::Changed { passed, failed, .. }
            | Self::Lost { passed, failed, .. } => passed.max(failed),
            Self::CameBefore { last, .. } => last,
            Self::Unchanged { passed } => passed,
            Self::AlwaysFailed { first, .. } => first,
            Self::FailsSince { run, .. }
            | Self::FirstTime { run, .. }
            | Self::Together { run, .. }
            | Self::Spread { run, .. }
            | Self::MachineCategory { run, .. }
            | Self::MachineError { run, .. }
            | Self::Condition { run, .. }
            | Self::RanBefore { run, .. }
            | Self::ChanceElsewhere { run, .. }
            | Self::DiffersFromCommit { run, .. }
            | Self::FailsByChance { run, .. }
            | Self::Undecided { run, .. } => run,
        }
    }
}
