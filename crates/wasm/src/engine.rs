//! The engine with a database: one method per engine function.
//! Does not: wait. The embedded database never yields, so a call is done when it returns.

use crate::{
    HOST,
    ambient::ambient,
    convert::{decode, encode, thrown},
    files::Files,
};
use argus_engine::{
    Engine, EngineError, ErrorCode,
    contract::EngineOptions,
    diagnose, history,
    memory::{add_incident, add_solution, export, import, incident, ranked_solutions, record_outcome, search},
    overview, patterns, record_run, report_fix, resources,
    resources::IdKind,
    snapshot,
};
use argus_store::{Mode, Sqlite, finish};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The name under which the host's files are known to SQLite.
pub(crate) const VFS: &str = "argus";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    database_path: String,
    #[serde(default)]
    beside_path: Option<String>,
    read_only: bool,
}

/// One project's memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmEngine {
    engine: Engine<Sqlite>,
}

pub(crate) type Answer = Result<JsValue, JsValue>;

#[wasm_bindgen]
impl WasmEngine {
    /// `EngineOptions` of the contract, and `{ databasePath, readOnly }`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let location: Location = decode(options.clone())?;
        let options: EngineOptions = decode(options)?;
        forget_failure();
        let mode = if location.read_only { Mode::ReadOnly } else { Mode::ReadWrite };
        let vfs = (location.database_path != ":memory:").then_some(VFS);
        let opened = Sqlite::open(&location.database_path, vfs, mode).map_err(EngineError::from);
        let engine = opened.and_then(|database| Engine::new(database, options));
        let engine = engine.map_err(|error| explained(&error))?;
        let Some(beside) = location.beside_path.filter(|path| *path != location.database_path) else {
            return Ok(Self { engine });
        };
        let beside = Sqlite::open(&beside, Some(VFS), mode).map_err(EngineError::from);
        forget_failure();
        Ok(Self { engine: engine.with_beside(beside) })
    }

    /// What the database holds.
    pub fn overview(&self) -> Answer {
        answer(finish(overview::overview(&self.engine, &ambient()?)))
    }

    /// Records a finished run.
    #[wasm_bindgen(js_name = recordRun)]
    pub fn record_run(&self, params: JsValue) -> Answer {
        let files = files()?;
        let mut open = |path: &str| files.open_report(path);
        answer(finish(record_run::record_run(&self.engine, &ambient()?, &decode(params)?, &mut open)))
    }

    /// Lists runs.
    pub fn history(&self, params: JsValue) -> Answer {
        answer(finish(history::history(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Lists the cases of a run.
    #[wasm_bindgen(js_name = runDetail)]
    pub fn run_detail(&self, params: JsValue) -> Answer {
        answer(finish(history::run_detail(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Says what a failure is, and counts it.
    pub fn diagnose(&self, params: JsValue) -> Answer {
        answer(finish(diagnose::diagnose(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Records what was tried against a failure.
    #[wasm_bindgen(js_name = reportFix)]
    pub fn report_fix(&self, params: JsValue) -> Answer {
        answer(finish(report_fix::report_fix(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Records a fix straight on a pattern.
    #[wasm_bindgen(js_name = recordFix)]
    pub fn record_fix(&self, params: JsValue) -> Answer {
        answer(finish(report_fix::record_fix(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Lists patterns.
    pub fn patterns(&self, params: JsValue) -> Answer {
        answer(finish(patterns::patterns(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// One pattern with its history.
    pub fn pattern(&self, id: &str) -> Answer {
        answer(finish(resources::pattern(&self.engine, &ambient()?, id)))
    }

    /// The pattern of an exact signature, or null.
    #[wasm_bindgen(js_name = findBySignature)]
    pub fn find_by_signature(&self, signature: &str) -> Answer {
        answer(finish(patterns::find_by_signature(&self.engine, &ambient()?, signature)))
    }

    /// Looks a problem up.
    #[wasm_bindgen(js_name = rankedSolutions)]
    pub fn ranked_solutions(&self, params: JsValue) -> Answer {
        answer(finish(ranked_solutions::ranked_solutions(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Records whether a solution worked.
    #[wasm_bindgen(js_name = recordOutcome)]
    pub fn record_outcome(&self, params: JsValue) -> Answer {
        answer(finish(record_outcome::record_outcome(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Adds a solution.
    #[wasm_bindgen(js_name = addSolution)]
    pub fn add_solution(&self, params: JsValue) -> Answer {
        answer(finish(add_solution::add_solution(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Adds an incident.
    #[wasm_bindgen(js_name = addIncident)]
    pub fn add_incident(&self, params: JsValue) -> Answer {
        answer(finish(add_incident::add_incident(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Takes in whole lines.
    #[wasm_bindgen(js_name = memoryImport)]
    pub fn memory_import(&self, lines: &str) -> Answer {
        answer(finish(import::import(&self.engine, &ambient()?, lines)))
    }

    /// Writes one page out.
    #[wasm_bindgen(js_name = memoryExport)]
    pub fn memory_export(&self, params: JsValue) -> Answer {
        answer(finish(export::export(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// Finds incidents.
    #[wasm_bindgen(js_name = memorySearch)]
    pub fn memory_search(&self, params: JsValue) -> Answer {
        answer(finish(search::search(&self.engine, &ambient()?, &decode(params)?)))
    }

    /// One incident with its solutions.
    pub fn incident(&self, id: &str) -> Answer {
        answer(finish(incident::incident(&self.engine, &ambient()?, id)))
    }

    /// Ids that begin so; `kind` is `run`, `pattern` or `incident`.
    #[wasm_bindgen(js_name = completeIds)]
    pub fn complete_ids(&self, kind: &str, prefix: &str) -> Answer {
        let kind = match kind {
            "run" => IdKind::Run,
            "pattern" => IdKind::Pattern,
            "incident" => IdKind::Incident,
            _ => return Err(thrown(ErrorCode::InvalidInput, "ids are of the kind 'run', 'pattern' or 'incident'")),
        };
        answer(finish(resources::complete_ids(&self.engine, &ambient()?, kind, prefix)))
    }

    /// Writes a copy as it is now into a new file.
    pub fn snapshot(&self, path: &str) -> Answer {
        answer(finish(snapshot::snapshot(&self.engine, &ambient()?, path)))
    }

    /// Writes, reads and deletes a row.
    #[wasm_bindgen(js_name = checkWrite)]
    pub fn check_write(&self) -> Answer {
        answer(finish(overview::check_write(&self.engine, &ambient()?)))
    }
}

impl WasmEngine {
    /// What the methods of other files work on.
    pub(crate) const fn inner(&self) -> &Engine<Sqlite> {
        &self.engine
    }
}

/// Encodes what a function answered.
pub(crate) fn answer<T: Serialize>(outcome: Result<T, EngineError>) -> Answer {
    let encoded = outcome.map_err(|error| explained(&error)).and_then(|value| encode(&value));
    forget_failure();
    encoded
}

/// The error, and where a file was the reason what the host said about it.
fn explained(error: &EngineError) -> JsValue {
    let failure = HOST.with_borrow(|host| host.as_ref().and_then(|host| host.vfs.take_failure()));
    match failure {
        Some(failure) if is_about_files(error.code) => thrown(error.code, &format!("{} {failure}", error.message)),
        _ => thrown(error.code, &error.message),
    }
}

const fn is_about_files(code: ErrorCode) -> bool {
    use ErrorCode::{
        DatabaseCorrupt, DatabaseFull, DatabaseLocked, DatabaseReadonly, DatabaseUnavailable, InternalError,
    };
    matches!(
        code,
        DatabaseLocked | DatabaseReadonly | DatabaseFull | DatabaseCorrupt | DatabaseUnavailable | InternalError
    )
}

fn forget_failure() {
    HOST.with_borrow(|host| host.as_ref().map(|host| host.vfs.take_failure()));
}

fn files() -> Result<Files, JsValue> {
    let files = HOST.with_borrow(|host| host.as_ref().map(|host| host.files.clone()));
    files.ok_or_else(|| thrown(ErrorCode::InternalError, "start was not called"))
}
