//! The failures that cost most.

use super::{FIRST_FAILS, NO_ERRORS, Story};
use crate::{contract::WallsParams, evidence::walls::walls, tests::prelude::*};
use argus_core::evidence::walls::WallKind;

const MINUTE_MS: i64 = 60_000;
const OTHER_ERROR: &str = "RangeError: the shelf is full";
const OTHER_FAILS: [Option<&str>; 3] = [None, Some(OTHER_ERROR), None];

impl Story {
    /// Records a run of 1 minute that starts this many minutes after the first run.
    fn run_at(&self, minutes: i64, errors: &[Option<&str>]) -> String {
        let started_at = Some(1_700_000_000_000 + minutes * MINUTE_MS);
        let params = RecordRunParams { started_at, duration_ms: Some(60_000.0), ..self.params() };
        let cases = errors.iter().enumerate().map(|(at, error)| match error {
            Some(error) => failed_case(&format!("case {at}"), error),
            None => passed_case(&format!("case {at}")),
        });
        self.world.record(&params, cases.collect()).unwrap().run_id
    }

    fn commit_and_run_at(&mut self, minutes: i64, errors: &[Option<&str>]) -> String {
        self.commit();
        self.run_at(minutes, errors)
    }

    fn walls(&self) -> WallsResult {
        self.world.call(walls, &WallsParams::default()).unwrap()
    }
}

#[test]
fn a_failure_costs_the_time_from_red_to_green() {
    let mut story = Story::new();
    assert_eq!(story.walls(), WallsResult { walls: Vec::new(), total: 0, has_more: false, runs: 0 });
    story.commit_and_run_at(0, &NO_ERRORS);
    assert_eq!((story.walls().walls.len(), story.walls().runs), (0, 1));
    story.commit_and_run_at(10, &FIRST_FAILS);
    let wall = || story.walls().walls[0].clone();
    assert_eq!((wall().red_minutes, wall().is_failing, wall().recurrences), (1.0, true, 0));
    // A rerun on the same files, and a pass on the next commit.
    let newest = story.run_at(15, &FIRST_FAILS);
    story.commit_and_run_at(20, &NO_ERRORS);
    let walls = story.walls();
    let [wall] = &walls.walls[..] else { panic!("{walls:?}") };
    assert_eq!((wall.red_minutes, wall.is_failing), (11.0, false));
    assert_eq!((wall.runs, wall.reruns, wall.recurrences, wall.tests), (2, 1, 0, 1));
    assert_eq!((wall.kind, &wall.last_run_id), (WallKind::Code, &newest));
    assert_eq!(wall.case_names, ["a.test.ts > suite > case 0"]);
    assert!(wall.headline.as_ref().unwrap().contains("flux capacitor"), "{wall:?}");
    assert_eq!(wall.remedy, format!("Keep the fix: argus fixes {}", wall.fix_id.as_ref().unwrap()));
    // The failure comes back, and after a break of a night it is repaired.
    story.commit_and_run_at(30, &FIRST_FAILS);
    story.commit_and_run_at(30 + 600, &NO_ERRORS);
    let back = &story.walls().walls[0];
    assert_eq!((back.red_minutes, back.recurrences, back.runs), (13.0, 1, 3));
}

#[test]
fn a_run_of_another_test_or_branch_does_not_end_a_failure() {
    let mut story = Story::new();
    story.commit_and_run_at(0, &NO_ERRORS);
    story.commit_and_run_at(10, &FIRST_FAILS);
    let started_at = Some(1_700_000_000_000 + 12 * MINUTE_MS);
    let filtered = RecordRunParams { started_at, filter: Some("case 1".to_owned()), ..story.params() };
    story.world.record(&filtered, vec![passed_case("case 1")]).unwrap();
    let git = story.params().git.map(|git| GitFacts { branch: Some("other".to_owned()), ..git });
    let branch = RecordRunParams { started_at, git, ..story.params() };
    story.world.record(&branch, vec![passed_case("case 0")]).unwrap();
    assert!(story.walls().walls[0].is_failing);
}

#[test]
fn errors_of_the_same_runs_are_one_failure_and_recent_frequent_failures_come_first() {
    let mut story = Story::new();
    story.commit_and_run_at(0, &NO_ERRORS);
    story.commit_and_run_at(10, &[Some(UNKNOWN_ERROR), Some(OTHER_ERROR), None]);
    story.commit_and_run_at(11, &NO_ERRORS);
    let both = story.walls();
    assert_eq!((both.total, both.walls[0].tests), (1, 2));
    let mut story = Story::new();
    story.commit_and_run_at(0, &FIRST_FAILS);
    story.commit_and_run_at(20, &NO_ERRORS);
    for at in 0..3 {
        story.commit_and_run_at(30 + 2 * at, &OTHER_FAILS);
        story.commit_and_run_at(31 + 2 * at, &NO_ERRORS);
    }
    let cost = |wall: &WallEntry| (wall.runs, wall.recurrences, wall.red_minutes);
    assert_eq!(story.walls().walls.iter().map(cost).collect::<Vec<_>>(), [(3, 2, 6.0), (1, 0, 21.0)]);
    let page = story.world.call(walls, &WallsParams { limit: Some(1), offset: Some(1) }).unwrap();
    assert_eq!((page.walls.len(), page.total, page.has_more), (1, 2, false));
}

#[test]
fn a_failure_by_chance_is_flaky() {
    let mut story = Story::new();
    story.commit();
    for at in 0..9 {
        story.run_at(at, if at % 3 == 2 { &FIRST_FAILS } else { &NO_ERRORS });
    }
    let wall = &story.walls().walls[0];
    assert_eq!((wall.kind, wall.runs, wall.recurrences), (WallKind::Flaky, 3, 2));
    assert_eq!(wall.fix_id, None);
}
