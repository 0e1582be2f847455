//! Types of reported fixes, and of what came of them.

use argus_core::{Category, evidence::kept::fixes::ProofStatus};
use serde::{Deserialize, Serialize};

contract! {
    /// One reported fix.
    pub struct FixRecord {
        /// `fix-…`.
        pub id: String,
        /// The pattern in whose history it stands.
        pub pattern_id: String,
        /// Run of the failure.
        pub run_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// True: it was reported for another failure that the built-in speaks for, and says nothing of the diagnosed one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub of_other_failure: bool,
        /// What was changed.
        pub fix_description: String,
        /// Whether it was reported to have resolved the failure; what came of that is its state.
        pub success: bool,
        /// Of what was reported as a success.
        pub state: Option<ProofStatus>,
        /// The later run in which the case passed.
        pub proved_by: Option<String>,
        /// The later run in which the case failed again, or the later report that takes it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub refuted_by: Option<String>,
        /// Runs since in which the case passed at once, where more than one has to; `passesNeeded` of them prove it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passes: Option<u32>,
        /// Absent: one pass proves it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passes_needed: Option<u32>,
        /// When it was reported.
        pub created_at: String,
        /// Who reported it; none: it is from before this was kept.
        pub recorded_by: Option<String>,
        /// On which machine.
        pub recorded_from: Option<String>,
    }

    /// A fix to record.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ReportFixParams {
        /// Run of the failure.
        pub run_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// What was changed.
        pub fix_description: String,
        /// Whether it resolved the failure.
        pub success: bool,
        /// Id of an earlier report of the same case (`fix-…`) whose text this report corrects.
        #[serde(default)]
        pub supersedes: Option<String>,
        /// Environment in which it was tried, as in `record_outcome`; an unknown one when none.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"))]
        pub env: Option<serde_json::Value>,
    }

    /// What a reported fix changed.
    pub struct ReportFixResult {
        /// The pattern it counts on.
        pub pattern_id: String,
        /// The pattern that learned it, and that the failure is from now on, where it counts on a built-in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub learned_by: Option<String>,
        /// What it is.
        pub category: Category,
        /// None for a pattern this call created.
        pub previous_confidence: Option<f64>,
        /// After this fix.
        pub updated_confidence: f64,
        /// After this fix.
        pub occurrences: u32,
        /// After this fix.
        pub resolutions: u32,
        /// `fix-…`.
        pub fix_record_id: String,
        /// This call created the pattern.
        pub is_new_pattern: bool,
        /// Of a success.
        pub state: Option<ProofStatus>,
        /// The later run in which the case passed.
        pub proved_by: Option<String>,
        /// What would prove it, where nothing does yet.
        pub to_prove: Option<String>,
        /// Of a success: how far runs have proved it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub trust: Option<FixTrust>,
        /// What speaks against it.
        pub warnings: Vec<String>,
    }

    /// How far a fix can be trusted, and which runs that rests on.
    #[derive(Eq)]
    pub struct FixTrust {
        /// `claimed`: somebody said so. `proved`: it passed often enough since. `refuted`: it came back, or was taken back.
        pub state: ProofStatus,
        /// Runs since in which the case passed at once.
        pub passes: u32,
        /// How many prove it: one where the failure always came, more where it came by chance.
        pub needed: u32,
        /// The run of the failure.
        pub failed_in: String,
        /// The run that made it enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub proved_by: Option<String>,
        /// The run in which the failure came back, or the report that takes it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub refuted_by: Option<String>,
        /// What changed between the last failure and the first pass. None if no run has passed, or nothing is known to have
        /// changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub change: Option<FixChange>,
    }

    /// What changed between the last failure of a test and its first pass.
    #[derive(Default, Eq)]
    pub struct FixChange {
        /// Full hashes of the commits, newest first, at most 5.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub commits: Vec<String>,
        /// Files whose uncommitted edits differ, relative to the project, at most 40.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub files: Vec<String>,
        /// Functions and types that these edits touch, at most 10.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub symbols: Vec<String>,
        /// Whether the reported text has no word in common with the change. The runs then prove the change, not the text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub unnamed: bool,
    }

    /// A success that was only claimed until a run showed it.
    pub struct ProvedFix {
        /// The case that passes now.
        pub case_name: String,
        /// The pattern that learned it.
        pub pattern_id: String,
        /// What was changed.
        pub fix_description: String,
    }

    /// A fix recorded straight on a pattern, for Node tooling.
    pub struct RecordFixParams {
        /// The pattern it counts on.
        pub pattern_id: String,
        /// Run of the failure.
        pub run_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// What was changed.
        pub fix_description: String,
        /// Whether it resolved the failure.
        pub success: bool,
    }
}

/// What came of trying a fix: each failure that it was reported for counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// Successes that a later run showed.
    pub proved: u32,
    /// Successes that no run has shown.
    pub claimed: u32,
    /// Failures, and successes that a later run refuted.
    pub failed: u32,
}

impl Tried {
    pub(crate) const fn is_claimed(self) -> bool {
        self.proved == 0 && self.claimed > 0
    }
}
