//! Types of reported fixes and their results.

use argus_core::{Category, evidence::stored_rows::fixes::ProofStatus};
use serde::{Deserialize, Serialize};

contract! {
    /// A reported fix.
    pub struct FixRecord {
        /// `fix-…`.
        pub id: String,
        /// Pattern whose history contains it.
        pub pattern_id: String,
        /// Run of the failure.
        pub run_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// True if it was reported for another failure of the same built-in pattern, so it is no evidence here.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub of_other_failure: bool,
        /// Description of the change.
        pub fix_description: String,
        /// True if it was reported as successful. `state` shows whether runs confirmed that.
        pub success: bool,
        /// Proof of a reported success.
        pub state: Option<ProofStatus>,
        /// The later run in which the case passed.
        pub proved_by: Option<String>,
        /// The later run in which the case failed again, or the later report that withdrew the fix.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub refuted_by: Option<String>,
        /// Number of later runs in which the case passed at the first attempt, if the proof needs more than one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passes: Option<u32>,
        /// Number of passes that prove the fix. Absent if one pass is enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passes_needed: Option<u32>,
        /// Time of the report.
        pub created_at: String,
        /// Who reported the fix, or null for entries of earlier versions.
        pub recorded_by: Option<String>,
        /// Machine on which it was recorded.
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
        /// Description of the change.
        pub fix_description: String,
        /// True if it resolved the failure.
        pub success: bool,
        /// Id of an earlier report of the same case (`fix-…`) whose text this report corrects.
        #[serde(default)]
        pub supersedes: Option<String>,
        /// Environment in which it was tried, as in `record_outcome`. Default: unknown.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"))]
        pub env: Option<serde_json::Value>,
    }

    /// Result of reporting a fix.
    pub struct ReportFixResult {
        /// Pattern that the fix counts for.
        pub pattern_id: String,
        /// Pattern that learned the fix and now has the failure, if `patternId` is a built-in pattern.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub learned_by: Option<String>,
        /// Category of the failure.
        pub category: Category,
        /// Confidence before this call, or null if this call created the pattern.
        pub previous_confidence: Option<f64>,
        /// Confidence after this fix.
        pub updated_confidence: f64,
        /// Diagnoses after this fix.
        pub occurrences: u32,
        /// Resolutions after this fix.
        pub resolutions: u32,
        /// `fix-…`.
        pub fix_record_id: String,
        /// True if this call created the pattern.
        pub is_new_pattern: bool,
        /// Proof of a success.
        pub state: Option<ProofStatus>,
        /// The later run in which the case passed.
        pub proved_by: Option<String>,
        /// The run that would prove it, if it is not proved yet.
        pub to_prove: Option<String>,
        /// For a success, how far runs have proved it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub trust: Option<FixTrust>,
        /// Evidence against the fix.
        pub warnings: Vec<String>,
    }

    /// How far a fix can be trusted, and the runs that show it.
    #[derive(Eq)]
    pub struct FixTrust {
        /// `claimed`: only reported. `proved`: passed often enough since. `refuted`: the failure came back, or a report
        /// withdrew the fix.
        pub state: ProofStatus,
        /// Number of later runs in which the case passed at the first attempt.
        pub passes: u32,
        /// Number of passes that prove it: 1 if the test always failed, more if it failed by chance.
        pub needed: u32,
        /// The run of the failure.
        pub failed_in: String,
        /// The run that completed the proof.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub proved_by: Option<String>,
        /// The run in which the failure came back, or the report that withdrew the fix.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub refuted_by: Option<String>,
        /// Changes between the last failure and the first pass. None without a pass, or without a known change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub change: Option<FixChange>,
    }

    /// Changes between the last failure of a test and its first pass.
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
        /// True if the reported text has no word in common with the change. The runs then prove the change, not the
        /// text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub unnamed: bool,
    }

    /// A claimed success that a run has proved.
    pub struct ProvedFix {
        /// The case that now passes.
        pub case_name: String,
        /// Pattern that learned the fix.
        pub pattern_id: String,
        /// Description of the change.
        pub fix_description: String,
    }

    /// A fix recorded directly on a pattern, for Node tooling.
    pub struct RecordFixParams {
        /// Pattern that the fix counts for.
        pub pattern_id: String,
        /// Run of the failure.
        pub run_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// Description of the change.
        pub fix_description: String,
        /// True if it resolved the failure.
        pub success: bool,
    }
}

/// Results of trying a fix. Several reports for the same failure count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FixTrialCounts {
    /// Successes that a later run confirmed.
    pub proved: u32,
    /// Unproved successes.
    pub claimed: u32,
    /// Failures, and successes that a later run refuted.
    pub failed: u32,
}

impl FixTrialCounts {
    pub(crate) const fn is_claimed(self) -> bool {
        self.proved == 0 && self.claimed > 0
    }
}
