//! Behavior with a bad database: the right error code, an answer if possible, and no lost data.

use crate::tests::prelude::*;

/// Offsets of `user_version` and `application_id` in the header of a SQLite file
/// (<https://www.sqlite.org/fileformat.html>).
const USER_VERSION_OFFSET: usize = 60;
const APPLICATION_ID_OFFSET: usize = 68;

/// Writes a number into the header, as another program could.
fn write_header_number(file: &Path, at: usize, number: u32) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
    fs::write(file, &bytes).unwrap();
}

fn open_error_code(path: &Path) -> ErrorCode {
    World::open(path).map(|_| ()).unwrap_err().code
}

#[test]
fn a_missing_file_is_created_only_by_the_first_write() {
    let (folder, world) = World::on_file("missing");
    let seen = world.call(overview, &NoParams {}).unwrap();
    assert_eq!((seen.known_patterns, seen.latest_run_id), (6, None));
    assert_eq!(world.diagnose("run-xyz", "boom").unwrap_err().code, ErrorCode::RunNotFound);
    assert!(!folder.file().exists());
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert!(folder.file().exists());
    assert_eq!(world.call(overview, &NoParams {}).unwrap().latest_run_id, Some(run));
}

#[test]
fn a_reader_sees_a_file_that_another_process_creates_later() {
    let folder = Folder::new("later");
    let (reader, writer) = (World::open(&folder.file()).unwrap(), World::open(&folder.file()).unwrap());
    assert_eq!(reader.call(overview, &NoParams {}).unwrap().latest_run_id, None);
    let run = writer.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    assert_eq!(reader.call(overview, &NoParams {}).unwrap().latest_run_id, Some(run));
}

#[test]
fn a_folder_that_does_not_exist_is_unavailable_for_writing() {
    let folder = Folder::new("nowhere");
    let world = World::open(&folder.file().join("deeper")).unwrap();
    assert!(world.call(overview, &NoParams {}).is_ok());
    let error = world.call(check_write, &NoParams {}).unwrap_err();
    assert_eq!(error.code, ErrorCode::DatabaseUnavailable);
}

#[test]
fn a_file_of_another_program_is_rejected_and_unchanged() {
    let folder = Folder::new("foreign");
    let text = "this is a diary, not a database. ".repeat(200);
    fs::write(folder.file(), &text).unwrap();
    assert_eq!(open_error_code(&folder.file()), ErrorCode::DatabaseCorrupt);
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), text);
    fs::remove_file(folder.file()).unwrap();
    World::open(&folder.file()).unwrap().run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    write_header_number(&folder.file(), APPLICATION_ID_OFFSET, 0x0bad_cafe);
    write_header_number(&folder.file(), USER_VERSION_OFFSET, 99);
    let before = fs::read(folder.file()).unwrap();
    assert_eq!(open_error_code(&folder.file()), ErrorCode::DatabaseCorrupt);
    assert_eq!(fs::read(folder.file()).unwrap(), before);
    fs::remove_file(folder.file()).unwrap();
    fs::create_dir(folder.file()).unwrap();
    let world = World::open(&folder.file()).unwrap();
    let error = world.call(check_write, &NoParams {}).unwrap_err();
    assert_eq!(error.code, ErrorCode::DatabaseUnavailable);
}

#[test]
fn a_damaged_file_is_never_overwritten() {
    let (folder, world) = World::on_file("damaged");
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    drop(world);
    let mut bytes = fs::read(folder.file()).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(folder.file(), &bytes).unwrap();
    let damaged = match World::open(&folder.file()) {
        Ok(world) => world.diagnose(&run, "boom").unwrap_err().code,
        Err(error) => error.code,
    };
    assert_eq!(damaged, ErrorCode::DatabaseCorrupt);
    assert_eq!(fs::read(folder.file()).unwrap(), bytes);
}

#[test]
fn a_newer_file_is_rejected_and_unchanged() {
    let folder = Folder::new("newer");
    World::open(&folder.file()).unwrap().run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    write_header_number(&folder.file(), USER_VERSION_OFFSET, 9999);
    let error = World::open(&folder.file()).map(|_| ()).unwrap_err();
    assert_eq!(error.code, ErrorCode::DatabaseNewer);
    assert!(error.message.contains("Update"), "{error}");
}

