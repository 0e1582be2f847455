//! Classifies a failure by facts other than its text: container state, exit code and signal, HTTP status.

use super::{Classification, rule::category_rank};
use crate::{failure::category::Category, failure::event::FailureEvent};

/// Exit code of a killed process in shells and container runtimes: 128 + SIGKILL (9).
const SIGKILL_EXIT_CODE: i32 = 137;

/// A fact that decides on the category. It wins over a matching rule only if its category has the lower rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecidingFact {
    name: &'static str,
    category: Category,
}

impl DecidingFact {
    pub(super) const fn rank(&self) -> u8 {
        category_rank(self.category)
    }

    pub(super) fn into_classification(self) -> Classification {
        Classification { category: self.category, rule: self.name.to_owned(), evidence: None }
    }
}

/// Returns the fact whose category has the lowest rank, because that category wins.
pub(super) fn find_deciding_fact(event: &FailureEvent) -> Option<DecidingFact> {
    find_memory_kill(event).or_else(|| find_container_failure(event)).or_else(|| find_http_failure(event))
}

fn find_memory_kill(event: &FailureEvent) -> Option<DecidingFact> {
    let name = if event.oom_killed == Some(true) {
        "fact-oom-killed"
    } else if container_state(event).is_some_and(|state| state == "oomkilled") {
        "fact-container-oomkilled"
    } else if may_be_memory_kill(event) && event.exit_code == Some(SIGKILL_EXIT_CODE) && !has_other_signal(event) {
        "fact-exit-137"
    } else {
        return None;
    };
    Some(DecidingFact { name, category: Category::ContainerOom })
}

/// Checks that the process ran in a container and that the runtime does not report whether memory was the reason. A
/// container that is killed without a message has usually reached its memory limit. Outside of a container, any process
/// may have sent the signal.
fn may_be_memory_kill(event: &FailureEvent) -> bool {
    event.oom_killed.is_none() && container_state(event).is_some_and(|state| !state.is_empty())
}

/// Checks for a signal other than SIGKILL, because the kernel kills with SIGKILL if memory is full.
fn has_other_signal(event: &FailureEvent) -> bool {
    event.signal.as_deref().is_some_and(|signal| !matches!(signal, "" | "SIGKILL" | "KILL" | "9"))
}

fn find_container_failure(event: &FailureEvent) -> Option<DecidingFact> {
    let state = container_state(event)?;
    let crashed = matches!(
        state.as_str(),
        "crashed"
            | "exited"
            | "dead"
            | "error"
            | "failed"
            | "evicted"
            | "restarting"
            | "unhealthy"
            | "starterror"
            | "containercannotrun"
            | "crashloopbackoff"
            | "errimagepull"
            | "imagepullbackoff"
            | "invalidimagename"
            | "errimageneverpull"
            | "runcontainererror"
            | "createcontainererror"
            | "poststarthookerror"
            | "deadlineexceeded"
    );
    // A container that exits with 0 has succeeded.
    let ended_well = matches!(state.as_str(), "exited" | "dead") && event.exit_code == Some(0);
    let misconfigured = state == "createcontainerconfigerror";
    if misconfigured {
        return Some(DecidingFact { name: "fact-container-config", category: Category::ConfigError });
    }
    (crashed && !ended_well)
        .then_some(DecidingFact { name: "fact-container-state", category: Category::ContainerCrash })
}

fn find_http_failure(event: &FailureEvent) -> Option<DecidingFact> {
    let failed = event.http_status.is_some_and(|status| (400..600).contains(&status));
    failed.then_some(DecidingFact { name: "fact-http-status", category: Category::HttpError })
}

/// Returns the container's state in lower case and without the details of `docker ps`, for example `exited` for "Exited
/// (1)".
fn container_state(event: &FailureEvent) -> Option<String> {
    let state = event.container_status.as_deref()?;
    let word: String = state.chars().take_while(char::is_ascii_alphanumeric).collect();
    Some(word.to_ascii_lowercase())
}
