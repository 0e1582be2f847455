//! The ten failure categories of the public contract (`docs/contract/argus-patterns.md`).
//! `classify` chooses the category of a failure.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Category of a failure. The category describes the reported failure and not its root cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "FailureCategory"))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Category {
    /// A failed expectation on a value.
    AssertionMismatch,
    /// An HTTP response with 4xx or 5xx, reported as the failure.
    HttpError,
    /// A runner or a network call exceeded its time limit.
    Timeout,
    /// Nothing listens on the address.
    ConnectionRefused,
    /// A container or process was killed because of memory.
    ContainerOom,
    /// A container or pod exited or could not start.
    ContainerCrash,
    /// A mock library reports an unmatched or missing call.
    MockMismatch,
    /// A configuration, manifest, schema or environment variable is invalid or missing.
    ConfigError,
    /// DNS, unreachable host, connection reset, broken pipe, or TLS.
    NetworkError,
    /// Any other failure.
    Unknown,
}

impl Category {
    /// All categories, in the order of the contract.
    pub const ALL: [Self; 10] = [
        Self::AssertionMismatch,
        Self::HttpError,
        Self::Timeout,
        Self::ConnectionRefused,
        Self::ContainerOom,
        Self::ContainerCrash,
        Self::MockMismatch,
        Self::ConfigError,
        Self::NetworkError,
        Self::Unknown,
    ];

    /// Returns the name of the category in the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AssertionMismatch => "ASSERTION_MISMATCH",
            Self::HttpError => "HTTP_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::ConnectionRefused => "CONNECTION_REFUSED",
            Self::ContainerOom => "CONTAINER_OOM",
            Self::ContainerCrash => "CONTAINER_CRASH",
            Self::MockMismatch => "MOCK_MISMATCH",
            Self::ConfigError => "CONFIG_ERROR",
            Self::NetworkError => "NETWORK_ERROR",
            Self::Unknown => "UNKNOWN",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Category {
    type Err = UnknownCategory;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|category| category.as_str() == text).ok_or(UnknownCategory)
    }
}

/// The error for a text that is not the name of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a failure category")]
pub struct UnknownCategory;
