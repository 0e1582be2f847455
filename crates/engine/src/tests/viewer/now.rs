//! What a person looks at first: the newest run of this copy, and what else is not settled.

use crate::tests::prelude::*;

fn look(world: &World) -> ViewNowResult {
    world.call(view_now, &NoParams {}).unwrap()
}

/// Each an hour after the one before, all on one commit.
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
fn where_nothing_was_recorded_there_is_nothing() {
    let seen = look(&World::new());
    assert_eq!((seen.runs, seen.run), (0, None));
    assert!(seen.causes.is_empty() && seen.tests.is_empty() && seen.claims.is_empty() && seen.fixes.is_empty());
}

#[test]
fn a_failed_run_stands_by_its_causes_with_their_verdicts() {
    let (world, run) = World::after(vec![failed("health", REFUSED), failed("boom", UNKNOWN)]);
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let again = world.run(vec![failed("health", REFUSED), failed("ready", REFUSED), failed("boom", UNKNOWN)]);
    let seen = look(&world);
    assert_eq!((seen.runs, seen.run.unwrap().id), (2, again));
    let counts: Vec<u32> = seen.causes.iter().map(|cause| cause.count).collect();
    assert_eq!((counts.as_slice(), seen.more_causes), ([2, 1].as_slice(), 0));
    assert!(seen.causes.iter().all(|cause| cause.verdict.is_some()));
    // The fix did not hold, so that it is not offered, and all that fails stands with its cause.
    assert_eq!(seen.causes[1].pattern.as_ref().unwrap().suggested_fix, None);
    assert!(seen.claims.is_empty() && seen.tests.is_empty(), "{:?} {:?}", seen.claims, seen.tests);
}

#[test]
fn what_the_newest_run_left_out_and_still_fails_is_told() {
    let world = World::new();
    for hour in 0..3 {
        run_at(&world, hour, vec![passed("boom"), passed("fine")]);
    }
    let last = (3..6).map(|hour| run_at(&world, hour, vec![failed("boom", UNKNOWN), passed("fine")])).last().unwrap();
    run_at(&world, 6, vec![passed("fine")]);
    let seen = look(&world);
    assert!(seen.causes.is_empty());
    assert_eq!(seen.tests.len(), 1);
    assert_ne!(seen.tests[0].evidence.state, TestState::Healthy);
    assert_eq!(seen.tests[0].last_failure.as_ref().unwrap().run_id, last);
    // As soon as it fails in the newest one it stands with the causes.
    run_at(&world, 7, vec![failed("boom", UNKNOWN)]);
    let seen = look(&world);
    assert_eq!((seen.causes.len(), seen.tests.len()), (1, 0));
    assert_ne!(seen.causes[0].verdict.as_ref().unwrap().kind, VerdictKind::Unknown);
}

#[test]
fn a_green_run_leaves_what_no_run_has_proved() {
    let (world, run) = World::after(vec![failed("boom", UNKNOWN), passed("fine")]);
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let green = world.run(vec![passed("fine")]);
    let seen = look(&world);
    assert_eq!(seen.run.unwrap().id, green);
    assert_eq!((seen.causes.len(), seen.claims.len(), seen.more_claims), (0, 1, 0));
    assert_eq!((seen.claims[0].fix_description.as_str(), seen.claims[0].trust.passes), ("Tuned it", 0));
    world.run(vec![passed("boom")]);
    assert!(look(&world).claims.is_empty());
}

#[test]
fn runs_of_another_copy_are_passed_over() {
    let (world, own) = World::after(vec![passed("boom")]);
    let foreign = RecordRunParams { foreign: true, ..RecordRunParams::default() };
    world.record(&foreign, vec![failed("boom", UNKNOWN)]).unwrap();
    let seen = look(&world);
    assert_eq!((seen.runs, seen.run.unwrap().id, seen.causes.len()), (2, own, 0));
    let other = World::new();
    other.record(&foreign, vec![failed("boom", UNKNOWN)]).unwrap();
    let seen = look(&other);
    assert_eq!((seen.runs, seen.run, seen.causes.len()), (1, None, 0));
}
