//! Makes every call of `calls.rs` with every field of its parameters, once on SQLite and once on PostgreSQL. Ids and
//! clock are the same, so each answer of PostgreSQL must equal the answer of SQLite.

use super::{create_database_copy, open_file};
use crate::tests::prelude::*;
use argus_store::{CheckedSchemas, Postgres};
use std::cell::RefCell;

/// Calls that need a local file. PostgreSQL rejects the first, and answers the others as if no commits were known.
const CALLS_WITH_LOCAL_FILES: [&str; 3] = ["snapshot", "likelyFixes", "learnCommits"];

/// A call with its answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MadeCall {
    pub(crate) name: &'static str,
    pub(crate) params: Value,
    pub(crate) answer: Result<Value, (ErrorCode, String)>,
}

/// An engine and the calls that it answered.
pub(crate) struct CallSequence {
    engine: Engine,
    made: RefCell<Vec<MadeCall>>,
}

impl CallSequence {
    /// Makes every call.
    pub(crate) fn run_all(database: Database, reports: impl ReportFiles + 'static) -> Self {
        let engine = Engine::new(database, EngineOptions::default()).unwrap().with_reports(reports);
        let play = Self { engine, made: RefCell::default() };
        play.record_runs();
        play.fill_memory();
        play.edit_patterns();
        play.exchange_data();
        play.make_reading_calls();
        play.make_server_calls();
        play
    }

    pub(crate) fn made_calls(&self) -> Vec<MadeCall> {
        self.made.borrow().clone()
    }

    /// Makes a call a second after the previous call. Returns null if the call fails.
    pub(crate) fn call(&self, name: &'static str, params: Value) -> Value {
        let number = self.made.borrow().len();
        let context =
            CallContext::with_call_id(START_MS + i64::try_from(number).unwrap() * 1000, &format!("call-{number}"));
        let answer = call_once::<Json>(&self.engine, &context, name, params.clone());
        let value = answer.as_ref().ok().cloned().unwrap_or_default();
        let answer = answer.map_err(|error: EngineError| (error.code, error.message));
        self.made.borrow_mut().push(MadeCall { name, params, answer });
        value
    }

    /// Makes a listing call twice: with all entries, and with a page from the middle.
    fn list_twice(&self, name: &'static str, params: Value) {
        self.call(name, replace_fields(&params, &json!({ "limit": 2, "offset": 1 })));
        self.call(name, params);
    }

    /// Returns the id in the first answer of this call that has the field.
    fn find_id(&self, name: &str, field: &str) -> String {
        let made = self.made.borrow();
        let answers = made.iter().filter(|made| made.name == name).filter_map(|made| made.answer.as_ref().ok());
        let mut ids = answers.filter_map(|answer| answer.pointer(field)?.as_str());
        ids.next().unwrap_or_else(|| panic!("{name} answered no {field}")).to_owned()
    }

    /// Records runs of ten commits: a test breaks, is fixed by an edit, and breaks again. Other tests fail once or
    /// randomly.
    fn record_runs(&self) {
        for name in ["overview", "recipe", "checkWrite", "viewNow", "viewOverview", "fixes"] {
            self.call(name, json!({}));
        }
        let green = [passed_case("boom"), passed_case("fine"), skipped_case("later")];
        for commit in 1..=8 {
            self.call("recordRun", run_params(commit, &format!("tree of {commit}"), &[], &green));
        }
        self.call("recordRun", run_params(9, "t1", &[], &[failed_case("boom", UNKNOWN_ERROR), passed_case("fine")]));
        let mended = [
            json!({ "path": "src/flux.ts", "digest": "d1", "hunks": "-  return 1;\n+  return 2;\n", "untracked": false }),
        ];
        self.call("recordRun", run_params(9, "t2", &mended, &[passed_case("boom"), passed_case("fine")]));
        self.call("fixes", json!({}));
        self.call("recordRun", run_params(9, "t2", &mended, &[passed_case("boom"), flaky_case("fine")]));
        let broken = [
            failed_case("boom", UNKNOWN_ERROR),
            failed_case("ärger", CONNECTION_REFUSED_ERROR),
            failed_case("Zorn", "Error: Straße gesperrt"),
        ];
        self.call("recordRun", run_params(10, "t3", &[], &broken));
        let more = json!({ "reports": [{ "path": "ctrf.json", "format": "ctrf" }], "shuffle": { "seed": "7", "option": "--seed" } });
        let full = replace_fields(&run_params(10, "t4", &mended, &broken), &more);
        for name in ["prepareRun", "knownFailures", "runErrors", "recordRun"] {
            self.call(name, full.clone());
        }
        let foreign = json!({ "foreign": true, "startedAt": START_MS - DAY_MS });
        for _ in 0..2 {
            self.call("importRun", json!({ "id": "elsewhere/7", "run": replace_fields(&full, &foreign) }));
        }
    }

