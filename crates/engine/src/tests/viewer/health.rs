//! The health of a project's tests after many runs.

use crate::tests::prelude::*;

const HOUR_MS: i64 = 3_600_000;
/// 20 days before the start of the world, so that no run starts in the future.
const FIRST_MS: i64 = START_MS - 20 * 24 * HOUR_MS;

fn show_health(world: &World) -> HealthResult {
    world.call(health, &HealthParams::default()).unwrap()
}

/// Records a run this many hours after the first run. The commit with a number is the child of the commit before it.
fn run_at(world: &World, hours: i64, commit: usize, cases: Vec<ReportCase>) -> String {
    let hash = |number: usize| format!("{number:040x}");
    let fact = |number: usize| CommitFacts {
        commit: hash(number),
        parents: number.checked_sub(1).map(hash).into_iter().collect(),
        ..CommitFacts::default()
    };
    let git = GitFacts {
        tree: Some(format!("tree of {commit}")),
        commit: Some(hash(commit)),
        branch: Some("main".to_owned()),
        dirty: Some(false),
        commits: (0..=commit).rev().map(fact).collect(),
        ..GitFacts::default()
    };
    let params = RecordRunParams {
        git: Some(git),
        started_at: Some(FIRST_MS + hours * HOUR_MS),
        duration_ms: Some(1000.0),
        ..RecordRunParams::default()
    };
    world.record(&params, cases).unwrap().run_id
}

fn passed_case_taking(name: &str, ms: f64) -> ReportCase {
    ReportCase { duration_ms: Some(ms), ..passed_case(name) }
}

fn case_names(tests: &[TestDuration]) -> Vec<&str> {
    tests.iter().map(|test| test.case_name.rsplit(' ').next().unwrap()).collect()
}

#[test]
fn health_of_an_empty_memory_is_empty() {
    let seen = show_health(&World::new());
    assert_eq!((seen.runs, seen.total, seen.duration_runs, seen.by), (0, 0, 0, HealthUnit::Run));
    assert!(seen.points.is_empty() && seen.slowest.is_empty() && seen.slower.is_empty() && seen.fixes.is_empty());
}

#[test]
fn tests_are_listed_with_their_last_failure() {
    let world = World::new();
    let coin = |hours, fails: bool| {
        let coin = if fails { failed_case("coin", UNKNOWN_ERROR) } else { passed_case("coin") };
        run_at(&world, hours, 0, vec![coin, passed_case("fine")])
    };
    for hour in 0..6 {
        coin(hour, false);
    }
    coin(6, true);
    coin(7, false);
    let last = coin(8, true);
    coin(9, false);
    let seen = show_health(&world);
    assert_eq!((seen.runs, seen.total, seen.flaky, seen.broken), (10, 1, 1, 0));
    let test = &seen.tests[0];
    assert_eq!((test.evidence.state, test.evidence.failures, test.evidence.runs), (TestState::Flaky, 2, 10));
    assert_eq!(test.last_failure.as_ref().unwrap().run_id, last);
    // The first failure was not yet known to be random.
    let by_chance: Vec<_> = seen.points.iter().map(|point| point.flaky).collect();
    assert_eq!(by_chance[8], Some(1.0));
    assert_eq!(by_chance[9], Some(0.0));
    assert_eq!((seen.points[8].pass_rate, seen.points[9].pass_rate), (Some(0.5), Some(1.0)));
    let page = HealthParams { limit: Some(1), offset: Some(1), ..HealthParams::default() };
    let page = world.call(health, &page).unwrap();
    assert_eq!((page.tests.len(), page.total, page.has_more), (0, 1, false));
}

#[test]
fn runs_over_many_days_have_a_point_per_day() {
    let world = World::new();
    let shaky = || ReportCase { flaky: true, ..passed_case("shaky") };
    for day in 0..14 {
        run_at(&world, day * 24, 0, vec![passed_case("a"), failed_case("b", CONNECTION_REFUSED_ERROR)]);
        run_at(&world, day * 24 + 1, 0, vec![passed_case("a"), shaky()]);
    }
    let seen = show_health(&world);
    assert_eq!((seen.by, seen.points.len()), (HealthUnit::Day, 14));
    let first = &seen.points[0];
    assert_eq!((first.runs, first.pass_rate, first.duration_ms), (2, Some(0.75), Some(1000.0)));
    assert!(first.flaky.unwrap() >= 0.5, "one retried case in two runs: {first:?}");
    assert!(first.timestamp < seen.points[1].timestamp);
    let by_run = HealthParams { by: Some(HealthUnit::Run), ..HealthParams::default() };
    assert_eq!(world.call(health, &by_run).unwrap().points.len(), 28);
}

