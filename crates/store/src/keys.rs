//! Where rows are: the keys by which one part of the store names a row of another.

use crate::database::Value;

/// Where an incident's solutions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncidentKey(pub(crate) i64);

impl From<IncidentKey> for Value<'_> {
    fn from(key: IncidentKey) -> Self {
        key.0.into()
    }
}

/// Where a pattern's outcomes and samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternKey(pub(crate) i64);

impl From<PatternKey> for Value<'_> {
    fn from(key: PatternKey) -> Self {
        key.0.into()
    }
}

/// Where a solution's outcomes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SolutionKey(pub(crate) i64);

impl From<SolutionKey> for Value<'_> {
    fn from(key: SolutionKey) -> Self {
        key.0.into()
    }
}
