//! Writes imported lines in batches, so that each batch needs a single lookup and a single insert. A batch ends before
//! a line that repeats an id of the batch, so that the next lookup finds what the earlier line wrote.

use super::{PreparedIncident, PreparedOutcome, PreparedSolution};
use crate::{
    Engine, EngineError,
    contract::{MemoryImportResult, RefusedLine},
    memory::{input_cleaning, search_index},
};
use argus_core::{search::IndexedDocument, stable_sort::StableSort};
use argus_store::{
    Tx,
    incidents::{self, Incident, IncidentKey, IncidentTexts, NewIncident},
    search::{self, DocumentOwner, NewDocument},
    solutions::{
        self, NewSolution, Solution, SolutionKey,
        outcomes::{self, NewOutcome, Recorder},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// The results of the lines that were written so far.
#[derive(Default)]
struct ImportProgress {
    imported: MemoryImportResult,
    /// Incidents to index.
    documents: BTreeMap<IncidentKey, IndexedDocument>,
    /// Owners whose old documents must be removed first.
    outdated: Vec<DocumentOwner>,
}

/// Writes all lines with their numbers. `imported` has the results of lines that were rejected before.
pub(super) fn write_all(
    engine: &Engine,
    tx: &mut Tx<'_>,
    lines: &[(u32, PreparedIncident)],
    imported: MemoryImportResult,
) -> Result<MemoryImportResult, EngineError> {
    let mut progress = ImportProgress { imported, ..ImportProgress::default() };
    for batch in split_into_batches(lines, |(_, incident)| list_ids_of_incident(incident)) {
        write_lines(engine, tx, batch, &mut progress)?;
    }
    search::remove(tx, &progress.outdated)?;
    let documents = progress.documents.iter().map(|(key, indexed)| NewDocument {
        owner: DocumentOwner::Incident(*key),
        family: indexed.family.as_deref(),
        vector: &indexed.vector,
    });
    search::add(tx, &documents.collect::<Vec<_>>())?;
    progress.imported.refused.stable_sort_by_key(|refused| refused.line);
    Ok(progress.imported)
}

/// Writes lines without common ids.
fn write_lines(
    engine: &Engine,
    tx: &mut Tx<'_>,
    lines: &[(u32, PreparedIncident)],
    progress: &mut ImportProgress,
) -> Result<(), EngineError> {
    let known = incidents::find_by_ids(tx, lines.iter().map(|(_, incident)| incident.id.as_str()))?;
    let known: BTreeMap<&str, &Incident> = known.iter().map(|known| (known.id.as_str(), known)).collect();
    let known_solutions = read_known_solutions(tx, lines.iter().flat_map(|(_, incident)| &incident.solutions))?;
    let mut accepted = Vec::with_capacity(lines.len());
    for (line, incident) in lines {
        let known = known.get(incident.id.as_str()).copied();
        match find_conflict(incident, known.map(|known| DocumentOwner::Incident(known.key)), &known_solutions) {
            Some(message) => progress.imported.refused.push(RefusedLine { line: *line, message }),
            None => accepted.push((incident, known)),
        }
    }
    let keys = write_incidents(engine, tx, &accepted, progress)?;
    let solutions: Vec<_> = (keys.into_iter().zip(&accepted))
        .flat_map(|(key, (incident, _))| incident.solutions.iter().map(move |solution| (key, solution)))
        .collect();
    write_solutions(engine.recorder_as("import"), tx, &solutions, known_solutions, &mut progress.imported)
}

/// Splits items into the longest batches in which no id repeats.
pub(in crate::memory::exchange) fn split_into_batches<'a, T>(
    items: &'a [T],
    ids: impl Fn(&'a T) -> BTreeSet<&'a str>,
) -> Vec<&'a [T]> {
    let (mut batches, mut start, mut batch_ids) = (Vec::new(), 0, BTreeSet::new());
    for (at, item) in items.iter().enumerate() {
        let ids = ids(item);
        if !ids.is_disjoint(&batch_ids) {
            batches.push(&items[start..at]);
            (start, batch_ids) = (at, BTreeSet::new());
        }
        batch_ids.extend(ids);
    }
    batches.push(&items[start..]);
    batches
}

fn list_ids_of_incident(incident: &PreparedIncident) -> BTreeSet<&str> {
    incident.solutions.iter().flat_map(list_ids_of_solution).chain([incident.id.as_str()]).collect()
}

/// Returns both ids that the solution can get: its own id, and the id for steps that differ from the stored steps.
pub(in crate::memory::exchange) fn list_ids_of_solution(solution: &PreparedSolution) -> BTreeSet<&str> {
    BTreeSet::from([solution.id.as_str(), &solution.id_by_content])
}

/// Stored solutions by their ids.
type KnownSolutions = BTreeMap<String, Solution>;

fn read_known_solutions<'a>(
    tx: &mut Tx<'_>,
    wanted: impl Iterator<Item = &'a PreparedSolution>,
) -> Result<KnownSolutions, EngineError> {
    let known = solutions::find_by_ids(tx, wanted.flat_map(list_ids_of_solution))?;
    Ok(known.into_iter().map(|known| (known.id.clone(), known)).collect())
}