#[test]
fn a_read_only_database_answers_without_counting_with_a_warning() {
    let (folder, world) = World::on_file("readonly");
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("new", "Error: never seen before")]);
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let database = Sqlite::open(folder.file().to_str().unwrap(), None, FileAccess::ReadOnly).unwrap();
    let engine = Engine::new(Database::Sqlite(database), EngineOptions::default()).unwrap();
    let context = || CallContext::new(START_MS + 500_000, [9; 16]);
    let ask = |case: &str| {
        let params = DiagnoseParams { run_id: run.clone(), case_name: case.to_owned(), not_same_as: None, once: None };
        diagnose(&engine, &context(), &params).unwrap()
    };
    for _ in 0..2 {
        let known = ask("boom");
        assert_eq!(known.pattern.unwrap().occurrences, 1);
        assert_eq!(known.warnings.len(), 1);
        assert!(known.warnings[0].starts_with("Not counted, and nothing was recorded"));
    }
    let new = ask("new");
    assert!(new.pattern.is_none() && !new.is_new_pattern && !new.warnings.is_empty());
    assert_eq!(check_write(&engine, &context(), &NoParams {}).unwrap_err().code, ErrorCode::DatabaseReadOnly);
}

#[test]
fn a_locked_database_answers_without_counting_with_a_warning() {
    let (folder, world) = World::on_file("locked");
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let mut impatient = Sqlite::open(folder.file().to_str().unwrap(), None, FileAccess::ReadWrite).unwrap();
    impatient.set_lock_timeout(Duration::from_millis(20)).unwrap();
    let engine = Engine::new(Database::Sqlite(impatient), EngineOptions::default()).unwrap();
    let ask = || {
        let params =
            DiagnoseParams { run_id: run.clone(), case_name: "boom".to_owned(), not_same_as: None, once: None };
        diagnose(&engine, &world.context(), &params).unwrap()
    };
    let known = world.engine.database.write(START_MS, |_| Ok::<_, StoreError>(ask())).unwrap();
    assert!(known.warnings[0].contains("Another process") && known.pattern.is_none());
    let known = ask();
    assert!(known.warnings.is_empty() && known.is_new_pattern);
}

#[test]
fn a_search_during_a_write_answers_with_a_warning() {
    let folder = Folder::new("search");
    let (writer, world) = (World::open(&folder.file()).unwrap(), World::open(&folder.file()).unwrap());
    writer.add_new_incident(&pool_incident());
    let run = writer.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    // The pattern waits until a search that can write indexes it.
    writer.fix(&run, "boom", "Tuned it", true).unwrap();
    let params = ViewIncidentsParams { text: Some(POOL_ERROR.to_owned()), ..ViewIncidentsParams::default() };
    let look = || world.call(view_incidents, &params).unwrap();
    let searching = |_: &mut Tx<'_>| Ok::<_, StoreError>((world.search_solutions(POOL_ERROR, linux_env()), look()));
    let (asked, seen) = writer.engine.database.write(START_MS, searching).unwrap();
    assert_eq!((asked.incidents.len(), seen.incidents.len()), (1, 1));
    assert!(asked.warnings[0].starts_with("The search was not stored"), "{:?}", asked.warnings);
    assert!(world.search_solutions(POOL_ERROR, linux_env()).warnings.is_empty());
}

#[test]
fn a_full_disk_loses_no_stored_data() {
    let (folder, world) = World::on_file("full");
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("new", "Error: never seen before")]);
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let no_more = |tx: &mut Tx<'_>| tx.query("PRAGMA max_page_count = 1", &[]);
    world.engine.database.read(START_MS, no_more).unwrap();
    let cases = (0..2_000).map(|n| failed_case(&format!("case {n}"), UNKNOWN_ERROR)).collect();
    let error = world.record(&crate::contract::RecordRunParams::default(), cases).unwrap_err();
    assert_eq!(error.code, ErrorCode::DatabaseFull);
    assert_eq!(world.call(overview, &NoParams {}).unwrap().latest_run_id, Some(run.clone()));
    let known = World::open(&folder.file()).unwrap().diagnose(&run, "boom").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Tuned it"));
}
