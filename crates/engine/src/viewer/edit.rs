//! Edits that a person may make. Each edit is a transaction that learning never overwrites. Learned values are kept,
//! so that undoing an edit shows them again.

use crate::{
    Engine, EngineError, ErrorCode,
    answer::{text::quoted, view},
    contract::{
        Change, EditPatternParams, MarkFixParams, MarkFixResult, MergePatternsParams, SplitPatternParams,
        ViewPatternRow,
    },
    failures::report_fix::unknown_pattern,
    memory::input,
};
use argus_core::Ambient;
use argus_store::{
    Tx,
    patterns::{
        self, Pattern,
        edits::{self, PatternEdit, Suggestion},
        merging,
        sameness::{self, NewWord},
    },
    search::Owner,
    solutions::{self, NewSolution, Solution},
};

const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_FIX_BYTES: usize = 4 * 1024;

/// Sets values on a pattern, or resets them to the learned values.
pub fn edit_pattern(
    engine: &Engine,
    ambient: &Ambient,
    params: &EditPatternParams,
) -> Result<ViewPatternRow, EngineError> {
    let description = text_of(&params.description, "description", |text| {
        engine.analyzer.redact(text).line(MAX_DESCRIPTION_CHARS).into_string()
    })?;
    let fix = text_of(&params.suggested_fix, "suggestedFix", |text| {
        engine.analyzer.redact(text).trimmed().bounded_to(MAX_FIX_BYTES).into_string()
    })?;
    let digest = if let Change::Set(fix) = &fix { input::digest(fix) } else { String::new() };
    let id = ambient.id("sol");
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternRow, EngineError> {
        let pattern = find(tx, &params.id)?;
        if pattern.is_builtin && params.category != Change::Keep {
            return Err(EngineError::invalid(
                "The category of a built-in pattern is what it stands for; description and suggestedFix can be set.",
            ));
        }
        let written = |steps| NewSolution {
            id: &id,
            owner: Owner::Pattern(pattern.key),
            steps,
            digest: &digest,
            env: None,
            env_bucket: "",
            recorder: engine.recorder_as("person"),
            now: ambient.now,
        };
        let description = description.clone().over(pattern.overrides.description.clone());
        let edit = PatternEdit {
            category: params.category.clone().over(pattern.overrides.category),
            description: description.as_deref(),
            fix: match &fix {
                Change::Keep => Suggestion::Kept,
                Change::Learned => Suggestion::Learned,
                Change::Set(steps) => Suggestion::Written(written(steps)),
            },
        };
        edits::edit(tx, &pattern, &edit, ambient.now)?;
        shown(engine, tx, &pattern.id)
    };
    engine.write(ambient, body)
}

/// Merges a learned pattern into another.
pub fn merge_patterns(
    engine: &Engine,
    ambient: &Ambient,
    params: &MergePatternsParams,
) -> Result<ViewPatternRow, EngineError> {
    let word = NewWord { id: &ambient.id("dec"), is_same: true, now: ambient.now };
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternRow, EngineError> {
        let (from, into) = (find(tx, &params.from)?, find(tx, &params.into)?);
        if from.is_builtin || into.is_builtin {
            return Err(EngineError::invalid(
                "A built-in pattern stands for its category and cannot be merged; merge two learned ones.",
            ));
        }
        if from.key == into.key {
            let message = format!("'{}' and '{}' are one pattern already.", quoted(&params.from), quoted(&params.into));
            return Err(EngineError::invalid(message));
        }
        merging::merge(tx, &from, &into, ambient.now)?;
        sameness::say(tx, from.key, into.key, word)?;
        shown(engine, tx, &into.id)
    };
    engine.write(ambient, body)
}

/// Splits a merged pattern off again.
pub fn split_pattern(
    engine: &Engine,
    ambient: &Ambient,
    params: &SplitPatternParams,
) -> Result<ViewPatternRow, EngineError> {
    let word = NewWord { id: &ambient.id("dec"), is_same: false, now: ambient.now };
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternRow, EngineError> {
        let whole = find(tx, &params.pattern)?;
        let parts = patterns::merged_into(tx, whole.key)?;
        let Some(part) = parts.iter().find(|part| part.id == params.part.trim() && part.key != whole.key) else {
            let message = format!("'{}' is no part of '{}'.", quoted(&params.part), quoted(&params.pattern));
            return Err(EngineError::invalid(format!("{message} viewPattern lists the parts under merged.")));
        };
        merging::split_off(tx, part, &whole, ambient.now)?;
        sameness::say(tx, part.key, whole.key, word)?;
        shown(engine, tx, &part.id)
    };
    engine.write(ambient, body)
}

/// Marks a fix as wrong, or removes that mark.
pub fn mark_fix(engine: &Engine, ambient: &Ambient, params: &MarkFixParams) -> Result<MarkFixResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<MarkFixResult, EngineError> {
        let solution = solution_to_mark(tx, params)?;
        if solution.is_wrong != params.wrong {
            edits::mark_wrong(tx, &solution, params.wrong, ambient.now)?;
        }
        let pattern = match solution.owner {
            Owner::Pattern(key) => patterns::get(tx, key)?,
            Owner::Incident(_) => None,
        };
        Ok(MarkFixResult {
            solution_id: solution.id,
            wrong: params.wrong,
            pattern: pattern.map(|pattern| view::row(&pattern, engine.options.locale)),
        })
    };
    engine.write(ambient, body)
}

fn solution_to_mark(tx: &mut Tx<'_>, params: &MarkFixParams) -> Result<Solution, EngineError> {
    let (found, what, id) = match (&params.fix_id, &params.solution_id) {
        (Some(id), None) => (edits::solution_of(tx, id.trim())?, "Fix", id),
        (None, Some(id)) => (solutions::by_id(tx, id.trim())?, "Solution", id),
        _ => return Err(EngineError::invalid("Give one of fixId and solutionId.")),
    };
    found.ok_or_else(|| {
        let message = format!("{what} '{}' not found. viewPattern lists fixes and solutions.", quoted(id));
        EngineError::new(ErrorCode::SolutionNotFound, message)
    })
}

fn find(tx: &mut Tx<'_>, id: &str) -> Result<Pattern, EngineError> {
    patterns::by_id(tx, id.trim())?.ok_or_else(|| unknown_pattern(id))
}

fn shown(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<ViewPatternRow, EngineError> {
    Ok(view::row(&find(tx, id)?, engine.options.locale))
}

/// Cleans the text of a change. Returns an error if it is empty.
fn text_of(
    change: &Change<String>,
    field: &str,
    clean: impl Fn(&str) -> String,
) -> Result<Change<String>, EngineError> {
    let Change::Set(text) = change else { return Ok(change.clone()) };
    let kept = clean(text);
    if kept.trim().is_empty() {
        return Err(EngineError::invalid(format!("{field} is empty; null goes back to what was learned.")));
    }
    Ok(Change::Set(kept))
}
