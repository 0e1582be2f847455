//! Facts about a run and its failing cases, the input for verdicts.

use crate::{failure::category::Category, identity::case_name::stabilize_case_name};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Number of a run in its project: 0, 1, 2, in the order of recording.
pub type RunSeq = u32;
/// Identifies a case: a hash of the stable part of its name.
pub type CaseId = u64;

/// Identifies a file: the first half of the hash of its path. Half of a hash is enough to distinguish the files of a
/// project.
pub type FileId = u32;

/// Returns the id of a path relative to the project, with `/` as separator.
pub fn file_id(path: &str) -> FileId {
    let [first, second, third, fourth, ..] = fingerprint(path).to_be_bytes();
    FileId::from_be_bytes([first, second, third, fourth])
}

/// Returns the id of a case by its qualified name.
pub fn case_id(name: &str) -> CaseId {
    fingerprint(&stabilize_case_name(name))
}

/// Returns the hash of a name, an error or a function. Equal texts have equal fingerprints.
pub fn fingerprint(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// The stored facts about a run. Their size does not depend on the number of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent, and each is stored under its name")]
pub struct RunFacts {
    /// Number of the run. The newest run of a window has the highest number.
    pub seq: RunSeq,
    /// Public id of the run, as it appears in sentences.
    pub id: String,
    /// UTC milliseconds.
    pub started_at: i64,
    /// The checked-out commit. None outside version control.
    pub commit: Option<String>,
    /// Commits since the previous run, oldest first, `commit` last. Empty if the commit is the same.
    pub path: Vec<String>,
    /// True if `path` starts at the commit of the previous run. Otherwise the project may be on an older commit or on
    /// another branch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
    /// Author times of the commits of `path` in UTC milliseconds, which amending and rebasing keep. Empty if they are
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authored: Vec<i64>,
    /// Commits that the previous run had and this run lacks, oldest first, because the branch was reset or switched.
    /// Commits that were only amended or rebased are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// Files that each commit of `path` touched. Empty if they are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Vec<FileId>>,
    /// Commits of `path` that were tested as an uncommitted edit before, each with the newest run of that edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<(String, RunSeq)>,
    /// Files that differed from `commit`, including untracked files, each with a digest of the difference. Empty if
    /// they are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited_files: Vec<(FileId, u64)>,
    /// Commits of `path` that touched only files that Argus itself writes. They cannot change the result of a test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    /// Commits of `path` that touched only files that tests do not read, for example documentation and images, or only
    /// comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documentation: Vec<String>,
    /// Commits of `path` that touched files which decide how all tests are built or run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configuration: Vec<String>,
    /// Digest of the tree of files that the run used.
    pub tree: String,
    /// True if the tree differed from the tree of the commit.
    pub dirty: bool,
    /// Untracked files, each with a digest of its content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<(FileId, u64)>,
    /// True if untracked files are the only difference between the tree and the commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untracked_only: bool,
    /// The branch.
    pub branch: String,
    /// Conditions of the run, for example `("os", "windows")`.
    pub environment: Vec<(String, String)>,
    /// Digest of the order in which the cases were executed.
    pub order: u64,
    /// True if the order of execution is unknown. `order` is then the digest of an arbitrary order of the cases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub order_unknown: bool,
    /// Number of cases that were not skipped.
    pub ran: u32,
    /// Number of cases that failed.
    pub failed: u32,
    /// Number of cases that started to fail with the changes of this run and were not known to fail by chance. 0 if
    /// the machine caused the failures.
    #[serde(rename = "began", default, skip_serializing_if = "is_zero")]
    pub newly_failing: u32,
    /// Number of files that contain the cases.
    pub files: u32,
    /// True if the run ended before all cases had run, for example because it was killed or ran out of memory.
    pub interrupted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Files of the project in the stacks of failing cases, by case.
pub type StackFiles = BTreeMap<CaseId, Vec<FileId>>;

impl RunFacts {
    /// Returns `true` if the run used uncommitted files that may affect a test: an edit of a tracked file, or an
    /// untracked file that is not in `known`. `known` has the untracked files that were present when tests passed
    /// before.
    pub fn is_edit(&self, known: &BTreeSet<(FileId, u64)>) -> bool {
        self.dirty && !(self.untracked_only && self.untracked.iter().all(|file| known.contains(file)))
    }

    /// Returns the files whose uncommitted edit differs between this run and an earlier run, including files that only
    /// one of the two runs had edited.
    pub fn files_edited_since(&self, earlier: &Self) -> BTreeSet<FileId> {
        let of = |run: &Self, other: &Self| -> Vec<FileId> {
            let is_other = |edit: &&(FileId, u64)| !other.edited_files.contains(edit);
            run.edited_files.iter().filter(is_other).map(|(file, _)| *file).collect()
        };
        [of(self, earlier), of(earlier, self)].concat().into_iter().collect()
    }

    /// Returns `true` if both runs used the same files. An edit and the commit that it becomes have the same tree, so
    /// they count as the same files. An edit can also have the tree of the commit that it is based on, for example if
    /// only a submodule was edited. Such a tree does not identify the edit, so the edit and that commit count as
    /// different files.
    pub fn has_same_tree_as(&self, other: &Self) -> bool {
        self.tree == other.tree && (self.dirty == other.dirty || self.commit != other.commit)
    }
}

/// A failing case of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The case that failed.
    pub case: CaseId,
    /// The file that contains the case.
    pub file: FileId,
    /// Category of the failure, as reported.
    pub category: Category,
    /// Hash of the normalized error without the case name.
    pub signature: u64,
    /// Hash of the innermost function of the project in the stack.
    pub function: Option<u64>,
    /// Hash of the error and of the project line where the error was noticed. Without a line, hash of the error and its
    /// values.
    pub site: u64,
    /// Hash of the error type and of the project line that raised the error, or of the line of the test if no other
    /// line is known. The type is the class of the error, or its kind if the error has no class.
    #[serde(default)]
    pub raised: Option<u64>,
    /// True if the stack contains a line of the project outside its tests.
    #[serde(default)]
    pub in_project: bool,
    /// Source of the error, as implied by its kind.
    #[serde(default)]
    pub source: ErrorSource,
    /// True if the change since the last run contains a host, port, path or program that the error names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_change: bool,
}

/// Source of an error, as far as the kind of the error implies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorSource {
    /// The kind implies nothing.
    #[default]
    Unknown,
    /// Code raises the error independently of the machine: a missing key, an undefined name, a failed assertion.
    Code,
    /// The machine causes the error: a full disk, a port in use, a host that does not resolve.
    Machine,
}

impl Failure {
    /// Returns the file of the test and the files in its stack.
    pub fn test_and_stack_files(&self, stacks: &StackFiles) -> BTreeSet<FileId> {
        std::iter::once(self.file).chain(stacks.get(&self.case).into_iter().flatten().copied()).collect()
    }
}

/// Property that failures with the same cause share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FailureKey {
    /// The innermost function of the project.
    Function(u64),
    /// The error signature, for failures without a function of the project.
    Signature(u64),
}

impl FailureKey {
    /// Returns the function of a failure if it is known, otherwise its signature.
    pub fn from_failure(failure: &Failure) -> Self {
        failure.function.map_or(Self::Signature(failure.signature), Self::Function)
    }
}

/// Outcome of a case in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Passed at the first attempt.
    Passed,
    /// Failed and then passed, so that both outcomes occurred on the same tree.
    PassedAfterRetry,
    /// Failed because of the machine, which is not evidence about the code.
    Outage,
    /// Failed with this error.
    Failed(Failure),
}
