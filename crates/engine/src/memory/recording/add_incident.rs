//! `add_incident`: stores a new problem with the fix that was tried and its outcome. A problem that is already known
//! is stored again only if `force` is set.

use super::duplicate::{self, KnownIncident, NewProblem};
use crate::{
    Engine, EngineError,
    contract::{AddIncidentParams, AddIncidentResult, IncidentCreated, IncidentDuplicate, NextActionType},
    memory::{
        database_role::DatabaseRole,
        environment::{ResolvedEnvironment, resolve_environment},
        finding::search_results::round_score,
        id_lookup, input_cleaning,
        next_action_texts::{build_next_action, build_next_action_after_outcome},
        search_index,
    },
};
use argus_core::{
    CallContext,
    search::{IndexedDocument, Query},
};
use argus_store::{
    Tx,
    incidents::{self, IncidentTexts},
    search::{self, DocumentOwner, NewDocument},
    solutions::{
        self, NewSolution,
        outcomes::{self, NewOutcome, Recorder},
    },
};

/// The cleaned and redacted texts of a call.
struct IncidentReport<'a> {
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

/// Searches for the same problem and adds the new incident in one write transaction, so that two agents do not
/// both add the same problem, even if they write to different memories.
pub fn add_incident(
    engine: &Engine,
    context: &CallContext,
    params: &AddIncidentParams,
) -> Result<AddIncidentResult, EngineError> {
    let report = clean_report(engine, context, params)?;
    let indexed = search_index::index_incident(engine, &incident_texts(&report));
    if params.force == Some(true) {
        let body = |tx: &mut Tx<'_>| store_incident(context, tx, &report, &indexed);
        return Ok(AddIncidentResult::Created(engine.write(context, body)?));
    }
    let query = Query::from_document(&search_index::build_document(&incident_texts(&report)), &indexed);
    let title = Some(report.title.as_str()).filter(|_| report.error_signature.is_none());
    let problem = NewProblem { query: &query, new: &indexed, title };
    let body = |tx: &mut Tx<'_>, secondary: Option<&mut Tx<'_>>| {
        if let Some(known) = find_duplicate(engine, context, tx, secondary, problem)? {
            return Ok(AddIncidentResult::Duplicate(known));
        }
        Ok(AddIncidentResult::Created(store_incident(context, tx, &report, &indexed)?))
    };
    engine.write_with_secondary_locked(context, body)
}

fn clean_report<'a>(
    engine: &'a Engine,
    context: &CallContext,
    params: &'a AddIncidentParams,
) -> Result<IncidentReport<'a>, EngineError> {
    Ok(IncidentReport {
        title: input_cleaning::clean_title(engine, &params.title)?,
        error_signature: input_cleaning::clean_optional_text(engine, params.error_signature.as_deref()),
        summary: input_cleaning::clean_optional_text(engine, params.summary.as_deref()),
        tags: input_cleaning::clean_tags(engine, params.tags.as_deref().unwrap_or_default())?,
        steps: input_cleaning::clean_steps(engine, &params.steps)?,
        notes: input_cleaning::clean_notes(engine, params.notes.as_deref())?,
        environment: resolve_environment(
            engine,
            &params.env,
            params.env_bucket.as_deref(),
            params.detected_env.as_ref(),
        )?,
        lookup_id: id_lookup::check_lookup_id(engine, context, params.lookup_id.as_deref())?,
        worked: params.worked,
        recorder: engine.recorder(),
    })
}

fn incident_texts<'a>(report: &'a IncidentReport<'_>) -> IncidentTexts<'a> {
    IncidentTexts {
        title: &report.title,
        error_signature: report.error_signature.as_deref(),
        summary: report.summary.as_deref(),
        tags: &report.tags,
    }
}

/// Returns the matching incident of the primary or the secondary memory.
fn find_duplicate(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    secondary: Option<&mut Tx<'_>>,
    problem: NewProblem<'_>,
) -> Result<Option<IncidentDuplicate>, EngineError> {
    search_index::index_pending_patterns(engine, tx)?;
    let mut known = duplicate::find_duplicate(tx, problem)?;
    if known.is_none() {
        known = if let Some(tx) = secondary {
            search_index::index_pending_patterns(engine, tx)?;
            duplicate::find_duplicate(tx, problem)?
        } else {
            let body = |tx: &mut Tx<'_>| duplicate::find_duplicate(tx, problem);
            engine.read_if_available(DatabaseRole::Secondary, context, &mut Vec::new(), body)?.flatten()
        };
    }
    Ok(known.map(|KnownIncident { id, title, similarity }| IncidentDuplicate {
        created: false,
        incident_id: id,
        title,
        similarity: round_score(similarity),
        next_action: build_next_action(NextActionType::UseAddSolutionForExistingIncident),
    }))
}

fn store_incident(
    context: &CallContext,
    tx: &mut Tx<'_>,
    report: &IncidentReport<'_>,
    indexed: &IndexedDocument,
) -> Result<IncidentCreated, EngineError> {
    let (incident_id, outcome_id) = (context.create_id("inc"), context.create_id("out"));
    let key = incidents::insert(tx, &incident_id, &incident_texts(report), context.now_ms)?;
    let document =
        NewDocument { owner: DocumentOwner::Incident(key), family: indexed.family.as_deref(), vector: &indexed.vector };
    search::add(tx, &[document])?;
    let new = NewSolution {
        id: &context.create_id("sol"),
        owner: DocumentOwner::Incident(key),
        steps: &report.steps,
        digest: &input_cleaning::steps_digest(&report.steps),
        env: report.environment.json.as_deref(),
        env_bucket: &report.environment.bucket,
        recorder: report.recorder,
        now: context.now_ms,
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
        now: context.now_ms,
    };
    outcomes::record_outcomes(tx, &[outcome])?;
    Ok(IncidentCreated {
        created: true,
        incident_id,
        solution_id: solution.id,
        outcome_id,
        env_bucket: report.environment.bucket.clone(),
        detected_env: report.environment.detected.clone(),
        next_action: build_next_action_after_outcome(report.worked),
    })
}
