//! The projects of a server on PostgreSQL. A call blocks its thread until the database has answered.

use crate::{
    call_context::{create_context_for, current_time_in_range},
    convert::{JavaScriptCodec, convert_error, decode, encode},
    engine::{Answer, VFS_NAME, convert_outcome},
    host_driver::HostDriver,
};
use argus_engine::{Engine, EngineError, calls, contract::EngineOptions};
use argus_store::{
    CheckedSchemas, Database, FileAccess, Postgres, Sqlite, StoreError,
    database::{
        copy,
        postgres::{SERVER_PROJECT, SchemaState},
    },
};
use js_sys::Function;
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// All projects of a server by name. The empty name is the server's own database.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmServer {
    engine: Engine,
    driver: Rc<HostDriver>,
    known: CheckedSchemas,
}

/// The answer of `state`.
#[derive(Serialize)]
struct SchemaStateAnswer {
    /// `missing`, `older`, `current` or `newer`.
    state: &'static str,
    /// Null if there is no schema.
    version: Option<i64>,
}

#[wasm_bindgen]
impl WasmServer {
    /// `options` is `argus_engine::contract::EngineOptions`, and `send` is the host function that sends statements
    /// ([`HostDriver`]).
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue, send: Function) -> Result<Self, JsValue> {
        let options: EngineOptions = decode(options)?;
        let (driver, known) = (Rc::new(HostDriver::new(send)), CheckedSchemas::default());
        let own = open_project(&driver, "", &known).map(Database::Postgres);
        let engine = own.and_then(|own| Engine::new(own, options)).map_err(|error| convert_error(&error))?;
        Ok(Self { engine, driver, known })
    }

    /// Makes the call with this name in a project. With a `call_id`, the call and its answer are stored in one
    /// transaction, so that a repeated call returns the first answer.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands an optional text over by value")]
    pub fn call(
        &self,
        project: &str,
        name: &str,
        params: JsValue,
        call_id: Option<String>,
        now: Option<f64>,
        recorder: JsValue,
    ) -> Answer {
        let context = create_context_for(call_id.as_deref(), now)?;
        let recorder = decode(recorder)?;
        convert_outcome(self.open_database(project).and_then(|database| {
            let engine = self.engine.with_database(Database::Postgres(database), recorder);
            calls::call_once::<JavaScriptCodec>(&engine, &context, name, params)
        }))
    }

    /// Creates the schema of a project or migrates it to this version.
    pub fn migrate(&self, project: &str) -> Answer {
        self.use_database(project, |database| {
            database.migrate(current_time_in_range())?;
            Ok(JsValue::NULL)
        })
    }

    /// Returns `{ state, version }` of a project's schema, compared with the schema version of this program.
    pub fn state(&self, project: &str) -> Answer {
        self.use_database(project, |database| {
            let (state, version) = match database.schema_state()? {
                SchemaState::Missing => ("missing", None),
                SchemaState::Older(version) => ("older", Some(version)),
                SchemaState::Current => ("current", None),
                SchemaState::Newer(version) => ("newer", Some(version)),
            };
            Ok(encode(&SchemaStateAnswer { state, version }).unwrap_or(JsValue::NULL))
        })
    }

    /// Returns the names of the projects that have a schema.
    pub fn projects(&self) -> Answer {
        self.use_database("", |database| Ok(encode(&database.list_projects()?).unwrap_or(JsValue::NULL)))
    }

    /// Writes a consistent copy of a project into a new file.
    pub fn backup(&self, project: &str, path: &str) -> Answer {
        self.use_database(project, |database| {
            let file = Sqlite::open(path, Some(VFS_NAME), FileAccess::ReadWrite)?;
            let now = current_time_in_range();
            database.read(now, |from| file.write(now, |into| copy::copy(from, into)))?;
            Ok(JsValue::NULL)
        })
    }

    /// Returns the number of writes to a project so far.
    pub fn writes(&self, project: &str) -> Answer {
        #[expect(clippy::cast_precision_loss, reason = "no count gets this large")]
        self.use_database(project, |database| Ok(JsValue::from_f64(database.count_writes()? as f64)))
    }

    fn use_database(&self, project: &str, body: impl FnOnce(&Postgres) -> Result<JsValue, StoreError>) -> Answer {
        convert_outcome(self.open_database(project).and_then(|database| Ok(body(&database)?)))
    }

    fn open_database(&self, project: &str) -> Result<Postgres, EngineError> {
        open_project(&self.driver, project, &self.known)
    }
}

fn open_project(driver: &Rc<HostDriver>, project: &str, known: &CheckedSchemas) -> Result<Postgres, EngineError> {
    let project = if project.is_empty() { SERVER_PROJECT } else { project };
    Ok(Postgres::new(Rc::<HostDriver>::clone(driver), project, known.clone())?)
}
