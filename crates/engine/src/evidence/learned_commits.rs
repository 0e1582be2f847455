//! Commits that Argus learned on a person's request because their messages look like fixes. Stores what each commit
//! touched, and finds the commits that are hints for a failure. No run proved them. Only names of files and symbols
//! are stored, no code.

use super::changed_files::changed_file_names;
use crate::{
    Engine, EngineError,
    contract::{
        ChangedSource, CommitDiff, CommitRelation, LearnCommitsParams, LearnCommitsResult, LikelyFixesParams,
        LikelyFixesResult, RelatedCommit,
    },
    limits,
    runs::{case_name::CASE_NAME_SEPARATOR, cause::FailureSummary},
};
use argus_core::{
    CallContext,
    change::{
        commit_message::{find_reverted_commit, judge_message},
        mined_fix::{MinedFix, TouchedFile, mine_fix},
    },
    evidence::facts::fingerprint,
    fix_loop::find_weakenings_in_hunks,
    stable_sort::StableSort,
};
use argus_store::{
    Tx,
    fix_commits::{self, FixCommit},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum bytes of a commit's diff.
const MAX_DIFF_BYTES: usize = 512 * 1024;

/// Maximum number of commits for each fingerprint, newest first.
const MAX_COMMITS_PER_FINGERPRINT: u32 = 6;

/// Maximum number of commits in an answer.
const MAX_RELATED_COMMITS: usize = 6;

/// Maximum number of fixes that touched a test file. If there are more, the file does not identify any of them.
const MAX_FIXES_OF_TEST_FILE: usize = 2;

/// Maximum number of files of a commit in an answer, and of symbols of each file.
const MAX_SHOWN_FILES: usize = 3;
const MAX_SHOWN_SYMBOLS: usize = 4;
const MAX_PATH_BYTES: usize = 160;

/// Returns the commits whose messages look like fixes, without reverted and already learned commits.
pub fn likely_fixes(
    engine: &Engine,
    context: &CallContext,
    params: &LikelyFixesParams,
) -> Result<LikelyFixesResult, EngineError> {
    let known: HashSet<String> =
        engine.read(context, |tx: &mut Tx<'_>| Ok(fix_commits::list_ids(tx)?))?.into_iter().collect();
    let reverted: Vec<&str> = params.commits.iter().filter_map(|one| find_reverted_commit(&one.message)).collect();
    let is_reverted = |commit: &str| reverted.iter().any(|other| commit.starts_with(other));
    let fixes = params.commits.iter().filter(|one| judge_message(&one.message).is_fix && !is_reverted(&one.commit));
    let (known, new): (Vec<_>, Vec<_>) = fixes.map(|one| one.commit.clone()).partition(|commit| known.contains(commit));
    Ok(LikelyFixesResult { commits: new, known: u32::try_from(known.len()).unwrap_or(u32::MAX) })
}

/// Stores what commits touched, each commit once. Commits that did not change both a test and a source are skipped.
pub fn learn_commits(
    engine: &Engine,
    context: &CallContext,
    params: &LearnCommitsParams,
) -> Result<LearnCommitsResult, EngineError> {
    let read: Vec<(FixCommit, BTreeSet<u64>)> =
        params.commits.iter().filter_map(|commit| read_fix_commit(engine, commit)).collect();
    let body = |tx: &mut Tx<'_>| -> Result<u32, EngineError> {
        let mut count = 0;
        for (commit, fingerprints) in &read {
            let fingerprints: Vec<u64> = fingerprints.iter().copied().collect();
            count += u32::from(fix_commits::add(tx, commit, &fingerprints)?);
        }
        fix_commits::delete_oldest_commits(tx, limits::MAX_FIX_COMMITS)?;
        Ok(count)
    };
    Ok(LearnCommitsResult { learned: engine.write(context, body)? })
}

/// Returns the stored form of a commit, and the fingerprints by which it is found.
fn read_fix_commit(engine: &Engine, commit: &CommitDiff) -> Option<(FixCommit, BTreeSet<u64>)> {
    if !is_hash(&commit.commit) || commit.diff.len() > MAX_DIFF_BYTES {
        return None;
    }
    let MinedFix { tests, sources } = mine_fix(&commit.diff)?;
    if !find_weakenings_in_hunks(&commit.diff).is_empty() {
        return None;
    }
    let is_safe_path = |file: &str| is_plain_path(file) && *engine.analyzer.redact(file) == *file;
    let sources: Vec<TouchedFile> = sources.into_iter().filter(|source| is_safe_path(&source.file)).collect();
    if sources.is_empty() {
        return None;
    }
    let mut fingerprints = BTreeSet::new();
    for TouchedFile { file, names } in &tests {
        for file in changed_file_names(file) {
            fingerprints.insert(file_fingerprint(file));
            fingerprints.extend(names.iter().map(|title| title_fingerprint(file, title)));
        }
    }
    for TouchedFile { file, names } in &sources {
        for file in changed_file_names(file) {
            fingerprints.extend(names.iter().map(|symbol| symbol_fingerprint(file, symbol)));
        }
    }
    let commit = FixCommit {
        key: fingerprint(&commit.commit),
        commit: commit.commit.clone(),
        committed_at: commit.committed_at,
        sources: serde_json::to_string(&sources).ok()?,
    };
    Some((commit, fingerprints))
}

/// The location of a failure.
pub(crate) struct FailureLocation<'a> {
    pub(crate) case_name: &'a str,
    /// File of the innermost stack frame in the project's own code.
    pub(crate) file: Option<&'a str>,
    pub(crate) function: Option<&'a str>,
}

