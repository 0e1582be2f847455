//! Imports the shared files of a repository into a separate database, which is rebuilt whenever the files change. A
//! file that was deleted thus disappears there too, and ids of the files cannot collide with the user's own memory.

use super::{
    FROM, check,
    sameness::{self, Word},
};
use crate::{
    Engine, EngineError,
    contract::{
        ShareTaken, SharedDecision, SharedFailure, SharedFault, SharedFile, SharedFix, SharedIncident, SharedOutcome,
        SharedSameness, SharedSolution, SharedText, SharedTexts,
    },
    limits::{MAX_SHARED_BYTES, MAX_SHARED_FILES},
    memory::{
        exchange::{
            import::{self, IncidentLine, OutcomeLine, SolutionLine},
            patterns::{KnownLine, OverridesLine, PatternLine, import as patterns},
        },
        index, input,
    },
};
use argus_core::{Ambient, display, stable_sort::StableSort};
use argus_store::Tx;
use std::collections::BTreeMap;

/// Maximum number of solutions of an incident, and of outcomes of a solution.
const MAX_EACH: usize = 200;

/// Imports the valid files, and returns the faults of the others.
pub fn take(
    engine: &Engine,
    ambient: &Ambient,
    SharedTexts { files }: &SharedTexts,
) -> Result<ShareTaken, EngineError> {
    let mut read = Files::default();
    let (mut taken, mut refused) = (0, Vec::new());
    let mut bytes = 0;
    for SharedText { path, text } in files.iter().take(MAX_SHARED_FILES as usize) {
        bytes += text.len();
        if bytes > MAX_SHARED_BYTES as usize {
            break;
        }
        match check::read(engine, path, text) {
            Ok(file) => {
                read.add(file);
                taken += 1;
            }
            Err(message) => refused
                .push(SharedFault { path: input::line(engine, path, 300), message: display::line(&message, 300) }),
        }
    }
    let words = read.words();
    let (incidents, patterns) = read.into_lines();
    let incidents = (1..).zip(incidents.into_iter().map(Ok));
    import::import_lines(engine, ambient, incidents)?;
    let sides = patterns::Sides { from: FROM.to_owned(), into: None };
    patterns::import_lines(engine, ambient, (1..).zip(patterns.into_iter().map(Ok)), &sides)?;
    sameness::apply(engine, ambient, &words)?;
    let index = |tx: &mut Tx<'_>| {
        while argus_store::search::is_waiting(tx)? {
            index::index_waiting(engine, tx)?;
        }
        Ok(())
    };
    engine.write_unmarked(ambient, index)?;
    Ok(ShareTaken { taken, refused })
}

/// The files, grouped by the entry that they belong to.
#[derive(Default)]
struct Files {
    incidents: BTreeMap<String, SharedIncident>,
    /// By incident.
    solutions: BTreeMap<String, Vec<SharedSolution>>,
    /// By the id of the fix or solution that was tried.
    outcomes: BTreeMap<String, Vec<SharedOutcome>>,
    /// By pattern id and failure text. The text is part of the key, because others may have used the same id for
    /// another failure.
    known: BTreeMap<(String, String), Known>,
    sameness: Vec<SharedSameness>,
}

#[derive(Default)]
struct Known {
    fixes: Vec<SharedFix>,
    decisions: Vec<SharedDecision>,
}

impl Known {
    /// Returns the failure from the oldest fix, otherwise from the newest decision.
    fn failure(&self) -> Option<&SharedFailure> {
        let fix = self.fixes.iter().min_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let decision = self.decisions.iter().max_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        fix.map(|fix| &fix.failure).or_else(|| decision.map(|decision| &decision.failure))
    }
}

impl Files {
    fn add(&mut self, file: SharedFile) {
        match file {
            SharedFile::Fix(file) => self.known(&file.failure).fixes.push(file),
            SharedFile::Decision(file) => self.known(&file.failure).decisions.push(file),
            SharedFile::Sameness(file) => self.sameness.push(file),
            SharedFile::Incident(file) => drop(self.incidents.insert(file.id.clone(), file)),
            SharedFile::Solution(file) => self.solutions.entry(file.incident.clone()).or_default().push(file),
            SharedFile::Outcome(file) => self.outcomes.entry(file.of.clone()).or_default().push(file),
        }
    }

    fn known(&mut self, failure: &SharedFailure) -> &mut Known {
        self.known.entry((failure.pattern.clone(), failure.text.clone())).or_default()
    }

