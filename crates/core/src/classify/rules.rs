//! Lists all built-in rules in the order in which `rule_chain` tries them.
//!
//! Order: mock library complaints, killed for memory, container state, test runner time limits, comparisons of two
//! values, refused connections, other network errors, other time limits, HTTP answers, configuration, other assertions,
//! compiler errors, plain sentences that name no tool, other program errors. Comparisons come before network errors
//! because the compared values may be error texts. Test runner time limits come before comparisons because the runner
//! also prints the comparison that it waited for.

mod assertion;
mod comparison;
mod config;
mod connection_refused;
mod container;
mod http;
mod mock;
mod network;
mod plain_sentences;
mod timeout;
mod unknown;

use super::rule::Rule;

/// Returns all rules; the first match wins.
pub(super) fn all_rules() -> impl Iterator<Item = &'static Rule> {
    [
        mock::clients::RULES,
        mock::objects::RULES,
        container::MEMORY_KILL_RULES,
        container::STATE_RULES,
        timeout::TEST_RUNNER_RULES,
        comparison::RULES,
        connection_refused::RULES,
        network::RULES,
        network::clients::RULES,
        timeout::RULES,
        http::RULES,
        config::env::RULES,
        config::files::RULES,
        config::infra::RULES,
        assertion::RULES,
        unknown::COMPILER_RULES,
        plain_sentences::RULES,
        config::config_sentences::RULES,
        config::setting_names::RULES,
        unknown::RULES,
    ]
    .into_iter()
    .flatten()
}
