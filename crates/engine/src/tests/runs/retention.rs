//! Deletion of old runs, with any clock.

use crate::tests::{SEED_COUNTER, prelude::*};
use proptest::prelude::*;

const MAX_AGE_DAYS: i64 = 90;

/// 2039-01-01T00:00:00Z
const YEAR_2039_MS: i64 = 2_177_452_800_000;

fn world_with_retention(min_runs: Option<u32>) -> World {
    let retention = Retention { max_age_days: Some(90), max_runs: None, min_runs };
    World::open_with_options(":memory:", EngineOptions { retention, ..EngineOptions::default() }).unwrap()
}

/// Records a run at this clock time and returns its id.
fn run_at(world: &World, clock: i64) -> String {
    let params = RecordRunParams { cases: vec![passed_case("one")], ..RecordRunParams::default() };
    let mut seed = [0; 16];
    seed[..8].copy_from_slice(&SEED_COUNTER.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_le_bytes());
    record_run(&world.engine, &CallContext::new(clock, seed), &params).unwrap().run_id
}

fn list_kept_runs(world: &World) -> Vec<String> {
    let params = HistoryParams { limit: Some(100), ..HistoryParams::default() };
    let page = world.call(history, &params).unwrap();
    assert!(!page.has_more);
    page.runs.into_iter().map(|run| run.id).collect()
}

#[test]
fn a_run_dated_2039_deletes_no_other_run() {
    for min_runs in [None, Some(1)] {
        let world = world_with_retention(min_runs);
        for hour in 0..30 {
            run_at(&world, START_MS + hour * 3_600_000);
        }
        run_at(&world, YEAR_2039_MS);
        assert_eq!(list_kept_runs(&world).len(), 31);
        run_at(&world, START_MS + 31 * 3_600_000);
        assert_eq!(list_kept_runs(&world).len(), 32);
    }
}

#[test]
fn runs_after_wrong_clocks_are_not_deleted_first() {
    let retention = Retention { max_age_days: None, max_runs: Some(3), min_runs: None };
    let world = World::open_with_options(":memory:", EngineOptions { retention, ..EngineOptions::default() }).unwrap();
    (0..3).for_each(|_| drop(run_at(&world, YEAR_2039_MS)));
    let mut later = [run_at(&world, START_MS), run_at(&world, START_MS + 1), run_at(&world, START_MS + 2)];
    later.reverse();
    assert_eq!(list_kept_runs(&world), later);
}

#[test]
fn the_newest_runs_are_kept_at_any_age() {
    for (min_runs, count) in [(None, 20), (Some(12), 12), (Some(3), 3)] {
        let world = world_with_retention(min_runs);
        for day in 0..30 {
            run_at(&world, START_MS + day * 200 * DAY_MS);
        }
        assert_eq!(list_kept_runs(&world).len(), count);
    }
}

#[test]
fn a_clock_before_1970_or_after_9999_records_a_run() {
    let world = world_with_retention(None);
    for clock in [i64::MIN, -1, 0, CallContext::LATEST_MS + 1, i64::MAX] {
        run_at(&world, clock);
    }
    assert_eq!(list_kept_runs(&world).len(), 5);
    let moments = world.call(history, &HistoryParams::default()).unwrap().runs;
    assert!(moments.iter().all(|run| run.timestamp.len() == "2026-02-26T10:00:00.000Z".len()));
}

/// A clock that is wrong by at least years, because a small error cannot be detected.
fn any_wrong_clock() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(i64::MIN),
        Just(i64::MAX),
        Just(YEAR_2039_MS),
        i64::MIN..START_MS - 3000 * DAY_MS,
        START_MS + 6000 * DAY_MS..i64::MAX
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 16))]

    #[test]
    fn wrong_clocks_in_a_third_of_the_runs_delete_nothing_early(
        gaps in prop::collection::vec((0..20_i64, prop::option::of(any_wrong_clock())), 1..60),
        min_runs in 5..30_u32,
    ) {
        let world = world_with_retention(Some(min_runs));
        let mut today = START_MS;
        let mut right = START_MS;
        let mut recorded: Vec<(i64, String)> = Vec::new();
        for (at, (days, wrong)) in gaps.into_iter().enumerate() {
            today += days * DAY_MS;
            let wrong = wrong.filter(|_| at % 3 == 1);
            // A run with a wrong clock gets the age of the run before it.
            right = if wrong.is_some() { right } else { today };
            recorded.push((right, run_at(&world, wrong.unwrap_or(today))));
            let kept = list_kept_runs(&world);
            let missing = recorded.iter().filter(|(_, id)| !kept.contains(id)).map(|(day, _)| today - day).min();
            prop_assert!(missing.is_none_or(|age| age > MAX_AGE_DAYS * DAY_MS), "{missing:?}");
            prop_assert!(kept.len() >= recorded.len().min(min_runs as usize));
        }
        // Runs that are too old are deleted.
        today += (MAX_AGE_DAYS + 1) * DAY_MS;
        let last: Vec<_> = (0..min_runs).map(|_| run_at(&world, today)).collect();
        prop_assert_eq!(list_kept_runs(&world).len(), last.len());
    }
}
