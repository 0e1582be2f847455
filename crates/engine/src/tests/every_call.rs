//! What holds whichever call is made: counts, secrets, what a bad database does, and how often it is asked.

mod counting;
mod faults;
mod secrets;
mod statements;
