//! Calls with an id, which are made once in the same transaction as their answer.

use super::{create_database_copy, open_memory};
use crate::tests::prelude::*;
use argus_store::patterns;

fn make_call_once(world: &World, call_id: &str, name: &str, params: &Value) -> Result<Value, EngineError> {
    let context = CallContext::with_call_id(START_MS, call_id);
    call_once::<Json>(&world.engine, &context, name, params.clone())
}

fn incident_params(title: &str) -> Value {
    json!({ "title": title, "steps": "Turn it off and on", "worked": true, "env": {} })
}

fn count_incidents(world: &World) -> usize {
    view_incidents(&world.engine, &world.context(), &ViewIncidentsParams::default()).unwrap().incidents.len()
}

#[test]
fn a_repeated_call_returns_its_first_answer_and_writes_nothing() {
    let world = World::new();
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let case = json!({ "runId": run, "caseName": "boom" });
    let fix = json!({ "runId": run, "caseName": "boom", "fixDescription": "Tuned it", "success": true });
    let outcome = |solution: &str| json!({ "solution_id": solution, "worked": true, "env": {} });
    let added = make_call_once(&world, "call-1", "addIncident", &incident_params("The boiler is cold")).unwrap();
    let solution = added["solution_id"].as_str().unwrap();
    for (name, params) in [
        ("diagnose", &case),
        ("reportFix", &fix),
        ("recordOutcome", &outcome(solution)),
        ("rankedSolutions", &json!({ "query_text": "The boiler is cold", "env": {} })),
    ] {
        let first = make_call_once(&world, name, name, params).unwrap();
        assert_eq!(make_call_once(&world, name, name, params).unwrap(), first, "{name}");
    }
    assert_eq!(make_call_once(&world, "call-1", "addIncident", &incident_params("The boiler is cold")).unwrap(), added);
    assert_eq!(count_incidents(&world), 1);
    let diagnosed = world.diagnose(&run, "boom").unwrap().pattern.unwrap();
    assert_eq!((diagnosed.occurrences, diagnosed.resolutions), (2, 1));
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn concurrent_equal_calls_are_made_once_with_the_same_answer() {
    const ROUNDS: usize = 30;
    let copied = create_database_copy();
    let call = |call_id: &str, name: &str, params: &Value| {
        let engine = Engine::new(open_memory(&copied), EngineOptions::default()).unwrap();
        call_once::<Json>(&engine, &CallContext::with_call_id(START_MS, call_id), name, params.clone()).unwrap()
    };
    let cases = json!([{ "suite": [], "name": "boom", "status": "failed", "flaky": false, "attempts": 1, "error": UNKNOWN_ERROR }]);
    let run = json!({ "timedOut": false, "reports": [], "containers": [], "notes": [], "cases": cases });
    let run = call("run", "recordRun", &run);
    let case = json!({ "runId": run["runId"], "caseName": "boom" });
    for round in 0..ROUNDS {
        let twice = |name: &str, params: &Value| {
            let call_id = format!("{name}-{round}");
            let both = std::thread::scope(|scope| {
                let made = [(); 2].map(|()| scope.spawn(|| call(&call_id, name, params)));
                made.map(|one| one.join().unwrap())
            });
            let told = both.map(|answer| [answer["pattern"]["occurrences"].clone(), answer["solution_id"].clone()]);
            assert_eq!(told[0], told[1], "{name}");
        };
        twice("diagnose", &case);
        let mut added = incident_params("The boiler is cold");
        added["force"] = true.into();
        twice("addIncident", &added);
    }
    let diagnosed = call("last", "diagnose", &case);
    assert_eq!(diagnosed["pattern"]["occurrences"], ROUNDS + 1);
    let incidents = call("incidents", "viewIncidents", &json!({ "limit": 100 }));
    assert_eq!(incidents["incidents"].as_array().map(Vec::len), Some(ROUNDS));
}

#[test]
fn a_call_id_cannot_be_used_for_another_call() {
    let world = World::new();
    make_call_once(&world, "call-1", "addIncident", &incident_params("The boiler is cold")).unwrap();
    let other = make_call_once(&world, "call-1", "rankedSolutions", &json!({ "query_text": "boiler", "env": {} }));
    assert_eq!(other.unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn a_failed_call_stores_nothing_and_can_be_repeated() {
    let world = World::new();
    let params = json!({ "runId": "run-1", "caseName": "boom" });
    assert_eq!(make_call_once(&world, "call-1", "diagnose", &params).unwrap_err().code, ErrorCode::RunNotFound);
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let params = json!({ "runId": run, "caseName": "boom" });
    assert!(make_call_once(&world, "call-1", "diagnose", &params).is_ok());
}

#[test]
fn nested_transactions_are_stored_together_or_not_at_all() {
    let (_folder, world) = World::on_file("once");
    let database = &world.engine.database;
    world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let count = || {
        let body = |tx: &mut Tx<'_>| patterns::find_by_id(tx, "builtin-timeout");
        let pattern = database.read(START_MS, body)?.unwrap();
        let occurrences = pattern.occurrences;
        let body = |tx: &mut Tx<'_>| {
            let mut pattern = patterns::find_by_id(tx, "builtin-timeout")?.unwrap();
            patterns::count_occurrence(tx, &mut pattern, START_MS)
        };
        database.write(START_MS, body)?;
        Ok::<u32, StoreError>(occurrences)
    };
    let failing = || {
        count()?;
        assert!(database.is_in_transaction());
        Err::<u32, _>(database.write(START_MS, |_: &mut Tx<'_>| Err::<u32, _>(cannot_open_error())).unwrap_err())
    };
    // A body that continues after a failed write also stores nothing.
    let forgiving = || {
        let _ = failing();
        Ok::<u32, StoreError>(0)
    };
    assert_eq!(database.in_one_transaction(START_MS, count).unwrap(), 0);
    assert!(database.in_one_transaction(START_MS, failing).is_err());
    assert!(database.in_one_transaction(START_MS, forgiving).is_err());
    assert!(!database.is_in_transaction());
    assert_eq!(database.in_one_transaction(START_MS, count).unwrap(), 1);
    assert_eq!(count().unwrap(), 2);
}

fn cannot_open_error() -> StoreError {
    World::new().engine.database.snapshot("/nowhere/at/all").unwrap_err()
}

#[test]
fn entries_have_the_name_of_the_recorder_of_the_call() {
    let world = World::new();
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let ada = RecorderOptions { by: Some("Ada".to_owned()), from: Some("laptop".to_owned()) };
    let engine = world.engine.with_recorder(ada);
    let fix = json!({ "runId": run, "caseName": "boom", "fixDescription": "Tuned it", "success": true });
    let context = CallContext::with_call_id(START_MS, "call-1");
    call_once::<Json>(&engine, &context, "reportFix", fix).unwrap();
    let record = &world.diagnose(&run, "boom").unwrap().fix_history[0];
    assert_eq!((record.recorded_by.as_deref(), record.recorded_from.as_deref()), (Some("Ada"), Some("laptop")));
}