    /// Diagnoses and fixes failures, and adds incidents, solutions and outcomes by calls and by import.
    fn fill_memory(&self) {
        let red = self.find_newest_failed_run();
        for case in ["boom", "ärger", "Zorn", "boom"] {
            self.call("diagnose", json!({ "runId": red, "caseName": case_name(case), "notSameAs": null }));
        }
        for (case, fix, success) in
            [("boom", "Tuned it", true), ("ärger", "Start the database", true), ("Zorn", "Drove around", false)]
        {
            let env = json!({ "os": "linux", "language": "python" });
            let fix = json!({ "runId": red, "caseName": case_name(case), "fixDescription": fix, "success": success, "env": env });
            self.call("reportFix", fix);
        }
        let earlier = self.find_id("reportFix", "/fixRecordId");
        self.call(
            "reportFix",
            json!({ "runId": red, "caseName": case_name("boom"), "fixDescription": "Tuned the pool",
            "success": true, "env": null, "supersedes": earlier }),
        );
        let pattern = self.find_id("reportFix", "/patternId");
        self.call(
            "recordRun",
            run_params(11, "t5", &[], &[passed_case("boom"), passed_case("ärger"), passed_case("Zorn")]),
        );
        self.call("recordFix", json!({ "patternId": pattern, "runId": red, "caseName": case_name("boom"), "fixDescription": "Kicked it", "success": true }));
        self.call(
            "diagnose",
            json!({ "runId": red, "caseName": case_name("boom"), "notSameAs": pattern, "once": false }),
        );
        let search = json!({ "query_text": "QueuePool limit of size 5 reached", "env": environment(), "limit": 5, "detected_env": { "os": "linux" } });
        let lookup = self.call("rankedSolutions", search.clone())["lookup_id"].clone();
        let bucket = json!("os_family=linux;language=python");
        for (title, force) in
            [("The pool is exhausted", false), ("the pool is exhausted", true), ("Ölstand zu niedrig", false)]
        {
            self.call("addIncident", json!({ "title": title, "error_signature": "TimeoutError: QueuePool limit of size 5 reached",
                "summary": "Requests hold a session", "tags": ["db", "Änderung"], "steps": "Close the session", "env": environment(),
                "env_bucket": null, "worked": true, "notes": "twice", "lookup_id": lookup, "force": force, "detected_env": {} }));
        }
        let incident = self.find_id("addIncident", "/incident_id");
        for id in [&incident, &pattern] {
            self.call(
                "addSolution",
                json!({ "incident_id": id, "steps": "Raise the limit", "env": environment(), "env_bucket": bucket,
                "lookup_id": lookup, "detected_env": {} }),
            );
        }
        let solution = self.find_id("addSolution", "/solution_id");
        for worked in [true, false, true] {
            self.call(
                "recordOutcome",
                json!({ "lookup_id": lookup, "solution_id": solution, "worked": worked, "env": environment(),
                "env_bucket": bucket, "notes": "seen", "detected_env": {} }),
            );
        }
        let lines = json!({ "title": "Imported", "tags": ["x"], "solutions": [{ "steps": "Do", "outcomes": [{ "worked": true }] }] });
        self.call("memoryImport", json!({ "lines": format!("{lines}\n{{no json") }));
        self.call("rankedSolutions", search);
        let diff = "diff --git a/src/cart.js b/src/cart.js\n--- a/src/cart.js\n+++ b/src/cart.js\n@@ -1,3 +1,3 @@\n \
                    export function total(items) {\n-  return 1;\n+  return 2;\n }\n";
        let commit = "a".repeat(40);
        self.call(
            "likelyFixes",
            json!({ "commits": [{ "commit": commit, "message": "fix: total of an empty cart" }] }),
        );
        self.call("learnCommits", json!({ "commits": [{ "commit": commit, "committedAt": 1000, "diff": diff }] }));
    }

