//! Types of the viewer: the pages for people, and the values that they may change. Runs are in `viewer_runs`.
//!
//! Every list is paged by `limit` (from 1 to 200) and `offset`, and `total` has the number of all entries.

use super::{
    FailurePattern, Inspection, MatchKind, MemoryKind, PatternSource, RankedSolution, RelatedEntry, RunRecord,
};
use argus_core::{Category, FailureEvent};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

contract! {
    /// Summary of a database.
    pub struct ViewOverview {
        /// Number of built-in and learned patterns.
        pub patterns: u32,
        /// Number of learned patterns.
        pub learned_patterns: u32,
        /// Number of recorded runs.
        pub runs: u32,
        /// Number of incidents in both memories.
        pub incidents: u32,
        /// The newest run.
        pub latest_run: Option<RunRecord>,
    }

    /// Filter, order and page of patterns.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewPatternsParams {
        /// Only patterns of this category.
        pub category: Option<Category>,
        /// Only patterns from this source.
        pub source: Option<PatternSource>,
        /// Only patterns with these words in description, case name or the beginning of the suggested fix, ignoring
        /// case.
        pub text: Option<String>,
        /// Default: `occurrences`. Built-in patterns without occurrences always come last.
        pub sort: Option<ViewPatternSort>,
        /// Default: true.
        pub descending: Option<bool>,
        /// From 1 to 200. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// A page of patterns, with counts by category and source.
    pub struct ViewPatternsResult {
        /// Page of the list.
        pub patterns: Vec<PatternTableRow>,
        /// Number of entries that match.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Number of matches for source and text, by category. Empty categories are omitted.
        pub categories: Vec<CategoryCount>,
        /// Number of matches for category and text, by source.
        pub sources: Vec<SourceCount>,
    }

    /// Number of patterns of a category.
    pub struct CategoryCount {
        /// Category.
        pub category: Category,
        /// Number of patterns.
        pub count: u32,
    }

    /// Number of patterns of a source.
    pub struct SourceCount {
        /// Source.
        pub source: PatternSource,
        /// Number of patterns.
        pub count: u32,
    }

    /// A pattern as a row of a table.
    pub struct PatternTableRow {
        /// `pat-…` or `builtin-…`.
        pub id: String,
        /// Category of the failure.
        pub category: Category,
        /// Description in one line.
        pub description: String,
        /// Best fix, shortened, or null if no fix is known.
        pub suggested_fix: Option<String>,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// Number of diagnoses.
        pub occurrences: u32,
        /// Number of fixes reported as successful.
        pub resolutions: u32,
        /// Origin of the pattern.
        pub source: PatternSource,
        /// Case from which the pattern was learned, or null for a built-in pattern.
        pub case_name: Option<String>,
        /// Time of the first diagnosis. For a built-in pattern, creation of the database.
        pub first_seen_at: String,
        /// Time of the last diagnosis.
        pub last_seen_at: String,
        /// True if a person set a value of the pattern.
        pub edited: bool,
    }

    /// Selects a pattern. Limit and offset apply to `seen`.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewPatternParams {
        /// `pat-…` or `builtin-…`. A merged pattern leads to the pattern that contains it.
        pub id: String,
        /// From 1 to 200. Default: 50.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// A pattern with all its details.
    pub struct ViewPatternResult {
        /// Pattern as shown everywhere: with the values a person set, else the learned values.
        pub pattern: FailurePattern,
        /// Learned values, or those of the built-in pattern.
        pub learned: LearnedValues,
        /// Values that a person set.
        pub set: PersonValues,
        /// Case from which the pattern was learned, or null for a built-in pattern.
        pub case_name: Option<String>,
        /// Patterns that were merged into it, by a person or because they were similar.
        pub merged: Vec<MergedPattern>,
        /// Reported fixes, newest first, at most 100.
        pub fixes: Vec<FixView>,
        /// Solutions, at most 50: the suggested solution first, wrong solutions last.
        pub solutions: Vec<SolutionView>,
        /// Oldest first. The last point is the current value.
        pub confidence_over_time: Vec<ConfidencePoint>,
        /// Start of the stored daily counts. Points before this time are derived from reports.
        pub confidence_known_since: Option<String>,
        /// Its failures in recorded runs, newest first. For a built-in pattern, all failures of its category.
        pub seen: Vec<PatternOccurrence>,
        /// Number of these failures.
        pub seen_total: u32,
        /// True if `seen` has a next page.
        pub has_more: bool,
        /// Tests with these failures, most frequent first, at most 50. For a built-in pattern, only tests of the page.
        pub tests: Vec<AffectedTest>,
        /// Similar patterns.
        pub related: Vec<RelatedEntry>,
        /// A redacted error text that it was learned from.
        pub sample: Option<String>,
    }

    /// Values of a pattern without changes by a person.
    pub struct LearnedValues {
        /// Category from the rules.
        pub category: Category,
        /// Headline of the failure it was learned from.
        pub description: String,
        /// The best known fix.
        pub suggested_fix: Option<String>,
    }

    /// Values that a person set. A value is null if no person set it.
    pub struct PersonValues {
        /// Replaces the learned category.
        pub category: Option<Category>,
        /// Replaces the learned description.
        pub description: Option<String>,
        /// Replaces the best fix.
        pub suggested_fix: Option<String>,
        /// Time of the last change by a person.
        pub edited_at: Option<String>,
    }

    /// A pattern that was merged into another pattern.
    pub struct MergedPattern {
        /// `pat-…`.
        pub id: String,
        /// Description in one line.
        pub description: String,
        /// Case it was learned from.
        pub case_name: String,
        /// Number of diagnoses before the merge.
        pub occurrences: u32,
    }

    /// A report that a solution was tried.
    pub struct FixView {
        /// `fix-…` or `out-…`.
        pub fix_id: String,
        /// The tried solution.
        pub solution_id: String,
        /// Run of the failure, or null if the report names no run.
        pub run_id: Option<String>,
        /// True if the run is still stored.
        pub run_recorded: bool,
        /// Case of the failure.
        pub case_name: Option<String>,
        /// Description of the change.
        pub fix_description: String,
        /// True if it was reported as successful.
        pub success: bool,
        /// True if a person marked it as wrong, so that it does not count as a success.
        pub wrong: bool,
        /// Time of the report.
        pub created_at: String,
        /// Who reported the fix, or null for entries of earlier versions.
        pub recorded_by: Option<String>,
        /// Machine on which it was recorded.
        pub recorded_from: Option<String>,
    }

    /// A solution with its results.
    pub struct SolutionView {
        /// `sol-…`.
        pub solution_id: String,
        /// Steps of the solution.
        pub steps: String,
        /// Environment it was written for. Empty for any.
        pub env_bucket: String,
        /// Number of successes.
        pub worked: u32,
        /// Number of failures.
        pub failed: u32,
        /// Time of the last success.
        pub last_confirmed_at: Option<String>,
        /// Time of creation.
        pub created_at: String,
        /// True if the pattern suggests it.
        pub suggested: bool,
        /// True if a person chose it as the suggestion.
        pub set: bool,
        /// True if a person marked it as wrong.
        pub wrong: bool,
    }

    /// Confidence of a pattern at a time.
    pub struct ConfidencePoint {
        /// Time of the point.
        pub at: String,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// Number of diagnoses until then.
        pub occurrences: u32,
        /// Number of reported successes until then.
        pub resolutions: u32,
        /// True if the counts of that day are stored. Otherwise they are derived from reports, and `occurrences` is a
        /// minimum.
        pub known: bool,
    }

    /// A failure of a pattern.
    pub struct PatternOccurrence {
        /// `run-…`.
        pub run_id: String,
        /// Start of the run.
        pub timestamp: String,
        /// `file > suite > name`.
        pub case_name: String,
        /// The error in one line.
        pub headline: String,
    }

    /// A test that failed with a pattern.
    pub struct AffectedTest {
        /// `file > suite > name`.
        pub case_name: String,
        /// Number of recorded runs with the failure.
        pub failures: u32,
        /// Newest of these runs.
        pub last_run_id: String,
        /// Start of that run.
        pub last_seen_at: String,
    }

    /// Filter and page of incidents.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct ViewIncidentsParams {
        /// A problem, as in `ranked_solutions`. None for all incidents, newest first.
        pub text: Option<String>,
        /// Environment, as in `ranked_solutions`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"))]
        pub env: Option<Value>,
        /// Replaces `env` by an entry of `viewEnvironments`.
        pub env_bucket: Option<String>,
        /// From 1 to 200. Default: 20.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Incidents, newest first or best first.
    pub struct ViewIncidentsResult {
        /// Page of the list.
        pub incidents: Vec<IncidentView>,
        /// Number of incidents. With a text, number of matches, at most 200.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Canonical form of the environment.
        pub env_bucket: String,
        /// Limitations of this answer.
        pub warnings: Vec<String>,
    }

    /// An incident. With a search text, also a failure pattern with a fix.
    pub struct IncidentView {
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
        /// Memory that contains it.
        pub memory: MemoryKind,
        /// Time of creation.
        pub created_at: String,
        /// Number of its solutions.
        pub solution_count: u32,
        /// Score of the match with the text, from 0 to 1.
        pub score: Option<f64>,
        /// Reasons for the match, in short phrases.
        pub because: Vec<String>,
        /// The solutions with their scores, best first, at most 10. Empty if the call has no text.
        pub solutions: Vec<RankedSolution>,
    }

    /// Environments in which something was tried.
    pub struct ViewEnvironmentsResult {
        /// Canonical forms, most frequent first, at most 100.
        pub env_buckets: Vec<String>,
    }

    /// A failure to analyze.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewInspectionParams {
        /// The failure.
        pub event: FailureEvent,
        /// Qualified name of its case.
        pub case_name: Option<String>,
    }

    /// Analysis of a failure text, with matches from the memory. Nothing is stored or counted.
    pub struct ViewInspectionResult {
        /// Analysis of the text.
        pub inspection: Inspection,
        /// Placeholders in `inspection.normalized`.
        pub placeholders: Vec<PlaceholderSpan>,
        /// The matching pattern.
        pub pattern: Option<PatternTableRow>,
        /// Similar patterns and incidents.
        pub related: Vec<RelatedEntry>,
    }

    /// Analysis of a text without a memory.
    pub struct Explanation {
        /// Analysis of the text.
        pub inspection: Inspection,
        /// Placeholders in `inspection.normalized`.
        pub placeholders: Vec<PlaceholderSpan>,
    }

    /// A placeholder in a normalized text.
    pub struct PlaceholderSpan {
        /// Start in UTF-16 code units, inclusive.
        pub start: u32,
        /// End, exclusive.
        pub end: u32,
        /// Name without brackets, such as `UUID`.
        pub name: String,
    }

    /// Changes of a pattern by a person. Absent keeps a value, null restores the learned value.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct EditPatternParams {
        /// `pat-…` or `builtin-…`. The category of a built-in pattern cannot change.
        pub id: String,
        /// Category of the failure.
        #[cfg_attr(feature = "types", ts(as = "Option<Category>"), schemars(with = "Option<Category>"))]
        pub category: Change<Category>,
        /// Description in one line, cut to 300 characters.
        #[cfg_attr(feature = "types", ts(as = "Option<String>"), schemars(with = "Option<String>"))]
        pub description: Change<String>,
        /// The fix to suggest, cut to 4 KB.
        #[cfg_attr(feature = "types", ts(as = "Option<String>"), schemars(with = "Option<String>"))]
        pub suggested_fix: Change<String>,
    }

    /// Two learned patterns to merge.
    pub struct MergePatternsParams {
        /// Pattern to merge. Its failures count for `into` from now on.
        pub from: String,
        /// Pattern that remains.
        pub into: String,
    }

    /// A merged pattern to separate again.
    pub struct SplitPatternParams {
        /// Pattern that contains it.
        pub pattern: String,
        /// Id from `merged` of that pattern.
        pub part: String,
    }

    /// A fix that a person judges, given by either id.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct MarkFixParams {
        /// `fix-…` or `out-…`, for the solution of this report.
        pub fix_id: Option<String>,
        /// `sol-…`.
        pub solution_id: Option<String>,
        /// True if wrong: it is not suggested, and its successes do not count. False reverts this.
        pub wrong: bool,
    }

    /// A judged fix.
    pub struct MarkFixResult {
        /// `sol-…`.
        pub solution_id: String,
        /// True if it is now marked as wrong.
        pub wrong: bool,
        /// Current state of the pattern, or null for a solution of an incident.
        pub pattern: Option<PatternTableRow>,
    }
}

/// Order of patterns. Among equal patterns, the newest counts as the greatest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ViewPatternSort {
    /// By name of the category, then most frequent first.
    Category,
    /// By description.
    Description,
    /// By confidence.
    Confidence,
    /// By number of diagnoses.
    #[default]
    Occurrences,
    /// By number of resolutions.
    Resolutions,
    /// By time of the last diagnosis.
    LastSeen,
    /// Built-in before learned, then most frequent first.
    Source,
}

/// A change of a value that a person may set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Keeps the value. In JSON: absent.
    #[default]
    Keep,
    /// Restores the learned value. In JSON: null.
    Learned,
    /// Replaces the learned value.
    Set(T),
}

impl<T> Change<T> {
    /// Returns the value after the change. `before` is the value that a person set earlier.
    pub fn apply_to_override(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Learned => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(value)?.map_or(Self::Learned, Self::Set))
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Keep | Self::Learned => to.serialize_none(),
            Self::Set(value) => to.serialize_some(value),
        }
    }
}
