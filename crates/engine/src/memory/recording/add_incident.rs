//! `add_incident`: stores a new problem with the fix that was tried and its outcome. A problem that is already known
//! is stored again only if `force` is set.

use super::duplicate::{self, KnownIncident, Sought};
use crate::{
    Engine, EngineError,
    contract::{AddIncidentParams, AddIncidentResult, IncidentCreated, IncidentDuplicate, NextActionType},
    memory::{
        environment::{ResolvedEnvironment, resolve_environment},
        finding::listed::rounded,
        index, input,
        next::{next_action, next_after_outcome},
        resolve,
        side::Side,
    },
};
use argus_core::{
    Ambient,
    search::{Indexed, Query},
};
use argus_store::{
    Tx,
    incidents::{self, Texts},
    search::{self, NewDocument, Owner},
    solutions::{
        self, NewSolution,
        outcomes::{self, NewOutcome, Recorder},
    },
};

/// The cleaned and redacted texts of a call.
struct Report<'a> {
    title: String,
    error_signature: Option<String>,
    summary: Option<String>,
    tags: Vec<String>,
    steps: String,
    notes: Option<String>,
    lookup_id: Option<&'a str>,
    worked: bool,
    environment: ResolvedEnvironment,
    recorder: Recorder<'a>,
}

/// Searches for the same problem and adds the new incident in one write transaction, so that only one of two agents
/// adds it, even if they write to different memories.
pub fn add_incident(
    engine: &Engine,
    ambient: &Ambient,
    params: &AddIncidentParams,
) -> Result<AddIncidentResult, EngineError> {
    let report = report(engine, ambient, params)?;
    let indexed = index::of_incident(engine, &texts(&report));
    if params.force == Some(true) {
        let body = |tx: &mut Tx<'_>| create(ambient, tx, &report, &indexed);
        return Ok(AddIncidentResult::Created(engine.write(ambient, body)?));
    }
    let query = Query::of(&index::document(&texts(&report)), &indexed);
    let title = Some(report.title.as_str()).filter(|_| report.error_signature.is_none());
    let sought = Sought { query: &query, new: &indexed, title };
    let body = |tx: &mut Tx<'_>, secondary: Option<&mut Tx<'_>>| {
        if let Some(known) = find_known(engine, ambient, tx, secondary, sought)? {
            return Ok(AddIncidentResult::Duplicate(known));
        }
        Ok(AddIncidentResult::Created(create(ambient, tx, &report, &indexed)?))
    };
    engine.write_undisturbed(ambient, body)
}

fn report<'a>(engine: &'a Engine, ambient: &Ambient, params: &'a AddIncidentParams) -> Result<Report<'a>, EngineError> {
    Ok(Report {
        title: input::title(engine, &params.title)?,
        error_signature: input::text(engine, params.error_signature.as_deref()),
        summary: input::text(engine, params.summary.as_deref()),
        tags: input::tags(engine, params.tags.as_deref().unwrap_or_default())?,
        steps: input::steps(engine, &params.steps)?,
        notes: input::notes(engine, params.notes.as_deref())?,
        environment: resolve_environment(
            engine,
            &params.env,
            params.env_bucket.as_deref(),
            params.detected_env.as_ref(),
        )?,
        lookup_id: resolve::lookup(engine, ambient, params.lookup_id.as_deref())?,
        worked: params.worked,
        recorder: engine.recorder(),
    })
}

fn texts<'a>(report: &'a Report<'_>) -> Texts<'a> {
    Texts {
        title: &report.title,
        error_signature: report.error_signature.as_deref(),
        summary: report.summary.as_deref(),
        tags: &report.tags,
    }
}

/// Returns the matching incident of the primary or the secondary memory.
fn find_known(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    secondary: Option<&mut Tx<'_>>,
    sought: Sought<'_>,
) -> Result<Option<IncidentDuplicate>, EngineError> {
    index::index_waiting(engine, tx)?;
    let mut known = duplicate::find(tx, sought)?;
    if known.is_none() {
        known = if let Some(tx) = secondary {
            index::index_waiting(engine, tx)?;
            duplicate::find(tx, sought)?
        } else {
            let body = |tx: &mut Tx<'_>| duplicate::find(tx, sought);
            engine.read_if_available(Side::Secondary, ambient, &mut Vec::new(), body)?.flatten()
        };
    }
    Ok(known.map(|KnownIncident { id, title, similarity }| IncidentDuplicate {
        created: false,
        incident_id: id,
        title,
        similarity: rounded(similarity),
        next_action: next_action(NextActionType::UseAddSolutionForExistingIncident),
    }))
}

fn create(
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    report: &Report<'_>,
    indexed: &Indexed,
) -> Result<IncidentCreated, EngineError> {
    let (incident_id, outcome_id) = (ambient.id("inc"), ambient.id("out"));
    let key = incidents::insert(tx, &incident_id, &texts(report), ambient.now)?;
    let document =
        NewDocument { owner: Owner::Incident(key), family: indexed.family.as_deref(), vector: &indexed.vector };
    search::add(tx, &[document])?;
    let new = NewSolution {
        id: &ambient.id("sol"),
        owner: Owner::Incident(key),
        steps: &report.steps,
        digest: &input::digest(&report.steps),
        env: report.environment.json.as_deref(),
        env_bucket: &report.environment.bucket,
        recorder: report.recorder,
        now: ambient.now,
    };
    let (solution, _) = solutions::add(tx, &new)?;
    let outcome = NewOutcome {
        id: &outcome_id,
        solution: solution.key,
        counted_on: None,
        worked: report.worked,
        env: report.environment.json.as_deref(),
        env_bucket: &report.environment.bucket,
        notes: report.notes.as_deref(),
        lookup_id: report.lookup_id,
        run_id: None,
        case_name: None,
        proved_by: None,
        refuted_by: None,
        recorder: report.recorder,
        now: ambient.now,
    };
    outcomes::record(tx, &[outcome])?;
    Ok(IncidentCreated {
        created: true,
        incident_id,
        solution_id: solution.id,
        outcome_id,
        env_bucket: report.environment.bucket.clone(),
        detected_env: report.environment.detected.clone(),
        next_action: next_after_outcome(report.worked),
    })
}
