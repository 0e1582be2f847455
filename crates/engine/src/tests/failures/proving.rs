//! The number of passes that prove a reported fix: one pass for a constant failure, more for a random failure.

use crate::tests::prelude::*;

/// The failure rate of a test that failed in 2 of 9 runs is estimated as 2.5 / 14.5, which gives `ln(0.05) / ln(1 -
/// 0.172)` passes.
const NEEDED_PASSES: u32 = 16;

/// Returns a world with a test that failed twice and passed seven times on the same commit, and the run of its last
/// failure.
fn world_with_flaky_test() -> (World, String) {
    let world = World::new();
    for _ in 0..6 {
        record_pass(&world, "one");
    }
    record_failure(&world, "one");
    record_pass(&world, "one");
    let run = record_failure(&world, "one");
    (world, run)
}

fn claim_fix(world: &World, run: &str) -> ReportFixResult {
    world.fix(run, "boom", "Waited for the capacitor", true).unwrap()
}

#[test]
fn a_random_failure_needs_more_passes_than_chance_explains() {
    let (world, run) = world_with_flaky_test();
    let fix = claim_fix(&world, &run);
    assert_eq!(fix.state, Some(ProofStatus::Claimed));
    let said = fix.to_prove.unwrap();
    assert!(said.contains(&format!("0 of {NEEDED_PASSES} passes seen")), "{said}");
    let state = || world.diagnose(&run, CASE).unwrap().fix_history[0].state;
    for seen in 1..NEEDED_PASSES {
        record_pass(&world, "two");
        assert_eq!(state(), Some(ProofStatus::Claimed));
        let trust = world.diagnose(&run, CASE).unwrap().trust.unwrap();
        assert_eq!((trust.state, trust.passes, trust.needed), (ProofStatus::Claimed, seen, NEEDED_PASSES));
    }
    let fix_status = world.diagnose(&run, CASE).unwrap().fix_status.unwrap();
    assert!(fix_status.ends_with(&format!("; {} of {NEEDED_PASSES} passes seen", NEEDED_PASSES - 1)), "{fix_status}");
    let last = world.record(&on_commit("two"), vec![passed_case("boom")]).unwrap();
    assert_eq!(last.proved.len(), 1);
    let known = world.diagnose(&run, CASE).unwrap();
    assert_eq!((known.fix_history[0].state, known.suggested_fix.is_some()), (Some(ProofStatus::Proved), true));
    assert_eq!(known.fix_history[0].proved_by, Some(last.run_id));

    let back = record_failure(&world, "three");
    let known = world.diagnose(&back, CASE).unwrap();
    assert_eq!(known.fix_history[0].state, Some(ProofStatus::Refuted));
    assert_eq!(known.fix_history[0].refuted_by, Some(back.clone()));
    assert_eq!((known.suggested_fix, known.trust), (None, None));
    let warning = &known.warnings[0];
    assert!(
        warning.contains(&back) && warning.contains(&format!("after {NEEDED_PASSES} runs that passed")),
        "{warning}"
    );
}

#[test]
fn reported_fixes_are_listed_with_their_proof() {
    let world = World::new();
    for commit in 0..8 {
        record_pass(&world, &commit.to_string());
    }
    let run = record_failure(&world, "broken");
    claim_fix(&world, &run);
    let listed = || {
        let FixesResult { reported, .. } = world.call(fixes, &NoParams {}).unwrap();
        reported.into_iter().map(|fix| (fix.fix_description, fix.trust)).collect::<Vec<_>>()
    };
    assert_eq!(listed()[0].1.state, ProofStatus::Claimed);
    world.fix(&run, "boom", "Replaced the capacitor", true).unwrap();
    let states: Vec<_> = listed().into_iter().map(|(what, trust)| (what, trust.state)).collect();
    let expected =
        [("Replaced the capacitor", ProofStatus::Claimed), ("Waited for the capacitor", ProofStatus::Superseded)];
    assert_eq!(states, expected.map(|(what, state)| (what.to_owned(), state)));
    let proof = record_pass(&world, "mended");
    let trust = &listed()[0].1;
    assert_eq!((trust.state, trust.passes, trust.needed), (ProofStatus::Proved, 1, 1));
    assert_eq!((&trust.failed_in, &trust.proved_by), (&run, &Some(proof)));
}

/// Passes after a second report support the second fix, so they must not prove the first.
#[test]
fn a_superseded_fix_is_not_proved_by_later_passes() {
    let (world, run) = world_with_flaky_test();
    claim_fix(&world, &run);
    record_pass(&world, "two");
    record_pass(&world, "two");
    world.fix(&run, "boom", "Replaced the capacitor", true).unwrap();
    let listed = || world.call(fixes, &NoParams {}).unwrap().reported;
    let states = || listed().into_iter().map(|fix| (fix.trust.state, fix.trust.passes)).collect::<Vec<_>>();
    assert_eq!(states(), [(ProofStatus::Claimed, 2), (ProofStatus::Superseded, 2)], "both fixes got the two passes");
    let needed = listed()[0].trust.needed;
    let mut proof = String::new();
    for _ in 2..needed {
        proof = record_pass(&world, "three");
    }
    assert_eq!(states(), [(ProofStatus::Proved, needed), (ProofStatus::Superseded, 2)]);
    let all = serde_json::to_value(listed()).unwrap();
    assert_eq!(
        (&all[0]["trust"]["provedBy"], &all[0]["fixDescription"]),
        (&proof.into(), &"Replaced the capacitor".into())
    );
    let earlier = &all[1]["trust"];
    assert_eq!((&earlier["state"], &earlier["failedIn"]), (&"superseded".into(), &run.clone().into()), "{all}");
    assert!(earlier.get("provedBy").is_none() && earlier.get("refutedBy").is_none());

    let known = world.diagnose(&run, CASE).unwrap();
    let states = known.fix_history.iter().map(|fix| fix.state.unwrap()).collect::<Vec<_>>();
    assert_eq!(states, [ProofStatus::Proved, ProofStatus::Superseded]);
    assert_eq!(known.suggested_fix.as_deref(), Some("Replaced the capacitor"));
}

