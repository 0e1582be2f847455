//! Decides whether two errors are the same. Their hash covers the error type, the text without times, ports, paths and
//! lines, and the failing tests. The normalized text enters as the family signature.

use crate::{Analysis, identity::sign::sha256_hex, normalize::normalize};
use std::collections::BTreeSet;

/// Number of hex digits. Sixteen are enough to distinguish the few errors of a loop.
const HASH_HEX_DIGITS: usize = 16;
/// States that a pod alternates between. Their messages contain counts and ages that change all the time.
const POD_STATES: [(&str, &str); 7] = [
    ("CrashLoopBackOff", "crash"),
    ("ImagePullBackOff", "image"),
    ("ErrImagePull", "image"),
    ("InvalidImageName", "image"),
    ("CreateContainerConfigError", "config"),
    ("CreateContainerError", "config"),
    ("RunContainerError", "start"),
];

/// Input of the hash of an error.
pub(super) struct Identity<'e> {
    pub(super) error_type: &'e str,
    /// The run exceeded its time limit.
    pub(super) timed_out: bool,
    /// The run stopped at a prompt.
    pub(super) waits: bool,
    pub(super) failing_tests: &'e [String],
    /// Names of the files that a compiler reports, repeated for each location.
    pub(super) pointed: &'e [String],
    pub(super) analysis: &'e Analysis,
}

/// Hash of an error.
///
/// A run that exceeded its time limit has the same hash whatever it printed, except that a run that stopped at a prompt
/// has another hash.
pub(super) fn error_hash(identity: &Identity<'_>) -> String {
    let pod = POD_STATES.iter().find(|(state, _)| *state == identity.error_type);
    let text = match (identity.timed_out, identity.waits, pod) {
        (true, true, _) => "timeout::ended at a prompt".to_owned(),
        (true, false, _) => "timeout::ended for time".to_owned(),
        (false, _, Some((_, kind))) => format!("pod::{kind}::{}", pods(&identity.analysis.redacted)),
        (false, _, None) => format!(
            "{}::{}::{}::{}",
            identity.error_type,
            identity.analysis.signatures.family,
            tests(identity.failing_tests),
            places(identity.pointed)
        ),
    };
    let mut hash = sha256_hex(&text);
    hash.truncate(HASH_HEX_DIGITS);
    hash
}

/// Names of the pods in such a state.
fn pods(text: &str) -> String {
    let affected = |line: &&str| POD_STATES.iter().any(|(state, _)| line.contains(state));
    let named: BTreeSet<String> = text
        .lines()
        .filter(affected)
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| normalize(name).text)
        .collect();
    named.into_iter().collect::<Vec<_>>().join(",")
}

/// Names of the failing tests. The same message with other tests is another error, because some tests may be fixed. The
/// names are normalized, because the parameters of a test may change.
fn tests(names: &[String]) -> String {
    let stable: BTreeSet<String> = names.iter().map(|name| normalize(&format!("in {name}")).text).collect();
    stable.into_iter().collect::<Vec<_>>().join(",")
}

/// Files of the locations, with duplicates and without lines. Fewer errors of a compiler are progress, but moved lines
/// are not.
fn places(files: &[String]) -> String {
    let mut stable: Vec<String> = files.iter().map(|file| normalize(file).text).collect();
    stable.sort_unstable();
    stable.join(",")
}
