//! Types of all data that crosses into JavaScript. The TypeScript types are generated from this module. Field names and
//! meanings follow the public contracts in `docs/contract`.
//!
//! Times are ISO 8601 with `Z`, durations are milliseconds, unless a field says otherwise.

use crate::ErrorCode;
use argus_core::{Category, FailureKind, builtin::Locale, classify::UserRule, redact::SecretPattern};
use serde::{Deserialize, Serialize};

/// Derives the traits of every contract type.
macro_rules! contract {
    ($($(#[$meta:meta])* pub $kind:tt $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

mod access;
mod evidence;
mod exchange;
mod failures;
mod fix_loop;
mod fixes;
mod history;
mod memory;
mod runs;
mod sharing;
mod tests;
mod viewer;
mod viewer_health;
mod viewer_runs;

pub use access::*;
pub use evidence::*;
pub use exchange::*;
pub use failures::*;
pub use fix_loop::*;
pub use fixes::*;
pub use history::*;
pub use memory::*;
pub use runs::*;
pub use sharing::*;
pub use tests::*;
pub use viewer::*;
pub use viewer_health::*;
pub use viewer_runs::*;

contract! {
    /// Configuration of an engine for a project.
    #[derive(Default)]
    pub struct EngineOptions {
        /// Absolute, real path of the project; case files are made relative to it.
        pub project_root: String,
        /// Language of built-in suggestions.
        pub locale: Locale,
        /// The project's own classification rules, tried first.
        pub rules: Vec<UserRule>,
        /// The project's own patterns of secrets.
        pub secrets: Vec<SecretPattern>,
        /// Limits for old runs, applied when a run is recorded.
        pub retention: Retention,
        /// Options of the debug memory.
        #[serde(default)]
        pub memory: MemoryOptions,
        /// Recorder of runs, fixes and outcomes.
        #[serde(default)]
        pub recorder: RecorderOptions,
    }

    /// Person or client that records something, and the machine. Stored with every fix.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RecorderOptions {
        /// Client with its version, or a person.
        pub by: Option<String>,
        /// Name of the machine.
        pub from: Option<String>,
    }

    /// Limits for runs; patterns and fixes are never deleted.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct Retention {
        /// Delete runs that are older than this many days.
        pub max_age_days: Option<u32>,
        /// Maximum number of runs to keep.
        pub max_runs: Option<u32>,
        /// Number of newest runs to keep regardless of age. Default: 20.
        pub min_runs: Option<u32>,
    }

    /// Parameters of a call that takes none.
    #[derive(Default)]
    pub struct NoParams {}

    /// Id of a run, pattern or incident.
    pub struct IdParams {
        /// `run-…`, `pat-…` or `inc-…`.
        pub id: String,
    }

    /// Selects a pattern.
    pub struct SignatureParams {
        /// Hex SHA-256, or `builtin::CATEGORY`.
        pub signature: String,
    }

    /// Selects ids by their beginning.
    pub struct CompleteIdsParams {
        /// Kind of id.
        pub kind: IdKind,
        /// Beginning of the ids.
        pub prefix: String,
    }

    /// Kinds of ids.
    #[derive(Copy, Eq)]
    pub enum IdKind {
        /// `run-…`.
        Run,
        /// `pat-…` and `builtin-…`.
        Pattern,
        /// `inc-…`, from both memories.
        Incident,
        /// `sol-…`, from both memories.
        Solution,
    }

    /// Destination of a database copy.
    pub struct SnapshotParams {
        /// Path that the host can open. The file must not exist.
        pub path: String,
    }

    /// Summary of a database.
    pub struct Overview {
        /// Number of built-in and learned patterns.
        pub known_patterns: u32,
        /// Id of the newest run.
        pub latest_run_id: Option<String>,
    }

    /// The signature version of a memory.
    pub struct SignatureVersionResult {
        /// The signature version, with a digest of the project's rules if it has any. Memories with equal values
        /// produce equal signatures.
        pub recipe: String,
    }

    /// Selects the failure to diagnose.
    pub struct DiagnoseParams {
        /// `run-…`.
        pub run_id: String,
        /// Qualified name, or a short name that is unique in the run.
        pub case_name: String,
        /// Pattern that was matched by mistake. The failure is never matched with it again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub not_same_as: Option<String>,
        /// Count an occurrence only if this failure of this run was not diagnosed before. False by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub once: Option<bool>,
    }

    /// Diagnosis of a failure, with known fixes.
    pub struct DiagnosticResult {
        /// Category of the failure.
        pub category: Category,
        /// Finer than `category`, from a closed list.
        pub failure_kind: FailureKind,
        /// The error message with the compared values.
        pub message: String,
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
        /// Failures of this run with the same error at the same place. This answer applies to all of them.
        pub cause: Cause,
        /// Verdict from all earlier runs. Absent for runs recorded by an older version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<Verdict>,
        /// Commits that may have introduced the failure, most likely first. Their probabilities and the probability
        /// that none of them did sum to 1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<SuspectCommit>>", optional))]
        pub suspects: Vec<SuspectCommit>,
        /// Hex SHA-256.
        pub signature: String,
        /// `category::caseName::normalizedError`.
        pub signature_pattern: String,
        /// The matched pattern, after counting this occurrence.
        pub pattern: Option<FailurePattern>,
        /// How the failure was recognized.
        #[serde(rename = "match")]
        pub matched: Match,
        /// The best known fix: from the pattern, else from the same error in another case, else the tip of a built-in
        /// pattern.
        pub suggested_fix: Option<String>,
        /// The failure for which the fix was learned. Absent if it has the same pattern and the same values as this
        /// failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suggested_from: Option<SuggestionSource>,
        /// Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried.
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
        /// A commit or an edit that fixed this failure of this test before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub mended_before: Option<PreviousFix>,
        /// Hints from `argus learn`: commits that look like fixes and changed this test or the function in which it
        /// failed. Absent if a fix is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<RelatedCommit>>", optional))]
        pub changed_before: Vec<RelatedCommit>,
        /// Another case with the same error and the same values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_cause_as: Option<SameCausePattern>,
        /// Confidence of the pattern. It decreases with each diagnosis, so use `tried` to judge the fix.
        pub confidence: Option<f64>,
        /// Reported fixes, newest first, at most 20.
        pub fix_history: Vec<FixRecord>,
        /// True if this call created a learned pattern.
        pub is_new_pattern: bool,
        /// Classification rule that matched.
        pub rule: String,
        /// Words that the rule matched.
        pub evidence: Option<String>,
        /// Similar patterns, if no pattern with a reported fix matched. May be empty.
        pub related: Vec<RelatedEntry>,
        /// Limitations of this answer.
        pub warnings: Vec<String>,
        /// Reason why this occurrence was not stored. Absent if it was stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub not_stored: Option<ErrorCode>,
    }

    /// How a failure was recognized.
    pub struct Match {
        /// Method of recognition.
        pub how: MatchMethod,
        /// The failure's own pattern, or null if it is not stored. If a built-in pattern matched, this pattern is
        /// provisional until a fix is reported.
        pub pattern_id: Option<String>,
        /// Similarity of the least similar lines, in (0, 1]. None if nothing was recognized.
        pub similarity: Option<f64>,
        /// The matching built-in pattern.
        pub builtin_id: Option<String>,
        /// The first three lines that differ from the similar failure.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
    }

    /// Method by which a failure is recognized.
    #[derive(Copy, Eq)]
    pub enum MatchMethod {
        /// The exact signature.
        Signature,
        /// A similar text of the same case.
        Alike,
        /// Not recognized.
        None,
    }

    /// A line that differs between a known failure and this failure. Empty for the failure that has no such line.
    pub struct Difference {
        /// The line in the known failure.
        pub before: String,
        /// The line in this failure.
        pub now: String,
    }

    /// A similar pattern or incident.
    pub struct RelatedEntry {
        /// Pattern or incident.
        pub kind: RelatedKind,
        /// Id of the pattern or incident. For a fix that the repository shares, the id of the fix, for use in reports.
        pub id: String,
        /// Description in one line.
        pub description: String,
        /// From 0 to 1. 1 means the same error with the same values.
        pub similarity: f64,
        /// The first three lines that differ, if only the compared values differ.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
        /// The best known fix.
        pub suggested_fix: Option<String>,
        /// Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<FixTrialCounts>,
        /// True if no run proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// Confidence of the pattern.
        pub confidence: Option<f64>,
        /// `foreign` if it was neither made nor tried here. Absent for the user's own memory.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional))]
        pub memory: Option<MemoryKind>,
        /// Origin, if the repository shares it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// Kind of a related entry.
    pub enum RelatedKind {
        /// A failure pattern.
        Pattern,
        /// An incident.
        Incident,
    }

    /// A failure pattern of the knowledge base.
    pub struct FailurePattern {
        /// `pat-…` or `builtin-…`.
        pub id: String,
        /// Category of the failure.
        pub category: Category,
        /// Hex SHA-256, or `builtin::CATEGORY`.
        pub signature: String,
        /// Readable form of the signature.
        pub signature_pattern: String,
        /// Description in one line.
        pub description: String,
        /// Description of the best fix, or null if no fix is known.
        pub suggested_fix: Option<String>,
        /// Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried.
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
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// Number of diagnoses.
        pub occurrences: u32,
        /// Number of fixes reported as successful.
        pub resolutions: u32,
        /// Origin of the pattern.
        pub source: PatternSource,
        /// True while no fix is reported and a built-in pattern is shown instead. The diagnoses then count for the
        /// built-in pattern.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub provisional: bool,
        /// Time of the first diagnosis. For a built-in pattern, creation of the database.
        pub first_seen_at: String,
        /// Time of the last diagnosis.
        pub last_seen_at: String,
        /// Time of the last change.
        pub updated_at: String,
    }

    /// Filter, order and page of patterns.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct PatternsParams {
        /// Only patterns of this category.
        pub category: Option<Category>,
        /// Only patterns from this source.
        pub source: Option<PatternSource>,
        /// Default: `occurrences`.
        pub sort_by: Option<PatternSort>,
        /// From 1 to 200. Default: 200.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Patterns in the requested order.
    pub struct PatternsResult {
        /// One page.
        pub patterns: Vec<FailurePattern>,
        /// Number of patterns that match.
        pub total: u32,
        /// Number of matching built-in patterns.
        pub built_in_count: u32,
        /// Number of matching learned patterns.
        pub learned_count: u32,
        /// Number of matching provisional patterns.
        #[serde(default, skip_serializing_if = "runs::is_zero")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<u32>"))]
        pub provisional_count: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// A pattern with its history.
    pub struct PatternDetail {
        /// The pattern.
        pub pattern: FailurePattern,
        /// Reported fixes, newest first, at most 100.
        pub fix_history: Vec<FixRecord>,
        /// A redacted error text that it was learned from.
        pub sample: Option<String>,
    }

    /// Analysis of a failure text. Nothing is stored.
    pub struct Inspection {
        /// Category of the failure.
        pub category: Category,
        /// Finer than `category`, from a closed list.
        pub failure_kind: FailureKind,
        /// Classification rule that matched.
        pub rule: String,
        /// Words that the rule matched.
        pub evidence: Option<Evidence>,
        /// The text without secrets.
        pub redacted: String,
        /// Kinds of secrets that were replaced.
        pub redactions: Vec<String>,
        /// The text with placeholders for changing values.
        pub normalized: String,
        /// Hex SHA-256.
        pub signature: String,
        /// Signature without the case name.
        pub family_signature: String,
        /// `category::caseName::normalizedError`.
        pub signature_pattern: String,
    }

    /// The words that decided the category.
    pub struct Evidence {
        /// Start in UTF-16 code units of `redacted`, inclusive.
        pub start: u32,
        /// End, exclusive.
        pub end: u32,
        /// The words.
        pub text: String,
    }
}

/// Origin of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PatternSource {
    /// One of the six built-in patterns.
    BuiltIn,
    /// Learned from a failure that was diagnosed or fixed.
    Learned,
}

/// Order of patterns, always descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PatternSort {
    /// Highest confidence first.
    Confidence,
    /// Most frequent first.
    #[default]
    Occurrences,
    /// Latest first.
    LastSeen,
}
