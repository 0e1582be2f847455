//! The chain: every built-in rule in the order in which they are tried.
//! Does not: try them; `scan` does.
//!
//! Order: a mock library's complaint, killed for memory, container state, time limits of runners, comparisons of
//! two values, refused connections, other network errors, time limits, HTTP answers, configuration, other assertions,
//! what compilers say, plain words of any tool, other errors of a program. Comparisons stand before the network because
//! the compared values may be error texts; a runner's own time limit stands before them because it reports the
//! comparison it waited for.

mod assertion;
mod comparison;
mod config_constants;
mod config_env;
mod config_files;
mod config_infra;
mod config_words;
mod container;
mod general;
mod http;
mod mock_clients;
mod mock_objects;
mod network;
mod network_clients;
mod refused;
mod timeout;
mod unknown;

use super::rule::Rule;

/// All rules, first match wins.
pub(super) fn chain() -> impl Iterator<Item = &'static Rule> {
    [
        mock_clients::RULES,
        mock_objects::RULES,
        container::MEMORY,
        container::STATE,
        timeout::RUNNERS,
        comparison::RULES,
        refused::RULES,
        network::RULES,
        network_clients::RULES,
        timeout::RULES,
        http::RULES,
        config_env::RULES,
        config_files::RULES,
        config_infra::RULES,
        assertion::RULES,
        unknown::CODE,
        general::RULES,
        config_words::RULES,
        config_constants::RULES,
        unknown::RULES,
    ]
    .into_iter()
    .flatten()
}
