//! The fix that answers suggest for a run and a diagnosis, and its description.

use super::answering::{assertion_case, shop_world};
use crate::tests::prelude::*;

#[test]
fn a_fix_of_the_same_error_in_another_case_comes_before_a_tip() {
    let world = shop_world();
    let first = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&first, "health").unwrap();
    world.fix(&first, "health", "Start the database before the tests", true).unwrap();
    let again =
        world.record(&RecordRunParams::default(), vec![failed_case("orders", CONNECTION_REFUSED_ERROR)]).unwrap();
    let known = again.failures[0].known.as_ref().unwrap();
    assert_eq!(known.pattern_id, "builtin-conn-refused", "the known pattern is the built-in pattern");
    assert_eq!(known.suggested_fix.as_deref(), Some("Start the database before the tests"));
    let from = known.suggested_from.as_ref().unwrap();
    assert_eq!(from.case_name, "a.test.ts > suite > health");
    // Diagnoses without a reported fix do not lower its rank.
    for _ in 0..5 {
        let diagnosis = world.diagnose(&again.run_id, "orders").unwrap();
        assert_eq!(diagnosis.pattern.as_ref().unwrap().id, "builtin-conn-refused");
        assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Start the database before the tests"));
        assert_eq!(diagnosis.related[0].id, from.pattern_id);
        assert_eq!(diagnosis.suggested_from.unwrap().pattern_id, from.pattern_id);
    }
}

#[test]
fn a_fix_for_other_values_shows_the_differences_and_its_own_confidence() {
    let world = shop_world();
    let refused = |port: u32| format!("Error: connect ECONNREFUSED 127.0.0.1:{port}");
    let first = world.run(vec![failed_case("database", &refused(5432))]);
    world.diagnose(&first, "database").unwrap();
    world.fix(&first, "database", "Start the database", true).unwrap();
    let there = world.diagnose(&first, "database").unwrap().confidence.unwrap();
    let again = world.record(&RecordRunParams::default(), vec![failed_case("cache", &refused(6379))]).unwrap();
    let known = again.failures[0].known.as_ref().unwrap();
    let from = known.suggested_from.as_ref().unwrap();
    assert_eq!(
        (from.differences[0].before.as_str(), from.differences[0].now.as_str()),
        (&*refused(5432), &*refused(6379))
    );
    assert_eq!((known.confidence, from.confidence), (there, there));
    assert!(known.claimed && known.same_cause_as.is_none());
    let diagnosis = world.diagnose(&again.run_id, "cache").unwrap();
    assert_eq!(diagnosis.suggested_from.as_ref(), Some(from));
    assert!(diagnosis.related[0].similarity < 1.0 && !diagnosis.related[0].differences.is_empty());
    // A fix for exactly the same error comes first, even if the other fix helped more often.
    let third = world.run(vec![failed_case("queue", &refused(6379))]);
    world.fix(&third, "queue", "Start the cache", true).unwrap();
    let diagnosis = world.diagnose(&again.run_id, "cache").unwrap();
    assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Start the cache"));
    assert_eq!(diagnosis.suggested_from.unwrap().differences, []);
    // The same case fails on another port: its own fix is suggested, with the difference.
    world.run(vec![passed_case("database")]);
    let moved = world.record(&RecordRunParams::default(), vec![failed_case("database", &refused(6379))]).unwrap();
    let known = moved.failures[0].known.as_ref().unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Start the database"));
    assert_eq!(known.suggested_from.as_ref().unwrap().differences[0].before, refused(5432));
}

