//! Exchange of patterns between memories: `patternsExport` and `patternsImport`.

use crate::{
    memory::exchange::patterns::{export::export, import::import},
    tests::prelude::*,
};

const OTHER_ERROR: &str = "Error: the warp core is offline";

fn export_lines(world: &World) -> String {
    world.call(export, &PatternsExportParams::default()).unwrap().lines
}

fn import_patterns(world: &World, lines: &str, from: &str, into: Option<&str>) -> PatternsImportResult {
    let params =
        PatternsImportParams { lines: lines.to_owned(), from: from.to_owned(), into: into.map(ToOwned::to_owned) };
    world.call(import, &params).unwrap()
}

/// Imports the patterns of `from`, which is named `ada`, into `into`, which is named `team`.
fn push_patterns(from: &World, into: &World) -> PatternsImportResult {
    import_patterns(into, &export_lines(from), "ada", Some("team"))
}

fn pull_patterns(into: &World, from: &World) -> PatternsImportResult {
    import_patterns(into, &export_lines(from), "team", Some("ada"))
}

fn list_learned(world: &World) -> Vec<FailurePattern> {
    let params = PatternsParams { source: Some(PatternSource::Learned), ..PatternsParams::default() };
    world.call(patterns, &params).unwrap().patterns
}

fn list_counts(world: &World) -> Vec<(u32, u32)> {
    list_learned(world).iter().map(|pattern| (pattern.occurrences, pattern.resolutions)).collect()
}

/// Returns a memory that has diagnosed a failure twice and proved a fix.
fn world_with_proved_fix() -> World {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.diagnose(&run, "boom").unwrap();
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Hit it", false).unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![passed_case("boom")]);
    world
}

