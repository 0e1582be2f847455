//! When two errors are the same: their type, what stays of their text when times, ports, paths and lines change, and
//! the tests that failed.
//! The text comes normalized; it is the engine's family signature.

use crate::{Analysis, identity::sign::sha256_hex, normalize::normalize};
use std::collections::BTreeSet;

/// Sixteen hex digits tell the few errors of a loop apart.
const HASH_HEX_DIGITS: usize = 16;
/// States that a pod goes back and forth between, with counts and ages that change all the time.
const POD_STATES: [(&str, &str); 7] = [
    ("CrashLoopBackOff", "crash"),
    ("ImagePullBackOff", "image"),
    ("ErrImagePull", "image"),
    ("InvalidImageName", "image"),
    ("CreateContainerConfigError", "config"),
    ("CreateContainerError", "config"),
    ("RunContainerError", "start"),
];

/// What an error's hash depends on.
pub(super) struct Identity<'e> {
    pub(super) error_type: &'e str,
    /// It was ended for time.
    pub(super) timed_out: bool,
    /// It stopped at a prompt.
    pub(super) waits: bool,
    pub(super) failing_tests: &'e [String],
    /// Names of the files a compiler points to, once for each place.
    pub(super) pointed: &'e [String],
    pub(super) analysis: &'e Analysis,
}

/// Hash of an error.
///
/// A run that was ended for time is the same error however far its output came; one that stopped at a prompt is
/// another.
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

/// Which pods are in such a state.
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

/// The same message of other tests is another error: some may have been repaired. Parameters of a test may change.
fn tests(names: &[String]) -> String {
    let stable: BTreeSet<String> = names.iter().map(|name| normalize(&format!("in {name}")).text).collect();
    stable.into_iter().collect::<Vec<_>>().join(",")
}

/// Of three equal complaints of a compiler, one fewer is progress; in which lines they are is nothing.
fn places(files: &[String]) -> String {
    let mut stable: Vec<String> = files.iter().map(|file| normalize(file).text).collect();
    stable.sort_unstable();
    stable.join(",")
}
