//! What the facts beside the text say: container state, exit code and signal, HTTP status.

use super::{Classification, rule::rank};
use crate::{failure::category::Category, failure::event::FailureEvent};

/// 128 + SIGKILL, as shells and container runtimes report it.
const SIGKILL_EXIT_CODE: i32 = 137;

/// A fact that decides unless the text says something that goes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecidingFact {
    name: &'static str,
    category: Category,
}

impl DecidingFact {
    pub(super) const fn rank(&self) -> u8 {
        rank(self.category)
    }

    pub(super) fn answer(self) -> Classification {
        Classification { category: self.category, rule: self.name.to_owned(), evidence: None }
    }
}

/// The fact that goes before the others.
pub(super) fn first_match(event: &FailureEvent) -> Option<DecidingFact> {
    memory(event).or_else(|| container(event)).or_else(|| status(event))
}

fn memory(event: &FailureEvent) -> Option<DecidingFact> {
    let name = if event.oom_killed == Some(true) {
        "fact-oom-killed"
    } else if state(event).is_some_and(|state| state == "oomkilled") {
        "fact-container-oomkilled"
    } else if is_container(event) && event.exit_code == Some(SIGKILL_EXIT_CODE) && !stopped_by_us(event) {
        "fact-exit-137"
    } else {
        return None;
    };
    Some(DecidingFact { name, category: Category::ContainerOom })
}

/// What kills a container without a word is its memory limit, most often; a process outside of one may be anybody's kill,
/// and so may one of which the runtime says that it was not memory.
fn is_container(event: &FailureEvent) -> bool {
    event.oom_killed.is_none() && state(event).is_some_and(|state| !state.is_empty())
}

/// A signal other than SIGKILL ended it, so the exit code is not the kernel's kill.
fn stopped_by_us(event: &FailureEvent) -> bool {
    event.signal.as_deref().is_some_and(|signal| !matches!(signal, "" | "SIGKILL" | "KILL" | "9"))
}

fn container(event: &FailureEvent) -> Option<DecidingFact> {
    let state = state(event)?;
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
    // A one-shot container that ended well did not crash.
    let ended_well = matches!(state.as_str(), "exited" | "dead") && event.exit_code == Some(0);
    let misconfigured = state == "createcontainerconfigerror";
    if misconfigured {
        return Some(DecidingFact { name: "fact-container-config", category: Category::ConfigError });
    }
    (crashed && !ended_well)
        .then_some(DecidingFact { name: "fact-container-state", category: Category::ContainerCrash })
}

fn status(event: &FailureEvent) -> Option<DecidingFact> {
    let failed = event.http_status.is_some_and(|status| (400..600).contains(&status));
    failed.then_some(DecidingFact { name: "fact-http-status", category: Category::HttpError })
}

/// The container's state in lower case, without the blanks of `docker ps` ("Exited (1)" is "exited").
fn state(event: &FailureEvent) -> Option<String> {
    let state = event.container_status.as_deref()?;
    let word: String = state.chars().take_while(char::is_ascii_alphanumeric).collect();
    Some(word.to_ascii_lowercase())
}