#[test]
fn imported_patterns_are_known_with_their_proved_fix() {
    let (own, team) = (world_with_proved_fix(), World::new());
    let imported = push_patterns(&own, &team);
    assert_eq!((imported.added, imported.updated, imported.solutions, imported.outcomes), (1, 0, 2, 2));
    let run = team.record(&RecordRunParams::default(), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    let known = run.failures[0].known.as_ref().unwrap();
    assert_eq!((known.suggested_fix.as_deref(), known.claimed), (Some("Tuned it"), false));
    assert_eq!(known.fix_status.as_deref(), Some("fixed 1 of 1 time"));
    let known = team.diagnose(&run.run_id, "boom").unwrap();
    assert!(!known.is_new_pattern);
    assert_eq!(known.fix_history.len(), 2);
    assert_eq!(list_counts(&team), [(3, 1)]);
}

#[test]
fn repeated_imports_add_only_the_difference() {
    let (own, team) = (world_with_proved_fix(), World::new());
    push_patterns(&own, &team);
    let once = export_lines(&team);
    let again = push_patterns(&own, &team);
    assert_eq!((again.added, again.updated, again.solutions, again.outcomes), (0, 1, 0, 0));
    assert_eq!(export_lines(&team), once);

    let run = team.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    team.diagnose(&run, "boom").unwrap();
    let run = own.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    own.diagnose(&run, "boom").unwrap();
    own.fix(&run, "boom", "Tuned it", true).unwrap();
    own.fix(&run, "boom", "Replaced it", true).unwrap();
    let more = push_patterns(&own, &team);
    assert_eq!((more.solutions, more.outcomes), (1, 2));
    assert_eq!((list_counts(&own), list_counts(&team)), (vec![(3, 2)], vec![(4, 2)]));
    // A claim that was imported before is proved by a later import. A superseded claim is not.
    // The failure came, went and came again, so that a single pass is not enough.
    for _ in 0..12 {
        own.run(vec![passed_case("boom")]);
    }
    let proved = |world: &World| export_lines(world).matches("\"proved_by\"").count();
    push_patterns(&own, &team);
    assert_eq!((proved(&own), proved(&team)), (2, 2));
}

#[test]
fn counts_that_come_back_are_not_counted_twice() {
    let (own, team) = (world_with_proved_fix(), World::new());
    for _ in 0..3 {
        push_patterns(&own, &team);
        pull_patterns(&own, &team);
    }
    assert_eq!((list_counts(&own), list_counts(&team)), (vec![(2, 1)], vec![(2, 1)]));
    let run = team.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    team.diagnose(&run, "boom").unwrap();
    for _ in 0..2 {
        pull_patterns(&own, &team);
        push_patterns(&own, &team);
    }
    assert_eq!((list_counts(&own), list_counts(&team)), (vec![(3, 1)], vec![(3, 1)]));
    // A third memory imports the same counts from both.
    let bob = World::new();
    import_patterns(&bob, &export_lines(&team), "team", Some("bob"));
    import_patterns(&bob, &export_lines(&own), "ada", Some("bob"));
    assert_eq!(list_counts(&bob), [(3, 1)]);
}

#[test]
fn each_memory_computes_signatures_with_its_own_rules() {
    let (name, pattern) = ("flux".to_owned(), "flux capacitor".to_owned());
    let rules = vec![UserRule { name, category: Category::ConfigError, pattern }];
    let team = World::open_with_options(":memory:", EngineOptions { rules, ..EngineOptions::default() }).unwrap();
    let run = team.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    team.diagnose(&run, "boom").unwrap();
    let own = world_with_proved_fix();
    let imported = push_patterns(&own, &team);
    assert_eq!((imported.added, imported.updated), (0, 1));
    assert_eq!(list_counts(&team), [(3, 1)]);
    assert_eq!(list_learned(&team)[0].category, Category::ConfigError);
    assert_eq!(push_patterns(&own, &team).updated, 1);
    assert_eq!(list_counts(&team), [(3, 1)]);
    let known = team.diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Tuned it"));
}

#[test]
fn a_new_pattern_is_imported_with_edits_and_merged_parts() {
    let (own, team) = (world_with_proved_fix(), World::new());
    let run = own.run(vec![failed_case("boom", OTHER_ERROR)]);
    own.diagnose(&run, "boom").unwrap();
    let (from, into) = (own.diagnose(&run, "boom").unwrap().pattern.unwrap().id, list_learned(&own));
    let into = into.iter().find(|pattern| pattern.id != from).unwrap().id.clone();
    own.call(merge_patterns, &MergePatternsParams { from, into: into.clone() }).unwrap();
    let edit = |world: &World, id: &str, text: &str| {
        let description = Change::Set(text.to_owned());
        let fix = Change::Set("Ask Scotty".to_owned());
        let params = EditPatternParams { id: id.to_owned(), description, category: Change::Keep, suggested_fix: fix };
        world.call(edit_pattern, &params).unwrap();
    };
    edit(&own, &into, "The engine is out of order");
    push_patterns(&own, &team);
    let run = team.record(&RecordRunParams::default(), vec![failed_case("boom", OTHER_ERROR)]).unwrap();
    let known = run.failures[0].known.as_ref().unwrap();
    assert_eq!((&known.pattern_id, known.suggested_fix.as_deref()), (&into, Some("Ask Scotty")));
    assert_eq!(list_learned(&team)[0].description, "The engine is out of order");
    edit(&own, &into, "The engine is broken");
    edit(&team, &into, "The team knows better");
    push_patterns(&own, &team);
    assert_eq!(list_learned(&team)[0].description, "The team knows better");
    assert_eq!(push_patterns(&own, &team).solutions, 0);
}

#[test]
fn a_failure_of_a_built_in_becomes_a_pattern_with_the_imported_fix() {
    let (own, run) = World::after_run(vec![failed_case("boom", CONNECTION_REFUSED_ERROR)]);
    own.fix(&run, "boom", "Started the database", true).unwrap();
    let (team, run) = World::after_run(vec![failed_case("boom", CONNECTION_REFUSED_ERROR)]);
    team.diagnose(&run, "boom").unwrap();
    let provisional = || list_learned(&team).iter().map(|pattern| pattern.provisional).collect::<Vec<_>>();
    assert_eq!(provisional(), [true]);
    push_patterns(&own, &team);
    assert_eq!(provisional(), [false]);
    let known = team.diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Started the database"));
}

#[test]
fn an_imported_line_is_redacted_and_bounded() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mut line: Value = serde_json::from_str(export_lines(&world_with_proved_fix()).lines().next().unwrap()).unwrap();
    line["case_name"] = format!("uses {secret}").into();
    line["description"] = format!("it said {secret}").into();
    line["category"] = "NO_SUCH".into();
    line["sample"]["text"] = format!("{UNKNOWN_ERROR} {secret}").into();
    line["sample"]["exceptionType"] = secret.into();
    line["solutions"][0]["steps"] = format!("Use {secret}").into();
    line["solutions"][0]["outcomes"][0]["notes"] = secret.into();
    line["signatures"] = json!([secret, "zz"]);
    line["days"] = json!([[9_000_000_000_i64, 5, 1], [-4, 1, 1], [3, 1, 4_000_000_000_u32]]);
    line["counts"][0]["occurrences"] = 4_000_000_000_u32.into();
    line["counts"][0]["resolutions"] = 4_100_000_000_u32.into();
    line["person"] = json!({ "description": secret, "solution": "sol-none", "edited_at": "2026-01-01T00:00:00Z" });
    let with = |field: &str, value: Value| {
        let mut other = line.clone();
        other[field] = value;
        other.to_string()
    };
    let refused = [
        with("id", secret.into()),
        with("id", "builtin-timeout".into()),
        with("type", "incident".into()),
        with("first_seen_at", "yesterday".into()),
        "{".to_owned(),
    ];
    let team = World::new();
    let all = format!("{}\n{line}", refused.join("\n"));
    let imported = import_patterns(&team, &all, "mallory", None);
    assert_eq!((imported.added, imported.refused.len()), (1, 5), "{:?}", imported.refused);
    let kept = export_lines(&team);
    assert!(!kept.contains(secret) && !format!("{:?}", imported.refused).contains(secret), "{kept}");
    assert_eq!(list_counts(&team), [(1_000_000_000, 1_000_000_000)]);
    assert_eq!(import_patterns(&team, &kept, "eve", None).updated, 1);
    assert_eq!(list_counts(&team), [(1_000_000_000, 1_000_000_000)]);
    let unnamed = PatternsImportParams { lines: kept, from: String::new(), into: None };
    assert!(team.call(import, &unnamed).is_err());
}

