//! Copies a database, so that the viewer can show it elsewhere. The copy is complete, because secrets are redacted
//! before they are stored.

use crate::{Engine, EngineError, contract::SnapshotParams};
use argus_core::Ambient;
use argus_store::Tx;

/// Writes the copy to a path that does not exist yet.
pub fn snapshot(engine: &Engine, ambient: &Ambient, params: &SnapshotParams) -> Result<(), EngineError> {
    // Each read migrates an older file to this version.
    engine.read(ambient, |_: &mut Tx<'_>| Ok(()))?;
    Ok(engine.database.snapshot(&params.path)?)
}