    /// Edits learned patterns as a person does.
    fn edit_patterns(&self) {
        let run = self.find_newest_failed_run();
        let (into, from) = (self.find_id("reportFix", "/patternId"), self.find_learned_pattern("Zorn", &run));
        self.call(
            "editPattern",
            json!({ "id": into, "category": "TIMEOUT", "description": "Zeit läuft ab", "suggestedFix": "Wait" }),
        );
        self.call("mergePatterns", json!({ "from": from, "into": into }));
        self.call("viewPattern", json!({ "id": from }));
        self.call("splitPattern", json!({ "pattern": into, "part": from }));
        let fix = self.find_id("reportFix", "/fixRecordId");
        let solution = self.find_id("addSolution", "/solution_id");
        self.call("markFix", json!({ "fixId": fix, "solutionId": null, "wrong": true }));
        self.call("markFix", json!({ "fixId": fix, "solutionId": null, "wrong": false }));
        self.call("markFix", json!({ "fixId": null, "solutionId": solution, "wrong": true }));
    }

    /// Exports everything as lines and files, and imports it again.
    fn exchange_data(&self) {
        let lines = |page: &Value| page["lines"].clone();
        let page = self.call("memoryExport", json!({ "limit": 2 }));
        self.call("memoryExport", json!({ "limit": 2, "after": page["next"] }));
        self.call("memoryImport", json!({ "lines": lines(&page) }));
        let page = self.call("patternsExport", json!({ "limit": 2 }));
        self.call("patternsExport", json!({ "limit": 2, "after": page["next"] }));
        for into in [Value::Null, json!(self.find_id("reportFix", "/patternId"))] {
            self.call("patternsImport", json!({ "from": "ada", "into": into, "lines": lines(&page) }));
        }
        let machine = json!({ "roots": ["/home/ann/shop"], "home": "/home/ann", "hosts": ["anns-laptop"] });
        let found = json!([{ "fixId": self.find_id("fixes", "/fixes/0/fixId"), "fix": "Tuned it well" }]);
        let share = json!({ "by": "ann", "machine": machine, "present": [], "found": [] });
        self.call("shareWrite", replace_fields(&share, &json!({ "found": found })));
        let written = self.call("shareWrite", share);
        self.call("shareCheck", json!({ "files": written["files"] }));
        self.call("shareTake", json!({ "files": written["files"] }));
    }

