//! Calls that were made under a name of their own, so that none is made twice.
//! What they answered is not kept.

use crate::{Tx, error::StoreError};

/// The newest that stay, by the order in which they were made: a clock may be wrong. Nobody repeats an older one.
const MAX_KEPT_CALLS: i64 = 20_000;

/// Marks a call as made, in the transaction that makes it; false where it was made before.
pub async fn mark_made(tx: &mut impl Tx, id: &str) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO calls (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key";
    let Some(mut row) = tx.query_first(SQL, &[id.into()]).await? else { return Ok(false) };
    let key: i64 = row.read()?;
    tx.execute("DELETE FROM calls WHERE key <= $1", &[(key - MAX_KEPT_CALLS).into()]).await?;
    Ok(true)
}
