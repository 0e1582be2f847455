//! Computes the likelihood of a test's results for each explanation, and weighs the explanations.

pub mod calibration;
pub mod code;
pub mod environment;
pub mod flakiness;
pub mod outage;
pub mod urn;
pub mod weigh;
