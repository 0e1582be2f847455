//! Imports patterns from another memory. Texts are redacted again. The sample is signed by the rules of this memory,
//! so that the failure is recognized here even if the other memory has another signature version.
//!
//! Counts are stored separately for each memory that counted. Importing a line again adds nothing, a newer line adds
//! the difference, and counts that this memory exported before are ignored. Values that a person set are imported only
//! for new patterns, because known patterns keep the values that were set here.

mod write;

pub(in crate::memory::exchange) use write::find_or_insert_row;

use super::{CountsLine, FailureLine, MAX_DAILY_COUNTS, OverridesLine, PatternLine};
use crate::{
    Engine, EngineError,
    answer::message_text,
    contract::{PatternsImportParams, PatternsImportResult, RefusedLine},
    failures::matching,
    memory::{
        exchange::import::{
            PreparedSolution, assign_outcome_ids, check_given_id, parse_time_or, prepare_solution,
            write::list_ids_of_solution,
        },
        input_cleaning,
    },
    runs::{case_name::clean_name, prepare_run::redact_texts},
};
use argus_core::{
    Analysis, CallContext, Category, FailureEvent,
    stable_sort::StableSort,
    summary::{MAX_HEADLINE_CHARS, Summary},
};
use argus_store::{
    Tx,
    patterns::{daily_counts::DailyCounts, exchange::ImportedCounts},
};
use std::collections::BTreeSet;

/// Maximum number of failures that were merged into a pattern.
const MAX_MERGED_FAILURES: usize = 200;
/// Maximum number of earlier signatures.
const MAX_SIGNATURES: usize = 500;
/// Maximum number of memories whose counts of a pattern are imported.
const MAX_COUNTS: usize = 500;
/// Maximum characters of a description that a person set.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// A checked and redacted line.
struct PreparedPattern {
    known: PreparedFailure,
    signatures: Vec<String>,
    first_seen_at: i64,
    last_seen_at: i64,
    counts: Vec<ImportedCounts>,
    days: Vec<DailyCounts>,
    person: Option<PreparedOverrides>,
    parts: Vec<PreparedFailure>,
    solutions: Vec<(PreparedSolution, PersonJudgment)>,
    /// Signatures and ids of the line. Lines with common names are not written in the same batch.
    names: BTreeSet<String>,
}

impl PreparedPattern {
    /// Returns the failure of the pattern, then the failures that were merged into it.
    fn all_failures(&self) -> impl Iterator<Item = &PreparedFailure> {
        std::iter::once(&self.known).chain(&self.parts)
    }
}

/// A failure that is signed by the rules of this memory.
pub(in crate::memory::exchange) struct PreparedFailure {
    id: String,
    /// The id of the failure if another failure of this memory already has `id`.
    id_by_content: String,
    case_name: String,
    description: String,
    sample: String,
    analysis: Analysis,
}

impl PreparedFailure {
    fn signature(&self) -> &str {
        &self.analysis.signatures.signature
    }
}

struct PreparedOverrides {
    category: Option<Category>,
    description: Option<String>,
    solution: Option<String>,
    edited_at: i64,
}

/// Judgment of a person on a solution.
#[derive(Clone, Copy)]
struct PersonJudgment {
    wrong: bool,
    by_person: bool,
}

/// Names of the memory that wrote the lines and of this memory.
pub(in crate::memory::exchange) struct MemoryNames {
    pub(in crate::memory::exchange) from: String,
    pub(in crate::memory::exchange) into: Option<String>,
}

/// Reads all lines, then writes them in one transaction.
pub fn import(
    engine: &Engine,
    context: &CallContext,
    params: &PatternsImportParams,
) -> Result<PatternsImportResult, EngineError> {
    let from = check_given_id(engine, Some(&params.from))?;
    let from =
        from.ok_or_else(|| EngineError::invalid_input("from is empty. Name the memory that wrote the lines."))?;
    let names_of_memories = MemoryNames { from, into: check_given_id(engine, params.into.as_deref())? };
    let lines = (1..).zip(params.lines.lines()).filter(|(_, line)| !line.trim().is_empty());
    import_lines(engine, context, lines.map(|(number, line)| (number, parse_line(line))), &names_of_memories)
}

