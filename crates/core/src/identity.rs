//! Decides whether two failures are the same: by their signatures, and for a test with two similar texts word by word.

pub mod alike;
pub mod case_name;
pub mod sign;
pub mod similarity;
pub mod values;
pub mod wording;
