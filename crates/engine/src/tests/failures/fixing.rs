//! Tests of `argus_report_fix`.

use crate::tests::prelude::*;

fn read_pattern(world: &World, id: &str) -> PatternDetail {
    world.call(pattern, &IdParams { id: id.to_owned() }).unwrap()
}

#[test]
fn a_fix_of_an_undiagnosed_failure_creates_a_pattern() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert!(fix.is_new_pattern && fix.pattern_id.starts_with("pat-") && fix.fix_record_id.starts_with("fix-"));
    assert_eq!((fix.previous_confidence, fix.updated_confidence), (None, 2.0 / 3.0));
    assert_eq!((fix.occurrences, fix.resolutions), (1, 1));

    let known = world.diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Tuned it"));
    assert_eq!((known.confidence, known.fix_history.len()), (Some(0.5), 1));
    let record = &known.fix_history[0];
    assert_eq!((&record.id, &record.pattern_id), (&fix.fix_record_id, &fix.pattern_id));
    assert_eq!((record.run_id.as_str(), record.case_name.as_str()), (run.as_str(), CASE));
    assert_eq!((record.fix_description.as_str(), record.success), ("Tuned it", true));
}

#[test]
fn a_fix_of_a_known_pattern_raises_its_confidence() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    for _ in 0..3 {
        world.diagnose(&run, "boom").unwrap();
    }
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert_eq!((fix.previous_confidence, fix.updated_confidence), (Some(0.2), 0.4));
    assert_eq!((fix.occurrences, fix.resolutions, fix.is_new_pattern), (3, 1, false));
}

#[test]
fn a_second_success_for_the_same_failure_is_not_counted() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let first = world.fix(&run, "boom", "Tuned it", true).unwrap();
    let second = world.fix(&run, "boom", "Tuned it again", true).unwrap();
    assert_eq!((second.resolutions, second.occurrences), (1, 1));
    assert_eq!(second.previous_confidence, Some(second.updated_confidence));
    assert_ne!(first.fix_record_id, second.fix_record_id);
    assert_eq!(read_pattern(&world, &first.pattern_id).fix_history.len(), 2);
}

#[test]
fn occurrences_rise_only_if_resolutions_would_exceed_them() {
    let world = World::new();
    let runs: Vec<_> = (0..3).map(|_| world.run(vec![failed_case("boom", UNKNOWN_ERROR)])).collect();
    world.diagnose(&runs[0], "boom").unwrap();
    world.diagnose(&runs[0], "boom").unwrap();
    let counts: Vec<_> = runs
        .iter()
        .map(|run| world.fix(run, "boom", "Tuned it", true).unwrap())
        .map(|fix| (fix.occurrences, fix.resolutions))
        .collect();
    assert_eq!(counts, [(2, 1), (2, 2), (3, 3)]);
}

#[test]
fn a_failed_fix_is_stored_but_not_suggested() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.diagnose(&run, "boom").unwrap();
    let fix = world.fix(&run, "boom", "Hit it", false).unwrap();
    assert_eq!((fix.resolutions, fix.previous_confidence), (0, Some(fix.updated_confidence)));
    let known = world.diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix, None);
    assert!(!known.fix_history[0].success);
}

/// This also holds for a failure that matches a built-in pattern.
#[test]
fn a_fix_that_failed_here_is_suggested_with_a_warning_and_ranks_last() {
    for error in [UNKNOWN_ERROR, CONNECTION_REFUSED_ERROR] {
        let world = World::new();
        let first = world.run(vec![failed_case("one", error)]);
        world.fix(&first, "one", "Charge it", true).unwrap();
        world.run(vec![passed_case("one")]);
        let runs = [(); 2].map(|()| world.run(vec![failed_case("other", error)]));
        let known = world.diagnose(&runs[0], "other").unwrap();
        assert_eq!((known.fix_status.as_deref(), known.warnings.len()), (Some("fixed 1 of 1 time"), 0));
        for run in [&runs[0], &runs[0], &runs[1]] {
            world.fix(run, "other", "charge  it", false).unwrap();
        }
        let known = world.diagnose(&runs[1], "other").unwrap();
        assert_eq!(known.suggested_fix.as_deref(), Some("Charge it"));
        assert_eq!(known.tried, Some(FixTrialCounts { proved: 1, claimed: 0, failed: 2 }), "each failure counts once");
        let [warning] = known.warnings.as_slice() else { panic!("{:?}", known.warnings) };
        assert!(warning.contains("was tried for this failure 2 times and did not help"), "{warning}");
        let run = world.record(&RecordRunParams::default(), vec![failed_case("other", error)]).unwrap();
        let shown = run.failures[0].known.as_ref().unwrap();
        assert_eq!(
            (shown.fix_status.as_deref(), shown.tried),
            (Some("fixed 1 of 3 times; it did not help here"), known.tried)
        );
        // The failure that the fix was learned for shows no such warning.
        assert_eq!(world.diagnose(&first, "one").unwrap().fix_status.as_deref(), Some("fixed 1 of 1 time"));
        let third = world.run(vec![failed_case("third", error)]);
        world.fix(&third, "third", "Replace it", true).unwrap();
        let known = world.diagnose(&runs[1], "other").unwrap();
        assert_eq!(known.suggested_fix.as_deref(), Some("Replace it"), "the fix has not failed for this failure");
    }
}

