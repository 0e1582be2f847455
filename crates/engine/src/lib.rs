//! One function per tool, plain data in and out.
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
//! SQL is in `argus-store`, JavaScript in `argus-wasm`.

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

/// A client's or a machine's name.
const MAX_RECORDER_CHARS: usize = 100;

/// One project's memory: its database, its rules, its options.
#[derive(Debug)]
pub struct Engine {
    database: Rc<Database>,
    analyzer: Rc<Analyzer>,
    options: Rc<EngineOptions>,
    /// Who records what is recorded.
    recorder: RecorderOptions,
    /// The other memory: the user's own beside the project's, or the other way round.
    secondary: Option<Rc<Database>>,
    /// Why it could not be opened.
    secondary_problem: Option<String>,
    /// A copy of the database that came with the project and is not the user's: only looked at.
    foreign: Option<Rc<Database>>,
    /// Why it could not be opened.
    foreign_problem: Option<String>,
    /// What the repository shares in files, taken in: somebody else's too.
    shared: Option<Rc<Database>>,
    /// Why it could not be opened.
    shared_problem: Option<String>,
    /// Where the reports of a run are read.
    reports: Rc<dyn ReportFiles>,
    /// What signatures depend on beside the failure: the recipe of core, and the project's own rules.
    recipe: Rc<str>,
}

impl Engine {
    /// Compiles the project's rules; touches no file.
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

    /// The same memory for another caller.
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

    /// The same rules for another memory, and another caller.
    #[must_use]
    pub fn on(&self, database: Database, recorder: RecorderOptions) -> Self {
        Self { database: Rc::new(database), ..self.recorded_by(recorder) }
    }

    /// With another database whose debug memory is searched too and whose ids resolve. One that could not be opened
    /// is left out, and answers say so.
    #[must_use]
    pub fn with_secondary(mut self, secondary: Result<Database, EngineError>) -> Self {
        match secondary {
            Ok(secondary) => self.secondary = Some(Rc::new(secondary)),
            Err(error) => self.secondary_problem = Some(error.message),
        }
        self
    }

    /// With a database that is somebody else's: what answers and is not known here is shown from it, as theirs.
    #[must_use]
    pub fn with_foreign(mut self, foreign: Result<Database, EngineError>) -> Self {
        match foreign {
            Ok(foreign) => self.foreign = Some(Rc::new(foreign)),
            Err(error) => self.foreign_problem = Some(error.message),
        }
        self
    }

    /// With what the repository shares: shown as somebody else's, and tried under its name.
    #[must_use]
    pub fn with_shared(mut self, shared: Result<Database, EngineError>) -> Self {
        match shared {
            Ok(shared) => self.shared = Some(Rc::new(shared)),
            Err(error) => self.shared_problem = Some(error.message),
        }
        self
    }

    /// With the files that reports are read from; without, there are none.
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

    /// Writes, once where the call has a name of its own.
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

    /// A call that has a name of its own is made once. One that is a single transaction is marked with its answer.
    pub(crate) fn mark_call_made(&self, tx: &mut Tx<'_>, ambient: &Ambient) -> Result<(), EngineError> {
        let Some(call_id) = ambient.call_id().filter(|_| !self.database.is_in_one()) else { return Ok(()) };
        if argus_store::calls::mark_made(tx, call_id)? { Ok(()) } else { Err(call_repeated()) }
    }

    /// Answers what can be read where this error kept a call from writing; what is one transaction answers nothing else.
    fn may_answer_unstored(&self, error: &EngineError) -> bool {
        error.is_about_writing() && !self.database.is_in_one()
    }

    /// Writes what may be written any number of times.
    fn write_unmarked<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        self.database.write(ambient.now, body)
    }
}

impl Engine {
    /// Who records what this engine records.
    pub(crate) fn recorder(&self) -> Recorder<'_> {
        let RecorderOptions { by, from } = &self.recorder;
        Recorder { by: by.as_deref(), from: from.as_deref() }
    }

    /// The same for what comes in by another way than a client's tool.
    pub(crate) fn recorder_as<'a>(&'a self, by: &'a str) -> Recorder<'a> {
        Recorder { by: Some(by), ..self.recorder() }
    }
}

pub(crate) fn call_repeated() -> EngineError {
    EngineError::new(ErrorCode::CallRepeated, "This call was made before, and what it wrote is stored.")
}

/// Opens report files: the engine itself reads no file but its database.
pub trait ReportFiles: fmt::Debug {
    /// A file from its beginning; `REPORT_NOT_FOUND` where there is none.
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError>;
}

#[derive(Debug)]
struct NoFiles;

impl ReportFiles for NoFiles {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Err(EngineError::new(ErrorCode::ReportNotFound, "There are no report files here."))
    }
}

/// Names as they are kept.
fn shown(RecorderOptions { by, from }: RecorderOptions, analyzer: &Analyzer) -> RecorderOptions {
    let line = |text: String| display::line(&analyzer.redact(&text), MAX_RECORDER_CHARS);
    RecorderOptions { by: by.map(line), from: from.map(line) }
}

/// The recipe of core and, where the project has rules of its own, a digest of them: `2`, or `2-0f3a...`.
fn recipe(options: &EngineOptions) -> String {
    if options.rules.is_empty() && options.secrets.is_empty() {
        return RECIPE.to_string();
    }
    let own = format!("{:?}{:?}", options.rules, options.secrets);
    format!("{RECIPE}-{}", &sha256_hex(&own)[..16])
}
