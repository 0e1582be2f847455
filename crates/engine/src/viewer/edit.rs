//! Edits that a person may make. Learning never overwrites the edited values. The learned values are kept, so that
//! undoing an edit shows them again.

use crate::{
    Engine, EngineError, ErrorCode,
    answer::{message_text::quote, row_conversion},
    contract::{
        Change, EditPatternParams, MarkFixParams, MarkFixResult, MergePatternsParams, PatternTableRow,
        SplitPatternParams,
    },
    failures::report_fix::pattern_not_found_error,
    memory::input_cleaning,
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    patterns::{
        self, Pattern,
        edits::{self, FixEdit, PatternEdit},
        merge_decisions::{self, NewMergeDecision},
        merging,
    },
    search::DocumentOwner,
    solutions::{self, NewSolution, Solution},
};

const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_FIX_BYTES: usize = 4 * 1024;

/// Sets values on a pattern, or resets them to the learned values.
pub fn edit_pattern(
    engine: &Engine,
    context: &CallContext,
    params: &EditPatternParams,
) -> Result<PatternTableRow, EngineError> {
    let description = clean_change(&params.description, "description", |text| {
        engine.analyzer.redact(text).to_single_line(MAX_DESCRIPTION_CHARS).into_string()
    })?;
    let fix = clean_change(&params.suggested_fix, "suggestedFix", |text| {
        engine.analyzer.redact(text).trimmed().bounded_to(MAX_FIX_BYTES).into_string()
    })?;
    let digest = if let Change::Set(fix) = &fix { input_cleaning::steps_digest(fix) } else { String::new() };
    let id = context.create_id("sol");
    let body = |tx: &mut Tx<'_>| -> Result<PatternTableRow, EngineError> {
        let pattern = find_pattern(tx, &params.id)?;
        if pattern.is_builtin && params.category != Change::Keep {
            return Err(EngineError::invalid_input(
                "The category of a built-in pattern cannot be changed; only description and suggestedFix can be set.",
            ));
        }
        let new_solution = |steps| NewSolution {
            id: &id,
            owner: DocumentOwner::Pattern(pattern.key),
            steps,
            digest: &digest,
            env: None,
            env_bucket: "",
            recorder: engine.recorder_as("person"),
            now: context.now_ms,
        };
        let description = description.clone().apply_to_override(pattern.overrides.description.clone());
        let edit = PatternEdit {
            category: params.category.clone().apply_to_override(pattern.overrides.category),
            description: description.as_deref(),
            fix: match &fix {
                Change::Keep => FixEdit::Keep,
                Change::Learned => FixEdit::UseLearned,
                Change::Set(steps) => FixEdit::Write(new_solution(steps)),
            },
        };
        edits::edit_pattern(tx, &pattern, &edit, context.now_ms)?;
        read_row(engine, tx, &pattern.id)
    };
    engine.write(context, body)
}

/// Merges a learned pattern into another.
pub fn merge_patterns(
    engine: &Engine,
    context: &CallContext,
    params: &MergePatternsParams,
) -> Result<PatternTableRow, EngineError> {
    let decision = NewMergeDecision { id: &context.create_id("dec"), is_same: true, now: context.now_ms };
    let body = |tx: &mut Tx<'_>| -> Result<PatternTableRow, EngineError> {
        let (from, into) = (find_pattern(tx, &params.from)?, find_pattern(tx, &params.into)?);
        if from.is_builtin || into.is_builtin {
            return Err(EngineError::invalid_input("Built-in patterns cannot be merged. Merge two learned patterns."));
        }
        if from.key == into.key {
            let message =
                format!("'{}' and '{}' are already the same pattern.", quote(&params.from), quote(&params.into));
            return Err(EngineError::invalid_input(message));
        }
        merging::merge(tx, &from, &into, context.now_ms)?;
        merge_decisions::record_merge_decision(tx, from.key, into.key, decision)?;
        read_row(engine, tx, &into.id)
    };
    engine.write(context, body)
}

/// Separates a merged pattern from the pattern into which it was merged.
pub fn split_pattern(
    engine: &Engine,
    context: &CallContext,
    params: &SplitPatternParams,
) -> Result<PatternTableRow, EngineError> {
    let decision = NewMergeDecision { id: &context.create_id("dec"), is_same: false, now: context.now_ms };
    let body = |tx: &mut Tx<'_>| -> Result<PatternTableRow, EngineError> {
        let whole = find_pattern(tx, &params.pattern)?;
        let parts = patterns::list_merged(tx, whole.key)?;
        let Some(part) = parts.iter().find(|part| part.id == params.part.trim() && part.key != whole.key) else {
            let message = format!("'{}' is not a part of '{}'.", quote(&params.part), quote(&params.pattern));
            return Err(EngineError::invalid_input(format!("{message} viewPattern lists the parts under merged.")));
        };
        merging::undo_merge(tx, part, &whole, context.now_ms)?;
        merge_decisions::record_merge_decision(tx, part.key, whole.key, decision)?;
        read_row(engine, tx, &part.id)
    };
    engine.write(context, body)
}

/// Marks a fix as wrong, or removes that mark.
pub fn mark_fix(engine: &Engine, context: &CallContext, params: &MarkFixParams) -> Result<MarkFixResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<MarkFixResult, EngineError> {
        let solution = find_solution_to_mark(tx, params)?;
        if solution.is_wrong != params.wrong {
            edits::set_wrong_mark(tx, &solution, params.wrong, context.now_ms)?;
        }
        let pattern = match solution.owner {
            DocumentOwner::Pattern(key) => patterns::get(tx, key)?,
            DocumentOwner::Incident(_) => None,
        };
        Ok(MarkFixResult {
            solution_id: solution.id,
            wrong: params.wrong,
            pattern: pattern.map(|pattern| row_conversion::convert_pattern_to_row(&pattern, engine.options.locale)),
        })
    };
    engine.write(context, body)
}

fn find_solution_to_mark(tx: &mut Tx<'_>, params: &MarkFixParams) -> Result<Solution, EngineError> {
    let (found, what, id) = match (&params.fix_id, &params.solution_id) {
        (Some(id), None) => (edits::find_solution_of_outcome(tx, id.trim())?, "Fix", id),
        (None, Some(id)) => (solutions::find_by_id(tx, id.trim())?, "Solution", id),
        _ => return Err(EngineError::invalid_input("Pass either fixId or solutionId.")),
    };
    found.ok_or_else(|| {
        let message = format!("{what} '{}' not found. viewPattern lists fixes and solutions.", quote(id));
        EngineError::new(ErrorCode::SolutionNotFound, message)
    })
}

fn find_pattern(tx: &mut Tx<'_>, id: &str) -> Result<Pattern, EngineError> {
    patterns::find_by_id(tx, id.trim())?.ok_or_else(|| pattern_not_found_error(id))
}

fn read_row(engine: &Engine, tx: &mut Tx<'_>, id: &str) -> Result<PatternTableRow, EngineError> {
    Ok(row_conversion::convert_pattern_to_row(&find_pattern(tx, id)?, engine.options.locale))
}

/// Cleans the text of a change. Returns an error if the text is empty.
fn clean_change(
    change: &Change<String>,
    field: &str,
    clean: impl Fn(&str) -> String,
) -> Result<Change<String>, EngineError> {
    let Change::Set(text) = change else { return Ok(change.clone()) };
    let kept = clean(text);
    if kept.trim().is_empty() {
        return Err(EngineError::invalid_input(format!("{field} is empty; null restores the learned value.")));
    }
    Ok(Change::Set(kept))
}