#[test]
fn a_refuted_fix_has_a_warning_if_another_fix_is_suggested() {
    let world = World::new();
    let first = world.run(vec![failed_case("one", UNKNOWN_ERROR)]);
    world.fix(&first, "one", "Charge it", true).unwrap();
    world.run(vec![passed_case("one")]);
    let run = world.run(vec![failed_case("other", UNKNOWN_ERROR)]);
    world.fix(&run, "other", "Turn it round", true).unwrap();
    let taken_back = world.fix(&run, "other", "Turn it round", false).unwrap().fix_record_id;
    let known = world.diagnose(&run, "other").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Charge it"));
    let said =
        format!("'Turn it round' was reported as a success, but {taken_back} withdraws it: the fix did not help.");
    assert_eq!(known.warnings, [said]);
}

#[test]
fn the_best_fix_is_suggested() {
    let world = World::new();
    let runs: Vec<_> = (0..6).map(|_| world.run(vec![failed_case("boom", UNKNOWN_ERROR)])).collect();
    let suggestion = |run: &str| world.diagnose(run, "boom").unwrap().suggested_fix.unwrap();
    world.fix(&runs[0], "boom", "Tuned it", true).unwrap();
    world.fix(&runs[1], "boom", "Replaced it", true).unwrap();
    assert_eq!(suggestion(&runs[1]), "Replaced it", "of equally good fixes, the later is suggested");
    world.fix(&runs[2], "boom", "  tuned   IT ", true).unwrap();
    assert_eq!(suggestion(&runs[2]), "Tuned it", "texts that differ only in case and spacing are the same fix");
    world.fix(&runs[3], "boom", "Tuned it", false).unwrap();
    world.fix(&runs[4], "boom", "Tuned it", false).unwrap();
    assert_eq!(
        suggestion(&runs[5]),
        "Replaced it",
        "a fix that always worked is better than a fix that worked in two of four cases"
    );
}

#[test]
fn a_fix_on_a_builtin_counts_there_and_creates_a_learned_pattern() {
    let (world, run) = World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&run, "health").unwrap();
    let fix = world.fix(&run, "health", "Raised startPeriod to 30s", true).unwrap();
    assert_eq!((fix.pattern_id.as_str(), fix.is_new_pattern), ("builtin-conn-refused", false));
    assert_eq!((fix.occurrences, fix.resolutions), (1, 1));
    assert_eq!((fix.previous_confidence, fix.updated_confidence), (Some(1.0 / 3.0), 2.0 / 3.0));
    assert_eq!(read_pattern(&world, "builtin-conn-refused").fix_history[0].id, fix.fix_record_id);

    world.run(vec![passed_case("health")]);
    let later = world.run(vec![failed_case("health", "Error: connect ECONNREFUSED 127.0.0.1:5432")]);
    let known = world.diagnose(&later, "health").unwrap();
    let pattern = known.pattern.unwrap();
    assert!(pattern.id.starts_with("pat-"), "the learned pattern is shown instead of the built-in pattern");
    assert_eq!(known.suggested_fix.as_deref(), Some("Raised startPeriod to 30s"));
    assert_eq!((pattern.occurrences, pattern.resolutions), (2, 1));
    assert_eq!((known.fix_history.len(), &known.fix_history[0].id), (1, &fix.fix_record_id));
    assert_eq!(known.fix_history[0].pattern_id, pattern.id);
    assert_eq!(
        read_pattern(&world, "builtin-conn-refused").pattern.occurrences,
        1,
        "later diagnoses do not count on the built-in pattern"
    );

    let again = world.fix(&later, "health", "Raised startPeriod to 30s", true).unwrap();
    assert_eq!((again.pattern_id, again.resolutions), (pattern.id.clone(), 2));
    assert_eq!(read_pattern(&world, &pattern.id).fix_history.len(), 2);
    assert_eq!(read_pattern(&world, "builtin-conn-refused").fix_history.len(), 1);
}

