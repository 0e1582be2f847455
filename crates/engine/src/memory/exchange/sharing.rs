//! The files that a repository shares in `.argus-shared`. Each entry is a small file whose name is its id and that
//! never changes, so that git merges the folder without conflicts. `finding::shared` decides what answers show.

pub mod check;
mod machine_names;
mod sameness;
pub mod take;
pub mod write;

use crate::contract::{SharedFailure, SharedFile};
use argus_core::FailureEvent;

/// Version of all shared files except sameness files.
const FILE_VERSION: u32 = 1;
/// Version of sameness files, which were added later. The higher version makes older programs report that they are too
/// old.
const SAMENESS_VERSION: u32 = 2;

/// Name of the source memory for shared files in an import.
const SHARED_FILES_SOURCE: &str = "shared files";

/// Folder in the root of the repository.
pub(crate) const SHARED_FOLDER: &str = ".argus-shared";

impl SharedFile {
    /// Returns the folder of the file and the prefix of its id.
    const fn folder_and_prefix(&self) -> (&'static str, &'static str) {
        match self {
            Self::Fix(_) => ("fixes", "fix-"),
            Self::Incident(_) => ("incidents", "inc-"),
            Self::Solution(_) => ("solutions", "sol-"),
            Self::Outcome(_) => ("outcomes", "out-"),
            Self::Decision(_) | Self::Sameness(_) => ("decisions", "dec-"),
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Fix(file) => &file.id,
            Self::Incident(file) => &file.id,
            Self::Solution(file) => &file.id,
            Self::Outcome(file) => &file.id,
            Self::Decision(file) => &file.id,
            Self::Sameness(file) => &file.id,
        }
    }

    fn by(&self) -> Option<&str> {
        match self {
            Self::Fix(file) => file.by.as_deref(),
            Self::Incident(file) => file.by.as_deref(),
            Self::Solution(file) => file.by.as_deref(),
            Self::Outcome(file) => file.by.as_deref(),
            Self::Decision(file) => file.by.as_deref(),
            Self::Sameness(file) => file.by.as_deref(),
        }
    }

    fn created_at(&self) -> &str {
        match self {
            Self::Fix(file) => &file.created_at,
            Self::Incident(file) => &file.created_at,
            Self::Solution(file) => &file.created_at,
            Self::Outcome(file) => &file.created_at,
            Self::Decision(file) => &file.created_at,
            Self::Sameness(file) => &file.created_at,
        }
    }

    fn path(&self) -> String {
        format!("{}/{}.json", self.folder_and_prefix().0, self.id())
    }
}

impl SharedFailure {
    fn to_event(&self) -> FailureEvent {
        FailureEvent {
            text: self.text.clone(),
            exception_type: self.exception_type.clone(),
            exit_code: self.exit_code,
            signal: self.signal.clone(),
            http_status: self.http_status,
            container_status: self.container_status.clone(),
            oom_killed: self.oom_killed,
            runner: self.runner.clone(),
        }
    }
}
