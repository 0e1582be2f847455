//! Chooses the container whose state may explain a failure. The host queries the container runtime and passes the
//! states in.

use crate::contract::ContainerFact;
use argus_core::{Category, FailureEvent};

/// Returns `true` if a stopped container can cause failures of this category. A failed assertion is never explained by
/// a container.
pub(crate) const fn may_explain(category: Category) -> bool {
    matches!(
        category,
        Category::ConnectionRefused
            | Category::NetworkError
            | Category::Timeout
            | Category::HttpError
            | Category::Unknown
    )
}

/// Returns the container that most likely caused the failure: of the failed containers, the container that the text
/// names, else a container that was killed for memory, else the first.
pub(crate) fn find_failed_container<'c>(containers: &'c [ContainerFact], text: &str) -> Option<&'c ContainerFact> {
    let failed = || containers.iter().filter(|fact| has_failed(fact));
    let named = || failed().find(|fact| !fact.name.is_empty() && text.contains(fact.name.as_str()));
    named().or_else(|| failed().find(|fact| was_killed_for_memory(fact))).or_else(|| failed().next())
}

/// Adds the state of the container to the facts of the failure.
pub(crate) fn add_container_facts(event: &mut FailureEvent, fact: &ContainerFact, redacted_status: Option<String>) {
    event.container_status = redacted_status;
    event.oom_killed = fact.oom_killed;
    event.exit_code = event.exit_code.or(fact.exit_code);
}

/// Returns `true` if the container failed. A container that exited with code 0 finished its work, for example a
/// migration.
fn has_failed(fact: &ContainerFact) -> bool {
    let status = fact.status.as_deref().unwrap_or_default().to_ascii_lowercase();
    let running = matches!(status.as_str(), "" | "running" | "healthy" | "created" | "completed" | "succeeded");
    let done = status == "exited" && fact.exit_code == Some(0);
    was_killed_for_memory(fact) || !(running || done)
}

fn was_killed_for_memory(fact: &ContainerFact) -> bool {
    fact.oom_killed == Some(true)
        || fact.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("oomkilled"))
}

#[cfg(test)]
mod tests {
    use super::find_failed_container;
    use crate::contract::ContainerFact;

    fn fact(name: &str, status: &str, exit_code: i32, oom: bool) -> ContainerFact {
        let (name, status) = (name.to_owned(), Some(status.to_owned()));
        ContainerFact { name, status, oom_killed: Some(oom), exit_code: Some(exit_code) }
    }

    #[test]
    fn find_failed_container_prefers_named_then_killed_then_first() {
        let all =
            [fact("db", "running", 0, false), fact("migrate", "exited", 0, false), fact("web", "exited", 1, false)];
        assert_eq!(find_failed_container(&all, "boom").map(|fact| fact.name.as_str()), Some("web"));
        assert!(find_failed_container(&all[..2], "boom").is_none());
        let all = [fact("web", "exited", 1, false), fact("cache", "exited", 137, true)];
        assert_eq!(find_failed_container(&all, "boom").map(|fact| fact.name.as_str()), Some("cache"));
        assert_eq!(find_failed_container(&all, "web:80 refused").map(|fact| fact.name.as_str()), Some("web"));
    }
}
