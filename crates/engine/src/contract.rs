//! Every type that crosses into JavaScript; the TypeScript ones are generated from here.
//! Field names and meanings are the public contracts'.
//!
//! Times are ISO 8601 with `Z`; durations are milliseconds.

use crate::ErrorCode;
use argus_core::{Category, FailureKind, builtin::Locale, classify::UserRule, redact::UserSecret};
use serde::{Deserialize, Serialize};

/// Derives what every contract type has.
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
    /// How an engine is set up for one project.
    #[derive(Default)]
    pub struct EngineOptions {
        /// Absolute, real path of the project; case files are made relative to it.
        pub project_root: String,
        /// Language of built-in suggestions.
        pub locale: Locale,
        /// The project's own classification rules, tried first.
        pub rules: Vec<UserRule>,
        /// The project's own secret shapes.
        pub secrets: Vec<UserSecret>,
        /// What may be deleted when a run is recorded.
        pub retention: Retention,
        /// The debug memory.
        #[serde(default)]
        pub memory: MemoryOptions,
        /// Who records what is recorded.
        #[serde(default)]
        pub recorder: RecorderOptions,
    }

    /// Who records something, and where; kept with every fix.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RecorderOptions {
        /// A client with its version, or a person.
        pub by: Option<String>,
        /// The machine.
        pub from: Option<String>,
    }

    /// Limits for runs; patterns and fixes are never deleted.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct Retention {
        /// Runs older than this many days go.
        pub max_age_days: Option<u32>,
        /// Only this many newest runs stay.
        pub max_runs: Option<u32>,
        /// So many of the newest runs stay, however old they are. Default: 20.
        pub min_runs: Option<u32>,
    }

    /// Of a call that takes nothing.
    #[derive(Default)]
    pub struct NoParams {}

    /// Which one: `run-…`, `pat-…`, `inc-…`.
    pub struct IdParams {
        /// Its id.
        pub id: String,
    }

    /// Which pattern.
    pub struct SignatureParams {
        /// Hex SHA-256, or `builtin::CATEGORY`.
        pub signature: String,
    }

    /// Which ids.
    pub struct CompleteIdsParams {
        /// Of what kind of thing.
        pub kind: IdKind,
        /// How they begin.
        pub prefix: String,
    }

    /// Things with ids.
    #[derive(Copy, Eq)]
    pub enum IdKind {
        /// `run-…`.
        Run,
        /// `pat-…` and `builtin-…`.
        Pattern,
        /// `inc-…`, of both memories.
        Incident,
    }

    /// Where a copy of the database is written.
    pub struct SnapshotParams {
        /// A path as the host opens it; there must be no file yet.
        pub path: String,
    }

    /// What a database holds, in two numbers.
    pub struct Overview {
        /// Built-in and learned.
        pub known_patterns: u32,
        /// The newest run.
        pub latest_run_id: Option<String>,
    }

    /// What signatures depend on beside the failure.
    pub struct Recipe {
        /// Two memories with the same one sign alike.
        pub recipe: String,
    }

    /// Which failure to diagnose.
    pub struct DiagnoseParams {
        /// `run-…`.
        pub run_id: String,
        /// Qualified name, or a short one that is unique in the run.
        pub case_name: String,
        /// The pattern that this failure was matched with and is not: they are two for good.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub not_same_as: Option<String>,
    }

    /// What a failure is and what is known about it.
    pub struct DiagnosticResult {
        /// What it is.
        pub category: Category,
        /// Finer than the category, of a closed list.
        pub failure_kind: FailureKind,
        /// The error with the values that were compared.
        pub message: String,
        /// `file:line` in the project's own code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub place: Option<String>,
        /// `file:line` in the test; the file alone where no line is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub test_place: Option<String>,
        /// Exit code of the process that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub exit_code: Option<i32>,
        /// Signal that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub signal: Option<String>,
        /// The failures of this run with the same error at the same place: this answer is for all of them.
        pub cause: Cause,
        /// What all runs before say of it; absent for runs that were recorded by an earlier version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<Verdict>,
        /// Commits that may have begun it, likeliest first; they sum to 1 with "none of them".
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<SuspectCommit>>", optional))]
        pub suspects: Vec<SuspectCommit>,
        /// Hex SHA-256.
        pub signature: String,
        /// `category::caseName::normalizedError`.
        pub signature_pattern: String,
        /// The matched pattern, as it is after counting this occurrence.
        pub pattern: Option<FailurePattern>,
        /// How the failure was recognised, and as which.
        #[serde(rename = "match")]
        pub matched: Match,
        /// The best fix that fits: the pattern's own, else one that was learned for the same error in another case, else the
        /// tip of a built-in.
        pub suggested_fix: Option<String>,
        /// Where that fix was learned, where it is not the pattern's own, or was of other values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suggested_from: Option<SuggestedFrom>,
        /// What came of trying that fix; absent where it is none, or a tip that nobody tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<Tried>,
        /// True: no run has proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// The same in words: `fixed 1 of 1 time`, or `a built-in tip, not yet tried here`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub standing: Option<String>,
        /// How far runs have proved that fix; absent where nobody reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub trust: Option<FixTrust>,
        /// A commit or an edit that mended this failure of this test before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub mended_before: Option<MendedBefore>,
        /// Commits that looked like fixes and changed this test, or the function that it failed in, as `argus learn` found them:
        /// hints that nobody claimed. Absent where a fix is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<ChangedBefore>>", optional))]
        pub changed_before: Vec<ChangedBefore>,
        /// The same error with the same values, known from another case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_cause_as: Option<SameCause>,
        /// The pattern's confidence, which sinks with each reading; `tried` rests on what was reported.
        pub confidence: Option<f64>,
        /// Newest first, at most 20.
        pub fix_history: Vec<FixRecord>,
        /// A learned pattern was created by this call.
        pub is_new_pattern: bool,
        /// Classification rule that decided.
        pub rule: String,
        /// The words it decided on.
        pub evidence: Option<String>,
        /// Similar patterns, where nothing matched that a reported fix belongs to; may be empty.
        pub related: Vec<Related>,
        /// Anything that limits this answer.
        pub warnings: Vec<String>,
        /// Why the meeting was not counted and nothing was learned; none where it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub not_stored: Option<ErrorCode>,
    }

    /// How a failure was recognised.
    pub struct Match {
        /// By what.
        pub how: HowMatched,
        /// The failure's own identity: its learned pattern, or, where a built-in speaks for it, what becomes one when a
        /// fix is reported. None where it was not stored.
        pub pattern_id: Option<String>,
        /// In (0, 1]; of the lines that are least alike. None where nothing was recognised.
        pub similarity: Option<f64>,
        /// The built-in that speaks for it.
        pub builtin_id: Option<String>,
        /// What differs from the failure that it is alike; the first three lines.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
    }

    /// By what a failure is recognised.
    #[derive(Copy, Eq)]
    pub enum HowMatched {
        /// By its exact signature.
        Signature,
        /// By the likeness of its text to one of the same case.
        Alike,
        /// It was not.
        None,
    }

    /// A line that differs; empty where there is none.
    pub struct Difference {
        /// As it was known.
        pub before: String,
        /// As it is in this failure.
        pub now: String,
    }

    /// A similar pattern.
    pub struct Related {
        /// What kind of thing it is.
        pub kind: RelatedKind,
        /// Its id; of a fix that the repository shares, that of the fix, by which a report names it.
        pub id: String,
        /// What it is about.
        pub description: String,
        /// In [0, 1]; 1 for the same error with the same values.
        pub similarity: f64,
        /// What differs where only the compared values do; the first three lines.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
        /// Its best fix.
        pub suggested_fix: Option<String>,
        /// What came of trying that fix; absent where it is none, or a tip that nobody tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<Tried>,
        /// True: no run has proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// Its confidence.
        pub confidence: Option<f64>,
        /// `foreign`: nobody here made it, and nobody here tried it. Absent: it is the user's own.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional))]
        pub memory: Option<MemoryKind>,
        /// Of what the repository shares: where it comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// What a related thing is.
    pub enum RelatedKind {
        /// A failure pattern.
        Pattern,
        /// An incident.
        Incident,
    }

    /// A pattern of the knowledge base.
    pub struct FailurePattern {
        /// `pat-…` or `builtin-…`.
        pub id: String,
        /// What it is.
        pub category: Category,
        /// Hex SHA-256, or `builtin::CATEGORY`.
        pub signature: String,
        /// Readable form.
        pub signature_pattern: String,
        /// One line about it.
        pub description: String,
        /// Description of its best fix; none: nothing fixed it yet.
        pub suggested_fix: Option<String>,
        /// What came of trying that fix; absent where it is none, or a tip that nobody tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<Tried>,
        /// True: no run has proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// The same in words: `fixed 1 of 1 time`, or `a built-in tip, not yet tried here`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub standing: Option<String>,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// How often it was diagnosed.
        pub occurrences: u32,
        /// How often a fix was reported as successful.
        pub resolutions: u32,
        /// Where it comes from.
        pub source: PatternSource,
        /// First diagnosis; for a built-in, when the database was made.
        pub first_seen_at: String,
        /// Last diagnosis.
        pub last_seen_at: String,
        /// Last change.
        pub updated_at: String,
    }

    /// Which patterns to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct PatternsParams {
        /// Only this category.
        pub category: Option<Category>,
        /// Only from there.
        pub source: Option<PatternSource>,
        /// `occurrences` when none.
        pub sort_by: Option<PatternSort>,
        /// 1 to 200; 200 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Patterns in the asked order.
    pub struct PatternsResult {
        /// One page.
        pub patterns: Vec<FailurePattern>,
        /// All that fit the filter.
        pub total: u32,
        /// Built-in ones among them.
        pub built_in_count: u32,
        /// Learned ones among them.
        pub learned_count: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// One pattern with its history.
    pub struct PatternDetail {
        /// The pattern.
        pub pattern: FailurePattern,
        /// Newest first, at most 100.
        pub fix_history: Vec<FixRecord>,
        /// A redacted error text it was learned from.
        pub sample: Option<String>,
    }

    /// Everything concluded from one failure text, nothing stored.
    pub struct Inspection {
        /// What it is.
        pub category: Category,
        /// Finer than the category, of a closed list.
        pub failure_kind: FailureKind,
        /// The rule that decided.
        pub rule: String,
        /// What it saw.
        pub evidence: Option<Evidence>,
        /// The text without secrets.
        pub redacted: String,
        /// Kinds of secrets that were replaced.
        pub redactions: Vec<String>,
        /// The stable part.
        pub normalized: String,
        /// Hex SHA-256.
        pub signature: String,
        /// The same without the case name.
        pub family_signature: String,
        /// `category::caseName::normalizedError`.
        pub signature_pattern: String,
    }

    /// The deciding words.
    pub struct Evidence {
        /// First UTF-16 code unit in `redacted`.
        pub start: u32,
        /// One past the last.
        pub end: u32,
        /// The words.
        pub text: String,
    }
}

/// Where a pattern comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PatternSource {
    /// One of the six.
    BuiltIn,
    /// From a failure that was diagnosed or fixed.
    Learned,
}

/// Order of patterns; all descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PatternSort {
    /// Surest first.
    Confidence,
    /// Most frequent first.
    #[default]
    Occurrences,
    /// Latest first.
    LastSeen,
}
