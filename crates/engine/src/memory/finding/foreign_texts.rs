//! Cleans entries that others wrote before they are shown: removes claims about their success, redacts secrets and
//! bounds the length, because these texts did not pass through this program before.

use crate::{
    Engine,
    contract::{Difference, IncidentMatch, MemoryKind, RankedSolution, RelatedEntry},
};
use argus_core::{bound::truncate_middle_to, display, environment::Environment};
use serde_json::{Map, Value};

/// Maximum number of characters of a text, such as steps, in an answer.
const MAX_STEPS_CHARS: usize = 4_000;
/// Maximum number of characters of a related fix in a diagnosis.
const MAX_RELATED_FIX_CHARS: usize = 1_000;
const MAX_LINE_CHARS: usize = 300;
/// Maximum number of bytes of a text that are redacted and shown.
const MAX_READ_BYTES: usize = 64 * 1024;
/// Maximum number of tags of an incident.
const MAX_TAGS: usize = 20;
/// The field `why` of a foreign solution. It replaces the explanation of the score.
const FOREIGN_WHY: &str = "foreign: from a database that came with the project; not tried here";

pub(super) fn clean_match(engine: &Engine, found: IncidentMatch) -> IncidentMatch {
    IncidentMatch {
        incident_id: clean_line(engine, &found.incident_id),
        title: clean_line(engine, &found.title),
        error_signature: found.error_signature.map(|found| clean_text(engine, &found)),
        summary: found.summary.map(|found| clean_text(engine, &found)),
        tags: clean_tags(engine, &found.tags),
        ..found
    }
}

pub(super) fn clean_solution(engine: &Engine, solution: RankedSolution) -> RankedSolution {
    RankedSolution {
        solution_id: clean_line(engine, &solution.solution_id),
        steps: clean_text(engine, &solution.steps),
        env: Value::Object(Map::new()),
        env_bucket: clean_bucket(&solution.env_bucket),
        best_env_bucket_match: clean_bucket(&solution.best_env_bucket_match),
        why: FOREIGN_WHY.to_owned(),
        ..solution
    }
}

pub(super) fn clean_related(engine: &Engine, related: RelatedEntry) -> RelatedEntry {
    RelatedEntry {
        id: clean_line(engine, &related.id),
        description: clean_line(engine, &related.description),
        suggested_fix: related
            .suggested_fix
            .map(|fix| display::truncate_chars(&clean_text(engine, &fix), MAX_RELATED_FIX_CHARS)),
        confidence: None,
        tried: None,
        differences: related
            .differences
            .into_iter()
            .map(|Difference { before, now }| Difference {
                before: clean_line(engine, &before),
                now: clean_line(engine, &now),
            })
            .collect(),
        memory: Some(MemoryKind::Foreign),
        ..related
    }
}

pub(super) fn clean_line(engine: &Engine, found: &str) -> String {
    display::sanitize_line(&redact_bounded(engine, found), MAX_LINE_CHARS)
}

pub(super) fn clean_text(engine: &Engine, found: &str) -> String {
    display::truncate_chars(&redact_bounded(engine, found), MAX_STEPS_CHARS)
}

/// Redacts a text. The text is bounded first, because a foreign file may contain any length.
fn redact_bounded(engine: &Engine, found: &str) -> String {
    engine.analyzer.redact_without_limit(&truncate_middle_to(found, MAX_READ_BYTES)).into_string()
}

pub(super) fn clean_tags(engine: &Engine, found: &[String]) -> Vec<String> {
    found.iter().take(MAX_TAGS).map(|tag| clean_line(engine, tag)).collect()
}

/// Returns the canonical form of an environment bucket, which contains only known fields.
pub(super) fn clean_bucket(found: &str) -> String {
    Environment::parse(found).to_string()
}
