//! A copy of everything that is known, for a page that is looked at elsewhere.
//! Secrets were replaced before they were stored, so nothing is held back.

use crate::{Engine, EngineError, contract::SnapshotParams};
use argus_core::Ambient;
use argus_store::Database;

/// Writes a database file of this version; the path must be free.
pub async fn snapshot<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    params: &SnapshotParams,
) -> Result<(), EngineError> {
    // Brings an older file to this version, as every read does.
    engine.read(ambient, async |_: &mut D::Tx<'_>| Ok(())).await?;
    Ok(engine.database.snapshot(&params.path).await?)
}
