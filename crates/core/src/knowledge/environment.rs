//! The environment of a failure, as far as it matters for a fix: a canonical bucket, and the similarity of two buckets.
//! The facts arrive as a map because the host detects them.

mod facts;

pub use facts::EnvironmentFact;

use serde::{Deserialize, Serialize};
use std::fmt;

/// The facts that decide whether a fix carries over. Names are lower case with aliases replaced, and versions are
/// majors.
///
/// A major is the first number of a version: `18.2.0`, `v18` and `^18` are 18. `3.11` is 3, because Python's users
/// refer to the language as Python 3. Java's old `1.8` is 8. A major without a name has no meaning and is dropped.
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
    /// A name with its major if known: `node-20`, `docker`, `jvm-21`.
    pub runtime: Option<String>,
    /// Major version of CUDA.
    pub cuda_major: Option<u32>,
}

/// Factors for a fix to carry over if a name is `unknown` on one side, or `different`.
#[derive(Clone, Copy)]
struct Name {
    unknown: f64,
    different: f64,
}

/// Factors for a major version. `neighbour` is for the next major; for each further major, the distance to `distant`
/// halves.
#[derive(Clone, Copy)]
struct Major {
    unknown: f64,
    neighbour: f64,
    distant: f64,
}

const OS: Name = Name { unknown: 0.85, different: 0.6 };
const LANGUAGE: Name = Name { unknown: 0.75, different: 0.3 };
const LANGUAGE_MAJOR: Major = Major { unknown: 0.9, neighbour: 0.85, distant: 0.7 };
const FRAMEWORK: Name = Name { unknown: 0.75, different: 0.4 };
const FRAMEWORK_MAJOR: Major = Major { unknown: 0.9, neighbour: 0.85, distant: 0.7 };
const RUNTIME: Name = Name { unknown: 0.9, different: 0.7 };
const RUNTIME_MAJOR: Major = Major { unknown: 0.95, neighbour: 0.9, distant: 0.8 };
const CUDA: Major = Major { unknown: 0.85, neighbour: 0.8, distant: 0.6 };

impl Environment {
    /// Reads a map of facts; keys may be in snake, camel or kebab case, and values may have any common notation.
    /// Unknown facts are ignored, and the order of the facts does not matter.
    pub fn from_facts<'a>(facts: impl IntoIterator<Item = (&'a str, EnvironmentFact<'a>)>) -> Self {
        facts::read(facts)
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

/// Estimates how likely a fix for one environment works in the other: in [0, 1], symmetric, 1 for equal environments.
/// One more equal field never lowers the result.
///
/// The result is the product of a factor per field: 1 if both sides are equal or both unknown, less if one side is
/// unknown, and least if they differ. Majors are compared only if the names are equal; otherwise they count as most
/// distant.
pub fn env_match(a: &Environment, b: &Environment) -> f64 {
    let language = a.language.is_some() && a.language == b.language;
    let framework = a.framework.is_some() && a.framework == b.framework;
    name(OS, a.os_family.as_deref(), b.os_family.as_deref())
        * name(LANGUAGE, a.language.as_deref(), b.language.as_deref())
        * major(LANGUAGE_MAJOR, language, a.language_major, b.language_major)
        * name(FRAMEWORK, a.framework.as_deref(), b.framework.as_deref())
        * major(FRAMEWORK_MAJOR, framework, a.framework_major, b.framework_major)
        * runtime(a.runtime.as_deref(), b.runtime.as_deref())
        * major(CUDA, true, a.cuda_major, b.cuda_major)
}

fn name(chance: Name, a: Option<&str>, b: Option<&str>) -> f64 {
    match (a, b) {
        _ if a == b => 1.0,
        (Some(_), Some(_)) => chance.different,
        _ => chance.unknown,
    }
}

fn major(chance: Major, named: bool, a: Option<u32>, b: Option<u32>) -> f64 {
    match (a, b) {
        (None, None) => 1.0,
        _ if !named => chance.distant,
        (Some(a), Some(b)) if a == b => 1.0,
        (Some(a), Some(b)) => {
            let further = i32::try_from(a.abs_diff(b).min(64)).unwrap_or(64) - 1;
            chance.distant + (chance.neighbour - chance.distant) * 0.5_f64.powi(further)
        }
        _ => chance.unknown,
    }
}

/// Compares runtimes, which contain a name and a major.
fn runtime(a: Option<&str>, b: Option<&str>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else { return name(RUNTIME, a, b) };
    let ((a, a_major), (b, b_major)) = (facts::split_runtime(a), facts::split_runtime(b));
    if a == b { major(RUNTIME_MAJOR, true, a_major, b_major) } else { RUNTIME.different }
}

#[cfg(test)]
mod tests;
