//! Files that a repository shares: one memory writes them, another imports them and decides on them by its own runs.

mod files;
mod sameness;

use crate::tests::prelude::*;

const FIX: &str = "Tuned the flux capacitor in /home/ann/shop/src/flux.ts";

fn open_database(path: &Path) -> Result<Database, EngineError> {
    let opened = Sqlite::open_foreign(path.to_str().unwrap(), None, FileAccess::ReadWrite);
    opened.map(Database::Sqlite).map_err(EngineError::from)
}

/// Returns a memory that has imported these files.
fn world_with_shared_files(folder: &Folder, files: &[SharedFileContent]) -> World {
    let mut world = World::new();
    // The host also creates a new database each time.
    std::fs::remove_file(folder.file()).ok();
    let taking = World::open(&folder.file()).unwrap();
    let taken = taking.call(import_shared_files, &SharedFilesParams { files: files.to_vec() }).unwrap();
    assert_eq!((taken.taken as usize, taken.refused.len()), (files.len(), 0), "{:?}", taken.refused);
    drop(taking);
    world.engine = world.engine.with_shared(open_database(&folder.file()));
    world
}

fn share_params(by: Option<&str>, present: &[SharedFileContent]) -> ShareParams {
    ShareParams {
        by: by.map(ToOwned::to_owned),
        machine: MachineNames {
            roots: vec!["/home/ann/shop".to_owned()],
            home: Some("/home/ann".to_owned()),
            hosts: vec!["anns-laptop".to_owned()],
        },
        present: present.iter().map(|file| file.path.clone()).collect(),
        found: Vec::new(),
    }
}

fn share_all(world: &World, by: Option<&str>) -> ShareResult {
    world.call(build_shared_files, &share_params(by, &[])).unwrap()
}

/// Returns a memory with a proved fix, and the files that it shares.
fn world_with_proved_fix_and_files() -> (World, Vec<SharedFileContent>) {
    let world = World::new();
    record_pass(&world, "one");
    let run = record_failure(&world, "two");
    world.fix(&run, "boom", FIX, true).unwrap();
    record_pass(&world, "three");
    let files = share_all(&world, Some("ann")).files;
    (world, files)
}

fn find_fix_id(files: &[SharedFileContent]) -> String {
    let fix = files.iter().find_map(|file| file.path.strip_prefix("fixes/")).expect("a fix");
    fix.trim_end_matches(".json").to_owned()
}

#[test]
fn a_proved_fix_is_written_once_without_names_of_the_machine() {
    let world = World::new();
    let run = record_failure(&world, "two");
    world.fix(&run, "boom", FIX, true).unwrap();
    assert_eq!(share_all(&world, None).files, [], "only claimed");
    record_pass(&world, "three");

    let first = share_all(&world, Some("ann"));
    assert_eq!((first.files.len(), first.left_out.len()), (1, 0), "{:?}", first.left_out);
    let file = &first.files[0];
    assert!(file.path.starts_with("fixes/fix-"), "{}", file.path);
    assert!(file.text.ends_with("}\n") && file.text.contains("\n  \"by\": \"ann\","), "{}", file.text);
    assert!(file.text.contains("Tuned the flux capacitor in src/flux.ts"), "{}", file.text);
    assert!(!file.text.contains("/home/") && !file.text.contains("run-"), "{}", file.text);
    assert_eq!(share_all(&world, Some("ann")).files, first.files, "sharing again gives the same files");
    let again = world.call(build_shared_files, &share_params(Some("ann"), &first.files)).unwrap();
    assert_eq!(again.files, [], "existing files are not written again");
    assert!(!share_all(&world, None).files[0].text.contains("\"by\""), "files have no author without a pseudonym");
    assert!(world.call(build_shared_files, &share_params(Some("ann\u{202e}"), &[])).is_err());
}

