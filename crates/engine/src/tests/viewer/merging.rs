//! Patterns that a person merged.

use super::flux_rule;
use crate::tests::prelude::*;

const OTHER_ERROR: &str = "Error: the warp core is cold";

#[test]
fn failures_of_a_merged_pattern_count_on_its_target() {
    let (world, run) = World::after_run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", OTHER_ERROR)]);
    let (from, into) = (world.learn(&run, "a"), world.learn(&run, "b"));
    world.fix(&run, "a", "Tuned it", true).unwrap();
    let row = world.join(&from, &into).unwrap();
    assert_eq!((&row.id, row.occurrences, row.resolutions), (&into, 4, 1));
    assert_eq!(row.suggested_fix.as_deref(), Some("Tuned it"));
    let known = world.diagnose(&run, "a").unwrap();
    assert_eq!((known.pattern.unwrap().id, known.suggested_fix.as_deref()), (into.clone(), Some("Tuned it")));
    assert_eq!(known.fix_history.len(), 1);
    let fixed = world.fix(&run, "a", "Warmed it", false).unwrap();
    assert_eq!((fixed.pattern_id.as_str(), fixed.is_new_pattern), (into.as_str(), false));
    let page = world.view_page(&from);
    assert_eq!((&page.pattern.id, page.merged[0].id.as_str(), page.merged[0].occurrences), (&into, from.as_str(), 2));
    assert_eq!((page.seen_total, page.tests.len()), (2, 2));
    assert_eq!(world.view_rows(&ViewPatternsParams::default()).total, 7);
    let answer = world.search_solutions(UNKNOWN_ERROR, json!({}));
    assert_eq!(answer.incidents.len(), 1, "{:?}", answer.incidents);
    assert_eq!(answer.incidents[0].incident_id, into);
}

#[test]
fn a_merged_pattern_can_be_split_off() {
    let (world, run) = World::after_run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", OTHER_ERROR)]);
    let (from, into) = (world.learn(&run, "a"), world.learn(&run, "b"));
    world.fix(&run, "a", "Tuned it", true).unwrap();
    world.join(&from, &into).unwrap();
    let row = world.part(&into, &from).unwrap();
    assert_eq!((&row.id, row.occurrences, row.resolutions, row.suggested_fix), (&from, 2, 0, None));
    let whole = world.view_page(&into);
    assert_eq!((whole.pattern.occurrences, whole.pattern.resolutions, whole.merged.len()), (2, 1, 0));
    assert_eq!(world.diagnose(&run, "a").unwrap().pattern.unwrap().id, from);
    assert_eq!(world.diagnose(&run, "b").unwrap().pattern.unwrap().id, into);
    assert_eq!(
        world.part(&into, &from).unwrap_err().code,
        ErrorCode::InvalidInput,
        "a split pattern cannot be split again"
    );
    assert_eq!(world.part("pat-x", &from).unwrap_err().code, ErrorCode::PatternNotFound);
}

#[test]
fn a_merged_pattern_can_be_merged_again() {
    let (world, run) = World::after_run(vec![
        failed_case("a", UNKNOWN_ERROR),
        failed_case("b", OTHER_ERROR),
        failed_case("c", "Error: no dilithium is left"),
    ]);
    let ids: Vec<_> = ["a", "b", "c"].iter().map(|case| world.learn(&run, case)).collect();
    world.join(&ids[0], &ids[1]).unwrap();
    let row = world.join(&ids[1], &ids[2]).unwrap();
    assert_eq!((&row.id, row.occurrences), (&ids[2], 6));
    for case in ["a", "b", "c"] {
        assert_eq!(world.diagnose(&run, case).unwrap().pattern.unwrap().id, ids[2]);
    }
    assert_eq!(world.view_page(&ids[0]).merged.len(), 2);
    assert_eq!(world.join(&ids[0], &ids[2]).unwrap_err().code, ErrorCode::InvalidInput, "one already");
    assert_eq!(world.join(&ids[0], "builtin-timeout").unwrap_err().code, ErrorCode::InvalidInput);
    assert_eq!(world.join("pat-x", &ids[2]).unwrap_err().code, ErrorCode::PatternNotFound);
}

#[test]
fn a_merge_survives_a_rule_change() {
    let (folder, world) = World::on_file("merges");
    let run = world.run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", OTHER_ERROR)]);
    let (from, into) = (world.learn(&run, "a"), world.learn(&run, "b"));
    world.join(&from, &into).unwrap();
    drop(world);
    let options = EngineOptions { rules: vec![flux_rule()], ..EngineOptions::default() };
    let world = World::open_with_options(folder.file().to_str().unwrap(), options).unwrap();
    for _ in 0..2 {
        let run = world.run(vec![failed_case("a", UNKNOWN_ERROR), failed_case("b", OTHER_ERROR)]);
        assert_eq!(world.diagnose(&run, "a").unwrap().pattern.unwrap().id, into);
        assert_eq!(world.diagnose(&run, "b").unwrap().pattern.unwrap().id, into);
    }
    let page = world.view_page(&into);
    assert_eq!((page.pattern.occurrences, page.learned.category), (8, Category::Unknown));
    assert_eq!((page.seen_total, page.tests.len()), (6, 2), "runs from before the rule change are included");
    let listed = world.view_rows(&ViewPatternsParams::default());
    assert_eq!((listed.total, listed.sources[1].count), (7, 1));
}

#[test]
fn patterns_joined_by_new_rules_suggest_no_wrong_fix() {
    let rule = |pattern: &str| UserRule {
        name: "seven".to_owned(),
        category: Category::ConfigError,
        pattern: pattern.to_owned(),
    };
    for set_first in [true, false] {
        let folder = Folder::new("joined");
        let options = EngineOptions { rules: vec![rule("flux capacitor 7")], ..EngineOptions::default() };
        let world = World::open_with_options(folder.file().to_str().unwrap(), options).unwrap();
        let mut ids = [7, 8].map(|number| {
            let run =
                world.run(vec![failed_case("boom", &format!("Error: the flux capacitor {number} is out of tune"))]);
            (world.learn(&run, "boom"), run)
        });
        assert_ne!(ids[0].0, ids[1].0);
        if set_first {
            ids.reverse();
        }
        let [(_, run), (set, _)] = ids;
        let fix = world.fix(&run, "boom", "Kicked it", true).unwrap();
        world.judge(&fix.fix_record_id, true).unwrap();
        world.set(&set, Category::Timeout, "Too slow", "Kicked it");
        drop(world);
        let world = World::open(&folder.file()).unwrap();
        let run = world.run(vec![failed_case("boom", "Error: the flux capacitor 9 is out of tune")]);
        let known = world.diagnose(&run, "boom").unwrap();
        assert_eq!((known.suggested_fix, known.pattern.unwrap().occurrences), (None, 5), "{set_first}");
    }
}
