//! Imports incidents from JSON lines, all lines of a call in one transaction. Importing does not check for duplicates.
//! Invalid lines are listed in the result and skipped.
//!
//! An entry without an id gets an id that is computed from its content, so that importing the same file twice changes
//! nothing. If the memory already has the id of a solution with other steps, the solution gets a new id, because the
//! outcomes of the known steps say nothing about the new steps.

pub(super) mod write;

use crate::{
    Engine, EngineError,
    answer::message_text,
    contract::{MemoryImportParams, MemoryImportResult, RefusedLine},
    memory::{environment::resolve_environment, input_cleaning},
};
use argus_core::{CallContext, display, sign::sha256_hex};
use argus_store::Tx;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

const MAX_ID_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 2000;

/// An incident as a line of a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in crate::memory) struct IncidentLine {
    #[serde(default)]
    pub(in crate::memory) r#type: Option<String>,
    #[serde(default)]
    pub(in crate::memory) id: Option<String>,
    pub(in crate::memory) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) error_signature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) summary: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::memory) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) created_at: Option<String>,
    #[serde(default)]
    pub(in crate::memory) solutions: Vec<SolutionLine>,
}

/// A solution of an incident or a pattern.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in crate::memory) struct SolutionLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) id: Option<String>,
    pub(in crate::memory) steps: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) env: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) env_bucket: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) created_at: Option<String>,
    /// Set if a person marked the solution as wrong. Only for solutions of patterns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::memory) wrong: bool,
    /// Set if a person wrote the solution. Only for solutions of patterns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::memory) by_person: bool,
    /// The author if it is not the importing user. The author is never read from a line, because a line could claim any
    /// author.
    #[serde(skip)]
    pub(in crate::memory) recorded_by: Option<String>,
    #[serde(default)]
    pub(in crate::memory) outcomes: Vec<OutcomeLine>,
}

/// The outcome of trying a solution.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in crate::memory) struct OutcomeLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) id: Option<String>,
    pub(in crate::memory) worked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) env: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) env_bucket: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) lookup_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) case_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) created_at: Option<String>,
    /// The later run in which the case passed. Only for solutions of patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) proved_by: Option<String>,
    /// The run or report that refuted a success. Only for solutions of patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::memory) refuted_by: Option<String>,
}

/// An incident from an input line, validated and redacted.
struct PreparedIncident {
    id: String,
    title: String,
    error_signature: Option<String>,
    summary: Option<String>,
    tags: Vec<String>,
    created_at: i64,
    solutions: Vec<PreparedSolution>,
}

pub(super) struct PreparedSolution {
    pub(super) id: String,
    /// The id of the solution if the memory already has `id` with other steps.
    pub(super) id_by_content: String,
    pub(super) steps: String,
    pub(super) digest: String,
    pub(super) env: Option<String>,
    pub(super) env_bucket: String,
    pub(super) created_at: i64,
    pub(super) recorded_by: Option<String>,
    pub(super) outcomes: Vec<PreparedOutcome>,
}

pub(super) struct PreparedOutcome {
    pub(super) id: String,
    pub(super) worked: bool,
    pub(super) env: Option<String>,
    pub(super) env_bucket: String,
    pub(super) notes: Option<String>,
    pub(super) lookup_id: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) case_name: Option<String>,
    pub(super) created_at: i64,
    pub(super) proved_by: Option<String>,
    pub(super) refuted_by: Option<String>,
}

/// Reads all lines, then writes them in one transaction.
pub fn import(
    engine: &Engine,
    context: &CallContext,
    MemoryImportParams { lines }: &MemoryImportParams,
) -> Result<MemoryImportResult, EngineError> {
    let lines = (1..).zip(lines.lines()).filter(|(_, line)| !line.trim().is_empty());
    import_lines(engine, context, lines.map(|(number, line)| (number, parse_line(line))))
}

