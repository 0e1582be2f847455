//! Ids to things, in whichever of the two memories they are.
//! Does not: change anything.

use super::side::{SIDES, Side};
use crate::{Engine, EngineError, ErrorCode, text::quoted};
use argus_core::Ambient;
use argus_store::{
    Database, incidents, lookups, patterns,
    search::Owner,
    solutions::{self, Solution},
};

/// Where a solution is.
pub(super) async fn solution<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    id: &str,
) -> Result<(Side, Solution), EngineError> {
    for side in SIDES {
        let body = async |tx: &mut D::Tx<'_>| Ok(solutions::by_id(tx, id.trim()).await?);
        if let Some(Some(found)) = engine.look(side, ambient, &mut Vec::new(), body).await? {
            return Ok((side, found));
        }
    }
    let message =
        format!("Solution '{}' not found. ranked_solutions and add_solution answer ids of solutions.", quoted(id));
    Err(EngineError::new(ErrorCode::SolutionNotFound, message))
}

/// Where an incident or a learned pattern is.
pub(super) async fn owner<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    id: &str,
) -> Result<(Side, Owner), EngineError> {
    for side in SIDES {
        let body = async |tx: &mut D::Tx<'_>| {
            if let Some(incident) = incidents::by_id(tx, id.trim()).await? {
                return Ok(Some(Owner::Incident(incident.key)));
            }
            let pattern = patterns::by_id(tx, id.trim()).await?.filter(|pattern| !pattern.is_builtin);
            Ok(pattern.map(|pattern| Owner::Pattern(pattern.key)))
        };
        if let Some(Some(found)) = engine.look(side, ambient, &mut Vec::new(), body).await? {
            return Ok((side, found));
        }
    }
    let next = if id.trim().starts_with("builtin-") {
        "A built-in pattern has its own suggestion; argus_report_fix records what fixed a failure of it"
    } else {
        "ranked_solutions lists incidents with their ids; add_incident adds one"
    };
    let message = format!("Incident '{}' not found. {next}.", quoted(id));
    Err(EngineError::new(ErrorCode::IncidentNotFound, message))
}

/// The id of a search that is remembered; none where none is given.
pub(super) async fn lookup<'i, D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    id: Option<&'i str>,
) -> Result<Option<&'i str>, EngineError> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
    for side in SIDES {
        let body = async |tx: &mut D::Tx<'_>| Ok(lookups::exists(tx, id).await?);
        if engine.look(side, ambient, &mut Vec::new(), body).await? == Some(true) {
            return Ok(Some(id));
        }
    }
    let message = format!(
        "Lookup '{}' not found. Give the lookup_id that ranked_solutions answered, or leave it out.",
        quoted(id)
    );
    Err(EngineError::new(ErrorCode::LookupNotFound, message))
}
