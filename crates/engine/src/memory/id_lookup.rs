//! Resolves ids of solutions, incidents and patterns to the memory that stores them. The user's own memories are
//! searched first; ids of foreign memories are rejected with a reason.

use super::{
    database_role::{DatabaseRole, FOREIGN_DATABASES, OWN_DATABASES},
    input_cleaning,
};
use crate::{Engine, EngineError, ErrorCode};
use argus_core::CallContext;
use argus_store::{
    Tx, incidents, patterns,
    search::DocumentOwner,
    solutions::{self, Solution, lookups},
};

/// Maximum number of characters of an id in a message. Ids of this program have 40.
const MAX_ID_CHARS: usize = 80;

/// Returns the memory that stores a solution.
pub(super) fn find_database_of_solution(
    engine: &Engine,
    context: &CallContext,
    id: &str,
) -> Result<DatabaseRole, EngineError> {
    let is_stored = |tx: &mut Tx<'_>| Ok(solutions::find_by_id(tx, id.trim())?.is_some());
    find_own_database(engine, context, id, is_stored)?.ok_or_else(|| solution_not_found_error(engine, id))
}

/// Returns the user's database in which `is_stored` finds the id, or `None` if the id is unknown. Returns an error if
/// another database has the id.
fn find_own_database(
    engine: &Engine,
    context: &CallContext,
    id: &str,
    is_stored: impl Fn(&mut Tx<'_>) -> Result<bool, EngineError>,
) -> Result<Option<DatabaseRole>, EngineError> {
    if engine.has_one_memory() {
        return Ok(Some(DatabaseRole::Primary));
    }
    for side in OWN_DATABASES {
        if engine.read_if_available(side, context, &mut Vec::new(), &is_stored)? == Some(true) {
            return Ok(Some(side));
        }
    }
    find_foreign_error(engine, context, id)?.map_or(Ok(None), Err)
}

/// Reads a solution inside of the transaction that changes it.
pub(super) fn get_solution(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<Solution, EngineError> {
    solutions::find_by_id(tx, id.trim())?.ok_or_else(|| solution_not_found_error(engine, id))
}

fn solution_not_found_error(engine: &Engine, id: &str) -> EngineError {
    let id = clean_id(engine, id);
    let message = format!("Solution '{id}' not found. ranked_solutions and add_solution return the ids of solutions.");
    EngineError::new(ErrorCode::SolutionNotFound, message)
}

/// Returns the memory that stores an incident or a learned pattern.
pub(super) fn find_database_of_owner(
    engine: &Engine,
    context: &CallContext,
    id: &str,
) -> Result<DatabaseRole, EngineError> {
    let is_stored = |tx: &mut Tx<'_>| Ok(find_owner(tx, id)?.is_some());
    find_own_database(engine, context, id, is_stored)?.ok_or_else(|| incident_not_found_error(engine, id))
}

/// Finds an incident or a learned pattern inside of the transaction that changes it, because the pattern may have been
/// merged since it was resolved.
pub(super) fn get_owner(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<DocumentOwner, EngineError> {
    find_owner(tx, id)?.ok_or_else(|| incident_not_found_error(engine, id))
}

fn find_owner(tx: &mut Tx<'_>, id: &str) -> Result<Option<DocumentOwner>, EngineError> {
    if let Some(incident) = incidents::find_by_id(tx, id.trim())? {
        return Ok(Some(DocumentOwner::Incident(incident.key)));
    }
    let pattern = patterns::find_by_id(tx, id.trim())?.filter(|pattern| !pattern.is_builtin);
    Ok(pattern.map(|pattern| DocumentOwner::Pattern(pattern.key)))
}

const ADD_AS_OWN_ADVICE: &str = "If it worked, record it as your own with add_incident";

/// Returns an error that explains why an entry of a foreign or shared memory cannot be changed. Returns `None` if no
/// foreign or shared memory has the id.
fn find_foreign_error(engine: &Engine, context: &CallContext, id: &str) -> Result<Option<EngineError>, EngineError> {
    for side in FOREIGN_DATABASES.into_iter().filter(|side| engine.has_database(*side)) {
        let body = |tx: &mut Tx<'_>| {
            let id = id.trim();
            Ok(solutions::find_by_id(tx, id)?.is_some()
                || incidents::find_by_id(tx, id)?.is_some()
                || patterns::find_by_id(tx, id)?.is_some_and(|pattern| !pattern.is_builtin))
        };
        let (whose, next) = match side {
            DatabaseRole::Shared => {
                ("belongs to someone else and is shared by the repository", "Pass a shared fix to argus_report_fix")
            }
            _ => ("is in a foreign database that came with the project", ADD_AS_OWN_ADVICE),
        };
        if engine.read_if_available(side, context, &mut Vec::new(), body)? == Some(true) {
            return Ok(Some(EngineError::invalid_input(format!(
                "'{}' {whose}, so nothing is recorded for it. {next}.",
                clean_id(engine, id)
            ))));
        }
    }
    Ok(None)
}

/// Returns the error for an id that no memory contains.
pub(super) fn incident_not_found_error(engine: &Engine, id: &str) -> EngineError {
    let next = if id.trim().starts_with("builtin-") {
        "A built-in pattern has its own suggestion; argus_report_fix records a fix of its failure"
    } else {
        "ranked_solutions lists incidents with their ids; add_incident adds an incident"
    };
    let message = format!("Incident '{}' not found. {next}.", clean_id(engine, id));
    EngineError::new(ErrorCode::IncidentNotFound, message)
}

/// Returns an id for a message, redacted and shortened, because the caller can send any text.
pub(super) fn clean_id(engine: &Engine, id: &str) -> String {
    input_cleaning::clean_line(engine, id, MAX_ID_CHARS)
}

/// Checks and returns the id of a stored search, if an id is given. Returns an error if the id is unknown.
pub(super) fn check_lookup_id<'i>(
    engine: &Engine,
    context: &CallContext,
    id: Option<&'i str>,
) -> Result<Option<&'i str>, EngineError> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
    for side in OWN_DATABASES {
        let body = |tx: &mut Tx<'_>| Ok(lookups::exists(tx, id)?);
        if engine.read_if_available(side, context, &mut Vec::new(), body)? == Some(true) {
            return Ok(Some(id));
        }
    }
    let message =
        format!("Lookup '{}' not found. Pass the lookup_id from ranked_solutions, or omit it.", clean_id(engine, id));
    Err(EngineError::new(ErrorCode::LookupNotFound, message))
}
