//! Commits that Argus learned on a person's request because their messages look like fixes. Stores what each commit
//! touched, and finds the commits that are hints for a failure. No run proved them. Only names of files and symbols
//! are stored, no code.

use super::failure_facts::names_of_changed;
use crate::{
    Engine, EngineError,
    contract::{
        ChangedBecause, ChangedBefore, ChangedSource, CommitDiff, LearnCommitsParams, LearnedCommits, LikelyFixes,
        LikelyFixesParams,
    },
    limits,
    runs::{case_name::SEPARATOR, cause::FailureSight},
};
use argus_core::{
    Ambient,
    change::{
        message::{judge_message, reverted_commit},
        mined::{MinedFix, Touched, mined},
    },
    evidence::facts::fingerprint,
    fix_loop::weakened_in_hunks,
    stable_sort::StableSort,
};
use argus_store::{
    Tx,
    fix_commits::{self, FixCommit},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum bytes of a commit's diff.
const MAX_DIFF_BYTES: usize = 512 * 1024;

/// Maximum number of commits for each clue, newest first.
const MAX_FOUND: u32 = 6;

/// Maximum number of commits in an answer.
const MAX_OFFERED: usize = 6;

/// Maximum number of fixes that touched a test file. If there are more, the file is not a clue to any of them.
const MAX_OF_FILE: usize = 2;

/// Maximum number of files of a commit in an answer, and of symbols of each file.
const MAX_SHOWN_FILES: usize = 3;
const MAX_SHOWN_SYMBOLS: usize = 4;
const MAX_PATH_BYTES: usize = 160;

/// Returns the commits whose messages look like fixes, without reverted and already learned commits.
pub fn likely_fixes(
    engine: &Engine,
    ambient: &Ambient,
    params: &LikelyFixesParams,
) -> Result<LikelyFixes, EngineError> {
    let known: HashSet<String> =
        engine.read(ambient, |tx: &mut Tx<'_>| Ok(fix_commits::ids(tx)?))?.into_iter().collect();
    let reverted: Vec<&str> = params.commits.iter().filter_map(|one| reverted_commit(&one.message)).collect();
    let is_reverted = |commit: &str| reverted.iter().any(|other| commit.starts_with(other));
    let fixes = params.commits.iter().filter(|one| judge_message(&one.message).is_fix && !is_reverted(&one.commit));
    let (known, new): (Vec<_>, Vec<_>) = fixes.map(|one| one.commit.clone()).partition(|commit| known.contains(commit));
    Ok(LikelyFixes { commits: new, known: u32::try_from(known.len()).unwrap_or(u32::MAX) })
}

/// Stores what commits touched, each commit once. Commits that did not change both a test and a source are skipped.
pub fn learn_commits(
    engine: &Engine,
    ambient: &Ambient,
    params: &LearnCommitsParams,
) -> Result<LearnedCommits, EngineError> {
    let read: Vec<(FixCommit, BTreeSet<u64>)> =
        params.commits.iter().filter_map(|commit| learned(engine, commit)).collect();
    let body = |tx: &mut Tx<'_>| -> Result<u32, EngineError> {
        let mut count = 0;
        for (commit, clues) in &read {
            let clues: Vec<u64> = clues.iter().copied().collect();
            count += u32::from(fix_commits::add(tx, commit, &clues)?);
        }
        fix_commits::keep_newest(tx, limits::MAX_FIX_COMMITS)?;
        Ok(count)
    };
    Ok(LearnedCommits { learned: engine.write(ambient, body)? })
}

/// Returns the stored form of a commit, and the clues by which it is found.
fn learned(engine: &Engine, commit: &CommitDiff) -> Option<(FixCommit, BTreeSet<u64>)> {
    if !is_hash(&commit.commit) || commit.diff.len() > MAX_DIFF_BYTES {
        return None;
    }
    let MinedFix { tests, sources } = mined(&commit.diff)?;
    if !weakened_in_hunks(&commit.diff).is_empty() {
        return None;
    }
    let may_be_said = |file: &str| is_plain_path(file) && *engine.analyzer.redact(file) == *file;
    let sources: Vec<Touched> = sources.into_iter().filter(|source| may_be_said(&source.file)).collect();
    if sources.is_empty() {
        return None;
    }
    let mut clues = BTreeSet::new();
    for Touched { file, names } in &tests {
        for file in names_of_changed(file) {
            clues.insert(file_clue(file));
            clues.extend(names.iter().map(|title| title_clue(file, title)));
        }
    }
    for Touched { file, names } in &sources {
        for file in names_of_changed(file) {
            clues.extend(names.iter().map(|symbol| symbol_clue(file, symbol)));
        }
    }
    let commit = FixCommit {
        key: fingerprint(&commit.commit),
        commit: commit.commit.clone(),
        committed_at: commit.committed_at,
        sources: serde_json::to_string(&sources).ok()?,
    };
    Some((commit, clues))
}

/// The location of a failure.
pub(crate) struct FailedAt<'a> {
    pub(crate) case_name: &'a str,
    /// File of the innermost stack frame in the project's own code.
    pub(crate) file: Option<&'a str>,
    pub(crate) function: Option<&'a str>,
}

impl<'a> FailedAt<'a> {
    pub(crate) fn of(case_name: &'a str, sight: &'a FailureSight) -> Self {
        let own = sight.own.as_ref();
        Self {
            case_name,
            file: own.map(|place| place.file.as_str()),
            function: own.and_then(|place| place.function.as_deref()),
        }
    }
}

