//! A copy of everything that is known, for a page that is looked at elsewhere.
//! Secrets were replaced before they were stored, so nothing is held back.

use crate::{Engine, EngineError, contract::SnapshotParams};
use argus_core::Ambient;
use argus_store::Tx;

/// Writes a database file of this version; the path must be free.
pub fn snapshot(engine: &Engine, ambient: &Ambient, params: &SnapshotParams) -> Result<(), EngineError> {
    // Brings an older file to this version, as every read does.
    engine.read(ambient, |_: &mut Tx<'_>| Ok(()))?;
    Ok(engine.database.snapshot(&params.path)?)
}
