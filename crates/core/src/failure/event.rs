//! The input for the analysis of a failure: its text and other known facts. `analyze::Analysis` is the result.

use serde::{Deserialize, Serialize};

/// A failure before its analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(optional_fields))]
#[serde(rename_all = "camelCase", default)]
pub struct FailureEvent {
    /// The error text as the runner or tool printed it.
    pub text: String,
    /// Exception or error type, if the runner names it separately.
    pub exception_type: Option<String>,
    /// Exit code of the process that failed.
    pub exit_code: Option<i32>,
    /// Signal that ended the process, such as `SIGKILL`.
    pub signal: Option<String>,
    /// HTTP status of the response that the failure is about.
    pub http_status: Option<u16>,
    /// Container state or reason, such as `exited`, `CrashLoopBackOff`.
    pub container_status: Option<String>,
    /// True if the container runtime killed it because of memory.
    pub oom_killed: Option<bool>,
    /// The runner that reported it, such as `vitest`.
    pub runner: Option<String>,
}