#[test]
fn a_superseded_fix_counts_again_if_its_successor_is_refuted() {
    let world = World::new();
    for commit in 0..8 {
        record_pass(&world, &commit.to_string());
    }
    let run = record_failure(&world, "broken");
    claim_fix(&world, &run);
    world.fix(&run, "boom", "Replaced the capacitor", true).unwrap();
    world.fix(&run, "boom", "Replaced the capacitor", false).unwrap();
    let proof = record_pass(&world, "mended");
    let listed = world.call(fixes, &NoParams {}).unwrap().reported;
    let found: Vec<_> = listed.into_iter().map(|fix| (fix.trust.state, fix.trust.proved_by)).collect();
    assert_eq!(found, [(ProofStatus::Refuted, None), (ProofStatus::Proved, Some(proof))]);
}

#[test]
fn the_commit_that_fixed_a_failure_before_is_shown_if_no_fix_was_reported() {
    let world = World::new();
    for commit in 0..8 {
        record_pass(&world, &commit.to_string());
    }
    record_failure(&world, "broken");
    record_failure(&world, "still broken");
    record_pass(&world, "repair");
    record_pass(&world, "later");
    let back = record_failure(&world, "broken again");
    let known = world.diagnose(&back, CASE).unwrap();
    let before = known.mended_before.unwrap();
    assert_eq!((before.commit.as_deref(), before.status), (Some("repair"), ProofStatus::Refuted));
    assert_eq!((before.case_names.as_slice(), before.passes), (&[CASE.to_owned()][..], 2));
    claim_fix(&world, &back);
    assert_eq!(
        world.diagnose(&back, CASE).unwrap().mended_before,
        None,
        "a reported fix is shown instead of the commit"
    );
}

#[test]
fn passes_on_changed_files_before_the_report_count() {
    let (world, run) = world_with_flaky_test();
    record_pass(&world, "one");
    record_pass(&world, "two");
    for _ in 0..3 {
        record_pass(&world, "three");
    }
    let said = claim_fix(&world, &run).to_prove.unwrap();
    assert!(said.contains("3 of ") && said.contains(" passes seen"), "{said}");
    let failed_again = record_failure(&world, "three");
    let said = claim_fix(&world, &failed_again).to_prove.unwrap();
    assert!(said.contains("0 of "), "{said}");
}

#[test]
fn a_pass_on_the_same_files_does_not_count() {
    let (world, run) = world_with_flaky_test();
    record_pass(&world, "one");
    let said = claim_fix(&world, &run).to_prove.unwrap();
    assert!(said.contains("0 of "), "{said}");
}

#[test]
fn a_failure_on_the_same_files_refutes_nothing() {
    let world = World::new();
    let run = record_failure(&world, "broken");
    claim_fix(&world, &run);
    let elsewhere = record_failure(&world, "broken");
    let known = world.diagnose(&elsewhere, CASE).unwrap();
    assert_eq!(known.fix_history[0].state, Some(ProofStatus::Claimed));
    assert_eq!(known.suggested_fix.as_deref(), Some("Waited for the capacitor"));
    let changed = record_failure(&world, "changed");
    let known = world.diagnose(&changed, CASE).unwrap();
    assert_eq!((known.fix_history[0].state, known.suggested_fix), (Some(ProofStatus::Refuted), None));
}

/// For example, "restarted the machine" is refuted if the same files fail again on that machine.
#[test]
fn a_claim_without_changed_files_is_judged_by_runs_on_its_machine() {
    for (machine, claimed_on, state) in [
        ("laptop", "laptop", ProofStatus::Refuted),
        // Another person's machine does not have the change.
        ("desk", "laptop", ProofStatus::Proved),
        ("laptop", "desk", ProofStatus::Proved),
    ] {
        let recorder = |from: &str| RecorderOptions { by: None, from: Some(from.to_owned()) };
        let on = |commit: &str, machine: &str| RecordRunParams {
            environment: [("machine".to_owned(), format!("hash of {machine}"))].into(),
            ..on_commit(commit)
        };
        let world = World::new();
        let run = world.record(&on("broken", "laptop"), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap().run_id;
        let world = World { engine: world.engine.with_recorder(recorder(claimed_on)), ..world };
        world.fix(&run, "boom", "Restarted the machine", true).unwrap();
        let world = World { engine: world.engine.with_recorder(recorder(machine)), ..world };
        world.record(&on("broken", machine), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
        let world = World { engine: world.engine.with_recorder(recorder("laptop")), ..world };
        world.record(&on("mended", "laptop"), vec![passed_case("boom")]).unwrap();
        assert_eq!(world.diagnose(&run, CASE).unwrap().fix_history[0].state, Some(state), "{machine} {claimed_on}");
    }
}
