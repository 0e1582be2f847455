//! Tests transactions, parameters, and files of every earlier schema version.

use crate::{NOW, missing_file, open};
use argus_core::Category;
use argus_store::{
    FileAccess, Sqlite, StoreError, StoreErrorKind, Tx, calls,
    database::Value,
    incidents,
    patterns::{self, daily_counts, sorted_listing},
    runs::{
        self, case_history,
        cases::{self, Case, Status},
        retention,
    },
    search,
    solutions::{self, outcomes},
};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

fn build_run(id: &str, started_at: i64) -> runs::Run {
    runs::Run {
        id: id.to_owned(),
        started_at,
        duration_ms: 5.0,
        has_failed: false,
        passed: 1,
        failed: 0,
        skipped: 0,
        flaky: 0,
        command: None,
        runner: None,
        exit_code: Some(0),
        signal: None,
        timed_out: false,
        git_commit: None,
        git_branch: None,
        is_foreign: false,
        shuffle: None,
        git_dirty: Some(true),
    }
}

fn list_newest_ids(database: &Sqlite) -> Vec<String> {
    database.read(NOW, |tx: &mut Tx<'_>| runs::list_newest_ids(tx, 10)).unwrap()
}

#[test]
fn query_binds_parameters_by_number() {
    let database = open(Path::new(":memory:"));
    let query = |tx: &mut Tx<'_>| tx.query_first("SELECT $2, $1, $2", &[Value::Int(1), Value::Text("two")]);
    let mut row = database.read(NOW, query).unwrap().unwrap();
    assert_eq!(row.read::<String>().unwrap(), "two");
    assert_eq!(row.read::<i64>().unwrap(), 1);
    assert_eq!(row.read::<Option<String>>().unwrap().as_deref(), Some("two"));
    assert_eq!(row.read::<i64>().unwrap_err().kind(), StoreErrorKind::Corrupt);
    let unbound = |tx: &mut Tx<'_>| tx.query("SELECT $3", &[Value::Null]).map(drop);
    assert_eq!(database.read(NOW, unbound).unwrap_err().kind(), StoreErrorKind::Internal);
}

#[test]
fn write_rolls_back_if_the_body_returns_an_error() {
    #[derive(Debug, PartialEq)]
    struct Refused;
    impl From<StoreError> for Refused {
        fn from(_: StoreError) -> Self {
            Self
        }
    }
    let path = missing_file("rollback");
    let database = open(&path);
    let refused = |tx: &mut Tx<'_>| -> Result<(), Refused> {
        runs::insert(tx, &build_run("run-1", 1))?;
        Err(Refused)
    };
    assert_eq!(database.write(NOW, refused), Err(Refused));
    assert!(list_newest_ids(&database).is_empty());
    database.write(NOW, |tx: &mut Tx<'_>| runs::insert(tx, &build_run("run-2", 2))).unwrap();
    assert_eq!(list_newest_ids(&open(&path)), ["run-2"]);
}

#[test]
fn write_inside_a_transaction_is_rejected() {
    let database = open(Path::new(":memory:"));
    let nested =
        |_: &mut Tx<'_>| database.write(NOW, |tx: &mut Tx<'_>| runs::insert(tx, &build_run("run-1", 1))).map(drop);
    assert_eq!(database.write(NOW, nested).unwrap_err().kind(), StoreErrorKind::Internal);
}

#[test]
fn write_recreates_a_file_that_was_deleted_while_open() {
    let path = missing_file("deleted");
    let database = open(&path);
    let add = |id: &str| database.write(NOW, |tx: &mut Tx<'_>| runs::insert(tx, &build_run(id, 1)));
    add("run-1").unwrap();
    fs::remove_file(&path).unwrap();
    add("run-2").unwrap();
    assert_eq!(list_newest_ids(&open(&path)), ["run-2"]);
}

#[test]
fn retention_deletes_at_most_50_runs_at_once() {
    let database = open(Path::new(":memory:"));
    let body = |tx: &mut Tx<'_>| -> Result<(u32, u32, u32), StoreError> {
        for n in 0..120 {
            let case = Case {
                name: format!("case {n}"),
                status: Status::Passed,
                flaky: false,
                runner_status: None,
                duration_ms: None,
                attempts: 1,
                failure: None,
            };
            let key = runs::insert(tx, &build_run(&format!("run-{n}"), n))?;
            cases::insert_all(tx, key, &[case])?;
        }
        let keep = retention::RetentionLimits { age: None, max_runs: Some(10) };
        let mut step = || retention::delete_expired_runs(tx, keep);
        Ok((step()?, step()?, step()?))
    };
    assert_eq!(database.write(NOW, body).unwrap(), (50, 50, 10));
}

#[test]
fn call_id_is_deleted_after_20000_newer_calls() {
    let database = open(Path::new(":memory:"));
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        assert!(calls::record_call(tx, "call")? && !calls::record_call(tx, "call")?);
        for n in 1..20_000 {
            calls::record_call(tx, &format!("call-{n}"))?;
        }
        assert!(!calls::record_call(tx, "call")?);
        assert!(calls::record_call(tx, "one more")? && calls::record_call(tx, "call")?);
        Ok(())
    };
    database.write(NOW, body).unwrap();
}

