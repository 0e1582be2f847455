//! Reads and sets the id of a database file before it is opened for writing. The host knows which ids belong to the
//! user.

use crate::{
    ambient::made_now,
    convert::JavaScript,
    engine::{Answer, VFS, answered},
};
use argus_engine::{EngineError, calls::Codec};
use argus_store::database::sqlite::identity::{self, Identity};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// The answer of [`identify`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    is_empty: bool,
    id: Option<String>,
}

/// Returns `{ isEmpty, id }`. Writes nothing and takes no lock.
#[wasm_bindgen]
pub fn identify(path: &str) -> Answer {
    let said = identity::identify(path, Some(VFS)).map(|identity| match identity {
        Identity::Nothing => Said { is_empty: true, id: None },
        Identity::Unnamed => Said { is_empty: false, id: None },
        Identity::Named(id) => Said { is_empty: false, id: Some(id) },
    });
    answered(said.map_err(EngineError::from).and_then(|said| JavaScript::encode(&said)))
}

/// Gives a file this id and replaces any earlier id.
#[wasm_bindgen]
pub fn adopt(path: &str, id: &str) -> Answer {
    let adopted = identity::adopt(path, Some(VFS), id, made_now()).map_err(EngineError::from);
    answered(adopted.and_then(|()| JavaScript::encode(&())))
}
