//! The debug memory: one file per tool, and shared helpers. `argus_core` computes rankings, environments and
//! similarity.

mod database_role;
mod environment;
pub mod exchange;
pub mod finding;
mod id_lookup;
pub(crate) mod input_cleaning;
mod next_action_texts;
pub mod recording;
mod search_index;
