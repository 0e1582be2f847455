//! Properties of every call: counts, secrets, and behavior with a bad database.

mod counting;
mod faults;
mod secrets;
