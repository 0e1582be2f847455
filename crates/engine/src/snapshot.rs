//! A copy of everything that is known, for a page that is looked at elsewhere.
//! Does not: hold anything back; secrets were replaced before they were stored.

use crate::{Engine, EngineError};
use argus_core::Ambient;
use argus_store::{Database, Sqlite};

/// Writes a database file of this version; the path must be free.
pub async fn snapshot(engine: &Engine<Sqlite>, ambient: &Ambient, path: &str) -> Result<(), EngineError> {
    // Brings an older file to this version, as every read does.
    engine.read(ambient, async |_: &mut <Sqlite as Database>::Tx<'_>| Ok(())).await?;
    Ok(engine.database.snapshot(path).await?)
}
