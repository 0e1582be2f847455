//! The store on PostgreSQL: schema, isolation, the single writer, and rollback. The tests use the server of
//! `ARGUS_TEST_POSTGRES`, which `npm run test:full` starts.

#![expect(clippy::disallowed_methods, reason = "the server is told by a variable")]

use argus_store::{
    KnownSchemas, Mode, NativeDriver, Postgres, Sqlite, StoreError, StoreErrorKind, Tx,
    database::{
        Row, Value, copy,
        postgres::{Batch, Driver, SERVER, SchemaState, Statement},
    },
    incidents,
};
use std::{
    collections::BTreeSet,
    rc::Rc,
    sync::atomic::{AtomicU32, Ordering},
};

type Memory = Postgres;

static PROJECTS: AtomicU32 = AtomicU32::new(0);

/// A project that no other test uses, with a connection to it.
fn project() -> (Memory, Rc<NativeDriver>, String) {
    let url = std::env::var("ARGUS_TEST_POSTGRES").expect("a server to ask");
    let driver = Rc::new(NativeDriver::connect(&url).unwrap());
    on(&driver, SERVER).migrate(0).unwrap();
    let name = format!("store{}-{}", std::process::id(), PROJECTS.fetch_add(1, Ordering::Relaxed));
    (on(&driver, &name), driver, name)
}

fn on(driver: &Rc<NativeDriver>, project: &str) -> Memory {
    Postgres::new(Rc::<NativeDriver>::clone(driver), project, KnownSchemas::default()).unwrap()
}

/// Opens the project over another connection.
fn second(project: &str) -> Memory {
    let url = std::env::var("ARGUS_TEST_POSTGRES").unwrap();
    on(&Rc::new(NativeDriver::connect(&url).unwrap()), project)
}

fn insert(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    let texts = incidents::Texts { title: id, error_signature: None, summary: None, tags: &[] };
    incidents::insert(tx, id, &texts, 0).map(drop)
}

fn add(database: &Memory, id: &str) -> Result<(), StoreError> {
    database.write(0, |tx| insert(tx, id))
}

