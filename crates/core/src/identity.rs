//! Decides whether two failures are the same: equal failures share a signature, and similar texts of one test are
//! compared word by word.

pub mod alike;
pub mod sign;
pub mod similarity;
pub mod values;
pub mod wording;
