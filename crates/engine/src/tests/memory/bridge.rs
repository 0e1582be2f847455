//! Connections between failure patterns and the debug memory.

use crate::tests::prelude::*;

#[test]
fn a_pattern_with_a_reported_fix_is_found_by_its_text() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert!(
        world.search_solutions(UNKNOWN_ERROR, json!({})).incidents.is_empty(),
        "a pattern without a fix is not listed"
    );
    let params = ReportFixParams {
        run_id: run,
        case_name: "boom".to_owned(),
        fix_description: "Tuned the capacitor".to_owned(),
        success: true,
        env: Some(linux_env()),
        ..ReportFixParams::default()
    };
    let fix = world.call(report_fix, &params).unwrap();
    let answer = world.search_solutions(UNKNOWN_ERROR, linux_env());
    let found = &answer.incidents[0];
    assert_eq!((found.kind, &found.incident_id, found.solution_count), (MatchKind::Pattern, &fix.pattern_id, 1));
    let best = answer.recommended_solution.unwrap();
    assert_eq!((best.steps.as_str(), best.worked, best.env_match_score), ("Tuned the capacitor", 1, 1.0));

    let outcome = world.outcome(&best.solution_id, true, linux_env());
    assert_eq!((outcome.solution_stats.worked, outcome.solution_stats.buckets.len()), (2, 1));
    let known = world.call(pattern, &IdParams { id: fix.pattern_id.clone() }).unwrap();
    assert_eq!((known.pattern.resolutions, known.pattern.occurrences), (2, 2));
    assert_eq!(known.fix_history.len(), 1, "an outcome of the debug memory is not in the fix history");
    world.outcome(&best.solution_id, false, linux_env());
    let known = world.call(pattern, &IdParams { id: fix.pattern_id.clone() }).unwrap();
    assert_eq!((known.pattern.resolutions, known.pattern.occurrences), (2, 2));
}

#[test]
fn repeated_reports_of_a_failure_count_once() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let sums =
        || world.search_solutions(UNKNOWN_ERROR, json!({})).recommended_solution.map(|best| (best.worked, best.failed));
    for steps in ["Tuned it", "tuned  IT", "Tuned it"] {
        world.fix(&run, "boom", steps, true).unwrap();
    }
    assert_eq!(sums(), Some((1, 0)));
    world.run(vec![passed_case("boom")]);
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert_eq!(sums(), Some((1, 0)));
    // A failure in another run counts separately.
    let again = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.fix(&again, "boom", "Tuned it", true).unwrap();
    assert_eq!(sums(), Some((2, 0)));
    // A contradicted success counts as a failure.
    world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert_eq!(sums(), Some((1, 1)));
}

#[test]
fn an_unproved_claim_ranks_below_a_proved_fix() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![passed_case("boom")]);
    // This fix is newer and was claimed for two failures.
    let others = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let more = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.fix(&others, "boom", "Wished it away", true).unwrap();
    world.fix(&more, "boom", "Wished it away", true).unwrap();
    let answer = world.search_solutions(UNKNOWN_ERROR, json!({}));
    let ranked: Vec<_> =
        answer.ranked_solutions.iter().map(|one| (one.steps.as_str(), one.worked, one.claimed)).collect();
    assert_eq!(ranked, [("Tuned it", 1, 0), ("Wished it away", 2, 2)]);
    assert!(answer.ranked_solutions[1].final_solution_score < answer.ranked_solutions[0].final_solution_score);
    assert!(answer.ranked_solutions[1].why.contains("not confirmed"), "{}", answer.ranked_solutions[1].why);
}

#[test]
fn a_pattern_accepts_solutions_and_prevents_a_duplicate_incident() {
    let (world, run) = World::after_run(vec![failed_case("boom", POOL_ERROR)]);
    let fix = world.fix(&run, "boom", "Close the session first", true).unwrap();
    let known = world.diagnose(&run, "boom").unwrap().pattern.unwrap().id;
    assert!(known.starts_with("pat-"), "{known} {}", fix.pattern_id);
    let added = world.add_solution(&known, "Raise pool_size", linux_env()).unwrap();
    assert!(added.created);
    assert_eq!(world.search_solutions(POOL_ERROR, linux_env()).ranked_solutions.len(), 2);
    world.outcome(&added.solution_id, true, linux_env());
    let AddIncidentResult::Duplicate(double) = world.add(&pool_incident()).unwrap() else { panic!("it was added") };
    assert_eq!(double.incident_id, known);
}

#[test]
fn diagnose_lists_incidents_if_no_fix_is_known() {
    let world = World::new();
    let incident = world.add_new_incident(&pool_incident());
    let run = world.run(vec![failed_case("boom", POOL_ERROR)]);
    let answer = world.diagnose(&run, "boom").unwrap();
    let related: Vec<_> = answer.related.iter().filter(|found| found.kind == RelatedKind::Incident).collect();
    assert_eq!((related.len(), &related[0].id), (1, &incident.incident_id));
    assert_eq!(related[0].suggested_fix.as_deref(), Some("Close the session before the mail is sent"));
    assert!(related[0].confidence.is_some_and(|sure| sure > 0.0));
    world.fix(&run, "boom", "Closed it", true).unwrap();
    assert!(world.diagnose(&run, "boom").unwrap().related.is_empty(), "no incidents are listed if a fix is known");
}

#[test]
fn an_unreadable_index_does_not_affect_a_diagnosis() {
    const IMPOSSIBLE: &str =
        "INSERT INTO search_segments (key, first_document, last_document, documents) VALUES (1, 5, 1, 1)";
    let world = World::new();
    world.add_new_incident(&pool_incident());
    let run = world.run(vec![failed_case("boom", POOL_ERROR)]);
    let damage = |tx: &mut Tx<'_>| tx.execute(IMPOSSIBLE, &[]);
    world.engine.database.write(START_MS, damage).unwrap();
    for met in 1..=2 {
        let known = world.diagnose(&run, "boom").unwrap();
        assert_eq!((known.pattern.unwrap().occurrences, known.related.len()), (met, 0));
        assert!(known.warnings.is_empty());
    }
}

#[test]
fn a_learned_fix_is_found_by_family_after_a_rule_change() {
    let (folder, world) = World::on_file("other-rules");
    let told = "QuotaExceededError: the bucket of shipments is full and takes no more labels";
    let run = world.run(vec![failed_case("ships", told)]);
    let fix = world.fix(&run, "ships", "Raised the quota", true).unwrap();
    let family = |world: &World| {
        let found = world.search_solutions(told, json!({})).incidents;
        assert_eq!(found[0].incident_id, fix.pattern_id);
        found[0].because[0] == "same normalized error"
    };
    assert!(family(&world));
    drop(world);
    let rule =
        UserRule { name: "quota".to_owned(), category: Category::HttpError, pattern: "QuotaExceeded".to_owned() };
    let options = EngineOptions { rules: vec![rule], ..EngineOptions::default() };
    let world = World::open_with_options(folder.file().to_str().unwrap(), options).unwrap();
    world.run(vec![failed_case("other", UNKNOWN_ERROR)]);
    assert!(family(&world));
}
