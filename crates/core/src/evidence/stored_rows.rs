//! Bounded rows that each run updates. Verdicts use no other data.

pub mod causes;
mod commit_order;
pub mod failure_traits;
pub mod fixes;
pub mod history;
pub mod memory;
pub mod order;
pub mod record;
pub mod window;
