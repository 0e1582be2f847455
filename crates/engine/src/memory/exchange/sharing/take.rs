//! Imports the shared files of a repository into a separate database, which is rebuilt whenever the files change. So
//! deleted files disappear from the database too, and ids in the files cannot collide with ids of the user's own
//! memory.

use super::{
    SHARED_FILES_SOURCE, check,
    sameness::{self, SamenessDecision},
};
use crate::{
    Engine, EngineError,
    contract::{
        SharedDecision, SharedFailure, SharedFault, SharedFile, SharedFileContent, SharedFilesParams, SharedFix,
        SharedImportResult, SharedIncident, SharedOutcome, SharedSameness, SharedSolution,
    },
    limits::{MAX_SHARED_BYTES, MAX_SHARED_FILES},
    memory::{
        exchange::{
            import::{self, IncidentLine, OutcomeLine, SolutionLine},
            patterns::{FailureLine, OverridesLine, PatternLine, import as patterns},
        },
        input_cleaning, search_index,
    },
};
use argus_core::{CallContext, display, stable_sort::StableSort};
use argus_store::Tx;
use std::collections::BTreeMap;

/// Maximum number of solutions of an incident, and of outcomes of a solution.
const MAX_ENTRIES_OF_ONE_OWNER: usize = 200;

/// Imports the valid files, and returns the faults of the others.
pub fn import_shared_files(
    engine: &Engine,
    context: &CallContext,
    SharedFilesParams { files }: &SharedFilesParams,
) -> Result<SharedImportResult, EngineError> {
    let mut read = SharedEntries::default();
    let (mut taken, mut refused) = (0, Vec::new());
    let mut bytes = 0;
    for SharedFileContent { path, text } in files.iter().take(MAX_SHARED_FILES as usize) {
        bytes += text.len();
        if bytes > MAX_SHARED_BYTES as usize {
            break;
        }
        match check::parse_shared_file(engine, path, text) {
            Ok(file) => {
                read.add(file);
                taken += 1;
            }
            Err(message) => refused.push(SharedFault {
                path: input_cleaning::clean_line(engine, path, 300),
                message: display::sanitize_line(&message, 300),
            }),
        }
    }
    let decisions = read.sameness_decisions();
    let (incidents, patterns) = read.into_lines();
    let incidents = (1..).zip(incidents.into_iter().map(Ok));
    import::import_lines(engine, context, incidents)?;
    let names_of_memories = patterns::MemoryNames { from: SHARED_FILES_SOURCE.to_owned(), into: None };
    patterns::import_lines(engine, context, (1..).zip(patterns.into_iter().map(Ok)), &names_of_memories)?;
    sameness::apply_decisions(engine, context, &decisions)?;
    let index = |tx: &mut Tx<'_>| {
        while argus_store::search::has_pending_patterns(tx)? {
            search_index::index_pending_patterns(engine, tx)?;
        }
        Ok(())
    };
    engine.write_unmarked(context, index)?;
    Ok(SharedImportResult { taken, refused })
}

/// The files, grouped by the entry to which they belong.
#[derive(Default)]
struct SharedEntries {
    incidents: BTreeMap<String, SharedIncident>,
    /// Grouped by the id of the incident.
    solutions: BTreeMap<String, Vec<SharedSolution>>,
    /// Grouped by the id of the fix or solution that was tried.
    outcomes: BTreeMap<String, Vec<SharedOutcome>>,
    /// Grouped by pattern id and failure text. The text is part of the key, because others may have used the same id
    /// for another failure.
    known: BTreeMap<(String, String), FailureFiles>,
    sameness: Vec<SharedSameness>,
}

#[derive(Default)]
struct FailureFiles {
    fixes: Vec<SharedFix>,
    decisions: Vec<SharedDecision>,
}

impl FailureFiles {
    /// Returns the failure from the oldest fix, otherwise from the newest decision.
    fn failure(&self) -> Option<&SharedFailure> {
        let fix = self.fixes.iter().min_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let decision = self.decisions.iter().max_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        fix.map(|fix| &fix.failure).or_else(|| decision.map(|decision| &decision.failure))
    }
}

