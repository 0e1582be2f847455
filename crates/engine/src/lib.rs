//! The use cases of Argus: a function for each tool, with plain data in and out.
//!
//! ```
//! use argus_core::Ambient;
//! use argus_engine::{Engine, contract::{EngineOptions, PatternsParams}, knowledge::patterns::patterns};
//! use argus_store::{Database, Mode, Sqlite};
//!
//! let database = Database::Sqlite(Sqlite::open(":memory:", None, Mode::ReadWrite)?);
//! let engine = Engine::new(database, EngineOptions::default())?;
//! let ambient = Ambient::new(1_740_000_000_000, [7; 16]);
//! let known = patterns(&engine, &ambient, &PatternsParams::default())?;
//! assert_eq!((known.total, known.built_in_count), (6, 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `argus-store` has the SQL, and `argus-wasm` connects this crate to JavaScript.

pub mod access;
mod answer;
pub mod calls;
pub mod contract;
pub mod errors;
pub mod evidence;
pub mod failures;
pub mod fix_loop;
pub mod inspect;
pub mod knowledge;
pub mod limits;
pub mod memory;
pub mod runs;
#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the formula is exact: equal counts give equal bits")]
mod tests;
pub mod viewer;

use argus_core::{
    Ambient, Analyzer, display,
    sign::{RECIPE, sha256_hex},
};
use argus_store::{Database, Tx, solutions::outcomes::Recorder};
use contract::{EngineOptions, RecorderOptions};
pub use errors::{EngineError, ErrorCode};
use std::{fmt, io::BufRead, rc::Rc};

/// Maximum characters of the name of a client or a machine.
const MAX_RECORDER_CHARS: usize = 100;

/// The memory of a project: its database, its rules and its options.
#[derive(Debug)]
pub struct Engine {
    database: Rc<Database>,
    analyzer: Rc<Analyzer>,
    options: Rc<EngineOptions>,
    /// Names of the client and of the machine that records.
    recorder: RecorderOptions,
    /// The other memory: the user's own if the primary is the project's, or the reverse.
    secondary: Option<Rc<Database>>,
    /// Why the secondary database could not be opened.
    secondary_problem: Option<String>,
    /// A copy of a database that came with the project and belongs to others. Only its search index is written.
    foreign: Option<Rc<Database>>,
    /// Why the foreign database could not be opened.
    foreign_problem: Option<String>,
    /// The imported files that the repository shares, which belong to others.
    shared: Option<Rc<Database>>,
    /// Why the shared database could not be opened.
    shared_problem: Option<String>,
    /// Opens the reports of a run.
    reports: Rc<dyn ReportFiles>,
    /// The signature version and, if the project has its own rules, a digest of them. Stored signatures are valid only
    /// for the same value.
    recipe: Rc<str>,
}

impl Engine {
    /// Compiles the project's rules. Reads no file.
    pub fn new(database: Database, mut options: EngineOptions) -> Result<Self, EngineError> {
        let analyzer = Analyzer::new(&options.rules, &options.secrets).map_err(|error| {
            EngineError::invalid(format!("A pattern in the configuration does not compile: {error}."))
        })?;
        let recorder = shown(std::mem::take(&mut options.recorder), &analyzer);
        Ok(Self {
            database: Rc::new(database),
            recipe: recipe(&options).into(),
            analyzer: Rc::new(analyzer),
            options: Rc::new(options),
            recorder,
            secondary: None,
            secondary_problem: None,
            foreign: None,
            foreign_problem: None,
            shared: None,
            shared_problem: None,
            reports: Rc::new(NoFiles),
        })
    }

    /// Returns an engine on the same memory for another recorder.
    #[must_use]
    pub fn recorded_by(&self, recorder: RecorderOptions) -> Self {
        Self {
            database: Rc::clone(&self.database),
            analyzer: Rc::clone(&self.analyzer),
            options: Rc::clone(&self.options),
            recorder: shown(recorder, &self.analyzer),
            secondary: self.secondary.clone(),
            secondary_problem: self.secondary_problem.clone(),
            foreign: self.foreign.clone(),
            foreign_problem: self.foreign_problem.clone(),
            shared: self.shared.clone(),
            shared_problem: self.shared_problem.clone(),
            reports: Rc::clone(&self.reports),
            recipe: Rc::clone(&self.recipe),
        }
    }

    /// Returns an engine with the same rules for another memory and another recorder.
    #[must_use]
    pub fn on(&self, database: Database, recorder: RecorderOptions) -> Self {
        Self { database: Rc::new(database), ..self.recorded_by(recorder) }
    }