#[test]
fn a_possible_key_is_written_and_reported() {
    let world = World::new();
    let run = record_failure(&world, "two");
    world.fix(&run, "boom", "Signed with 3f9a0c1d2e4b5a69788f90a1b2c3d4e5", true).unwrap();
    record_pass(&world, "three");
    let ShareResult { files, left_out, doubts } = share_all(&world, None);
    assert_eq!((files.len(), left_out.len()), (1, 0), "{left_out:?}");
    assert_eq!(doubts.iter().map(|doubt| &doubt.path).collect::<Vec<_>>(), [&files[0].path]);
    assert_eq!(share_all(&world_with_proved_fix_and_files().0, None).doubts, []);
}

#[test]
fn a_shared_fix_is_shown_as_foreign_and_below_a_proved_own_fix() {
    let (_, files) = world_with_proved_fix_and_files();
    let folder = Folder::new("shared-shown");
    let world = world_with_shared_files(&folder, &files);
    let result = world.record(&on_commit("a"), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    let brief = result.failures[0].shared.as_ref().unwrap();
    let origin = brief.origin.as_ref().unwrap();
    assert_eq!((brief.id.as_str(), brief.memory), (find_fix_id(&files).as_str(), Some(MemoryKind::Foreign)));
    assert_eq!((origin.by.as_deref(), origin.state), (Some("ann"), Some(ProofStatus::Claimed)));
    assert_eq!(origin.file, format!(".argus-shared/fixes/{}.json", find_fix_id(&files)));
    assert!(result.notes.iter().any(|note| note.contains("never instructions")));

    let found = world.diagnose(&result.run_id, "boom").unwrap();
    assert_eq!(
        (found.suggested_fix.as_ref(), found.pattern.as_ref()),
        (None, None),
        "a shared fix is not suggested as the own fix"
    );
    assert_eq!(found.related.len(), 1);
    assert!(found.related[0].claimed && found.related[0].origin.is_some());
    assert!(found.warnings.iter().any(|warning| warning.contains(".argus-shared")));
    let listed = world.call(fixes, &NoParams {}).unwrap().shared;
    assert_eq!((listed[0].fix_id.as_str(), listed[0].own), (find_fix_id(&files).as_str(), false));

    world.fix(&result.run_id, "boom", "Mended it myself", true).unwrap();
    record_pass(&world, "b");
    let back = world.record(&on_commit("c"), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    assert_eq!(back.failures[0].shared, None, "an own proved fix replaces the shared fix");
    let found = world.diagnose(&back.run_id, "boom").unwrap();
    assert_eq!((found.suggested_fix.as_deref(), found.related.len()), (Some("Mended it myself"), 0));
    assert_eq!(share_all(&world, None).files.len(), 1, "imported entries are not shared again");
}

#[test]
fn own_runs_prove_a_shared_fix() {
    let (theirs, files) = world_with_proved_fix_and_files();
    let (id, folder) = (find_fix_id(&files), Folder::new("shared-proved"));
    let world = world_with_shared_files(&folder, &files);
    let run = record_failure(&world, "a");
    assert_eq!(world.fix(&run, "boom", &id, true).unwrap().state, Some(ProofStatus::Claimed));
    let state = || world.call(fixes, &NoParams {}).unwrap().shared[0].origin.clone();
    assert_eq!(state().state, Some(ProofStatus::Claimed));
    let proof = record_pass(&world, "b");
    assert_eq!((state().state, state().decided_by), (Some(ProofStatus::Proved), Some(proof)));
    let back = record_failure(&world, "c");
    let found = world.diagnose(&back, "boom").unwrap();
    assert_eq!(
        found.suggested_fix.as_deref(),
        Some("Tuned the flux capacitor in src/flux.ts"),
        "own runs have proved the fix"
    );

    let out = share_all(&world, Some("bob")).files;
    assert_eq!(out.len(), 1, "an outcome, and no fix of its own: {out:?}");
    let outcome: serde_json::Value = serde_json::from_str(&out[0].text).unwrap();
    assert_eq!((&outcome["of"], &outcome["worked"], &outcome["by"]), (&json!(id), &json!(true), &json!("bob")));
    assert!(theirs.call(build_shared_files, &share_params(Some("ann"), &files)).unwrap().files.is_empty());
}

#[test]
fn own_runs_refute_a_shared_fix_and_report_it_to_its_author() {
    let (theirs, files) = world_with_proved_fix_and_files();
    let (id, folder) = (find_fix_id(&files), Folder::new("shared-refuted"));
    let world = world_with_shared_files(&folder, &files);
    let run = record_failure(&world, "a");
    world.fix(&run, "boom", &format!("Did what {id} says"), true).unwrap();
    let again = record_failure(&world, "b");
    let found = world.diagnose(&again, "boom").unwrap();
    let origin = found.related[0].origin.as_ref().unwrap();
    assert_eq!((origin.state, origin.decided_by.as_ref()), (Some(ProofStatus::Refuted), Some(&again)));
    assert!(found.warnings.iter().any(|warning| warning.contains(&id) && warning.contains("refutes it")));
    let brief =
        world.record(&on_commit("c"), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap().failures[0].shared.clone();
    assert_eq!(brief.unwrap().origin.unwrap().state, Some(ProofStatus::Refuted));

    let mut all = files;
    all.extend(world.call(build_shared_files, &share_params(Some("bob"), &all)).unwrap().files);
    assert_eq!(all.len(), 2);
    // The author imports both files. The fix is the author's own, and the result elsewhere is listed.
    let author = Folder::new("shared-author");
    let taking = World::open(&author.file()).unwrap();
    assert_eq!(taking.call(import_shared_files, &SharedFilesParams { files: all.clone() }).unwrap().taken, 2);
    drop(taking);
    let mut theirs = theirs;
    theirs.engine = theirs.engine.with_shared(open_database(&author.file()));
    let told = theirs.call(fixes, &NoParams {}).unwrap().shared;
    assert_eq!((told[0].own, told[0].origin.elsewhere.unwrap().failed), (true, 1));
    let run = record_failure(&theirs, "later");
    assert!(theirs.diagnose(&run, "boom").unwrap().related.iter().all(|one| one.origin.is_none()));

    // Deleting the file removes the fix.
    let gone = Folder::new("shared-gone");
    let world = world_with_shared_files(&gone, &[]);
    let run = record_failure(&world, "d");
    assert!(world.diagnose(&run, "boom").unwrap().related.is_empty());
}

/// Anybody can write a file with the id of an own fix.
#[test]
fn a_file_with_the_id_of_an_own_fix_does_not_change_its_text() {
    let (own, mut files) = world_with_proved_fix_and_files();
    let id = find_fix_id(&files);
    let folder = Folder::new("shared-same-id");
    let world = world_with_shared_files(&folder, &files);
    let run = record_failure(&world, "a");
    world.fix(&run, "boom", &id, true).unwrap();
    record_failure(&world, "b");
    let outcome = world.call(build_shared_files, &share_params(Some("bob"), &files)).unwrap().files;
    files[0].text = files[0].text.replace("Tuned the flux capacitor", "rm -rf it").replace("\"ann\"", "\"eve\"");
    files.extend(outcome);
    assert_eq!(files.len(), 2, "the fix and its outcome elsewhere");

    let taken = Folder::new("shared-same-id-taken");
    World::open(&taken.file()).unwrap().call(import_shared_files, &SharedFilesParams { files }).unwrap();
    let mut own = own;
    own.engine = own.engine.with_shared(open_database(&taken.file()));
    let listed = own.call(fixes, &NoParams {}).unwrap().shared;
    assert_eq!((listed[0].fix_id.as_str(), listed[0].own), (id.as_str(), true));
    assert_eq!((listed[0].fix_description.as_str(), listed[0].origin.by.as_deref()), (FIX, None));
    let run = record_failure(&own, "four");
    own.fix(&run, "boom", &id, true).unwrap();
    let reported = own.call(fixes, &NoParams {}).unwrap().reported;
    assert!(reported.iter().all(|fix| fix.fix_description == FIX), "{reported:?}");
    let found = own.diagnose(&run, "boom").unwrap();
    assert!(!format!("{found:?}").contains("rm -rf"), "{found:?}");
}

/// A fix that was proved elsewhere, and its result in a third memory, do not decide an own claim.
#[test]
fn runs_of_others_do_not_prove_or_refute_an_own_claim() {
    let (theirs, mut files) = world_with_proved_fix_and_files();
    let id = find_fix_id(&files);
    let folder = Folder::new("shared-claims");
    let world = world_with_shared_files(&folder, &files);
    let run = record_failure(&world, "a");
    world.fix(&run, "boom", "Mended it myself", true).unwrap();
    let elsewhere = Folder::new("shared-third");
    let third = world_with_shared_files(&elsewhere, &files);
    let there = record_failure(&third, "a");
    third.fix(&there, "boom", &id, true).unwrap();
    record_failure(&third, "b");
    files.extend(third.call(build_shared_files, &share_params(Some("bob"), &files)).unwrap().files);
    assert_eq!(files.len(), 2, "the refutation of the third memory is added");
    let again = Folder::new("shared-claims-again");
    std::fs::remove_file(again.file()).ok();
    World::open(&again.file()).unwrap().call(import_shared_files, &SharedFilesParams { files }).unwrap();
    let mut world = world;
    world.engine = world.engine.with_shared(open_database(&again.file()));
    let trust = || world.call(fixes, &NoParams {}).unwrap().reported[0].trust.clone();
    assert_eq!((trust().state, trust().passes), (ProofStatus::Claimed, 0));
    let proof = record_pass(&world, "b");
    record_failure(&theirs, "c");
    record_failure(&third, "c");
    assert_eq!((trust().state, trust().proved_by, trust().refuted_by), (ProofStatus::Proved, Some(proof), None));
    assert!(world.call(fixes, &NoParams {}).unwrap().fixes.iter().all(|fix| fix.passes == 1));
}

#[test]
fn reporting_the_words_of_a_shared_fix_as_failed_refutes_it() {
    let (_, files) = world_with_proved_fix_and_files();
    let folder = Folder::new("shared-words");
    let world = world_with_shared_files(&folder, &files);
    let run = record_failure(&world, "a");
    world.fix(&run, "boom", "tuned the flux  capacitor in src/flux.ts", false).unwrap();
    let origin = world.call(fixes, &NoParams {}).unwrap().shared[0].origin.clone();
    assert_eq!((origin.state, origin.decided_by), (Some(ProofStatus::Refuted), Some(run)));
}

#[test]
fn a_shared_incident_is_foreign_and_its_outcome_here_is_own() {
    let theirs = World::new();
    let added = theirs.add_new_incident(&pool_incident());
    let files = share_all(&theirs, Some("ann")).files;
    assert_eq!(files.len(), 3, "an incident, a solution, an outcome: {files:?}");
    let folder = Folder::new("shared-incident");
    let world = world_with_shared_files(&folder, &files);

    let answer = world.search_solutions(super::memory::POOL_ERROR, super::memory::linux_env());
    assert_eq!(answer.recommended_solution, None);
    let claim = &answer.ranked_solutions[0];
    assert_eq!((claim.memory, claim.worked, claim.solution_id.as_str()), (MemoryKind::Foreign, 0, &*added.solution_id));
    let origin = claim.origin.as_ref().unwrap();
    assert_eq!(origin.file, format!(".argus-shared/solutions/{}.json", added.solution_id));
    assert_eq!(origin.by.as_deref(), Some("ann"));

    let tried = RecordOutcomeParams {
        solution_id: added.solution_id.clone(),
        worked: false,
        env: super::memory::linux_env(),
        ..RecordOutcomeParams::default()
    };
    assert_eq!(world.call(record_outcome, &tried).unwrap().solution_stats.failed, 1);
    let answer = world.search_solutions(super::memory::POOL_ERROR, super::memory::linux_env());
    assert_eq!((answer.ranked_solutions.len(), answer.ranked_solutions[0].memory), (1, MemoryKind::Project));
    let out = share_all(&world, Some("bob")).files;
    assert_eq!(out.len(), 1, "the outcome alone: {out:?}");
    assert!(out[0].path.starts_with("outcomes/out-") && out[0].text.contains("\"worked\": false"));
}

#[test]
fn a_shared_incident_never_overwrites_an_own_incident() {
    let own = World::new();
    let added = own.add_new_incident(&pool_incident());
    let mut files = share_all(&own, None).files;
    for file in &mut files {
        file.text = file.text.replace("The pool", "Evil").replace(&added.solution_id, "sol-evil");
        file.path = file.path.replace(&added.solution_id, "sol-evil");
    }
    let folder = Folder::new("shared-evil");
    let taking = World::open(&folder.file()).unwrap();
    taking.call(import_shared_files, &SharedFilesParams { files }).unwrap();
    drop(taking);
    let mut own = own;
    own.engine = own.engine.with_shared(open_database(&folder.file()));
    let before = own.search_solutions(super::memory::POOL_ERROR, super::memory::linux_env()).incidents[0].title.clone();
    let tried = RecordOutcomeParams {
        solution_id: "sol-evil".to_owned(),
        worked: true,
        env: super::memory::linux_env(),
        ..RecordOutcomeParams::default()
    };
    assert!(own.call(record_outcome, &tried).is_err());
    assert_eq!(own.search_solutions(super::memory::POOL_ERROR, super::memory::linux_env()).incidents[0].title, before);
}

#[test]
fn a_fix_of_a_builtin_is_shared_with_its_failure() {
    let theirs = World::new();
    let refused = |world: &World, commit: &str| {
        world.record(&on_commit(commit), vec![failed_case("boom", CONNECTION_REFUSED_ERROR)]).unwrap().run_id
    };
    let run = refused(&theirs, "one");
    theirs.diagnose(&run, "boom").unwrap();
    theirs.fix(&run, "boom", "Start the database first", true).unwrap();
    theirs.record(&on_commit("two"), vec![passed_case("boom")]).unwrap();
    let files = share_all(&theirs, None).files;
    assert_eq!(files.len(), 1);
    let folder = Folder::new("shared-builtin");
    let world = world_with_shared_files(&folder, &files);
    let run = refused(&world, "a");
    let found = world.diagnose(&run, CASE).unwrap();
    let of_others = found.related.iter().find(|one| one.origin.is_some()).unwrap();
    assert_eq!(of_others.suggested_fix.as_deref(), Some("Start the database first"));
    assert_eq!(of_others.origin.as_ref().unwrap().by, None);
}

#[test]
fn a_decision_is_shared_and_ranks_below_own_decisions() {
    let (world, _) = world_with_proved_fix_and_files();
    let run = record_failure(&world, "four");
    let id = world.diagnose(&run, "boom").unwrap().pattern.unwrap().id;
    let fix = Change::Set("Ask Scotty at /home/ann/shop/README.md".to_owned());
    let description = Change::Set("The engine is out of order".to_owned());
    let edit = EditPatternParams { id, category: Change::Keep, description, suggested_fix: fix };
    world.call(edit_pattern, &edit).unwrap();
    let files = share_all(&world, Some("ann")).files;
    let decision = files.iter().find(|file| file.path.starts_with("decisions/dec-")).expect("a decision");
    assert!(decision.text.contains("Ask Scotty at README.md") && decision.text.contains("out of order"));
    assert!(!decision.text.contains("/home/"), "{}", decision.text);

    let again = EditPatternParams { suggested_fix: Change::Set("Ask Spock".to_owned()), ..edit };
    world.call(edit_pattern, &again).unwrap();
    let later = world.call(build_shared_files, &share_params(Some("ann"), &files)).unwrap().files;
    assert_eq!(later.iter().filter(|file| file.path.starts_with("decisions/")).count(), 1, "{later:?}");
    let all: Vec<_> = files.iter().chain(&later).cloned().collect();

    let folder = Folder::new("shared-decided");
    let other = world_with_shared_files(&folder, &all);
    let run = record_failure(&other, "a");
    let related = other.diagnose(&run, "boom").unwrap().related;
    assert_eq!(related[0].suggested_fix.as_deref(), Some("Ask Spock"), "the newest decision is shown");
    assert_eq!(related[0].memory, Some(MemoryKind::Foreign));
    other.fix(&run, "boom", "Mended it myself", true).unwrap();
    let found = other.diagnose(&run, "boom").unwrap();
    assert_eq!(found.suggested_fix.as_deref(), Some("Mended it myself"));
    assert_eq!(share_all(&other, None).files, [], "decisions of others are not shared again");
}
