//! Writes the shared files of a memory: fixes that own runs proved, incidents with their solutions, outcomes, values
//! that a person set, and decisions on whether two failures are the same. Entries from others are not written again,
//! but their outcomes here are.
//!
//! A file never changes after it is written, so that two branches never change the same file. Later events become
//! outcome files.

use super::{VERSION, VERSION_OF_SAMENESS, check, machine::without_names};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::moment::iso,
    contract::{
        ChosenFix, FixEvidence, MachineNames, NoParams, ShareParams, ShareResult, SharedDecision, SharedFailure,
        SharedFault, SharedFile, SharedFix, SharedIncident, SharedOutcome, SharedSameness, SharedSolution, SharedText,
    },
    evidence::fixes,
    failures::{lookup, matching},
    memory::{
        exchange::{
            export::{self, serialization_error},
            import::{IncidentLine, OutcomeLine, SolutionLine},
            patterns::{
                KnownLine, PatternLine,
                export::{known_line, lines_of},
            },
        },
        input,
    },
};
use argus_core::{Ambient, Category, FailureEvent, bound::bound_to, stable_sort::StableSort};
use argus_store::{
    Tx, incidents,
    patterns::{
        exchange,
        sameness::{self, Said},
    },
    runs, shared,
};
use std::collections::{BTreeMap, BTreeSet};

/// Number of patterns or incidents per page.
const PAGE: u32 = 200;
/// Maximum bytes of an error text.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The state of a call: the author, the existing files and the result.
struct Writer<'a> {
    engine: &'a Engine,
    by: Option<String>,
    machine: &'a MachineNames,
    present: BTreeSet<&'a str>,
    /// Ids of shared entries of others by their local ids.
    uses: BTreeMap<String, String>,
    result: ShareResult,
}

/// Returns the files to write. Existing files stay as they are.
pub fn write(engine: &Engine, ambient: &Ambient, params: &ShareParams) -> Result<ShareResult, EngineError> {
    if let Some(by) = params.by.as_deref().filter(|by| !check::is_pseudonym(by)) {
        return Err(EngineError::invalid(format!(
            "'{}' is no pseudonym: one to 40 letters, digits, spaces and . _ -",
            crate::answer::text::quoted(by)
        )));
    }
    let chosen = chosen_fixes(engine, ambient, &params.found)?;
    let body = |tx: &mut Tx<'_>| -> Result<ShareResult, EngineError> {
        let mut writer = Writer {
            engine,
            by: params.by.clone(),
            machine: &params.machine,
            present: params.present.iter().map(String::as_str).collect(),
            uses: shared::all(tx)?,
            result: ShareResult { files: Vec::new(), left_out: Vec::new(), doubts: Vec::new() },
        };
        writer.add_patterns(tx)?;
        writer.add_sameness(tx)?;
        writer.add_incidents(tx)?;
        for (found, fix) in &chosen {
            let failure = failure_of_found(engine, tx, found)?;
            writer.add_found(tx, found, fix, &failure)?;
        }
        let mut result = writer.result;
        result.files.stable_sort_by(|a, b| a.path.cmp(&b.path));
        result.left_out.stable_sort_by(|a, b| a.path.cmp(&b.path));
        result.doubts = result.files.iter().filter_map(|file| check::doubt(&file.path, &file.text)).collect();
        Ok(result)
    };
    engine.read(ambient, body)
}

