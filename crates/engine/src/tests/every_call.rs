//! What holds whichever call is made: counts, secrets, what a bad database does, and what a call costs.

mod counting;
mod faults;
mod once;
mod round_trips;
mod secrets;
mod statements;
