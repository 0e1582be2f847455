//! Tests of `argus_patterns`, `argus_history` and the completion of ids.

use crate::tests::prelude::*;

fn list_with(world: &World, params: &PatternsParams) -> PatternsResult {
    world.call(patterns, params).unwrap()
}

/// A world with two learned patterns: `a` was diagnosed three times, `b` once and fixed.
fn world_with_two_patterns() -> World {
    let (world, run) =
        World::after_run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", "Error: another thing altogether")]);
    for _ in 0..3 {
        world.diagnose(&run, "a").unwrap();
    }
    world.fix(&run, "b", "Did the other thing", true).unwrap();
    world
}

#[test]
fn patterns_counts_all_patterns_of_the_filter() {
    let world = world_with_two_patterns();
    let all = list_with(&world, &PatternsParams::default());
    assert_eq!((all.total, all.built_in_count, all.learned_count, all.has_more), (8, 6, 2, false));
    assert_eq!(all.patterns.iter().map(|pattern| pattern.occurrences).take(3).collect::<Vec<_>>(), [3, 1, 0]);
    let page = PatternsParams { limit: Some(3), offset: Some(1), ..PatternsParams::default() };
    let page = list_with(&world, &page);
    assert_eq!((page.patterns.len(), page.total, page.has_more), (3, 8, true));
    assert_eq!(page.patterns[0], all.patterns[1]);
    let last = PatternsParams { limit: Some(3), offset: Some(6), ..PatternsParams::default() };
    let last = list_with(&world, &last);
    assert_eq!((last.patterns.len(), last.has_more), (2, false));
}

#[test]
fn patterns_sorts_and_filters() {
    let world = world_with_two_patterns();
    let by = |sort_by, source, category| {
        list_with(&world, &PatternsParams { sort_by: Some(sort_by), source, category, ..PatternsParams::default() })
    };
    let sure = by(PatternSort::Confidence, None, None);
    assert_eq!(sure.patterns[0].suggested_fix.as_deref(), Some("Did the other thing"));
    assert!(sure.patterns.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence));
    let latest = by(PatternSort::LastSeen, None, None);
    assert!(latest.patterns.windows(2).all(|pair| pair[0].last_seen_at >= pair[1].last_seen_at));
    let learned = by(PatternSort::Occurrences, Some(PatternSource::Learned), None);
    assert_eq!((learned.total, learned.built_in_count, learned.patterns.len()), (2, 0, 2));
    let builtin = by(PatternSort::Occurrences, Some(PatternSource::BuiltIn), None);
    assert_eq!((builtin.total, builtin.learned_count, builtin.patterns.len()), (6, 0, 6));
    let timeout = by(PatternSort::Occurrences, None, Some(Category::Timeout));
    assert_eq!((timeout.total, timeout.patterns[0].id.as_str()), (1, "builtin-timeout"));
    let crash = by(PatternSort::Occurrences, None, Some(Category::ContainerCrash));
    assert_eq!((crash.total, crash.patterns.len()), (0, 0));
    let unknown = by(PatternSort::Occurrences, Some(PatternSource::BuiltIn), Some(Category::Unknown));
    assert_eq!((unknown.total, unknown.patterns.len()), (0, 0));
}

#[test]
fn page_sizes_out_of_range_are_rejected() {
    let world = World::new();
    for limit in [0, 201] {
        let params = PatternsParams { limit: Some(limit), ..PatternsParams::default() };
        let error = world.call(patterns, &params).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
    }
    let params = HistoryParams { limit: Some(101), ..HistoryParams::default() };
    let error = world.call(history, &params).unwrap_err();
    assert_eq!(error.message, "limit is 101; it must be from 1 to 100.");
}

#[test]
fn builtin_fixes_are_english_by_default() {
    let (world, run) = World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    let known = world.diagnose(&run, "health").unwrap();
    assert!(known.suggested_fix.unwrap().starts_with("The service may not have fully started"));
}

