//! Checks of shared files, which are strict because anybody can write them.

use super::{CASE, find_fix_id, open_database, world_with_proved_fix_and_files};
use crate::tests::prelude::*;
use proptest::prelude::*;

fn list_faults(files: Vec<SharedFileContent>) -> Vec<String> {
    let found = World::new().call(check_shared_files, &SharedFilesParams { files }).unwrap();
    found.faults.into_iter().map(|fault| fault.message).collect()
}

/// Returns the file of a proved fix after a change.
fn changed_fix_file(change: impl FnOnce(&mut Value)) -> SharedFileContent {
    let (_, files) = world_with_proved_fix_and_files();
    let mut value: Value = serde_json::from_str(&files[0].text).unwrap();
    change(&mut value);
    SharedFileContent { path: files[0].path.clone(), text: value.to_string() }
}

#[test]
fn written_files_have_no_faults() {
    assert_eq!(list_faults(world_with_proved_fix_and_files().1), Vec::<String>::new());
}

#[test]
fn a_possible_key_is_reported_with_its_line_and_accepted() {
    let file = changed_fix_file(|file| file["fix"] = json!("Signed with 3f9a0c1d2e4b5a69788f90a1b2c3d4e5"));
    let pretty: Value = serde_json::from_str(&file.text).unwrap();
    let file = SharedFileContent { text: serde_json::to_string_pretty(&pretty).unwrap(), ..file };
    let line = file.text.lines().position(|line| line.contains("3f9a")).unwrap() + 1;
    let found = World::new().call(check_shared_files, &SharedFilesParams { files: vec![file] }).unwrap();
    assert_eq!(found.faults, []);
    let messages: Vec<_> = found.doubts.iter().map(|doubt| doubt.message.as_str()).collect();
    assert_eq!(messages, [format!("line {line} has 32 hexadecimal digits, which may be a key: 3f9a…")]);
    let named = changed_fix_file(|file| file["fix"] = json!("Took md5 3f9a0c1d2e4b5a69788f90a1b2c3d4e5"));
    assert_eq!(World::new().call(check_shared_files, &SharedFilesParams { files: vec![named] }).unwrap().doubts, []);
}

#[test]
fn check_reports_every_fault() {
    type Change = fn(&mut Value);
    let rows: [(&str, Change); 13] = [
        ("its version is 2", |file| file["version"] = json!(2)),
        ("'version' is not 1", |file| file["version"] = json!("1")),
        ("looks like a secret", |file| file["fix"] = json!("export TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a")),
        ("invisible characters", |file| file["fix"] = json!("tuned\u{200b}it")),
        ("control characters", |file| file["failure"]["text"] = json!("a\u{0}b")),
        ("home folder", |file| file["fix"] = json!("see /home/ann/notes")),
        ("unknown field", |file| file["run"] = json!("npm test")),
        ("it is not a shared file", |file| file["failure"] = json!(7)),
        ("it is not a shared file", |file| file["kind"] = json!("rule")),
        ("does not fit its kind", |file| file["id"] = json!("fix-../../x")),
        ("require the path", |file| file["id"] = json!("fix-another")),
        ("not a pseudonym", |file| file["by"] = json!("ann <ann@example.org>")),
        ("ISO 8601", |file| file["createdAt"] = json!("yesterday")),
    ];
    for (wanted, change) in rows {
        let found = list_faults(vec![changed_fix_file(change)]);
        assert!(found.len() == 1 && found[0].contains(wanted), "{wanted}: {found:?}");
        assert!(!found[0].contains('\n'), "one line");
    }
    let large = changed_fix_file(|file| file["failure"]["text"] = json!("x".repeat(70_000)));
    assert!(list_faults(vec![large])[0].contains("at most 65536"));
    let deep = SharedFileContent { path: "fixes/fix-a.json".to_owned(), text: "[".repeat(5_000) };
    assert!(list_faults(vec![deep])[0].contains("it is not JSON"));
    let many = vec![SharedFileContent { path: "x".to_owned(), text: String::new() }; 2_001];
    assert!(list_faults(many)[0].contains("at most 2000"));
    let large = vec![SharedFileContent { path: "x".to_owned(), text: "x".repeat(60_000) }; 150];
    assert!(list_faults(large.clone())[0].contains("at most 8388608 are imported"));
    let taken = World::new().call(import_shared_files, &SharedFilesParams { files: large }).unwrap();
    assert_eq!((taken.taken, taken.refused.len()), (0, 139), "files beyond the limit are not checked");
}

#[test]
fn take_rejects_a_hostile_file_and_imports_the_others() {
    let (_, mut files) = world_with_proved_fix_and_files();
    let sound = files[0].clone();
    for text in ["", "{", "null", "[[[[", "{\"version\":1}", "\u{0}", "{\"version\":1,\"kind\":\"fix\",\"id\":{}}"] {
        files.push(SharedFileContent { path: "fixes/fix-evil.json".to_owned(), text: text.to_owned() });
    }
    // Another fix for the same failure under the same pattern id.
    let mut twin: Value = serde_json::from_str(&sound.text).unwrap();
    (twin["id"], twin["fix"]) = (json!("fix-twin"), json!("rm -rf it"));
    files.push(SharedFileContent { path: "fixes/fix-twin.json".to_owned(), text: twin.to_string() });
    let folder = Folder::new("shared-hostile");
    let taking = World::open(&folder.file()).unwrap();
    let taken = taking.call(import_shared_files, &SharedFilesParams { files: files.clone() }).unwrap();
    assert_eq!((taken.taken, taken.refused.len()), (2, 7), "{:?}", taken.refused);
    drop(taking);
    let mut world = World::new();
    world.engine = world.engine.with_shared(open_database(&folder.file()));
    let run = super::record_failure(&world, "a");
    let found = world.diagnose(&run, CASE).unwrap();
    let id = found.related[0].id.clone();
    assert!(found.suggested_fix.is_none() && (id == "fix-twin" || id == find_fix_id(&files)), "{id}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text is rejected with a single fault, and importing it has no effect.
    #[test]
    fn any_text_is_rejected_with_a_single_fault(text in "\\PC{0,200}", field in "[a-z]{1,8}", path in "[a-z./]{0,20}") {
        let value = json!({ "version": 1, "kind": "fix", "id": "fix-a", field: text });
        for file in [text.clone(), value.to_string()] {
            let files = vec![SharedFileContent { path: path.clone(), text: file }];
            let world = World::new();
            let found = world.call(check_shared_files, &SharedFilesParams { files: files.clone() }).unwrap().faults;
            prop_assert_eq!(found.len(), 1);
            let taken = world.call(import_shared_files, &SharedFilesParams { files }).unwrap();
            prop_assert_eq!((taken.taken, taken.refused.len()), (0, 1));
        }
    }
}