impl<'a> FailureLocation<'a> {
    pub(crate) fn from_summary(case_name: &'a str, summary: &'a FailureSummary) -> Self {
        let own = summary.own_location.as_ref();
        Self {
            case_name,
            file: own.map(|place| place.file.as_str()),
            function: own.and_then(|place| place.function.as_deref()),
        }
    }
}

/// Returns for each failure the learned commits that changed its test or its function, most likely first. The shared
/// database of a team has none, because learned commits stay on the machine that learned them.
pub(crate) fn find_related_commits(
    engine: &Engine,
    tx: &mut Tx<'_>,
    failures: &[FailureLocation<'_>],
) -> Result<Vec<Vec<RelatedCommit>>, EngineError> {
    if engine.database.is_shared() || failures.is_empty() {
        return Ok(failures.iter().map(|_| Vec::new()).collect());
    }
    let fingerprints: Vec<[u64; 3]> = failures.iter().map(failure_fingerprints).collect();
    let mut found =
        fix_commits::find_by_clues(tx, fingerprints.as_flattened(), MAX_COMMITS_PER_FINGERPRINT)?.into_iter();
    let mut next = || found.next().unwrap_or_default();
    Ok(failures.iter().map(|failure| rank_commits(failure, [next(), next(), next()])).collect())
}

fn failure_fingerprints(failure: &FailureLocation<'_>) -> [u64; 3] {
    let (file, title) = split_case_name(failure.case_name);
    let symbol =
        symbol_fingerprint(failure.file.unwrap_or_default(), failure.function.map(last_name).unwrap_or_default());
    [title_fingerprint(file, title), symbol, file_fingerprint(file)]
}

fn rank_commits(
    failure: &FailureLocation<'_>,
    [by_title, by_symbol, by_file]: [Vec<FixCommit>; 3],
) -> Vec<RelatedCommit> {
    let is_rare = by_file.len() <= MAX_FIXES_OF_TEST_FILE;
    let mut all: BTreeMap<u64, (CommitRelation, FixCommit)> = BTreeMap::new();
    for commit in by_file {
        let touched = parse_sources(&commit);
        let is_place = touched.iter().any(|source| Some(source.file.as_str()) == failure.file);
        if is_place || is_rare && failure.file.is_none() {
            all.insert(commit.key, (CommitRelation::TestFile, commit));
        }
    }
    for commit in by_symbol {
        all.insert(commit.key, (CommitRelation::Symbol, commit));
    }
    for commit in by_title {
        let is_both = all.get(&commit.key).is_some_and(|(because, _)| *because == CommitRelation::Symbol);
        let because = if is_both { CommitRelation::TestAndSymbol } else { CommitRelation::Test };
        all.insert(commit.key, (because, commit));
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.stable_sort_by(|(a, newer), (b, older)| {
        a.cmp(b).then(older.committed_at.cmp(&newer.committed_at)).then(newer.key.cmp(&older.key))
    });
    // The host removes some of these commits, because only the host knows which commits are on the branch.
    all.iter().take(MAX_RELATED_COMMITS).map(|(because, commit)| convert_commit(failure, *because, commit)).collect()
}

/// Converts a commit for an answer. The file of the failure comes first.
fn convert_commit(failure: &FailureLocation<'_>, because: CommitRelation, commit: &FixCommit) -> RelatedCommit {
    let mut sources = parse_sources(commit);
    sources.stable_sort_by_key(|source| Some(source.file.as_str()) != failure.file);
    let function = failure.function.map(last_name);
    let source = |TouchedFile { file, mut names }: TouchedFile| {
        names.stable_sort_by_key(|name| Some(name.as_str()) != function);
        names.truncate(MAX_SHOWN_SYMBOLS);
        ChangedSource { file, symbols: names }
    };
    RelatedCommit {
        commit: commit.commit.clone(),
        because,
        sources: sources.into_iter().take(MAX_SHOWN_FILES).map(source).collect(),
    }
}

fn parse_sources(commit: &FixCommit) -> Vec<TouchedFile> {
    serde_json::from_str(&commit.sources).unwrap_or_default()
}

/// Returns the file of a case and its title.
fn split_case_name(case_name: &str) -> (&str, &str) {
    let (file, rest) = case_name.split_once(CASE_NAME_SEPARATOR).unwrap_or((case_name, ""));
    (file, rest.rsplit(CASE_NAME_SEPARATOR).next().unwrap_or_default())
}

/// Normalizes a title for comparisons, because runners append parameters to declared titles, for example `adds[1-2]`
/// or `TestAdds/small`.
fn remove_title_parameters(title: &str) -> String {
    let with_parameters = title.split_once('[').filter(|(name, rest)| !name.trim().is_empty() && rest.ends_with(']'));
    let title = with_parameters.map_or(title, |(name, _)| name);
    // Go appends the name of a subtest after a slash, with `_` for blanks.
    let title = title.split_once('/').filter(|(name, _)| name.starts_with("Test")).map_or(title, |(name, _)| name);
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the last name of a function, for example `total` for `cart::Cart::total::{{closure}}`, `Total` for
/// `(*Cart).Total`, and `Cart` for `new Cart`.
fn last_name(function: &str) -> &str {
    let is_separator = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$');
    let function = function.trim_end_matches("::{{closure}}").trim_end_matches(is_separator);
    function.rsplit(is_separator).next().unwrap_or_default()
}

fn file_fingerprint(file: &str) -> u64 {
    fingerprint(&format!("test file\n{file}"))
}

fn title_fingerprint(file: &str, title: &str) -> u64 {
    fingerprint(&format!("test\n{file}\n{}", remove_title_parameters(title)))
}

fn symbol_fingerprint(file: &str, symbol: &str) -> u64 {
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
