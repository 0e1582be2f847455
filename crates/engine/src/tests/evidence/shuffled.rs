//! Runs whose runner shuffled the tests.

use super::Story;
use crate::tests::prelude::*;

const CASE: &str = "a.test.ts > suite > case 3";

/// Records a run. Case 3 fails if case 30 ran before it.
fn record_shuffled_run(story: &Story, moved: bool) -> RunResult {
    let mut order: Vec<u32> = (0..40).collect();
    if moved {
        order.retain(|case| *case != 30);
        order.insert(0, 30);
    }
    let case = |case: u32| {
        let name = format!("case {case}");
        if moved && case == 3 { failed_case(&name, UNKNOWN_ERROR) } else { passed_case(&name) }
    };
    let shuffle = Shuffle { seed: Some("5".to_owned()), option: Some("--randomly-seed=5".to_owned()) };
    let params = RecordRunParams { shuffle: moved.then_some(shuffle), ..story.params() };
    story.world.record(&params, order.into_iter().map(case).collect()).unwrap()
}

#[test]
fn the_seed_is_stored_and_suggested_to_settle_an_order_verdict() {
    let mut story = Story::new();
    let mut last = String::new();
    for _ in 0..5 {
        story.commit();
        assert!(record_shuffled_run(&story, false).shuffle.is_none());
        let failed = record_shuffled_run(&story, true);
        assert_eq!(failed.shuffle.and_then(|shuffle| shuffle.seed).as_deref(), Some("5"));
        last = failed.run_id;
    }
    let verdict = story.world.diagnose(&last, CASE).unwrap().verdict.unwrap();
    assert_eq!(verdict.kind, VerdictKind::Order);
    let settle = verdict.settle.unwrap();
    assert!(settle.starts_with("Run only these two") && settle.contains("--randomly-seed=5"), "{settle}");
    let runs = story.world.call(history, &HistoryParams::default()).unwrap().runs;
    assert_eq!(runs.iter().filter(|run| run.shuffle.is_some()).count(), 5);
}
