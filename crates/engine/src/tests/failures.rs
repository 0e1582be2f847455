//! Recognizing, diagnosing and fixing failures.

mod answering;
mod diagnosing;
mod fixing;
mod proving;
mod recognising;
mod suggesting;
