//! The chain: every built-in rule in the order in which they are tried.
//! `rule_chain` tries them.
//!
//! Order: a mock library's complaint, killed for memory, container state, time limits of runners, comparisons of
//! two values, refused connections, other network errors, time limits, HTTP answers, configuration, other assertions,
//! what compilers say, plain words of any tool, other errors of a program. Comparisons stand before the network because
//! the compared values may be error texts; a runner's own time limit stands before them because it reports the
//! comparison it waited for.

mod assertion;
mod comparison;
mod config;
mod container;
mod general;
mod http;
mod mock;
mod network;
mod refused;
mod timeout;
mod unknown;

use super::rule::Rule;

/// All rules, first match wins.
pub(super) fn chain() -> impl Iterator<Item = &'static Rule> {
    [
        mock::clients::RULES,
        mock::objects::RULES,
        container::MEMORY,
        container::STATE,
        timeout::RUNNERS,
        comparison::RULES,
        refused::RULES,
        network::RULES,
        network::clients::RULES,
        timeout::RULES,
        http::RULES,
        config::env::RULES,
        config::files::RULES,
        config::infra::RULES,
        assertion::RULES,
        unknown::CODE,
        general::RULES,
        config::words::RULES,
        config::constants::RULES,
        unknown::RULES,
    ]
    .into_iter()
    .flatten()
}