#[test]
fn a_failed_fix_on_a_builtin_keeps_its_suggestion() {
    let (world, run) = World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    let fix = world.fix(&run, "health", "Restarted it", false).unwrap();
    assert_eq!((fix.pattern_id.as_str(), fix.resolutions), ("builtin-conn-refused", 0));
    let known = world.diagnose(&run, "health").unwrap();
    assert_eq!(known.pattern.unwrap().id, "builtin-conn-refused");
    assert_eq!(known.fix_history[0].fix_description, "Restarted it");
    assert!(!known.fix_history[0].of_other_failure, "the fix was tried for this failure");
}

#[test]
fn a_fix_on_a_builtin_is_marked_in_the_history_of_its_other_failures() {
    let other = "Error: connect ECONNREFUSED 127.0.0.1:6379\n    at openCache (/srv/shop/src/cache.js:9:3)";
    let (world, run) =
        World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR), failed_case("cache", other)]);
    let fix = world.fix(&run, "health", "Raised startPeriod to 30s", true).unwrap();
    assert_eq!(fix.pattern_id, "builtin-conn-refused");
    let learned = world.diagnose(&run, "health").unwrap();
    assert_eq!(
        learned.pattern.map(|pattern| pattern.id),
        fix.learned_by,
        "the result names the pattern that learned the fix"
    );
    assert!(!learned.fix_history[0].of_other_failure);
    let known = world.diagnose(&run, "cache").unwrap();
    assert_eq!(known.pattern.unwrap().id, "builtin-conn-refused");
    assert!(known.fix_history[0].success && known.fix_history[0].of_other_failure);
    // A failure with its own learned pattern learns there.
    let again = world.fix(&run, "health", "Raised startPeriod to 60s", true).unwrap();
    assert_eq!((again.pattern_id, again.learned_by), (fix.learned_by.unwrap(), None));
}

#[test]
fn an_empty_description_is_rejected_and_a_long_description_is_cut() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert_eq!(world.fix(&run, "boom", " \u{200b}\n", true).unwrap_err().code, ErrorCode::InvalidInput);
    world.fix(&run, "boom", &"long ".repeat(200_000), true).unwrap();
    let known = world.diagnose(&run, "boom").unwrap();
    assert!(known.fix_history[0].fix_description.len() < 1_100);
}

#[test]
fn a_fix_can_be_recorded_directly_on_a_pattern() {
    let world = World::new();
    let mut params = RecordFixParams {
        pattern_id: "builtin-timeout".to_owned(),
        run_id: "run-abc".to_owned(),
        case_name: "health-check".to_owned(),
        fix_description: "Raised the timeout".to_owned(),
        success: true,
    };
    let record = world.call(record_fix, &params).unwrap();
    assert_eq!((record.pattern_id.as_str(), record.run_id.as_str()), ("builtin-timeout", "run-abc"));
    let timeout = read_pattern(&world, "builtin-timeout");
    assert_eq!((timeout.pattern.occurrences, timeout.pattern.resolutions), (1, 1));
    assert_eq!(timeout.fix_history, [record]);
    params.pattern_id = "pat-none".to_owned();
    let error = world.call(record_fix, &params).unwrap_err();
    assert_eq!(error.code, ErrorCode::PatternNotFound);
}

#[test]
fn a_call_with_the_same_id_creates_the_same_ids_in_any_memory() {
    let cases = || vec![failed_case("boom", UNKNOWN_ERROR), failed_case("bang", UNKNOWN_ERROR)];
    let answered = |world: &World, run_id: String| {
        let fix_description = "Tuned it".to_owned();
        let params = ReportFixParams {
            run_id,
            case_name: "boom".to_owned(),
            fix_description,
            success: true,
            ..ReportFixParams::default()
        };
        report_fix(&world.engine, &CallContext::with_call_id(START_MS, "call-1"), &params).unwrap()
    };
    let (standing_in, file) = (World::new(), World::new());
    let first = answered(&standing_in, standing_in.run(cases()));
    let run = file.run(cases());
    file.fix(&run, "boom", "Something else", true).unwrap();
    let later = answered(&file, run);
    assert!(first.is_new_pattern && !later.is_new_pattern);
    assert_eq!(first.fix_record_id, later.fix_record_id);
}

