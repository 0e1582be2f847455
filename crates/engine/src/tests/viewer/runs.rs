//! A run, the comparison of two runs, and lists of runs.

use crate::tests::prelude::*;

fn show_run(world: &World, params: &ViewRunParams) -> ViewRunResult {
    world.call(view_run, params).unwrap()
}

fn show_grid(world: &World, params: &ViewGridParams) -> ViewGridResult {
    world.call(view_grid, params).unwrap()
}

fn flaky_case(name: &str) -> ReportCase {
    ReportCase { flaky: true, ..passed_case(name) }
}

fn skipped_case(name: &str) -> ReportCase {
    case(name, CaseStatus::Skipped, None)
}

fn short_name(name: &str) -> &str {
    name.rsplit(' ').next().unwrap()
}

#[test]
fn a_run_is_shown_with_its_causes() {
    let (world, first) = World::after_run(vec![passed_case("a")]);
    let refused = |port: u16| format!("Error: connect ECONNREFUSED 127.0.0.1:{port}");
    let run = world.run(vec![
        failed_case("one", &refused(5432)),
        passed_case("fine"),
        failed_case("two", &refused(6379)),
        // This failure is in the project's own code, so it is not part of the outage.
        failed_case("boom", &format!("{UNKNOWN_ERROR}\n    at tune (src/flux.ts:3:1)")),
        flaky_case("shaky"),
        skipped_case("later"),
        failed_case("three", CONNECTION_REFUSED_ERROR),
    ]);
    let id = world.learn(&run, "boom");
    let seen = show_run(&world, &ViewRunParams { id: run.clone(), ..Default::default() });
    assert_eq!((seen.total, seen.groups.len(), seen.groups[0].count), (7, 2, 3));
    assert_eq!(seen.groups[0].pattern.as_ref().unwrap().id, "builtin-conn-refused");
    assert_eq!(seen.groups[1].pattern.as_ref().unwrap().id, id);
    assert_eq!((seen.previous_id.as_deref(), seen.next_id), (Some(first.as_str()), None));
    let of = |status, text: Option<&str>| {
        let text = text.map(ToOwned::to_owned);
        let params = ViewRunParams { id: run.clone(), status, text, limit: Some(2), offset: None };
        let seen = show_run(&world, &params);
        (seen.cases.iter().map(|case| short_name(&case.case_name).to_owned()).collect::<Vec<_>>(), seen.total)
    };
    assert_eq!(of(Some(CaseState::Failed), None), (vec!["one".to_owned(), "two".to_owned()], 4));
    assert_eq!(of(Some(CaseState::Flaky), None), (vec!["shaky".to_owned()], 1));
    assert_eq!(of(Some(CaseState::Passed), None), (vec!["fine".to_owned()], 1));
    assert_eq!(of(Some(CaseState::Skipped), None), (vec!["later".to_owned()], 1));
    assert_eq!(of(None, Some("ECONNrefused")).1, 3);
    assert_eq!(of(Some(CaseState::Failed), Some("> TWO")), (vec!["two".to_owned()], 1));
    let absent = ViewRunParams { id: run, status: Some(CaseState::Absent), ..Default::default() };
    let error = world.call(view_run, &absent).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
}

#[test]
fn failures_of_merged_patterns_are_a_single_group() {
    let (world, run) =
        World::after_run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", "Error: the warp core is cold")]);
    let (from, into) = (world.learn(&run, "a"), world.learn(&run, "b"));
    assert_eq!(show_run(&world, &ViewRunParams { id: run.clone(), ..Default::default() }).groups.len(), 2);
    world.join(&from, &into).unwrap();
    let groups = show_run(&world, &ViewRunParams { id: run, ..Default::default() }).groups;
    assert_eq!((groups.len(), groups[0].count, &groups[0].pattern.as_ref().unwrap().id), (1, 2, &into));
}

