//! What verdicts look back on, as text that only `argus_core::evidence` reads.

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
};

/// The only key of the row that is read whole.
const STATE_KEY: i64 = 1;

/// Tests up to which their rows are asked for one by one, in one round trip; of more, all rows are read.
const MAX_ASKED_TESTS: usize = 512;

/// What is kept of a test that failed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRow {
    /// Hash of its name.
    pub case: u64,
    /// Its name.
    pub name: String,
    /// JSON.
    pub history: String,
}

/// The cases of a run in the order of execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    /// Equal for equal orders.
    pub digest: u64,
    /// Number of the newest run with it.
    pub run_seq: u32,
    /// Hashes of names, first to last.
    pub cases: Vec<u64>,
}

/// The rows that are bounded, as one JSON; none where nothing was judged yet.
pub fn state(tx: &mut Tx<'_>) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT state FROM evidence WHERE key = $1", &[STATE_KEY.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Replaces it.
pub fn set_state(tx: &mut Tx<'_>, state: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO evidence (key, state) VALUES ($1, $2) \
                       ON CONFLICT (key) DO UPDATE SET state = excluded.state";
    tx.post(SQL, &[STATE_KEY.into(), state.into()])
}

/// The rows of those tests that have one; of many tests, the rows of others too.
pub fn tests(tx: &mut Tx<'_>, cases: &[u64]) -> Result<Vec<TestRow>, StoreError> {
    const SQL: &str = "SELECT case_id, name, history FROM test_histories WHERE case_id = $1";
    if cases.len() > MAX_ASKED_TESTS {
        return all_tests(tx);
    }
    let params: Vec<[Value<'_>; 1]> = cases.iter().map(|case| [number(*case).into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().flatten().map(|mut row| test(&mut row)).collect()
}

/// All of them, by name.
pub fn all_tests(tx: &mut Tx<'_>) -> Result<Vec<TestRow>, StoreError> {
    let rows = tx.query("SELECT case_id, name, history FROM test_histories ORDER BY name", &[])?;
    rows.into_iter().map(|mut row| test(&mut row)).collect()
}

/// Adds or replaces them.
pub fn set_tests(tx: &mut Tx<'_>, rows: &[TestRow]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO test_histories (case_id, name, history) VALUES ($1, $2, $3) \
                       ON CONFLICT (case_id) DO UPDATE SET history = excluded.history";
    let params = rows.iter().map(|row| [number(row.case).into(), (&row.name).into(), (&row.history).into()]);
    tx.execute_many(SQL, params)
}

/// All orders, the newest last.
pub fn orders(tx: &mut Tx<'_>) -> Result<Vec<OrderRow>, StoreError> {
    let rows = tx.query("SELECT digest, run_seq, cases FROM case_orders ORDER BY run_seq", &[])?;
    rows.into_iter().map(order).collect()
}

fn order(mut row: Row) -> Result<OrderRow, StoreError> {
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

/// Those of these orders that are kept, by their digests.
pub fn orders_of(tx: &mut Tx<'_>, digests: &[u64]) -> Result<Vec<OrderRow>, StoreError> {
    const SQL: &str = "SELECT digest, run_seq, cases FROM case_orders WHERE digest = $1";
    let params: Vec<[Value<'_>; 1]> = digests.iter().map(|digest| [number(*digest).into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().flatten().map(order).collect()
}

/// Adds an order, or makes it the newest; forgets the oldest, so that at most so many, of so many cases together, stay.
pub fn keep_order(tx: &mut Tx<'_>, order: &OrderRow, max_orders: usize, max_cases: usize) -> Result<(), StoreError> {
    const NEWER: &str = "UPDATE case_orders SET run_seq = $2 WHERE digest = $1";
    const INSERT: &str = "INSERT INTO case_orders (digest, run_seq, size, cases) VALUES ($1, $2, $3, $4)";
    const SIZES: &str = "SELECT run_seq, size FROM case_orders ORDER BY run_seq DESC";
    let digest = Value::from(number(order.digest));
    if tx.execute(NEWER, &[digest, order.run_seq.into()])? > 0 {
        return Ok(());
    }
    let bytes: Vec<u8> = order.cases.iter().flat_map(|case| case.to_le_bytes()).collect();
    let size = i64::try_from(order.cases.len()).unwrap_or(i64::MAX);
    tx.post(INSERT, &[digest, order.run_seq.into(), size.into(), Value::Bytes(&bytes)])?;
    let mut cases = 0_usize;
    for (count, mut row) in tx.query(SIZES, &[])?.into_iter().enumerate() {
        let (run_seq, size): (u32, u32) = (row.read()?, row.read()?);
        cases = cases.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        if count > 0 && (count >= max_orders || cases > max_cases) {
            return tx.post("DELETE FROM case_orders WHERE run_seq <= $1", &[run_seq.into()]);
        }
    }
    Ok(())
}

/// What had been changed when a run began, as text that only the engine reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRow {
    /// Number of the run.
    pub run_seq: u32,
    /// JSON.
    pub files: String,
    /// JSON; none in a copy.
    pub hunks: Option<String>,
}

/// What had been changed when runs began, without the changes themselves.
pub fn edited_files(tx: &mut Tx<'_>) -> Result<Vec<EditRow>, StoreError> {
    let rows = tx.query("SELECT run_seq, files, NULL FROM edits ORDER BY run_seq", &[])?;
    rows.into_iter().map(|mut row| edit(&mut row)).collect()
}

/// The same of one run, with the changes.
pub fn edits(tx: &mut Tx<'_>, run_seq: u32) -> Result<Option<EditRow>, StoreError> {
    let row = tx.query_first("SELECT run_seq, files, hunks FROM edits WHERE run_seq = $1", &[run_seq.into()])?;
    row.map(|mut row| edit(&mut row)).transpose()
}

/// Adds it, or replaces what another memory left under the number.
pub fn set_edits(tx: &mut Tx<'_>, row: &EditRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO edits (run_seq, files, hunks) VALUES ($1, $2, $3) \
                       ON CONFLICT (run_seq) DO UPDATE SET files = excluded.files, hunks = excluded.hunks";
    tx.post(SQL, &[row.run_seq.into(), (&row.files).into(), (&row.hunks).into()])
}

/// Deletes those of all runs but for which it holds.
pub fn keep_edits(tx: &mut Tx<'_>, is_kept: impl Fn(u32) -> bool) -> Result<(), StoreError> {
    let known: Vec<u32> =
        tx.query("SELECT run_seq FROM edits", &[])?.into_iter().map(|mut row| row.read()).collect::<Result<_, _>>()?;
    let gone = known.into_iter().filter(|seq| !is_kept(*seq));
    tx.execute_many("DELETE FROM edits WHERE run_seq = $1", gone.map(|seq| [seq.into()]))
}

fn edit(row: &mut Row) -> Result<EditRow, StoreError> {
    Ok(EditRow { run_seq: row.read()?, files: row.read()?, hunks: row.read()? })
}

fn test(row: &mut Row) -> Result<TestRow, StoreError> {
    let case: i64 = row.read()?;
    Ok(TestRow { case: case.cast_unsigned(), name: row.read()?, history: row.read()? })
}

/// Databases have no unsigned numbers: the same bits.
const fn number(hash: u64) -> i64 {
    hash.cast_signed()
}