    /// Adds a secondary database. The debug memory in it is searched, and its ids resolve. If it could not be opened,
    /// it is left out and answers contain a warning.
    #[must_use]
    pub fn with_secondary(mut self, secondary: Result<Database, EngineError>) -> Self {
        match secondary {
            Ok(secondary) => self.secondary = Some(Rc::new(secondary)),
            Err(error) => self.secondary_problem = Some(error.message),
        }
        self
    }

    /// Adds a foreign database. Its entries are shown as claims of others if they match and are unknown here.
    #[must_use]
    pub fn with_foreign(mut self, foreign: Result<Database, EngineError>) -> Self {
        match foreign {
            Ok(foreign) => self.foreign = Some(Rc::new(foreign)),
            Err(error) => self.foreign_problem = Some(error.message),
        }
        self
    }

    /// Adds the database of the files that the repository shares. Its entries are shown as claims of others until own
    /// runs prove or refute them.
    #[must_use]
    pub fn with_shared(mut self, shared: Result<Database, EngineError>) -> Self {
        match shared {
            Ok(shared) => self.shared = Some(Rc::new(shared)),
            Err(error) => self.shared_problem = Some(error.message),
        }
        self
    }

    /// Sets the source of report files. Without it, opening a report returns an error.
    #[must_use]
    pub fn with_reports(mut self, reports: impl ReportFiles + 'static) -> Self {
        self.reports = Rc::new(reports);
        self
    }

    fn read<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        self.database.read(ambient.now, body)
    }

    /// Writes in a transaction. A call with an id is written only once.
    fn write<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        let marked = |tx: &mut Tx<'_>| -> Result<T, EngineError> {
            self.mark_call_made(tx, ambient)?;
            body(tx)
        };
        self.write_unmarked(ambient, marked)
    }

    /// Marks a call with an id as made, and returns an error if it was made before. A call in a single transaction is
    /// marked with its answer instead.
    pub(crate) fn mark_call_made(&self, tx: &mut Tx<'_>, ambient: &Ambient) -> Result<(), EngineError> {
        let Some(call_id) = ambient.call_id().filter(|_| !self.database.is_in_one()) else { return Ok(()) };
        if argus_store::calls::mark_made(tx, call_id)? { Ok(()) } else { Err(call_repeated()) }
    }

    /// Returns `true` if a call can still answer from reading after this write error. A call in a single transaction
    /// cannot, because it must not return an answer that is not stored.
    fn may_answer_unstored(&self, error: &EngineError) -> bool {
        error.is_about_writing() && !self.database.is_in_one()
    }

    /// Writes in a transaction that may be repeated.
    fn write_unmarked<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        self.database.write(ambient.now, body)
    }
}

impl Engine {
    /// Returns the names of the client and of the machine that records.
    pub(crate) fn recorder(&self) -> Recorder<'_> {
        let RecorderOptions { by, from } = &self.recorder;
        Recorder { by: by.as_deref(), from: from.as_deref() }
    }

    /// Like [`Self::recorder`], but for entries that do not come from a client's tool, for example an import.
    pub(crate) fn recorder_as<'a>(&'a self, by: &'a str) -> Recorder<'a> {
        Recorder { by: Some(by), ..self.recorder() }
    }
}

pub(crate) fn call_repeated() -> EngineError {
    EngineError::new(ErrorCode::CallRepeated, "This call was made before, and what it wrote is stored.")
}

/// Opens report files, because the engine itself reads only its database.
pub trait ReportFiles: fmt::Debug {
    /// Opens a file at its beginning. Returns `REPORT_NOT_FOUND` if it does not exist.
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError>;
}

#[derive(Debug)]
struct NoFiles;

impl ReportFiles for NoFiles {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Err(EngineError::new(ErrorCode::ReportNotFound, "There are no report files here."))
    }
}

/// Redacts and shortens the names.
fn shown(RecorderOptions { by, from }: RecorderOptions, analyzer: &Analyzer) -> RecorderOptions {
    let line = |text: String| display::line(&analyzer.redact(&text), MAX_RECORDER_CHARS);
    RecorderOptions { by: by.map(line), from: from.map(line) }
}

/// Returns the signature version and, if the project has its own rules, a digest of them, for example `2` or
/// `2-0f3a...`.
fn recipe(options: &EngineOptions) -> String {
    if options.rules.is_empty() && options.secrets.is_empty() {
        return RECIPE.to_string();
    }
    let own = format!("{:?}{:?}", options.rules, options.secrets);
    format!("{RECIPE}-{}", &sha256_hex(&own)[..16])
}