#[test]
fn a_page_suggests_the_same_fix_as_the_recorded_run() {
    let (world, first) = World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&first, "health").unwrap();
    world.fix(&first, "health", "Start the database before the tests", true).unwrap();
    let run = world.record(&RecordRunParams::default(), vec![failed_case("orders", CONNECTION_REFUSED_ERROR)]).unwrap();
    let known = run.failures[0].known.as_ref();
    assert_eq!(known.unwrap().suggested_fix.as_deref(), Some("Start the database before the tests"));
    let group = &show_run(&world, &ViewRunParams { id: run.run_id.clone(), ..Default::default() }).groups[0];
    assert_eq!(group.known.as_ref(), known);
    assert_eq!(group.pattern.as_ref().unwrap().id, "builtin-conn-refused");
    let params = ViewCaseParams { run_id: run.run_id, case_name: run.failures[0].case_name.clone() };
    assert_eq!(world.call(view_case, &params).unwrap().known.as_ref(), known);
}

#[test]
fn a_group_shows_the_fix_of_its_shown_pattern() {
    let thrown = |name: &str, error: &str| failed_case(name, &format!("Error: {error}\n    at add (src/cart.ts:3:9)"));
    let (world, first) = World::after_run(vec![thrown("second", "the cart is not there")]);
    let id = world.learn(&first, "second");
    let params = RecordRunParams::default();
    let run = world.record(&params, vec![thrown("first", "no total"), thrown("second", "the cart is not there")]);
    let groups = show_run(&world, &ViewRunParams { id: run.unwrap().run_id, ..Default::default() }).groups;
    assert_eq!((groups.len(), groups[0].count, groups[0].headline.contains("no total")), (1, 2, true));
    assert_eq!(groups[0].pattern.as_ref().unwrap().id, id);
    assert_eq!(groups[0].known.as_ref().unwrap().pattern_id, id);
}

#[test]
fn a_failed_case_is_shown_in_full() {
    let world = World::new();
    world.run(vec![passed_case("boom")]);
    let mut boom = failed_case("boom", UNKNOWN_ERROR);
    boom.stdout_tail = Some("tuning".to_owned());
    let run = world.run(vec![boom]);
    let case_name = CASE.to_owned();
    let params = ViewCaseParams { run_id: run.clone(), case_name };
    let seen = world.call(view_case, &params).unwrap();
    assert_eq!((seen.error.as_deref(), seen.stdout_tail.as_deref()), (Some(UNKNOWN_ERROR), Some("tuning")));
    let states: Vec<_> = seen.history.iter().map(|end| end.state).collect();
    assert_eq!((states.as_slice(), seen.pattern), (&[CaseState::Failed, CaseState::Passed][..], None));
    let missing = ViewCaseParams { case_name: "x".to_owned(), ..params };
    let error = world.call(view_case, &missing).unwrap_err();
    assert_eq!(error.code, ErrorCode::CaseNotFailed);
}

#[test]
fn runs_are_compared_by_case_name() {
    use CaseState::{Absent, Failed, Passed, Skipped};
    let world = World::new();
    let base = world.run(vec![
        failed_case("stays", UNKNOWN_ERROR),
        failed_case("mended", UNKNOWN_ERROR),
        failed_case("removed", UNKNOWN_ERROR),
        failed_case("muted", UNKNOWN_ERROR),
        passed_case("broke"),
    ]);
    let head = world.run(vec![
        failed_case("stays", UNKNOWN_ERROR),
        passed_case("mended"),
        skipped_case("muted"),
        failed_case("broke", "Error: the shop is shut"),
        failed_case("added", CONNECTION_REFUSED_ERROR),
    ]);
    let params = ViewComparisonParams { base, head, limit: None, offset: None };
    let seen = world.call(view_comparison, &params).unwrap();
    let of = |list: &crate::contract::ComparedCases| {
        list.cases.iter().map(|case| (short_name(&case.case_name).to_owned(), case.base, case.head)).collect::<Vec<_>>()
    };
    // Sorted by verdict: a failure that an edit caused, then a new test.
    assert_eq!(of(&seen.new), [("broke".to_owned(), Passed, Failed), ("added".to_owned(), Absent, Failed)]);
    assert_eq!(of(&seen.still_failing), [("stays".to_owned(), Failed, Failed)]);
    assert_eq!(of(&seen.fixed), [("mended".to_owned(), Failed, Passed)]);
    assert_eq!(of(&seen.gone), [("removed".to_owned(), Failed, Absent), ("muted".to_owned(), Failed, Skipped)]);
    let page = ViewComparisonParams { limit: Some(1), offset: Some(1), ..params };
    let page = world.call(view_comparison, &page).unwrap();
    assert_eq!((page.new.total, short_name(&page.new.cases[0].case_name), page.new.has_more), (2, "added", false));
}

