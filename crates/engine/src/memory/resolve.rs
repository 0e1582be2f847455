//! Resolves ids of solutions, incidents and patterns to the memory that stores them. The user's own memories are
//! searched first; ids of foreign memories are rejected with a reason.

use super::{
    input,
    side::{SIDES, SIDES_OF_OTHERS, Side},
};
use crate::{Engine, EngineError, ErrorCode};
use argus_core::Ambient;
use argus_store::{
    Tx, incidents, patterns,
    search::Owner,
    solutions::{self, Solution, lookups},
};

/// Maximum characters of an id in a message. Own ids have 40.
const MAX_ID_CHARS: usize = 80;

/// Returns the memory that stores a solution.
pub(super) fn solution(engine: &Engine, ambient: &Ambient, id: &str) -> Result<Side, EngineError> {
    if engine.has_one_memory() {
        return Ok(Side::Primary);
    }
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok(solutions::by_id(tx, id.trim())?);
        if let Some(Some(_)) = engine.read_if_available(side, ambient, &mut Vec::new(), body)? {
            return Ok(side);
        }
    }
    Err(foreign_refusal(engine, ambient, id)?.unwrap_or_else(|| unknown_solution(engine, id)))
}

/// Reads a solution inside of the transaction that changes it.
pub(super) fn solution_in(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<Solution, EngineError> {
    solutions::by_id(tx, id.trim())?.ok_or_else(|| unknown_solution(engine, id))
}

fn unknown_solution(engine: &Engine, id: &str) -> EngineError {
    let id = shown(engine, id);
    let message = format!("Solution '{id}' not found. ranked_solutions and add_solution answer ids of solutions.");
    EngineError::new(ErrorCode::SolutionNotFound, message)
}

/// Returns the memory that stores an incident or a learned pattern.
pub(super) fn owning_side(engine: &Engine, ambient: &Ambient, id: &str) -> Result<Side, EngineError> {
    if engine.has_one_memory() {
        return Ok(Side::Primary);
    }
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| found_owner(tx, id);
        if let Some(Some(_)) = engine.read_if_available(side, ambient, &mut Vec::new(), body)? {
            return Ok(side);
        }
    }
    Err(foreign_refusal(engine, ambient, id)?.unwrap_or_else(|| unknown_incident(engine, id)))
}

/// Finds an incident or a learned pattern inside of the transaction that changes it, because the pattern may have been
/// merged since it was resolved.
pub(super) fn owner_in(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<Owner, EngineError> {
    found_owner(tx, id)?.ok_or_else(|| unknown_incident(engine, id))
}

fn found_owner(tx: &mut Tx<'_>, id: &str) -> Result<Option<Owner>, EngineError> {
    if let Some(incident) = incidents::by_id(tx, id.trim())? {
        return Ok(Some(Owner::Incident(incident.key)));
    }
    let pattern = patterns::by_id(tx, id.trim())?.filter(|pattern| !pattern.is_builtin);
    Ok(pattern.map(|pattern| Owner::Pattern(pattern.key)))
}

const OWN_ADVICE: &str = "If it worked, record it as your own with add_incident";

/// Returns an error that explains why an entry of a foreign or shared memory cannot be changed. None if no such memory
/// has the id.
fn foreign_refusal(engine: &Engine, ambient: &Ambient, id: &str) -> Result<Option<EngineError>, EngineError> {
    for side in SIDES_OF_OTHERS.into_iter().filter(|side| engine.has(*side)) {
        let body = |tx: &mut Tx<'_>| {
            let id = id.trim();
            Ok(solutions::by_id(tx, id)?.is_some()
                || incidents::by_id(tx, id)?.is_some()
                || patterns::by_id(tx, id)?.is_some_and(|pattern| !pattern.is_builtin))
        };
        let (whose, next) = match side {
            Side::Shared => ("is somebody else's, shared by the repository", "Name a shared fix in argus_report_fix"),
            _ => ("is in a database that came with the project and is not this user's", OWN_ADVICE),
        };
        if engine.read_if_available(side, ambient, &mut Vec::new(), body)? == Some(true) {
            return Ok(Some(EngineError::invalid(format!(
                "'{}' {whose}, so nothing is recorded on it. {next}.",
                shown(engine, id)
            ))));
        }
    }
    Ok(None)
}

/// Error for an id that no memory has.
pub(super) fn unknown_incident(engine: &Engine, id: &str) -> EngineError {
    let next = if id.trim().starts_with("builtin-") {
        "A built-in pattern has its own suggestion; argus_report_fix records what fixed a failure of it"
    } else {
        "ranked_solutions lists incidents with their ids; add_incident adds one"
    };
    let message = format!("Incident '{}' not found. {next}.", shown(engine, id));
    EngineError::new(ErrorCode::IncidentNotFound, message)
}

/// Returns an id for a message, redacted and shortened, because the caller can send any text.
pub(super) fn shown(engine: &Engine, id: &str) -> String {
    input::line(engine, id, MAX_ID_CHARS)
}

/// Returns the id of a remembered search. None if no id is given. An unknown id is an error.
pub(super) fn lookup<'i>(
    engine: &Engine,
    ambient: &Ambient,
    id: Option<&'i str>,
) -> Result<Option<&'i str>, EngineError> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok(lookups::exists(tx, id)?);
        if engine.read_if_available(side, ambient, &mut Vec::new(), body)? == Some(true) {
            return Ok(Some(id));
        }
    }
    let message = format!(
        "Lookup '{}' not found. Give the lookup_id that ranked_solutions answered, or leave it out.",
        shown(engine, id)
    );
    Err(EngineError::new(ErrorCode::LookupNotFound, message))
}