/// Imports parsed lines with their line numbers.
pub(super) fn import_lines(
    engine: &Engine,
    context: &CallContext,
    lines: impl Iterator<Item = (u32, Result<IncidentLine, EngineError>)>,
) -> Result<MemoryImportResult, EngineError> {
    let mut imported = MemoryImportResult::default();
    let mut prepared = Vec::new();
    for (number, line) in lines {
        match line.and_then(|line| prepare_incident(engine, context, line)) {
            Ok(incident) => prepared.push((number, incident)),
            Err(error) => {
                let message = error.redacted_by(&engine.analyzer).message;
                imported.refused.push(RefusedLine { line: number, message });
            }
        }
    }
    if prepared.is_empty() {
        return Ok(imported);
    }
    let body = |tx: &mut Tx<'_>| write::write_all(engine, tx, &prepared, imported);
    engine.write(context, body)
}

/// Imports an incident in the transaction of another call.
pub(in crate::memory) fn import_one(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    line: IncidentLine,
) -> Result<(), EngineError> {
    let prepared = prepare_incident(engine, context, line)?;
    write::write_all(engine, tx, &[(1, prepared)], MemoryImportResult::default())?;
    Ok(())
}

fn parse_line(line: &str) -> Result<IncidentLine, EngineError> {
    let line: IncidentLine = serde_json::from_str(line).map_err(|error| {
        EngineError::invalid_input(format!("not an incident: {}", message_text::quote(&error.to_string())))
    })?;
    match line.r#type.as_deref() {
        None | Some("incident") => Ok(line),
        Some(other) => Err(EngineError::invalid_input(format!(
            "type is '{}', not 'incident'",
            message_text::quote_beginning(other, 40)
        ))),
    }
}

fn prepare_incident(
    engine: &Engine,
    context: &CallContext,
    line: IncidentLine,
) -> Result<PreparedIncident, EngineError> {
    let title = input_cleaning::clean_title(engine, &line.title)?;
    let error_signature = input_cleaning::clean_optional_text(engine, line.error_signature.as_deref());
    let summary = input_cleaning::clean_optional_text(engine, line.summary.as_deref());
    let id = given_or_content_id("inc", "", check_given_id(engine, line.id.as_deref())?, || {
        format!("{title}\n{error_signature:?}\n{summary:?}")
    });
    let created_at = parse_time_or(line.created_at.as_deref(), context.now_ms)?;
    let mut solutions: Vec<PreparedSolution> = Vec::with_capacity(line.solutions.len());
    for solution in line.solutions {
        let solution = prepare_solution(engine, solution, &id, created_at)?;
        // If steps are repeated, they become a single solution with all outcomes.
        match solutions.iter_mut().find(|known| known.id == solution.id) {
            Some(known) => known.outcomes.extend(solution.outcomes),
            None => solutions.push(solution),
        }
    }
    for solution in &mut solutions {
        assign_outcome_ids(solution);
    }
    let tags = input_cleaning::clean_imported_tags(engine, &line.tags);
    Ok(PreparedIncident { id, title, error_signature, summary, tags, created_at, solutions })
}

pub(super) fn prepare_solution(
    engine: &Engine,
    line: SolutionLine,
    incident: &str,
    created_at: i64,
) -> Result<PreparedSolution, EngineError> {
    let steps = input_cleaning::clean_steps(engine, &line.steps)?;
    let (env, env_bucket) = resolve_for_storing(engine, line.env, line.env_bucket.as_deref())?;
    let digest = input_cleaning::steps_digest(&steps);
    let id_by_content = given_or_content_id("sol", incident, None, || format!("{digest}\n{env_bucket}"));
    let id = check_given_id(engine, line.id.as_deref())?.unwrap_or_else(|| id_by_content.clone());
    let created_at = parse_time_or(line.created_at.as_deref(), created_at)?;
    let recorded_by = line.recorded_by;
    let mut outcomes = Vec::with_capacity(line.outcomes.len());
    for outcome in line.outcomes {
        outcomes.push(prepare_outcome(engine, outcome, created_at)?);
    }
    Ok(PreparedSolution { id, id_by_content, steps, digest, env, env_bucket, created_at, recorded_by, outcomes })
}