#[test]
fn a_flaky_test_is_not_broken() {
    let world = World::new();
    let on = |commit: &str, dirty: bool, cases: Vec<ReportCase>| {
        let git = GitFacts { commit: Some(commit.to_owned()), branch: None, dirty: Some(dirty), ..GitFacts::default() };
        world.record(&RecordRunParams { git: Some(git), ..Default::default() }, cases).unwrap();
    };
    on(
        "c1",
        false,
        vec![
            failed_case("always", UNKNOWN_ERROR),
            failed_case("coin", UNKNOWN_ERROR),
            passed_case("retry"),
            failed_case("edited", UNKNOWN_ERROR),
            passed_case("fine"),
        ],
    );
    on(
        "c1",
        false,
        vec![failed_case("always", UNKNOWN_ERROR), passed_case("coin"), flaky_case("retry"), passed_case("fine")],
    );
    on(
        "c2",
        true,
        vec![
            failed_case("always", UNKNOWN_ERROR),
            failed_case("once", UNKNOWN_ERROR),
            passed_case("edited"),
            skipped_case("fine"),
        ],
    );
    let seen = show_grid(&world, &ViewGridParams::default());
    let rows: Vec<_> = seen.tests.iter().map(|test| (short_name(&test.case_name), test.broken, test.flaky)).collect();
    assert_eq!(
        rows,
        [
            ("always", true, false),
            ("coin", false, true),
            ("retry", false, true),
            ("edited", false, false),
            ("once", false, false),
            ("fine", false, false)
        ]
    );
    assert_eq!((seen.runs.len(), seen.flaky, seen.broken, seen.shortened), (3, 2, 1, false));
    assert_eq!(seen.tests[1].states, [CaseState::Absent, CaseState::Passed, CaseState::Failed]);
    let only = |only, text: Option<&str>| {
        let params = ViewGridParams { only, text: text.map(ToOwned::to_owned), ..Default::default() };
        show_grid(&world, &params).total
    };
    assert_eq!((only(Some(GridFilter::Flaky), None), only(Some(GridFilter::Broken), None)), (2, 1));
    assert_eq!((only(None, Some("COIN")), only(Some(GridFilter::Broken), Some("coin"))), (1, 0));
    let page =
        show_grid(&world, &ViewGridParams { runs: Some(1), limit: Some(2), offset: Some(2), ..Default::default() });
    assert_eq!((page.total, page.tests.len(), page.tests[0].states.len()), (4, 2, 1));
}

#[test]
fn runs_are_listed_and_returned_as_a_trend() {
    let world = World::new();
    let green = world.run(vec![passed_case("a"), skipped_case("b")]);
    let red = world.run(vec![failed_case("a", UNKNOWN_ERROR), passed_case("b")]);
    let params = ViewRunsParams { status: Some(RunStatus::Failed), ..Default::default() };
    let listed = world.call(view_runs, &params).unwrap();
    assert_eq!((listed.total, &listed.runs[0].id), (1, &red));
    let drawn = world.call(view_trend, &ViewTrendParams::default()).unwrap();
    let points: Vec<_> = drawn.points.iter().map(|point| (point.run_id.as_str(), point.pass_rate)).collect();
    assert_eq!(points, [(green.as_str(), Some(1.0)), (red.as_str(), Some(0.5))]);
}
