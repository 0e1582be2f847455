//! How a failure is recognised, diagnosed and fixed.

mod answering;
mod diagnosing;
mod fixing;
mod proving;
mod recognising;
mod suggesting;