#[test]
fn slower_tests_are_distinguished_from_noise() {
    let world = World::new();
    for run in 0..12 {
        let is_new = run >= 7;
        let after = |before: f64, after: f64| if is_new { after } else { before };
        // Both durations alternate, so that the newest runs are as slow as some older runs.
        let noisy = [100.0, 400.0][usize::from(run % 2 == 1)];
        let mut cases = vec![
            passed_case_taking("doubled", after(200.0, 400.0)),
            // The last run before the newest runs was already slow.
            passed_case_taking("earlier", if run >= 6 { 700.0 } else { 400.0 }),
            passed_case_taking("always", 900.0),
            passed_case_taking("noisy", noisy),
            passed_case_taking("little", after(300.0, 340.0)),
            passed_case_taking("fast", after(1.0, 45.0)),
        ];
        if run >= 9 {
            cases.push(passed_case_taking("added", 500.0));
        }
        if run == 11 {
            cases.push(passed_case_taking("once", 9000.0));
        }
        let hangs = ReportCase { duration_ms: Some(5000.0), ..failed_case("hangs", UNKNOWN_ERROR) };
        cases.push(if is_new { hangs } else { passed_case_taking("hangs", 60.0) });
        run_at(&world, run, 0, cases);
    }
    let seen = show_health(&world);
    assert_eq!(case_names(&seen.slower), ["earlier", "doubled"]);
    let doubled = &seen.slower[1];
    let before = doubled.before.as_ref().unwrap();
    assert_eq!((doubled.median_ms, doubled.runs, before.median_ms, before.runs), (400.0, 5, 200.0, 7));
    assert_eq!(case_names(&seen.slowest), ["always", "earlier", "added", "doubled", "noisy", "little", "hangs"]);
    assert_eq!((seen.slowest[2].runs, seen.slowest[2].before.is_none()), (3, true));
    assert_eq!(seen.duration_runs, 12);
}

#[test]
fn health_lists_found_and_reported_fixes() {
    let world = World::new();
    for commit in 0..6 {
        run_at(&world, 0, commit, vec![passed_case("a")]);
    }
    let failed_in = run_at(&world, 1, 6, vec![failed_case("a", UNKNOWN_ERROR)]);
    let passed_in = run_at(&world, 2, 7, vec![passed_case("a")]);
    let seen = show_health(&world);
    let fix = &seen.fixes[0];
    assert_eq!((fix.failed_in.as_ref(), fix.passed_in.as_ref()), (Some(&failed_in), Some(&passed_in)));
    assert_ne!(fix.status, ProofStatus::Refuted);
    assert!(seen.reported.is_empty() && seen.shared.is_empty());
    world.fix(&failed_in, "a", "Tuned it", true).unwrap();
    let seen = show_health(&world);
    let all = world.call(fixes, &NoParams {}).unwrap();
    assert_eq!((&seen.fixes, &seen.reported, seen.more_fixes), (&all.fixes, &all.reported, 0));
    assert_eq!(
        seen.reported[0].same_as.as_ref(),
        Some(&seen.fixes[0].fix_id),
        "the found fix and the reported fix are linked"
    );
    for hour in 0..25 {
        let run = run_at(&world, 10 + hour, 8, vec![failed_case("b", CONNECTION_REFUSED_ERROR)]);
        world.fix(&run, "b", &format!("Started the service of hour {hour}"), true).unwrap();
    }
    let seen = show_health(&world);
    assert_eq!((seen.reported.len(), seen.more_fixes), (20, 6));
}

#[test]
fn new_failures_are_sorted_by_verdict() {
    let world = World::new();
    let coin = |fails: bool| if fails { failed_case("coin", UNKNOWN_ERROR) } else { passed_case("coin") };
    for hour in 0..12 {
        run_at(&world, hour, 0, vec![coin(hour % 3 == 1), passed_case("breaks")]);
    }
    let base = run_at(&world, 12, 0, vec![coin(false), passed_case("breaks")]);
    let added = case("added", CaseStatus::Failed, Some("Error: no such table"));
    let head = run_at(&world, 13, 1, vec![coin(true), added, failed_case("breaks", "Error: the shop is shut")]);
    let params = ViewComparisonParams { base, head, limit: None, offset: None };
    let seen = world.call(view_comparison, &params).unwrap();
    let verdicts: Vec<_> = seen.new.cases.iter().map(|case| case.verdict.as_ref().unwrap()).collect();
    let kinds: Vec<_> = verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [VerdictKind::Regression, VerdictKind::New, VerdictKind::Flaky]);
    assert!(verdicts.iter().all(|verdict| verdict.probability > 0.0 && verdict.probability <= 1.0));
    let counts: Vec<_> = seen.new_kinds.iter().map(|kind| (kind.kind, kind.count)).collect();
    assert_eq!(counts, kinds.iter().map(|kind| (Some(*kind), 1)).collect::<Vec<_>>());
    assert!(seen.fixed.cases.iter().all(|case| case.verdict.is_none()));
}

/// Earlier versions recorded failures without a verdict.
#[test]
fn failures_without_a_verdict_can_be_compared() {
    let world = World::new();
    let base = world.run(vec![passed_case("a")]);
    let head = world.run(vec![failed_case("a", UNKNOWN_ERROR)]);
    let forget = |tx: &mut Tx<'_>| -> Result<(), EngineError> {
        tx.execute("UPDATE failures SET verdict = NULL", &[])?;
        Ok(())
    };
    world.engine.write(&world.context(), forget).unwrap();
    let params = ViewComparisonParams { base, head, limit: None, offset: None };
    let seen = world.call(view_comparison, &params).unwrap();
    assert_eq!((seen.new.cases[0].verdict.as_ref(), seen.new_kinds[0].kind, seen.new_kinds[0].count), (None, None, 1));
    assert_eq!(show_health(&world).points[1].flaky, Some(0.0));
}
