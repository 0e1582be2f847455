//! Summarizes a database and checks whether it can be written.

use crate::{
    Engine, EngineError, ErrorCode,
    contract::{NoParams, Overview, Recipe},
};
use argus_core::{Ambient, builtin::BUILTINS};
use argus_store::{Tx, database::sqlite::probe, patterns, runs};

#[allow(clippy::cast_possible_truncation, reason = "six")]
const BUILTIN_COUNT: u32 = BUILTINS.len() as u32;

/// Returns the number of patterns and the newest run.
pub fn overview(engine: &Engine, ambient: &Ambient, _: &NoParams) -> Result<Overview, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<Overview, EngineError> {
        let learned: u32 = patterns::learned_counts(tx)?.iter().map(|(_, count)| count).sum();
        let latest_run_id = runs::newest_ids(tx, 1)?.into_iter().next();
        Ok(Overview { known_patterns: learned + BUILTIN_COUNT, latest_run_id })
    };
    engine.read(ambient, body)
}

/// Returns the signature version and the rules that signatures depend on.
pub fn recipe(engine: &Engine, _: &Ambient, _: &NoParams) -> Result<Recipe, EngineError> {
    Ok(Recipe { recipe: engine.recipe.to_string() })
}

/// Checks the disk by writing a row, reading it again and deleting it.
pub fn check_write(engine: &Engine, ambient: &Ambient, _: &NoParams) -> Result<(), EngineError> {
    let id = ambient.id("probe");
    engine.write_unmarked(ambient, |tx: &mut Tx<'_>| Ok(probe::set(tx, &id)?))?;
    let arrived = engine.write_unmarked(ambient, |tx: &mut Tx<'_>| Ok(probe::clear(tx, &id)?))?;
    if arrived {
        return Ok(());
    }
    Err(EngineError::new(ErrorCode::DatabaseUnavailable, "A row that was written could not be read again."))
}
