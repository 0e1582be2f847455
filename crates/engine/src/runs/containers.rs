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

/// Returns the container that most likely caused the failure. Of the containers in trouble, the container that the
/// text names wins, then a container that was killed for memory, then the first.
pub(crate) fn in_trouble<'c>(containers: &'c [ContainerFact], text: &str) -> Option<&'c ContainerFact> {
    let bad = || containers.iter().filter(|fact| is_bad(fact));
    let named = || bad().find(|fact| !fact.name.is_empty() && text.contains(fact.name.as_str()));
    named().or_else(|| bad().find(|fact| is_oom(fact))).or_else(|| bad().next())
}

/// Adds the state of the container to the facts of the failure.
pub(crate) fn add(event: &mut FailureEvent, fact: &ContainerFact, redacted_status: Option<String>) {
    event.container_status = redacted_status;
    event.oom_killed = fact.oom_killed;
    event.exit_code = event.exit_code.or(fact.exit_code);
}

/// Returns `true` if the container is in trouble. A container that exited with code 0 is not, because it did its work,
/// for example a migration.
fn is_bad(fact: &ContainerFact) -> bool {
    let status = fact.status.as_deref().unwrap_or_default().to_ascii_lowercase();
    let running = matches!(status.as_str(), "" | "running" | "healthy" | "created" | "completed" | "succeeded");
    let done = status == "exited" && fact.exit_code == Some(0);
    is_oom(fact) || !(running || done)
}

fn is_oom(fact: &ContainerFact) -> bool {
    fact.oom_killed == Some(true)
        || fact.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("oomkilled"))
}

#[cfg(test)]
mod tests {
    use super::in_trouble;
    use crate::contract::ContainerFact;

    fn fact(name: &str, status: &str, exit_code: i32, oom: bool) -> ContainerFact {
        let (name, status) = (name.to_owned(), Some(status.to_owned()));
        ContainerFact { name, status, oom_killed: Some(oom), exit_code: Some(exit_code) }
    }

    #[test]
    fn in_trouble_prefers_named_then_killed_then_first() {
        let all =
            [fact("db", "running", 0, false), fact("migrate", "exited", 0, false), fact("web", "exited", 1, false)];
        assert_eq!(in_trouble(&all, "boom").map(|fact| fact.name.as_str()), Some("web"));
        assert!(in_trouble(&all[..2], "boom").is_none());
        let all = [fact("web", "exited", 1, false), fact("cache", "exited", 137, true)];
        assert_eq!(in_trouble(&all, "boom").map(|fact| fact.name.as_str()), Some("cache"));
        assert_eq!(in_trouble(&all, "web:80 refused").map(|fact| fact.name.as_str()), Some("web"));
    }
}
