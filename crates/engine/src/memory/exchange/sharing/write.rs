//! Writes the shared files of a memory: fixes that own runs proved, incidents with their solutions, outcomes, values
//! that a person set, and decisions on whether two failures are the same. Entries that others wrote are not written
//! again, but the outcomes of trying them here are.
//!
//! A file never changes after it is written, so that two branches never change the same file. Later events become
//! outcome files.

use super::{FILE_VERSION, SAMENESS_VERSION, check, machine_names::remove_machine_names};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::time_format::format_iso,
    contract::{
        ChosenFix, FixEvidence, MachineNames, NoParams, ShareParams, ShareResult, SharedDecision, SharedFailure,
        SharedFault, SharedFile, SharedFileContent, SharedFix, SharedIncident, SharedOutcome, SharedSameness,
        SharedSolution,
    },
    evidence::fixes,
    failures::{lookup, matching},
    memory::{
        exchange::{
            export::{self, serialization_error},
            import::{IncidentLine, OutcomeLine, SolutionLine},
            patterns::{
                FailureLine, PatternLine,
                export::{build_lines, convert_failure},
            },
        },
        input_cleaning,
    },
};
use argus_core::{CallContext, Category, FailureEvent, bound::truncate_middle_to, stable_sort::StableSort};
use argus_store::{
    Tx, incidents,
    patterns::{
        exchange,
        merge_decisions::{self, MergeDecision},
    },
    runs, shared_links,
};
use std::collections::{BTreeMap, BTreeSet};

/// Number of patterns or incidents per page.
const PAGE_ENTRIES: u32 = 200;
/// Maximum bytes of an error text.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The state of a call: the author, the existing files and the result.
struct SharedFilesBuilder<'a> {
    engine: &'a Engine,
    by: Option<String>,
    machine: &'a MachineNames,
    present: BTreeSet<&'a str>,
    /// For each local entry that was copied from a shared entry or that tries one: the id of the shared entry, by the
    /// id of the local entry.
    uses: BTreeMap<String, String>,
    result: ShareResult,
}

/// Returns the files to write. Existing files stay as they are.
pub fn build_shared_files(
    engine: &Engine,
    context: &CallContext,
    params: &ShareParams,
) -> Result<ShareResult, EngineError> {
    if let Some(by) = params.by.as_deref().filter(|by| !check::is_pseudonym(by)) {
        return Err(EngineError::invalid_input(format!(
            "'{}' is not a pseudonym: use 1 to 40 letters, digits, spaces and . _ -",
            crate::answer::message_text::quote(by)
        )));
    }
    let chosen = find_chosen_fixes(engine, context, &params.found)?;
    let body = |tx: &mut Tx<'_>| -> Result<ShareResult, EngineError> {
        let mut writer = SharedFilesBuilder {
            engine,
            by: params.by.clone(),
            machine: &params.machine,
            present: params.present.iter().map(String::as_str).collect(),
            uses: shared_links::list_all(tx)?,
            result: ShareResult { files: Vec::new(), left_out: Vec::new(), doubts: Vec::new() },
        };
        writer.add_patterns(tx)?;
        writer.add_sameness(tx)?;
        writer.add_incidents(tx)?;
        for (found, fix) in &chosen {
            let failure = find_failure_of_fix(engine, tx, found)?;
            writer.add_chosen_fix(tx, found, fix, &failure)?;
        }
        let mut result = writer.result;
        result.files.stable_sort_by(|a, b| a.path.cmp(&b.path));
        result.left_out.stable_sort_by(|a, b| a.path.cmp(&b.path));
        result.doubts =
            result.files.iter().filter_map(|file| check::find_doubtful_line(&file.path, &file.text)).collect();
        Ok(result)
    };
    engine.read(context, body)
}

