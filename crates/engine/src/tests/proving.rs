//! How many passes prove a reported fix: one where the failure always came, more where it came by chance.

use super::{UNKNOWN, World, failed, passed};
use crate::contract::{FixStanding, GitFacts, RecordRunParams, ReportFixResult};

const CASE: &str = "a.test.ts > suite > boom";

/// The rate of a test that failed in 2 of 9 runs is held to be 2.5 / 14.5: `ln(0.05) / ln(1 - 0.172)` passes.
const NEEDED: u32 = 16;

fn on(commit: &str) -> RecordRunParams {
    let git = GitFacts {
        commit: Some(commit.to_owned()),
        tree: Some(format!("tree of {commit}")),
        branch: Some("main".to_owned()),
        dirty: Some(false),
        ..GitFacts::default()
    };
    RecordRunParams { git: Some(git), ..RecordRunParams::default() }
}

fn pass(world: &World, commit: &str) -> String {
    world.record(&on(commit), vec![passed("boom"), passed("other")]).unwrap().run_id
}

fn fail(world: &World, commit: &str) -> String {
    world.record(&on(commit), vec![failed("boom", UNKNOWN), passed("other")]).unwrap().run_id
}

/// A test that failed twice and passed seven times on one commit; the run of its last failure.
fn flaky() -> (World, String) {
    let world = World::new();
    for _ in 0..6 {
        pass(&world, "one");
    }
    fail(&world, "one");
    pass(&world, "one");
    let run = fail(&world, "one");
    (world, run)
}

fn claim(world: &World, run: &str) -> ReportFixResult {
    world.fix(run, "boom", "Waited for the capacitor", true).unwrap()
}

#[test]
fn what_always_came_is_mended_by_one_pass() {
    let world = World::new();
    for commit in 0..8 {
        pass(&world, &commit.to_string());
    }
    fail(&world, "broken");
    let run = fail(&world, "broken");
    let proof = pass(&world, "mended");
    let fix = claim(&world, &run);
    assert_eq!((fix.state, fix.proved_by), (Some(FixStanding::Proved), Some(proof)));
}

#[test]
fn what_came_by_chance_takes_as_many_passes_as_chance_could_explain() {
    let (world, run) = flaky();
    let fix = claim(&world, &run);
    assert_eq!(fix.state, Some(FixStanding::Claimed));
    let said = fix.to_prove.unwrap();
    assert!(said.contains(&format!("0 of {NEEDED} passes seen")), "{said}");
    let state = || world.diagnose(&run, CASE).unwrap().fix_history[0].state;
    for _ in 1..NEEDED {
        pass(&world, "two");
        assert_eq!(state(), Some(FixStanding::Claimed));
    }
    let last = world.record(&on("two"), vec![passed("boom")]).unwrap();
    assert_eq!(last.proved.len(), 1);
    let known = world.diagnose(&run, CASE).unwrap();
    assert_eq!((known.fix_history[0].state, known.suggested_fix.is_some()), (Some(FixStanding::Proved), true));
    assert_eq!(known.fix_history[0].proved_by, Some(last.run_id));

    let back = fail(&world, "three");
    let known = world.diagnose(&back, CASE).unwrap();
    assert_eq!(known.fix_history[0].state, Some(FixStanding::Refuted));
    assert_eq!(known.fix_history[0].refuted_by, Some(back));
}

#[test]
fn passes_count_that_are_seen_before_the_report_and_had_the_fix() {
    let (world, run) = flaky();
    pass(&world, "one");
    pass(&world, "two");
    for _ in 0..3 {
        pass(&world, "three");
    }
    let said = claim(&world, &run).to_prove.unwrap();
    assert!(said.contains("3 of ") && said.contains(" passes seen"), "{said}");
    let failed_again = fail(&world, "three");
    let said = claim(&world, &failed_again).to_prove.unwrap();
    assert!(said.contains("0 of "), "{said}");
}

#[test]
fn what_passes_on_the_very_same_files_says_nothing_of_a_fix() {
    let (world, run) = flaky();
    pass(&world, "one");
    let said = claim(&world, &run).to_prove.unwrap();
    assert!(said.contains("0 of "), "{said}");
}
