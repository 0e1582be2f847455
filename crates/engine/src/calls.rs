//! The list of calls, which have a name and plain data in and out.
//!
//! To add a call, write its function and add a line here. The bindings dispatch by this list. The TypeScript interface
//! with its methods and the JSON Schemas of params and results are generated from it. A [`Codec`] converts the values.

use crate::{
    Engine, EngineError, access, call_repeated_error, contract as c, evidence,
    failures::{diagnose, report_fix},
    knowledge::{overview, patterns, resources, snapshot},
    memory::{
        exchange::{export, import, patterns as exchanged, sharing},
        finding::{browse, incident, ranked_solutions, search},
        recording::{add_incident, add_solution, record_outcome},
    },
    runs::{history, import_run, known_failures, prepare_run, record_run, run_errors},
    viewer,
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    calls::{self as store_calls, CallState, StoredAnswer},
};
use serde::{Serialize, de::DeserializeOwned};

/// How a call may change stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The call only reads.
    Reads,
    /// The call stores, counts or deletes.
    Writes,
    /// The call changes learned data on behalf of a person.
    Edits,
}

/// Who may make a call. Each variant also permits all callers of the variants before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Only the program that created the engine.
    Host,
    /// Also other machines of the team.
    Team,
    /// Also a page in a browser.
    Page,
}

/// The name, description and permissions of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// The name of the call.
    pub name: &'static str,
    /// The description of the call.
    pub docs: &'static str,
    /// How the call may change stored data.
    pub access: Access,
    /// The callers that may make the call.
    pub audience: Audience,
}

/// Converts values at a boundary: JavaScript values in wasm, JSON elsewhere.
pub trait Codec {
    /// Encoded params or an encoded result.
    type Value;

    /// Decodes params. Returns `INVALID_INPUT` if they do not match the type.
    fn decode<T: DeserializeOwned>(value: Self::Value) -> Result<T, EngineError>;

    /// Encodes a result.
    fn encode<T: Serialize>(value: &T) -> Result<Self::Value, EngineError>;

    /// Converts an encoded result to JSON.
    fn to_json(value: &Self::Value) -> Result<String, EngineError>;

    /// Converts JSON back to the encoded result.
    fn from_json(json: &str) -> Result<Self::Value, EngineError>;
}

/// Receives the types of every call, for example to generate code from them.
#[cfg(feature = "types")]
pub trait CallVisitor {
    /// Visits a call with the types of its params `P` and its result `R`.
    fn visit<P, R>(&mut self, info: &CallInfo)
    where
        P: ts_rs::TS + schemars::JsonSchema + 'static,
        R: ts_rs::TS + schemars::JsonSchema + 'static;
}

/// Decodes the params, makes a call, and encodes its result.
type PerformCall<C> = fn(&Engine, &CallContext, <C as Codec>::Value) -> Result<<C as Codec>::Value, EngineError>;

/// Makes the call with this name. Errors are redacted by the project's own patterns too, because they can quote stored
/// text.
pub fn call<C: Codec>(
    engine: &Engine,
    context: &CallContext,
    name: &str,
    params: C::Value,
) -> Result<C::Value, EngineError> {
    dispatch::<C>(engine, context, name, params).map_err(|error| error.redacted_by(&engine.analyzer))
}

/// Makes a call with an id, and stores its answer in the same transaction, so that repeating the call returns the same
/// answer.
pub fn call_once<C: Codec>(
    engine: &Engine,
    context: &CallContext,
    name: &str,
    params: C::Value,
) -> Result<C::Value, EngineError> {
    let Some(call_id) = context.call_id().filter(|_| is_writing_call(name)) else {
        return call::<C>(engine, context, name, params);
    };
    let read_answer = || -> Result<Option<C::Value>, EngineError> {
        let read_call = |tx: &mut Tx<'_>| Ok(store_calls::read_state(tx, call_id)?);
        match engine.read(context, read_call)? {
            CallState::NotMade => Ok(None),
            CallState::AnswerMissing => Err(call_repeated_error()),
            CallState::Answered(before) if before.method == name => C::from_json(&before.answer).map(Some),
            CallState::Answered(_) => Err(EngineError::invalid_input("This callId was already used for another call.")),
        }
    };
    let make_once = || {
        if let Some(value) = read_answer()? {
            return Ok(value);
        }
        let value = dispatch::<C>(engine, context, name, params)?;
        let answered = StoredAnswer { method: name.to_owned(), answer: C::to_json(&value)? };
        let store = |tx: &mut Tx<'_>| Ok(store_calls::store_answer(tx, call_id, &answered)?);
        engine.write_unmarked(context, store)?;
        Ok(value)
    };
    let result = match engine.database.in_one_transaction(context.now_ms, make_once) {
        // If the same call is made twice at once, the first is stored and the second fails. Both return the stored
        // answer.
        Err(error) => read_answer().ok().flatten().ok_or(error),
        Ok(value) => Ok(value),
    };
    result.map_err(|error: EngineError| error.redacted_by(&engine.analyzer))
}

