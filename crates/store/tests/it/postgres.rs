//! Tests the store on PostgreSQL: schema, isolation, the single writer, and rollback. The tests use the server of
//! `ARGUS_TEST_POSTGRES`, which `npm run test:full` starts.

#![expect(clippy::disallowed_methods, reason = "an environment variable names the server")]

use argus_store::{
    CheckedSchemas, FileAccess, NativeDriver, Postgres, Sqlite, StoreError, StoreErrorKind, Tx,
    database::{
        Row, Value, copy,
        postgres::{Batch, Driver, SERVER_PROJECT, SchemaState, Statement},
    },
    incidents,
};
use std::{
    collections::BTreeSet,
    rc::Rc,
    sync::atomic::{AtomicU32, Ordering},
};

static PROJECTS: AtomicU32 = AtomicU32::new(0);

/// Returns a new project, a connection to it, and its name.
fn create_project() -> (Postgres, Rc<NativeDriver>, String) {
    let url = std::env::var("ARGUS_TEST_POSTGRES").expect("ARGUS_TEST_POSTGRES names a server");
    let driver = Rc::new(NativeDriver::connect(&url).unwrap());
    open_project(&driver, SERVER_PROJECT).migrate(0).unwrap();
    let name = format!("store{}-{}", std::process::id(), PROJECTS.fetch_add(1, Ordering::Relaxed));
    (open_project(&driver, &name), driver, name)
}

fn open_project(driver: &Rc<NativeDriver>, project: &str) -> Postgres {
    Postgres::new(Rc::<NativeDriver>::clone(driver), project, CheckedSchemas::default()).unwrap()
}

/// Opens the project over another connection.
fn open_second_connection(project: &str) -> Postgres {
    let url = std::env::var("ARGUS_TEST_POSTGRES").unwrap();
    open_project(&Rc::new(NativeDriver::connect(&url).unwrap()), project)
}

fn insert_incident(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    let texts = incidents::IncidentTexts { title: id, error_signature: None, summary: None, tags: &[] };
    incidents::insert(tx, id, &texts, 0).map(drop)
}

fn add_incident(database: &Postgres, id: &str) -> Result<(), StoreError> {
    database.write(0, |tx| insert_incident(tx, id))
}

