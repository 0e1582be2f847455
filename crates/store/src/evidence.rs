//! The history from which verdicts are computed, as JSON that only `argus_core::evidence` reads.

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
};
use std::collections::BTreeMap;

/// Key of the single row of the table `evidence`.
const STATE_KEY: i64 = 1;

/// Maximum number of tests whose rows are read individually, in one round trip. For more tests, all rows are read.
const MAX_TESTS_READ_BY_KEY: usize = 512;

/// History of a test that failed at least once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestHistoryRow {
    /// Hash of the name.
    pub case: u64,
    /// Qualified name.
    pub name: String,
    /// JSON.
    pub history: String,
}

/// The cases of a run in the order of execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    /// Hash of the order. Equal orders have equal hashes.
    pub digest: u64,
    /// Number of the newest run that had this order.
    pub run_seq: u32,
    /// Hashes of the names, from first to last.
    pub cases: Vec<u64>,
}

/// Returns the general state as JSON, or `None` if no run was judged yet. Its size is limited.
pub fn read_state(tx: &mut Tx<'_>) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT state FROM evidence WHERE key = $1", &[STATE_KEY.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Replaces the general state.
pub fn set_state(tx: &mut Tx<'_>, state: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO evidence (key, state) VALUES ($1, $2) \
                       ON CONFLICT (key) DO UPDATE SET state = excluded.state";
    tx.execute_deferred(SQL, &[STATE_KEY.into(), state.into()])
}

/// Returns the rows of these tests. If there are many tests, the result also contains rows of other tests.
pub fn find_test_histories(tx: &mut Tx<'_>, cases: &[u64]) -> Result<Vec<TestHistoryRow>, StoreError> {
    const SQL: &str = "SELECT case_id, name, history FROM test_histories WHERE case_id = $1";
    if cases.len() > MAX_TESTS_READ_BY_KEY {
        return list_test_histories(tx);
    }
    let params: Vec<[Value<'_>; 1]> = cases.iter().map(|case| [to_sql_integer(*case).into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().flatten().map(|mut row| read_test(&mut row)).collect()
}

/// Returns all rows, sorted by name.
pub fn list_test_histories(tx: &mut Tx<'_>) -> Result<Vec<TestHistoryRow>, StoreError> {
    let rows = tx.query("SELECT case_id, name, history FROM test_histories ORDER BY name", &[])?;
    rows.into_iter().map(|mut row| read_test(&mut row)).collect()
}

/// Returns the names of all tests with a row, by their hashes.
pub fn list_test_names(tx: &mut Tx<'_>) -> Result<BTreeMap<u64, String>, StoreError> {
    let rows = tx.query("SELECT case_id, name FROM test_histories", &[])?;
    rows.into_iter().map(|mut row| Ok((row.read::<i64>()?.cast_unsigned(), row.read()?))).collect()
}

/// Inserts or replaces rows.
pub fn store_test_histories(tx: &mut Tx<'_>, rows: &[TestHistoryRow]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO test_histories (case_id, name, history) VALUES ($1, $2, $3) \
                       ON CONFLICT (case_id) DO UPDATE SET history = excluded.history";
    let params = rows.iter().map(|row| [to_sql_integer(row.case).into(), (&row.name).into(), (&row.history).into()]);
    tx.execute_many(SQL, params)
}

/// Returns all orders, newest last.
pub fn list_orders(tx: &mut Tx<'_>) -> Result<Vec<OrderRow>, StoreError> {
    let rows = tx.query("SELECT digest, run_seq, cases FROM case_orders ORDER BY run_seq", &[])?;
    rows.into_iter().map(read_order).collect()
}

fn read_order(mut row: Row) -> Result<OrderRow, StoreError> {
    let (digest, run_seq, bytes): (i64, u32, Vec<u8>) = (row.read()?, row.read()?, row.read()?);
    let (cases, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(StoreError::corrupt("an order of cases is cut off"));
    }
    Ok(OrderRow {
        digest: digest.cast_unsigned(),
        run_seq,
        cases: cases.iter().copied().map(u64::from_le_bytes).collect(),
    })
}

/// Returns the stored orders with these digests.
pub fn find_orders(tx: &mut Tx<'_>, digests: &[u64]) -> Result<Vec<OrderRow>, StoreError> {
    const SQL: &str = "SELECT digest, run_seq, cases FROM case_orders WHERE digest = $1";
    let params: Vec<[Value<'_>; 1]> = digests.iter().map(|digest| [to_sql_integer(*digest).into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().flatten().map(read_order).collect()
}

/// Inserts an order or makes it the newest. Deletes the oldest orders so that at most `max_orders` orders with
/// `max_cases` cases in total stay.
pub fn store_order(tx: &mut Tx<'_>, order: &OrderRow, max_orders: usize, max_cases: usize) -> Result<(), StoreError> {
    const NEWER: &str = "UPDATE case_orders SET run_seq = $2 WHERE digest = $1";
    const INSERT: &str = "INSERT INTO case_orders (digest, run_seq, size, cases) VALUES ($1, $2, $3, $4)";
    const SIZES: &str = "SELECT run_seq, size FROM case_orders ORDER BY run_seq DESC";
    let digest = Value::from(to_sql_integer(order.digest));
    if tx.execute(NEWER, &[digest, order.run_seq.into()])? > 0 {
        return Ok(());
    }
    let bytes: Vec<u8> = order.cases.iter().flat_map(|case| case.to_le_bytes()).collect();
    let size = i64::try_from(order.cases.len()).unwrap_or(i64::MAX);
    tx.execute_deferred(INSERT, &[digest, order.run_seq.into(), size.into(), Value::Bytes(&bytes)])?;
    let mut cases = 0_usize;
    for (count, mut row) in tx.query(SIZES, &[])?.into_iter().enumerate() {
        let (run_seq, size): (u32, u32) = (row.read()?, row.read()?);
        cases = cases.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        if count > 0 && (count >= max_orders || cases > max_cases) {
            return tx.execute_deferred("DELETE FROM case_orders WHERE run_seq <= $1", &[run_seq.into()]);
        }
    }
    Ok(())
}

/// Uncommitted changes at the start of a run, as JSON that only the engine reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRow {
    /// Number of the run.
    pub run_seq: u32,
    /// JSON.
    pub files: String,
    /// JSON. `None` in a copy of the database, because the changes are private.
    pub hunks: Option<String>,
}

/// Returns the changed files at the start of each run, without the changes themselves.
pub fn list_edited_files(tx: &mut Tx<'_>) -> Result<Vec<EditRow>, StoreError> {
    let rows = tx.query("SELECT run_seq, files, NULL FROM edits ORDER BY run_seq", &[])?;
    rows.into_iter().map(|mut row| read_edit(&mut row)).collect()
}

/// Returns the changed files and the changes at the start of one run.
pub fn find_edits(tx: &mut Tx<'_>, run_seq: u32) -> Result<Option<EditRow>, StoreError> {
    let row = tx.query_first("SELECT run_seq, files, hunks FROM edits WHERE run_seq = $1", &[run_seq.into()])?;
    row.map(|mut row| read_edit(&mut row)).transpose()
}

/// Inserts a row or replaces the row with the same run number, which may come from another memory.
pub fn set_edits(tx: &mut Tx<'_>, row: &EditRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO edits (run_seq, files, hunks) VALUES ($1, $2, $3) \
                       ON CONFLICT (run_seq) DO UPDATE SET files = excluded.files, hunks = excluded.hunks";
    tx.execute_deferred(SQL, &[row.run_seq.into(), (&row.files).into(), (&row.hunks).into()])
}

/// Deletes the rows of all runs for which `is_kept` returns false.
pub fn retain_edits(tx: &mut Tx<'_>, is_kept: impl Fn(u32) -> bool) -> Result<(), StoreError> {
    let known: Vec<u32> =
        tx.query("SELECT run_seq FROM edits", &[])?.into_iter().map(|mut row| row.read()).collect::<Result<_, _>>()?;
    let gone = known.into_iter().filter(|seq| !is_kept(*seq));
    tx.execute_many("DELETE FROM edits WHERE run_seq = $1", gone.map(|seq| [seq.into()]))
}

fn read_edit(row: &mut Row) -> Result<EditRow, StoreError> {
    Ok(EditRow { run_seq: row.read()?, files: row.read()?, hunks: row.read()? })
}

fn read_test(row: &mut Row) -> Result<TestHistoryRow, StoreError> {
    let case: i64 = row.read()?;
    Ok(TestHistoryRow { case: case.cast_unsigned(), name: row.read()?, history: row.read()? })
}

/// Reinterprets the bits of a hash as a signed integer, because databases have no unsigned integers.
const fn to_sql_integer(hash: u64) -> i64 {
    hash.cast_signed()
}
