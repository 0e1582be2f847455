//! Finds the test or the commit that a caller names in the recorded runs. On a miss the error lists similar names.

use super::{places, rows};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::{moment::DAY_MS, text::quoted},
    failures::lookup::{MAX_COMPARED_NAMES, closest, list_names},
    runs::case_name::{SEPARATOR, clean_name},
};
use argus_core::evidence::{facts::fingerprint, kept::memory::Memory};
use argus_store::{
    Tx,
    runs::{
        self,
        commits::{self, CommitStart},
        test_runs::{self, TestPlace},
    },
};

/// Note for a memory without runs.
pub(super) const NOTHING_RECORDED: &str = "No run is recorded yet; argus_run records one.";

/// Maximum number of newest runs that are searched for a part of a name, and of their cases in total.
const MAX_SEARCHED_RUNS: u32 = 20;
const MAX_SEARCHED_CASES: u32 = 60_000;

/// Number of newest runs whose orders are searched for a full name. At least one of them usually ran all tests.
const NEWEST_RUNS: u32 = 8;

/// Maximum number of matching names that are read, which is more than a message lists.
const MAX_FITTING: u32 = 8;

/// Returns the full name of the wanted test: an exact match, otherwise the only test that ends with the wanted parts,
/// otherwise the only test that contains the text.
pub(super) fn find_test(
    engine: &Engine,
    tx: &mut Tx<'_>,
    memory: &Memory,
    wanted: &str,
) -> Result<String, EngineError> {
    let wanted = clean_name(engine, wanted);
    if wanted.is_empty() {
        return Err(EngineError::invalid(
            "caseName is empty. argus_tests without it lists the tests that failed once.",
        ));
    }
    // Tests that failed before are found by an index, and callers mostly ask for these.
    if rows::names(tx, &[fingerprint(&wanted)])?.into_values().any(|name| name == wanted) {
        return Ok(wanted);
    }
    let places = places::load(tx, memory, &wanted, NEWEST_RUNS)?;
    if places.values().any(|place| *place != TestPlace::Absent) {
        return Ok(wanted);
    }
    let since = searched_since(tx)?;
    let ending = format!("{SEPARATOR}{wanted}");
    let fitting = test_runs::names_with(tx, since, &wanted, &ending, MAX_FITTING)?;
    let ends: Vec<&String> = fitting.iter().filter(|name| name.ends_with(&ending)).collect();
    match (fitting.first(), ends.as_slice()) {
        (Some(first), _) if *first == wanted || fitting.len() == 1 => Ok(first.clone()),
        (Some(_), [only]) => Ok((*only).clone()),
        (Some(_), _) => Err(ambiguous(&wanted, &fitting)),
        // A test that never failed may exist only in older runs.
        (None, _) if !test_runs::of_test(tx, &wanted, &places, 1, 0)?.is_empty() => Ok(wanted),
        (None, _) => Err(not_found(&wanted, test_runs::names(tx, since, MAX_COMPARED_NAMES)?)),
    }
}

/// Returns the start of the oldest run that is searched.
fn searched_since(tx: &mut Tx<'_>) -> Result<i64, EngineError> {
    let (mut since, mut cases) = (i64::MAX, 0_u32);
    for (_, run) in runs::newest(tx, MAX_SEARCHED_RUNS)? {
        cases = cases.saturating_add(run.passed + run.failed + run.skipped);
        if cases > MAX_SEARCHED_CASES && since < i64::MAX {
            break;
        }
        since = run.started_at;
    }
    Ok(since)
}

fn ambiguous(wanted: &str, fitting: &[String]) -> EngineError {
    let message = format!(
        "'{}' is in the names of several tests. Use one of the full names, such as {}.",
        quoted(wanted),
        list_names(fitting)
    );
    EngineError::new(ErrorCode::CaseNotFound, message)
}

fn not_found(wanted: &str, known: Vec<String>) -> EngineError {
    let next = if known.is_empty() {
        NOTHING_RECORDED.to_owned()
    } else {
        format!(
            "The closest names are {}; argus_history with a runId lists all of a run.",
            list_names(&closest(wanted, known))
        )
    };
    EngineError::new(ErrorCode::CaseNotFound, format!("No recorded test is called '{}'. {next}", quoted(wanted)))
}

/// Maximum number of commits in a message, and characters of each.
const MAX_NAMED_COMMITS: u32 = 5;
const SHORT_HASH_CHARS: usize = 12;

/// Number of characters that are shown in addition to an ambiguous prefix.
const MORE_HASH_CHARS: usize = 4;

/// Returns the recorded commit with this prefix, and the start of its runs.
pub(super) fn recorded_commit(tx: &mut Tx<'_>, wanted: &str) -> Result<(String, CommitStart), EngineError> {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Err(EngineError::invalid(
            "since is empty. Name the commit of a recorded run; argus_history lists them.",
        ));
    }
    let found = commits::commits_with_prefix(tx, &wanted.to_ascii_lowercase(), MAX_NAMED_COMMITS + 1)?;
    match found.as_slice() {
        [] => Err(unknown_commit(tx, wanted)?),
        [only] => match commits::commit_start(tx, only)? {
            Some(start) => Ok((only.clone(), start)),
            None => Err(unknown_commit(tx, wanted)?),
        },
        several => {
            let message = format!(
                "Several recorded commits begin with '{}'. Use more of the hash: {}.",
                quoted(wanted),
                short_hashes(several, SHORT_HASH_CHARS.max(wanted.len() + MORE_HASH_CHARS))
            );
            Err(EngineError::new(ErrorCode::RunNotFound, message))
        }
    }
}

fn unknown_commit(tx: &mut Tx<'_>, wanted: &str) -> Result<EngineError, EngineError> {
    let known = commits::commits_with_prefix(tx, "", MAX_NAMED_COMMITS)?;
    let next = if !known.is_empty() {
        format!(
            "The newest recorded commits are {}; argus_history lists all runs.",
            short_hashes(&known, SHORT_HASH_CHARS)
        )
    } else if runs::newest_ids(tx, 1)?.is_empty() {
        NOTHING_RECORDED.to_owned()
    } else {
        "The recorded runs have no commit: commit the work, and argus_run records it.".to_owned()
    };
    let message = format!("No recorded run is of commit '{}'. {next}", quoted(wanted));
    Ok(EngineError::new(ErrorCode::RunNotFound, message))
}

fn short_hashes(commits: &[String], chars: usize) -> String {
    let named = commits.iter().take(MAX_NAMED_COMMITS as usize);
    named.map(|commit| commit.chars().take(chars).collect::<String>()).collect::<Vec<_>>().join(", ")
}

/// Returns a note if the newest of the compared runs is at least a day old.
pub(super) fn age_note(now: i64, started_at: i64) -> Option<String> {
    let days = now.saturating_sub(started_at) / DAY_MS;
    let ago = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
    (days > 0).then(|| format!("The newest of these runs is {ago} old; argus_run says how it is now."))
}