#[test]
fn a_claimed_fix_is_marked_and_ranks_below_a_proved_fix() {
    let world = shop_world();
    let run = world.run(vec![failed_case("a", CONNECTION_REFUSED_ERROR), failed_case("b", CONNECTION_REFUSED_ERROR)]);
    world.fix(&run, "a", "Started the database", true).unwrap();
    world.run(vec![passed_case("a")]);
    // This claim is newer than the proved fix.
    let newer = world.run(vec![failed_case("b", CONNECTION_REFUSED_ERROR)]);
    world.fix(&newer, "b", "Wished it away", true).unwrap();
    let again = world.record(&RecordRunParams::default(), vec![failed_case("c", CONNECTION_REFUSED_ERROR)]).unwrap();
    let known = again.failures[0].known.as_ref().unwrap();
    assert_eq!((known.suggested_fix.as_deref(), known.claimed), (Some("Started the database"), false));
    assert_eq!(known.tried, Some(FixTrialCounts { proved: 1, claimed: 0, failed: 0 }));
    let diagnosis = world.diagnose(&again.run_id, "c").unwrap();
    assert!(!diagnosis.claimed && !diagnosis.related[0].claimed);
    assert!(
        diagnosis.related[1].claimed && diagnosis.related[1].tried.unwrap().claimed == 1,
        "{:?}",
        diagnosis.related
    );
    let own = world.run(vec![failed_case("b", CONNECTION_REFUSED_ERROR)]);
    let own = world.diagnose(&own, "b").unwrap();
    assert_eq!(
        (own.suggested_fix.as_deref(), own.claimed, own.pattern.unwrap().claimed),
        (Some("Started the database"), false, false),
        "refuted"
    );
}

#[test]
fn repeated_diagnoses_do_not_change_the_suggestion() {
    let world = shop_world();
    let run = world.run(vec![failed_case("a", CONNECTION_REFUSED_ERROR), failed_case("b", CONNECTION_REFUSED_ERROR)]);
    world.fix(&run, "a", "Started the database", true).unwrap();
    world.fix(&run, "b", "Waited for the database", true).unwrap();
    world.run(vec![passed_case("a"), passed_case("b")]);
    let known = || {
        let run = world.record(&RecordRunParams::default(), vec![failed_case("c", CONNECTION_REFUSED_ERROR)]).unwrap();
        let known = run.failures[0].known.clone().unwrap();
        let diagnosis = world.diagnose(&run.run_id, "c").unwrap();
        let related: Vec<_> = diagnosis.related.iter().map(|one| (one.id.clone(), one.tried)).collect();
        (known.suggested_fix, known.tried, diagnosis.tried, related)
    };
    let before = known();
    for _ in 0..5 {
        world.diagnose(&run, "a").unwrap();
        world.diagnose(&run, "b").unwrap();
        world.diagnose(&run, "a").unwrap();
    }
    assert_eq!(known(), before);
}

#[test]
fn another_case_of_a_known_error_names_its_first_case() {
    let world = shop_world();
    let first = world.run(vec![failed_case("first", UNKNOWN_ERROR)]);
    world.diagnose(&first, "first").unwrap();
    let run = world.record(&RecordRunParams::default(), vec![failed_case("second", UNKNOWN_ERROR)]).unwrap();
    let same = run.failures[0].known.as_ref().unwrap().same_cause_as.clone().unwrap();
    assert_eq!(same.case_name, "a.test.ts > suite > first");
    let diagnosis = world.diagnose(&run.run_id, "second").unwrap();
    assert_eq!((diagnosis.same_cause_as, diagnosis.suggested_fix), (Some(same.clone()), None));
    world.fix(&first, "first", "Tuned it", true).unwrap();
    let run = world.run(vec![failed_case("third", UNKNOWN_ERROR)]);
    let diagnosis = world.diagnose(&run, "third").unwrap();
    assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Tuned it"));
    assert_eq!(diagnosis.same_cause_as, Some(same));
    // The first diagnosis created a pattern for the third case.
    assert_eq!(world.diagnose(&run, "third").unwrap().same_cause_as, None);
    let other = world.run(vec![failed_case("fourth", "Error: the flux inductor is out of tune")]);
    assert_eq!(world.diagnose(&other, "fourth").unwrap().same_cause_as, None);
}

#[test]
fn a_built_in_tip_does_not_count_reported_fixes() {
    let world = shop_world();
    let run = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&run, "health").unwrap();
    world.fix(&run, "health", "Start the database", true).unwrap();
    world.run(vec![passed_case("health")]);
    let all = world.call(patterns, &PatternsParams::default()).unwrap().patterns;
    let of =
        |source| all.iter().find(|one| one.category == Category::ConnectionRefused && one.source == source).unwrap();
    let (tip, learned) = (of(PatternSource::BuiltIn), of(PatternSource::Learned));
    assert_eq!(
        (tip.confidence, tip.tried, tip.claimed),
        (2.0 / 3.0, None, false),
        "a tip has only the fields of the contract"
    );
    assert_eq!(tip.fix_status.as_deref(), Some("a built-in tip, not yet tried here"));
    assert_eq!(learned.fix_status.as_deref(), Some("fixed 1 of 1 time"));
    assert_eq!(learned.tried, Some(FixTrialCounts { proved: 1, claimed: 0, failed: 0 }));
    assert!(
        all.iter().position(|one| one == learned) < all.iter().position(|one| one == tip),
        "patterns with equal occurrences are ordered by evidence"
    );
}

