//! Contains what Argus knows about failures: the built-in patterns, the confidence in a fix, the ranking of solutions,
//! environments, and the search for remembered problems. `argus-store` stores the data.

pub mod builtin;
pub mod confidence;
pub mod environment;
pub mod rank;
pub mod search;
