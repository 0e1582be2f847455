//! Decides whether two failures are the same: by their signatures, and for a test with two similar texts word by word.

pub mod case_name;
pub mod message_values;
pub mod sign;
pub mod similarity;
pub mod text_comparison;
pub mod wording;