/// Returns why an incident cannot be written. A solution belongs to a single incident, and its id identifies its steps.
fn find_conflict(incident: &PreparedIncident, own: Option<DocumentOwner>, known: &KnownSolutions) -> Option<String> {
    incident.solutions.iter().find_map(|solution| {
        if known.get(&solution.id).is_some_and(|known| Some(known.owner) != own) {
            return Some(format!("the solution '{}' belongs to another incident", solution.id));
        }
        let (_, known) = find_known_solution(solution, known);
        let is_conflict = known.is_some_and(|known| Some(known.owner) != own || !has_same_steps(known, solution));
        is_conflict.then(|| format!("the solution '{}' already exists with other steps; use another id", solution.id))
    })
}

/// Returns the id that a solution gets, and the stored solution with that id.
fn find_known_solution<'a>(
    solution: &'a PreparedSolution,
    known: &'a KnownSolutions,
) -> (&'a str, Option<&'a Solution>) {
    match known.get(&solution.id) {
        Some(other) if !has_same_steps(other, solution) => {
            (&solution.id_by_content, known.get(&solution.id_by_content))
        }
        known => (&solution.id, known),
    }
}

/// Returns `true` if the steps are equal except for case and spacing.
pub(in crate::memory::exchange) fn has_same_steps(known: &Solution, solution: &PreparedSolution) -> bool {
    input_cleaning::steps_digest(&known.steps) == solution.digest
}

/// Writes the texts of incidents. Returns their keys in the same order.
fn write_incidents(
    engine: &Engine,
    tx: &mut Tx<'_>,
    incidents: &[(&PreparedIncident, Option<&Incident>)],
    progress: &mut ImportProgress,
) -> Result<Vec<IncidentKey>, EngineError> {
    let new = incidents.iter().filter(|(_, known)| known.is_none());
    let new = new.map(|(incident, _)| NewIncident {
        id: &incident.id,
        texts: incident_texts(incident),
        now: incident.created_at,
    });
    let mut inserted = incidents::insert_all(tx, &new.collect::<Vec<_>>())?.into_iter();
    let mut keys = Vec::with_capacity(incidents.len());
    for (incident, known) in incidents {
        let texts = incident_texts(incident);
        let key = match known {
            Some(known) => known.key,
            None => inserted.next().expect("every unknown incident was inserted"),
        };
        keys.push(key);
        let Some(known) = known else {
            progress.imported.added += 1;
            progress.documents.insert(key, search_index::index_incident(engine, &texts));
            continue;
        };
        progress.imported.updated += 1;
        if !has_same_texts(known, &texts) {
            incidents::update(tx, key, &texts, incident.created_at.max(known.updated_at))?;
            progress.outdated.push(DocumentOwner::Incident(key));
            progress.documents.insert(key, search_index::index_incident(engine, &texts));
        }
    }
    Ok(keys)
}

fn incident_texts(incident: &PreparedIncident) -> IncidentTexts<'_> {
    IncidentTexts {
        title: &incident.title,
        error_signature: incident.error_signature.as_deref(),
        summary: incident.summary.as_deref(),
        tags: &incident.tags,
    }
}

fn has_same_texts(known: &Incident, texts: &IncidentTexts<'_>) -> bool {
    known.title == texts.title
        && known.error_signature.as_deref() == texts.error_signature
        && known.summary.as_deref() == texts.summary
        && known.tags == texts.tags
}

