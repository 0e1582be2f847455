//! Lists incidents for the viewer: the newest first, or the best matches of a text first, with all scores.

use super::{
    memory_search::{SearchHit, search_memories},
    search_results::{MAX_SHOWN_CHARS, list_incidents, shorten},
};
use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{
        IncidentView, MatchKind, NoParams, RankedSolution, ViewEnvironmentsResult, ViewIncidentsParams,
        ViewIncidentsResult,
    },
    memory::{
        database_role::{DatabaseRole, OWN_DATABASES},
        environment::{ResolvedEnvironment, resolve_environment},
        input_cleaning, search_index,
    },
    runs::history::has_more_after,
    viewer::check_page,
};
use argus_core::{
    CallContext,
    search::{MIN_SCORE, Query},
    stable_sort::StableSort,
};
use argus_store::{
    Tx,
    incidents::{self, IncidentKey},
    search::DocumentOwner,
    solutions::{self, outcomes},
};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// Default number of incidents on a page.
const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of incidents that match a text.
const MAX_MATCHES: usize = 200;
/// Maximum number of solutions of an incident.
const MAX_SOLUTIONS: usize = 10;
const MAX_ENVIRONMENTS: u32 = 100;

/// Returns a page of incidents.
pub fn view_incidents(
    engine: &Engine,
    context: &CallContext,
    params: &ViewIncidentsParams,
) -> Result<ViewIncidentsResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let env = params.env.clone().filter(|env| !env.is_null()).unwrap_or_else(|| Value::Object(Map::new()));
    let environment = resolve_environment(engine, &env, params.env_bucket.as_deref(), None)?;
    let mut warnings = engine.unavailable_database_warnings();
    let text = params.text.as_deref().filter(|text| !text.trim().is_empty());
    let (incidents, total) = match text {
        Some(text) => find_matching_page(engine, context, text, &environment, (limit, offset), &mut warnings)?,
        None => read_newest_page(engine, context, (limit, offset), &mut warnings)?,
    };
    let has_more = has_more_after(offset, incidents.len(), total);
    Ok(ViewIncidentsResult { incidents, total, has_more, env_bucket: environment.bucket, warnings })
}

/// Returns the environments that the viewer offers as a filter.
pub fn view_environments(
    engine: &Engine,
    context: &CallContext,
    _: &NoParams,
) -> Result<ViewEnvironmentsResult, EngineError> {
    let mut env_buckets: Vec<String> = Vec::new();
    for side in OWN_DATABASES {
        let body = |tx: &mut Tx<'_>| Ok(outcomes::list_environments(tx, MAX_ENVIRONMENTS)?);
        let found = engine.read_if_available(side, context, &mut Vec::new(), body)?.unwrap_or_default();
        env_buckets.extend(found.into_iter().filter(|bucket| !env_buckets.contains(bucket)).collect::<Vec<_>>());
    }
    env_buckets.truncate(MAX_ENVIRONMENTS as usize);
    Ok(ViewEnvironmentsResult { env_buckets })
}

/// Returns the number of incidents in the user's memories.
pub(crate) fn count_incidents(engine: &Engine, context: &CallContext) -> Result<u32, EngineError> {
    let mut total = 0_u64;
    for side in OWN_DATABASES {
        let body = |tx: &mut Tx<'_>| Ok(incidents::count(tx)?);
        total += engine.read_if_available(side, context, &mut Vec::new(), body)?.unwrap_or_default();
    }
    Ok(u32::try_from(total).unwrap_or(u32::MAX))
}

