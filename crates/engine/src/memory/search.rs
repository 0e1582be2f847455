//! Incidents that answer a text, and nothing else: for bulk work and for measuring.
//! Does not: remember the search.

use super::{
    find::find,
    input,
    ranked_solutions::rounded,
    side::{SIDES, Side},
};
use crate::{
    Engine, EngineError,
    contract::{MemorySearchParams, MemorySearched},
};
use argus_core::{Ambient, search::Query};
use argus_store::{Database, incidents, patterns, search::Owner};

/// Incidents in an answer.
const LIMIT: u32 = 10;
/// At most.
const LIMIT_MOST: u32 = 1000;

/// Ids of both memories, best first. A text without words has no answer.
pub async fn search<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    params: &MemorySearchParams,
) -> Result<MemorySearched, EngineError> {
    let limit = params.limit.unwrap_or(LIMIT);
    if limit == 0 || limit > LIMIT_MOST {
        return Err(EngineError::invalid(format!("limit is {limit}; it can be 1 to {LIMIT_MOST}.")));
    }
    if params.text.trim().is_empty() {
        return Ok(MemorySearched { ranked: Vec::new(), scores: Vec::new() });
    }
    let (text, _) = input::query(engine, &params.text)?;
    let query = Query::new(&text, &engine.analyzer);
    let wanted = (limit as usize, params.threshold.unwrap_or(0.0));
    let hits = find(engine, ambient, &query, wanted, &mut Vec::new()).await?;
    let mut answer = MemorySearched { ranked: Vec::with_capacity(hits.len()), scores: Vec::new() };
    let mut ids = vec![None; hits.len()];
    for side in SIDES {
        let own = hits.iter().zip(&mut ids).filter(|(hit, _)| hit.side == side);
        read_ids(engine, ambient, side, own.map(|(hit, id)| (hit.owner, id)).collect()).await?;
    }
    for (hit, id) in hits.iter().zip(ids) {
        if let Some(id) = id {
            answer.ranked.push(id);
            answer.scores.push(rounded(hit.score.value));
        }
    }
    Ok(answer)
}

async fn read_ids<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    side: Side,
    mut wanted: Vec<(Owner, &mut Option<String>)>,
) -> Result<(), EngineError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let body = async |tx: &mut D::Tx<'_>| {
        for (owner, id) in &mut wanted {
            **id = match *owner {
                Owner::Incident(key) => incidents::id_of(tx, key).await?,
                Owner::Pattern(key) => patterns::get(tx, key).await?.map(|pattern| pattern.id),
            };
        }
        Ok(())
    };
    engine.look(side, ambient, &mut Vec::new(), body).await.map(drop)
}
