//! Exports the incidents of a memory page by page, in the format of the import. This export contains no failure
//! patterns, because their runs and signatures belong to the project.

use super::import::{IncidentLine, OutcomeLine, SolutionLine};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::time_format::format_iso,
    contract::{MemoryExportPage, MemoryExportParams},
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    incidents::{self, Incident},
    search::DocumentOwner,
    solutions::{self, Solution, outcomes},
};

const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1000;

/// Returns a page of the incidents of the primary memory.
pub fn export(
    engine: &Engine,
    context: &CallContext,
    params: &MemoryExportParams,
) -> Result<MemoryExportPage, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(EngineError::invalid_input(format!("limit is {limit}; it must be from 1 to {MAX_LIMIT}.")));
    }
    let body = |tx: &mut Tx<'_>| {
        let mut page = incidents::list_page(tx, params.after.as_deref(), limit + 1)?;
        let has_more = page.len() > limit as usize;
        page.truncate(limit as usize);
        let mut lines = String::new();
        for incident in &page {
            let line = read_incident_line(tx, incident)?;
            lines.push_str(&serde_json::to_string(&line).map_err(|error| serialization_error(&error))?);
            lines.push('\n');
        }
        let next = page.last().filter(|_| has_more).map(|incident| incident.id.clone());
        let total = u32::try_from(incidents::count(tx)?).unwrap_or(u32::MAX);
        Ok(MemoryExportPage { lines, incidents: u32::try_from(page.len()).unwrap_or(u32::MAX), total, next })
    };
    engine.read(context, body)
}

/// Reads the solutions of an incident with their outcomes, and returns the line for the file.
pub(in crate::memory) fn read_incident_line(tx: &mut Tx<'_>, incident: &Incident) -> Result<IncidentLine, EngineError> {
    let mut lines = Vec::new();
    for solution in solutions::list_of_owner(tx, DocumentOwner::Incident(incident.key))? {
        let outcomes = outcomes::list_of_solution(tx, solution.key)?.into_iter().map(convert_outcome).collect();
        lines.push(convert_solution(solution, outcomes));
    }
    Ok(IncidentLine {
        r#type: Some("incident".to_owned()),
        id: Some(incident.id.clone()),
        title: incident.title.clone(),
        error_signature: incident.error_signature.clone(),
        summary: incident.summary.clone(),
        tags: incident.tags.clone(),
        created_at: Some(format_iso(incident.created_at)),
        solutions: lines,
    })
}

pub(super) fn convert_solution(stored: Solution, outcomes: Vec<OutcomeLine>) -> SolutionLine {
    SolutionLine {
        id: Some(stored.id),
        steps: stored.steps,
        env: parse_json(stored.env),
        env_bucket: Some(stored.env_bucket),
        created_at: Some(format_iso(stored.created_at)),
        wrong: false,
        by_person: false,
        recorded_by: None,
        outcomes,
    }
}

pub(super) fn convert_outcome(stored: outcomes::Outcome) -> OutcomeLine {
    OutcomeLine {
        id: Some(stored.id),
        worked: stored.worked,
        env: parse_json(stored.env),
        env_bucket: Some(stored.env_bucket),
        notes: stored.notes,
        lookup_id: stored.lookup_id,
        run_id: stored.run_id,
        case_name: stored.case_name,
        created_at: Some(format_iso(stored.created_at)),
        proved_by: stored.proved_by,
        refuted_by: stored.refuted_by,
    }
}

fn parse_json(text: Option<String>) -> Option<serde_json::Value> {
    text.and_then(|text| serde_json::from_str(&text).ok())
}

pub(super) fn serialization_error(error: &serde_json::Error) -> EngineError {
    EngineError::new(ErrorCode::InternalError, format!("The export failed: {error}."))
}