    /// Makes all reading calls, with every sort order and every filter.
    fn make_reading_calls(&self) {
        for name in ["overview", "recipe", "fixes", "viewNow", "viewOverview", "viewEnvironments"] {
            self.call(name, json!({}));
        }
        let (run, first) = (self.find_newest_failed_run(), self.find_id("recordRun", "/runId"));
        let (pattern, incident) =
            (self.find_id("reportFix", "/patternId"), self.find_id("addIncident", "/incident_id"));
        for sort in ["confidence", "occurrences", "lastSeen"] {
            self.list_twice("patterns", json!({ "sortBy": sort, "source": null, "category": null }));
        }
        for source in ["learned", "built-in"] {
            self.list_twice("patterns", json!({ "source": source }));
            self.list_twice("viewPatterns", json!({ "source": source, "text": "E", "category": null }));
        }
        self.list_twice("patterns", json!({ "category": "TIMEOUT" }));
        for sort in
            ["category", "description", "confidence", "occurrences", "resolutions", "lastSeen", "source", "fixes"]
        {
            for descending in [false, true] {
                self.list_twice("viewPatterns", json!({ "sort": sort, "descending": descending }));
            }
        }
        for text in ["STRASSE", "straße", "läuft", "%", "_", ""] {
            self.list_twice("viewPatterns", json!({ "text": text }));
            self.list_twice("viewRun", json!({ "id": run, "text": text, "status": null }));
            self.list_twice("viewGrid", json!({ "text": text, "runs": 5, "only": null }));
            self.list_twice("viewIncidents", json!({ "text": text, "envBucket": null, "env": null }));
        }
        self.list_twice("viewIncidents", json!({ "text": "QueuePool limit", "env": environment() }));
        self.list_twice("viewIncidents", json!({ "envBucket": "os_family=linux;language=python" }));
        for id in [&pattern, "builtin-conn-refused"] {
            self.call("pattern", json!({ "id": id }));
            self.list_twice("viewPattern", json!({ "id": id }));
        }
        self.call("incident", json!({ "id": incident }));
        let signature = self.call("pattern", json!({ "id": pattern }))["pattern"]["signature"].clone();
        self.call("findBySignature", json!({ "signature": signature }));
        for kind in ["run", "pattern", "incident", "solution"] {
            self.call("completeIds", json!({ "kind": kind, "prefix": "" }));
        }
        for status in ["passed", "failed"] {
            self.list_twice("history", json!({ "status": status, "days": 30 }));
            self.list_twice("viewRuns", json!({ "status": status }));
        }
        self.list_twice("runDetail", json!({ "runId": run }));
        for status in ["passed", "failed", "flaky", "skipped"] {
            self.list_twice("viewRun", json!({ "id": run, "status": status }));
        }
        for only in ["flaky", "broken"] {
            self.list_twice("viewGrid", json!({ "only": only }));
        }
        for case in ["boom", "Zorn", "fine"] {
            self.call("viewCase", json!({ "runId": run, "caseName": case_name(case) }));
            self.list_twice("testHistory", json!({ "caseName": case_name(case) }));
        }
        self.list_twice("viewComparison", json!({ "base": first, "head": run }));
        self.call("viewTrend", json!({ "runs": 3 }));
        for by in ["day", "run"] {
            self.list_twice("health", json!({ "by": by }));
        }
        for state in ["broken", "flaky", "order", "environment", "healthy"] {
            self.list_twice("tests", json!({ "state": state, "name": "O" }));
        }
        self.list_twice("walls", json!({}));
        self.list_twice("testChanges", json!({ "since": "c2" }));
        self.call("missingTests", json!({ "runId": run, "baseRunIds": [first] }));
        let edits = [json!({ "path": "src/flux.ts", "digest": "d2", "hunks": "+  return 3;\n", "untracked": false })];
        for edits in [&[][..], &edits] {
            self.call("receipt", json!({ "git": run_params(11, "t5", edits, &[])["git"] }));
        }
        self.call("edit", json!({ "fixId": self.find_id("fixes", "/fixes/0/fixId") }));
        self.call(
            "memorySearch",
            json!({ "text": "pool exhausted", "env": environment(), "limit": 3, "threshold": 0.1 }),
        );
        let event = json!({ "text": UNKNOWN_ERROR, "exitCode": 1, "containerStatus": null, "exceptionType": "Error", "httpStatus": 503,
            "oomKilled": false, "runner": "vitest", "signal": null });
        self.call("viewInspection", json!({ "event": event, "caseName": case_name("boom") }));
        self.call("snapshot", json!({ "path": "/nowhere/at/all" }));
        let path = std::env::temp_dir().join(format!("argus-every-call-{}.db", std::process::id()));
        self.call("snapshot", json!({ "path": path }));
        let _ = std::fs::remove_file(path);
    }

