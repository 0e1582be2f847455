//! Chooses the ids of causes and outages, so that a cause keeps its id from run to run.

use super::{GroupFacts, JudgingContext};
use crate::evidence::{
    facts::{Failure, FailureKey, RunSeq},
    stored_rows::memory::Outage,
    verdict::VerdictKind,
};

impl JudgingContext<'_> {
    /// Returns the outage of the previous run if it continues, else a new outage.
    pub(super) fn continue_or_start_outage(&self, common: FailureKey) -> Outage {
        let seq = self.run.seq;
        let known = self.memory.outages.iter().find(|known| known.common == common);
        let continued = known.filter(|known| known.last + 1 == seq);
        let first = known.map_or(seq, |known| known.first.unwrap_or(known.last));
        Outage {
            id: continued.map_or_else(|| hash_cause(common, seq), |known| known.id),
            common,
            first: Some(first),
            last: seq,
        }
    }

    pub(super) fn choose_cause_id(&self, kind: VerdictKind, failure: &Failure, shared: &GroupFacts<'_>) -> u64 {
        match kind {
            VerdictKind::Flaky | VerdictKind::Order | VerdictKind::Environment => {
                combine_hashes(failure.function.unwrap_or(failure.case), failure.signature)
            }
            _ => shared
                .lasting
                .map_or_else(|| combine_hashes(hash_cause(shared.common, self.run.seq), shared.site), |cause| cause.id),
        }
    }
}

impl GroupFacts<'_> {
    /// Returns the id of the cause of a failure in an outage. A failure with another error than the outage gets a cause
    /// of its own, which lasts as long as the outage.
    pub(super) fn outage_cause_id(&self, outage: Outage) -> u64 {
        if self.has_other_error { combine_hashes(outage.id, self.site) } else { outage.id }
    }
}

fn hash_cause(common: FailureKey, run: RunSeq) -> u64 {
    let (kind, value) = match common {
        FailureKey::Function(value) => (1, value),
        FailureKey::Signature(value) => (2, value),
    };
    combine_hashes(combine_hashes(kind, value), u64::from(run))
}

fn combine_hashes(first: u64, second: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&first.to_le_bytes(), second)
}
