//! Rows that each run changes and that do not grow: all that verdicts look back on.

pub mod causes;
mod commit_order;
pub mod fixes;
pub mod history;
pub mod memory;
pub mod order;
pub mod record;
pub mod traits;
pub mod window;
