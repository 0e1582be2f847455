//! Types of the debug memory: `ranked_solutions`, `record_outcome`, `add_solution`, `add_incident`, and its bulk twins.
//! Names are the contract's, in its snake case.

use super::SharedOrigin;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a field takes whose type is any value, so that a wrong one is answered with a sentence.
#[cfg(feature = "types")]
type Object = serde_json::Map<String, Value>;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Derives what every type of the debug memory has.
macro_rules! contract {
    ($($(#[$meta:meta])* pub $kind:tt $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

/// Which memory the engine's own database is, and how it forgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default)]
pub struct MemoryOptions {
    /// Where the engine writes; the database beside it is the other one.
    pub home: Option<MemoryKind>,
    /// Days after which a confirmation counts half as recent; 180 when none.
    pub half_life_days: Option<f64>,
}

contract! {
    /// The places of what was learned.
    #[derive(Copy, Default, Eq)]
    pub enum MemoryKind {
        /// The project's database.
        #[default]
        Project,
        /// The user's own database.
        User,
        /// A database that came with the project and is nobody's here: a claim, not experience.
        Foreign,
    }

    /// What to look for, and where the solution must work.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RankedSolutionsParams {
        /// A stack trace, an error line, or the problem in words.
        pub query_text: String,
        /// Flat: texts, numbers, booleans. What the seven known fields mean stands in `argus_core::environment`.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// 1 to 50; 5 when none.
        pub limit: Option<i64>,
        /// What the host found of project and machine; fills in what `env` leaves out.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// What is known about a problem.
    pub struct RankedSolutionsResult {
        /// `lkp-…`, for `record_outcome`.
        pub lookup_id: String,
        /// The canonical form of the environment.
        pub env_bucket: String,
        /// The fields that were not in `env` and were found.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// Best first, at most 10.
        pub incidents: Vec<IncidentMatch>,
        /// Best first.
        pub ranked_solutions: Vec<RankedSolution>,
        /// The first of `ranked_solutions` that is not foreign.
        pub recommended_solution: Option<RankedSolution>,
        /// Solutions that the limit left out.
        pub more: u32,
        /// What to do now.
        pub next_action: NextAction,
        /// Anything that limits this answer.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub warnings: Vec<String>,
    }

    /// An incident, or a failure pattern with a fix, that answers the query.
    pub struct IncidentMatch {
        /// `inc-…` or `pat-…`; an imported one keeps its own.
        pub incident_id: String,
        /// Which of the two it is.
        pub kind: MatchKind,
        /// One line.
        pub title: String,
        /// The error as it was printed, cut short.
        pub error_signature: Option<String>,
        /// The problem in words, cut short.
        pub summary: Option<String>,
        /// Labels.
        pub tags: Vec<String>,
        /// In [0, 1].
        pub score: f64,
        /// Why it was found, in short phrases.
        pub because: Vec<String>,
        /// How many solutions it has.
        pub solution_count: u32,
        /// Where it is stored.
        pub memory: MemoryKind,
        /// Of what the repository shares: where it comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// What a match is.
    #[derive(Copy, Eq)]
    pub enum MatchKind {
        /// Added with `add_incident`, or imported.
        Incident,
        /// Learned by `argus_report_fix`.
        Pattern,
    }

    /// A solution with its reasons.
    pub struct RankedSolution {
        /// `sol-…`.
        pub solution_id: String,
        /// What it is a solution of.
        pub incident_id: String,
        /// What to do.
        pub steps: String,
        /// The environment it was written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, string | number | boolean>"), schemars(with = "Object"))]
        pub env: Value,
        /// Its canonical form.
        pub env_bucket: String,
        /// Of the environments in which it was tried, or for which it was written, the one most like the asked one.
        pub best_env_bucket_match: String,
        /// How like, in [0, 1].
        pub env_match_score: f64,
        /// Lower bound of the success rate, in [0, 1].
        pub reliability_score: f64,
        /// How recent its last success is, in [0, 1].
        pub recency_boost: f64,
        /// What they are ordered by, in [0, 1].
        pub final_solution_score: f64,
        /// The score in one short line.
        pub why: String,
        /// How often it worked, anywhere.
        pub worked: u32,
        /// How often it failed, anywhere.
        pub failed: u32,
        /// How many of `worked` no run has proved; absent: none.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[cfg_attr(feature = "types", ts(as = "Option<u32>", optional))]
        pub claimed: u32,
        /// When it last worked.
        pub last_confirmed_at: Option<String>,
        /// Where it is stored. What is `foreign` comes last, is never recommended, and has no statistics.
        pub memory: MemoryKind,
        /// Of what the repository shares: where it comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub origin: Option<SharedOrigin>,
    }

    /// What came of trying a solution.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct RecordOutcomeParams {
        /// The search that led to it.
        pub lookup_id: Option<String>,
        /// `sol-…`.
        pub solution_id: String,
        /// It solved the problem.
        pub worked: bool,
        /// Where it was tried.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// In place of what `env` gives.
        pub env_bucket: Option<String>,
        /// Anything worth knowing, at most 10 KB.
        pub notes: Option<String>,
        /// What the host found of project and machine; fills in what `env` leaves out.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// A recorded outcome.
    pub struct RecordOutcomeResult {
        /// It was recorded.
        #[cfg_attr(feature = "types", ts(type = "true"))]
        pub ok: bool,
        /// `out-…`.
        pub outcome_id: String,
        /// Where it counts.
        pub env_bucket: String,
        /// The fields that were not in `env` and were found.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// The solution's statistics after it.
        pub solution_stats: SolutionStats,
        /// What to do now.
        pub next_action: NextAction,
    }

    /// What is known of a solution, over all environments and in each.
    pub struct SolutionStats {
        /// `sol-…`.
        pub solution_id: String,
        /// How often it worked.
        pub worked: u32,
        /// How often it failed.
        pub failed: u32,
        /// `worked / (worked + failed)`.
        pub success_rate: f64,
        /// Lower bound of the success rate.
        pub reliability_score: f64,
        /// When it last worked.
        pub last_confirmed_at: Option<String>,
        /// The best known first.
        pub buckets: Vec<BucketStats>,
    }

    /// What is known of a solution in one environment.
    pub struct BucketStats {
        /// The environment.
        pub env_bucket: String,
        /// How often it worked there.
        pub worked: u32,
        /// How often it failed there.
        pub failed: u32,
        /// When it last worked there.
        pub last_confirmed_at: Option<String>,
    }

    /// A fix to add to an incident.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct AddSolutionParams {
        /// `inc-…` or `pat-…`.
        pub incident_id: String,
        /// What to do, at most 100 KB.
        pub steps: String,
        /// What it is written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// In place of what `env` gives.
        pub env_bucket: Option<String>,
        /// The search that led to the incident.
        pub lookup_id: Option<String>,
        /// What the host found of project and machine; fills in what `env` leaves out.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// An added solution.
    pub struct AddSolutionResult {
        /// `sol-…`.
        pub solution_id: String,
        /// The environment it is written for.
        pub env_bucket: String,
        /// False: the same steps for the same environment were there already.
        pub created: bool,
        /// The fields that were not in `env` and were found.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// What to do now.
        pub next_action: NextAction,
    }

    /// A problem with the fix that was tried and what came of it.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct AddIncidentParams {
        /// One line, at most 500 characters are kept.
        pub title: String,
        /// The error as it was printed.
        pub error_signature: Option<String>,
        /// The problem in words.
        pub summary: Option<String>,
        /// Labels, at most 50 of 100 characters.
        pub tags: Option<Vec<String>>,
        /// The search that found nothing.
        pub lookup_id: Option<String>,
        /// What to do, at most 100 KB.
        pub steps: String,
        /// Where it was tried.
        #[cfg_attr(feature = "types", ts(type = "Record<string, unknown>"), schemars(with = "Object"))]
        pub env: Value,
        /// In place of what `env` gives.
        pub env_bucket: Option<String>,
        /// The steps solved it.
        pub worked: bool,
        /// Anything worth knowing, at most 10 KB.
        pub notes: Option<String>,
        /// Adds it although one like it is there.
        pub force: Option<bool>,
        /// What the host found of project and machine; fills in what `env` leaves out.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
    }

    /// A new incident, or the one that is there already.
    #[serde(untagged)]
    pub enum AddIncidentResult {
        /// It was added.
        Created(IncidentCreated),
        /// One like it is there, and nothing was written.
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
        /// Where the outcome counts.
        pub env_bucket: String,
        /// The fields that were not in `env` and were found.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, string>"), schemars(with = "Option<Object>"))]
        pub detected_env: Option<Value>,
        /// What to do now.
        pub next_action: NextAction,
    }

    /// The incident that is there already.
    pub struct IncidentDuplicate {
        /// Always false.
        #[cfg_attr(feature = "types", ts(type = "false"))]
        pub created: bool,
        /// Its id, for `add_solution`.
        pub incident_id: String,
        /// What it is about.
        pub title: String,
        /// In [0, 1]; 1 for the same error.
        pub similarity: f64,
        /// What to do now.
        pub next_action: NextAction,
    }

    /// An incident with everything that is known about it.
    pub struct IncidentDetail {
        /// `inc-…`, or what an import gave it.
        pub incident_id: String,
        /// One line.
        pub title: String,
        /// The error as it was printed.
        pub error_signature: Option<String>,
        /// The problem in words.
        pub summary: Option<String>,
        /// Labels.
        pub tags: Vec<String>,
        /// Where it is stored.
        pub memory: MemoryKind,
        /// When it was added.
        pub created_at: String,
        /// When its texts last changed.
        pub updated_at: String,
        /// Those that worked most often first, wrong ones last.
        pub solutions: Vec<SolutionDetail>,
        /// Solutions that are left out.
        pub more: u32,
    }

    /// A solution with what came of it.
    pub struct SolutionDetail {
        /// `sol-…`.
        pub solution_id: String,
        /// What to do.
        pub steps: String,
        /// The environment it was written for.
        #[cfg_attr(feature = "types", ts(type = "Record<string, string | number | boolean>"), schemars(with = "Object"))]
        pub env: Value,
        /// Its canonical form.
        pub env_bucket: String,
        /// When it was added.
        pub created_at: String,
        /// How often it worked.
        pub worked: u32,
        /// How often it failed.
        pub failed: u32,
        /// In each environment; the best known first.
        pub buckets: Vec<BucketStats>,
        /// The newest first, not all of many.
        pub outcomes: Vec<OutcomeDetail>,
        /// Who added it; none: it is from before this was kept.
        pub recorded_by: Option<String>,
        /// On which machine.
        pub recorded_from: Option<String>,
        /// A person judged it as wrong; it is not suggested.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub wrong: bool,
    }

    /// One time that a solution was tried.
    pub struct OutcomeDetail {
        /// `out-…`.
        pub outcome_id: String,
        /// It solved the problem.
        pub worked: bool,
        /// Where it was tried.
        pub env_bucket: String,
        /// Anything worth knowing.
        pub notes: Option<String>,
        /// The search that led to it.
        pub lookup_id: Option<String>,
        /// When.
        pub created_at: String,
        /// Who recorded it; none: it is from before this was kept.
        pub recorded_by: Option<String>,
        /// On which machine.
        pub recorded_from: Option<String>,
    }

    /// The step that follows.
    pub struct NextAction {
        /// Stable; for programs.
        pub r#type: NextActionType,
        /// For the agent.
        pub instructions: String,
    }

    /// A search for incidents alone; nothing is remembered of it.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct MemorySearchParams {
        /// As in `ranked_solutions`.
        pub text: String,
        /// 1 to 1000; 10 when none.
        pub limit: Option<u32>,
        /// In [0, 1]; what scores less is left out. 0 when none.
        pub threshold: Option<f64>,
        /// Where a solution must work, as in `ranked_solutions`: of two that answer alike, the one that was solved there
        /// comes first.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"), schemars(with = "Option<Object>"))]
        pub env: Option<Value>,
    }

    /// Incidents, best first.
    pub struct MemorySearched {
        /// Their ids.
        pub ranked: Vec<String>,
        /// Their scores, in [0, 1].
        pub scores: Vec<f64>,
    }
}

/// The contract's next steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NextActionType {
    /// Nothing relevant is known.
    NoMatchDebugThenAddIncident,
    /// The problem is known, a solution is not.
    NoSolutionsAddOne,
    /// There is something to try.
    TrySolutionAndRecordOutcome,
    /// It worked.
    DoneOrAddEnvVariant,
    /// It did not work.
    DebugFurtherThenAddSolutionOrIncident,
    /// The solution is stored and untried.
    RecordOutcomeForNewSolution,
    /// The incident is known already.
    UseAddSolutionForExistingIncident,
}