impl SharedFilesBuilder<'_> {
    fn add_patterns(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = String::new();
        loop {
            let page = exchange::list_page(tx, &after, PAGE_ENTRIES)?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(&last.id);
            for line in build_lines(tx, &page)? {
                self.add_pattern(&line)?;
            }
        }
    }

    fn add_pattern(&mut self, line: &PatternLine) -> Result<(), EngineError> {
        let category = line.category.as_deref().and_then(|category| category.parse().ok()).unwrap_or(Category::Unknown);
        let failure = self.build_failure(&line.known, category);
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
                self.add_file(&SharedFile::Fix(SharedFix {
                    version: FILE_VERSION,
                    id: outcome.id.clone().unwrap_or_default(),
                    by: self.by.clone(),
                    created_at: outcome.created_at.clone().unwrap_or_default(),
                    failure: SharedFailure { case_name: self.clean_text(&case_name), ..failure.clone() },
                    fix: self.clean_text(&solution.steps),
                    commit: None,
                }))?;
            }
        }
        self.add_decision(line, failure)
    }

    /// Adds the outcome if own runs proved or refuted a shared fix, no matter who wrote the fix.
    fn add_report_outcome(&mut self, outcome: &OutcomeLine) -> Result<(), EngineError> {
        let Some(id) = &outcome.id else { return Ok(()) };
        let used = self.uses.get(id).cloned();
        let is_shared = self.present.contains(format!("fixes/{id}.json").as_str());
        let Some(tried_id) = used.clone().or_else(|| is_shared.then(|| id.clone())) else { return Ok(()) };
        let has_failed = !outcome.worked || outcome.refuted_by.is_some();
        // The file of an own fix already states that it is proved. A claim alone is not shared.
        if !has_failed && (used.is_none() || outcome.proved_by.is_none()) {
            return Ok(());
        }
        self.add_file(&SharedFile::Outcome(SharedOutcome {
            version: FILE_VERSION,
            id: build_outcome_id(id, has_failed),
            by: self.by.clone(),
            created_at: outcome.created_at.clone().unwrap_or_default(),
            of: tried_id,
            worked: !has_failed,
            env_bucket: outcome.env_bucket.clone().unwrap_or_default(),
            notes: None,
        }))
    }

    fn add_decision(&mut self, line: &PatternLine, failure: SharedFailure) -> Result<(), EngineError> {
        let wrong = line.solutions.iter().filter(|solution| solution.wrong);
        let mut wrong: Vec<String> = wrong.map(|solution| self.clean_text(&solution.steps)).collect();
        wrong.sort_unstable();
        wrong.dedup();
        let person = line.person.as_ref();
        if person.is_none() && wrong.is_empty() {
            return Ok(());
        }
        let set = person.and_then(|person| person.solution.as_ref());
        let fix = line.solutions.iter().find(|solution| set.is_some() && solution.id.as_ref() == set);
        let mut decision = SharedDecision {
            version: FILE_VERSION,
            id: String::new(),
            by: None,
            created_at: person.map_or_else(|| line.first_seen_at.clone(), |person| person.edited_at.clone()),
            category: person.and_then(|person| person.category.as_deref()?.parse().ok()),
            description: person.and_then(|person| person.description.as_deref()).map(|text| self.clean_text(text)),
            fix: fix.map(|solution| self.clean_text(&solution.steps)),
            wrong,
            failure,
        };
        // The id depends on the content, so that a changed decision becomes a new file.
        let content = serde_json::to_string(&decision).map_err(|error| serialization_error(&error))?;
        decision.id = format!("dec-{}", &input_cleaning::steps_digest(&content)[..32]);
        decision.by.clone_from(&self.by);
        self.add_file(&SharedFile::Decision(decision))
    }

    fn add_sameness(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = String::new();
        loop {
            let page = merge_decisions::list_page(tx, &after, PAGE_ENTRIES)?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(&last.id);
            for MergeDecision { id, failure, other, is_same, said_at } in page {
                self.add_file(&SharedFile::Sameness(SharedSameness {
                    version: SAMENESS_VERSION,
                    id,
                    by: self.by.clone(),
                    created_at: format_iso(said_at),
                    failure: self.build_classified_failure(&convert_failure(failure)),
                    other: self.build_classified_failure(&convert_failure(other)),
                    same: is_same,
                }))?;
            }
        }
    }

    fn add_incidents(&mut self, tx: &mut Tx<'_>) -> Result<(), EngineError> {
        let mut after = None;
        loop {
            let page = incidents::list_page(tx, after.as_deref(), PAGE_ENTRIES)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            for incident in &page {
                let line = export::read_incident_line(tx, incident)?;
                self.add_incident(&incident.id, line)?;
            }
        }
    }

    fn add_incident(&mut self, id: &str, line: IncidentLine) -> Result<(), EngineError> {
        let created_at = line.created_at.unwrap_or_default();
        if !self.uses.contains_key(id) {
            self.add_file(&SharedFile::Incident(SharedIncident {
                version: FILE_VERSION,
                id: id.to_owned(),
                by: self.by.clone(),
                created_at: created_at.clone(),
                title: self.clean_text(&line.title),
                error_signature: line.error_signature.as_deref().map(|text| self.clean_text(text)),
                summary: line.summary.as_deref().map(|text| self.clean_text(text)),
                tags: line.tags.iter().map(|tag| self.clean_text(tag)).collect(),
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
            self.add_file(&SharedFile::Solution(SharedSolution {
                version: FILE_VERSION,
                id: id.clone(),
                by: self.by.clone(),
                created_at: line.created_at.unwrap_or_else(|| created_at.to_owned()),
                incident: incident.to_owned(),
                steps: self.clean_text(&line.steps),
                env_bucket: line.env_bucket.unwrap_or_default(),
            }))?;
        }
        for outcome in line.outcomes {
            self.add_file(&SharedFile::Outcome(SharedOutcome {
                version: FILE_VERSION,
                id: outcome.id.unwrap_or_default(),
                by: self.by.clone(),
                created_at: outcome.created_at.unwrap_or_else(|| created_at.to_owned()),
                of: id.clone(),
                worked: outcome.worked,
                env_bucket: outcome.env_bucket.unwrap_or_default(),
                notes: outcome.notes.as_deref().map(|text| self.clean_text(text)),
            }))?;
        }
        Ok(())
    }

    fn add_chosen_fix(
        &mut self,
        tx: &mut Tx<'_>,
        found: &FixEvidence,
        fix: &str,
        line: &FailureLine,
    ) -> Result<(), EngineError> {
        let failure = self.build_classified_failure(line);
        let passed_in = found.passed_in.as_deref().unwrap_or_default();
        let at = runs::find_by_id(tx, passed_in)?.map_or(0, |(_, run)| run.started_at);
        self.add_file(&SharedFile::Fix(SharedFix {
            version: FILE_VERSION,
            id: found.fix_id.clone(),
            by: self.by.clone(),
            created_at: format_iso(at),
            failure,
            fix: self.clean_text(fix),
            commit: found.commit.clone(),
        }))
    }

    fn build_classified_failure(&self, known: &FailureLine) -> SharedFailure {
        let analysis = self.engine.analyzer.analyze(known.sample.clone(), &known.case_name);
        self.build_failure(known, analysis.classification.category)
    }

    fn build_failure(&self, known: &FailureLine, category: Category) -> SharedFailure {
        let FailureEvent { text, exception_type, exit_code, signal, http_status, container_status, oom_killed, runner } =
            &known.sample;
        let clean = |text: &Option<String>| text.as_deref().map(|text| self.clean_text(text));
        SharedFailure {
            pattern: known.id.clone(),
            case_name: self.clean_text(&known.case_name),
            category,
            description: self.clean_text(&known.description),
            text: self.clean_text(&truncate_middle_to(text, MAX_TEXT_BYTES)),
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
    fn clean_text(&self, text: &str) -> String {
        let visible: String = text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect();
        let without = remove_machine_names(&self.engine.analyzer.redact_without_limit(&visible), self.machine);
        self.engine.analyzer.redact_without_limit(&without).into_string()
    }

    /// Adds a file unless it exists. A file that fails the check is reported instead.
    fn add_file(&mut self, file: &SharedFile) -> Result<(), EngineError> {
        let path = file.path();
        if self.present.contains(path.as_str()) {
            return Ok(());
        }
        let text = serialize_file(file)?;
        match check::parse_shared_file(self.engine, &path, &text) {
            Ok(_) => self.result.files.push(SharedFileContent { path, text }),
            Err(message) => {
                let shown = |text: &str| input_cleaning::clean_line(self.engine, text, 300);
                self.result.left_out.push(SharedFault { path: shown(&path), message: shown(&message) });
            }
        }
        Ok(())
    }
}

/// Returns the id of an outcome. The same report can first be proved and later be refuted, so the result is part of the
/// id.
fn build_outcome_id(report: &str, has_failed: bool) -> String {
    format!("out-{}", &input_cleaning::steps_digest(&format!("{report} {has_failed}"))[..32])
}

/// Serializes a file with one field per line, sorted by name, so that diffs stay small.
fn serialize_file(file: &SharedFile) -> Result<String, EngineError> {
    // `Value` sorts the fields.
    let value = serde_json::to_value(file).map_err(|error| serialization_error(&error))?;
    let text = serde_json::to_string_pretty(&value).map_err(|error| serialization_error(&error))?;
    Ok(format!("{text}\n"))
}

/// Returns the fixes that a person chose, each with its description.
fn find_chosen_fixes(
    engine: &Engine,
    context: &CallContext,
    chosen: &[ChosenFix],
) -> Result<Vec<(FixEvidence, String)>, EngineError> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let known = fixes::fixes(engine, context, &NoParams {})?.fixes;
    let find = |ChosenFix { fix_id, fix }: &ChosenFix| {
        let found = known.iter().find(|known| known.fix_id == *fix_id);
        let found = found.ok_or_else(|| {
            let id = input_cleaning::clean_line(engine, fix_id, 80);
            EngineError::invalid_input(format!("'{id}' is not a detected fix. argus fixes lists the ids."))
        })?;
        if found.commit.is_none() {
            return Err(EngineError::invalid_input(format!(
                "The fix '{fix_id}' is an edit that is not committed yet."
            )));
        }
        Ok((found.clone(), fix.clone()))
    };
    chosen.iter().map(find).collect()
}

/// Returns the failure that a detected fix fixed, from the last run with this failure.
fn find_failure_of_fix(engine: &Engine, tx: &mut Tx<'_>, found: &FixEvidence) -> Result<FailureLine, EngineError> {
    let (Some(run_id), Some(case_name)) = (&found.failed_in, found.case_names.first()) else {
        let message = format!("The runs of '{}' were deleted, so its failure is not known any more.", found.fix_id);
        return Err(EngineError::new(ErrorCode::RunNotFound, message));
    };
    let (_, case) = lookup::find_failed_case(tx, run_id, case_name)?;
    let event = lookup::rebuild_event(&case.failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let known = matching::find_match(engine, tx, &analysis, &case.name, None)?;
    let own = known.own_pattern.or(known.pattern).filter(|pattern| !pattern.is_builtin);
    let id = own.map_or_else(|| format!("pat-{}", &analysis.signatures.signature[..32]), |pattern| pattern.id);
    let description = case.failure.headline.clone();
    Ok(FailureLine { id, recipe: String::new(), case_name: case.name, description, sample: event })
}