    /// Makes the calls of a team server on its own memory.
    fn make_server_calls(&self) {
        for (id, projects, days) in [("one", json!(["shop"]), json!(30)), ("two", Value::Null, Value::Null)] {
            self.call(
                "createToken",
                json!({ "id": id, "name": "Ada", "digest": "0".repeat(64), "scope": "write",
                "projects": projects, "expiresInDays": days }),
            );
        }
        self.call("noteTokenUsed", json!({ "id": "one" }));
        self.call("revokeToken", json!({ "id": "one" }));
        self.call("tokens", json!({}));
        for is_denied in [true, false] {
            self.call(
                "noteAudit",
                json!({ "tokenId": "one", "project": "shop", "action": "markFix", "isDenied": is_denied }),
            );
        }
        self.call("auditLog", json!({ "limit": 1 }));
    }

    /// Returns the newest run with three failures.
    fn find_newest_failed_run(&self) -> String {
        let made = self.made.borrow();
        let runs = made.iter().filter(|made| made.name == "recordRun").filter_map(|made| made.answer.as_ref().ok());
        let mut red =
            runs.filter(|answer| answer["totals"]["failed"] == 3).filter_map(|answer| answer["runId"].as_str());
        red.next_back().expect("a run with three failures").to_owned()
    }

    fn find_learned_pattern(&self, case: &str, run: &str) -> String {
        let known = self.call("diagnose", json!({ "runId": run, "caseName": case_name(case) }));
        known["pattern"]["id"].as_str().expect("it was learned").to_owned()
    }
}

fn case_name(case: &str) -> String {
    format!("flux.test.ts > suite > {case}")
}

fn environment() -> Value {
    json!({ "os": "linux", "language": "python" })
}

fn build_case(name: &str, status: &str, error: Option<&str>) -> Value {
    json!({ "file": "flux.test.ts", "suite": ["suite"], "name": name, "status": status, "runnerStatus": null, "flaky": false,
        "durationMs": 2.5, "attempts": 1, "errorType": null, "error": error, "stdoutTail": "tuning", "stderrTail": null,
        "runner": null })
}

fn failed_case(name: &str, error: &str) -> Value {
    build_case(name, "failed", Some(error))
}

fn passed_case(name: &str) -> Value {
    build_case(name, "passed", None)
}

fn skipped_case(name: &str) -> Value {
    build_case(name, "skipped", None)
}

fn flaky_case(name: &str) -> Value {
    replace_fields(&passed_case(name), &json!({ "flaky": true, "attempts": 2 }))
}

/// Parameters of a run of a commit with its parent. Every parameter of a run is set.
fn run_params(commit: u32, tree: &str, edits: &[Value], cases: &[Value]) -> Value {
    let (commit, parent) = (format!("c{commit}"), format!("c{}", commit - 1));
    let commits = json!([{ "commit": commit, "parents": [parent], "authoredAt": 1000, "files": ["src/flux.ts"], "tree": null,
            "hunks": null }]);
    let git = json!({ "commit": commit, "branch": "main", "dirty": !edits.is_empty(), "untrackedOnly": false, "tree": tree, "commits": commits,
        "edits": edits });
    let exit_code = i32::from(cases.iter().any(|case| case["status"] == "failed"));
    json!({ "command": "npm test", "runner": "vitest", "startedAt": null, "durationMs": 12.5, "exitCode": exit_code, "signal": null,
        "timedOut": false, "interrupted": false, "silentMs": null, "git": git, "reports": [], "outputTail": "Error: out of tune", "containers":
        [{ "name": "db", "status": "running", "oomKilled": false, "exitCode": 0 }], "notes": ["slow"], "cases": cases,
        "unread": [{ "at": "junit.xml", "reason": "no report", "incomplete": false }], "expectsTests": true, "folder": "packages", "filter": null,
        "printed": { "summary": "Tests: 1 total", "tests": 1, "failed": 0 }, "environment": { "os": "linux" }, "foreign": false, "orderUnknown": false, "printedNames": true, "shuffle": null })
}

/// Returns the object with some fields replaced.
fn replace_fields(object: &Value, fields: &Value) -> Value {
    let mut all = object.as_object().unwrap().clone();
    all.extend(fields.as_object().unwrap().clone());
    all.into()
}

/// Returns a report with a single failure for every path.
#[derive(Debug)]
struct OneReport;

