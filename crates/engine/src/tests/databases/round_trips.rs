//! The number of round trips of a call on PostgreSQL, because each takes as long as the network is far. It uses the
//! server of `ARGUS_TEST_POSTGRES`, which `npm run test:full` starts.

use super::create_database_copy;
use crate::tests::prelude::*;
use argus_store::{CheckedSchemas, Postgres};

/// A project on a connection that counts round trips.
struct CountedProject {
    engine: Engine,
    driver: Rc<NativeDriver>,
    project: String,
    known: CheckedSchemas,
    calls: Cell<u32>,
}

impl CountedProject {
    fn new() -> Self {
        let copied = create_database_copy();
        let (driver, project) = (copied.connect().unwrap(), copied.project().to_owned());
        let known = CheckedSchemas::default();
        let database = Postgres::new(Rc::<NativeDriver>::clone(&driver), &project, known.clone()).unwrap();
        let engine = Engine::new(Database::Postgres(database), EngineOptions::default()).unwrap();
        let far = Self { engine, driver, project, known, calls: Cell::new(0) };
        // Creates the schema and checks that it exists.
        far.call("checkWrite", json!({}));
        far
    }

    /// Makes a call as another machine of the team does. Returns the number of round trips and the answer.
    fn call(&self, name: &str, params: Value) -> (u32, Value) {
        let number = self.calls.get() + 1;
        self.calls.set(number);
        let database =
            Postgres::new(Rc::<NativeDriver>::clone(&self.driver), &self.project, self.known.clone()).unwrap();
        let engine = self.engine.with_database(Database::Postgres(database), RecorderOptions::default());
        let context = CallContext::with_call_id(START_MS + i64::from(number) * 1000, &format!("call-{number}"));
        self.driver.take_round_trips();
        let answer = call_once::<Json>(&engine, &context, name, params).unwrap();
        (self.driver.take_round_trips(), answer)
    }

    fn run(&self, cases: &[Value]) -> (u32, String) {
        let (asked, run) = self.call("recordRun", json!({ "command": "npm test", "exitCode": 1, "timedOut": false, "reports": [], "containers": [], "notes": [], "cases": cases }));
        (asked, run["runId"].as_str().unwrap().to_owned())
    }

    fn on_commit(&self, commit: &str, cases: &[Value]) {
        let git = json!({ "commit": commit, "branch": "main", "dirty": false });
        self.call("recordRun", json!({ "command": "npm test", "exitCode": 1, "timedOut": false, "reports": [], "containers": [], "notes": [], "cases": cases, "git": git }));
    }
}

fn build_case(name: &str, error: Option<&str>) -> Value {
    let status = if error.is_some() { "failed" } else { "passed" };
    json!({ "suite": [], "name": name, "status": status, "flaky": false, "attempts": 1, "error": error })
}

fn incident_params(number: usize) -> Value {
    let title = format!("The boiler number{number} is cold in room{}", number % 50);
    let outcomes = json!([{ "worked": true }, { "worked": false }]);
    let solutions = json!([{ "steps": format!("Light boiler {number}"), "outcomes": outcomes }]);
    json!({ "type": "incident", "id": format!("inc-{number}"), "title": title, "solutions": solutions })
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn calls_stay_within_their_round_trip_limits() {
    let far = CountedProject::new();
    let lines: Vec<String> = (0..500).map(|number| incident_params(number).to_string()).collect();
    let (import, imported) = far.call("memoryImport", json!({ "lines": lines.join("\n") }));
    assert_eq!([&imported["added"], &imported["solutions"], &imported["outcomes"]], [500, 500, 1000]);
    let cases: Vec<Value> =
        (0..200).map(|at| build_case(&format!("case {at}"), (at < 3).then_some(UNKNOWN_ERROR))).collect();
    let (record, run) = far.run(&cases);
    let failure = json!({ "runId": run, "caseName": "case 0" });
    let (new, _) = far.call("diagnose", failure.clone());
    let (without_fix, _) = far.call("diagnose", failure.clone());
    let mut fix = failure.clone();
    fix["fixDescription"] = "Tuned it".into();
    fix["success"] = true.into();
    let (report, _) = far.call("reportFix", fix);
    let (known, _) = far.call("diagnose", failure);
    let (patterns, _) = far.call("patterns", json!({}));
    let (history, told) = far.call("testHistory", json!({ "caseName": "case 0" }));
    assert_eq!(told["runs"].as_array().map(Vec::len), Some(1));
    far.on_commit("a1", &cases);
    far.on_commit("b2", &cases[1..]);
    let (changes, told) = far.call("testChanges", json!({ "since": "a1" }));
    assert_eq!(told["counts"]["stillFailing"], 2);
    let added = json!({ "title": "The till is stuck", "steps": "Oil it.", "worked": true, "env": {} });
    let (_, added) = far.call("addIncident", added);
    let search = json!({ "query_text": "The boiler number7 is cold", "env": {} });
    let (ranked, _) = far.call("rankedSolutions", search);
    let outcome = json!({ "solution_id": added["solution_id"], "worked": true, "env": {} });
    let (outcome, _) = far.call("recordOutcome", outcome);
    let (reworded, imported) = far.call("memoryImport", json!({ "lines": lines.join("\n").replace("cold", "hot") }));
    assert_eq!([&imported["updated"], &imported["solutions"], &imported["outcomes"]], [500, 0, 0]);
    let failures: Vec<Value> = (0..100).map(|at| build_case(&format!("other {at}"), Some(UNKNOWN_ERROR))).collect();
    let (_, run) = far.run(&failures);
    for at in 0..100 {
        let failure =
            json!({ "runId": run, "caseName": format!("other {at}"), "fixDescription": "Tuned it", "success": true });
        far.call("reportFix", failure);
    }
    let (health, seen) = far.call("health", json!({ "limit": 200 }));
    assert_eq!([&seen["runs"], &seen["total"]], [4, 103]);
    let (export, page) = far.call("patternsExport", json!({ "limit": 200 }));
    let other = CountedProject::new();
    let taken = json!({ "lines": page["lines"], "from": "ada" });
    let (take, imported) = other.call("patternsImport", taken.clone());
    assert_eq!([&imported["added"], &imported["solutions"], &imported["outcomes"]], [101, 101, 101]);
    let (take_again, imported) = other.call("patternsImport", taken);
    assert_eq!([&imported["updated"], &imported["solutions"], &imported["outcomes"]], [101, 0, 0]);
    let asked = [
        ("health, 103 tests", health, 12),
        ("patternsExport, 101 patterns", export, 12),
        ("patternsImport, 101 patterns", take, 30),
        ("patternsImport, 101 patterns again", take_again, 24),
        ("diagnose", known, 12),
        ("diagnose, no pattern yet", new, 24),
        ("diagnose, no fix", without_fix, 26),
        ("reportFix", report, 11),
        ("patterns", patterns, 3),
        ("testHistory", history, 14),
        ("testChanges", changes, 16),
        ("rankedSolutions", ranked, 17),
        ("recordOutcome", outcome, 6),
        ("recordRun, 200 cases", record, 24),
        ("memoryImport, 500 incidents", import, 100),
        ("memoryImport, 500 incidents again in other words", reworded, 100),
    ];
    let over: Vec<_> = asked.iter().filter(|(_, asked, most)| asked > most).collect();
    assert!(over.is_empty(), "{over:?} of {asked:?}");
}
