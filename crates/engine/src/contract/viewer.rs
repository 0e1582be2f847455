//! Types of the viewer: what people look at, page by page, and the little they may change. Runs: `viewer_runs`.
//!
//! Every list is paged by `limit` (1 to 200) and `offset`, and says how many there are in `total`.

use super::{FailurePattern, Inspection, MatchKind, MemoryKind, PatternSource, RankedSolution, Related, RunRecord};
use argus_core::{Category, FailureEvent};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

contract! {
    /// What a database holds, in a few numbers.
    pub struct ViewOverview {
        /// Built-in and learned.
        pub patterns: u32,
        /// Learned ones among them.
        pub learned_patterns: u32,
        /// Recorded runs.
        pub runs: u32,
        /// Incidents of both memories.
        pub incidents: u32,
        /// The newest run.
        pub latest_run: Option<RunRecord>,
    }

    /// Which patterns to show.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewPatternsParams {
        /// Only this category.
        pub category: Option<Category>,
        /// Only from there.
        pub source: Option<PatternSource>,
        /// Only those with these words, letter by letter but for their case, in description, case name or the beginning
        /// of the suggested fix.
        pub text: Option<String>,
        /// `occurrences` when none. Built-ins that were never met come last in every order.
        pub sort: Option<ViewPatternSort>,
        /// True when none.
        pub descending: Option<bool>,
        /// 1 to 200; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// One page of patterns, and how many there are of each kind.
    pub struct ViewPatternsResult {
        /// One page.
        pub patterns: Vec<ViewPatternRow>,
        /// All that fit the filter.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
        /// How many fit source and text, by category; categories with none are left out.
        pub categories: Vec<CategoryCount>,
        /// How many fit category and text, by source.
        pub sources: Vec<SourceCount>,
    }

    /// Patterns of one category.
    pub struct CategoryCount {
        /// Which.
        pub category: Category,
        /// How many.
        pub count: u32,
    }

    /// Patterns of one source.
    pub struct SourceCount {
        /// Which.
        pub source: PatternSource,
        /// How many.
        pub count: u32,
    }

    /// A pattern as a row of a table.
    pub struct ViewPatternRow {
        /// `pat-…` or `builtin-…`.
        pub id: String,
        /// What it is.
        pub category: Category,
        /// One line about it.
        pub description: String,
        /// None: nothing fixed it yet. A long one is cut.
        pub suggested_fix: Option<String>,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// How often it was diagnosed.
        pub occurrences: u32,
        /// How often a fix was reported as successful.
        pub resolutions: u32,
        /// Where it comes from.
        pub source: PatternSource,
        /// Case it was learned from; none for a built-in.
        pub case_name: Option<String>,
        /// First diagnosis; for a built-in, when the database was made.
        pub first_seen_at: String,
        /// Last diagnosis.
        pub last_seen_at: String,
        /// A person set something of it.
        pub edited: bool,
    }

    /// Which pattern to show; limit and offset are those of `seen`.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewPatternParams {
        /// `pat-…` or `builtin-…`; one that was merged leads to the other.
        pub id: String,
        /// 1 to 200; 50 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// A pattern with everything that is known about it.
    pub struct ViewPatternResult {
        /// As it is shown everywhere: what a person set, else what was learned.
        pub pattern: FailurePattern,
        /// What was learned, or what the built-in says.
        pub learned: LearnedValues,
        /// What a person set.
        pub set: PersonValues,
        /// Case it was learned from; none for a built-in.
        pub case_name: Option<String>,
        /// Patterns that are part of it: a person merged them into it, or they were alike.
        pub merged: Vec<MergedPattern>,
        /// Reported fixes, newest first, at most 100.
        pub fixes: Vec<ViewFix>,
        /// What was or may be tried: the suggested one first, wrong ones last; at most 50.
        pub solutions: Vec<ViewSolution>,
        /// Oldest first; the last one is now.
        pub confidence_over_time: Vec<ConfidencePoint>,
        /// From here on every day is known; before it only what was reported.
        pub confidence_known_since: Option<String>,
        /// Failures of it in recorded runs, newest first: of a built-in, all of its category.
        pub seen: Vec<SeenIn>,
        /// All of them.
        pub seen_total: u32,
        /// There is a next page of `seen`.
        pub has_more: bool,
        /// The tests it was seen in, most frequent first, at most 50; for a built-in those of the page.
        pub tests: Vec<SeenTest>,
        /// Patterns that are like it.
        pub related: Vec<Related>,
        /// A redacted error text it was learned from.
        pub sample: Option<String>,
    }

    /// What a pattern has without a person's hand.
    pub struct LearnedValues {
        /// What the rules say it is.
        pub category: Category,
        /// Headline of the failure it was learned from.
        pub description: String,
        /// Its best fix.
        pub suggested_fix: Option<String>,
    }

    /// What a person set; none: not set.
    pub struct PersonValues {
        /// In place of the learned one.
        pub category: Option<Category>,
        /// In place of the learned one.
        pub description: Option<String>,
        /// In place of the best fix.
        pub suggested_fix: Option<String>,
        /// When anything of it was last set or taken back.
        pub edited_at: Option<String>,
    }

    /// A pattern that is part of another.
    pub struct MergedPattern {
        /// `pat-…`.
        pub id: String,
        /// One line about it.
        pub description: String,
        /// Case it was learned from.
        pub case_name: String,
        /// How often it was diagnosed before it was merged.
        pub occurrences: u32,
    }

    /// One report that something was tried.
    pub struct ViewFix {
        /// `fix-…` or `out-…`.
        pub fix_id: String,
        /// What was tried.
        pub solution_id: String,
        /// Run of the failure; none where it was not reported for a run.
        pub run_id: Option<String>,
        /// The run is still recorded.
        pub run_recorded: bool,
        /// Case of the failure.
        pub case_name: Option<String>,
        /// What was changed.
        pub fix_description: String,
        /// It was reported as a success.
        pub success: bool,
        /// A person marked it as wrong, so it counts as no success.
        pub wrong: bool,
        /// When it was reported.
        pub created_at: String,
        /// Who reported it; none: it is from before this was kept.
        pub recorded_by: Option<String>,
        /// On which machine.
        pub recorded_from: Option<String>,
    }

    /// Something to try, with what came of it.
    pub struct ViewSolution {
        /// `sol-…`.
        pub solution_id: String,
        /// What to do.
        pub steps: String,
        /// The environment it was written for; empty: any.
        pub env_bucket: String,
        /// How often it worked.
        pub worked: u32,
        /// How often it failed.
        pub failed: u32,
        /// When it last worked.
        pub last_confirmed_at: Option<String>,
        /// When it was added.
        pub created_at: String,
        /// It is what the pattern suggests.
        pub suggested: bool,
        /// A person set it as what the pattern suggests.
        pub set: bool,
        /// A person marked it as wrong.
        pub wrong: bool,
    }

    /// How sure a pattern was at a moment.
    pub struct ConfidencePoint {
        /// When.
        pub at: String,
        /// `(resolutions + 1) / (occurrences + 2)`.
        pub confidence: f64,
        /// How often it had been diagnosed.
        pub occurrences: u32,
        /// How often a fix had been reported as successful.
        pub resolutions: u32,
        /// Counted on that day; else made up from what was reported, with as few occurrences as there must have been.
        pub known: bool,
    }

    /// A failure of a pattern.
    pub struct SeenIn {
        /// `run-…`.
        pub run_id: String,
        /// When the run started.
        pub timestamp: String,
        /// `file > suite > name`.
        pub case_name: String,
        /// What went wrong, one line.
        pub headline: String,
    }

    /// A test that failed with a pattern.
    pub struct SeenTest {
        /// `file > suite > name`.
        pub case_name: String,
        /// In how many recorded runs.
        pub failures: u32,
        /// The newest of them.
        pub last_run_id: String,
        /// When that run started.
        pub last_seen_at: String,
    }

    /// Which incidents to show.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct ViewIncidentsParams {
        /// A problem, as in `ranked_solutions`; none: all, newest first.
        pub text: Option<String>,
        /// Where a solution must work, as in `ranked_solutions`.
        #[cfg_attr(feature = "types", ts(optional, type = "Record<string, unknown> | null"))]
        pub env: Option<Value>,
        /// In place of what `env` gives; one of `viewEnvironments`.
        pub env_bucket: Option<String>,
        /// 1 to 200; 20 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Incidents, newest or best first.
    pub struct ViewIncidentsResult {
        /// One page.
        pub incidents: Vec<ViewIncident>,
        /// All of them; with a text all that answer it, at most 200.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
        /// The canonical form of the environment.
        pub env_bucket: String,
        /// Anything that limits this answer.
        pub warnings: Vec<String>,
    }

    /// An incident, or a failure pattern with a fix where a text was given.
    pub struct ViewIncident {
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
        /// Where it is stored.
        pub memory: MemoryKind,
        /// When it was added.
        pub created_at: String,
        /// How many solutions it has.
        pub solution_count: u32,
        /// How well it answers the text, in [0, 1].
        pub score: Option<f64>,
        /// Why it was found, in short phrases.
        pub because: Vec<String>,
        /// With a text its solutions with their scores, best first, at most 10.
        pub solutions: Vec<RankedSolution>,
    }

    /// Environments in which something was tried.
    pub struct ViewEnvironmentsResult {
        /// Canonical forms, most frequent first, at most 100.
        pub env_buckets: Vec<String>,
    }

    /// A failure to look at.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewInspectionParams {
        /// The failure.
        pub event: FailureEvent,
        /// Qualified name of the case it happened in.
        pub case_name: Option<String>,
    }

    /// Everything concluded from a failure text, and what the memory has about it. Nothing is stored or counted.
    pub struct ViewInspectionResult {
        /// What is concluded from the text alone.
        pub inspection: Inspection,
        /// Where placeholders stand in `inspection.normalized`.
        pub placeholders: Vec<PlaceholderSpan>,
        /// The pattern it matches.
        pub pattern: Option<ViewPatternRow>,
        /// Patterns and incidents that are like it.
        pub related: Vec<Related>,
    }

    /// A text with its placeholders, from the text alone.
    pub struct Explanation {
        /// What is concluded.
        pub inspection: Inspection,
        /// Where placeholders stand in `inspection.normalized`.
        pub placeholders: Vec<PlaceholderSpan>,
    }

    /// A placeholder in a normalized text.
    pub struct PlaceholderSpan {
        /// First UTF-16 code unit.
        pub start: u32,
        /// One past the last.
        pub end: u32,
        /// Without the brackets, such as `UUID`.
        pub name: String,
    }

    /// What a person sets on a pattern: absent leaves it, null goes back to what was learned.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct EditPatternParams {
        /// `pat-…` or `builtin-…`; of a built-in the category stays.
        pub id: String,
        /// What it is.
        #[cfg_attr(feature = "types", ts(as = "Option<Category>"), schemars(with = "Option<Category>"))]
        pub category: Change<Category>,
        /// One line, at most 300 characters are kept.
        #[cfg_attr(feature = "types", ts(as = "Option<String>"), schemars(with = "Option<String>"))]
        pub description: Change<String>,
        /// What to do, at most 4 KB are kept.
        #[cfg_attr(feature = "types", ts(as = "Option<String>"), schemars(with = "Option<String>"))]
        pub suggested_fix: Change<String>,
    }

    /// Two learned patterns that are one.
    pub struct MergePatternsParams {
        /// It becomes part of the other; its failures count there from now on.
        pub from: String,
        /// What stays.
        pub into: String,
    }

    /// A part of a pattern that is another failure.
    pub struct SplitPatternParams {
        /// What it is part of.
        pub pattern: String,
        /// One of its `merged`.
        pub part: String,
    }

    /// A fix that a person judges: one of the ids.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct MarkFixParams {
        /// `fix-…` or `out-…`: the solution that it reported.
        pub fix_id: Option<String>,
        /// `sol-…`.
        pub solution_id: Option<String>,
        /// Wrong: no suggestion any more, and its successes count as none. False takes it back.
        pub wrong: bool,
    }

    /// A judged fix.
    pub struct MarkFixResult {
        /// `sol-…`.
        pub solution_id: String,
        /// What it is now.
        pub wrong: bool,
        /// The pattern it belongs to, as it is now; none for an incident's.
        pub pattern: Option<ViewPatternRow>,
    }
}

/// Order of patterns; of equal ones the newest is the greatest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ViewPatternSort {
    /// By the name of the category, in each the most frequent first.
    Category,
    /// By the letters of the description.
    Description,
    /// By how sure it is.
    Confidence,
    /// By how often it was diagnosed.
    #[default]
    Occurrences,
    /// By how often it was fixed.
    Resolutions,
    /// By the last diagnosis.
    LastSeen,
    /// Built-in before learned, of each the most frequent first.
    Source,
}

/// What happens to a value that a person may set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Absent: it stays as it is.
    #[default]
    Keep,
    /// Null: back to what was learned.
    Learned,
    /// In place of what was learned.
    Set(T),
}

impl<T> Change<T> {
    /// What is set afterwards, where `before` was.
    pub fn over(self, before: Option<T>) -> Option<T> {
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
