//! Row keys by which a part of the store refers to rows of another part.

use crate::database::Value;

/// Row key of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncidentKey(pub(crate) i64);

impl From<IncidentKey> for Value<'_> {
    fn from(key: IncidentKey) -> Self {
        key.0.into()
    }
}

/// Row key of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternKey(pub(crate) i64);

impl From<PatternKey> for Value<'_> {
    fn from(key: PatternKey) -> Self {
        key.0.into()
    }
}

/// Row key of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SolutionKey(pub(crate) i64);

impl From<SolutionKey> for Value<'_> {
    fn from(key: SolutionKey) -> Self {
        key.0.into()
    }
}
