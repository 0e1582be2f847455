//! Decisions of people on whether two failures are the same. They are shared and show or hide fixes of others, but
//! they do not change the counts of the memory that reads them.

use super::{CASE, find_fix_id, open_database, share_all, share_params, world_with_proved_fix_and_files};
use crate::tests::prelude::*;

/// Similar to [`UNKNOWN_ERROR`], so it is merged unless a person declares it different.
const SIMILAR_ERROR: &str = "Error: the flux capacitor is out of tune again";
const OTHER_SIMILAR_ERROR: &str = "Error: the flux capacitor is out of tune now";
/// Not similar to [`UNKNOWN_ERROR`].
const OTHER_ERROR: &str = "Error: the warp core is offline";

fn diagnose_and_get_id(world: &World, case: &str, error: &str) -> String {
    let run = world.run(vec![failed_case(case, error)]);
    world.diagnose(&run, case).unwrap().matched.pattern_id.unwrap()
}

fn declare_different(world: &World, error: &str, pattern: &str) -> String {
    let run_id = world.run(vec![failed_case("boom", error)]);
    let not_same_as = Some(pattern.to_owned());
    let params = DiagnoseParams { run_id, case_name: CASE.to_owned(), not_same_as, once: None };
    world.call(diagnose, &params).unwrap().matched.pattern_id.unwrap()
}

fn merge(world: &World, from: &str, into: &str) {
    let params = MergePatternsParams { from: from.to_owned(), into: into.to_owned() };
    world.call(merge_patterns, &params).unwrap();
}

fn split(world: &World, part: &str, pattern: &str) {
    let params = SplitPatternParams { pattern: pattern.to_owned(), part: part.to_owned() };
    world.call(split_pattern, &params).unwrap();
}

/// Returns the shared entries that a memory without own knowledge shows for a failure.
fn list_offered_fixes(folder: &str, files: &[SharedFileContent], case: &str, error: &str) -> Vec<RelatedEntry> {
    let folder = Folder::new(folder);
    let world = super::world_with_shared_files(&folder, files);
    let result = world.record(&super::on_commit("a"), vec![failed_case(case, error)]).unwrap();
    let found = world.diagnose(&result.run_id, case).unwrap();
    assert_eq!(found.matched.how, MatchMethod::None, "shared decisions do not change the match");
    let related: Vec<_> = found.related.into_iter().filter(|one| one.origin.is_some()).collect();
    assert_eq!(result.failures[0].shared.as_ref(), related.iter().find(|one| one.suggested_fix.is_some()));
    related
}

fn list_decision_files(files: &[SharedFileContent]) -> Vec<&SharedFileContent> {
    files.iter().filter(|file| file.text.contains("\"kind\": \"sameness\"")).collect()
}

/// Writes the files that do not exist yet, and returns their number.
fn write_new_files(world: &World, files: &mut Vec<SharedFileContent>) -> usize {
    let new = world.call(build_shared_files, &share_params(Some("ann"), files)).unwrap();
    assert_eq!(new.left_out, []);
    let count = new.files.len();
    files.extend(new.files);
    count
}

#[test]
fn a_different_failure_is_not_offered_the_fix() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    assert_eq!(list_offered_fixes("other-before", &files, "boom", SIMILAR_ERROR).len(), 1, "the error is similar");
    let known = diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR);
    let other = declare_different(&ann, SIMILAR_ERROR, &known);
    assert_ne!(known, other);
    assert_eq!(write_new_files(&ann, &mut files), 1);
    let word: Value = serde_json::from_str(&list_decision_files(&files)[0].text).unwrap();
    assert_eq!((&word["version"], &word["same"], &word["by"]), (&json!(2), &json!(false), &json!("ann")));
    assert_eq!((&word["failure"]["pattern"], &word["other"]["pattern"]), (&json!(other), &json!(known)));
    assert!(list_decision_files(&files)[0].path.starts_with("decisions/dec-"));
    assert_eq!(declare_different(&ann, SIMILAR_ERROR, &known), other);
    assert_eq!(write_new_files(&ann, &mut files), 0, "a repeated decision writes no file");

    assert_eq!(list_offered_fixes("other-after", &files, "boom", SIMILAR_ERROR), []);
    for error in [UNKNOWN_ERROR, OTHER_SIMILAR_ERROR] {
        let related = list_offered_fixes("other-same", &files, "boom", error);
        assert_eq!((related.len(), &related[0].id), (1, &find_fix_id(&files)), "{error}");
        assert_eq!(related[0].origin.as_ref().unwrap().joined_by, None);
    }
    // Deleting the file removes its decision.
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!(list_offered_fixes("other-gone", &files, "boom", SIMILAR_ERROR).len(), 1);
}

