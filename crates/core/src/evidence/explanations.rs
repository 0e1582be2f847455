//! How likely each explanation makes what a test did, and how they are weighed against each other.

pub mod calibration;
pub mod code;
pub mod environment;
pub mod flakiness;
pub mod outage;
pub mod urn;
pub mod weigh;
