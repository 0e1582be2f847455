//! What a database holds, and whether it can be written.

use crate::{
    Engine, EngineError, ErrorCode,
    contract::{NoParams, Overview, Recipe},
};
use argus_core::{Ambient, builtin::BUILTINS};
use argus_store::{Database, database::sqlite::probe, patterns, runs};

#[allow(clippy::cast_possible_truncation, reason = "six")]
const BUILTIN_COUNT: u32 = BUILTINS.len() as u32;

/// Two numbers for whoever opens the project.
pub async fn overview<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    _: &NoParams,
) -> Result<Overview, EngineError> {
    let body = async |tx: &mut D::Tx<'_>| -> Result<Overview, EngineError> {
        let learned: u32 = patterns::learned_counts(tx).await?.iter().map(|(_, count)| count).sum();
        let latest_run_id = runs::newest_ids(tx, 1).await?.into_iter().next();
        Ok(Overview { known_patterns: learned + BUILTIN_COUNT, latest_run_id })
    };
    engine.read(ambient, body).await
}

/// What signatures depend on beside the failure.
pub async fn recipe<D: Database>(engine: &Engine<D>, _: &Ambient, _: &NoParams) -> Result<Recipe, EngineError> {
    Ok(Recipe { recipe: engine.recipe.to_string() })
}

/// Writes a row to the disk, finds it again and deletes it.
pub async fn check_write<D: Database>(engine: &Engine<D>, ambient: &Ambient, _: &NoParams) -> Result<(), EngineError> {
    let id = ambient.id("probe");
    engine.write_unmarked(ambient, async |tx: &mut D::Tx<'_>| Ok(probe::set(tx, &id).await?)).await?;
    let arrived = engine.write_unmarked(ambient, async |tx: &mut D::Tx<'_>| Ok(probe::clear(tx, &id).await?)).await?;
    if arrived {
        return Ok(());
    }
    Err(EngineError::new(ErrorCode::DatabaseUnavailable, "A row that was written could not be read again."))
}
