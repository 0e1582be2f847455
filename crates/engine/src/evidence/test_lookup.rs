//! Finds the test or the commit that a caller names in the recorded runs. On a miss the error lists similar names.

use super::{evidence_rows, test_positions};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::{message_text::quote, time_format::DAY_MS},
    failures::lookup::{MAX_COMPARED_NAMES, find_closest_names, list_names},
    runs::case_name::{CASE_NAME_SEPARATOR, clean_name},
};
use argus_core::{
    case_name::stabilize_case_name,
    evidence::{facts::case_id, stored_rows::memory::EvidenceMemory},
};
use argus_store::{
    Tx,
    runs::{
        self,
        commits::{self, CommitStart},
        test_results::{self, TestPosition},
    },
};

/// Note for a memory without runs.
pub(super) const NO_RUNS_NOTE: &str = "No run is recorded yet. Call argus_run first.";

/// Maximum number of newest runs that are searched for a part of a name, and of their cases in total.
const MAX_SEARCHED_RUNS: u32 = 20;
const MAX_SEARCHED_CASES: u32 = 60_000;

/// Number of newest runs whose orders are searched for a full name. At least one of them usually ran all tests.
const MAX_ORDERED_RUNS: u32 = 8;

/// Maximum number of matching names that are read, which is more than a message lists.
const MAX_MATCHES: u32 = 8;

/// Returns the full name of the wanted test: an exact match, otherwise the only test that ends with the wanted parts,
/// otherwise the only test that contains the text.
pub(super) fn find_test(
    engine: &Engine,
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    wanted: &str,
) -> Result<String, EngineError> {
    let wanted = clean_name(engine, wanted);
    if wanted.is_empty() {
        return Err(EngineError::invalid_input(
            "caseName is empty. argus_tests without it lists the tests that have ever failed.",
        ));
    }
    // Tests that failed before are found by an index, and callers mostly ask for these.
    if evidence_rows::load_names(tx, &[case_id(&wanted)])?
        .into_values()
        .any(|name| stabilize_case_name(&name) == stabilize_case_name(&wanted))
    {
        return Ok(wanted);
    }
    let places = test_positions::load(tx, memory, &wanted, MAX_ORDERED_RUNS)?;
    if places.values().any(|place| *place != TestPosition::Absent) {
        return Ok(wanted);
    }
    let since = oldest_searched_start(tx)?;
    let ending = format!("{CASE_NAME_SEPARATOR}{wanted}");
    let matches = test_results::list_names_containing(tx, since, &wanted, &ending, MAX_MATCHES)?;
    let ends: Vec<&String> = matches.iter().filter(|name| name.ends_with(&ending)).collect();
    match (matches.first(), ends.as_slice()) {
        (Some(first), _) if *first == wanted || matches.len() == 1 => Ok(first.clone()),
        (Some(_), [only]) => Ok((*only).clone()),
        (Some(_), _) => Err(ambiguous_name_error(&wanted, &matches)),
        // A test that never failed may exist only in older runs.
        (None, _) if !test_results::list_runs_of_test(tx, &wanted, &places, 1, 0)?.is_empty() => Ok(wanted),
        (None, _) => Err(unknown_name_error(&wanted, test_results::list_names(tx, since, MAX_COMPARED_NAMES)?)),
    }
}

/// Returns the start of the oldest run that is searched.
fn oldest_searched_start(tx: &mut Tx<'_>) -> Result<i64, EngineError> {
    let (mut since, mut cases) = (i64::MAX, 0_u32);
    for (_, run) in runs::list_newest(tx, MAX_SEARCHED_RUNS)? {
        cases = cases.saturating_add(run.passed + run.failed + run.skipped);
        if cases > MAX_SEARCHED_CASES && since < i64::MAX {
            break;
        }
        since = run.started_at;
    }
    Ok(since)
}

fn ambiguous_name_error(wanted: &str, matches: &[String]) -> EngineError {
    let message =
        format!("Several test names contain '{}'. Use a full name, such as {}.", quote(wanted), list_names(matches));
    EngineError::new(ErrorCode::CaseNotFound, message)
}

fn unknown_name_error(wanted: &str, known: Vec<String>) -> EngineError {
    let next = if known.is_empty() {
        NO_RUNS_NOTE.to_owned()
    } else {
        format!(
            "The closest names are {}; argus_history with a runId lists all names of a run.",
            list_names(&find_closest_names(wanted, known))
        )
    };
    EngineError::new(ErrorCode::CaseNotFound, format!("No recorded test is called '{}'. {next}", quote(wanted)))
}

/// Maximum number of commits in a message, and characters of each.
const MAX_NAMED_COMMITS: u32 = 5;
const SHORT_HASH_CHARS: usize = 12;

/// Number of characters that are shown in addition to an ambiguous prefix.
const EXTRA_HASH_CHARS: usize = 4;

/// Returns the recorded commit with this prefix, and the start of its runs.
pub(super) fn find_recorded_commit(tx: &mut Tx<'_>, wanted: &str) -> Result<(String, CommitStart), EngineError> {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Err(EngineError::invalid_input(
            "since is empty. Name the commit of a recorded run; argus_history lists the runs.",
        ));
    }
    let found = commits::list_with_prefix(tx, &wanted.to_ascii_lowercase(), MAX_NAMED_COMMITS + 1)?;
    match found.as_slice() {
        [] => Err(unknown_commit_error(tx, wanted)?),
        [only] => match commits::find_commit_start(tx, only)? {
            Some(start) => Ok((only.clone(), start)),
            None => Err(unknown_commit_error(tx, wanted)?),
        },
        several => {
            let message = format!(
                "Several recorded commits begin with '{}'. Use more characters of the hash: {}.",
                quote(wanted),
                join_short_hashes(several, SHORT_HASH_CHARS.max(wanted.len() + EXTRA_HASH_CHARS))
            );
            Err(EngineError::new(ErrorCode::RunNotFound, message))
        }
    }
}

fn unknown_commit_error(tx: &mut Tx<'_>, wanted: &str) -> Result<EngineError, EngineError> {
    let known = commits::list_with_prefix(tx, "", MAX_NAMED_COMMITS)?;
    let next = if !known.is_empty() {
        format!(
            "The newest recorded commits are {}; argus_history lists all runs.",
            join_short_hashes(&known, SHORT_HASH_CHARS)
        )
    } else if runs::list_newest_ids(tx, 1)?.is_empty() {
        NO_RUNS_NOTE.to_owned()
    } else {
        "The recorded runs have no commit. Commit your work, then call argus_run.".to_owned()
    };
    let message = format!("No run of commit '{}' is recorded. {next}", quote(wanted));
    Ok(EngineError::new(ErrorCode::RunNotFound, message))
}

fn join_short_hashes(commits: &[String], chars: usize) -> String {
    let named = commits.iter().take(MAX_NAMED_COMMITS as usize);
    named.map(|commit| commit.chars().take(chars).collect::<String>()).collect::<Vec<_>>().join(", ")
}

/// Returns a note if the newest of the compared runs is at least a day old.
pub(super) fn age_note(now: i64, started_at: i64) -> Option<String> {
    let days = now.saturating_sub(started_at) / DAY_MS;
    let ago = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
    (days > 0).then(|| format!("The newest of these runs is {ago} old; argus_run shows the current state."))
}
