//! The engine with a database. Calls are made by name.

use crate::{
    HOST,
    call_context::{create_context_for, current_time_in_range},
    convert::{JavaScriptCodec, convert_error, create_thrown_error, decode},
    files::HostFiles,
};
use argus_engine::{Engine, EngineError, ErrorCode, calls, contract::EngineOptions};
use argus_store::{Database, FileAccess, Sqlite, StoreError};
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Name of the VFS that gives SQLite access to the host's files.
pub(crate) const VFS_NAME: &str = "argus";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DatabaseOptions {
    database_path: String,
    #[serde(default)]
    secondary_path: Option<String>,
    /// Id that the secondary file must have, if any.
    #[serde(default)]
    secondary_memory_id: Option<String>,
    /// Path of a copy of a foreign database.
    #[serde(default)]
    foreign_path: Option<String>,
    /// Path of the database with the imported files that the repository shares.
    #[serde(default)]
    shared_path: Option<String>,
    /// Id of the file. With `create`, a new file gets this id immediately.
    #[serde(default)]
    memory_id: Option<String>,
    #[serde(default)]
    create: bool,
    read_only: bool,
    /// True if the reports come from another machine, so that paths in calls do not refer to this machine.
    #[serde(default)]
    without_files: bool,
}

/// The memory of a project.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmEngine {
    engine: Engine,
}

pub(crate) type Answer = Result<JsValue, JsValue>;

#[wasm_bindgen]
impl WasmEngine {
    /// `options` is `argus_engine::contract::EngineOptions` plus the fields of `DatabaseOptions`, for example
    /// `{ databasePath, readOnly }`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let location: DatabaseOptions = decode(options.clone())?;
        let options: EngineOptions = decode(options)?;
        clear_host_failure();
        let mode = if location.read_only { FileAccess::ReadOnly } else { FileAccess::ReadWrite };
        let vfs = (location.database_path != ":memory:").then_some(VFS_NAME);
        let opened = Sqlite::open_with_id(&location.database_path, vfs, mode, location.memory_id.as_deref());
        let opened = opened.and_then(|database| {
            if location.create {
                database.create(current_time_in_range())?;
            }
            Ok(database)
        });
        let engine = to_engine_database(opened).and_then(|database| Engine::new(database, options));
        let with_files = |engine: Engine| {
            if location.without_files { Ok(engine) } else { Ok(engine.with_reports(get_host_files()?)) }
        };
        let engine = engine.and_then(with_files);
        let mut engine = engine.map_err(|error| convert_error_with_host_message(&error))?;
        if let Some(secondary) = location.secondary_path.filter(|path| *path != location.database_path) {
            let id = location.secondary_memory_id.as_deref();
            engine =
                engine.with_secondary(to_engine_database(Sqlite::open_with_id(&secondary, Some(VFS_NAME), mode, id)));
        }
        if let Some(foreign) = location.foreign_path {
            engine = engine.with_foreign(to_engine_database(Sqlite::open_foreign(&foreign, Some(VFS_NAME), mode)));
        }
        if let Some(shared) = location.shared_path {
            engine = engine.with_shared(to_engine_database(Sqlite::open_foreign(&shared, Some(VFS_NAME), mode)));
        }
        clear_host_failure();
        Ok(Self { engine })
    }

    /// Makes the call with this name (`argus_engine::calls`). Calls with the same `call_id` create the same ids at any
    /// time, and write only once. `now` is the time, in milliseconds since the epoch, at which the caller first wanted
    /// to make the call. A time in the future is ignored.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands an optional text over by value")]
    pub fn call(&self, name: &str, params: JsValue, call_id: Option<String>, now: Option<f64>) -> Answer {
        let context = create_context_for(call_id.as_deref(), now)?;
        convert_outcome(calls::call::<JavaScriptCodec>(&self.engine, &context, name, params))
    }

    /// Like `call`, but stores the answer in the same transaction, so that a repeated call returns the first answer.
    /// `recorder` (`RecorderOptions`) is noted as the author.
    #[wasm_bindgen(js_name = callOnce)]
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands a text over by value")]
    pub fn call_once(&self, name: &str, params: JsValue, call_id: String, now: f64, recorder: JsValue) -> Answer {
        let context = create_context_for(Some(&call_id), Some(now))?;
        let engine = self.engine.with_recorder(decode(recorder)?);
        convert_outcome(calls::call_once::<JavaScriptCodec>(&engine, &context, name, params))
    }
}

/// Converts the outcome of a function into an answer.
pub(crate) fn convert_outcome(outcome: Result<JsValue, EngineError>) -> Answer {
    let answer = outcome.map_err(|error| convert_error_with_host_message(&error));
    clear_host_failure();
    answer
}

/// Converts an error. If the error is about a file, the message of the host is appended.
fn convert_error_with_host_message(error: &EngineError) -> JsValue {
    let failure = HOST.with_borrow(|host| host.as_ref().and_then(|host| host.vfs.take_failure()));
    match failure {
        Some(failure) if is_about_files(error.code) => {
            create_thrown_error(error.code, &format!("{} {failure}", error.message))
        }
        _ => convert_error(error),
    }
}

const fn is_about_files(code: ErrorCode) -> bool {
    use ErrorCode::{
        DatabaseCorrupt, DatabaseFull, DatabaseLocked, DatabaseReadOnly, DatabaseUnavailable, InternalError,
    };
    matches!(
        code,
        DatabaseLocked | DatabaseReadOnly | DatabaseFull | DatabaseCorrupt | DatabaseUnavailable | InternalError
    )
}

fn to_engine_database(opened: Result<Sqlite, StoreError>) -> Result<Database, EngineError> {
    Ok(Database::Sqlite(opened?))
}

fn clear_host_failure() {
    HOST.with_borrow(|host| host.as_ref().map(|host| host.vfs.take_failure()));
}

fn get_host_files() -> Result<HostFiles, EngineError> {
    let files = HOST.with_borrow(|host| host.as_ref().map(|host| host.files.clone()));
    files.ok_or_else(|| {
        EngineError::new(ErrorCode::InternalError, "The engine was used before its function start was called")
    })
}