/// `fixtures/version-N.db` was created by the release that had schema version N. It has a run with a failed case, a
/// learned pattern with a fix, and the built-in patterns; from version 2 on also a search and an incident; from version
/// 3 on values that a person set; from version 4 on an id.
#[test]
fn files_of_every_earlier_version_can_be_read_and_migrated() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut versions = 0;
    for entry in fs::read_dir(fixtures).unwrap() {
        let fixture = entry.unwrap().path();
        if fixture.extension().is_none_or(|extension| extension != "db") {
            continue;
        }
        let path = missing_file(&fixture.file_stem().unwrap().to_string_lossy());
        fs::copy(&fixture, &path).unwrap();
        let version = path.to_string_lossy().chars().rev().find(char::is_ascii_digit).unwrap().to_digit(10).unwrap();
        let before = fs::read(&path).unwrap();
        let shown = Sqlite::open(path.to_str().unwrap(), None, FileAccess::ReadOnly).unwrap();
        check_read_only(&shown, version);
        check_read_only(&shown, version);
        assert_eq!(fs::read(&path).unwrap(), before, "reading does not change the file");
        check_migrated(&open(&path), version);
        check_read_only(&shown, version);
        check_debug_memory(&open(&path), version == 1);
        versions += 1;
    }
    assert_eq!(versions, 4, "one file for each schema version");
}

/// Checks that a read-only file of any version reads like a file of this version.
fn check_read_only(database: &Sqlite, version: u32) {
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        let id = &runs::list_newest_ids(tx, 1)?[0];
        let (key, _) = runs::find_by_id(tx, id)?.unwrap();
        assert_eq!(case_history::list_failed(tx, key, 10)?[0].headline, "Error: the flux capacitor is out of tune");
        assert_eq!(cases::list(tx, key, 10, 0)?.len(), 2);
        let shown = if version < 3 { Category::Unknown } else { Category::ConfigError };
        let entries = sorted_listing::list_sorted(tx, shown, sorted_listing::SortColumn::Description, false, 10)?;
        assert_eq!(entries.len(), 1);
        let text = if version < 3 { "TUNED it" } else { "out of TUNE" };
        assert_eq!(sorted_listing::find_containing(tx, shown, text)?, [entries[0].key]);
        assert_eq!(sorted_listing::list_by_description(tx, true, 10, 0)?, entries);
        let pattern = patterns::get(tx, entries[0].key)?.unwrap();
        assert_eq!(case_history::list_occurrences(tx, &pattern.case_name, 10)?.len(), 1);
        assert_eq!(sorted_listing::list_signatures(tx, pattern.key)?, [pattern.signature.as_str()]);
        assert!(version < 3 || !daily_counts::list_daily_counts(tx, pattern.key, 10)?.is_empty());
        assert_eq!(incidents::count(tx)?, u64::from(version > 1));
        Ok(())
    };
    database.read(NOW, body).unwrap();
    let write = |tx: &mut Tx<'_>| runs::insert(tx, &build_run("run-1", 1)).map(drop);
    assert_eq!(database.write(NOW, write).unwrap_err().kind(), StoreErrorKind::ReadOnly);
}

/// Checks the incidents and the search index. A file from before the debug memory has no incidents, and its pattern is
/// queued for the search index.
fn check_debug_memory(database: &Sqlite, is_first: bool) {
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        assert_eq!(search::has_pending_patterns(tx)?, is_first);
        assert_eq!(incidents::count(tx)?, u64::from(!is_first));
        let (documents, _) = search::count_documents(tx, &[])?;
        assert_eq!(documents, if is_first { 0 } else { 2 });
        for incident in incidents::list_page(tx, None, 10)? {
            let owner = search::DocumentOwner::Incident(incident.key);
            let solution = &solutions::list_of_owner(tx, owner)?[0];
            assert_eq!(outcomes::read_stats(tx, solution.key)?[0].worked, 1);
        }
        assert_eq!(search::take_pending_patterns(tx, 10)?.len(), usize::from(is_first));
        Ok(())
    };
    database.write(NOW, body).unwrap();
}