impl Writer<'_> {
    fn add_patterns(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = String::new();
        loop {
            let page = exchange::page(tx, &after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(&last.id);
            for line in lines_of(tx, &page)? {
                self.add_pattern(&line)?;
            }
        }
    }

    fn add_pattern(&mut self, line: &PatternLine) -> Result<(), EngineError> {
        let category = line.category.as_deref().and_then(|category| category.parse().ok()).unwrap_or(Category::Unknown);
        let failure = self.failure(&line.known, category);
        for solution in &line.solutions {
            for outcome in &solution.outcomes {
                self.add_report_outcome(outcome)?;
            }
            let proved = |outcome: &&OutcomeLine| {
                let is_own = outcome.id.as_ref().is_some_and(|id| !self.uses.contains_key(id));
                is_own && outcome.worked && outcome.proved_by.is_some() && outcome.refuted_by.is_none()
            };
            // Equal steps are a single fix, however often they were reported.
            if let Some(outcome) = solution.outcomes.iter().find(proved).filter(|_| !solution.wrong) {
                let case_name = outcome.case_name.clone().unwrap_or_else(|| failure.case_name.clone());
                self.add(&SharedFile::Fix(SharedFix {
                    version: VERSION,
                    id: outcome.id.clone().unwrap_or_default(),
                    by: self.by.clone(),
                    created_at: outcome.created_at.clone().unwrap_or_default(),
                    failure: SharedFailure { case_name: self.text(&case_name), ..failure.clone() },
                    fix: self.text(&solution.steps),
                    commit: None,
                }))?;
            }
        }
        self.add_decision(line, failure)
    }

    /// Adds the outcome if own runs decided on a shared fix, no matter whose fix it is.
    fn add_report_outcome(&mut self, outcome: &OutcomeLine) -> Result<(), EngineError> {
        let Some(id) = &outcome.id else { return Ok(()) };
        let used = self.uses.get(id).cloned();
        let is_shared = self.present.contains(format!("fixes/{id}.json").as_str());
        let Some(of) = used.clone().or_else(|| is_shared.then(|| id.clone())) else { return Ok(()) };
        let has_failed = !outcome.worked || outcome.refuted_by.is_some();
        // An own proved fix is stated by its own file. A claim alone is not shared.
        if !has_failed && (used.is_none() || outcome.proved_by.is_none()) {
            return Ok(());
        }
        self.add(&SharedFile::Outcome(SharedOutcome {
            version: VERSION,
            id: event_id(id, has_failed),
            by: self.by.clone(),
            created_at: outcome.created_at.clone().unwrap_or_default(),
            of,
            worked: !has_failed,
            env_bucket: outcome.env_bucket.clone().unwrap_or_default(),
            notes: None,
        }))
    }

    fn add_decision(&mut self, line: &PatternLine, failure: SharedFailure) -> Result<(), EngineError> {
        let wrong = line.solutions.iter().filter(|solution| solution.wrong);
        let mut wrong: Vec<String> = wrong.map(|solution| self.text(&solution.steps)).collect();
        wrong.sort_unstable();
        wrong.dedup();
        let person = line.person.as_ref();
        if person.is_none() && wrong.is_empty() {
            return Ok(());
        }
        let set = person.and_then(|person| person.solution.as_ref());
        let fix = line.solutions.iter().find(|solution| set.is_some() && solution.id.as_ref() == set);
        let mut decision = SharedDecision {
            version: VERSION,
            id: String::new(),
            by: None,
            created_at: person.map_or_else(|| line.first_seen_at.clone(), |person| person.edited_at.clone()),
            category: person.and_then(|person| person.category.as_deref()?.parse().ok()),
            description: person.and_then(|person| person.description.as_deref()).map(|text| self.text(text)),
            fix: fix.map(|solution| self.text(&solution.steps)),
            wrong,
            failure,
        };
        // The id depends on the content, so that a changed decision becomes a new file.
        let content = serde_json::to_string(&decision).map_err(|error| serialization_error(&error))?;
        decision.id = format!("dec-{}", &input::digest(&content)[..32]);
        decision.by.clone_from(&self.by);
        self.add(&SharedFile::Decision(decision))
    }

    fn add_sameness(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = String::new();
        loop {
            let page = sameness::page(tx, &after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(&last.id);
            for Said { id, failure, other, is_same, said_at } in page {
                self.add(&SharedFile::Sameness(SharedSameness {
                    version: VERSION_OF_SAMENESS,
                    id,
                    by: self.by.clone(),
                    created_at: iso(said_at),
                    failure: self.classified_failure(&known_line(failure)),
                    other: self.classified_failure(&known_line(other)),
                    same: is_same,
                }))?;
            }
        }
    }

    fn add_incidents(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = None;
        loop {
            let page = incidents::page(tx, after.as_deref(), PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            for incident in &page {
                let line = export::line(tx, incident)?;
                self.add_incident(&incident.id, line)?;
            }
        }
    }

    fn add_incident(&mut self, id: &str, line: IncidentLine) -> Result<(), EngineError> {
        let created_at = line.created_at.unwrap_or_default();
        if !self.uses.contains_key(id) {
            self.add(&SharedFile::Incident(SharedIncident {
                version: VERSION,
                id: id.to_owned(),
                by: self.by.clone(),
                created_at: created_at.clone(),
                title: self.text(&line.title),
                error_signature: line.error_signature.as_deref().map(|text| self.text(text)),
                summary: line.summary.as_deref().map(|text| self.text(text)),
                tags: line.tags.iter().map(|tag| self.text(tag)).collect(),
            }))?;
        }
        for solution in line.solutions {
            self.add_solution(id, solution, &created_at)?;
        }
        Ok(())
    }

    fn add_solution(&mut self, incident: &str, line: SolutionLine, created_at: &str) -> Result<(), EngineError> {
        let Some(id) = line.id else { return Ok(()) };
        if !self.uses.contains_key(&id) {
            self.add(&SharedFile::Solution(SharedSolution {
                version: VERSION,
                id: id.clone(),
                by: self.by.clone(),
                created_at: line.created_at.unwrap_or_else(|| created_at.to_owned()),
                incident: incident.to_owned(),
                steps: self.text(&line.steps),
                env_bucket: line.env_bucket.unwrap_or_default(),
            }))?;
        }
        for outcome in line.outcomes {
            self.add(&SharedFile::Outcome(SharedOutcome {
                version: VERSION,
                id: outcome.id.unwrap_or_default(),
                by: self.by.clone(),
                created_at: outcome.created_at.unwrap_or_else(|| created_at.to_owned()),
                of: id.clone(),
                worked: outcome.worked,
                env_bucket: outcome.env_bucket.unwrap_or_default(),
                notes: outcome.notes.as_deref().map(|text| self.text(text)),
            }))?;
        }
        Ok(())
    }

    fn add_found(
        &mut self,
        tx: &mut Tx<'_>,
        found: &FixEvidence,
        fix: &str,
        line: &KnownLine,
    ) -> Result<(), EngineError> {
        let failure = self.classified_failure(line);
        let passed_in = found.passed_in.as_deref().unwrap_or_default();
        let at = runs::by_id(tx, passed_in)?.map_or(0, |(_, run)| run.started_at);
        self.add(&SharedFile::Fix(SharedFix {
            version: VERSION,
            id: found.fix_id.clone(),
            by: self.by.clone(),
            created_at: iso(at),
            failure,
            fix: self.text(fix),
            commit: found.commit.clone(),
        }))
    }

    fn classified_failure(&self, known: &KnownLine) -> SharedFailure {
        let analysis = self.engine.analyzer.analyze(known.sample.clone(), &known.case_name);
        self.failure(known, analysis.classification.category)
    }

    fn failure(&self, known: &KnownLine, category: Category) -> SharedFailure {
        let FailureEvent { text, exception_type, exit_code, signal, http_status, container_status, oom_killed, runner } =
            &known.sample;
        let clean = |text: &Option<String>| text.as_deref().map(|text| self.text(text));
        SharedFailure {
            pattern: known.id.clone(),
            case_name: self.text(&known.case_name),
            category,
            description: self.text(&known.description),
            text: self.text(&bound_to(text, MAX_TEXT_BYTES)),
            exception_type: clean(exception_type),
            exit_code: *exit_code,
            signal: clean(signal),
            http_status: *http_status,
            container_status: clean(container_status),
            oom_killed: *oom_killed,
            runner: clean(runner),
        }
    }

    /// Removes secrets and names of the machine, because the text leaves this machine.
    fn text(&self, text: &str) -> String {
        let visible: String = text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect();
        let without = without_names(&self.engine.analyzer.redact_whole(&visible), self.machine);
        self.engine.analyzer.redact_whole(&without).into_string()
    }

    /// Adds a file unless it exists. A file that fails the check is reported instead.
    fn add(&mut self, file: &SharedFile) -> Result<(), EngineError> {
        let path = file.path();
        if self.present.contains(path.as_str()) {
            return Ok(());
        }
        let text = serialized(file)?;
        match check::read(self.engine, &path, &text) {
            Ok(_) => self.result.files.push(SharedText { path, text }),
            Err(message) => {
                let shown = |text: &str| input::line(self.engine, text, 300);
                self.result.left_out.push(SharedFault { path: shown(&path), message: shown(&message) });
            }
        }
        Ok(())
    }
}

/// Id of an outcome. The same report can first be proved and later be refuted, so the result is part of the id.
fn event_id(report: &str, has_failed: bool) -> String {
    format!("out-{}", &input::digest(&format!("{report} {has_failed}"))[..32])
}

/// Serializes a file with one field per line, sorted by name, so that diffs stay small.
fn serialized(file: &SharedFile) -> Result<String, EngineError> {
    // `Value` sorts the fields.
    let value = serde_json::to_value(file).map_err(|error| serialization_error(&error))?;
    let text = serde_json::to_string_pretty(&value).map_err(|error| serialization_error(&error))?;
    Ok(format!("{text}\n"))
}

/// Returns the fixes that a person chose, each with its description.
fn chosen_fixes(
    engine: &Engine,
    ambient: &Ambient,
    chosen: &[ChosenFix],
) -> Result<Vec<(FixEvidence, String)>, EngineError> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let known = fixes::fixes(engine, ambient, &NoParams {})?.fixes;
    let find = |ChosenFix { fix_id, fix }: &ChosenFix| {
        let found = known.iter().find(|known| known.fix_id == *fix_id);
        let found = found.ok_or_else(|| {
            let id = input::line(engine, fix_id, 80);
            EngineError::invalid(format!("There is no fix '{id}' that was found. argus fixes lists the ids."))
        })?;
        if found.commit.is_none() {
            return Err(EngineError::invalid(format!("The fix '{fix_id}' is an edit that is not committed yet.")));
        }
        Ok((found.clone(), fix.clone()))
    };
    chosen.iter().map(find).collect()
}

/// Returns the failure that a found fix fixed, from the last run that had it.
fn failure_of_found(engine: &Engine, tx: &mut Tx<'_>, found: &FixEvidence) -> Result<KnownLine, EngineError> {
    let (Some(run_id), Some(case_name)) = (&found.failed_in, found.case_names.first()) else {
        let message = format!("The runs of '{}' are gone, so that its failure is not known any more.", found.fix_id);
        return Err(EngineError::new(ErrorCode::RunNotFound, message));
    };
    let (_, case) = lookup::failed_case(tx, run_id, case_name)?;
    let event = lookup::event_of(&case.failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let known = matching::find(engine, tx, &analysis, &case.name, None)?;
    let own = known.own.or(known.pattern).filter(|pattern| !pattern.is_builtin);
    let id = own.map_or_else(|| format!("pat-{}", &analysis.signatures.exact[..32]), |pattern| pattern.id);
    let description = case.failure.headline.clone();
    Ok(KnownLine { id, recipe: String::new(), case_name: case.name, description, sample: event })
}
