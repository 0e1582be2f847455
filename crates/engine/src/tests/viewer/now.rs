//! The view of current problems: the newest own run, and the open problems.

use crate::tests::prelude::*;

fn show_current(world: &World) -> ViewNowResult {
    world.call(view_now, &NoParams {}).unwrap()
}

/// Records a run an hour after the run before it. All runs are on the same commit.
fn run_at(world: &World, hour: i64, cases: Vec<ReportCase>) -> String {
    let git = GitFacts {
        tree: Some("one".to_owned()),
        commit: Some("a".repeat(40)),
        branch: Some("main".to_owned()),
        dirty: Some(false),
        ..GitFacts::default()
    };
    let started_at = Some(START_MS - 3_600_000 * (100 - hour));
    world.record(&RecordRunParams { git: Some(git), started_at, ..RecordRunParams::default() }, cases).unwrap().run_id
}

#[test]
fn view_now_of_an_empty_memory_is_empty() {
    let seen = show_current(&World::new());
    assert_eq!((seen.runs, seen.run), (0, None));
    assert!(seen.causes.is_empty() && seen.tests.is_empty() && seen.claims.is_empty() && seen.fixes.is_empty());
}

#[test]
fn a_failed_run_is_shown_with_its_causes_and_verdicts() {
    let (world, run) =
        World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR), failed_case("boom", UNKNOWN_ERROR)]);
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let again = world.run(vec![
        failed_case("health", CONNECTION_REFUSED_ERROR),
        failed_case("ready", CONNECTION_REFUSED_ERROR),
        failed_case("boom", UNKNOWN_ERROR),
    ]);
    let seen = show_current(&world);
    assert_eq!((seen.runs, seen.run.unwrap().id), (2, again));
    let counts: Vec<u32> = seen.causes.iter().map(|cause| cause.count).collect();
    assert_eq!((counts.as_slice(), seen.more_causes), ([2, 1].as_slice(), 0));
    assert!(seen.causes.iter().all(|cause| cause.verdict.is_some()));
    // The fix failed again, so it is not suggested, and each failing test is listed with its cause.
    assert_eq!(seen.causes[1].pattern.as_ref().unwrap().suggested_fix, None);
    assert!(seen.claims.is_empty() && seen.tests.is_empty(), "{:?} {:?}", seen.claims, seen.tests);
}

#[test]
fn failing_tests_missing_from_the_newest_run_are_listed() {
    let world = World::new();
    for hour in 0..3 {
        run_at(&world, hour, vec![passed_case("boom"), passed_case("fine")]);
    }
    let last = (3..6)
        .map(|hour| run_at(&world, hour, vec![failed_case("boom", UNKNOWN_ERROR), passed_case("fine")]))
        .last()
        .unwrap();
    run_at(&world, 6, vec![passed_case("fine")]);
    let seen = show_current(&world);
    assert!(seen.causes.is_empty());
    assert_eq!(seen.tests.len(), 1);
    assert_ne!(seen.tests[0].evidence.state, TestState::Healthy);
    assert_eq!(seen.tests[0].last_failure.as_ref().unwrap().run_id, last);
    // A test that fails in the newest run is listed with the causes instead.
    run_at(&world, 7, vec![failed_case("boom", UNKNOWN_ERROR)]);
    let seen = show_current(&world);
    assert_eq!((seen.causes.len(), seen.tests.len()), (1, 0));
    assert_ne!(seen.causes[0].verdict.as_ref().unwrap().kind, VerdictKind::Unknown);
}

#[test]
fn unproved_claims_are_listed_after_a_green_run() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR), passed_case("fine")]);
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let green = world.run(vec![passed_case("fine")]);
    let seen = show_current(&world);
    assert_eq!(seen.run.unwrap().id, green);
    assert_eq!((seen.causes.len(), seen.claims.len(), seen.more_claims), (0, 1, 0));
    assert_eq!((seen.claims[0].fix_description.as_str(), seen.claims[0].trust.passes), ("Tuned it", 0));
    world.run(vec![passed_case("boom")]);
    assert!(show_current(&world).claims.is_empty());
}

#[test]
fn foreign_runs_are_ignored() {
    let (world, own) = World::after_run(vec![passed_case("boom")]);
    let foreign = RecordRunParams { foreign: true, ..RecordRunParams::default() };
    world.record(&foreign, vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    let seen = show_current(&world);
    assert_eq!((seen.runs, seen.run.unwrap().id, seen.causes.len()), (2, own, 0));
    let other = World::new();
    other.record(&foreign, vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    let seen = show_current(&other);
    assert_eq!((seen.runs, seen.run, seen.causes.len()), (1, None, 0));
}