/// Imports parsed lines with their line numbers.
pub(in crate::memory::exchange) fn import_lines(
    engine: &Engine,
    context: &CallContext,
    lines: impl Iterator<Item = (u32, Result<PatternLine, EngineError>)>,
    names_of_memories: &MemoryNames,
) -> Result<PatternsImportResult, EngineError> {
    let mut imported = PatternsImportResult::default();
    let mut prepared = Vec::new();
    for (number, line) in lines {
        match line.and_then(|line| prepare_pattern(engine, context, line, names_of_memories)) {
            Ok(pattern) => prepared.push((number, pattern)),
            Err(error) => {
                let message = error.redacted_by(&engine.analyzer).message;
                imported.refused.push(RefusedLine { line: number, message });
            }
        }
    }
    if prepared.is_empty() {
        return Ok(imported);
    }
    let body = |tx: &mut Tx<'_>| write::write_all(engine, context, tx, &prepared, imported);
    engine.write(context, body)
}

fn parse_line(line: &str) -> Result<PatternLine, EngineError> {
    let line: PatternLine = serde_json::from_str(line).map_err(|error| {
        EngineError::invalid_input(format!("not a pattern: {}", message_text::quote(&error.to_string())))
    })?;
    match line.r#type.as_str() {
        "pattern" => Ok(line),
        other => Err(EngineError::invalid_input(format!(
            "type is '{}', not 'pattern'",
            message_text::quote_beginning(other, 40)
        ))),
    }
}

fn prepare_pattern(
    engine: &Engine,
    context: &CallContext,
    line: PatternLine,
    names_of_memories: &MemoryNames,
) -> Result<PreparedPattern, EngineError> {
    let known = prepare_failure(engine, &line.known, &names_of_memories.from)?;
    let mut signed = BTreeSet::from([known.signature().to_owned()]);
    let mut parts = Vec::new();
    for part in line.parts.iter().take(MAX_MERGED_FAILURES) {
        let part = prepare_failure(engine, part, &names_of_memories.from)?;
        // Two failures of the other memory can have the same signature here.
        if signed.insert(part.signature().to_owned()) {
            parts.push(part);
        }
    }
    let first_seen_at = parse_time_or(Some(&line.first_seen_at), context.now_ms)?.min(context.now_ms);
    let last_seen_at = parse_time_or(Some(&line.last_seen_at), context.now_ms)?.clamp(first_seen_at, context.now_ms);
    let mut solutions = Vec::with_capacity(line.solutions.len());
    for solution in line.solutions {
        let judgement = PersonJudgment { wrong: solution.wrong, by_person: solution.by_person };
        let mut solution = prepare_solution(engine, solution, &known.id, context.now_ms)?;
        assign_outcome_ids(&mut solution);
        solutions.push((solution, judgement));
    }
    let mut counts = Vec::new();
    for line_counts in line.counts.iter().take(MAX_COUNTS) {
        counts.extend(prepare_counts(engine, line_counts, names_of_memories)?);
    }
    let person = line.person.map(|person| prepare_overrides(engine, context, person)).transpose()?;
    let is_signature = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let signatures = line.signatures.into_iter().filter(|text| is_signature(text) && !signed.contains(text));
    let signatures = signatures.take(MAX_SIGNATURES).collect();
    let days = clean_days(&line.days, context.now_ms);
    let names = BTreeSet::new();
    let mut line = PreparedPattern {
        known,
        signatures,
        first_seen_at,
        last_seen_at,
        counts,
        days,
        person,
        parts,
        solutions,
        names,
    };
    line.names = collect_names(&line);
    Ok(line)
}