impl SharedEntries {
    fn add(&mut self, file: SharedFile) {
        match file {
            SharedFile::Fix(file) => self.failure_files(&file.failure).fixes.push(file),
            SharedFile::Decision(file) => self.failure_files(&file.failure).decisions.push(file),
            SharedFile::Sameness(file) => self.sameness.push(file),
            SharedFile::Incident(file) => drop(self.incidents.insert(file.id.clone(), file)),
            SharedFile::Solution(file) => self.solutions.entry(file.incident.clone()).or_default().push(file),
            SharedFile::Outcome(file) => self.outcomes.entry(file.of.clone()).or_default().push(file),
        }
    }

    fn failure_files(&mut self, failure: &SharedFailure) -> &mut FailureFiles {
        self.known.entry((failure.pattern.clone(), failure.text.clone())).or_default()
    }

    fn sameness_decisions(&self) -> Vec<SamenessDecision> {
        let lines = |failure: &SharedFailure| {
            let known = self.known.get(&(failure.pattern.clone(), failure.text.clone()));
            // A fix contains the name of the test for which it was reported, which can be another test of the pattern.
            let known = known.and_then(FailureFiles::failure).filter(|known| *known != failure);
            std::iter::once(failure).chain(known).map(build_failure_line).collect()
        };
        let convert = |file: &SharedSameness| SamenessDecision {
            id: file.id.clone(),
            created_at: file.created_at.clone(),
            failure: lines(&file.failure),
            other: lines(&file.other),
            is_same: file.same,
        };
        self.sameness.iter().map(convert).collect()
    }

    fn into_lines(mut self) -> (Vec<IncidentLine>, Vec<PatternLine>) {
        let incidents = std::mem::take(&mut self.incidents).into_values();
        let incidents = incidents.map(|incident| {
            let solutions = self.solutions.remove(&incident.id).unwrap_or_default();
            build_incident_line(incident, solutions, &self.outcomes)
        });
        let incidents = incidents.collect();
        let patterns = self.known.into_values().filter_map(|known| build_pattern_line(known, &self.outcomes));
        (incidents, patterns.collect())
    }
}

fn build_incident_line(
    incident: SharedIncident,
    solutions: Vec<SharedSolution>,
    outcomes: &BTreeMap<String, Vec<SharedOutcome>>,
) -> IncidentLine {
    let solutions = solutions.into_iter().take(MAX_ENTRIES_OF_ONE_OWNER).map(|solution| SolutionLine {
        outcomes: build_outcome_lines(outcomes.get(&solution.id), None),
        recorded_by: solution.by,
        ..build_solution_line(&solution.id, solution.steps, &solution.created_at, solution.env_bucket)
    });
    IncidentLine {
        r#type: None,
        title: incident.title,
        error_signature: incident.error_signature,
        summary: incident.summary,
        tags: incident.tags,
        created_at: Some(incident.created_at),
        solutions: solutions.collect(),
        id: Some(incident.id),
    }
}

