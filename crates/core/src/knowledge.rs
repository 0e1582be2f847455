//! What is known about failures: the built-in patterns, how sure a fix is, which solution comes first, where it worked,
//! and how a problem that was remembered is found. What is stored is in `argus-store`.

pub mod builtin;
pub mod confidence;
pub mod environment;
pub mod rank;
pub mod search;
