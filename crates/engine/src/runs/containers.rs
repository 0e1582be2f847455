//! Chooses which container's state may explain a failure.
//! The host asked the container runtime.

use crate::contract::ContainerFact;
use argus_core::{Category, FailureEvent};

/// Failures of which a container's end may be the cause. A failed expectation is not one, whatever else happened.
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

/// The container to blame: of those in trouble the one the text names, else one killed for memory, else the first.
pub(crate) fn in_trouble<'c>(containers: &'c [ContainerFact], text: &str) -> Option<&'c ContainerFact> {
    let bad = || containers.iter().filter(|fact| is_bad(fact));
    let named = || bad().find(|fact| !fact.name.is_empty() && text.contains(fact.name.as_str()));
    named().or_else(|| bad().find(|fact| is_oom(fact))).or_else(|| bad().next())
}

/// Puts the container's facts beside the text.
pub(crate) fn add(event: &mut FailureEvent, fact: &ContainerFact, redacted_status: Option<String>) {
    event.container_status = redacted_status;
    event.oom_killed = fact.oom_killed;
    event.exit_code = event.exit_code.or(fact.exit_code);
}

/// One that ended by itself with code 0 did its work, as a migration does.
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
    fn blames_the_named_then_the_killed_then_the_first() {
        let all =
            [fact("db", "running", 0, false), fact("migrate", "exited", 0, false), fact("web", "exited", 1, false)];
        assert_eq!(in_trouble(&all, "boom").map(|fact| fact.name.as_str()), Some("web"));
        assert!(in_trouble(&all[..2], "boom").is_none());
        let all = [fact("web", "exited", 1, false), fact("cache", "exited", 137, true)];
        assert_eq!(in_trouble(&all, "boom").map(|fact| fact.name.as_str()), Some("cache"));
        assert_eq!(in_trouble(&all, "web:80 refused").map(|fact| fact.name.as_str()), Some("web"));
    }
}
