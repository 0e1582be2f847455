//! Returns single entries by id and completes ids. `memory::finding::incident` does this for incidents.

use crate::{
    Engine, EngineError,
    answer::view,
    contract::{CompleteIdsParams, IdKind, IdParams, PatternDetail},
    failures::{matching, report_fix::unknown_pattern, trial},
    limits::MAX_COMPLETIONS,
    memory::finding::incident,
};
use argus_core::{Ambient, FailureEvent};
use argus_store::{Tx, patterns, runs};

/// Maximum number of fixes of a pattern.
const MAX_FIXES: u32 = 100;

/// Returns a pattern with its fixes and the text that it was learned from.
pub fn pattern(engine: &Engine, ambient: &Ambient, IdParams { id }: &IdParams) -> Result<PatternDetail, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<PatternDetail, EngineError> {
        let Some(pattern) = patterns::by_id(tx, id)? else { return Err(unknown_pattern(id)) };
        let event = patterns::sample(tx, pattern.key)?;
        let event = event.and_then(|event| serde_json::from_str::<FailureEvent>(&event).ok());
        Ok(PatternDetail {
            fix_history: matching::fix_history(tx, &pattern, MAX_FIXES, usize::MAX)?,
            sample: event.map(|event| event.text).filter(|text| !text.is_empty()),
            pattern: view::pattern(&pattern, trial::tried_fix(tx, &pattern)?, engine.options.locale),
        })
    };
    engine.read(ambient, body)
}

/// Returns ids with this prefix, newest first, at most `MAX_COMPLETIONS`.
pub fn complete_ids(
    engine: &Engine,
    ambient: &Ambient,
    CompleteIdsParams { kind, prefix }: &CompleteIdsParams,
) -> Result<Vec<String>, EngineError> {
    match kind {
        IdKind::Run => {
            let body = |tx: &mut Tx<'_>| Ok(runs::ids_with_prefix(tx, prefix, MAX_COMPLETIONS)?);
            engine.read(ambient, body)
        }
        IdKind::Pattern => {
            let body = |tx: &mut Tx<'_>| Ok(patterns::ids_with_prefix(tx, prefix, MAX_COMPLETIONS)?);
            engine.read(ambient, body)
        }
        IdKind::Incident => incident::ids_with_prefix(engine, ambient, prefix, MAX_COMPLETIONS),
    }
}
