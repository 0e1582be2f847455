//! Applies the shared decisions on whether two failures are the same, in chronological order, so that the newest
//! decision wins. Joined failures share their fixes.

use super::SHARED_FILES_SOURCE;
use crate::{
    Engine, EngineError,
    memory::exchange::{
        import::parse_time_or,
        patterns::{
            FailureLine,
            import::{PreparedFailure, find_or_insert_row, prepare_failure},
        },
    },
};
use argus_core::{CallContext, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, PatternKey,
        merge_decisions::{self, NewMergeDecision},
        merging,
    },
};
use std::collections::BTreeMap;

/// A decision about two failures. Each failure is a list: first the failure in the decision file, then, if other files
/// describe the same pattern by another failure, that failure.
pub(super) struct SamenessDecision {
    pub(super) id: String,
    pub(super) created_at: String,
    pub(super) failure: Vec<FailureLine>,
    pub(super) other: Vec<FailureLine>,
    pub(super) is_same: bool,
}

/// A decision with failures that are signed by the rules of this memory.
struct PreparedDecision<'a> {
    id: &'a str,
    decided_at: i64,
    failure: Vec<PreparedFailure>,
    other: Vec<PreparedFailure>,
    is_same: bool,
}

/// Merges the failures that are the same, and stores which failures are different.
pub(super) fn apply_decisions(
    engine: &Engine,
    context: &CallContext,
    decisions: &[SamenessDecision],
) -> Result<(), EngineError> {
    // A decision that cannot be prepared is skipped, as an import skips invalid lines.
    let mut decisions: Vec<_> =
        decisions.iter().filter_map(|decision| prepare_decision(engine, decision).ok()).collect();
    decisions.stable_sort_by_key(|decision| (decision.decided_at, decision.id));
    if decisions.is_empty() {
        return Ok(());
    }
    let body = |tx: &mut Tx<'_>| -> Result<(), EngineError> {
        let mut resolved = Vec::with_capacity(decisions.len());
        for decision in &decisions {
            let failure = find_rows(engine, tx, decision, &decision.failure)?;
            let other = find_rows(engine, tx, decision, &decision.other)?;
            resolved.push((decision, failure, other));
        }
        write_decisions(tx, &resolved, context.now_ms)
    };
    engine.write(context, body)
}

/// A decision with the rows of its two failures.
type ResolvedDecision<'a> = (&'a PreparedDecision<'a>, Vec<PatternKey>, Vec<PatternKey>);

fn find_rows(
    engine: &Engine,
    tx: &mut Tx<'_>,
    decision: &PreparedDecision<'_>,
    known: &[PreparedFailure],
) -> Result<Vec<PatternKey>, EngineError> {
    let mut rows = Vec::with_capacity(known.len());
    for known in known {
        rows.extend(find_or_insert_row(engine, tx, known, decision.decided_at)?);
    }
    Ok(rows)
}

fn write_decisions(tx: &mut Tx<'_>, resolved: &[ResolvedDecision<'_>], now: i64) -> Result<(), EngineError> {
    let mut units = FailureGroups::default();
    for (decision, failure, other) in resolved {
        for rows in [failure, other] {
            if let [own, known] = rows[..] {
                units.join(own, known, decision.id);
            }
        }
    }
    let mut groups = FailureGroups::default();
    for (decision, failure, other) in resolved {
        let (Some(failure), Some(other)) = (failure.first(), other.first()) else { continue };
        let (failure, other) = (units.head(*failure), units.head(*other));
        if decision.is_same {
            groups.join(failure, other, decision.id);
        } else {
            groups.separate(failure, other, decision.id);
        }
    }
    for &key in units.heads.keys().chain(groups.heads.keys()) {
        let unit = units.head(key);
        let head = groups.head(unit);
        if head == key {
            continue;
        }
        if let (Some(from), Some(into)) = (patterns::get(tx, key)?, patterns::get(tx, head)?) {
            merging::merge(tx, &from, &into, now)?;
        }
        if let Some((_, id)) = groups.heads.get(&unit) {
            merge_decisions::record_merge_decision(tx, key, head, NewMergeDecision { id, is_same: true, now })?;
        }
    }
    for (&(one, other), id) in &groups.different {
        let (one, other) = (groups.head(one), groups.head(other));
        if one != other {
            merge_decisions::record_merge_decision(tx, one, other, NewMergeDecision { id, is_same: false, now })?;
        }
    }
    Ok(())
}

fn prepare_decision<'a>(engine: &Engine, decision: &'a SamenessDecision) -> Result<PreparedDecision<'a>, EngineError> {
    let prepare = |lines: &[FailureLine]| -> Result<Vec<_>, EngineError> {
        lines.iter().map(|line| prepare_failure(engine, line, SHARED_FILES_SOURCE)).collect()
    };
    Ok(PreparedDecision {
        id: &decision.id,
        decided_at: parse_time_or(Some(&decision.created_at), 0)?,
        failure: prepare(&decision.failure)?,
        other: prepare(&decision.other)?,
        is_same: decision.is_same,
    })
}

/// Groups of equal failures, and pairs of different failures.
#[derive(Default)]
struct FailureGroups<'a> {
    /// The head of the group of each joined pattern, and the id of the decision that joined it.
    heads: BTreeMap<PatternKey, (PatternKey, &'a str)>,
    different: BTreeMap<(PatternKey, PatternKey), &'a str>,
}

impl<'a> FailureGroups<'a> {
    fn head(&self, key: PatternKey) -> PatternKey {
        self.heads.get(&key).map_or(key, |(head, _)| *head)
    }

    /// Joins the group of `one` into the group of `other`.
    fn join(&mut self, one: PatternKey, other: PatternKey, id: &'a str) {
        self.different.remove(&ordered_pair(one, other));
        let (from, into) = (self.head(one), self.head(other));
        if from == into {
            return;
        }
        for (head, decision) in self.heads.values_mut().filter(|(head, _)| *head == from) {
            (*head, *decision) = (into, id);
        }
        self.heads.insert(from, (into, id));
    }

    /// Declares two patterns different. If they are in the same group, `one` leaves the group.
    fn separate(&mut self, one: PatternKey, other: PatternKey, id: &'a str) {
        if one == other {
            return;
        }
        self.different.insert(ordered_pair(one, other), id);
        let head = self.head(one);
        if head != self.head(other) {
            return;
        }
        self.heads.remove(&one);
        if head == one {
            self.heads.remove(&other);
            for (head, _) in self.heads.values_mut().filter(|(head, _)| *head == one) {
                *head = other;
            }
        }
    }
}

fn ordered_pair(one: PatternKey, other: PatternKey) -> (PatternKey, PatternKey) {
    (one.min(other), one.max(other))
}