/// Returns for each failure the learned commits that changed its test or its function, most likely first. The shared
/// database of a team has none, because learned commits stay on the machine that learned them.
pub(crate) fn changed_before(
    engine: &Engine,
    tx: &mut Tx<'_>,
    failures: &[FailedAt<'_>],
) -> Result<Vec<Vec<ChangedBefore>>, EngineError> {
    if engine.database.is_shared() || failures.is_empty() {
        return Ok(failures.iter().map(|_| Vec::new()).collect());
    }
    let clues: Vec<[u64; 3]> = failures.iter().map(clues_of).collect();
    let mut found = fix_commits::found_by(tx, clues.as_flattened(), MAX_FOUND)?.into_iter();
    let mut next = || found.next().unwrap_or_default();
    Ok(failures.iter().map(|failure| ranked(failure, [next(), next(), next()])).collect())
}

fn clues_of(failure: &FailedAt<'_>) -> [u64; 3] {
    let (file, title) = test_of(failure.case_name);
    let symbol = symbol_clue(failure.file.unwrap_or_default(), failure.function.map(last_name).unwrap_or_default());
    [title_clue(file, title), symbol, file_clue(file)]
}

fn ranked(failure: &FailedAt<'_>, [by_title, by_symbol, by_file]: [Vec<FixCommit>; 3]) -> Vec<ChangedBefore> {
    let is_rare = by_file.len() <= MAX_OF_FILE;
    let mut all: BTreeMap<u64, (ChangedBecause, FixCommit)> = BTreeMap::new();
    for commit in by_file {
        let touched = sources_of(&commit);
        let is_place = touched.iter().any(|source| Some(source.file.as_str()) == failure.file);
        if is_place || is_rare && failure.file.is_none() {
            all.insert(commit.key, (ChangedBecause::TestFile, commit));
        }
    }
    for commit in by_symbol {
        all.insert(commit.key, (ChangedBecause::Symbol, commit));
    }
    for commit in by_title {
        let is_both = all.get(&commit.key).is_some_and(|(because, _)| *because == ChangedBecause::Symbol);
        let because = if is_both { ChangedBecause::TestAndSymbol } else { ChangedBecause::Test };
        all.insert(commit.key, (because, commit));
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.stable_sort_by(|(a, newer), (b, older)| {
        a.cmp(b).then(older.committed_at.cmp(&newer.committed_at)).then(newer.key.cmp(&older.key))
    });
    // The host removes some of these commits, because only the host knows which commits are on the branch.
    all.iter().take(MAX_OFFERED).map(|(because, commit)| shown(failure, *because, commit)).collect()
}

/// Converts a commit for an answer. The file of the failure comes first.
fn shown(failure: &FailedAt<'_>, because: ChangedBecause, commit: &FixCommit) -> ChangedBefore {
    let mut sources = sources_of(commit);
    sources.stable_sort_by_key(|source| Some(source.file.as_str()) != failure.file);
    let function = failure.function.map(last_name);
    let source = |Touched { file, mut names }: Touched| {
        names.stable_sort_by_key(|name| Some(name.as_str()) != function);
        names.truncate(MAX_SHOWN_SYMBOLS);
        ChangedSource { file, symbols: names }
    };
    ChangedBefore {
        commit: commit.commit.clone(),
        because,
        sources: sources.into_iter().take(MAX_SHOWN_FILES).map(source).collect(),
    }
}

fn sources_of(commit: &FixCommit) -> Vec<Touched> {
    serde_json::from_str(&commit.sources).unwrap_or_default()
}

/// Returns the file of a case and its title.
fn test_of(case_name: &str) -> (&str, &str) {
    let (file, rest) = case_name.split_once(SEPARATOR).unwrap_or((case_name, ""));
    (file, rest.rsplit(SEPARATOR).next().unwrap_or_default())
}

/// Normalizes a title for comparisons, because runners append parameters to declared titles, for example `adds[1-2]`
/// or `TestAdds/small`.
fn plain_title(title: &str) -> String {
    let with_parameters = title.split_once('[').filter(|(name, rest)| !name.trim().is_empty() && rest.ends_with(']'));
    let title = with_parameters.map_or(title, |(name, _)| name);
    // Go appends the name of a subtest after a slash, with `_` for blanks.
    let title = title.split_once('/').filter(|(name, _)| name.starts_with("Test")).map_or(title, |(name, _)| name);
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the last name of a function, for example `total` for `cart::Cart::total::{{closure}}`, `Total` for
/// `(*Cart).Total`, and `Cart` for `new Cart`.
fn last_name(function: &str) -> &str {
    let is_no_name = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$');
    let function = function.trim_end_matches("::{{closure}}").trim_end_matches(is_no_name);
    function.rsplit(is_no_name).next().unwrap_or_default()
}

fn file_clue(file: &str) -> u64 {
    fingerprint(&format!("test file\n{file}"))
}

fn title_clue(file: &str, title: &str) -> u64 {
    fingerprint(&format!("test\n{file}\n{}", plain_title(title)))
}

fn symbol_clue(file: &str, symbol: &str) -> u64 {
    fingerprint(&format!("symbol\n{file}\n{symbol}"))
}

fn is_hash(commit: &str) -> bool {
    matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns `true` if a path may be shown to agents. It must not contain blanks, because a file name could otherwise
/// contain an instruction.
fn is_plain_path(file: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@+,./-$[]()".contains(&byte);
    file.len() <= MAX_PATH_BYTES && file.bytes().all(is_plain)
}
