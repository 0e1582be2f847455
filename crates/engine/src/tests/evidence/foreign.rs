//! Runs of foreign copies of the project are stored and judged, but are not used as evidence.

use super::{FIRST_FAILS, NO_ERRORS, Story};
use crate::tests::prelude::*;

const CASE: &str = "a.test.ts > suite > case 0";

/// Records a run of a fork on the newest commit.
fn record_foreign_run(story: &Story, error: Option<&str>) -> RunResult {
    let params = RecordRunParams { foreign: true, ..story.params() };
    let first = error.map_or_else(|| passed_case("case 0"), |error| failed_case("case 0", error));
    story.world.record(&params, vec![first, passed_case("case 1"), passed_case("case 2")]).unwrap()
}

#[test]
fn a_foreign_run_is_judged_but_changes_no_summary() {
    let mut story = Story::after_passes(8);
    let fork = record_foreign_run(&story, Some(UNKNOWN_ERROR));
    assert_ne!(Story::verdict(&fork).0, VerdictKind::New, "earlier runs are used for its verdict");
    assert!(fork.notes[0].starts_with("FOREIGN_RUN"), "{:?}", fork.notes);
    assert_eq!(story.tests().total, 0, "a foreign run changes no test state");

    // Foreign runs are listed and marked.
    let runs = story.world.call(history, &HistoryParams::default()).unwrap().runs;
    assert_eq!(runs.iter().filter(|run| run.foreign).map(|run| &run.id).collect::<Vec<_>>(), [&fork.run_id]);
    let of_test = TestHistoryParams { case_name: CASE.to_owned(), ..TestHistoryParams::default() };
    let of_test = story.world.call(test_history, &of_test).unwrap();
    assert!(of_test.runs[0].foreign && !of_test.runs[1].foreign);
    assert!(of_test.latest_failure.is_none());
    assert_eq!(story.world.call(view_grid, &ViewGridParams::default()).unwrap().flaky, 0);

    // The next run is judged as if the foreign run did not exist.
    let culprit = story.commit();
    assert_eq!(Story::verdict(&story.run(&FIRST_FAILS)), (VerdictKind::Regression, Some(culprit)));
}

#[test]
fn a_foreign_run_does_not_find_prove_or_refute_a_fix() {
    let mut story = Story::after_passes(8);
    story.commit();
    let broken = story.run(&FIRST_FAILS).run_id;
    story.commit();
    record_foreign_run(&story, None);
    let found = |story: &Story| story.world.call(fixes, &NoParams {}).unwrap();
    assert!(found(&story).fixes.is_empty());
    let claim = story.world.fix(&broken, "case 0", "Charged the capacitor", true).unwrap();
    assert_eq!(claim.state, Some(ProofStatus::Claimed));
    assert!(record_foreign_run(&story, None).proved.is_empty());
    record_foreign_run(&story, Some(UNKNOWN_ERROR));
    assert_eq!(found(&story).reported[0].trust.state, ProofStatus::Claimed);

    let proof = story.run(&NO_ERRORS).run_id;
    record_foreign_run(&story, Some(UNKNOWN_ERROR));
    let found = found(&story);
    assert_eq!(found.reported[0].trust.proved_by, Some(proof));
    assert_eq!((found.fixes[0].status, found.fixes[0].passes), (ProofStatus::Proved, 1));
}

#[test]
fn a_foreign_run_is_not_a_change_since_a_commit() {
    let mut story = Story::new();
    let since = story.commit();
    story.run(&NO_ERRORS);
    story.commit();
    record_foreign_run(&story, Some(UNKNOWN_ERROR));
    let params = TestChangesParams { since, ..TestChangesParams::default() };
    let found = story.world.call(test_changes, &params).unwrap();
    assert!(found.changes.is_empty() && found.head.is_none());
}