fn collect_names(line: &PreparedPattern) -> BTreeSet<String> {
    let of_known = line.all_failures().flat_map(|known| [known.signature().to_owned(), known.id.clone()]);
    let of_solutions = line.solutions.iter().flat_map(|(solution, _)| list_ids_of_solution(solution));
    let of_counts = line.counts.iter().map(|counts| format!("{}\n{}", counts.memory, counts.pattern));
    of_known.chain(of_solutions.map(ToOwned::to_owned)).chain(of_counts).collect()
}

pub(in crate::memory::exchange) fn prepare_failure(
    engine: &Engine,
    line: &FailureLine,
    from: &str,
) -> Result<PreparedFailure, EngineError> {
    let id = check_given_id(engine, Some(&line.id))?.filter(|id| id.starts_with("pat-"));
    let id = id.ok_or_else(|| EngineError::invalid_input("id is not the id of a pattern, which begins with pat-"))?;
    let case_name = clean_name(engine, &line.case_name);
    let event = redact_event(engine, &line.sample)?;
    let analysis = engine.analyzer.analyze(event.clone(), &case_name);
    let description = input_cleaning::clean_line(engine, &line.description, MAX_HEADLINE_CHARS);
    let description = if description.is_empty() {
        matching::build_headline(&analysis, &Summary::read(&analysis.redacted), &event)
    } else {
        description
    };
    let sample = matching::build_sample_json(engine, &event, &case_name, &analysis)?;
    let digest = input_cleaning::steps_digest(&format!("{from}\n{id}\n{}", analysis.signatures.signature));
    let id_by_content = format!("pat-{}", &digest[..32]);
    Ok(PreparedFailure { id, id_by_content, case_name, description, sample, analysis })
}

/// Redacts every text of the event, in every field.
fn redact_event(engine: &Engine, event: &FailureEvent) -> Result<FailureEvent, EngineError> {
    let invalid = |error: serde_json::Error| EngineError::invalid_input(error.to_string());
    let mut value = serde_json::to_value(event).map_err(invalid)?;
    redact_texts(engine, &mut value);
    serde_json::from_value(value).map_err(invalid)
}

/// Checks imported counts. Returns `None` for counts that came from this memory, because its own counts include them.
fn prepare_counts(
    engine: &Engine,
    line: &CountsLine,
    MemoryNames { from, into }: &MemoryNames,
) -> Result<Option<ImportedCounts>, EngineError> {
    let memory = check_given_id(engine, line.memory.as_deref())?.unwrap_or_else(|| from.clone());
    if into.as_ref() == Some(&memory) {
        return Ok(None);
    }
    let Some(pattern) = check_given_id(engine, Some(&line.pattern))? else { return Ok(None) };
    let (occurrences, resolutions) = (line.occurrences, line.resolutions.min(line.occurrences));
    Ok(Some(ImportedCounts { memory, pattern, occurrences, resolutions }))
}

fn prepare_overrides(
    engine: &Engine,
    context: &CallContext,
    line: OverridesLine,
) -> Result<PreparedOverrides, EngineError> {
    let description = line.description.map(|text| input_cleaning::clean_line(engine, &text, MAX_DESCRIPTION_CHARS));
    Ok(PreparedOverrides {
        category: line.category.and_then(|category| category.parse().ok()),
        description: description.filter(|text| !text.is_empty()),
        solution: check_given_id(engine, line.solution.as_deref())?,
        edited_at: parse_time_or(Some(&line.edited_at), context.now_ms)?.min(context.now_ms),
    })
}

/// Returns the days in ascending order, without days in the future.
fn clean_days(lines: &[(i64, u32, u32)], now: i64) -> Vec<DailyCounts> {
    let today = now.div_euclid(argus_store::patterns::daily_counts::DAY_MS);
    let given = lines.iter().filter(|(day, ..)| (0..=today).contains(day)).map(|&(day, occurrences, resolutions)| {
        DailyCounts { day, occurrences, resolutions: resolutions.min(occurrences) }
    });
    let mut days: Vec<_> = given.collect();
    days.stable_sort_by_key(|counts| counts.day);
    days.dedup_by_key(|counts| counts.day);
    days.split_off(days.len().saturating_sub(MAX_DAILY_COUNTS as usize))
}
