//! Returns single entries by id and completes ids. `memory::finding::incident` does this for incidents.

use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{CompleteIdsParams, IdKind, IdParams, PatternDetail},
    failures::{fix_results, matching, report_fix::pattern_not_found_error},
    limits::MAX_COMPLETIONS,
    memory::finding::incident,
};
use argus_core::{CallContext, FailureEvent};
use argus_store::{Tx, incidents, patterns, runs, solutions};

/// Maximum number of fixes in the history of a pattern.
const MAX_FIXES: u32 = 100;

/// Returns a pattern with its fixes and the failure text from which it was learned.
pub fn pattern(
    engine: &Engine,
    context: &CallContext,
    IdParams { id }: &IdParams,
) -> Result<PatternDetail, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<PatternDetail, EngineError> {
        let Some(pattern) = patterns::find_by_id(tx, id)? else { return Err(pattern_not_found_error(id)) };
        let event = patterns::read_sample(tx, pattern.key)?;
        let event = event.and_then(|event| serde_json::from_str::<FailureEvent>(&event).ok());
        Ok(PatternDetail {
            fix_history: matching::load_fix_history(tx, &pattern, MAX_FIXES, usize::MAX)?,
            sample: event.map(|event| event.text).filter(|text| !text.is_empty()),
            pattern: row_conversion::convert_pattern(
                &pattern,
                fix_results::count_fix_results(tx, &pattern)?,
                engine.options.locale,
            ),
        })
    };
    engine.read(context, body)
}

/// Returns ids with this prefix, newest first, at most `MAX_COMPLETIONS`.
pub fn complete_ids(
    engine: &Engine,
    context: &CallContext,
    CompleteIdsParams { kind, prefix }: &CompleteIdsParams,
) -> Result<Vec<String>, EngineError> {
    match kind {
        IdKind::Run => {
            let body = |tx: &mut Tx<'_>| Ok(runs::list_ids_with_prefix(tx, prefix, MAX_COMPLETIONS)?);
            engine.read(context, body)
        }
        IdKind::Pattern => {
            let body = |tx: &mut Tx<'_>| Ok(patterns::list_ids_with_prefix(tx, prefix, MAX_COMPLETIONS)?);
            engine.read(context, body)
        }
        IdKind::Incident => incident::list_own_ids(engine, context, MAX_COMPLETIONS, |tx| {
            incidents::list_ids_with_prefix(tx, prefix, MAX_COMPLETIONS)
        }),
        IdKind::Solution => incident::list_own_ids(engine, context, MAX_COMPLETIONS, |tx| {
            solutions::list_ids_with_prefix(tx, prefix, MAX_COMPLETIONS)
        }),
    }
}