#[test]
fn different_failures_are_each_offered_only_their_own_fix() {
    let (ann, _) = world_with_proved_fix_and_files();
    declare_different(&ann, SIMILAR_ERROR, &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    let run = ann
        .record(&super::on_commit("four"), vec![failed_case("boom", SIMILAR_ERROR), passed_case("other")])
        .unwrap()
        .run_id;
    ann.fix(&run, "boom", "Tuned it twice", true).unwrap();
    super::record_pass(&ann, "five");
    let mut files = share_all(&ann, None).files;
    assert_eq!(files.len(), 3, "{files:?}");
    let fixes_of = |files: &[SharedFileContent], error| -> Vec<String> {
        list_offered_fixes("two", files, "boom", error).into_iter().filter_map(|one| one.suggested_fix).collect()
    };
    assert_eq!(fixes_of(&files, SIMILAR_ERROR), ["Tuned it twice"]);
    assert_eq!(fixes_of(&files, UNKNOWN_ERROR), ["Tuned the flux capacitor in src/flux.ts"]);
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!((fixes_of(&files, SIMILAR_ERROR).len(), fixes_of(&files, UNKNOWN_ERROR).len()), (2, 2));
}

#[test]
fn shared_decisions_do_not_change_matching_or_counts() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    declare_different(&ann, SIMILAR_ERROR, &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    let from = diagnose_and_get_id(&ann, "boom", OTHER_ERROR);
    merge(&ann, &from, &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    assert_eq!(write_new_files(&ann, &mut files), 2);
    let folder = Folder::new("sameness-counts");
    let bob = super::world_with_shared_files(&folder, &files);
    let first = diagnose_and_get_id(&bob, "boom", UNKNOWN_ERROR);
    let run = bob.run(vec![failed_case("boom", SIMILAR_ERROR)]);
    let alike = bob.diagnose(&run, "boom").unwrap();
    assert_eq!((alike.matched.how, alike.matched.pattern_id.as_ref()), (MatchMethod::Alike, Some(&first)));
    assert_eq!(alike.pattern.unwrap().occurrences, 2);
    assert_ne!(diagnose_and_get_id(&bob, "boom", OTHER_ERROR), first);
    assert_eq!(share_all(&bob, None).files, [], "decisions of others are not shared again");
}

#[test]
fn merged_failures_are_offered_the_fix_with_the_decision() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    let (known, from) =
        (diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR), diagnose_and_get_id(&ann, "engine", OTHER_ERROR));
    assert_eq!(write_new_files(&ann, &mut files), 0);
    assert_eq!(list_offered_fixes("one-before", &files, "engine", OTHER_ERROR), []);
    merge(&ann, &from, &known);
    assert_eq!(write_new_files(&ann, &mut files), 1);
    assert_eq!(write_new_files(&ann, &mut files), 0, "the second run writes nothing");

    let word = format!(".argus-shared/{}", list_decision_files(&files)[0].path);
    for (case, error) in [("engine", OTHER_ERROR), ("boom", UNKNOWN_ERROR)] {
        let related = list_offered_fixes("one-after", &files, case, error);
        assert_eq!((related.len(), &related[0].id), (1, &find_fix_id(&files)), "{error}");
        let origin = related[0].origin.as_ref().unwrap();
        assert_eq!(origin.file, format!(".argus-shared/fixes/{}.json", find_fix_id(&files)));
        assert_eq!((origin.by.as_deref(), origin.joined_by.as_ref()), (Some("ann"), Some(&word)));
    }
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!(list_offered_fixes("one-gone", &files, "engine", OTHER_ERROR), []);
}

#[test]
fn a_fix_is_offered_for_both_merged_failures_in_either_direction() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    let (known, into) =
        (diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR), diagnose_and_get_id(&ann, "engine", OTHER_ERROR));
    merge(&ann, &known, &into);
    assert_eq!(write_new_files(&ann, &mut files), 1);
    assert_eq!(list_offered_fixes("either", &files, "engine", OTHER_ERROR)[0].id, find_fix_id(&files));
    assert_eq!(list_offered_fixes("either", &files, "boom", UNKNOWN_ERROR)[0].id, find_fix_id(&files));
}