#[test]
fn an_imported_id_that_another_failure_has_is_replaced() {
    let (own, team) = (world_with_proved_fix(), World::new());
    push_patterns(&own, &team);
    let mut line: Value = serde_json::from_str(export_lines(&own).lines().next().unwrap()).unwrap();
    line["sample"]["text"] = OTHER_ERROR.into();
    for added in [1, 0] {
        assert_eq!(import_patterns(&team, &line.to_string(), "bob", None).added, added);
    }
    assert_eq!(list_learned(&team).len(), 2);
}

#[test]
fn pages_contain_all_patterns() {
    let own = World::new();
    let names: Vec<String> = (0..25).map(|at| format!("case {at}")).collect();
    let run = own.run(names.iter().map(|name| failed_case(name, &format!("{UNKNOWN_ERROR} in {name}"))).collect());
    for name in &names {
        own.diagnose(&run, name).unwrap();
    }
    let team = World::new();
    let (mut after, mut added) = (None, 0);
    loop {
        let params = PatternsExportParams { after, limit: Some(10) };
        let PatternsExportPage { lines, total, next, patterns } = own.call(export, &params).unwrap();
        assert!(total == 25 && patterns <= 10);
        added += import_patterns(&team, &lines, "ada", None).added;
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!((added, list_learned(&team).len()), (25, 25));
    let params = PatternsExportParams { after: None, limit: Some(201) };
    assert!(own.call(export, &params).is_err());
}
