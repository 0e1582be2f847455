//! Tests of the engine on a real store, in memory or on a file.

mod access;
mod databases;
mod every_call;
mod evidence;
mod exchanging;
mod failures;
mod memory;
mod prelude;
mod runs;
mod sharing;
mod viewer;

use crate::{
    Engine, EngineError, ErrorCode,
    calls::Codec,
    contract::{
        DiagnoseParams, DiagnosticResult, EngineOptions, GitFacts, RecordRunParams, ReportFixParams, ReportFixResult,
        RunResult,
    },
    failures::{diagnose::diagnose, report_fix::report_fix},
    runs::record_run::record_run,
};
use argus_core::CallContext;
use argus_report::{CaseStatus, ReportCase};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    cell::Cell,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// 2026-02-26T10:00:00Z
pub(super) const START_MS: i64 = 1_772_100_000_000;

/// An error without a category, so no built-in pattern matches it.
pub(super) const UNKNOWN_ERROR: &str = "Error: the flux capacitor is out of tune";

/// Matches the built-in pattern of refused connections.
pub(super) const CONNECTION_REFUSED_ERROR: &str = "Error: connect ECONNREFUSED 127.0.0.1:5432";

/// Counter from which seeds are derived, because ids must differ between the worlds on the same file.
static SEED_COUNTER: AtomicU64 = AtomicU64::new(0);

/// Encodes values as JSON, unlike the JavaScript binding.
pub(super) struct Json;

impl Codec for Json {
    type Value = Value;

    fn decode<T: DeserializeOwned>(value: Value) -> Result<T, EngineError> {
        serde_json::from_value(value).map_err(|error| EngineError::new(ErrorCode::InvalidInput, error.to_string()))
    }

    fn encode<T: Serialize>(value: &T) -> Result<Value, EngineError> {
        Ok(serde_json::to_value(value).expect("plain data"))
    }

    fn to_json(value: &Value) -> Result<String, EngineError> {
        Ok(value.to_string())
    }

    fn from_json(json: &str) -> Result<Value, EngineError> {
        Ok(serde_json::from_str(json).expect("what was kept is JSON"))
    }
}

/// A test project: an engine whose clock advances by a second with every call.
pub(super) struct World {
    pub(super) engine: Engine,
    calls: Cell<u8>,
}

impl World {
    pub(super) fn new() -> Self {
        Self::open_with_options(":memory:", EngineOptions::default()).unwrap()
    }

    /// Returns a world in which a run of these cases was recorded, and the id of the run.
    pub(super) fn after_run(cases: Vec<ReportCase>) -> (Self, String) {
        let world = Self::new();
        let run = world.run(cases);
        (world, run)
    }

    pub(super) fn open(path: &Path) -> Result<Self, EngineError> {
        Self::open_with_options(path.to_str().unwrap(), EngineOptions::default())
    }

    /// Returns a world on a new file, and the folder of the file.
    pub(super) fn on_file(name: &str) -> (Folder, Self) {
        let folder = Folder::new(name);
        let world = Self::open(&folder.file()).unwrap();
        (folder, world)
    }

    pub(super) fn open_with_options(path: &str, options: EngineOptions) -> Result<Self, EngineError> {
        let database = if path == ":memory:" { databases::empty_database() } else { databases::open_file(path)? };
        Ok(Self { engine: Engine::new(database, options)?, calls: Cell::new(0) })
    }

    pub(super) fn context(&self) -> CallContext {
        let call = self.calls.get().wrapping_add(1);
        self.calls.set(call);
        let draw = SEED_COUNTER.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        let mut seed = [0; 16];
        seed[..8].copy_from_slice(&draw);
        CallContext::new(START_MS + i64::from(call) * 1000, seed)
    }

    /// Makes a call at the next second of the world's clock.
    pub(super) fn call<P, R>(
        &self,
        call: impl FnOnce(&Engine, &CallContext, &P) -> Result<R, EngineError>,
        params: &P,
    ) -> Result<R, EngineError> {
        call(&self.engine, &self.context(), params)
    }

    pub(super) fn record(&self, params: &RecordRunParams, cases: Vec<ReportCase>) -> Result<RunResult, EngineError> {
        let params = RecordRunParams { cases, ..params.clone() };
        self.call(record_run, &params)
    }

    /// Records a run of these cases and returns its id.
    pub(super) fn run(&self, cases: Vec<ReportCase>) -> String {
        self.record(&RecordRunParams::default(), cases).unwrap().run_id
    }

    pub(super) fn diagnose(&self, run_id: &str, case_name: &str) -> Result<DiagnosticResult, EngineError> {
        let params = DiagnoseParams {
            run_id: run_id.to_owned(),
            case_name: case_name.to_owned(),
            not_same_as: None,
            once: None,
        };
        self.call(diagnose, &params)
    }

    pub(super) fn fix(
        &self,
        run_id: &str,
        case: &str,
        fix: &str,
        worked: bool,
    ) -> Result<ReportFixResult, EngineError> {
        let params = ReportFixParams {
            run_id: run_id.to_owned(),
            case_name: case.to_owned(),
            fix_description: fix.to_owned(),
            success: worked,
            ..ReportFixParams::default()
        };
        self.call(report_fix, &params)
    }
}

/// A case with the qualified name `a.test.ts > suite > name`.
pub(super) fn case(name: &str, status: CaseStatus, error: Option<&str>) -> ReportCase {
    ReportCase {
        place: argus_report::CasePosition::default(),
        file: Some("a.test.ts".to_owned()),
        suite: vec!["suite".to_owned()],
        name: name.to_owned(),
        status,
        runner_status: None,
        flaky: false,
        duration_ms: Some(2.0),
        attempts: 1,
        error_type: None,
        error: error.map(ToOwned::to_owned),
        stdout_tail: None,
        stderr_tail: None,
        runner: None,
    }
}

pub(super) fn failed_case(name: &str, error: &str) -> ReportCase {
    case(name, CaseStatus::Failed, Some(error))
}

pub(super) fn passed_case(name: &str) -> ReportCase {
    case(name, CaseStatus::Passed, None)
}

/// The qualified name of the case `boom` of [`failed_case`] and [`passed_case`].
pub(super) const CASE: &str = "a.test.ts > suite > boom";

/// Parameters of a run on a clean commit of the main branch.
pub(super) fn on_commit(commit: &str) -> RecordRunParams {
    let git = GitFacts {
        commit: Some(commit.to_owned()),
        tree: Some(format!("tree of {commit}")),
        branch: Some("main".to_owned()),
        dirty: Some(false),
        ..GitFacts::default()
    };
    RecordRunParams { git: Some(git), ..RecordRunParams::default() }
}

/// Records a run of a commit in which `boom` and another test passed. Returns its id.
pub(super) fn record_pass(world: &World, commit: &str) -> String {
    world.record(&on_commit(commit), vec![passed_case("boom"), passed_case("other")]).unwrap().run_id
}

/// Like [`record_pass`], but `boom` failed.
pub(super) fn record_failure(world: &World, commit: &str) -> String {
    world.record(&on_commit(commit), vec![failed_case("boom", UNKNOWN_ERROR), passed_case("other")]).unwrap().run_id
}

/// A temporary folder that is deleted after the test.
pub(super) struct Folder(std::path::PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("argus-engine-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn file(&self) -> std::path::PathBuf {
        self.0.join("argus.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
