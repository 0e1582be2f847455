//! Every type that crosses into JavaScript; the TypeScript ones are generated from here.
//! Does not: compute. Field names and meanings are the public contracts'.
//!
//! Times are ISO 8601 with `Z`; durations are milliseconds.

use argus_core::{Category, builtin::Locale, classify::UserRule, redact::UserSecret};
use argus_report::{CaseStatus, Format, Problem};
use serde::{Deserialize, Serialize};

mod memory;

pub use memory::*;

/// Derives what every contract type has.
macro_rules! contract {
    ($($(#[$meta:meta])* pub $kind:tt $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS))]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

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
    }

    /// Limits for runs; patterns and fixes are never deleted.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct Retention {
        /// Runs older than this many days go.
        pub max_age_days: Option<u32>,
        /// Only this many newest runs stay.
        pub max_runs: Option<u32>,
    }

    /// What a database holds, in two numbers.
    pub struct Overview {
        /// Built-in and learned.
        pub known_patterns: u32,
        /// The newest run.
        pub latest_run_id: Option<String>,
    }

    /// One finished run: reports or, where there are none, what the command printed.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RecordRunParams {
        /// Command line as a person would type it.
        pub command: Option<String>,
        /// Runner's name, such as `vitest`.
        pub runner: Option<String>,
        /// When it started; UTC milliseconds since the epoch. None: now, or what the reports say.
        pub started_at: Option<i64>,
        /// Wall-clock milliseconds. None: what the reports say.
        pub duration_ms: Option<f64>,
        /// Exit code of the command.
        pub exit_code: Option<i32>,
        /// Signal that ended it.
        pub signal: Option<String>,
        /// The command was ended because its time was over.
        pub timed_out: bool,
        /// State of the work tree.
        pub git: Option<GitFacts>,
        /// Report files that together make up the run, as the host opens them.
        pub reports: Vec<ReportInput>,
        /// End of what the command printed.
        pub output_tail: Option<String>,
        /// State of the containers the project names.
        pub containers: Vec<ContainerFact>,
        /// Remarks of the host that belong to the answer (`kubectl not found`).
        pub notes: Vec<String>,
    }

    /// State of the work tree when the run started.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct GitFacts {
        /// Full hash.
        pub commit: Option<String>,
        /// None when detached.
        pub branch: Option<String>,
        /// Uncommitted changes, untracked files included.
        pub dirty: Option<bool>,
    }

    /// One report file.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ReportInput {
        /// Path the host can open.
        pub path: String,
        /// None: told from the content.
        pub format: Option<Format>,
    }

    /// What a container runtime says of one container.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ContainerFact {
        /// Container or pod/container name.
        pub name: String,
        /// State or reason: `running`, `exited`, `CrashLoopBackOff`, `OOMKilled`.
        pub status: Option<String>,
        /// Killed for memory.
        pub oom_killed: Option<bool>,
        /// Exit code of its last end.
        pub exit_code: Option<i32>,
    }

    /// The answer to a recorded run.
    pub struct RunResult {
        /// `run-…`.
        pub run_id: String,
        /// Failed when a case failed or the command did.
        pub status: RunStatus,
        /// Wall-clock milliseconds.
        pub duration_ms: f64,
        /// Cases by status.
        pub totals: Totals,
        /// The first failures, at most 20.
        pub failures: Vec<FailureBrief>,
        /// How many failures are not listed.
        pub more: u32,
        /// Remarks: what was not available, what was cut.
        pub notes: Vec<String>,
        /// What in the reports could not be read.
        pub skipped: Vec<Problem>,
    }

    /// Cases by status; flaky ones are counted among passed too.
    #[derive(Default)]
    pub struct Totals {
        /// Passed, flaky ones included.
        pub passed: u32,
        /// Failed.
        pub failed: u32,
        /// Skipped.
        pub skipped: u32,
        /// Failed and then passed within the run.
        pub flaky: u32,
    }

    /// One failure, in short.
    pub struct FailureBrief {
        /// `file > suite > name`.
        pub case_name: String,
        /// What it is.
        pub category: Category,
        /// What went wrong, one line.
        pub headline: String,
        /// What the memory knows; shown, not counted.
        pub known: Option<KnownPattern>,
    }

    /// A pattern, in short.
    pub struct KnownPattern {
        /// `pat-…` or `builtin-…`.
        pub pattern_id: String,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// None: nothing fixed it yet.
        pub suggested_fix: Option<String>,
    }

    /// Which runs to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct HistoryParams {
        /// 1 to 100; 20 when none.
        pub limit: Option<u32>,
        /// Only these.
        pub status: Option<RunStatus>,
        /// Only of the last days.
        pub days: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Runs, newest first.
    pub struct HistoryResult {
        /// One page.
        pub runs: Vec<RunRecord>,
        /// All that fit the filter.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// Which cases of a run to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RunDetailParams {
        /// `run-…`.
        pub run_id: String,
        /// 1 to 1000; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// One run with its cases: failed first, then flaky, then the rest, each in the report's order.
    pub struct RunDetail {
        /// The run.
        pub run: RunRecord,
        /// One page.
        pub cases: Vec<CaseRecord>,
        /// All cases.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// One recorded run.
    pub struct RunRecord {
        /// `run-…`.
        pub id: String,
        /// When it started.
        pub timestamp: String,
        /// Full hash.
        pub git_commit: Option<String>,
        /// None when detached or outside git.
        pub git_branch: Option<String>,
        /// Uncommitted changes.
        pub dirty: Option<bool>,
        /// Command line.
        pub command: Option<String>,
        /// Wall-clock milliseconds.
        pub duration_ms: f64,
        /// Passed cases.
        pub passed: u32,
        /// Failed cases.
        pub failed: u32,
        /// Skipped cases.
        pub skipped: u32,
        /// Flaky cases.
        pub flaky: u32,
        /// Outcome of the whole.
        pub status: RunStatus,
    }

    /// One case of a run.
    pub struct CaseRecord {
        /// `file > suite > name`.
        pub case_name: String,
        /// How it ended.
        pub status: CaseStatus,
        /// It failed and then passed within the run.
        pub flaky: bool,
        /// The runner's own word.
        pub runner_status: Option<String>,
        /// Milliseconds.
        pub duration_ms: Option<f64>,
        /// How often it ran.
        pub attempts: u32,
        /// Of a failed case.
        pub category: Option<Category>,
        /// Of a failed case.
        pub headline: Option<String>,
        /// Redacted error text of a failed case.
        pub error: Option<String>,
        /// Of a failed case.
        pub signature: Option<String>,
    }

    /// Which failure to diagnose.
    pub struct DiagnoseParams {
        /// `run-…`.
        pub run_id: String,
        /// Qualified name, or a short one that is unique in the run.
        pub case_name: String,
    }

    /// What a failure is and what is known about it.
    pub struct DiagnosticResult {
        /// What it is.
        pub category: Category,
        /// Hex SHA-256.
        pub signature: String,
        /// `category::caseName::normalizedError`.
        pub signature_pattern: String,
        /// The matched pattern, as it is after counting this occurrence.
        pub pattern: Option<FailurePattern>,
        /// Its suggested fix.
        pub suggested_fix: Option<String>,
        /// Its confidence.
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
    }

    /// A similar pattern.
    pub struct Related {
        /// What kind of thing it is.
        pub kind: RelatedKind,
        /// Its id.
        pub id: String,
        /// What it is about.
        pub description: String,
        /// In [0, 1]; 1 for the same family signature.
        pub similarity: f64,
        /// Its best fix.
        pub suggested_fix: Option<String>,
        /// Its confidence.
        pub confidence: Option<f64>,
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
        /// What was changed.
        pub fix_description: String,
        /// Whether it resolved the failure.
        pub success: bool,
        /// When it was reported.
        pub created_at: String,
    }

    /// A fix to record.
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
        /// Environment in which it was tried, as in `record_outcome`; an unknown one when none.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"))]
        pub env: Option<serde_json::Value>,
    }

    /// What a reported fix changed.
    pub struct ReportFixResult {
        /// The pattern it counts on.
        pub pattern_id: String,
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

    /// Everything concluded from one failure text, nothing stored.
    pub struct Inspection {
        /// What it is.
        pub category: Category,
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

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// No case failed and the command did not either.
    Passed,
    /// A case or the command failed.
    Failed,
}

/// Where a pattern comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PatternSource {
    /// One of the six.
    BuiltIn,
    /// From a failure that was diagnosed or fixed.
    Learned,
}

/// Order of patterns; all descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