/// Returns a page of the best matches with their solutions, and the number of all matches.
fn find_matching_page(
    engine: &Engine,
    context: &CallContext,
    text: &str,
    environment: &ResolvedEnvironment,
    (limit, offset): (u32, u32),
    warnings: &mut Vec<String>,
) -> Result<(Vec<IncidentView>, u32), EngineError> {
    let (text, warning) = input_cleaning::clean_query(engine, text)?;
    warnings.extend(warning);
    // A search does not find pending patterns before they are indexed. If the database cannot be written now, they stay
    // pending.
    let has_pending = |tx: &mut Tx<'_>| Ok(argus_store::search::has_pending_patterns(tx)?);
    if engine.read(context, has_pending)? {
        let body = |tx: &mut Tx<'_>| search_index::index_pending_patterns(engine, tx);
        let _ = engine.write_database_without_waiting(DatabaseRole::Primary, context, body);
    }
    let query = Query::new(&text, &engine.analyzer);
    let hits: Vec<SearchHit> =
        search_memories(engine, context, &OWN_DATABASES, None, &query, (MAX_MATCHES, MIN_SCORE), warnings)?;
    let total = u32::try_from(hits.len()).unwrap_or(u32::MAX);
    let hits: Vec<SearchHit> = hits.into_iter().skip(offset as usize).take(limit as usize).collect();
    let mut shown = Vec::new();
    for listed in list_incidents(engine, context, None, &hits, environment)? {
        let found = listed.shown;
        let mut ranked: Vec<RankedSolution> = listed
            .ranked
            .into_iter()
            .map(|solution| solution.into_contract(&found.incident_id, found.memory))
            .collect();
        ranked.stable_sort_by(|a, b| b.final_solution_score.total_cmp(&a.final_solution_score));
        ranked.truncate(MAX_SOLUTIONS);
        shown.push(IncidentView {
            incident_id: found.incident_id,
            kind: found.kind,
            title: found.title,
            error_signature: found.error_signature,
            summary: found.summary,
            tags: found.tags,
            memory: found.memory,
            created_at: format_iso(listed.created_at),
            solution_count: found.solution_count,
            score: Some(found.score),
            because: found.because,
            solutions: ranked,
        });
    }
    Ok((shown, total))
}

/// Returns a page of the incidents of the user's memories, newest first, and their total number.
fn read_newest_page(
    engine: &Engine,
    context: &CallContext,
    (limit, offset): (u32, u32),
    warnings: &mut Vec<String>,
) -> Result<(Vec<IncidentView>, u32), EngineError> {
    let mut found: Vec<(i64, DatabaseRole, IncidentKey)> = Vec::new();
    let mut total = 0_u64;
    for side in OWN_DATABASES {
        let body = |tx: &mut Tx<'_>| Ok((incidents::count(tx)?, incidents::list_newest(tx, offset + limit)?));
        let Some((count, keys)) = engine.read_if_available(side, context, warnings, body)? else { continue };
        total += count;
        found.extend(keys.into_iter().map(|(key, created_at)| (created_at, side, key)));
    }
    found.stable_sort_by_key(|(created_at, side, key)| (Reverse(*created_at), *side, Reverse(*key)));
    let mut shown = Vec::new();
    for (_, side, key) in found.into_iter().skip(offset as usize).take(limit as usize) {
        let body = |tx: &mut Tx<'_>| read_incident(engine, tx, side, key);
        shown.extend(engine.read_if_available(side, context, &mut Vec::new(), body)?.flatten());
    }
    Ok((shown, u32::try_from(total).unwrap_or(u32::MAX)))
}

fn read_incident(
    engine: &Engine,
    tx: &mut Tx<'_>,
    side: DatabaseRole,
    key: IncidentKey,
) -> Result<Option<IncidentView>, EngineError> {
    let Some(incident) = incidents::get(tx, key)? else { return Ok(None) };
    Ok(Some(IncidentView {
        incident_id: incident.id,
        kind: MatchKind::Incident,
        title: incident.title,
        error_signature: incident.error_signature.map(|text| shorten(text, MAX_SHOWN_CHARS)),
        summary: incident.summary.map(|text| shorten(text, MAX_SHOWN_CHARS)),
        tags: incident.tags,
        memory: engine.memory_kind(side),
        created_at: format_iso(incident.created_at),
        solution_count: solutions::count_usable(tx, DocumentOwner::Incident(key))?,
        score: None,
        because: Vec::new(),
        solutions: Vec::new(),
    }))
}
