//! Derives the error of a failed run from the output and from how the run ended: type, class, hash, location and
//! failing tests.

mod error_class;
mod error_hash;
mod error_type;
mod failing_tests;
pub(super) mod location;
pub(super) mod prompt;

use super::error::{FailedRun, FixError, TIMEOUT_EXIT_CODE};
use crate::{Analyzer, FailureEvent};
use error_hash::ErrorIdentity;

/// Derives the error of a failed run.
///
/// `redacted` is the redacted output. `salient` is the part of the output that describes the failure, or the whole
/// output if no part was selected.
pub fn understand(analyzer: &Analyzer, failure: &FailedRun, redacted: &str, salient: &str) -> FixError {
    let timed_out = failure.timed_out.unwrap_or_default();
    let event = FailureEvent {
        text: salient.to_owned(),
        exit_code: failure.exit_code,
        signal: failure.signal.clone(),
        container_status: failure.container_status.clone(),
        oom_killed: failure.oom_killed,
        ..FailureEvent::default()
    };
    let analysis = analyzer.analyze(event, "");
    let silent = timed_out || failure.exit_code == Some(TIMEOUT_EXIT_CODE);
    let prompt = failure.exit_code.and_then(|_| prompt::find_prompt(redacted, silent));
    let error_type = error_type::find_error_type(failure, &analysis);
    let (error_class, class_because) = error_class::classify_error(failure, &analysis);
    let failing_tests = failing_tests::find_failing_tests(redacted);
    let located = location::find_location(redacted);
    let error_hash = error_hash::compute_error_hash(&ErrorIdentity {
        error_type: &error_type,
        timed_out,
        stopped_at_prompt: prompt.is_some(),
        failing_tests: &failing_tests,
        pointed: &located.reported_files,
        analysis: &analysis,
    });
    FixError {
        error_type,
        error_class,
        class_because,
        category: analysis.classification.category,
        error_hash,
        headline: analysis.normalized.headline,
        location: located.location,
        frames: located.frames,
        failing_tests,
        waiting_for_input: prompt.is_some(),
        prompt,
        text: analysis.redacted,
        normalized: analysis.normalized.text,
        family_signature: analysis.signatures.family,
    }
}
