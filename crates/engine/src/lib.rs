//! The use cases of Argus: a function for each tool, with plain data in and out.
//!
//! ```
//! use argus_core::CallContext;
//! use argus_engine::{Engine, contract::{EngineOptions, PatternsParams}, knowledge::patterns::patterns};
//! use argus_store::{Database, FileAccess, Sqlite};
//!
//! let database = Database::Sqlite(Sqlite::open(":memory:", None, FileAccess::ReadWrite)?);
//! let engine = Engine::new(database, EngineOptions::default())?;
//! let context = CallContext::new(1_740_000_000_000, [7; 16]);
//! let known = patterns(&engine, &context, &PatternsParams::default())?;
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
    Analyzer, CallContext, display,
    sign::{SIGNATURE_VERSION, sha256_hex},
};
use argus_store::{Database, Tx, solutions::outcomes::Recorder};
use contract::{EngineOptions, RecorderOptions};
pub use errors::{EngineError, ErrorCode};
use std::{fmt, io::BufRead, rc::Rc};

/// Maximum number of characters of the name of a client or a machine.
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
    secondary_open_error: Option<String>,
    /// A copy of a database that came with the project and belongs to others. Only its search index is written.
    foreign: Option<Rc<Database>>,
    /// Why the foreign database could not be opened.
    foreign_open_error: Option<String>,
    /// The imported files that the repository shares, which belong to others.
    shared: Option<Rc<Database>>,
    /// Why the shared database could not be opened.
    shared_open_error: Option<String>,
    /// Opens the reports of a run.
    reports: Rc<dyn ReportFiles>,
    /// The signature version and, if the project has its own rules, a digest of them. Stored signatures are valid only
    /// for the same value.
    signature_version: Rc<str>,
}

impl Engine {
    /// Compiles the project's rules. Reads no file.
    pub fn new(database: Database, mut options: EngineOptions) -> Result<Self, EngineError> {
        let analyzer = Analyzer::new(&options.rules, &options.secrets).map_err(|error| {
            EngineError::invalid_input(format!("A pattern in the configuration does not compile: {error}."))
        })?;
        let recorder = clean_recorder(std::mem::take(&mut options.recorder), &analyzer);
        Ok(Self {
            database: Rc::new(database),
            signature_version: build_signature_version(&options).into(),
            analyzer: Rc::new(analyzer),
            options: Rc::new(options),
            recorder,
            secondary: None,
            secondary_open_error: None,
            foreign: None,
            foreign_open_error: None,
            shared: None,
            shared_open_error: None,
            reports: Rc::new(NoReportFiles),
        })
    }

    /// Returns an engine with the same memory that records under other names.
    #[must_use]
    pub fn with_recorder(&self, recorder: RecorderOptions) -> Self {
        Self {
            database: Rc::clone(&self.database),
            analyzer: Rc::clone(&self.analyzer),
            options: Rc::clone(&self.options),
            recorder: clean_recorder(recorder, &self.analyzer),
            secondary: self.secondary.clone(),
            secondary_open_error: self.secondary_open_error.clone(),
            foreign: self.foreign.clone(),
            foreign_open_error: self.foreign_open_error.clone(),
            shared: self.shared.clone(),
            shared_open_error: self.shared_open_error.clone(),
            reports: Rc::clone(&self.reports),
            signature_version: Rc::clone(&self.signature_version),
        }
    }

    /// Returns an engine with the same rules, but another database and recorder.
    #[must_use]
    pub fn with_database(&self, database: Database, recorder: RecorderOptions) -> Self {
        Self { database: Rc::new(database), ..self.with_recorder(recorder) }
    }

    /// Adds a secondary database. Searches then include its debug memory, and calls accept its ids. If the database
    /// could not be opened, answers contain a warning instead.
    #[must_use]
    pub fn with_secondary(mut self, secondary: Result<Database, EngineError>) -> Self {
        match secondary {
            Ok(secondary) => self.secondary = Some(Rc::new(secondary)),
            Err(error) => self.secondary_open_error = Some(error.message),
        }
        self
    }