fn check_migrated(database: &Sqlite, version: u32) {
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        let id = &runs::list_newest_ids(tx, 1)?[0];
        let (key, run) = runs::find_by_id(tx, id)?.unwrap();
        assert_eq!((run.failed, run.command.as_deref()), (1, Some("npm test")));
        let cases = cases::list(tx, key, 10, 0)?;
        assert_eq!(cases[0].failure.as_ref().unwrap().headline, "Error: the flux capacitor is out of tune");
        let learned: Vec<_> = patterns::list_ids_with_prefix(tx, "pat-", 10)?;
        let mut pattern = patterns::find_by_id(tx, &learned[0])?.unwrap();
        let (occurrences, fix) = if version < 3 { (2, "Tuned it") } else { (3, "Tune it") };
        assert_eq!((pattern.occurrences, pattern.best_fix.as_deref()), (occurrences, Some(fix)));
        assert_eq!(pattern.overrides.has_overrides(), version > 2);
        assert_eq!(solutions::list_history(tx, &pattern, 10)?.len(), 1);
        patterns::count_occurrence(tx, &mut pattern, 9)?;
        assert_eq!(pattern.occurrences, occurrences + 1);
        assert_eq!(patterns::list_ids_with_prefix(tx, "builtin-", 10)?.len(), 6);
        Ok(())
    };
    database.write(NOW, body).unwrap();
}

/// Ids and first times of the built-in patterns.
fn list_builtins(database: &Sqlite) -> Vec<(String, i64)> {
    let body = |tx: &mut Tx<'_>| -> Result<Vec<(String, i64)>, StoreError> {
        let mut found = Vec::new();
        for id in patterns::list_ids_with_prefix(tx, "builtin-", 10)? {
            let pattern = patterns::find_by_id(tx, &id)?.unwrap();
            assert!(pattern.is_builtin && (pattern.occurrences, pattern.resolutions) == (0, 0));
            found.push((id, pattern.first_seen_at));
        }
        Ok(found)
    };
    database.read(NOW + 1, body).unwrap()
}

#[test]
fn built_in_patterns_exist_before_and_after_the_database_file_is_created() {
    let path = missing_file("built-ins");
    let database = open(&path);
    assert_eq!(list_builtins(&database).len(), 6);
    assert!(!path.exists() && !database.exists(NOW).unwrap(), "reading creates no file");
    database.create(NOW).unwrap();
    assert!(database.exists(NOW).unwrap());
    for database in [database, open(&path)] {
        assert!(list_builtins(&database).iter().all(|(_, first)| *first == NOW));
        assert_eq!(list_builtins(&database).len(), 6);
    }
}

/// Tests a file of version 7 without built-in patterns, and a file with only one of them.
#[test]
fn migration_adds_only_missing_built_in_patterns() {
    for kept in ["", "builtin-timeout"] {
        let path = missing_file(&format!("lacks-built-ins-{kept}"));
        open(&path).create(NOW).unwrap();
        let older = rusqlite::Connection::open(&path).unwrap();
        older.execute("DELETE FROM patterns WHERE id <> $1", [kept]).unwrap();
        older.execute("UPDATE patterns SET first_seen_at = 0", []).unwrap();
        let later = "DROP TABLE taken_counts; DROP TABLE tokens; DROP TABLE audit_entries; DROP INDEX calls_answered; \
                     ALTER TABLE calls DROP COLUMN method; ALTER TABLE calls DROP COLUMN answer; \
                     DROP TABLE evidence; DROP TABLE test_histories; DROP TABLE case_orders; \
                     ALTER TABLE failures DROP COLUMN verdict; DROP INDEX outcomes_watched; \
                     CREATE INDEX outcomes_claimed ON outcomes (key)\n  \
                     WHERE worked = 1 AND proved_by IS NULL AND refuted_by IS NULL AND run_id IS NOT NULL; \
                     ALTER TABLE outcomes DROP COLUMN passes; ALTER TABLE outcomes DROP COLUMN passes_needed; \
                     ALTER TABLE runs DROP COLUMN is_foreign; ALTER TABLE runs DROP COLUMN shuffle; DROP TABLE edits; \
                     DROP TABLE shared_uses; DROP TABLE fix_commits; DROP TABLE fix_commit_clues; \
                     DROP TABLE sameness; ALTER TABLE outcomes DROP COLUMN changed;";
        older.execute_batch(later).unwrap();
        older.pragma_update(None, "user_version", 7).unwrap();
        drop(older);
        let before = fs::read(&path).unwrap();
        let shown = list_builtins(&Sqlite::open(path.to_str().unwrap(), None, FileAccess::ReadOnly).unwrap());
        assert_eq!(fs::read(&path).unwrap(), before, "reading does not change the file");
        let written = list_builtins(&open(&path));
        assert_eq!(shown, written);
        assert_eq!(written.len(), 6);
        for (id, first) in written {
            assert_eq!(first, if id == kept { 0 } else { NOW + 1 }, "{id}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test measures how long a read waits")]
fn file_of_an_earlier_version_can_be_read_during_a_write() {
    let path = missing_file("locked");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-3.db"), &path).unwrap();
    let (mut database, writer) = (open(&path), rusqlite::Connection::open(&path).unwrap());
    // A read that does not wait takes much less time, even on a busy machine.
    database.set_lock_timeout(Duration::from_mins(2)).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    assert_eq!(list_newest_ids(&database).len(), 1);
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    let version = || writer.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(version(), 3);
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!(list_newest_ids(&database).len(), 1);
    assert!(version() > 3, "the file is migrated once it can be written");
}