/// Returns a failure with its fixes and its newest decision, or `None` if it has neither.
fn build_pattern_line(known: FailureFiles, outcomes: &BTreeMap<String, Vec<SharedOutcome>>) -> Option<PatternLine> {
    let failure = known.failure()?.clone();
    let FailureFiles { mut fixes, mut decisions } = known;
    fixes.stable_sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    decisions.stable_sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    let newest = decisions.pop();
    let seen_at = fixes.first().map_or_else(
        || newest.as_ref().map(|decision| decision.created_at.clone()),
        |fix| Some(fix.created_at.clone()),
    )?;
    let wrong = |steps: &str| {
        newest.as_ref().is_some_and(|decision| {
            decision
                .wrong
                .iter()
                .any(|wrong| input_cleaning::steps_digest(wrong) == input_cleaning::steps_digest(steps))
        })
    };
    let mut solutions: BTreeMap<String, SolutionLine> = BTreeMap::new();
    for fix in fixes {
        let digest = input_cleaning::steps_digest(&fix.fix);
        let is_wrong = wrong(&fix.fix);
        let reports =
            build_outcome_lines(outcomes.get(&fix.id), Some((&fix.id, &fix.failure.case_name, &fix.created_at)));
        let solution = solutions.entry(digest).or_insert_with(|| SolutionLine {
            recorded_by: fix.by,
            wrong: is_wrong,
            ..build_solution_line(&build_solution_id(&fix.id), fix.fix, &fix.created_at, String::new())
        });
        solution.outcomes.extend(reports);
    }
    let mut set = None;
    if let Some((decision, steps)) = newest.as_ref().and_then(|decision| Some((decision, decision.fix.clone()?))) {
        let solution = solutions.entry(input_cleaning::steps_digest(&steps)).or_insert_with(|| SolutionLine {
            by_person: true,
            recorded_by: decision.by.clone(),
            ..build_solution_line(&build_solution_id(&decision.id), steps, &decision.created_at, String::new())
        });
        set.clone_from(&solution.id);
    }
    let person = newest.map(|decision| OverridesLine {
        category: decision.category.map(|category| category.as_str().to_owned()),
        description: decision.description,
        solution: set,
        edited_at: decision.created_at,
    });
    Some(PatternLine {
        r#type: "pattern".to_owned(),
        known: build_failure_line(&failure),
        signatures: Vec::new(),
        category: Some(failure.category.as_str().to_owned()),
        first_seen_at: seen_at.clone(),
        last_seen_at: seen_at,
        counts: Vec::new(),
        days: Vec::new(),
        person,
        parts: Vec::new(),
        solutions: solutions.into_values().collect(),
    })
}

/// Returns the failure with an id from its content, so that the id cannot collide with an id of another memory.
fn build_failure_line(failure: &SharedFailure) -> FailureLine {
    FailureLine {
        id: format!("pat-{}", &input_cleaning::steps_digest(&format!("{}\n{}", failure.pattern, failure.text))[..32]),
        recipe: String::new(),
        case_name: failure.case_name.clone(),
        description: failure.description.clone(),
        sample: failure.to_event(),
    }
}

/// Returns the id of the solution that a file suggests.
fn build_solution_id(file: &str) -> String {
    format!("sol-{}", &input_cleaning::steps_digest(file)[..32])
}

fn build_solution_line(id: &str, steps: String, created_at: &str, env_bucket: String) -> SolutionLine {
    SolutionLine {
        id: Some(id.to_owned()),
        steps,
        env: None,
        env_bucket: Some(env_bucket).filter(|bucket| !bucket.is_empty()),
        created_at: Some(created_at.to_owned()),
        wrong: false,
        by_person: false,
        recorded_by: None,
        outcomes: Vec::new(),
    }
}

/// Returns the outcomes of a fix or a solution. For a fix, the success that its own file states comes first.
fn build_outcome_lines(others: Option<&Vec<SharedOutcome>>, fix: Option<(&str, &str, &str)>) -> Vec<OutcomeLine> {
    let line = |id: &str, worked: bool, created_at: &str| OutcomeLine {
        id: Some(id.to_owned()),
        worked,
        env: None,
        env_bucket: None,
        notes: None,
        lookup_id: None,
        run_id: fix.map(|_| id.to_owned()),
        case_name: fix.map(|(_, case_name, _)| case_name.to_owned()),
        created_at: Some(created_at.to_owned()),
        // Fixes are shared only with outcomes that runs have proved.
        proved_by: fix.filter(|_| worked).map(|_| id.to_owned()),
        refuted_by: None,
    };
    let own = fix.map(|(id, _, created_at)| line(id, true, created_at));
    let others = others.into_iter().flatten().take(MAX_ENTRIES_OF_ONE_OWNER).map(|outcome| OutcomeLine {
        env_bucket: Some(outcome.env_bucket.clone()).filter(|bucket| !bucket.is_empty()),
        notes: outcome.notes.clone(),
        ..line(&outcome.id, outcome.worked, &outcome.created_at)
    });
    own.into_iter().chain(others).collect()
}