#[test]
fn a_call_with_an_id_is_counted_once_even_if_the_clock_changes() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let report = |now: i64, name: &str| {
        let (case_name, fix_description) = ("boom".to_owned(), "Tuned it".to_owned());
        let params = ReportFixParams {
            run_id: run.clone(),
            case_name,
            fix_description,
            success: false,
            ..ReportFixParams::default()
        };
        report_fix(&world.engine, &CallContext::with_call_id(now, name), &params)
    };
    report(START_MS, "call-1").unwrap();
    report(CallContext::LATEST_MS, "call-2").unwrap();
    for name in ["call-1", "call-2"] {
        assert_eq!(report(START_MS, name).unwrap_err().code, ErrorCode::CallRepeated);
    }
}

#[test]
fn a_write_check_with_an_id_can_be_repeated() {
    let world = World::new();
    for _ in 0..2 {
        check_write(&world.engine, &CallContext::with_call_id(START_MS, "call-1"), &NoParams {}).unwrap();
    }
}

#[test]
fn a_success_is_claimed_until_its_case_passes_in_a_later_run() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("other", UNKNOWN_ERROR)]);
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert_eq!((claim.state, claim.proved_by), (Some(ProofStatus::Claimed), None));
    assert!(claim.to_prove.unwrap().contains("argus_run") && claim.warnings[0].contains(&run));
    // A run without the case, a flaky pass of the case, and a pass of another case prove nothing.
    world.run(vec![passed_case("quiet")]);
    world.run(vec![ReportCase { flaky: true, ..passed_case("boom") }]);
    world.run(vec![passed_case("other")]);
    let record = || read_pattern(&world, &claim.pattern_id).fix_history.remove(0);
    assert_eq!((record().state, record().proved_by), (Some(ProofStatus::Claimed), None));
    let proof = world.run(vec![passed_case("boom")]);
    world.run(vec![passed_case("boom")]);
    assert_eq!((record().state, record().proved_by), (Some(ProofStatus::Proved), Some(proof)));
}

#[test]
fn a_success_is_proved_by_a_pass_before_the_report() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let green = world.run(vec![passed_case("boom")]);
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert_eq!((fix.state, fix.proved_by, fix.to_prove), (Some(ProofStatus::Proved), Some(green), None));
    assert!(fix.warnings.is_empty());
    let failed_fix = world.fix(&run, "boom", "Hit it", false).unwrap();
    assert_eq!((failed_fix.state, failed_fix.proved_by, failed_fix.warnings.len()), (None, None, 0));
}

#[test]
fn a_success_of_a_failing_case_warns_with_the_run() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.run(vec![passed_case("boom")]);
    let again = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.run(vec![passed_case("other")]);
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert_eq!(fix.state, Some(ProofStatus::Claimed));
    assert!(fix.warnings[0].contains(&format!("still fails in {again}")), "{:?}", fix.warnings);
}

#[test]
fn a_repeated_claim_has_no_second_warning() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert_eq!(world.fix(&run, "boom", "Tuned it", true).unwrap().warnings.len(), 1);
    let repeated = world.fix(&run, "boom", "Tuned it", true).unwrap();
    assert!(repeated.warnings[0].contains("already counted") && repeated.to_prove.is_some());
    // Another fix is another claim, and so is the same fix after a run refuted it.
    assert_eq!(world.fix(&run, "boom", "Replaced it", true).unwrap().warnings.len(), 2);
    let again = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert_eq!(world.fix(&again, "boom", "Tuned it", true).unwrap().warnings.len(), 1);
}

#[test]
fn a_run_lists_the_fixes_that_it_proves() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("other", UNKNOWN_ERROR)]);
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.fix(&run, "other", "Hit it", true).unwrap();
    let record = |cases| world.record(&RecordRunParams::default(), cases).unwrap().proved;
    let proved = record(vec![passed_case("boom"), failed_case("other", UNKNOWN_ERROR)]);
    let told: Vec<_> = proved.iter().map(|fix| (fix.case_name.as_str(), fix.fix_description.as_str())).collect();
    assert_eq!(told, [(CASE, "Tuned it")]);
    assert_eq!(proved[0].pattern_id, claim.pattern_id);
    assert_eq!(record(vec![passed_case("boom")]), [], "said once");
}

