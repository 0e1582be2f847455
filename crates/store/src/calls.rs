//! Calls that were made under a name of their own, so that none is made twice.
//! Does not: keep what they answered.

use crate::{Tx, error::StoreError};

/// How long a call that was made before is known, in milliseconds. Nobody repeats an older one.
const KEPT_MS: i64 = 365 * 24 * 60 * 60 * 1000;

/// Claims one transaction of a call, in that transaction; false where it was made before. `step` counts the
/// transactions of the call.
pub async fn claim(tx: &mut impl Tx, id: &str, step: u32, now: i64) -> Result<bool, StoreError> {
    tx.execute("DELETE FROM calls WHERE made_at < $1", &[now.saturating_sub(KEPT_MS).into()]).await?;
    let insert = "INSERT INTO calls (id, step, made_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    Ok(tx.execute(insert, &[id.into(), step.into(), now.into()]).await? == 1)
}