impl ReportFiles for OneReport {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        let test =
            json!({ "name": "reported", "filePath": "flux.test.ts", "status": "failed", "message": "out of tune" });
        let results = json!({ "tool": { "name": "vitest" }, "summary": { "tests": 1 }, "tests": [test] });
        Ok(Box::new(Cursor::new(json!({ "results": results }).to_string())))
    }
}

/// The fields of each call's parameters from their JSON Schemas, for example `run.cases.name`.
#[derive(Default)]
struct CallFields(BTreeMap<&'static str, BTreeSet<String>>);

impl CallVisitor for CallFields {
    fn visit<P, R>(&mut self, info: &CallInfo)
    where
        P: ts_rs::TS + schemars::JsonSchema + 'static,
        R: ts_rs::TS + schemars::JsonSchema + 'static,
    {
        let schema = Value::from(schemars::schema_for!(P));
        let mut fields = BTreeSet::new();
        add_fields(&schema, &schema["$defs"], "", &mut fields);
        self.0.insert(info.name, fields);
    }
}

fn add_fields(schema: &Value, definitions: &Value, prefix: &str, fields: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        add_fields(&definitions[name], definitions, prefix, fields);
    }
    let choices = ["anyOf", "oneOf", "allOf"].iter().filter_map(|word| schema[word].as_array()).flatten();
    choices.chain([&schema["items"]]).for_each(|part| {
        if part.is_object() {
            add_fields(part, definitions, prefix, fields);
        }
    });
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        fields.insert(format!("{prefix}{name}"));
        add_fields(field, definitions, &format!("{prefix}{name}."), fields);
    }
}

/// Removes the fields of these params from the remaining fields.
fn remove_given_fields(params: &Value, prefix: &str, left: &mut BTreeSet<String>) {
    params.as_array().into_iter().flatten().for_each(|item| remove_given_fields(item, prefix, left));
    for (name, value) in params.as_object().into_iter().flatten() {
        left.remove(&format!("{prefix}{name}"));
        remove_given_fields(value, &format!("{prefix}{name}."), left);
    }
}

fn make_calls_on_sqlite() -> Vec<MadeCall> {
    CallSequence::run_all(open_file(":memory:").unwrap(), OneReport).made_calls()
}

#[test]
fn every_call_is_made_with_every_field_and_succeeds() {
    let made = make_calls_on_sqlite();
    let mut left = CallFields::default();
    visit_all(&mut left);
    assert_eq!(left.0.len(), CALLS.len());
    for MadeCall { name, params, .. } in &made {
        remove_given_fields(params, "", left.0.get_mut(name).unwrap());
    }
    left.0.retain(|_, left| !left.is_empty());
    assert!(left.0.is_empty(), "no call gives these: {:#?}", left.0);
    let answered: BTreeSet<_> = made.iter().filter(|made| made.answer.is_ok()).map(|made| made.name).collect();
    let unanswered = CALLS.iter().map(|call| call.name).filter(|name| !answered.contains(name));
    let refusals: Vec<_> = unanswered.map(|name| (name, made.iter().find(|made| made.name == name))).collect();
    assert!(refusals.is_empty(), "{refusals:#?}");
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn postgres_gives_the_same_answers_as_sqlite() {
    // A project that was never written, like the new file.
    let project =
        Postgres::new(create_database_copy().connect().unwrap(), "played", CheckedSchemas::default()).unwrap();
    let (there, here) =
        (CallSequence::run_all(Database::Postgres(project), OneReport).made_calls(), make_calls_on_sqlite());
    assert_eq!(there.len(), here.len());
    for (at, (there, here)) in there.iter().zip(&here).enumerate() {
        assert!(
            there == here || CALLS_WITH_LOCAL_FILES.contains(&here.name),
            "call {at} differs:\n{there:#?}\n{here:#?}"
        );
    }
    let refused = there.iter().filter(|made| made.name == "snapshot").filter_map(|made| made.answer.as_ref().err());
    assert!(refused.map(|(code, _)| *code).eq([ErrorCode::DatabaseUnavailable; 2]));
}
