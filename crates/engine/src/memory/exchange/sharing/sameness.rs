//! Applies the shared decisions on whether two failures are the same, in the order of time, so that the last decision
//! wins. Joined failures share their fixes.

use super::FROM;
use crate::{
    Engine, EngineError,
    memory::exchange::{
        import::moment,
        patterns::{
            KnownLine,
            import::{PreparedKnown, ensure_row, prepare_known},
        },
    },
};
use argus_core::{Ambient, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, PatternKey, merging,
        sameness::{self, NewWord},
    },
};
use std::collections::BTreeMap;

/// A decision about two failures. Each failure is listed as in the decision file, then as in other files if those
/// describe another failure of the pattern.
pub(super) struct Word {
    pub(super) id: String,
    pub(super) created_at: String,
    pub(super) failure: Vec<KnownLine>,
    pub(super) other: Vec<KnownLine>,
    pub(super) is_same: bool,
}

/// A decision with failures that are signed by the rules of this memory.
struct Prepared<'a> {
    id: &'a str,
    said_at: i64,
    failure: Vec<PreparedKnown>,
    other: Vec<PreparedKnown>,
    is_same: bool,
}

/// Merges the failures that are the same, and stores which failures are different.
pub(super) fn apply(engine: &Engine, ambient: &Ambient, words: &[Word]) -> Result<(), EngineError> {
    // A decision that cannot be prepared is skipped, as an import skips invalid lines.
    let mut words: Vec<_> = words.iter().filter_map(|word| prepare(engine, word).ok()).collect();
    words.stable_sort_by_key(|word| (word.said_at, word.id));
    if words.is_empty() {
        return Ok(());
    }
    let body = |tx: &mut Tx<'_>| -> Result<(), EngineError> {
        let mut said = Vec::with_capacity(words.len());
        for word in &words {
            let failure = rows(engine, tx, word, &word.failure)?;
            let other = rows(engine, tx, word, &word.other)?;
            said.push((word, failure, other));
        }
        write(tx, &said, ambient.now)
    };
    engine.write(ambient, body)
}

/// A decision with the rows of its two failures.
type Resolved<'a> = (&'a Prepared<'a>, Vec<PatternKey>, Vec<PatternKey>);

fn rows(
    engine: &Engine,
    tx: &mut Tx<'_>,
    word: &Prepared<'_>,
    known: &[PreparedKnown],
) -> Result<Vec<PatternKey>, EngineError> {
    let mut rows = Vec::with_capacity(known.len());
    for known in known {
        rows.extend(ensure_row(engine, tx, known, word.said_at)?);
    }
    Ok(rows)
}

fn write(tx: &mut Tx<'_>, said: &[Resolved<'_>], now: i64) -> Result<(), EngineError> {
    let mut units = Groups::default();
    for (word, failure, other) in said {
        for rows in [failure, other] {
            if let [own, known] = rows[..] {
                units.join(own, known, word.id);
            }
        }
    }
    let mut groups = Groups::default();
    for (word, failure, other) in said {
        let (Some(failure), Some(other)) = (failure.first(), other.first()) else { continue };
        let (failure, other) = (units.head(*failure), units.head(*other));
        if word.is_same {
            groups.join(failure, other, word.id);
        } else {
            groups.part(failure, other, word.id);
        }
    }
    for &key in units.led.keys().chain(groups.led.keys()) {
        let unit = units.head(key);
        let head = groups.head(unit);
        if head == key {
            continue;
        }
        if let (Some(from), Some(into)) = (patterns::get(tx, key)?, patterns::get(tx, head)?) {
            merging::merge(tx, &from, &into, now)?;
        }
        if let Some((_, id)) = groups.led.get(&unit) {
            sameness::say(tx, key, head, NewWord { id, is_same: true, now })?;
        }
    }
    for (&(one, other), id) in &groups.apart {
        let (one, other) = (groups.head(one), groups.head(other));
        if one != other {
            sameness::say(tx, one, other, NewWord { id, is_same: false, now })?;
        }
    }
    Ok(())
}

fn prepare<'a>(engine: &Engine, word: &'a Word) -> Result<Prepared<'a>, EngineError> {
    let prepare = |lines: &[KnownLine]| -> Result<Vec<_>, EngineError> {
        lines.iter().map(|line| prepare_known(engine, line, FROM)).collect()
    };
    Ok(Prepared {
        id: &word.id,
        said_at: moment(Some(&word.created_at), 0)?,
        failure: prepare(&word.failure)?,
        other: prepare(&word.other)?,
        is_same: word.is_same,
    })
}

/// Groups of equal failures, and pairs of different failures.
#[derive(Default)]
struct Groups<'a> {
    /// The head of the group of each joined pattern, and the id of the decision that joined it.
    led: BTreeMap<PatternKey, (PatternKey, &'a str)>,
    apart: BTreeMap<(PatternKey, PatternKey), &'a str>,
}

impl<'a> Groups<'a> {
    fn head(&self, key: PatternKey) -> PatternKey {
        self.led.get(&key).map_or(key, |(head, _)| *head)
    }

    /// Joins the group of `one` into the group of `other`.
    fn join(&mut self, one: PatternKey, other: PatternKey, id: &'a str) {
        self.apart.remove(&pair(one, other));
        let (from, into) = (self.head(one), self.head(other));
        if from == into {
            return;
        }
        for (head, word) in self.led.values_mut().filter(|(head, _)| *head == from) {
            (*head, *word) = (into, id);
        }
        self.led.insert(from, (into, id));
    }

    /// Declares two patterns different. If they are in the same group, `one` leaves it.
    fn part(&mut self, one: PatternKey, other: PatternKey, id: &'a str) {
        if one == other {
            return;
        }
        self.apart.insert(pair(one, other), id);
        let head = self.head(one);
        if head != self.head(other) {
            return;
        }
        self.led.remove(&one);
        if head == one {
            self.led.remove(&other);
            for (head, _) in self.led.values_mut().filter(|(head, _)| *head == one) {
                *head = other;
            }
        }
    }
}

fn pair(one: PatternKey, other: PatternKey) -> (PatternKey, PatternKey) {
    (one.min(other), one.max(other))
}
