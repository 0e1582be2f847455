//! Decisions of people on whether two failures are the same. They are shared and show or hide fixes of others, but
//! they do not change the counts of the memory that reads them.

use super::{CASE, fix_id, open, params, proved, shared};
use crate::tests::prelude::*;

/// Similar to [`UNKNOWN`], so it is merged unless a person declares it different.
const WORDED: &str = "Error: the flux capacitor is out of tune again";
const WORDED_TOO: &str = "Error: the flux capacitor is out of tune now";
/// Not similar to [`UNKNOWN`].
const OTHER: &str = "Error: the warp core is offline";

fn diagnosed(world: &World, case: &str, error: &str) -> String {
    let run = world.run(vec![failed(case, error)]);
    world.diagnose(&run, case).unwrap().matched.pattern_id.unwrap()
}

fn not_same(world: &World, error: &str, pattern: &str) -> String {
    let run_id = world.run(vec![failed("boom", error)]);
    let not_same_as = Some(pattern.to_owned());
    let params = DiagnoseParams { run_id, case_name: CASE.to_owned(), not_same_as };
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
fn offered(folder: &str, files: &[SharedText], case: &str, error: &str) -> Vec<Related> {
    let folder = Folder::new(folder);
    let world = super::beside(&folder, files);
    let result = world.record(&super::on("a"), vec![failed(case, error)]).unwrap();
    let found = world.diagnose(&result.run_id, case).unwrap();
    assert_eq!(found.matched.how, HowMatched::None, "nothing of it counts here");
    let related: Vec<_> = found.related.into_iter().filter(|one| one.origin.is_some()).collect();
    assert_eq!(result.failures[0].shared.as_ref(), related.iter().find(|one| one.suggested_fix.is_some()));
    related
}

fn words(files: &[SharedText]) -> Vec<&SharedText> {
    files.iter().filter(|file| file.text.contains("\"kind\": \"sameness\"")).collect()
}

/// Writes the files that do not exist yet, and returns their number.
fn later(world: &World, files: &mut Vec<SharedText>) -> usize {
    let new = world.call(write, &params(Some("ann"), files)).unwrap();
    assert_eq!(new.left_out, []);
    let count = new.files.len();
    files.extend(new.files);
    count
}

#[test]
fn a_different_failure_is_not_offered_the_fix() {
    let (ann, mut files) = proved();
    assert_eq!(offered("other-before", &files, "boom", WORDED).len(), 1, "it is alike");
    let known = diagnosed(&ann, "boom", UNKNOWN);
    let other = not_same(&ann, WORDED, &known);
    assert_ne!(known, other);
    assert_eq!(later(&ann, &mut files), 1);
    let word: Value = serde_json::from_str(&words(&files)[0].text).unwrap();
    assert_eq!((&word["version"], &word["same"], &word["by"]), (&json!(2), &json!(false), &json!("ann")));
    assert_eq!((&word["failure"]["pattern"], &word["other"]["pattern"]), (&json!(other), &json!(known)));
    assert!(words(&files)[0].path.starts_with("decisions/dec-"));
    assert_eq!(not_same(&ann, WORDED, &known), other);
    assert_eq!(later(&ann, &mut files), 0, "it was said, and saying it once more is no news");

    assert_eq!(offered("other-after", &files, "boom", WORDED), []);
    for error in [UNKNOWN, WORDED_TOO] {
        let related = offered("other-same", &files, "boom", error);
        assert_eq!((related.len(), &related[0].id), (1, &fix_id(&files)), "{error}");
        assert_eq!(related[0].origin.as_ref().unwrap().joined_by, None);
    }
    // Deleting the file removes its decision.
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!(offered("other-gone", &files, "boom", WORDED).len(), 1);
}

#[test]
fn different_failures_are_each_offered_only_their_own_fix() {
    let (ann, _) = proved();
    not_same(&ann, WORDED, &diagnosed(&ann, "boom", UNKNOWN));
    let run = ann.record(&super::on("four"), vec![failed("boom", WORDED), passed("other")]).unwrap().run_id;
    ann.fix(&run, "boom", "Tuned it twice", true).unwrap();
    super::pass(&ann, "five");
    let mut files = shared(&ann, None).files;
    assert_eq!(files.len(), 3, "{files:?}");
    let fixes_of = |files: &[SharedText], error| -> Vec<String> {
        offered("two", files, "boom", error).into_iter().filter_map(|one| one.suggested_fix).collect()
    };
    assert_eq!(fixes_of(&files, WORDED), ["Tuned it twice"]);
    assert_eq!(fixes_of(&files, UNKNOWN), ["Tuned the flux capacitor in src/flux.ts"]);
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!((fixes_of(&files, WORDED).len(), fixes_of(&files, UNKNOWN).len()), (2, 2));
}

#[test]
fn shared_decisions_do_not_change_matching_or_counts() {
    let (ann, mut files) = proved();
    not_same(&ann, WORDED, &diagnosed(&ann, "boom", UNKNOWN));
    let from = diagnosed(&ann, "boom", OTHER);
    merge(&ann, &from, &diagnosed(&ann, "boom", UNKNOWN));
    assert_eq!(later(&ann, &mut files), 2);
    let folder = Folder::new("sameness-counts");
    let bob = super::beside(&folder, &files);
    let first = diagnosed(&bob, "boom", UNKNOWN);
    let run = bob.run(vec![failed("boom", WORDED)]);
    let alike = bob.diagnose(&run, "boom").unwrap();
    assert_eq!((alike.matched.how, alike.matched.pattern_id.as_ref()), (HowMatched::Alike, Some(&first)));
    assert_eq!(alike.pattern.unwrap().occurrences, 2);
    assert_ne!(diagnosed(&bob, "boom", OTHER), first);
    assert_eq!(shared(&bob, None).files, [], "somebody else's word is not written out again");
}

#[test]
fn merged_failures_are_offered_the_fix_with_the_decision() {
    let (ann, mut files) = proved();
    let (known, from) = (diagnosed(&ann, "boom", UNKNOWN), diagnosed(&ann, "engine", OTHER));
    assert_eq!(later(&ann, &mut files), 0);
    assert_eq!(offered("one-before", &files, "engine", OTHER), []);
    merge(&ann, &from, &known);
    assert_eq!(later(&ann, &mut files), 1);
    assert_eq!(later(&ann, &mut files), 0, "the second run writes nothing");

    let word = format!(".argus-shared/{}", words(&files)[0].path);
    for (case, error) in [("engine", OTHER), ("boom", UNKNOWN)] {
        let related = offered("one-after", &files, case, error);
        assert_eq!((related.len(), &related[0].id), (1, &fix_id(&files)), "{error}");
        let origin = related[0].origin.as_ref().unwrap();
        assert_eq!(origin.file, format!(".argus-shared/fixes/{}.json", fix_id(&files)));
        assert_eq!((origin.by.as_deref(), origin.joined_by.as_ref()), (Some("ann"), Some(&word)));
    }
    files.retain(|file| file.path.starts_with("fixes/"));
    assert_eq!(offered("one-gone", &files, "engine", OTHER), []);
}

#[test]
fn a_fix_is_offered_for_both_merged_failures_in_either_direction() {
    let (ann, mut files) = proved();
    let (known, into) = (diagnosed(&ann, "boom", UNKNOWN), diagnosed(&ann, "engine", OTHER));
    merge(&ann, &known, &into);
    assert_eq!(later(&ann, &mut files), 1);
    assert_eq!(offered("either", &files, "engine", OTHER)[0].id, fix_id(&files));
    assert_eq!(offered("either", &files, "boom", UNKNOWN)[0].id, fix_id(&files));
}

/// A fix that was reported for the test of the merged pattern is written with the failure of the target.
#[test]
fn a_fix_reported_for_a_merged_failure_is_offered_for_both() {
    let ann = World::new();
    let (into, from) = (diagnosed(&ann, "boom", UNKNOWN), diagnosed(&ann, "engine", OTHER));
    merge(&ann, &from, &into);
    let run = ann.record(&super::on("two"), vec![failed("engine", OTHER), passed("boom")]).unwrap().run_id;
    ann.fix(&run, "engine", "Aligned the core", true).unwrap();
    ann.record(&super::on("three"), vec![passed("engine"), passed("boom")]).unwrap();
    let files = shared(&ann, None).files;
    assert_eq!(files.len(), 2, "{files:?}");
    for (case, error) in [("engine", OTHER), ("boom", UNKNOWN)] {
        let related = offered("reported", &files, case, error);
        assert_eq!(related[0].suggested_fix.as_deref(), Some("Aligned the core"), "{error}");
    }
}

#[test]
fn the_last_decision_counts_and_each_decision_is_a_file() {
    let (ann, mut files) = proved();
    let (known, other) = (diagnosed(&ann, "boom", UNKNOWN), diagnosed(&ann, "engine", OTHER));
    for (said, is_one) in [true, false, true, false].into_iter().enumerate() {
        if is_one {
            merge(&ann, &other, &known);
        } else {
            split(&ann, &other, &known);
        }
        assert_eq!(later(&ann, &mut files), 1);
        assert_eq!(words(&files).len(), said + 1);
        // The order in which files are read does not matter.
        files.reverse();
        assert_eq!(offered("last", &files, "engine", OTHER).len(), usize::from(is_one), "word {said}");
    }
}

#[test]
fn a_merged_group_joins_as_a_whole_and_a_split_removes_one_member() {
    let (ann, mut files) = proved();
    let known = diagnosed(&ann, "boom", UNKNOWN);
    let (core, shield) = (diagnosed(&ann, "engine", OTHER), diagnosed(&ann, "shield", "Error: shields are down"));
    merge(&ann, &shield, &core);
    merge(&ann, &core, &known);
    later(&ann, &mut files);
    for (case, error) in [("engine", OTHER), ("shield", "Error: shields are down"), ("boom", UNKNOWN)] {
        assert_eq!(offered("group", &files, case, error).len(), 1, "{error}");
    }
    split(&ann, &shield, &known);
    assert_eq!(later(&ann, &mut files), 1);
    assert_eq!(offered("group", &files, "shield", "Error: shields are down"), []);
    assert_eq!(offered("group", &files, "engine", OTHER).len(), 1);
}

#[test]
fn failures_of_a_built_in_can_have_decisions() {
    const TOO: &str = "Error: connect ECONNREFUSED 127.0.0.1:5432 again";
    let ann = World::new();
    let refused = |commit: &str, case| ann.record(&super::on(commit), vec![case]).unwrap().run_id;
    let run = refused("one", failed("boom", REFUSED));
    ann.diagnose(&run, "boom").unwrap();
    ann.fix(&run, "boom", "Start the database first", true).unwrap();
    refused("two", passed("boom"));
    let mut files = shared(&ann, None).files;
    assert_eq!(offered_of_refused(&files, TOO), 1, "it is alike");
    let known = diagnosed(&ann, "boom", REFUSED);
    not_same(&ann, TOO, &known);
    assert_eq!(later(&ann, &mut files), 1);
    assert_eq!((offered_of_refused(&files, TOO), offered_of_refused(&files, REFUSED)), (0, 1));
}

fn offered_of_refused(files: &[SharedText], error: &str) -> usize {
    offered("refused", files, "boom", error).len()
}

#[test]
fn a_decision_contains_no_names_of_the_machine() {
    let (ann, mut files) = proved();
    let error = format!("{WORDED}\n    at /home/ann/shop/src/flux.ts:3 on anns-laptop");
    merge(&ann, &diagnosed(&ann, "engine", &error), &diagnosed(&ann, "boom", UNKNOWN));
    assert_eq!(later(&ann, &mut files), 1);
    let word = words(&files)[0];
    assert!(word.text.contains("src/flux.ts") && !word.text.contains("/home/"), "{}", word.text);
    assert!(!word.text.contains("anns-laptop") && !word.text.contains("run-"), "{}", word.text);
}

/// Returns the file of a decision after a change.
fn changed(change: impl FnOnce(&mut Value)) -> SharedText {
    let (ann, mut files) = proved();
    not_same(&ann, WORDED, &diagnosed(&ann, "boom", UNKNOWN));
    later(&ann, &mut files);
    let mut value: Value = serde_json::from_str(&words(&files)[0].text).unwrap();
    change(&mut value);
    let path = format!("decisions/{}.json", value["id"].as_str().unwrap());
    SharedText { path, text: value.to_string() }
}

#[test]
fn an_invalid_decision_is_rejected() {
    type Change = fn(&mut Value);
    let rows: [(&str, Change); 9] = [
        ("its version is 3", |file| file["version"] = json!(3)),
        ("'version' is not 2", |file| file["version"] = json!(1)),
        ("it is no shared file", |file| file["same"] = json!("no")),
        ("missing field `other`", |file| drop(file.as_object_mut().unwrap().remove("other"))),
        ("unknown field", |file| file["run"] = json!("npm test")),
        ("'failure.pattern' is no id", |file| file["failure"]["pattern"] = json!("builtin-timeout")),
        ("'other.pattern' is no id", |file| file["other"]["pattern"] = json!("../pat-x")),
        ("looks like a secret", |file| {
            file["other"]["text"] = json!("export TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a");
        }),
        ("is none of its kind", |file| file["id"] = json!("fix-a")),
    ];
    for (wanted, change) in rows {
        let files = vec![changed(change)];
        let world = World::new();
        let found = world.call(check, &SharedTexts { files: files.clone() }).unwrap().faults;
        assert!(found.len() == 1 && found[0].message.contains(wanted), "{wanted}: {found:?}");
        assert_eq!(world.call(take, &SharedTexts { files }).unwrap().taken, 0);
    }
    let world = World::new();
    assert_eq!(world.call(check, &SharedTexts { files: vec![changed(|_| {})] }).unwrap().faults, []);
}

/// For example circular, self-referencing and contradicting decisions, and decisions about unknown failures.
#[test]
fn inconsistent_decisions_have_no_effect() {
    let (_, mut files) = proved();
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
            files.push(SharedText { path: format!("decisions/{id}.json"), text: value.to_string() });
        }
    }
    let related = offered("senseless", &files, "boom", UNKNOWN);
    assert_eq!(related[0].id, fix_id(&files));
}

#[test]
fn a_decision_applies_to_the_same_failure_under_other_rules() {
    let (ann, mut files) = proved();
    not_same(&ann, WORDED, &diagnosed(&ann, "boom", UNKNOWN));
    later(&ann, &mut files);
    let (name, pattern) = ("flux".to_owned(), "flux capacitor".to_owned());
    let rules = vec![argus_core::classify::UserRule { name, category: argus_core::Category::ConfigError, pattern }];
    let options = EngineOptions { rules, ..EngineOptions::default() };
    let folder = Folder::new("sameness-rules");
    let taking = World::with(folder.file().to_str().unwrap(), options.clone()).unwrap();
    taking.call(take, &SharedTexts { files: files.clone() }).unwrap();
    drop(taking);
    let mut bob = World::with(":memory:", options).unwrap();
    bob.engine = bob.engine.with_shared(open(&folder.file()));
    for (error, count) in [(WORDED, 0), (UNKNOWN, 1)] {
        let run = bob.run(vec![failed("boom", error)]);
        assert_eq!(bob.diagnose(&run, "boom").unwrap().related.len(), count, "{error}");
    }
}
