//! What is known of a run and of a failing case when a verdict is asked for.

use crate::failure::category::Category;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The number of a run in its project: 0, 1, 2, in the order in which they were recorded.
pub type RunSeq = u32;
/// What a case is known by: a hash of its name.
pub type CaseId = u64;

/// What a file is known by: only told apart from others, so that half of the hash of its path is enough.
pub type FileId = u32;

/// Of a path inside the project, with `/`.
pub fn file_id(path: &str) -> FileId {
    let [first, second, third, fourth, ..] = fingerprint(path).to_be_bytes();
    FileId::from_be_bytes([first, second, third, fourth])
}

/// What a name, an error or a function is known by: equal texts have equal ones.
pub fn fingerprint(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// A run, as one row. Its size does not depend on how many cases it had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, kept by its name")]
pub struct RunFacts {
    /// Its number; the newest of a window is the highest.
    pub seq: RunSeq,
    /// Its public id, as sentences name it.
    pub id: String,
    /// UTC milliseconds.
    pub started_at: i64,
    /// The commit that was checked out; none outside version control.
    pub commit: Option<String>,
    /// Commits since the run before, oldest first, `commit` last; empty where the commit is still the same.
    pub path: Vec<String>,
    /// Whether `path` is known to begin where the run before was; else one may have gone back, or to another branch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
    /// Files that each commit of `path` touched, as far as that is known; empty where nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Vec<FileId>>,
    /// Commits of `path` that ran before they were committed, and the newest run of the edit that each became.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<(String, RunSeq)>,
    /// Files that differed from `commit`, untracked ones included, each with a digest of how; empty where nothing is known
    /// of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited_files: Vec<(FileId, u64)>,
    /// Commits of `path` that touched nothing but what Argus keeps, by which no test fails or passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    /// Commits of `path` that touched only files which tests do not read, such as documentation and images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documentation: Vec<String>,
    /// Digest of the tree of files that ran.
    pub tree: String,
    /// Whether the tree was not that of the commit.
    pub dirty: bool,
    /// Untracked files, each with a digest of its content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<(FileId, u64)>,
    /// Whether the tree differs from that of the commit by untracked files alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untracked_only: bool,
    /// The branch.
    pub branch: String,
    /// Conditions under which it ran, such as `("os", "windows")`.
    pub environment: Vec<(String, String)>,
    /// Digest of the order in which its cases were executed.
    pub order: u64,
    /// Whether that order is not known: then the digest is that of the cases in some other order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub order_unknown: bool,
    /// Cases that were not skipped.
    pub ran: u32,
    /// Cases that failed.
    pub failed: u32,
    /// Cases that began to fail with what had changed, and were not known to fail by chance; none where the machine failed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub began: u32,
    /// Files that the cases lie in.
    pub files: u32,
    /// Whether it ended before all cases had run: killed, out of memory, lost.
    pub interrupted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Files of the project in the stacks of failing cases.
pub type StackFiles = BTreeMap<CaseId, Vec<FileId>>;

impl RunFacts {
    /// Whether it ran on something that is not committed and that may make a test fail or pass: an edit of a tracked file, or
    /// an untracked file that is not among `known`, those that lay there when tests passed before.
    pub fn is_edit(&self, known: &BTreeSet<(FileId, u64)>) -> bool {
        self.dirty && !(self.untracked_only && self.untracked.iter().all(|file| known.contains(file)))
    }

    /// Files whose edits differ from those of an earlier run.
    pub fn files_edited_since(&self, earlier: &Self) -> BTreeSet<FileId> {
        let of = |run: &Self, other: &Self| -> Vec<FileId> {
            let is_other = |edit: &&(FileId, u64)| !other.edited_files.contains(edit);
            run.edited_files.iter().filter(is_other).map(|(file, _)| *file).collect()
        };
        [of(self, earlier), of(earlier, self)].concat().into_iter().collect()
    }

    /// Whether it ran on the very same files. An edit has the tree of the commit that it becomes; one that has the tree of the
    /// commit it lies on, as where only a submodule was edited, does not tell what it changed.
    pub fn has_tree_of(&self, other: &Self) -> bool {
        self.tree == other.tree && (self.dirty == other.dirty || self.commit != other.commit)
    }
}

/// A failing case of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which case.
    pub case: CaseId,
    /// The file it lies in.
    pub file: FileId,
    /// What the failure is, as reported.
    pub category: Category,
    /// The error without its case: equal for equal normalized errors.
    pub signature: u64,
    /// The innermost function of the project in the stack.
    pub function: Option<u64>,
    /// The error with the line of the project where it was noticed, or with its values where no line is known.
    pub site: u64,
    /// The line of the project that raised it, or of the test where no other is known, with the type of the error: its class,
    /// or its kind where it has none.
    #[serde(default)]
    pub raised: Option<u64>,
    /// Whether a line of the project's own code, not of its tests, is in the stack.
    #[serde(default)]
    pub in_project: bool,
    /// What the error says of where it comes from.
    #[serde(default)]
    pub source: ErrorSource,
    /// Whether the change since the last run contains what the error names: a host, a port, a path, a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_change: bool,
}

/// What the kind of an error alone says of where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorSource {
    /// Nothing.
    #[default]
    Unknown,
    /// Code raises it by itself, whatever the machine does: a missing key, an undefined name, a failed assertion.
    Code,
    /// Machines have it: a full disk, a port in use, a host that does not resolve.
    Machine,
}

impl Failure {
    /// The file that the test lies in, and those in its stack.
    pub fn file_and_stack(&self, stacks: &StackFiles) -> BTreeSet<FileId> {
        std::iter::once(self.file).chain(stacks.get(&self.case).into_iter().flatten().copied()).collect()
    }
}

/// What failures of one cause have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trait {
    /// The innermost function of the project.
    Function(u64),
    /// The error.
    Signature(u64),
}

impl Trait {
    /// Of this failure.
    pub fn of(failure: &Failure) -> Self {
        failure.function.map_or(Self::Signature(failure.signature), Self::Function)
    }
}

/// What a case did in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It passed at once.
    Passed,
    /// It failed and then passed: both outcomes on one tree.
    PassedAfterRetry,
    /// It failed by the machine: no evidence about the code.
    Outage,
    /// It failed with this error.
    Failed(Failure),
}