    fn words(&self) -> Vec<Word> {
        let lines = |failure: &SharedFailure| {
            let known = self.known.get(&(failure.pattern.clone(), failure.text.clone()));
            // A fix names the test that it was reported for, which can be another test of the same pattern.
            let known = known.and_then(Known::failure).filter(|known| *known != failure);
            std::iter::once(failure).chain(known).map(known_line).collect()
        };
        let word = |file: &SharedSameness| Word {
            id: file.id.clone(),
            created_at: file.created_at.clone(),
            failure: lines(&file.failure),
            other: lines(&file.other),
            is_same: file.same,
        };
        self.sameness.iter().map(word).collect()
    }

    fn into_lines(mut self) -> (Vec<IncidentLine>, Vec<PatternLine>) {
        let incidents = std::mem::take(&mut self.incidents).into_values();
        let incidents = incidents.map(|incident| {
            let solutions = self.solutions.remove(&incident.id).unwrap_or_default();
            incident_line(incident, solutions, &self.outcomes)
        });
        let incidents = incidents.collect();
        let patterns = self.known.into_values().filter_map(|known| pattern_line(known, &self.outcomes));
        (incidents, patterns.collect())
    }
}

fn incident_line(
    incident: SharedIncident,
    solutions: Vec<SharedSolution>,
    outcomes: &BTreeMap<String, Vec<SharedOutcome>>,
) -> IncidentLine {
    let solutions = solutions.into_iter().take(MAX_EACH).map(|solution| SolutionLine {
        outcomes: outcome_lines(outcomes.get(&solution.id), None),
        recorded_by: solution.by,
        ..solution_line(&solution.id, solution.steps, &solution.created_at, solution.env_bucket)
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

/// Returns a failure with its fixes and its newest decision. None if there is neither.
fn pattern_line(known: Known, outcomes: &BTreeMap<String, Vec<SharedOutcome>>) -> Option<PatternLine> {
    let failure = known.failure()?.clone();
    let Known { mut fixes, mut decisions } = known;
    fixes.stable_sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    decisions.stable_sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    let newest = decisions.pop();
    let seen_at = fixes
        .first()
        .map_or_else(|| newest.as_ref().map(|one| one.created_at.clone()), |fix| Some(fix.created_at.clone()))?;
    let wrong = |steps: &str| {
        newest
            .as_ref()
            .is_some_and(|decision| decision.wrong.iter().any(|wrong| input::digest(wrong) == input::digest(steps)))
    };
    let mut solutions: BTreeMap<String, SolutionLine> = BTreeMap::new();
    for fix in fixes {
        let digest = input::digest(&fix.fix);
        let is_wrong = wrong(&fix.fix);
        let reports = outcome_lines(outcomes.get(&fix.id), Some((&fix.id, &fix.failure.case_name, &fix.created_at)));
        let solution = solutions.entry(digest).or_insert_with(|| SolutionLine {
            recorded_by: fix.by,
            wrong: is_wrong,
            ..solution_line(&solution_id(&fix.id), fix.fix, &fix.created_at, String::new())
        });
        solution.outcomes.extend(reports);
    }
    let mut set = None;
    if let Some((decision, steps)) = newest.as_ref().and_then(|decision| Some((decision, decision.fix.clone()?))) {
        let solution = solutions.entry(input::digest(&steps)).or_insert_with(|| SolutionLine {
            by_person: true,
            recorded_by: decision.by.clone(),
            ..solution_line(&solution_id(&decision.id), steps, &decision.created_at, String::new())
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
        known: known_line(&failure),
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
fn known_line(failure: &SharedFailure) -> KnownLine {
    KnownLine {
        id: format!("pat-{}", &input::digest(&format!("{}\n{}", failure.pattern, failure.text))[..32]),
        recipe: String::new(),
        case_name: failure.case_name.clone(),
        description: failure.description.clone(),
        sample: failure.event(),
    }
}

/// Returns the id of the solution that a file suggests.
fn solution_id(file: &str) -> String {
    format!("sol-{}", &input::digest(file)[..32])
}

fn solution_line(id: &str, steps: String, created_at: &str, env_bucket: String) -> SolutionLine {
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
fn outcome_lines(others: Option<&Vec<SharedOutcome>>, fix: Option<(&str, &str, &str)>) -> Vec<OutcomeLine> {
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
    let others = others.into_iter().flatten().take(MAX_EACH).map(|outcome| OutcomeLine {
        env_bucket: Some(outcome.env_bucket.clone()).filter(|bucket| !bucket.is_empty()),
        notes: outcome.notes.clone(),
        ..line(&outcome.id, outcome.worked, &outcome.created_at)
    });
    own.into_iter().chain(others).collect()
}