fn prepare_outcome(engine: &Engine, line: OutcomeLine, created_at: i64) -> Result<PreparedOutcome, EngineError> {
    let (env, env_bucket) = resolve_for_storing(engine, line.env, line.env_bucket.as_deref())?;
    Ok(PreparedOutcome {
        id: check_given_id(engine, line.id.as_deref())?.unwrap_or_default(),
        worked: line.worked,
        env,
        env_bucket,
        notes: input_cleaning::clean_imported_notes(engine, line.notes.as_deref()),
        lookup_id: check_given_id(engine, line.lookup_id.as_deref())?,
        run_id: check_given_id(engine, line.run_id.as_deref())?,
        case_name: line.case_name.map(|name| input_cleaning::clean_line(engine, &name, MAX_NAME_CHARS)),
        created_at: parse_time_or(line.created_at.as_deref(), created_at)?,
        proved_by: check_given_id(engine, line.proved_by.as_deref())?,
        refuted_by: check_given_id(engine, line.refuted_by.as_deref())?,
    })
}

/// Assigns ids to outcomes without an id, from their position.
pub(super) fn assign_outcome_ids(solution: &mut PreparedSolution) {
    for (number, outcome) in solution.outcomes.iter_mut().enumerate() {
        if outcome.id.is_empty() {
            let content = || format!("{number}\n{}\n{}", outcome.worked, outcome.env_bucket);
            outcome.id = given_or_content_id("out", &solution.id, None, content);
        }
    }
}

/// Returns an environment as JSON for storing, and its bucket.
fn resolve_for_storing(
    engine: &Engine,
    env: Option<Value>,
    bucket: Option<&str>,
) -> Result<(Option<String>, String), EngineError> {
    let env = env.filter(|env| !env.is_null()).unwrap_or_else(|| Value::Object(Map::new()));
    let environment = resolve_environment(engine, &env, bucket, None)?;
    Ok((environment.json, environment.bucket))
}

/// Checks and returns the given id, if any. An id that redaction or shortening would change is rejected, because the
/// changed id could belong to another entry.
pub(super) fn check_given_id(engine: &Engine, id: Option<&str>) -> Result<Option<String>, EngineError> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(None) };
    let kept = input_cleaning::clean_line(engine, id, MAX_ID_CHARS);
    if kept == id {
        return Ok(Some(kept));
    }
    Err(EngineError::invalid_input(format!(
        "'{}' is not a valid id: use one line of at most {MAX_ID_CHARS} visible characters, without secrets",
        display::truncate_chars(&kept, 80)
    )))
}

/// Returns the given id, or an id that is computed from the content. A computed id starts like the id of its owner, so
/// that neighbors in a file are neighbors in the index. Random ids made a large import several times slower.
fn given_or_content_id(prefix: &str, owner: &str, given: Option<String>, content: impl FnOnce() -> String) -> String {
    given.unwrap_or_else(|| {
        let digest = sha256_hex(&content());
        match owner.split_once('-').map_or(owner, |(_, rest)| rest) {
            "" => format!("{prefix}-{}", &digest[..32]),
            owner => format!("{prefix}-{owner}-{}", &digest[..12]),
        }
    })
}

pub(super) fn parse_time_or(given: Option<&str>, default_ms: i64) -> Result<i64, EngineError> {
    let Some(given) = given else { return Ok(default_ms) };
    let moment = OffsetDateTime::parse(given, &Rfc3339).map_err(|_| {
        EngineError::invalid_input(format!(
            "created_at '{}' is not an ISO 8601 time with a time zone",
            message_text::quote_beginning(given, 40)
        ))
    })?;
    let millis = i64::try_from(moment.unix_timestamp_nanos() / 1_000_000);
    millis.map(CallContext::clamp_to_range).map_err(|_| EngineError::invalid_input("created_at is out of range"))
}
