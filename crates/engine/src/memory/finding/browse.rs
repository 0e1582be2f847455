//! Lists incidents for the viewer: newest first, or by how well they match a text, with all scores.

use super::{
    find::{SearchHit, find},
    listed::{MAX_SHOWN_CHARS, first_chars, list},
};
use crate::{
    Engine, EngineError,
    answer::moment::iso,
    contract::{
        MatchKind, NoParams, RankedSolution, ViewEnvironmentsResult, ViewIncident, ViewIncidentsParams,
        ViewIncidentsResult,
    },
    memory::{
        environment::{ResolvedEnvironment, resolve_environment},
        index, input,
        side::{SIDES, Side},
    },
    runs::history::is_more,
    viewer::page,
};
use argus_core::{
    Ambient,
    search::{MIN_SCORE, Query},
    stable_sort::StableSort,
};
use argus_store::{
    Tx,
    incidents::{self, IncidentKey},
    search::Owner,
    solutions::{self, outcomes},
};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// Default number of incidents on a page.
const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of incidents that match a text.
const MAX_ANSWERS: usize = 200;
/// Maximum number of solutions of an incident.
const MAX_SOLUTIONS: usize = 10;
const MAX_ENVIRONMENTS: u32 = 100;

/// Returns a page of incidents.
pub fn view_incidents(
    engine: &Engine,
    ambient: &Ambient,
    params: &ViewIncidentsParams,
) -> Result<ViewIncidentsResult, EngineError> {
    let (limit, offset) = page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let env = params.env.clone().filter(|env| !env.is_null()).unwrap_or_else(|| Value::Object(Map::new()));
    let environment = resolve_environment(engine, &env, params.env_bucket.as_deref(), None)?;
    let mut warnings = engine.secondary_warnings();
    let text = params.text.as_deref().filter(|text| !text.trim().is_empty());
    let (incidents, total) = match text {
        Some(text) => answering(engine, ambient, text, &environment, (limit, offset), &mut warnings)?,
        None => newest(engine, ambient, (limit, offset), &mut warnings)?,
    };
    let has_more = is_more(offset, incidents.len(), total);
    Ok(ViewIncidentsResult { incidents, total, has_more, env_bucket: environment.bucket, warnings })
}

/// Returns the environments that the viewer offers as a filter.
pub fn view_environments(
    engine: &Engine,
    ambient: &Ambient,
    _: &NoParams,
) -> Result<ViewEnvironmentsResult, EngineError> {
    let mut env_buckets: Vec<String> = Vec::new();
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok(outcomes::environments(tx, MAX_ENVIRONMENTS)?);
        let found = engine.read_if_available(side, ambient, &mut Vec::new(), body)?.unwrap_or_default();
        env_buckets.extend(found.into_iter().filter(|bucket| !env_buckets.contains(bucket)).collect::<Vec<_>>());
    }
    env_buckets.truncate(MAX_ENVIRONMENTS as usize);
    Ok(ViewEnvironmentsResult { env_buckets })
}

/// Counts the incidents of the user's memories.
pub(crate) fn count(engine: &Engine, ambient: &Ambient) -> Result<u32, EngineError> {
    let mut total = 0_u64;
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok(incidents::count(tx)?);
        total += engine.read_if_available(side, ambient, &mut Vec::new(), body)?.unwrap_or_default();
    }
    Ok(u32::try_from(total).unwrap_or(u32::MAX))
}

/// Returns a page of the best matches with their solutions, and the number of all matches.
fn answering(
    engine: &Engine,
    ambient: &Ambient,
    text: &str,
    environment: &ResolvedEnvironment,
    (limit, offset): (u32, u32),
    warnings: &mut Vec<String>,
) -> Result<(Vec<ViewIncident>, u32), EngineError> {
    let (text, warning) = input::query(engine, text)?;
    warnings.extend(warning);
    // Patterns that wait are found only after indexing. If the database cannot be written now, they keep waiting.
    let waits = |tx: &mut Tx<'_>| Ok(argus_store::search::is_waiting(tx)?);
    if engine.read(ambient, waits)? {
        let body = |tx: &mut Tx<'_>| index::index_waiting(engine, tx);
        let _ = engine.write_side_now(Side::Primary, ambient, body);
    }
    let query = Query::new(&text, &engine.analyzer);
    let hits: Vec<SearchHit> = find(engine, ambient, &SIDES, None, &query, (MAX_ANSWERS, MIN_SCORE), warnings)?;
    let total = u32::try_from(hits.len()).unwrap_or(u32::MAX);
    let hits: Vec<SearchHit> = hits.into_iter().skip(offset as usize).take(limit as usize).collect();
    let mut shown = Vec::new();
    for listed in list(engine, ambient, None, &hits, environment)? {
        let found = listed.shown;
        let mut ranked: Vec<RankedSolution> =
            listed.ranked.into_iter().map(|solution| solution.shown(&found.incident_id, found.memory)).collect();
        ranked.stable_sort_by(|a, b| b.final_solution_score.total_cmp(&a.final_solution_score));
        ranked.truncate(MAX_SOLUTIONS);
        shown.push(ViewIncident {
            incident_id: found.incident_id,
            kind: found.kind,
            title: found.title,
            error_signature: found.error_signature,
            summary: found.summary,
            tags: found.tags,
            memory: found.memory,
            created_at: iso(listed.created_at),
            solution_count: found.solution_count,
            score: Some(found.score),
            because: found.because,
            solutions: ranked,
        });
    }
    Ok((shown, total))
}

/// Returns a page of the incidents of the user's memories, newest first, and their total number.
fn newest(
    engine: &Engine,
    ambient: &Ambient,
    (limit, offset): (u32, u32),
    warnings: &mut Vec<String>,
) -> Result<(Vec<ViewIncident>, u32), EngineError> {
    let mut found: Vec<(i64, Side, IncidentKey)> = Vec::new();
    let mut total = 0_u64;
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok((incidents::count(tx)?, incidents::newest(tx, offset + limit)?));
        let Some((count, keys)) = engine.read_if_available(side, ambient, warnings, body)? else { continue };
        total += count;
        found.extend(keys.into_iter().map(|(key, created_at)| (created_at, side, key)));
    }
    found.stable_sort_by_key(|(created_at, side, key)| (Reverse(*created_at), *side, Reverse(*key)));
    let mut shown = Vec::new();
    for (_, side, key) in found.into_iter().skip(offset as usize).take(limit as usize) {
        let body = |tx: &mut Tx<'_>| brief(engine, tx, side, key);
        shown.extend(engine.read_if_available(side, ambient, &mut Vec::new(), body)?.flatten());
    }
    Ok((shown, u32::try_from(total).unwrap_or(u32::MAX)))
}

fn brief(engine: &Engine, tx: &mut Tx<'_>, side: Side, key: IncidentKey) -> Result<Option<ViewIncident>, EngineError> {
    let Some(incident) = incidents::get(tx, key)? else { return Ok(None) };
    Ok(Some(ViewIncident {
        incident_id: incident.id,
        kind: MatchKind::Incident,
        title: incident.title,
        error_signature: incident.error_signature.map(|text| first_chars(text, MAX_SHOWN_CHARS)),
        summary: incident.summary.map(|text| first_chars(text, MAX_SHOWN_CHARS)),
        tags: incident.tags,
        memory: engine.kind(side),
        created_at: iso(incident.created_at),
        solution_count: solutions::usable_of(tx, Owner::Incident(key))?,
        score: None,
        because: Vec::new(),
        solutions: Vec::new(),
    }))
}