fn count(database: &Memory) -> u64 {
    database.read(0, incidents::count).unwrap()
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn first_write_creates_the_schema() {
    let (memory, _, _) = project();
    assert_eq!(count(&memory), 0);
    assert_eq!(memory.state().unwrap(), SchemaState::Missing);
    assert!(!memory.exists(0).unwrap());
    add(&memory, "inc-1").unwrap();
    assert_eq!((memory.state().unwrap(), count(&memory)), (SchemaState::Current, 1));
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn copies_all_columns_of_both_databases() {
    const COLUMNS: &str = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                           WHERE table_schema = current_schema()";
    const OF_SQLITE: &str = "SELECT t.name, c.name FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c \
                             WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'";
    let (memory, _, _) = project();
    add(&memory, "inc-1").unwrap();
    let pairs = |rows: Vec<Row>| -> BTreeSet<(String, String)> {
        rows.into_iter().map(|mut row| (row.read().unwrap(), row.read().unwrap())).collect()
    };
    let here = memory.read(0, |tx: &mut Tx<'_>| tx.query(COLUMNS, &[])).unwrap();
    let mut here = pairs(here);
    here.retain(|(table, _)| table != "writer");
    let file = Sqlite::open(":memory:", None, Mode::ReadWrite).unwrap();
    let there = file.read(0, |tx: &mut Tx<'_>| tx.query(OF_SQLITE, &[])).unwrap();
    assert_eq!(here, pairs(there));
    for (table, column) in here {
        let is_left = matches!(table.as_str(), "calls" | "tokens" | "audit_entries" | "probes" | "memory");
        let is_made = (table.as_str(), column.as_str()) == ("patterns", "confidence");
        let stays_here = (table.as_str(), column.as_str()) == ("edits", "hunks") || table.starts_with("fix_commit");
        assert_eq!(copy::has(&table, &column), !is_left && !is_made && !stays_here, "{table}.{column}");
    }
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn copy_is_independent() {
    let (memory, _, _) = project();
    add(&memory, "inc-1").unwrap();
    let file = Sqlite::open(":memory:", None, Mode::ReadWrite).unwrap();
    let copied = |from: &mut Tx<'_>| file.write(0, |into: &mut Tx<'_>| copy::copy(from, into));
    memory.read(0, copied).unwrap();
    assert_eq!(file.read(0, incidents::count).unwrap(), 1);
    file.write(0, |tx| insert(tx, "inc-2")).unwrap();
    assert_eq!((file.read(0, incidents::count).unwrap(), count(&memory)), (2, 1));
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn project_cannot_read_other_projects() {
    let (memory, _, name) = project();
    let (other, _, _) = project();
    add(&memory, "inc-1").unwrap();
    add(&other, "inc-2").unwrap();
    let sql: &'static str = Box::leak(format!("SELECT id FROM \"argus_{name}\".incidents").into_boxed_str());
    let peek = |tx: &mut Tx<'_>| tx.query(sql, &[]);
    assert_eq!(memory.read(0, peek).unwrap().len(), 1);
    assert_eq!(other.read(0, peek).unwrap_err().kind(), StoreErrorKind::NotPermitted);
    let tokens = |tx: &mut Tx<'_>| tx.query("SELECT id FROM \"argus__server\".tokens", &[]);
    assert_eq!(memory.read(0, tokens).unwrap_err().kind(), StoreErrorKind::NotPermitted);
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn rejects_invalid_project_names() {
    let (_, driver, _) = project();
    for name in ["", "a\"; DROP SCHEMA public; --", "Ärger", "a'b", &"x".repeat(51)] {
        assert!(Postgres::new(Rc::<NativeDriver>::clone(&driver), name, KnownSchemas::default()).is_err(), "{name}");
    }
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn failed_write_rolls_back_completely() {
    let (memory, _, _) = project();
    add(&memory, "inc-1").unwrap();
    assert!(add(&memory, "inc-1").is_err(), "the same id twice");
    let swallowed = |tx: &mut Tx<'_>| {
        let texts = incidents::Texts { title: "x", error_signature: None, summary: None, tags: &[] };
        incidents::insert(tx, "inc-2", &texts, 0)?;
        let _ = tx.query("SELECT no_such_column FROM incidents", &[]);
        Ok::<_, StoreError>(())
    };
    let whole = memory.write(0, swallowed).unwrap_err();
    assert!(whole.to_string().contains("failed before"), "{whole}");
    assert_eq!(count(&memory), 1);
    let text = Value::Text("a\0b");
    let with_nul = |tx: &mut Tx<'_>| tx.query("SELECT $1::text", &[text]);
    let mut row = memory.read(0, with_nul).unwrap().remove(0);
    assert_eq!(row.read::<String>().unwrap(), "ab", "no text of this server holds a NUL");
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn writers_take_turns_and_readers_never_wait() {
    let (memory, _, name) = project();
    add(&memory, "inc-0").unwrap();
    let other = second(&name);
    let meanwhile = |tx: &mut Tx<'_>| {
        tx.query("SELECT 1", &[])?;
        assert_eq!(count(&other), 1, "a reader sees what was committed");
        let refused = other.write_now(0, |tx: &mut Tx<'_>| tx.query("SELECT 1", &[]));
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Locked);
        Ok::<_, StoreError>(())
    };
    memory.write(0, meanwhile).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let name = name.clone();
            std::thread::spawn(move || {
                let memory = second(&name);
                for number in 0..25 {
                    add(&memory, &format!("inc-{thread}-{number}")).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(count(&memory), 101);
    assert_eq!(memory.writes().unwrap(), 102, "each write is a turn, and a refused one is none");
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn in_one_locks_at_its_first_write() {
    let (memory, _, name) = project();
    add(&memory, "inc-0").unwrap();
    let other = second(&name);
    let whole = || -> Result<(), StoreError> {
        assert_eq!(count(&memory), 1);
        add(&other, "inc-1")?;
        assert_eq!(count(&memory), 1, "all that is read before is of one moment");
        add(&memory, "inc-2")?;
        assert_eq!(count(&memory), 3, "what is written on is what was there at the turn");
        let refused = other.write_now(0, |tx: &mut Tx<'_>| tx.query("SELECT 1", &[]));
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Locked);
        assert_eq!(count(&other), 2, "nobody sees it before its end");
        Ok(())
    };
    memory.in_one(0, whole).unwrap();
    assert_eq!(count(&other), 3);
    let failing = || -> Result<(), StoreError> {
        add(&memory, "inc-3")?;
        let _ = add(&memory, "inc-3");
        Ok(())
    };
    assert!(memory.in_one(0, failing).is_err(), "a write that failed undoes all of it");
    let reading = || -> Result<u64, StoreError> { Ok(count(&memory)) };
    assert_eq!(memory.in_one(0, reading).unwrap(), 3);
    assert!(!memory.is_in_one());
    assert_eq!(memory.writes().unwrap(), 3, "who only reads takes no turn");
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn counts_round_trips() {
    let (memory, driver, _) = project();
    add(&memory, "inc-1").unwrap();
    driver.take_round_trips();
    add(&memory, "inc-2").unwrap();
    assert_eq!(driver.take_round_trips(), 2, "one asks for the key, one commits");
    assert_eq!((count(&memory), driver.take_round_trips()), (2, 1), "for the end of a read nobody waits");
    let nothing = |_: &mut Tx<'_>| Ok::<_, StoreError>(());
    memory.read(0, nothing).unwrap();
    assert_eq!(driver.take_round_trips(), 0, "what asks nothing sends nothing");
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn rejects_schemas_of_other_versions() {
    let (memory, driver, name) = project();
    add(&memory, "inc-1").unwrap();
    let version = |number: i64| {
        let sql = format!("UPDATE \"argus_{name}\".writer SET version = {number}");
        let statement = Statement { sql: sql.into(), params: Vec::new() };
        driver.run(Batch { statements: vec![statement], is_last: true }).unwrap();
    };
    version(10_000);
    assert_eq!(add(&memory, "inc-2").unwrap_err().kind(), StoreErrorKind::Newer);
    assert_eq!(add(&second(&name), "inc-2").unwrap_err().kind(), StoreErrorKind::Newer);
    assert_eq!(memory.migrate(0).unwrap_err().kind(), StoreErrorKind::Newer);
    version(8);
    assert_eq!(add(&memory, "inc-2").unwrap_err().kind(), StoreErrorKind::Older);
    let seen = memory.read(0, |tx: &mut Tx<'_>| incidents::count(tx));
    assert_eq!(seen.unwrap_err().kind(), StoreErrorKind::Older);
    assert_eq!(memory.state().unwrap(), SchemaState::Older(8));
}

#[test]
#[ignore = "asks the server of ARGUS_TEST_POSTGRES"]
fn concurrent_first_writes_create_one_schema() {
    for _ in 0..5 {
        let (_, _, name) = project();
        let threads: Vec<_> = (0..6)
            .map(|thread| {
                let name = name.clone();
                std::thread::spawn(move || add(&second(&name), &format!("inc-{thread}")).unwrap())
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count(&second(&name)), 6);
    }
}