#[test]
fn a_claim_refuted_by_the_next_run_stays_refuted() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    let again = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let record = || read_pattern(&world, &claim.pattern_id).fix_history.remove(0);
    assert_eq!((record().state, record().refuted_by), (Some(ProofStatus::Refuted), Some(again.clone())));
    assert!(record().success, "the report stays a success");
    let known = world.diagnose(&again, "boom").unwrap();
    assert_eq!((known.suggested_fix, known.fix_status), (None, None), "a refuted fix is not suggested");
    assert!(known.warnings[0].starts_with("'Tuned it' was reported") && known.warnings[0].contains(&again));
    // The case passes after another fix, so the run proves the claim about that fix.
    world.fix(&again, "boom", "Replaced it", true).unwrap();
    let proof = world.run(vec![passed_case("boom")]);
    let history = read_pattern(&world, &claim.pattern_id).fix_history;
    assert_eq!((history[0].state, &history[0].proved_by), (Some(ProofStatus::Proved), &Some(proof)));
    assert_eq!((history[1].state, &history[1].proved_by), (Some(ProofStatus::Refuted), &None));
    let known = world.diagnose(&again, "boom").unwrap();
    assert_eq!((known.suggested_fix.as_deref(), known.warnings.len()), (Some("Replaced it"), 0));
    // The counters of the contract count reports, including refuted reports.
    assert_eq!(known.pattern.unwrap().resolutions, 2);
}

#[test]
fn another_failure_or_branch_or_an_older_run_does_not_refute_a_claim() {
    let world = World::new();
    let on = |branch: &str| RecordRunParams {
        git: Some(GitFacts { commit: None, branch: Some(branch.to_owned()), dirty: None, ..GitFacts::default() }),
        ..RecordRunParams::default()
    };
    let both = vec![failed_case("boom", UNKNOWN_ERROR), failed_case("other", UNKNOWN_ERROR)];
    let run = world.record(&on("repair"), both).unwrap().run_id;
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    let record = || read_pattern(&world, &claim.pattern_id).fix_history.remove(0);
    world.run(vec![failed_case("boom", "TypeError: the second fault shows now"), failed_case("other", UNKNOWN_ERROR)]);
    let older = RecordRunParams { started_at: Some(START_MS), ..RecordRunParams::default() };
    world.record(&older, vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    world.record(&on("main"), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    assert_eq!(record().state, Some(ProofStatus::Claimed));
    let second = world.fix(&run, "other", "Hit it", true).unwrap();
    world.record(&on("repair"), vec![failed_case("other", UNKNOWN_ERROR)]).unwrap();
    assert_eq!(read_pattern(&world, &second.pattern_id).fix_history[0].state, Some(ProofStatus::Refuted));
    let proof = world.run(vec![passed_case("boom")]);
    assert_eq!((record().state, record().proved_by), (Some(ProofStatus::Proved), Some(proof)));
}

#[test]
fn a_similar_failure_refutes_a_claim() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![failed_case("boom", &format!("{UNKNOWN_ERROR} again"))]);
    assert_eq!(read_pattern(&world, &claim.pattern_id).fix_history[0].state, Some(ProofStatus::Refuted));
}

#[test]
fn reporting_that_a_claimed_fix_failed_refutes_it() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let claim = world.fix(&run, "boom", "Tuned it", true).unwrap();
    let back = world.fix(&run, "boom", "tuned  it", false).unwrap();
    world.run(vec![passed_case("boom")]);
    let record = read_pattern(&world, &claim.pattern_id).fix_history.remove(1);
    assert_eq!((record.state, record.refuted_by), (Some(ProofStatus::Refuted), Some(back.fix_record_id)));
    assert_eq!(world.diagnose(&run, "boom").unwrap().suggested_fix, None, "a withdrawn fix is not suggested");
}

#[test]
fn a_green_run_proves_claims_about_a_command_or_a_suite_failure() {
    let world = World::new();
    let build = |exit_code: i32| RecordRunParams {
        command: Some("cargo test".to_owned()),
        exit_code: Some(exit_code),
        output_tail: Some("error[E0425]: cannot find function `parse` in this scope".to_owned()),
        ..RecordRunParams::default()
    };
    let broken = world.record(&build(101), Vec::new()).unwrap().run_id;
    let suite = world.run(vec![failed_case("a.test.js > (suite)", UNKNOWN_ERROR)]);
    let early = world.fix(&broken, "cargo test", "Named it again", true).unwrap();
    let file = world.fix(&suite, "a.test.js > (suite)", "Exported it", true).unwrap();
    world.record(&build(0), vec![passed_case("a.test.js > adds"), passed_case("b.test.js > adds")]).unwrap();
    for claim in [early, file] {
        assert_eq!(read_pattern(&world, &claim.pattern_id).fix_history[0].state, Some(ProofStatus::Proved));
    }
    let late = world.fix(&broken, "cargo test", "Named it once more", true).unwrap();
    assert_eq!(late.state, Some(ProofStatus::Proved));
    assert!(late.warnings.len() == 1 && late.warnings[0].contains("already counted"), "{:?}", late.warnings);
    let late = world.fix(&suite, "a.test.js > (suite)", "Exported it once more", true).unwrap();
    assert_eq!(late.state, Some(ProofStatus::Proved));
}
