//! Fixes that a person marks as wrong.

use crate::tests::prelude::*;

#[test]
fn a_wrong_fix_is_not_suggested_and_not_counted() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    let good = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![passed_case("boom")]);
    let later = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let bad = world.fix(&later, "boom", "Deleted the test", true).unwrap();
    // The failure came, went and came again, so that more than one pass is needed.
    for _ in 0..12 {
        world.run(vec![passed_case("boom")]);
    }
    assert_eq!(world.diagnose(&run, "boom").unwrap().suggested_fix.as_deref(), Some("Deleted the test"));
    let judged = world.judge(&bad.fix_record_id, true).unwrap();
    let row = judged.pattern.unwrap();
    assert_eq!((row.resolutions, row.suggested_fix.as_deref()), (1, Some("Tuned it")));
    let known = world.diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Tuned it"));
    assert_eq!(known.fix_history.iter().map(|fix| fix.success).collect::<Vec<_>>(), [false, true]);
    let answer = world.search_solutions(UNKNOWN_ERROR, json!({}));
    assert_eq!((answer.ranked_solutions.len(), answer.incidents[0].solution_count, answer.more), (1, 1, 0));
    let page = world.view_page(&id);
    assert_eq!(
        page.fixes.iter().map(|fix| (fix.success, fix.wrong)).collect::<Vec<_>>(),
        [(true, true), (true, false)]
    );
    assert_eq!(page.solutions.iter().map(|one| one.wrong).collect::<Vec<_>>(), [false, true]);

    // The same steps stay wrong, but other steps for the same failure count.
    let again = world.fix(&later, "boom", "deleted  THE test", true).unwrap();
    assert_eq!((again.resolutions, world.view_page(&id).solutions.len()), (1, 2));
    assert_eq!(world.fix(&later, "boom", "Tuned it", true).unwrap().resolutions, 2);
    assert_eq!(world.outcome(&judged.solution_id, true, json!({})).solution_stats.worked, 2);
    assert_eq!(world.view_page(&id).pattern.resolutions, 2);

    let row = world.judge(&good.fix_record_id, true).unwrap().pattern.unwrap();
    assert_eq!((row.resolutions, row.suggested_fix), (0, None));
    let row = world.judge(&good.fix_record_id, false).unwrap().pattern.unwrap();
    assert_eq!((row.resolutions, row.suggested_fix.as_deref()), (2, Some("Tuned it")));
    // The good fix already solved the failure of the later run. The outcome without a run counts in addition.
    assert_eq!(world.judge(&bad.fix_record_id, false).unwrap().pattern.unwrap().resolutions, 3);
}

#[test]
fn a_wrong_fix_is_not_counted_on_the_built_in() {
    let (world, run) = World::after_run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&run, "health").unwrap();
    let fix = world.fix(&run, "health", "Turned the test off", true).unwrap();
    assert_eq!((fix.pattern_id.as_str(), fix.resolutions), ("builtin-conn-refused", 1));
    let own = world.judge(&fix.fix_record_id, true).unwrap().pattern.unwrap();
    assert_eq!((own.resolutions, own.suggested_fix), (0, None));
    assert_eq!(world.view_page("builtin-conn-refused").pattern.resolutions, 0);
    world.judge(&fix.fix_record_id, false).unwrap();
    assert_eq!(world.view_page("builtin-conn-refused").pattern.resolutions, 1);
}

#[test]
fn solutions_of_incidents_can_be_marked_wrong() {
    let world = World::new();
    let added = world.add_new_incident(&crate::tests::memory::pool_incident());
    let params = MarkFixParams { fix_id: None, solution_id: Some(added.solution_id.clone()), wrong: true };
    let judged = world.call(mark_fix, &params).unwrap();
    assert_eq!((judged.pattern, judged.wrong), (None, true));
    let answer = world.search_solutions(crate::tests::memory::POOL_ERROR, json!({}));
    assert_eq!((answer.incidents.len(), answer.ranked_solutions.len()), (1, 0));
    assert!(world.incident(&added.incident_id).unwrap().solutions[0].wrong);
    let both = MarkFixParams { fix_id: Some("fix-1".to_owned()), ..params.clone() };
    assert_eq!(world.call(mark_fix, &both).unwrap_err().code, ErrorCode::InvalidInput);
    assert_eq!(world.judge("fix-1", true).unwrap_err().code, ErrorCode::SolutionNotFound);
}
