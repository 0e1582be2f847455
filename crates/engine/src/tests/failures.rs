//! Recognizing, diagnosing and fixing failures.

mod answering;
mod diagnosing;
mod fixing;
mod matching;
mod proving;
mod suggesting;
