//! Tests of `argus_diagnose`.

use crate::tests::prelude::*;
use argus_core::builtin::Locale;

#[test]
fn an_unmatched_failure_becomes_a_learned_pattern() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let first = world.diagnose(&run, CASE).unwrap();
    assert_eq!((first.category, first.is_new_pattern), (Category::Unknown, true));
    assert_eq!((first.pattern, first.suggested_fix, first.confidence), (None, None, None));
    assert!(first.fix_history.is_empty() && first.warnings.is_empty());
    assert!(first.signature_pattern.starts_with("UNKNOWN::a.test.ts > suite > boom::"));

    let second = world.diagnose(&run, CASE).unwrap();
    let pattern = second.pattern.unwrap();
    assert!(!second.is_new_pattern && pattern.id.starts_with("pat-"));
    assert_eq!((pattern.occurrences, pattern.resolutions, pattern.source), (2, 0, PatternSource::Learned));
    assert_eq!((&pattern.signature, &pattern.signature_pattern), (&second.signature, &second.signature_pattern));
    assert_eq!((pattern.suggested_fix, second.confidence), (None, Some(0.25)));
    assert_eq!(pattern.description, UNKNOWN_ERROR);
    assert!(pattern.last_seen_at > pattern.first_seen_at);
}

#[test]
fn a_category_with_a_builtin_matches_it_and_counts() {
    let chinese = EngineOptions { locale: Locale::Zh, ..EngineOptions::default() };
    let world = World::open_with_options(":memory:", chinese).unwrap();
    let run = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    let first = world.diagnose(&run, "health").unwrap();
    let pattern = first.pattern.unwrap();
    assert_eq!((pattern.id.as_str(), pattern.occurrences, first.is_new_pattern), ("builtin-conn-refused", 1, false));
    assert_eq!(pattern.signature, "builtin::CONNECTION_REFUSED");
    assert_eq!(pattern.signature_pattern, "ECONNREFUSED *:*");
    assert_eq!(first.suggested_fix.as_deref(), Some("服务可能未完全启动，尝试增加 healthcheck.startPeriod"));
    assert_eq!(first.suggested_fix, pattern.suggested_fix);
    assert_eq!(first.confidence, Some(1.0 / 3.0));
    assert_eq!(world.diagnose(&run, "health").unwrap().pattern.unwrap().occurrences, 2);
}

#[test]
fn an_unknown_run_is_an_error_with_the_newest_run_ids() {
    let world = World::new();
    let error = world.diagnose("run-xyz", "boom").unwrap_err();
    assert_eq!(error.code, ErrorCode::RunNotFound);
    assert_eq!(error.message, "Test run 'run-xyz' not found in history. No run is recorded yet. Call argus_run first.");
    let run = world.run(vec![passed_case("fine")]);
    let error = world.diagnose("run-xyz", "boom").unwrap_err();
    assert!(error.message.starts_with("Test run 'run-xyz' not found in history. The newest runs are "));
    assert!(error.message.contains(&run));
}

#[test]
fn a_short_name_must_be_unique() {
    let world = World::new();
    let mut other = failed_case("boom", UNKNOWN_ERROR);
    other.suite = vec!["other".to_owned()];
    let run = world.run(vec![
        failed_case("boom", UNKNOWN_ERROR),
        other,
        failed_case("only", UNKNOWN_ERROR),
        passed_case("fine"),
    ]);
    assert!(world.diagnose(&run, "only").is_ok());
    assert!(world.diagnose(&run, "other > boom").is_ok());
    let error = world.diagnose(&run, "boom").unwrap_err();
    assert_eq!(error.code, ErrorCode::CaseNotFound);
    assert!(error.message.contains("'a.test.ts > suite > boom', 'a.test.ts > other > boom'"), "{error}");
    let error = world.diagnose(&run, "onyl").unwrap_err();
    assert_eq!(error.code, ErrorCode::CaseNotFound);
    assert!(error.message.contains("The closest names are 'a.test.ts > suite > only'"), "{error}");
    assert_eq!(world.diagnose(&run, " ").unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn diagnosing_a_passed_case_names_the_run_in_which_it_failed() {
    let (world, first) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let second = world.run(vec![passed_case("boom"), case("later", CaseStatus::Skipped, None)]);
    let error = world.diagnose(&second, "boom").unwrap_err();
    assert_eq!(error.code, ErrorCode::CaseNotFailed);
    assert!(error.message.contains("it passed") && error.message.contains(&first), "{error}");
    let error = world.diagnose(&second, "later").unwrap_err();
    assert!(error.message.contains("was skipped") && error.code == ErrorCode::CaseNotFailed);
    assert_eq!(world.fix(&second, "boom", "x", true).unwrap_err().code, ErrorCode::CaseNotFailed);
}

#[test]
fn a_failure_without_an_error_text_is_analyzed_by_its_output() {
    let world = World::new();
    let mut silent = case("silent", CaseStatus::Failed, None);
    silent.stderr_tail = Some(CONNECTION_REFUSED_ERROR.to_owned());
    let run = world.run(vec![silent, case("mute", CaseStatus::Failed, None)]);
    assert_eq!(world.diagnose(&run, "silent").unwrap().category, Category::ConnectionRefused);
    let mute = world.diagnose(&run, "mute").unwrap();
    assert_eq!((mute.category, mute.is_new_pattern), (Category::Unknown, true));
}

#[test]
fn recording_a_run_shows_known_fixes_without_counting() {
    let (world, run) =
        World::after_run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![passed_case("boom")]);
    let cases = vec![
        failed_case("boom", UNKNOWN_ERROR),
        failed_case("health", CONNECTION_REFUSED_ERROR),
        failed_case("new", UNKNOWN_ERROR),
    ];
    for _ in 0..2 {
        let again = world.record(&RecordRunParams::default(), cases.clone()).unwrap();
        let known: Vec<_> = again.failures.iter().map(|failure| failure.known.clone()).collect();
        let boom = known[0].clone().unwrap();
        assert_eq!((boom.suggested_fix.as_deref(), boom.confidence), (Some("Tuned it"), 2.0 / 3.0));
        assert_eq!(known[1].clone().unwrap().pattern_id, "builtin-conn-refused");
        assert_eq!(known[1].clone().unwrap().confidence, 0.5);
        assert_eq!(known[2], None, "only the first failure of a cause has the known fix");
    }
}

#[test]
fn a_pattern_is_found_by_its_signature() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let signature = world.diagnose(&run, "boom").unwrap().signature;
    let find =
        |signature: &str| world.call(find_by_signature, &SignatureParams { signature: signature.to_owned() }).unwrap();
    assert_eq!(find(&signature).unwrap().signature, signature);
    assert_eq!(find("builtin::TIMEOUT").unwrap().id, "builtin-timeout");
    assert_eq!(find("0000"), None);
}

#[test]
fn builtins_are_first_seen_when_the_database_is_created() {
    let world = World::new();
    world.run(vec![passed_case("fine")]);
    let all = world.call(patterns, &PatternsParams::default()).unwrap();
    assert_eq!(all.patterns.len(), 6);
    assert!(
        all.patterns
            .iter()
            .all(|pattern| pattern.first_seen_at == crate::answer::time_format::format_iso(START_MS + 1000))
    );
}
