//! Reads the environment of a failure as a canonical bucket, and computes the similarity of two buckets. The facts
//! arrive as a map because the host detects them.

mod facts;

pub use facts::EnvironmentFact;

use serde::{Deserialize, Serialize};
use std::fmt;

/// The facts that decide whether a fix also works in another environment. Names are canonical and in lower case, and
/// versions are major versions.
///
/// A major version is the first number of a version: 18 for `18.2.0`, `v18` and `^18`, and 3 for Python `3.11`. For
/// Java's old `1.8`, it is 8. A major version without a name has no meaning and is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Environment {
    /// `linux`, `macos`, `windows`, ...
    pub os_family: Option<String>,
    /// `python`, `typescript`, `node`, ...
    pub language: Option<String>,
    /// Major version of the language.
    pub language_major: Option<u32>,
    /// `react`, `django`, ...
    pub framework: Option<String>,
    /// Major version of the framework.
    pub framework_major: Option<u32>,
    /// Name, with the major version if known: `node-20`, `docker`, `jvm-21`.
    pub runtime: Option<String>,
    /// Major version of CUDA.
    pub cuda_major: Option<u32>,
}

/// Factors of the probability that a fix also works. `unknown` applies if the name is unknown in one of the
/// environments, and `different` if the names differ.
#[derive(Clone, Copy)]
struct NameFactors {
    unknown: f64,
    different: f64,
}

/// Factors of the probability that a fix also works. `unknown` applies if the major version is unknown in one of the
/// environments, and `neighbour` if the versions differ by 1. With each further version, the difference between the
/// factor and `distant` halves.
#[derive(Clone, Copy)]
struct MajorVersionFactors {
    unknown: f64,
    neighbour: f64,
    distant: f64,
}

const OS_FACTORS: NameFactors = NameFactors { unknown: 0.85, different: 0.6 };
const LANGUAGE_FACTORS: NameFactors = NameFactors { unknown: 0.75, different: 0.3 };
const LANGUAGE_VERSION_FACTORS: MajorVersionFactors =
    MajorVersionFactors { unknown: 0.9, neighbour: 0.85, distant: 0.7 };
const FRAMEWORK_FACTORS: NameFactors = NameFactors { unknown: 0.75, different: 0.4 };
const FRAMEWORK_VERSION_FACTORS: MajorVersionFactors =
    MajorVersionFactors { unknown: 0.9, neighbour: 0.85, distant: 0.7 };
const RUNTIME_FACTORS: NameFactors = NameFactors { unknown: 0.9, different: 0.7 };
const RUNTIME_VERSION_FACTORS: MajorVersionFactors =
    MajorVersionFactors { unknown: 0.95, neighbour: 0.9, distant: 0.8 };
const CUDA_FACTORS: MajorVersionFactors = MajorVersionFactors { unknown: 0.85, neighbour: 0.8, distant: 0.6 };

impl Environment {
    /// Reads a map of facts; keys may be in snake, camel or kebab case, and values may have any common notation.
    /// Unknown facts are ignored, and the order of the facts does not matter.
    pub fn from_facts<'a>(facts: impl IntoIterator<Item = (&'a str, EnvironmentFact<'a>)>) -> Self {
        facts::read_environment(facts)
    }

    /// Reads a bucket with its fields in any order, with the same normalization as [`Environment::from_facts`].
    pub fn parse(bucket: &str) -> Self {
        let pairs = bucket.split([';', ',', '\n']).filter_map(|pair| pair.split_once(['=', ':']));
        Self::from_facts(pairs.map(|(key, value)| (key.trim(), EnvironmentFact::Text(value))))
    }

    /// Returns `true` if no field is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Writes the canonical bucket: `field=value;...` in the order of the fields, without unknown fields.
impl fmt::Display for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let major = |major: Option<u32>| major.map(|major| major.to_string());
        let fields = [
            ("os_family", self.os_family.clone()),
            ("language", self.language.clone()),
            ("language_major", major(self.language_major)),
            ("framework", self.framework.clone()),
            ("framework_major", major(self.framework_major)),
            ("runtime", self.runtime.clone()),
            ("cuda_major", major(self.cuda_major)),
        ];
        let known = fields.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        out.write_str(&known.collect::<Vec<_>>().join(";"))
    }
}

/// Estimates how likely a fix for an environment works in another environment. The result is in [0, 1], symmetric, and
/// 1 for equal environments. An additional equal field never lowers the result.
///
/// The result is the product of a factor for each field: 1 if the values are equal or both unknown, less if one value
/// is unknown, and least if the values differ. Major versions are compared only if the names are equal. Otherwise, they
/// count as most distant.
pub fn environment_similarity(a: &Environment, b: &Environment) -> f64 {
    let language = a.language.is_some() && a.language == b.language;
    let framework = a.framework.is_some() && a.framework == b.framework;
    name_factor(OS_FACTORS, a.os_family.as_deref(), b.os_family.as_deref())
        * name_factor(LANGUAGE_FACTORS, a.language.as_deref(), b.language.as_deref())
        * major_version_factor(LANGUAGE_VERSION_FACTORS, language, a.language_major, b.language_major)
        * name_factor(FRAMEWORK_FACTORS, a.framework.as_deref(), b.framework.as_deref())
        * major_version_factor(FRAMEWORK_VERSION_FACTORS, framework, a.framework_major, b.framework_major)
        * runtime_factor(a.runtime.as_deref(), b.runtime.as_deref())
        * major_version_factor(CUDA_FACTORS, true, a.cuda_major, b.cuda_major)
}

fn name_factor(factors: NameFactors, a: Option<&str>, b: Option<&str>) -> f64 {
    match (a, b) {
        _ if a == b => 1.0,
        (Some(_), Some(_)) => factors.different,
        _ => factors.unknown,
    }
}

fn major_version_factor(factors: MajorVersionFactors, named: bool, a: Option<u32>, b: Option<u32>) -> f64 {
    match (a, b) {
        (None, None) => 1.0,
        _ if !named => factors.distant,
        (Some(a), Some(b)) if a == b => 1.0,
        (Some(a), Some(b)) => {
            let further = i32::try_from(a.abs_diff(b).min(64)).unwrap_or(64) - 1;
            factors.distant + (factors.neighbour - factors.distant) * 0.5_f64.powi(further)
        }
        _ => factors.unknown,
    }
}

/// Returns the factor for runtimes, which contain a name and a major version.
fn runtime_factor(a: Option<&str>, b: Option<&str>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else { return name_factor(RUNTIME_FACTORS, a, b) };
    let ((a, a_major), (b, b_major)) = (facts::split_runtime(a), facts::split_runtime(b));
    if a == b {
        major_version_factor(RUNTIME_VERSION_FACTORS, true, a_major, b_major)
    } else {
        RUNTIME_FACTORS.different
    }
}

#[cfg(test)]
mod tests;
