//! Reads and sets the id of a database file before it is opened for writing. The host knows which ids belong to the
//! user.

use crate::{
    call_context::current_time_in_range,
    convert::JavaScriptCodec,
    engine::{Answer, VFS_NAME, convert_outcome},
};
use argus_engine::{EngineError, calls::Codec};
use argus_store::database::sqlite::identity::{self, Identity};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// The answer of [`identify`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IdentityAnswer {
    is_empty: bool,
    id: Option<String>,
}

/// Returns `{ isEmpty, id }`. Writes nothing and takes no lock.
#[wasm_bindgen]
pub fn identify(path: &str) -> Answer {
    let answer = identity::identify(path, Some(VFS_NAME)).map(|identity| match identity {
        Identity::Nothing => IdentityAnswer { is_empty: true, id: None },
        Identity::WithoutId => IdentityAnswer { is_empty: false, id: None },
        Identity::WithId(id) => IdentityAnswer { is_empty: false, id: Some(id) },
    });
    convert_outcome(answer.map_err(EngineError::from).and_then(|answer| JavaScriptCodec::encode(&answer)))
}

/// Gives a file this id and replaces any earlier id.
#[wasm_bindgen]
pub fn adopt(path: &str, id: &str) -> Answer {
    let adopted = identity::adopt(path, Some(VFS_NAME), id, current_time_in_range()).map_err(EngineError::from);
    convert_outcome(adopted.and_then(|()| JavaScriptCodec::encode(&())))
}