fn is_writing_call(name: &str) -> bool {
    CALLS.iter().any(|info| info.name == name && info.access != Access::Reads)
}

macro_rules! calls {
    ($(
        #[doc = $docs:literal]
        $access:ident $audience:ident $name:literal: $function:path, $params:ty => $result:ty;
    )+) => {
        /// All calls.
        pub const CALLS: &[CallInfo] = &[$(CallInfo {
            name: $name,
            docs: $docs,
            access: Access::$access,
            audience: Audience::$audience,
        }),+];

        fn dispatch<C: Codec>(
            engine: &Engine,
            context: &CallContext,
            name: &str,
            params: C::Value,
        ) -> Result<C::Value, EngineError> {
            // Function pointers prevent inlining, so each call stays a separate function in the compiled wasm. V8
            // compiles a function when it is first called. With all calls inlined here, the first call would wait for
            // all of them.
            let perform: PerformCall<C> = match name {
                $($name => |engine, context, params| {
                    let params: $params = C::decode(params)?;
                    let result: $result = $function(engine, context, &params)?;
                    C::encode(&result)
                },)+
                _ => return Err(EngineError::invalid_input("This call does not exist; a valid call is 'overview'.")),
            };
            perform(engine, context, params)
        }

        /// Shows every call to a visitor, in the order of the list.
        #[cfg(feature = "types")]
        pub fn visit_all(visitor: &mut impl CallVisitor) {
            let mut infos = CALLS.iter();
            $(visitor.visit::<$params, $result>(infos.next().expect(concat!("the list has ", $name)));)+
        }
    };
}

