//! Computes the hash of an error. Two errors count as the same error if their hashes are equal. The hash covers the
//! error type, the failing tests, the files that a compiler reports, and the family signature, which ignores times,
//! ports, paths and line numbers.

use crate::{Analysis, identity::sign::sha256_hex, normalize::normalize};
use std::collections::BTreeSet;

/// Number of hex digits. Sixteen are enough to distinguish the few errors of a loop.
const HASH_HEX_DIGITS: usize = 16;
/// States between which a failing pod alternates. The messages about these states contain counts and ages that change
/// all the time.
const CHANGING_POD_STATES: [(&str, &str); 7] = [
    ("CrashLoopBackOff", "crash"),
    ("ImagePullBackOff", "image"),
    ("ErrImagePull", "image"),
    ("InvalidImageName", "image"),
    ("CreateContainerConfigError", "config"),
    ("CreateContainerError", "config"),
    ("RunContainerError", "start"),
];

/// The facts that identify an error.
pub(super) struct ErrorIdentity<'e> {
    pub(super) error_type: &'e str,
    /// True if the run exceeded its time limit.
    pub(super) timed_out: bool,
    /// True if the run stopped at a prompt.
    pub(super) stopped_at_prompt: bool,
    pub(super) failing_tests: &'e [String],
    /// Names of the files that a compiler reports, repeated for each location.
    pub(super) pointed: &'e [String],
    pub(super) analysis: &'e Analysis,
}

/// Computes the hash of an error.
///
/// All runs that exceeded the time limit have the same hash, whatever they printed. Runs that stopped at a prompt until
/// the time limit have another common hash.
pub(super) fn compute_error_hash(identity: &ErrorIdentity<'_>) -> String {
    let pod = CHANGING_POD_STATES.iter().find(|(state, _)| *state == identity.error_type);
    let text = match (identity.timed_out, identity.stopped_at_prompt, pod) {
        (true, true, _) => "timeout::ended at a prompt".to_owned(),
        (true, false, _) => "timeout::ended for time".to_owned(),
        (false, _, Some((_, kind))) => {
            format!("pod::{kind}::{}", find_pods_in_changing_states(&identity.analysis.redacted))
        }
        (false, _, None) => format!(
            "{}::{}::{}::{}",
            identity.error_type,
            identity.analysis.signatures.family,
            normalize_test_names(identity.failing_tests),
            join_file_names(identity.pointed)
        ),
    };
    let mut hash = sha256_hex(&text);
    hash.truncate(HASH_HEX_DIGITS);
    hash
}

/// Returns the names of the pods in one of [`CHANGING_POD_STATES`].
fn find_pods_in_changing_states(text: &str) -> String {
    let affected = |line: &&str| CHANGING_POD_STATES.iter().any(|(state, _)| line.contains(state));
    let named: BTreeSet<String> = text
        .lines()
        .filter(affected)
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| normalize(name).text)
        .collect();
    named.into_iter().collect::<Vec<_>>().join(",")
}

/// Returns the normalized names of the failing tests. The same message in other tests counts as another error, because
/// some of the earlier tests may be fixed. The names are normalized because the parameters of a test may change.
fn normalize_test_names(names: &[String]) -> String {
    let stable: BTreeSet<String> = names.iter().map(|name| normalize(&format!("in {name}")).text).collect();
    stable.into_iter().collect::<Vec<_>>().join(",")
}

/// Returns the files of the locations, with duplicates and without line numbers: fewer compiler errors are progress,
/// but moved lines are not.
fn join_file_names(files: &[String]) -> String {
    let mut stable: Vec<String> = files.iter().map(|file| normalize(file).text).collect();
    stable.sort_unstable();
    stable.join(",")
}
