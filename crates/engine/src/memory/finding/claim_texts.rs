//! Cleans texts of others before they are shown: removes claims about their own success, redacts secrets and bounds
//! the length, because these texts never went through this program.

use crate::{
    Engine,
    contract::{Difference, IncidentMatch, MemoryKind, RankedSolution, Related},
};
use argus_core::{bound::bound_to, display, environment::Environment};
use serde_json::{Map, Value};

/// Maximum characters of a text, such as steps, in an answer.
const MAX_STEPS_CHARS: usize = 4_000;
/// Maximum characters of a fix next to a diagnosis.
const MAX_RELATED_FIX_CHARS: usize = 1_000;
const MAX_LINE_CHARS: usize = 300;
/// Maximum bytes of a text that are redacted.
const MAX_READ_BYTES: usize = 64 * 1024;
/// Maximum number of tags of an incident.
const MAX_TAGS: usize = 20;
/// Replaces the reason for the rank.
const WHY: &str = "foreign: from a database that came with the project; nobody here tried it";

pub(super) fn claimed_match(engine: &Engine, found: IncidentMatch) -> IncidentMatch {
    IncidentMatch {
        incident_id: line(engine, &found.incident_id),
        title: line(engine, &found.title),
        error_signature: found.error_signature.map(|found| text(engine, &found)),
        summary: found.summary.map(|found| text(engine, &found)),
        tags: tags(engine, &found.tags),
        ..found
    }
}

pub(super) fn claimed_solution(engine: &Engine, solution: RankedSolution) -> RankedSolution {
    RankedSolution {
        solution_id: line(engine, &solution.solution_id),
        steps: text(engine, &solution.steps),
        env: Value::Object(Map::new()),
        env_bucket: bucket(&solution.env_bucket),
        best_env_bucket_match: bucket(&solution.best_env_bucket_match),
        why: WHY.to_owned(),
        ..solution
    }
}

pub(super) fn claimed_related(engine: &Engine, related: Related) -> Related {
    Related {
        id: line(engine, &related.id),
        description: line(engine, &related.description),
        suggested_fix: related.suggested_fix.map(|fix| display::shortened(&text(engine, &fix), MAX_RELATED_FIX_CHARS)),
        confidence: None,
        tried: None,
        differences: related
            .differences
            .into_iter()
            .map(|Difference { before, now }| Difference { before: line(engine, &before), now: line(engine, &now) })
            .collect(),
        memory: Some(MemoryKind::Foreign),
        ..related
    }
}

pub(super) fn line(engine: &Engine, found: &str) -> String {
    display::line(&clean(engine, found), MAX_LINE_CHARS)
}

pub(super) fn text(engine: &Engine, found: &str) -> String {
    display::shortened(&clean(engine, found), MAX_STEPS_CHARS)
}

/// Redacts a text. The text is bounded first, because a foreign file may contain any length.
fn clean(engine: &Engine, found: &str) -> String {
    engine.analyzer.redact_whole(&bound_to(found, MAX_READ_BYTES)).into_string()
}

pub(super) fn tags(engine: &Engine, found: &[String]) -> Vec<String> {
    found.iter().take(MAX_TAGS).map(|tag| line(engine, tag)).collect()
}

/// Returns the canonical form, which contains only known fields.
pub(super) fn bucket(found: &str) -> String {
    Environment::parse(found).to_string()
}