/// Writes solutions and their outcomes.
fn write_solutions(
    recorder: Recorder<'_>,
    tx: &mut Tx<'_>,
    solutions: &[(IncidentKey, &PreparedSolution)],
    mut known: KnownSolutions,
    imported: &mut MemoryImportResult,
) -> Result<(), EngineError> {
    let mut outcomes = Vec::new();
    let batches = split_into_batches(solutions, |(_, solution)| list_ids_of_solution(solution));
    for (number, batch) in batches.into_iter().enumerate() {
        // The batch repeats an id of an earlier batch, so the solutions must be read again.
        if number > 0 {
            known = read_known_solutions(tx, batch.iter().map(|(_, solution)| *solution))?;
        }
        // A solution that moves to another environment makes room for later solutions with the same steps in its old
        // environment, so a new part begins with this solution.
        for part in batch.chunk_by(|_, (_, next)| !changes_environment(next, &known)) {
            let keys = update_and_add(recorder, tx, part, &known, imported)?;
            outcomes.extend(keys.into_iter().zip(part).flat_map(|(key, (_, solution))| {
                solution.outcomes.iter().map(move |outcome| build_outcome(recorder, key, outcome))
            }));
        }
    }
    imported.outcomes += outcomes::record_outcomes(tx, &outcomes)?;
    Ok(())
}

/// Updates known solutions, then adds new solutions. Returns all keys in the same order.
fn update_and_add(
    recorder: Recorder<'_>,
    tx: &mut Tx<'_>,
    solutions: &[(IncidentKey, &PreparedSolution)],
    known: &KnownSolutions,
    imported: &mut MemoryImportResult,
) -> Result<Vec<SolutionKey>, EngineError> {
    let (mut keys, mut new) = (Vec::with_capacity(solutions.len()), Vec::new());
    for (incident, solution) in solutions {
        let (id, known) = find_known_solution(solution, known);
        keys.push(known.map(|known| known.key));
        match known {
            Some(known) if is_same_solution(known, solution) => {}
            Some(known) => solutions::update(tx, known.key, &solution_texts(solution))?,
            None => new.push(build_solution(recorder, *incident, id, solution)),
        }
    }
    let mut added = solutions::add_all(tx, &new)?.into_iter().map(|(added, is_new)| {
        imported.solutions += u32::from(is_new);
        added.key
    });
    Ok(keys.into_iter().filter_map(|key| key.or_else(|| added.next())).collect())
}

fn changes_environment(solution: &PreparedSolution, known: &KnownSolutions) -> bool {
    find_known_solution(solution, known).1.is_some_and(|known| known.env_bucket != solution.env_bucket)
}

fn is_same_solution(known: &Solution, solution: &PreparedSolution) -> bool {
    known.steps == solution.steps && known.env == solution.env && known.env_bucket == solution.env_bucket
}

fn build_solution<'a>(
    recorder: Recorder<'a>,
    incident: IncidentKey,
    id: &'a str,
    solution: &'a PreparedSolution,
) -> NewSolution<'a> {
    NewSolution {
        id,
        owner: DocumentOwner::Incident(incident),
        steps: &solution.steps,
        digest: &solution.digest,
        env: solution.env.as_deref(),
        env_bucket: &solution.env_bucket,
        recorder: Recorder { by: solution.recorded_by.as_deref().or(recorder.by), ..recorder },
        now: solution.created_at,
    }
}

fn solution_texts(solution: &PreparedSolution) -> solutions::Texts<'_> {
    solutions::Texts {
        steps: &solution.steps,
        digest: &solution.digest,
        env: solution.env.as_deref(),
        env_bucket: &solution.env_bucket,
    }
}

fn build_outcome<'a>(recorder: Recorder<'a>, solution: SolutionKey, outcome: &'a PreparedOutcome) -> NewOutcome<'a> {
    NewOutcome {
        id: &outcome.id,
        solution,
        counted_on: None,
        worked: outcome.worked,
        env: outcome.env.as_deref(),
        env_bucket: &outcome.env_bucket,
        notes: outcome.notes.as_deref(),
        lookup_id: outcome.lookup_id.as_deref(),
        run_id: outcome.run_id.as_deref(),
        case_name: outcome.case_name.as_deref(),
        proved_by: None,
        refuted_by: None,
        recorder,
        now: outcome.created_at,
    }
}
