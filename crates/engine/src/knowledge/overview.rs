//! Summarizes a database and checks whether it can be written.

use crate::{
    Engine, EngineError, ErrorCode,
    contract::{NoParams, Overview, SignatureVersionResult},
};
use argus_core::{CallContext, builtin::BUILTIN_PATTERNS};
use argus_store::{Tx, database::sqlite::probe, patterns, runs};

#[allow(clippy::cast_possible_truncation, reason = "six")]
const BUILTIN_COUNT: u32 = BUILTIN_PATTERNS.len() as u32;

/// Returns the number of patterns and the newest run.
pub fn overview(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<Overview, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<Overview, EngineError> {
        let learned: u32 = patterns::count_learned(tx)?.iter().map(|(_, count)| count).sum();
        let latest_run_id = runs::list_newest_ids(tx, 1)?.into_iter().next();
        Ok(Overview { known_patterns: learned + BUILTIN_COUNT, latest_run_id })
    };
    engine.read(context, body)
}

/// Returns the signature version, with a digest of the project's rules if it has any.
pub fn recipe(engine: &Engine, _: &CallContext, _: &NoParams) -> Result<SignatureVersionResult, EngineError> {
    Ok(SignatureVersionResult { recipe: engine.signature_version.to_string() })
}

/// Checks whether the database stores data, by writing a row, reading it and deleting it.
pub fn check_write(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<(), EngineError> {
    let id = context.create_id("probe");
    engine.write_unmarked(context, |tx: &mut Tx<'_>| Ok(probe::write_probe(tx, &id)?))?;
    let was_stored = engine.write_unmarked(context, |tx: &mut Tx<'_>| Ok(probe::delete_probe(tx, &id)?))?;
    if was_stored {
        return Ok(());
    }
    Err(EngineError::new(
        ErrorCode::DatabaseUnavailable,
        "A row was stored but cannot be read again. Run argus doctor.",
    ))
}