#[test]
fn a_failed_fix_is_not_suggested_in_other_cases() {
    let world = shop_world();
    let first = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&first, "health").unwrap();
    world.fix(&first, "health", "Restarted it", false).unwrap();
    let run = world.run(vec![failed_case("orders", CONNECTION_REFUSED_ERROR)]);
    let diagnosis = world.diagnose(&run, "orders").unwrap();
    assert_eq!(diagnosis.suggested_from, None);
    assert_ne!(diagnosis.suggested_fix.as_deref(), Some("Restarted it"));
}

#[test]
fn the_own_fix_comes_before_a_fix_of_another_case() {
    let world = shop_world();
    let run = world
        .run(vec![failed_case("health", CONNECTION_REFUSED_ERROR), failed_case("orders", CONNECTION_REFUSED_ERROR)]);
    world.fix(&run, "health", "Start the database", true).unwrap();
    world.fix(&run, "orders", "Wait for the database", true).unwrap();
    world.run(vec![passed_case("orders")]);
    let again = world.run(vec![failed_case("orders", CONNECTION_REFUSED_ERROR)]);
    let diagnosis = world.diagnose(&again, "orders").unwrap();
    assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Wait for the database"));
    assert_eq!((diagnosis.suggested_from, diagnosis.matched.how), (None, MatchMethod::Signature));
}

#[test]
fn an_assertion_with_other_numbers_is_only_related() {
    let world = shop_world();
    let wrong = |actual: u32, expected: u32| format!("AssertionError: expected {actual} to be {expected}");
    let first = world.run(vec![failed_case("price", &wrong(24, 7))]);
    world.diagnose(&first, "price").unwrap();
    world.fix(&first, "price", "Sum the prices instead of multiplying them", true).unwrap();
    let run = world.run(vec![failed_case("stock", &wrong(3, 5)), failed_case("basket", &wrong(24, 7))]);

    let stock = world.diagnose(&run, "stock").unwrap();
    assert_eq!(stock.suggested_from, None, "the fix of another assertion is not suggested");
    let related = &stock.related[0];
    assert_eq!(related.suggested_fix.as_deref(), Some("Sum the prices instead of multiplying them"));
    assert!(related.similarity < 1.0 && related.similarity > 0.6, "{}", related.similarity);
    assert_eq!(related.differences[0].before, wrong(24, 7));
    assert_eq!(related.differences[0].now, wrong(3, 5));

    let basket = world.diagnose(&run, "basket").unwrap();
    assert_eq!(basket.suggested_fix.as_deref(), Some("Sum the prices instead of multiplying them"));
    assert_eq!(basket.related[0].similarity, 1.0);
}

#[test]
fn the_same_assertion_with_other_values_matches_with_differences() {
    let world = shop_world();
    let first = world.run(vec![assertion_case("price", 24, 7, 6)]);
    world.diagnose(&first, "price").unwrap();
    world.fix(&first, "price", "Sum the prices", true).unwrap();
    world.run(vec![passed_case("price")]);
    let again = world.run(vec![assertion_case("price", 3, 5, 6)]);
    let diagnosis = world.diagnose(&again, "price").unwrap();
    assert_eq!(
        (diagnosis.matched.how, diagnosis.suggested_fix.as_deref()),
        (MatchMethod::Signature, Some("Sum the prices"))
    );
    assert!(diagnosis.matched.similarity.unwrap() < 1.0);
    let difference = &diagnosis.matched.differences[0];
    assert_eq!((difference.before.as_str(), difference.now.as_str()), ("24 !== 7", "3 !== 5"));
    let same = world.run(vec![assertion_case("price", 24, 7, 6)]);
    let diagnosis = world.diagnose(&same, "price").unwrap();
    assert_eq!((diagnosis.matched.similarity, diagnosis.matched.differences), (Some(1.0), Vec::new()));
}
