//! Types of the debug memory: `ranked_solutions`, `record_outcome`, `add_solution`, `add_incident`, and the bulk
//! import. Names are in snake case, because `docs/contract/debug-memory.md` has them so.

use super::SharedOrigin;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Schema of fields that accept any value, so that the engine can explain a wrong value in a sentence.
#[cfg(feature = "types")]
type Object = serde_json::Map<String, Value>;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Derives the traits of every type of the debug memory.
macro_rules! contract {
    ($($(#[$meta:meta])* pub $kind:tt $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

/// Kind of the engine's database, and how fast confirmations age.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default)]
pub struct MemoryOptions {
    /// Kind of the engine's primary database. The secondary database has the other kind.
    pub home: Option<MemoryKind>,
    /// Age in days at which the recency of a confirmation is halved. Default: 180.
    pub half_life_days: Option<f64>,
}

contract! {
    /// Kinds of memory.
    #[derive(Copy, Default, Eq)]
    pub enum MemoryKind {
        /// The project's database.
        #[default]
        Project,
        /// The user's own database.
        User,
        /// A database from elsewhere that came with the project. Its content is unproved here.
        Foreign,
    }

    /// Problem to look up, and environment in which the solution must work.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RankedSolutionsParams {
        /// A stack trace, an error line, or the problem in words.
        pub query_text: String,
        /// Flat object of texts, numbers and booleans. `argus_core::environment` defines the seven known fields.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// From 1 to 50. Default: 5.
        pub limit: Option<i64>,
        /// Facts that the host detected about project and machine. They fill gaps in `env`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// Known incidents and solutions of a problem.
    pub struct RankedSolutionsResult {
        /// `lkp-…`, for `record_outcome`.
        pub lookup_id: String,
        /// Canonical form of the environment.
        pub env_bucket: String,
        /// Detected fields that were missing in `env`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// Incidents, best first, at most 10.
        pub incidents: Vec<IncidentMatch>,
        /// Solutions, best first.
        pub ranked_solutions: Vec<RankedSolution>,
        /// The first of `ranked_solutions` that is not foreign.
        pub recommended_solution: Option<RankedSolution>,
        /// Number of solutions beyond the limit.
        pub more: u32,
        /// Next step.
        pub next_action: NextAction,
        /// Limitations of this answer.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub warnings: Vec<String>,
    }

    /// An incident, or a failure pattern with a fix, that matches the query.
    pub struct IncidentMatch {
        /// `inc-…` or `pat-…`. Imported incidents keep their ids.
        pub incident_id: String,
        /// Incident or pattern.
        pub kind: MatchKind,
        /// Title in one line.
        pub title: String,
        /// The error as printed, shortened.
        pub error_signature: Option<String>,
        /// The problem in words, shortened.
        pub summary: Option<String>,
        /// Labels.
        pub tags: Vec<String>,
        /// From 0 to 1.
        pub score: f64,
        /// Reasons for the match, in short phrases.
        pub because: Vec<String>,
        /// Number of its solutions.
        pub solution_count: u32,
        /// Memory that contains it.
        pub memory: MemoryKind,
        /// Origin, if the repository shares it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// Kind of a match.
    #[derive(Copy, Eq)]
    pub enum MatchKind {
        /// Added with `add_incident`, or imported.
        Incident,
        /// Learned by `argus_report_fix`.
        Pattern,
    }

    /// A solution with its scores.
    pub struct RankedSolution {
        /// `sol-…`.
        pub solution_id: String,
        /// Incident or pattern that it solves.
        pub incident_id: String,
        /// Steps of the solution.
        pub steps: String,
        /// Environment it was written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, string | number | boolean>"), schemars(with = "Object"))]
        pub env: Value,
        /// Canonical form of `env`.
        pub env_bucket: String,
        /// The most similar environment in which it was tried, or for which it was written.
        pub best_env_bucket_match: String,
        /// Similarity of that environment, from 0 to 1.
        pub env_match_score: f64,
        /// Lower bound of the success rate, from 0 to 1.
        pub reliability_score: f64,
        /// Recency of its last success, from 0 to 1.
        pub recency_boost: f64,
        /// Score that determines the order, from 0 to 1.
        pub final_solution_score: f64,
        /// A short explanation of the score.
        pub why: String,
        /// Number of successes in all environments.
        pub worked: u32,
        /// Number of failures in all environments.
        pub failed: u32,
        /// Successes that no run has proved. Absent if 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[cfg_attr(feature = "types", ts(as = "Option<u32>", optional))]
        pub claimed: u32,
        /// Time of the last success.
        pub last_confirmed_at: Option<String>,
        /// Memory that contains it. `foreign` solutions come last, are never recommended, and have no statistics.
        pub memory: MemoryKind,
        /// Origin, if the repository shares it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// Result of trying a solution.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RecordOutcomeParams {
        /// The search that led to it.
        pub lookup_id: Option<String>,
        /// `sol-…`.
        pub solution_id: String,
        /// True if it solved the problem.
        pub worked: bool,
        /// Environment in which it was tried.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// Canonical form of the environment. Replaces the form that is derived from `env`.
        pub env_bucket: Option<String>,
        /// Remarks, at most 10 KB.
        pub notes: Option<String>,
        /// Facts that the host detected about project and machine. They fill gaps in `env`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// A recorded outcome.
    pub struct RecordOutcomeResult {
        /// Always true.
        #[cfg_attr(feature = "types", ts(type = "true"))]
        pub ok: bool,
        /// `out-…`.
        pub outcome_id: String,
        /// Environment in which it counts.
        pub env_bucket: String,
        /// Detected fields that were missing in `env`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// Statistics of the solution, including this outcome.
        pub solution_stats: SolutionStats,
        /// Next step.
        pub next_action: NextAction,
    }

    /// Statistics of a solution, in total and by environment.
    pub struct SolutionStats {
        /// `sol-…`.
        pub solution_id: String,
        /// Number of successes.
        pub worked: u32,
        /// Number of failures.
        pub failed: u32,
        /// `worked / (worked + failed)`.
        pub success_rate: f64,
        /// Lower bound of the success rate.
        pub reliability_score: f64,
        /// Time of the last success.
        pub last_confirmed_at: Option<String>,
        /// By environment, best known first.
        pub buckets: Vec<BucketStats>,
    }

    /// Statistics of a solution in an environment.
    pub struct BucketStats {
        /// The environment.
        pub env_bucket: String,
        /// Number of successes there.
        pub worked: u32,
        /// Number of failures there.
        pub failed: u32,
        /// Time of the last success there.
        pub last_confirmed_at: Option<String>,
    }

    /// A fix to add to an incident.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct AddSolutionParams {
        /// `inc-…` or `pat-…`.
        pub incident_id: String,
        /// Steps of the solution, at most 100 KB.
        pub steps: String,
        /// Environment it is written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// Canonical form of the environment. Replaces the form that is derived from `env`.
        pub env_bucket: Option<String>,
        /// The search that led to the incident.
        pub lookup_id: Option<String>,
        /// Facts that the host detected about project and machine. They fill gaps in `env`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// An added solution.
    pub struct AddSolutionResult {
        /// `sol-…`.
        pub solution_id: String,
        /// Environment it is written for.
        pub env_bucket: String,
        /// False if the same steps for the same environment already existed.
        pub created: bool,
        /// Detected fields that were missing in `env`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// Next step.
        pub next_action: NextAction,
    }

    /// A problem with a tried fix and its result.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct AddIncidentParams {
        /// Title in one line, cut to 500 characters.
        pub title: String,
        /// The error as printed.
        pub error_signature: Option<String>,
        /// The problem in words.
        pub summary: Option<String>,
        /// Labels, at most 50 with 100 characters each.
        pub tags: Option<Vec<String>>,
        /// The search that found nothing.
        pub lookup_id: Option<String>,
        /// Steps of the solution, at most 100 KB.
        pub steps: String,
        /// Environment in which it was tried.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// Canonical form of the environment. Replaces the form that is derived from `env`.
        pub env_bucket: Option<String>,
        /// True if the steps solved it.
        pub worked: bool,
        /// Remarks, at most 10 KB.
        pub notes: Option<String>,
        /// Adds the incident even if a similar incident exists.
        pub force: Option<bool>,
        /// Facts that the host detected about project and machine. They fill gaps in `env`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// A new incident, or the existing similar incident.
    #[serde(untagged)]
    pub enum AddIncidentResult {
        /// It was added.
        Created(IncidentCreated),
        /// A similar incident exists, so nothing was written.
        Duplicate(IncidentDuplicate),
    }

    /// An added incident with its first solution and outcome.
    pub struct IncidentCreated {
        /// Always true.
        #[cfg_attr(feature = "types", ts(type = "true"))]
        pub created: bool,
        /// `inc-…`.
        pub incident_id: String,
        /// `sol-…`.
        pub solution_id: String,
        /// `out-…`.
        pub outcome_id: String,
        /// Environment in which the outcome counts.
        pub env_bucket: String,
        /// Detected fields that were missing in `env`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// Next step.
        pub next_action: NextAction,
    }

    /// The existing similar incident.
    pub struct IncidentDuplicate {
        /// Always false.
        #[cfg_attr(feature = "types", ts(type = "false"))]
        pub created: bool,
        /// Its id, for `add_solution`.
        pub incident_id: String,
        /// Title of the incident.
        pub title: String,
        /// From 0 to 1. 1 means the same error.
        pub similarity: f64,
        /// Next step.
        pub next_action: NextAction,
    }

    /// An incident with its solutions.
    pub struct IncidentDetail {
        /// `inc-…`, or the id from an import.
        pub incident_id: String,
        /// Title in one line.
        pub title: String,
        /// The error as printed.
        pub error_signature: Option<String>,
        /// The problem in words.
        pub summary: Option<String>,
        /// Labels.
        pub tags: Vec<String>,
        /// Memory that contains it.
        pub memory: MemoryKind,
        /// Time of creation.
        pub created_at: String,
        /// Time of the last change of its texts.
        pub updated_at: String,
        /// Solutions with the most successes first, wrong solutions last.
        pub solutions: Vec<SolutionDetail>,
        /// Number of solutions that are not listed.
        pub more: u32,
    }

    /// A solution with its outcomes.
    pub struct SolutionDetail {
        /// `sol-…`.
        pub solution_id: String,
        /// Steps of the solution.
        pub steps: String,
        /// Environment it was written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, string | number | boolean>"), schemars(with = "Object"))]
        pub env: Value,
        /// Canonical form of `env`.
        pub env_bucket: String,
        /// Time of creation.
        pub created_at: String,
        /// Number of successes.
        pub worked: u32,
        /// Number of failures.
        pub failed: u32,
        /// By environment, best known first.
        pub buckets: Vec<BucketStats>,
        /// Newest first. Long lists are cut.
        pub outcomes: Vec<OutcomeDetail>,
        /// Who added the solution, or null for entries of earlier versions.
        pub recorded_by: Option<String>,
        /// Machine on which it was recorded.
        pub recorded_from: Option<String>,
        /// True if a person marked it as wrong. It is not suggested.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub wrong: bool,
    }

    /// A recorded attempt of a solution.
    pub struct OutcomeDetail {
        /// `out-…`.
        pub outcome_id: String,
        /// True if it solved the problem.
        pub worked: bool,
        /// Environment in which it was tried.
        pub env_bucket: String,
        /// Remarks.
        pub notes: Option<String>,
        /// The search that led to it.
        pub lookup_id: Option<String>,
        /// Time of the outcome.
        pub created_at: String,
        /// Who recorded the outcome, or null for entries of earlier versions.
        pub recorded_by: Option<String>,
        /// Machine on which it was recorded.
        pub recorded_from: Option<String>,
    }

    /// The next step.
    pub struct NextAction {
        /// Stable name for programs.
        pub r#type: NextActionType,
        /// Instructions for the agent.
        pub instructions: String,
    }

    /// A search for incidents only. It is not recorded.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct MemorySearchParams {
        /// Problem, as in `ranked_solutions`.
        pub text: String,
        /// From 1 to 1000. Default: 10.
        pub limit: Option<u32>,
        /// Minimum score, from 0 to 1. Default: 0.
        pub threshold: Option<f64>,
        /// Environment, as in `ranked_solutions`. Among equal matches, incidents solved in it come first.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub env: Option<Value>,
    }

    /// Matching incidents, best first.
    pub struct MemorySearchResult {
        /// Ids of the incidents.
        pub ranked: Vec<String>,
        /// Scores of the incidents, from 0 to 1.
        pub scores: Vec<f64>,
    }
}

/// Next steps of the public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NextActionType {
    /// Nothing relevant is known.
    NoMatchDebugThenAddIncident,
    /// The problem is known, but no solution.
    NoSolutionsAddOne,
    /// A solution to try is known.
    TrySolutionAndRecordOutcome,
    /// The solution worked.
    DoneOrAddEnvVariant,
    /// The solution failed.
    DebugFurtherThenAddSolutionOrIncident,
    /// The solution is stored and untried.
    RecordOutcomeForNewSolution,
    /// A similar incident already exists.
    UseAddSolutionForExistingIncident,
}