calls! {
    /// Returns the number of patterns and the newest run.
    Reads Team "overview": overview::overview, c::NoParams => c::Overview;
    /// Returns the signature version. Memories with equal signature versions produce equal signatures.
    Reads Team "recipe": overview::recipe, c::NoParams => c::SignatureVersionResult;
    /// Reads the reports of a run. Returns the run without files and secrets, so that it can be recorded later.
    Reads Host "prepareRun": prepare_run::prepare_run, c::RecordRunParams => c::RecordRunParams;
    /// Returns the failures of a run with known fixes. Stores nothing, because another memory records the run.
    Reads Host "knownFailures": known_failures::known_failures, c::RecordRunParams => Vec<c::FailureBrief>;
    /// Returns the errors of a run with keys to find them elsewhere. Does not read the memory.
    Reads Host "runErrors": run_errors::run_errors, c::RecordRunParams => c::RunErrors;
    /// Records a finished run from its reports, else from the output of the command.
    Writes Team "recordRun": record_run::record_run, c::RecordRunParams => c::RunResult;
    /// Records a run that was recorded elsewhere, once. Returns all its failures with verdicts.
    Writes Team "importRun": import_run::import_run, c::ImportRunParams => c::HistoricRun;
    /// Lists tests that have failed before, unhealthy tests first.
    Reads Team "tests": evidence::test_states::tests, c::TestsParams => c::TestsResult;
    /// Returns the results of a test over its runs.
    Reads Team "testHistory": evidence::test_history::test_history, c::TestHistoryParams => c::TestHistoryResult;
    /// Lists tests whose result changed since a commit.
    Reads Team "testChanges": evidence::test_changes::test_changes, c::TestChangesParams => c::TestChangesResult;
    /// Lists tests of an earlier run that did not run in this run.
    Reads Team "missingTests":
        evidence::missing_tests::missing_tests, c::MissingTestsParams => c::MissingTestsResult;
    /// Returns what is known about the tests of the current files.
    Reads Team "receipt": evidence::receipt::receipt, c::ReceiptParams => c::ReceiptResult;
    /// Lists the failures of the newest runs that cost most, with the step that ends each.
    Reads Team "walls": evidence::walls::walls, c::WallsParams => c::WallsResult;
    /// Lists changes after which failures were gone, with their proof.
    Reads Team "fixes": evidence::fixes::fixes, c::NoParams => c::FixesResult;
    /// Returns the changes of an edit that fixed a failure.
    Reads Team "edit": evidence::edits::edit, c::EditParams => c::EditResult;
    /// Returns commits whose messages look like fixes and that are not learned yet.
    Reads Host "likelyFixes": evidence::learned_commits::likely_fixes, c::LikelyFixesParams => c::LikelyFixesResult;
    /// Stores which tests and symbols commits changed together, as hints for later failures.
    Writes Host "learnCommits":
        evidence::learned_commits::learn_commits, c::LearnCommitsParams => c::LearnCommitsResult;
    /// Lists runs, newest first.
    Reads Team "history": history::history, c::HistoryParams => c::HistoryResult;
    /// Returns a run with its cases.
    Reads Team "runDetail": history::run_detail, c::RunDetailParams => c::RunDetail;
    /// Diagnoses a failure, with fixes that helped before. Counts as an occurrence.
    Writes Team "diagnose": diagnose::diagnose, c::DiagnoseParams => c::DiagnosticResult;
    /// Records whether a fix worked.
    Writes Team "reportFix": report_fix::report_fix, c::ReportFixParams => c::ReportFixResult;
    /// Records a fix directly on a pattern.
    Writes Team "recordFix": report_fix::record_fix, c::RecordFixParams => c::FixRecord;
    /// Lists patterns in the requested order.
    Reads Team "patterns": patterns::patterns, c::PatternsParams => c::PatternsResult;
    /// Returns a pattern with its history.
    Reads Team "pattern": resources::pattern, c::IdParams => c::PatternDetail;
    /// Returns the pattern of an exact signature.
    Reads Team "findBySignature": patterns::find_by_signature, c::SignatureParams => Option<c::FailurePattern>;
    /// Returns known incidents and ranked solutions of a problem. Records the search.
    Writes Team "rankedSolutions":
        ranked_solutions::ranked_solutions, c::RankedSolutionsParams => c::RankedSolutionsResult;
    /// Records whether a solution worked.
    Writes Team "recordOutcome":
        record_outcome::record_outcome, c::RecordOutcomeParams => c::RecordOutcomeResult;
    /// Adds a solution to an incident, or to a pattern.
    Writes Team "addSolution": add_solution::add_solution, c::AddSolutionParams => c::AddSolutionResult;
    /// Adds an incident with its solution and outcome, unless a similar incident exists.
    Writes Team "addIncident": add_incident::add_incident, c::AddIncidentParams => c::AddIncidentResult;
    /// Imports incidents from JSON lines, one incident per line, in a single transaction.
    Writes Team "memoryImport": import::import, c::MemoryImportParams => c::MemoryImportResult;
    /// Exports a page of the incidents with their solutions and outcomes.
    Reads Team "memoryExport": export::export, c::MemoryExportParams => c::MemoryExportPage;
    /// Exports a page of the learned patterns with their solutions.
    Reads Team "patternsExport":
        exchanged::export::export, c::PatternsExportParams => c::PatternsExportPage;
    /// Imports patterns of another memory in a single transaction. A repeated import changes nothing.
    Writes Team "patternsImport":
        exchanged::import::import, c::PatternsImportParams => c::PatternsImportResult;
    /// Returns the new files to share through the repository.
    Reads Host "shareWrite": sharing::write::build_shared_files, c::ShareParams => c::ShareResult;
    /// Checks files that a repository shares. Needs no memory.
    Reads Host "shareCheck": sharing::check::check_shared_files, c::SharedFilesParams => c::ShareCheckResult;
    /// Imports files that a repository shares into a separate database.
    Writes Host "shareTake": sharing::take::import_shared_files, c::SharedFilesParams => c::SharedImportResult;
    /// Returns the ids of incidents that match a text, best first.
    Reads Team "memorySearch": search::search, c::MemorySearchParams => c::MemorySearchResult;
    /// Returns an incident of either memory with its solutions and outcomes.
    Reads Page "incident": incident::incident, c::IdParams => c::IncidentDetail;
    /// Returns ids with a prefix, newest first, at most 100.
    Reads Team "completeIds": resources::complete_ids, c::CompleteIdsParams => Vec<String>;
    /// Writes a copy of the database. Readers can continue meanwhile, writers wait.
    Reads Host "snapshot": snapshot::snapshot, c::SnapshotParams => ();
    /// Fails with the reason if the database cannot be written.
    Writes Team "checkWrite": overview::check_write, c::NoParams => ();
    /// Adds a token to a server's database.
    Writes Host "createToken": access::create_token, c::CreateTokenParams => c::Token;
    /// Lists the tokens of a server, oldest first.
    Reads Host "tokens": access::tokens, c::NoParams => c::TokensResult;
    /// Revokes a token.
    Writes Host "revokeToken": access::revoke_token, c::IdParams => c::RevokeTokenResult;
    /// Records the use of a token.
    Writes Host "noteTokenUsed": access::note_token_used, c::IdParams => ();
    /// Adds an entry to a server's audit log.
    Writes Host "noteAudit": access::note_audit, c::AuditParams => ();
    /// Returns a server's audit log, newest first.
    Reads Host "auditLog": access::audit_log, c::AuditLogParams => c::AuditLog;
    /// Returns current problems: failures of the newest run, other unhealthy tests, and unproved fixes.
    Reads Page "viewNow": viewer::current_problems::view_now, c::NoParams => c::ViewNowResult;
    /// Returns the counts for the head of a page.
    Reads Page "viewOverview": viewer::overview::view_overview, c::NoParams => c::ViewOverview;
    /// Lists patterns, with counts by category.
    Reads Page "viewPatterns": viewer::patterns::view_patterns, c::ViewPatternsParams => c::ViewPatternsResult;
    /// Returns a pattern with all its details.
    Reads Page "viewPattern": viewer::pattern::view_pattern, c::ViewPatternParams => c::ViewPatternResult;
    /// Lists runs, newest first.
    Reads Page "viewRuns": viewer::runs::view_runs, c::ViewRunsParams => c::ViewRunsResult;
    /// Returns a run and a page of its cases.
    Reads Page "viewRun": viewer::run::view_run, c::ViewRunParams => c::ViewRunResult;
    /// Returns a failed case of a run.
    Reads Page "viewCase": viewer::run::view_case, c::ViewCaseParams => c::ViewCaseResult;
    /// Compares two runs.
    Reads Page "viewComparison":
        viewer::comparison::view_comparison, c::ViewComparisonParams => c::ViewComparisonResult;
    /// Returns a grid of tests and runs.
    Reads Page "viewGrid": viewer::grid::view_grid, c::ViewGridParams => c::ViewGridResult;
    /// Returns the results of the newest runs, oldest first.
    Reads Page "viewTrend": viewer::overview::view_trend, c::ViewTrendParams => c::ViewTrendResult;
    /// Returns unhealthy tests, results of runs over time, slow tests, and fixes with their proof.
    Reads Page "health": viewer::health::health, c::HealthParams => c::HealthResult;
    /// Lists incidents that match a text, or all, newest first.
    Reads Page "viewIncidents": browse::view_incidents, c::ViewIncidentsParams => c::ViewIncidentsResult;
    /// Lists environments to choose from.
    Reads Page "viewEnvironments": browse::view_environments, c::NoParams => c::ViewEnvironmentsResult;
    /// Analyzes a text, with matches from the memory.
    Reads Page "viewInspection":
        viewer::inspection::view_inspection, c::ViewInspectionParams => c::ViewInspectionResult;
    /// Replaces learned values of a pattern with values that a person chose.
    Edits Page "editPattern": viewer::edit::edit_pattern, c::EditPatternParams => c::PatternTableRow;
    /// Merges two patterns.
    Edits Page "mergePatterns": viewer::edit::merge_patterns, c::MergePatternsParams => c::PatternTableRow;
    /// Separates a merged pattern again.
    Edits Page "splitPattern": viewer::edit::split_pattern, c::SplitPatternParams => c::PatternTableRow;
    /// Marks a fix as wrong, or removes this mark. Only a person may decide this.
    Edits Page "markFix": viewer::edit::mark_fix, c::MarkFixParams => c::MarkFixResult;
}