    /// Adds a foreign database. Its entries are shown as claims of others if they match and are unknown here.
    #[must_use]
    pub fn with_foreign(mut self, foreign: Result<Database, EngineError>) -> Self {
        match foreign {
            Ok(foreign) => self.foreign = Some(Rc::new(foreign)),
            Err(error) => self.foreign_open_error = Some(error.message),
        }
        self
    }

    /// Adds the database of the files that the repository shares. Its entries are shown as claims of others until own
    /// runs prove or refute them.
    #[must_use]
    pub fn with_shared(mut self, shared: Result<Database, EngineError>) -> Self {
        match shared {
            Ok(shared) => self.shared = Some(Rc::new(shared)),
            Err(error) => self.shared_open_error = Some(error.message),
        }
        self
    }

    /// Sets the source of report files. Without it, opening a report returns an error.
    #[must_use]
    pub fn with_reports(mut self, reports: impl ReportFiles + 'static) -> Self {
        self.reports = Rc::new(reports);
        self
    }

    fn read<T, F>(&self, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        self.database.read(context.now_ms, body)
    }

    /// Writes in a transaction. A call with an id is written only once.
    fn write<T, F>(&self, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        let marked = |tx: &mut Tx<'_>| -> Result<T, EngineError> {
            self.record_call_id(tx, context)?;
            body(tx)
        };
        self.write_unmarked(context, marked)
    }

    /// Marks a call with an id as made, and returns an error if it was made before. Does nothing inside of
    /// `calls::call_once`, which stores the answer of the call as the mark.
    pub(crate) fn record_call_id(&self, tx: &mut Tx<'_>, context: &CallContext) -> Result<(), EngineError> {
        let Some(call_id) = context.call_id().filter(|_| !self.database.is_in_transaction()) else { return Ok(()) };
        if argus_store::calls::record_call(tx, call_id)? { Ok(()) } else { Err(call_repeated_error()) }
    }

    /// Returns `true` if a call can still return an answer after this write error, because reads work. A call in a
    /// single transaction cannot, because it must not return an answer that is not stored.
    fn can_answer_without_storing(&self, error: &EngineError) -> bool {
        error.is_write_error() && !self.database.is_in_transaction()
    }

    /// Writes in a transaction without marking the call as made, so that the same call can write again.
    fn write_unmarked<T, F>(&self, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        self.database.write(context.now_ms, body)
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

pub(crate) fn call_repeated_error() -> EngineError {
    EngineError::new(ErrorCode::CallRepeated, "This call was already made, and its result is stored.")
}

/// Opens report files, because the engine itself reads only its database.
pub trait ReportFiles: fmt::Debug {
    /// Opens a file at its beginning. Returns `REPORT_NOT_FOUND` if it does not exist.
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError>;

    /// Returns the function that opens decoders for the encodings that reports declare.
    fn decoders(&self) -> Option<argus_report::OpenDecoder> {
        None
    }
}

#[derive(Debug)]
struct NoReportFiles;

impl ReportFiles for NoReportFiles {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Err(EngineError::new(ErrorCode::ReportNotFound, "Report files are not available here."))
    }
}

/// Redacts and shortens the names.
fn clean_recorder(RecorderOptions { by, from }: RecorderOptions, analyzer: &Analyzer) -> RecorderOptions {
    let line = |text: String| display::sanitize_line(&analyzer.redact(&text), MAX_RECORDER_CHARS);
    RecorderOptions { by: by.map(line), from: from.map(line) }
}

/// Returns the signature version and, if the project has its own rules, a digest of them, for example `2` or
/// `2-0f3a...`.
fn build_signature_version(options: &EngineOptions) -> String {
    if options.rules.is_empty() && options.secrets.is_empty() {
        return SIGNATURE_VERSION.to_string();
    }
    let own = format!("{:?}{:?}", options.rules, options.secrets);
    format!("{SIGNATURE_VERSION}-{}", &sha256_hex(&own)[..16])
}
