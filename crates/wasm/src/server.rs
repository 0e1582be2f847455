//! The memories of a server on PostgreSQL. A call is a conversation: it says what it wants to send to the database, the
//! host sends it and resumes the call with the answer. So the host decides how long it waits and on which connection,
//! and whatever goes wrong in a call ends that call alone.

use crate::{
    ambient::{ambient_of, made_now},
    convert::{JavaScript, decode, encode, refused},
    engine::VFS,
    wire::Wire,
};
use argus_engine::{Engine, EngineError, calls, contract::EngineOptions};
use argus_store::{
    AnyDatabase, Database, KnownSchemas, Mode, Postgres, Sqlite, StoreError,
    database::{
        copy,
        postgres::{PostgresTx, SERVER, SchemaState},
        sqlite::SqliteTx,
    },
};
use js_sys::{Object, Reflect};
use serde::Serialize;
use std::{
    fmt,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// All projects of a server, each by its name; the server's own memory has the empty one.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmServer {
    engine: Engine<AnyDatabase<Wire>>,
    known: KnownSchemas,
}

/// What `state` answers.
#[derive(Serialize)]
struct State {
    /// `missing`, `older`, `current` or `newer`.
    state: &'static str,
    /// Null where there is none.
    version: Option<i64>,
}

#[wasm_bindgen]
impl WasmServer {
    /// `EngineOptions` of the contract.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options: EngineOptions = decode(options)?;
        let known = KnownSchemas::default();
        let own = AnyDatabase::Postgres(memory(&Wire::default(), "", &known)?);
        let engine = Engine::new(own, options).map_err(|error| refused(&error))?;
        Ok(Self { engine, known })
    }

    /// The call of this name in a project. One with a `call_id` is one transaction with what it answers: made again, it
    /// answers what it has answered.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands an optional text over by value")]
    pub fn call(
        &self,
        project: &str,
        name: String,
        params: JsValue,
        call_id: Option<String>,
        now: Option<f64>,
        recorder: JsValue,
    ) -> Result<WasmCall, JsValue> {
        let ambient = ambient_of(call_id.as_deref(), now)?;
        let wire = Wire::default();
        let memory = AnyDatabase::Postgres(memory(&wire, project, &self.known)?);
        let engine = self.engine.on(memory, decode(recorder)?);
        Ok(WasmCall::new(
            wire,
            async move { calls::call_once::<JavaScript, _>(&engine, &ambient, &name, params).await },
        ))
    }

    /// Makes the schema of a project, or brings it to this version.
    pub fn migrate(&self, project: &str) -> Result<WasmCall, JsValue> {
        self.about(project, async |memory| {
            memory.migrate(made_now()).await?;
            Ok(JsValue::NULL)
        })
    }

    /// What the schema of a project is to this version.
    pub fn state(&self, project: &str) -> Result<WasmCall, JsValue> {
        self.about(project, async |memory| {
            let (state, version) = match memory.state().await? {
                SchemaState::Missing => ("missing", None),
                SchemaState::Older(version) => ("older", Some(version)),
                SchemaState::Current => ("current", None),
                SchemaState::Newer(version) => ("newer", Some(version)),
            };
            Ok(encode(&State { state, version }).unwrap_or(JsValue::NULL))
        })
    }

    /// Names of the projects in which something was written.
    pub fn projects(&self) -> Result<WasmCall, JsValue> {
        self.about("", async |memory| Ok(encode(&memory.projects().await?).unwrap_or(JsValue::NULL)))
    }

    /// Writes a copy of a project into a new file, as it is at one moment.
    pub fn backup(&self, project: &str, path: String) -> Result<WasmCall, JsValue> {
        self.about(project, async move |memory| {
            let file = Sqlite::open(&path, Some(VFS), Mode::ReadWrite)?;
            let now = made_now();
            let copied = async |from: &mut PostgresTx<'_, Wire>| {
                file.write(now, async |into: &mut SqliteTx<'_>| copy::copy(from, into).await).await
            };
            memory.read(now, copied).await?;
            Ok(JsValue::NULL)
        })
    }

    /// How often a project was written.
    pub fn writes(&self, project: &str) -> Result<WasmCall, JsValue> {
        #[expect(clippy::cast_precision_loss, reason = "a count that nobody reaches")]
        self.about(project, async |memory| Ok(JsValue::from_f64(memory.writes().await? as f64)))
    }

    fn about(
        &self,
        project: &str,
        ask: impl AsyncFn(&Postgres<Wire>) -> Result<JsValue, StoreError> + 'static,
    ) -> Result<WasmCall, JsValue> {
        let wire = Wire::default();
        let memory = memory(&wire, project, &self.known)?;
        Ok(WasmCall::new(wire, async move { Ok(ask(&memory).await?) }))
    }
}

fn memory(wire: &Wire, project: &str, known: &KnownSchemas) -> Result<Postgres<Wire>, JsValue> {
    let project = if project.is_empty() { SERVER } else { project };
    Postgres::new(wire.clone(), project, known.clone()).map_err(|error| refused(&error.into()))
}

/// A call that is being made.
#[wasm_bindgen]
pub struct WasmCall {
    wire: Wire,
    future: Pin<Box<dyn Future<Output = Result<JsValue, EngineError>>>>,
}

impl WasmCall {
    fn new(wire: Wire, future: impl Future<Output = Result<JsValue, EngineError>> + 'static) -> Self {
        Self { wire, future: Box::pin(future) }
    }
}

#[wasm_bindgen]
impl WasmCall {
    /// Goes on with what was answered to its last request, the first time with nothing: `{ done: false, value }` is what
    /// it asks next, `{ done: true, value }` its result; its error is thrown.
    pub fn resume(&mut self, answer: &JsValue) -> Result<JsValue, JsValue> {
        self.wire.answer(answer)?;
        match pin!(&mut self.future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => step(true, &outcome.map_err(|error| refused(&error))?),
            Poll::Pending => step(false, &self.wire.take_request()?),
        }
    }
}

impl fmt::Debug for WasmCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WasmCall")
    }
}

fn step(is_done: bool, value: &JsValue) -> Result<JsValue, JsValue> {
    let step = Object::new();
    Reflect::set(&step, &"done".into(), &is_done.into())?;
    Reflect::set(&step, &"value".into(), value)?;
    Ok(step.into())
}
