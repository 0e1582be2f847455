//! Whether two failures are the same one: signatures for those that are equal, likeness for those that are said otherwise.

pub mod alike;
pub mod sign;
pub mod similarity;
pub mod values;
pub mod wording;
