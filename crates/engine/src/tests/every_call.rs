//! What holds whichever call is made: counts, secrets, and what a bad database does.

mod counting;
mod faults;
mod secrets;