/// A fix that was reported for the test of the merged pattern is written with the failure of the target.
#[test]
fn a_fix_reported_for_a_merged_failure_is_offered_for_both() {
    let ann = World::new();
    let (into, from) =
        (diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR), diagnose_and_get_id(&ann, "engine", OTHER_ERROR));
    merge(&ann, &from, &into);
    let run = ann
        .record(&super::on_commit("two"), vec![failed_case("engine", OTHER_ERROR), passed_case("boom")])
        .unwrap()
        .run_id;
    ann.fix(&run, "engine", "Aligned the core", true).unwrap();
    ann.record(&super::on_commit("three"), vec![passed_case("engine"), passed_case("boom")]).unwrap();
    let files = share_all(&ann, None).files;
    assert_eq!(files.len(), 2, "{files:?}");
    for (case, error) in [("engine", OTHER_ERROR), ("boom", UNKNOWN_ERROR)] {
        let related = list_offered_fixes("reported", &files, case, error);
        assert_eq!(related[0].suggested_fix.as_deref(), Some("Aligned the core"), "{error}");
    }
}

#[test]
fn the_last_decision_counts_and_each_decision_is_a_file() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    let (known, other) =
        (diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR), diagnose_and_get_id(&ann, "engine", OTHER_ERROR));
    for (said, is_one) in [true, false, true, false].into_iter().enumerate() {
        if is_one {
            merge(&ann, &other, &known);
        } else {
            split(&ann, &other, &known);
        }
        assert_eq!(write_new_files(&ann, &mut files), 1);
        assert_eq!(list_decision_files(&files).len(), said + 1);
        // The order in which files are read does not matter.
        files.reverse();
        assert_eq!(list_offered_fixes("last", &files, "engine", OTHER_ERROR).len(), usize::from(is_one), "word {said}");
    }
}

#[test]
fn a_merged_group_joins_as_a_whole_and_a_split_removes_one_member() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    let known = diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR);
    let (core, shield) = (
        diagnose_and_get_id(&ann, "engine", OTHER_ERROR),
        diagnose_and_get_id(&ann, "shield", "Error: shields are down"),
    );
    merge(&ann, &shield, &core);
    merge(&ann, &core, &known);
    write_new_files(&ann, &mut files);
    for (case, error) in [("engine", OTHER_ERROR), ("shield", "Error: shields are down"), ("boom", UNKNOWN_ERROR)] {
        assert_eq!(list_offered_fixes("group", &files, case, error).len(), 1, "{error}");
    }
    split(&ann, &shield, &known);
    assert_eq!(write_new_files(&ann, &mut files), 1);
    assert_eq!(list_offered_fixes("group", &files, "shield", "Error: shields are down"), []);
    assert_eq!(list_offered_fixes("group", &files, "engine", OTHER_ERROR).len(), 1);
}

#[test]
fn failures_of_a_built_in_can_have_decisions() {
    const TOO: &str = "Error: connect ECONNREFUSED 127.0.0.1:5432 again";
    let ann = World::new();
    let refused = |commit: &str, case| ann.record(&super::on_commit(commit), vec![case]).unwrap().run_id;
    let run = refused("one", failed_case("boom", CONNECTION_REFUSED_ERROR));
    ann.diagnose(&run, "boom").unwrap();
    ann.fix(&run, "boom", "Start the database first", true).unwrap();
    refused("two", passed_case("boom"));
    let mut files = share_all(&ann, None).files;
    assert_eq!(count_offered_fixes(&files, TOO), 1, "the error is similar");
    let known = diagnose_and_get_id(&ann, "boom", CONNECTION_REFUSED_ERROR);
    declare_different(&ann, TOO, &known);
    assert_eq!(write_new_files(&ann, &mut files), 1);
    assert_eq!((count_offered_fixes(&files, TOO), count_offered_fixes(&files, CONNECTION_REFUSED_ERROR)), (0, 1));
}

fn count_offered_fixes(files: &[SharedFileContent], error: &str) -> usize {
    list_offered_fixes("refused", files, "boom", error).len()
}

#[test]
fn a_decision_contains_no_names_of_the_machine() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    let error = format!("{SIMILAR_ERROR}\n    at /home/ann/shop/src/flux.ts:3 on anns-laptop");
    merge(&ann, &diagnose_and_get_id(&ann, "engine", &error), &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    assert_eq!(write_new_files(&ann, &mut files), 1);
    let word = list_decision_files(&files)[0];
    assert!(word.text.contains("src/flux.ts") && !word.text.contains("/home/"), "{}", word.text);
    assert!(!word.text.contains("anns-laptop") && !word.text.contains("run-"), "{}", word.text);
}

