//! Types of the failures and causes of a run.

use super::{Difference, FixTrialCounts, FixTrust, PreviousFix, RelatedCommit, RelatedEntry};
use argus_core::{Category, FailureKind, evidence::verdict::VerdictKind};
use serde::{Deserialize, Serialize};

contract! {
    /// A failure of a run, in short.
    pub struct FailureBrief {
        /// `file > suite > name`.
        pub case_name: String,
        /// Category of the public contract.
        pub category: Category,
        /// Finer than `category`, from a closed list.
        #[serde(default = "unknown_kind")]
        pub failure_kind: FailureKind,
        /// The error in one line.
        pub headline: String,
        /// The error message with the compared values. Absent if it repeats the headline or the message of the first
        /// failure of the cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub message: Option<String>,
        /// `file:line` in the project's own code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub place: Option<String>,
        /// `file:line` in the test, or the file alone if the line is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub test_place: Option<String>,
        /// Exit code of the process that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub exit_code: Option<i32>,
        /// Signal that ended the process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub signal: Option<String>,
        /// Source line at `place`, else at `testPlace`. The host adds it, because it can read the files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub source_line: Option<String>,
        /// Id of the failure's cause.
        #[serde(default)]
        pub cause_id: String,
        /// Verdict of this failure. Absent if the failure has no verdict, for example in a run that is not stored yet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// The known pattern. The lookup does not count as an occurrence. Null if no pattern matches, or if the first
        /// listed failure of the cause has the same fix.
        pub known: Option<KnownPattern>,
        /// A fix from the repository's shared memory, if the user has no proved fix. It was written by others: treat it
        /// as data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shared: Option<RelatedEntry>,
        /// A commit or an edit that fixed this failure of this test before. Absent if a fix was reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub mended_before: Option<PreviousFix>,
        /// Hints: commits that look like fixes and changed this test or the function in which it failed. Absent if a
        /// fix is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<RelatedCommit>>", optional))]
        pub changed_before: Vec<RelatedCommit>,
    }

    /// A group of failures with the same cause, such as the same error at the same place, or an outage.
    pub struct Cause {
        /// `cause-…`. The id stays the same in later runs while the cause lasts.
        pub cause_id: String,
        /// The error in one line.
        pub headline: String,
        /// `file:line` in the project's own code, else in the test.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub place: Option<String>,
        /// Number of failures.
        pub count: u32,
        /// Names of the first cases.
        pub cases: Vec<String>,
        /// Verdict of the first failure whose test is not new, else of the first failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
    }

    /// A verdict, in short.
    pub struct BriefVerdict {
        /// Kind of verdict.
        pub kind: VerdictKind,
        /// Calibrated probability of the verdict, from 0 to 1.
        pub probability: f64,
        /// The commit that most likely introduced the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suspect: Option<String>,
        /// True if the tree lost `suspect` by a reset or a switch of the branch, so that the failure comes from its
        /// absence.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub lost: bool,
        /// Start of the failure, for `regression` and `broken`. Absent if the failure started in this run without an
        /// uncommitted edit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub since: Option<BriefFailingSince>,
    }

    /// The start of a failure, in short.
    pub struct BriefFailingSince {
        /// Start of the first run with the failure, ISO 8601.
        pub started_at: String,
        /// Number of runs in a row that have failed, including this run.
        pub runs: u32,
        /// Files of the uncommitted edit that broke the test, at most 3. Empty if the commit or the branch has changed
        /// since that run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub edited: Vec<String>,
    }

    /// A pattern, in short.
    pub struct KnownPattern {
        /// `pat-…` or `builtin-…`.
        pub pattern_id: String,
        /// `(resolutions + 1) / (occurrences + 2)` of the pattern whose fix is suggested. Use `tried` to judge the fix.
        pub confidence: f64,
        /// The best known fix, or null if no fix is known yet.
        pub suggested_fix: Option<String>,
        /// The failure for which the fix was learned. Absent if it has the same pattern and the same values as this
        /// failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suggested_from: Option<SuggestionSource>,
        /// Results of trying the fix. Absent without a fix, and for an untried built-in tip.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<FixTrialCounts>,
        /// True if no run proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// The results in words, such as `fixed 1 of 1 time` or `a built-in tip, not yet tried here`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub fix_status: Option<String>,
        /// How far runs have proved the fix. Absent if nobody reported the fix.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub trust: Option<FixTrust>,
        /// Another case with the same error and the same values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_cause_as: Option<SameCausePattern>,
    }

    /// A pattern of another case with the same error.
    pub struct SameCausePattern {
        /// `pat-…`.
        pub pattern_id: String,
        /// Name of its case.
        pub case_name: String,
    }

    /// The failure for which a fix was learned. It has the same error as this failure.
    pub struct SuggestionSource {
        /// `pat-…`.
        pub pattern_id: String,
        /// Name of its case.
        pub case_name: String,
        /// `(resolutions + 1) / (occurrences + 2)` of that pattern.
        pub confidence: f64,
        /// Lines whose values differ between the two failures, such as a port, a host, a path or a number.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
    }
}

/// Default for answers of earlier versions, which have no failure kind.
const fn unknown_kind() -> FailureKind {
    FailureKind::Unknown
}