#[test]
fn history_lists_newest_runs_first_with_pages_and_filters() {
    let world = World::new();
    let at = |days: i64| RecordRunParams { started_at: Some(START_MS - days * DAY_MS), ..RecordRunParams::default() };
    let old = world.record(&at(10), vec![passed_case("fine")]).unwrap().run_id;
    let middle = world.record(&at(5), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap().run_id;
    let new = world.record(&at(0), vec![passed_case("fine")]).unwrap().run_id;
    let ids = |params: HistoryParams| {
        let page = world.call(history, &params).unwrap();
        (page.runs.into_iter().map(|run| run.id).collect::<Vec<_>>(), page.total, page.has_more)
    };
    let all = HistoryParams::default();
    assert_eq!(ids(all.clone()), (vec![new.clone(), middle.clone(), old.clone()], 3, false));
    let page = HistoryParams { limit: Some(1), offset: Some(1), ..all.clone() };
    assert_eq!(ids(page), (vec![middle.clone()], 3, true));
    let red = HistoryParams { status: Some(RunStatus::Failed), ..all.clone() };
    assert_eq!(ids(red), (vec![middle.clone()], 1, false));
    let week = HistoryParams { days: Some(7), status: Some(RunStatus::Passed), ..all };
    assert_eq!(ids(week), (vec![new.clone()], 1, false));
    assert_eq!(world.call(overview, &NoParams {}).unwrap().latest_run_id, Some(new));
}

#[test]
fn a_run_lists_failed_cases_first_then_flaky_cases() {
    let world = World::new();
    let mut shaky = passed_case("shaky");
    shaky.flaky = true;
    let run = world.run(vec![
        passed_case("one"),
        shaky,
        failed_case("two", UNKNOWN_ERROR),
        passed_case("three"),
        failed_case("four", CONNECTION_REFUSED_ERROR),
    ]);
    let params = RunDetailParams { run_id: run, ..RunDetailParams::default() };
    let detail = world.call(run_detail, &params).unwrap();
    let names: Vec<_> = detail.cases.iter().map(|case| case.case_name.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["two", "four", "shaky", "one", "three"]);
    assert_eq!((detail.run.passed, detail.run.failed, detail.run.flaky, detail.total), (3, 2, 1, 5));
    assert_eq!(detail.cases[0].error.as_deref(), Some(UNKNOWN_ERROR));
    assert_eq!(detail.cases[0].headline.as_deref(), Some(UNKNOWN_ERROR));
    assert!(detail.cases[2].flaky && detail.cases[2].signature.is_none());
    let params = RunDetailParams { limit: Some(2), offset: Some(1), ..params };
    let page = world.call(run_detail, &params).unwrap();
    assert_eq!((page.cases.len(), page.has_more), (2, true));
}

#[test]
fn history_lists_the_git_tree_of_each_run() {
    let world = World::new();
    let record = |git: Option<GitFacts>| {
        world.record(&RecordRunParams { git, ..RecordRunParams::default() }, vec![passed_case("one")]).unwrap();
    };
    let clean = GitFacts { commit: Some("c0ffee".repeat(6)), dirty: Some(false), ..GitFacts::default() };
    let tree = |digit: &str| Some(digit.repeat(40));
    record(None);
    record(Some(clean.clone()));
    record(Some(GitFacts { tree: tree("a"), ..clean.clone() }));
    record(Some(GitFacts { dirty: Some(true), ..clean.clone() }));
    record(Some(GitFacts { tree: tree("b"), dirty: Some(true), ..clean }));
    let page = world.call(history, &HistoryParams::default()).unwrap();
    let trees: Vec<_> = page.runs.into_iter().map(|run| run.tree).collect();
    assert_eq!(trees, [tree("b"), None, tree("a"), None, None]);
}

#[test]
fn an_unknown_run_in_an_empty_memory_names_argus_run() {
    let world = World::new();
    let said = |run_id: &str| {
        let params = RunDetailParams { run_id: run_id.to_owned(), ..RunDetailParams::default() };
        let error = world.call(run_detail, &params).unwrap_err();
        (error.code, error.message)
    };
    let none = "No run is recorded yet. Call argus_run first.";
    assert_eq!(said(""), (ErrorCode::RunNotFound, none.to_owned()));
    assert_eq!(said("run-1").1, format!("Test run 'run-1' not found in history. {none}"));
    world.run(vec![passed_case("one")]);
    assert!(said("").1.starts_with("Test run '' not found in history. The newest runs are run-"));
}

#[test]
fn complete_ids_returns_ids_with_the_prefix() {
    let world = world_with_two_patterns();
    let complete =
        |kind, prefix: &str| world.call(complete_ids, &CompleteIdsParams { kind, prefix: prefix.to_owned() }).unwrap();
    assert_eq!(complete(IdKind::Pattern, "builtin-con"), ["builtin-container-oom", "builtin-conn-refused"]);
    assert_eq!(complete(IdKind::Pattern, "pat-").len(), 2);
    assert_eq!(complete(IdKind::Run, "").len(), 1);
    assert!(complete(IdKind::Run, "run-%").is_empty());
}

#[test]
fn retention_deletes_runs_but_keeps_learned_patterns() {
    let options = EngineOptions {
        retention: Retention { max_age_days: Some(30), max_runs: Some(2), min_runs: None },
        ..EngineOptions::default()
    };
    let world = World::open_with_options(":memory:", options).unwrap();
    let at = |days: i64| RecordRunParams { started_at: Some(START_MS - days * DAY_MS), ..RecordRunParams::default() };
    let old = world.record(&at(40), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap().run_id;
    let fix = world.fix(&old, "boom", "Tuned it", true).unwrap();
    let kept: Vec<_> = (0..3).map(|_| world.run(vec![failed_case("boom", UNKNOWN_ERROR)])).collect();
    let page = world.call(history, &HistoryParams::default()).unwrap();
    let ids: Vec<_> = page.runs.iter().map(|run| run.id.clone()).collect();
    assert_eq!(ids, [kept[2].clone(), kept[1].clone()]);
    assert_eq!(world.diagnose(&old, "boom").unwrap_err().code, ErrorCode::RunNotFound);
    let known = world.diagnose(&kept[2], "boom").unwrap();
    assert_eq!((known.pattern.unwrap().id, known.fix_history[0].run_id.clone()), (fix.pattern_id, old));
}

#[test]
fn a_write_check_leaves_no_row_behind() {
    let world = World::new();
    world.call(check_write, &NoParams {}).unwrap();
    world.call(check_write, &NoParams {}).unwrap();
}
