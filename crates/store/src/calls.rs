//! Stores the id of each call, so that a repeated call is not made twice, and the answer to the call.

use crate::{Tx, error::StoreError};

/// Number of newest calls to keep. The order of insertion decides which calls are new, because a clock may be wrong. No
/// client repeats an older call.
const MAX_KEPT_CALLS: i64 = 20_000;

/// Number of newest calls whose answers are kept. A client repeats a call moments after it lost the answer, so older
/// answers are not needed.
const MAX_KEPT_ANSWERS: i64 = 2_000;

/// The answer to an earlier call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Name of the called method.
    pub method: String,
    /// The answer as JSON.
    pub answer: String,
}

/// The state of a call id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallState {
    /// No call with this id was made.
    NotMade,
    /// The call was made and its answer is kept.
    Answered(StoredAnswer),
    /// The call was made, but its answer was never kept or was deleted because it is too old.
    AnswerMissing,
}

/// Marks a call as made, in the transaction that makes it. Returns false if it was made before.
pub fn record_call(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO calls (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key";
    let Some(mut row) = tx.query_first(SQL, &[id.into()])? else { return Ok(false) };
    let key: i64 = row.read()?;
    tx.execute_deferred("DELETE FROM calls WHERE key <= $1", &[(key - MAX_KEPT_CALLS).into()])?;
    Ok(true)
}

/// Keeps the answer to a call, in the transaction that makes the call.
pub fn store_answer(tx: &mut Tx<'_>, id: &str, answered: &StoredAnswer) -> Result<(), StoreError> {
    const KEEP: &str = "INSERT INTO calls (id, method, answer) VALUES ($1, $2, $3)";
    const FORGET_ANSWERS: &str =
        "UPDATE calls SET answer = NULL WHERE key <= (SELECT MAX(key) FROM calls) - $1 AND answer IS NOT NULL";
    const FORGET: &str = "DELETE FROM calls WHERE key <= (SELECT MAX(key) FROM calls) - $1";
    tx.execute_deferred(KEEP, &[id.into(), (&answered.method).into(), (&answered.answer).into()])?;
    tx.execute_deferred(FORGET_ANSWERS, &[MAX_KEPT_ANSWERS.into()])?;
    tx.execute_deferred(FORGET, &[MAX_KEPT_CALLS.into()])
}

/// Looks up whether a call was made, and its answer.
pub fn read_state(tx: &mut Tx<'_>, id: &str) -> Result<CallState, StoreError> {
    const SQL: &str = "SELECT method, answer FROM calls WHERE id = $1";
    let Some(mut row) = tx.query_first(SQL, &[id.into()])? else { return Ok(CallState::NotMade) };
    Ok(match (row.read()?, row.read()?) {
        (Some(method), Some(answer)) => CallState::Answered(StoredAnswer { method, answer }),
        _ => CallState::AnswerMissing,
    })
}