fn count_incidents(database: &Postgres) -> u64 {
    database.read(0, incidents::count).unwrap()
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn first_write_creates_the_schema() {
    let (memory, _, _) = create_project();
    assert_eq!(count_incidents(&memory), 0);
    assert_eq!(memory.schema_state().unwrap(), SchemaState::Missing);
    assert!(!memory.exists(0).unwrap());
    add_incident(&memory, "inc-1").unwrap();
    assert_eq!((memory.schema_state().unwrap(), count_incidents(&memory)), (SchemaState::Current, 1));
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn copy_includes_all_columns_of_both_databases() {
    const COLUMNS: &str = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                           WHERE table_schema = current_schema()";
    const OF_SQLITE: &str = "SELECT t.name, c.name FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c \
                             WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'";
    let (memory, _, _) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    let pairs = |rows: Vec<Row>| -> BTreeSet<(String, String)> {
        rows.into_iter().map(|mut row| (row.read().unwrap(), row.read().unwrap())).collect()
    };
    let server_columns = memory.read(0, |tx: &mut Tx<'_>| tx.query(COLUMNS, &[])).unwrap();
    let mut server_columns = pairs(server_columns);
    server_columns.retain(|(table, _)| table != "writer");
    let file = Sqlite::open(":memory:", None, FileAccess::ReadWrite).unwrap();
    let file_columns = file.read(0, |tx: &mut Tx<'_>| tx.query(OF_SQLITE, &[])).unwrap();
    assert_eq!(server_columns, pairs(file_columns));
    for (table, column) in server_columns {
        let is_not_copied = matches!(table.as_str(), "calls" | "tokens" | "audit_entries" | "probes" | "memory");
        let is_computed = (table.as_str(), column.as_str()) == ("patterns", "confidence");
        let is_private = (table.as_str(), column.as_str()) == ("edits", "hunks") || table.starts_with("fix_commit");
        assert_eq!(copy::is_copied(&table, &column), !is_not_copied && !is_computed && !is_private, "{table}.{column}");
    }
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn copy_is_independent() {
    let (memory, _, _) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    let file = Sqlite::open(":memory:", None, FileAccess::ReadWrite).unwrap();
    let copied = |from: &mut Tx<'_>| file.write(0, |into: &mut Tx<'_>| copy::copy(from, into));
    memory.read(0, copied).unwrap();
    assert_eq!(file.read(0, incidents::count).unwrap(), 1);
    file.write(0, |tx| insert_incident(tx, "inc-2")).unwrap();
    assert_eq!((file.read(0, incidents::count).unwrap(), count_incidents(&memory)), (2, 1));
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn project_cannot_read_other_projects() {
    let (memory, _, name) = create_project();
    let (other, _, _) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    add_incident(&other, "inc-2").unwrap();
    let sql: &'static str = Box::leak(format!("SELECT id FROM \"argus_{name}\".incidents").into_boxed_str());
    let read_other = |tx: &mut Tx<'_>| tx.query(sql, &[]);
    assert_eq!(memory.read(0, read_other).unwrap().len(), 1);
    assert_eq!(other.read(0, read_other).unwrap_err().kind(), StoreErrorKind::NotPermitted);
    let tokens = |tx: &mut Tx<'_>| tx.query("SELECT id FROM \"argus__server\".tokens", &[]);
    assert_eq!(memory.read(0, tokens).unwrap_err().kind(), StoreErrorKind::NotPermitted);
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn invalid_project_names_are_rejected() {
    let (_, driver, _) = create_project();
    for name in ["", "a\"; DROP SCHEMA public; --", "Ärger", "a'b", &"x".repeat(51)] {
        assert!(Postgres::new(Rc::<NativeDriver>::clone(&driver), name, CheckedSchemas::default()).is_err(), "{name}");
    }
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn failed_write_rolls_back_completely() {
    let (memory, _, _) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    assert!(add_incident(&memory, "inc-1").is_err(), "an id can be inserted only once");
    let swallowed = |tx: &mut Tx<'_>| {
        let texts = incidents::IncidentTexts { title: "x", error_signature: None, summary: None, tags: &[] };
        incidents::insert(tx, "inc-2", &texts, 0)?;
        let _ = tx.query("SELECT no_such_column FROM incidents", &[]);
        Ok::<_, StoreError>(())
    };
    let whole = memory.write(0, swallowed).unwrap_err();
    assert!(whole.to_string().contains("failed before"), "{whole}");
    assert_eq!(count_incidents(&memory), 1);
    let text = Value::Text("a\0b");
    let with_nul = |tx: &mut Tx<'_>| tx.query("SELECT $1::text", &[text]);
    let mut row = memory.read(0, with_nul).unwrap().remove(0);
    assert_eq!(row.read::<String>().unwrap(), "ab", "NUL is removed, because PostgreSQL cannot store it");
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn only_one_writer_is_active_and_readers_never_wait() {
    let (memory, _, name) = create_project();
    add_incident(&memory, "inc-0").unwrap();
    let other = open_second_connection(&name);
    let meanwhile = |tx: &mut Tx<'_>| {
        tx.query("SELECT 1", &[])?;
        assert_eq!(count_incidents(&other), 1, "a reader sees committed data");
        let refused = other.write_with_short_timeout(0, |tx: &mut Tx<'_>| tx.query("SELECT 1", &[]));
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Locked);
        Ok::<_, StoreError>(())
    };
    memory.write(0, meanwhile).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let name = name.clone();
            std::thread::spawn(move || {
                let memory = open_second_connection(&name);
                for number in 0..25 {
                    add_incident(&memory, &format!("inc-{thread}-{number}")).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(count_incidents(&memory), 101);
    assert_eq!(memory.count_writes().unwrap(), 102, "a rejected write does not count");
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn transaction_of_several_calls_locks_at_its_first_write() {
    let (memory, _, name) = create_project();
    add_incident(&memory, "inc-0").unwrap();
    let other = open_second_connection(&name);
    let whole = || -> Result<(), StoreError> {
        assert_eq!(count_incidents(&memory), 1);
        add_incident(&other, "inc-1")?;
        assert_eq!(count_incidents(&memory), 1, "reads before the first write see the same state");
        add_incident(&memory, "inc-2")?;
        assert_eq!(count_incidents(&memory), 3, "reads after the first write see all committed rows");
        let refused = other.write_with_short_timeout(0, |tx: &mut Tx<'_>| tx.query("SELECT 1", &[]));
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Locked);
        assert_eq!(count_incidents(&other), 2, "other connections see the rows only after the commit");
        Ok(())
    };
    memory.in_one_transaction(0, whole).unwrap();
    assert_eq!(count_incidents(&other), 3);
    let failing = || -> Result<(), StoreError> {
        add_incident(&memory, "inc-3")?;
        let _ = add_incident(&memory, "inc-3");
        Ok(())
    };
    assert!(memory.in_one_transaction(0, failing).is_err(), "a failed write rolls back the whole transaction");
    let reading = || -> Result<u64, StoreError> { Ok(count_incidents(&memory)) };
    assert_eq!(memory.in_one_transaction(0, reading).unwrap(), 3);
    assert!(!memory.is_in_transaction());
    assert_eq!(memory.count_writes().unwrap(), 3, "reads do not count as writes");
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn writes_and_reads_need_few_round_trips() {
    let (memory, driver, _) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    driver.take_round_trips();
    add_incident(&memory, "inc-2").unwrap();
    assert_eq!(driver.take_round_trips(), 2, "one to get the key, one to commit");
    assert_eq!((count_incidents(&memory), driver.take_round_trips()), (2, 1), "no round trip for the end of a read");
    let nothing = |_: &mut Tx<'_>| Ok::<_, StoreError>(());
    memory.read(0, nothing).unwrap();
    assert_eq!(driver.take_round_trips(), 0, "no round trip without a statement");
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn schemas_of_other_versions_are_rejected() {
    let (memory, driver, name) = create_project();
    add_incident(&memory, "inc-1").unwrap();
    let version = |number: i64| {
        let sql = format!("UPDATE \"argus_{name}\".writer SET version = {number}");
        let statement = Statement { sql: sql.into(), params: Vec::new() };
        driver.run(Batch { statements: vec![statement], is_last: true }).unwrap();
    };
    version(10_000);
    assert_eq!(add_incident(&memory, "inc-2").unwrap_err().kind(), StoreErrorKind::NewerSchema);
    assert_eq!(add_incident(&open_second_connection(&name), "inc-2").unwrap_err().kind(), StoreErrorKind::NewerSchema);
    assert_eq!(memory.migrate(0).unwrap_err().kind(), StoreErrorKind::NewerSchema);
    version(8);
    assert_eq!(add_incident(&memory, "inc-2").unwrap_err().kind(), StoreErrorKind::OlderSchema);
    let seen = memory.read(0, |tx: &mut Tx<'_>| incidents::count(tx));
    assert_eq!(seen.unwrap_err().kind(), StoreErrorKind::OlderSchema);
    assert_eq!(memory.schema_state().unwrap(), SchemaState::Older(8));
}

#[test]
#[ignore = "needs the server of ARGUS_TEST_POSTGRES"]
fn concurrent_first_writes_create_one_schema() {
    for _ in 0..5 {
        let (_, _, name) = create_project();
        let threads: Vec<_> = (0..6)
            .map(|thread| {
                let name = name.clone();
                std::thread::spawn(move || {
                    add_incident(&open_second_connection(&name), &format!("inc-{thread}")).unwrap();
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count_incidents(&open_second_connection(&name)), 6);
    }
}
