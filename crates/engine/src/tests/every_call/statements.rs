//! How often a call asks its database: each statement and each transaction has a price of its own.

use crate::tests::prelude::*;
use argus_store::database::{Row, Value, sqlite::SqliteTx};

/// Transactions and statements; those of the migrations are the store's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Asked {
    reads: u32,
    writes: u32,
    /// Writes that do not wait for another writer.
    writes_now: u32,
    statements: u32,
}

/// A database that counts what it is asked.
#[derive(Debug)]
struct Counted {
    database: Sqlite,
    asked: Rc<Cell<Asked>>,
}

struct CountedTx<'a> {
    tx: SqliteTx<'a>,
    asked: &'a Cell<Asked>,
}

impl CountedTx<'_> {
    fn count(&self) {
        let asked = self.asked.get();
        self.asked.set(Asked { statements: asked.statements + 1, ..asked });
    }
}

impl Tx for CountedTx<'_> {
    async fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.count();
        self.tx.query(sql, params).await
    }

    async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        self.count();
        self.tx.execute(sql, params).await
    }

    async fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        self.count();
        self.tx.execute_many(sql, rows).await
    }
}

impl Database for Counted {
    type Tx<'a> = CountedTx<'a>;

    async fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut CountedTx<'_>) -> Result<T, E>,
    {
        let asked = self.asked.get();
        self.asked.set(Asked { reads: asked.reads + 1, ..asked });
        self.database
            .read(now, async |tx: &mut SqliteTx<'_>| body(&mut CountedTx { tx: *tx, asked: &self.asked }).await)
            .await
    }

    async fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut CountedTx<'_>) -> Result<T, E>,
    {
        let asked = self.asked.get();
        self.asked.set(Asked { writes: asked.writes + 1, ..asked });
        self.database
            .write(now, async |tx: &mut SqliteTx<'_>| body(&mut CountedTx { tx: *tx, asked: &self.asked }).await)
            .await
    }

    async fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut CountedTx<'_>) -> Result<T, E>,
    {
        let asked = self.asked.get();
        self.asked.set(Asked { writes_now: asked.writes_now + 1, ..asked });
        self.database
            .write_now(now, async |tx: &mut SqliteTx<'_>| body(&mut CountedTx { tx: *tx, asked: &self.asked }).await)
            .await
    }

    async fn in_one<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce() -> Result<T, E>,
    {
        self.database.in_one(now, body).await
    }

    fn is_in_one(&self) -> bool {
        self.database.is_in_one()
    }

    async fn exists(&self, now: i64) -> Result<bool, StoreError> {
        self.database.exists(now).await
    }

    async fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        self.database.snapshot(path).await
    }
}

/// A second engine on the file of a world, which counts.
fn counting_engine(path: &Path) -> (Engine<Counted>, Rc<Cell<Asked>>) {
    let asked = Rc::new(Cell::new(Asked::default()));
    let database = Sqlite::open(path.to_str().unwrap(), None, Mode::ReadWrite).unwrap();
    (Engine::new(Counted { database, asked: Rc::clone(&asked) }, EngineOptions::default()).unwrap(), asked)
}

/// What a call asks, and what it answers.
fn counted<T>(asked: &Cell<Asked>, call: impl FnOnce() -> T) -> (Asked, T) {
    asked.take();
    let answer = call();
    (asked.take(), answer)
}

/// One transaction finds the failure, while others may write; one matches and counts it.
const DIAGNOSIS: Asked = Asked { reads: 1, writes: 1, writes_now: 0, statements: 0 };

#[test]
fn a_diagnosis_reads_once_and_writes_once() {
    let (folder, world) = World::on_file("statements");
    world.added(&pool());
    let run = world.run(vec![failed("new", UNKNOWN), failed("refused", REFUSED), failed("pool", POOL)]);
    let (engine, asked) = counting_engine(&folder.file());
    let check = |case: &str, statements: u32, what: &str| {
        let params = DiagnoseParams { run_id: run.clone(), case_name: case.to_owned(), not_same_as: None };
        let (asked, known) = counted(&asked, || finish(diagnose(&engine, &world.ambient(), &params)).unwrap());
        assert_eq!(asked, Asked { statements, ..DIAGNOSIS }, "{what}");
        known
    };
    assert!(check("new", 38, "no pattern yet").is_new_pattern);
    assert_eq!(check("new", 37, "a learned pattern without a fix").pattern.unwrap().occurrences, 2);
    world.fix(&run, "new", "Tuned it", true).unwrap();
    assert!(check("new", 12, "a learned pattern with a fix").suggested_fix.is_some());
    assert!(
        check("refused", 51, "a built-in, met for the first time").pattern.unwrap().source == PatternSource::BuiltIn
    );
    assert!(check("refused", 44, "a built-in, met again").pattern.unwrap().source == PatternSource::BuiltIn);
    let known = check("pool", 57, "a built-in and an incident");
    assert_eq!((known.pattern.unwrap().id.as_str(), known.related.len()), ("builtin-timeout", 1));
}

#[test]
fn a_diagnosis_that_finds_no_case_writes_nothing() {
    let (folder, world) = World::on_file("statements-none");
    let run = world.run(vec![failed("new", UNKNOWN)]);
    let (engine, asked) = counting_engine(&folder.file());
    let params = DiagnoseParams { run_id: run, case_name: "other".to_owned(), not_same_as: None };
    let (asked, refused) = counted(&asked, || finish(diagnose(&engine, &world.ambient(), &params)));
    assert_eq!((asked.reads, asked.writes), (1, 0));
    assert_eq!(refused.unwrap_err().code, ErrorCode::CaseNotFound);
}

/// It waits for no writer: neither of the memory nor of a copy that came with the project, which it indexes.
#[test]
fn a_search_takes_its_turn_only_where_nobody_else_writes() {
    let (folder, copy) = (Folder::new("statements-search"), Folder::new("statements-copy"));
    let (world, theirs) = (World::on(&folder.file()).unwrap(), World::on(&copy.file()).unwrap());
    let added = world.added(&pool());
    for learning in [&world, &theirs] {
        let run = learning.run(vec![failed("boom", UNKNOWN)]);
        // Its pattern is to be indexed by the next search.
        learning.fix(&run, "boom", "Tuned it", true).unwrap();
    }
    let (engine, asked) = counting_engine(&folder.file());
    let database = Sqlite::open_foreign(copy.file().to_str().unwrap(), None, Mode::ReadWrite).unwrap();
    let engine = engine.with_foreign(Ok(Counted { database, asked: Rc::clone(&asked) }));
    let params =
        RankedSolutionsParams { query_text: POOL.to_owned(), env: linux(), ..RankedSolutionsParams::default() };
    let (waited, answer) = counted(&asked, || finish(ranked_solutions(&engine, &world.ambient(), &params)).unwrap());
    assert_eq!(answer.incidents[0].incident_id, added.incident_id);
    let params = ViewIncidentsParams { text: Some(POOL.to_owned()), ..ViewIncidentsParams::default() };
    let (looked, _) = counted(&asked, || finish(view_incidents(&engine, &world.ambient(), &params)).unwrap());
    assert_eq!((waited.writes, looked.writes), (0, 0));
    assert!(waited.writes_now > 0, "{waited:?}");
}

#[test]
fn a_search_is_one_transaction() {
    let (folder, world) = World::on_file("statements-search");
    let added = world.added(&pool());
    let (engine, asked) = counting_engine(&folder.file());
    let params =
        RankedSolutionsParams { query_text: POOL.to_owned(), env: linux(), ..RankedSolutionsParams::default() };
    let (asked, answer) = counted(&asked, || finish(ranked_solutions(&engine, &world.ambient(), &params)).unwrap());
    assert_eq!((asked.reads, asked.writes, asked.writes_now), (0, 0, 1));
    assert_eq!(answer.incidents[0].incident_id, added.incident_id);
}
