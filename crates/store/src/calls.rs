//! Calls that were made under a name of their own, so that none is made twice, and what they answered.

use crate::{Tx, error::StoreError};

/// The newest that stay, by the order in which they were made: a clock may be wrong. Nobody repeats an older one.
const MAX_KEPT_CALLS: i64 = 20_000;

/// Of those, the newest whose answers stay. Who repeats a call has lost the answer a moment ago.
const MAX_KEPT_ANSWERS: i64 = 2_000;

/// What was answered to a call that was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The name of what was called.
    pub method: String,
    /// JSON.
    pub answer: String,
}

/// Whether a call was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was not.
    Not,
    /// It answered this.
    Answered(Answered),
    /// Its answer was not kept, or so long ago that nobody can be waiting for it.
    Forgotten,
}

/// Marks a call as made, in the transaction that makes it; false where it was made before.
pub fn mark_made(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO calls (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key";
    let Some(mut row) = tx.query_first(SQL, &[id.into()])? else { return Ok(false) };
    let key: i64 = row.read()?;
    tx.post("DELETE FROM calls WHERE key <= $1", &[(key - MAX_KEPT_CALLS).into()])?;
    Ok(true)
}

/// Keeps what a call answered, in the transaction that makes it.
pub fn keep_answer(tx: &mut Tx<'_>, id: &str, answered: &Answered) -> Result<(), StoreError> {
    const KEEP: &str = "INSERT INTO calls (id, method, answer) VALUES ($1, $2, $3)";
    const FORGET_ANSWERS: &str =
        "UPDATE calls SET answer = NULL WHERE key <= (SELECT MAX(key) FROM calls) - $1 AND answer IS NOT NULL";
    const FORGET: &str = "DELETE FROM calls WHERE key <= (SELECT MAX(key) FROM calls) - $1";
    tx.post(KEEP, &[id.into(), (&answered.method).into(), (&answered.answer).into()])?;
    tx.post(FORGET_ANSWERS, &[MAX_KEPT_ANSWERS.into()])?;
    tx.post(FORGET, &[MAX_KEPT_CALLS.into()])
}

/// Whether a call was made, and what it answered.
pub fn made(tx: &mut Tx<'_>, id: &str) -> Result<Made, StoreError> {
    const SQL: &str = "SELECT method, answer FROM calls WHERE id = $1";
    let Some(mut row) = tx.query_first(SQL, &[id.into()])? else { return Ok(Made::Not) };
    Ok(match (row.read()?, row.read()?) {
        (Some(method), Some(answer)) => Made::Answered(Answered { method, answer }),
        _ => Made::Forgotten,
    })
}