/// Returns the file of a decision after a change.
fn changed_decision_file(change: impl FnOnce(&mut Value)) -> SharedFileContent {
    let (ann, mut files) = world_with_proved_fix_and_files();
    declare_different(&ann, SIMILAR_ERROR, &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    write_new_files(&ann, &mut files);
    let mut value: Value = serde_json::from_str(&list_decision_files(&files)[0].text).unwrap();
    change(&mut value);
    let path = format!("decisions/{}.json", value["id"].as_str().unwrap());
    SharedFileContent { path, text: value.to_string() }
}

#[test]
fn an_invalid_decision_is_rejected() {
    type Change = fn(&mut Value);
    let rows: [(&str, Change); 9] = [
        ("its version is 3", |file| file["version"] = json!(3)),
        ("'version' is not 2", |file| file["version"] = json!(1)),
        ("it is not a shared file", |file| file["same"] = json!("no")),
        ("missing field `other`", |file| drop(file.as_object_mut().unwrap().remove("other"))),
        ("unknown field", |file| file["run"] = json!("npm test")),
        ("'failure.pattern' is not the id", |file| file["failure"]["pattern"] = json!("builtin-timeout")),
        ("'other.pattern' is not the id", |file| file["other"]["pattern"] = json!("../pat-x")),
        ("looks like a secret", |file| {
            file["other"]["text"] = json!("export TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a");
        }),
        ("does not fit its kind", |file| file["id"] = json!("fix-a")),
    ];
    for (wanted, change) in rows {
        let files = vec![changed_decision_file(change)];
        let world = World::new();
        let found = world.call(check_shared_files, &SharedFilesParams { files: files.clone() }).unwrap().faults;
        assert!(found.len() == 1 && found[0].message.contains(wanted), "{wanted}: {found:?}");
        assert_eq!(world.call(import_shared_files, &SharedFilesParams { files }).unwrap().taken, 0);
    }
    let world = World::new();
    assert_eq!(
        world
            .call(check_shared_files, &SharedFilesParams { files: vec![changed_decision_file(|_| {})] })
            .unwrap()
            .faults,
        []
    );
}

/// For example circular, self-referencing and contradicting decisions, and decisions about unknown failures.
#[test]
fn inconsistent_decisions_have_no_effect() {
    let (_, mut files) = world_with_proved_fix_and_files();
    let fix: Value = serde_json::from_str(&files[0].text).unwrap();
    let of = |name: &str| {
        if name == "known" {
            return fix["failure"].clone();
        }
        let mut failure = fix["failure"].clone();
        (failure["pattern"], failure["text"]) = (json!(format!("pat-{name}")), json!(format!("Error: {name} {name}")));
        failure
    };
    let pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "a"), ("known", "known"), ("c", "known"), ("known", "a")];
    for same in [true, false] {
        for (number, (one, other)) in pairs.iter().enumerate() {
            let id = format!("dec-{same}-{number}");
            let value = json!({ "version": 2, "kind": "sameness", "id": id, "createdAt": fix["createdAt"],
                "failure": of(one), "other": of(other), "same": same });
            files.push(SharedFileContent { path: format!("decisions/{id}.json"), text: value.to_string() });
        }
    }
    let related = list_offered_fixes("senseless", &files, "boom", UNKNOWN_ERROR);
    assert_eq!(related[0].id, find_fix_id(&files));
}

#[test]
fn a_decision_applies_to_the_same_failure_under_other_rules() {
    let (ann, mut files) = world_with_proved_fix_and_files();
    declare_different(&ann, SIMILAR_ERROR, &diagnose_and_get_id(&ann, "boom", UNKNOWN_ERROR));
    write_new_files(&ann, &mut files);
    let (name, pattern) = ("flux".to_owned(), "flux capacitor".to_owned());
    let rules = vec![argus_core::classify::UserRule { name, category: argus_core::Category::ConfigError, pattern }];
    let options = EngineOptions { rules, ..EngineOptions::default() };
    let folder = Folder::new("sameness-rules");
    let taking = World::open_with_options(folder.file().to_str().unwrap(), options.clone()).unwrap();
    taking.call(import_shared_files, &SharedFilesParams { files: files.clone() }).unwrap();
    drop(taking);
    let mut bob = World::open_with_options(":memory:", options).unwrap();
    bob.engine = bob.engine.with_shared(open_database(&folder.file()));
    for (error, count) in [(SIMILAR_ERROR, 0), (UNKNOWN_ERROR, 1)] {
        let run = bob.run(vec![failed_case("boom", error)]);
        assert_eq!(bob.diagnose(&run, "boom").unwrap().related.len(), count, "{error}");
    }
}
