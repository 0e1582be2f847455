//! Copies a database, so that the viewer can show it on another machine. The copy needs no redaction, because secrets
//! are redacted before they are stored.

use crate::{Engine, EngineError, contract::SnapshotParams};
use argus_core::CallContext;
use argus_store::Tx;

/// Writes the copy to a path that does not exist yet.
pub fn snapshot(engine: &Engine, context: &CallContext, params: &SnapshotParams) -> Result<(), EngineError> {
    // A read migrates a file of an older version first.
    engine.read(context, |_: &mut Tx<'_>| Ok(()))?;
    Ok(engine.database.snapshot(&params.path)?)
}
