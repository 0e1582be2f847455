//! The search index of the debug memory. For each term, the index stores the documents that contain the term, with its
//! weight in each, and their number. `argus-core` splits texts into terms and scores candidates with the vectors that
//! are stored here.
//!
//! SQLite's FTS5 is not used, because it stores no weights. It would have to read every document with a rare term to
//! score it, and its ranking reads the whole list of every common term. The lists of this index contain the weights of
//! `argus-core`, so that candidates are chosen by the same sum that is used for scoring, limited to the most valuable
//! terms.

mod postings;
mod segments;

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
    keys::{IncidentKey, PatternKey},
};
use argus_core::search::TermVector;
use segments::Segment;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Maximum number of postings that a search reads, most valuable terms first. Reading them takes about a fifth of the
/// search time at a million documents.
const MAX_POSTINGS: u64 = 250_000;
/// Maximum number of terms whose lists a search reads. The other terms count only when candidates are scored.
const MAX_TERMS: usize = 40;
/// Maximum number of lists that a search reads. With many segments it reads fewer terms, because each list may be on a
/// different page of the file.
const MAX_LISTS: usize = 480;
/// Minimum number of terms that give good candidates.
const MIN_TERMS: usize = 12;
/// Maximum number of documents of the same family to consider, newest first.
const MAX_FAMILY_DOCUMENTS: u32 = 50;

/// The incident or pattern that a document describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentOwner {
    /// An incident.
    Incident(IncidentKey),
    /// A failure pattern.
    Pattern(PatternKey),
}

impl DocumentOwner {
    /// Returns the values of the columns `incident_key` and `pattern_key`.
    pub(crate) fn columns(self) -> [Value<'static>; 2] {
        match self {
            Self::Incident(key) => [key.into(), Value::Null],
            Self::Pattern(key) => [Value::Null, key.into()],
        }
    }
}

/// A document to index.
#[derive(Debug)]
pub struct NewDocument<'a> {
    /// The incident or pattern that the document describes.
    pub owner: DocumentOwner,
    /// Family signature.
    pub family: Option<&'a str>,
    /// Terms with their weights.
    pub vector: &'a TermVector,
}

/// A term to search for.
#[derive(Clone, Copy, Debug)]
pub struct SearchTerm {
    /// Hash of the term.
    pub term: u32,
    /// Score of a document that contains the term with the highest weight.
    pub worth: f64,
    /// Number of documents that contain the term, from [`count_documents`].
    pub documents: u64,
}

/// A document that may match.
#[derive(Debug)]
pub struct SearchCandidate {
    /// The incident or pattern that the document describes.
    pub owner: DocumentOwner,
    /// Family signature as returned by [`family_key`].
    pub family: Option<i64>,
    /// Terms with their weights, encoded as bytes.
    pub vector: Vec<u8>,
}

/// Returns a family signature as the index stores it: the first 16 hex digits as a number.
pub fn family_key(family: &str) -> i64 {
    let half = family.get(..16).unwrap_or(family);
    u64::from_str_radix(half, 16).map_or_else(|_| fnv1a_hash(family), u64::cast_signed)
}

/// Adds documents to the index. Their owners must not be indexed already.
pub fn add(tx: &mut Tx<'_>, documents: &[NewDocument<'_>]) -> Result<(), StoreError> {
    const NEXT: &str = "UPDATE memory_totals SET total = total + $1 WHERE name = 'next_document' RETURNING total";
    const SQL: &str = "INSERT INTO search_documents (key, incident_key, pattern_key, family, vector) \
                       VALUES ($1, $2, $3, $4, $5)";
    let count = i64::try_from(documents.len()).unwrap_or(i64::MAX);
    let row = tx.query_first(NEXT, &[count.into()])?;
    let after: i64 = row.ok_or_else(|| StoreError::corrupt("the count of documents is gone"))?.read()?;
    let keys = (after - count)..;
    let vectors: Vec<Vec<u8>> = documents.iter().map(|document| document.vector.to_bytes()).collect();
    let rows = keys.clone().zip(documents).zip(&vectors).map(|((key, document), vector)| {
        let [incident, pattern] = document.owner.columns();
        [key.into(), incident, pattern, document.family.map(family_key).into(), Value::Bytes(vector)]
    });
    tx.execute_many(SQL, rows)?;
    for (key, document) in keys.zip(documents) {
        record_document(tx, document.owner, Some(key))?;
    }
    add_to_total(tx, "documents", count)?;
    segments::compact(tx)
}

/// Removes documents. Owners without a document are skipped.
pub fn remove(tx: &mut Tx<'_>, owners: &[DocumentOwner]) -> Result<(), StoreError> {
    const DOCUMENT: &str =
        "SELECT document FROM incidents WHERE key = $1 UNION ALL SELECT document FROM patterns WHERE key = $2";
    const SQL: &str = "DELETE FROM search_documents WHERE key = $1 RETURNING key, vector";
    const COUNT: &str = "UPDATE search_terms SET documents = documents - 1 WHERE term = $1";
    let columns: Vec<_> = owners.iter().map(|owner| owner.columns()).collect();
    let mut keys = Vec::new();
    for (owner, rows) in owners.iter().zip(tx.query_many(DOCUMENT, &columns)?) {
        for mut row in rows {
            let Some(key) = row.read::<Option<i64>>()? else { continue };
            record_document(tx, *owner, None)?;
            keys.push([key.into()]);
        }
    }
    let removed: Vec<Row> = tx.query_many(SQL, &keys)?.into_iter().flatten().collect();
    if removed.is_empty() {
        return Ok(());
    }
    add_to_total(tx, "documents", -i64::try_from(removed.len()).unwrap_or(i64::MAX))?;
    let last = segments::read_all(tx)?.last().map_or(0, |segment| segment.last);
    for mut row in removed {
        if row.read::<i64>()? <= last {
            let vector = TermVector::from_bytes(&row.read::<Vec<u8>>()?);
            tx.execute_many(COUNT, vector.terms().iter().map(|(term, _)| [(*term).into()]))?;
        }
    }
    Ok(())
}

/// Returns the number of documents, and for each term the number of documents that contain it.
pub fn count_documents(tx: &mut Tx<'_>, terms: &[u32]) -> Result<(u64, Vec<u64>), StoreError> {
    let segments = segments::read_all(tx)?;
    let mut counts = if segments.is_empty() { vec![0; terms.len()] } else { count_in_segments(tx, terms)? };
    for (_, vector) in segments::read_unsegmented(tx, &segments)? {
        for (term, count) in terms.iter().zip(&mut counts) {
            *count += u64::from(vector.terms().binary_search_by_key(term, |(hash, _)| *hash).is_ok());
        }
    }
    Ok((read_total(tx, "documents")?, counts))
}

/// Returns the documents with the highest score over the most valuable terms, plus documents of the family. Returns
/// about `take` documents without any order.
pub fn find_candidates(
    tx: &mut Tx<'_>,
    wanted: &[SearchTerm],
    family: Option<i64>,
    take: usize,
) -> Result<Vec<SearchCandidate>, StoreError> {
    const FAMILIES: &str = "SELECT key FROM search_documents WHERE family = $1 ORDER BY key DESC LIMIT $2";
    let segments = segments::read_all(tx)?;
    let chosen = choose_terms(wanted, (MAX_LISTS / segments.len().max(1)).clamp(MIN_TERMS, MAX_TERMS));
    let mut best = BestDocuments { take, heap: BinaryHeap::with_capacity(take + 1) };
    for segment in &segments {
        score_segment(tx, segment, &chosen, &mut best)?;
    }
    for (key, vector) in segments::read_unsegmented(tx, &segments)? {
        best.offer(key, score_vector(&vector, &chosen));
    }
    let mut keys: Vec<i64> = best.heap.into_iter().map(|Reverse((_, key))| key).collect();
    if let Some(family) = family {
        for mut row in tx.query(FAMILIES, &[family.into(), MAX_FAMILY_DOCUMENTS.into()])? {
            keys.push(row.read()?);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    read_candidates(tx, &keys)
}

/// Removes up to `limit` patterns from the queue of the index and returns them.
pub fn take_pending_patterns(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "DELETE FROM search_waiting WHERE pattern_key IN \
                       (SELECT pattern_key FROM search_waiting ORDER BY pattern_key LIMIT $1) RETURNING pattern_key";
    let rows = tx.query(SQL, &[limit.into()])?;
    rows.into_iter().map(|mut row| row.read().map(PatternKey)).collect()
}

/// Returns true if a pattern is queued.
pub fn has_pending_patterns(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_first("SELECT 1 FROM search_waiting LIMIT 1", &[])?.is_some())
}

/// Queues a learned pattern, so that it is indexed before the next search.
pub(crate) fn queue_pattern(tx: &mut Tx<'_>, pattern: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO search_waiting (pattern_key) SELECT key FROM patterns \
                       WHERE key = $1 AND source = 'learned' ON CONFLICT DO NOTHING";
    tx.execute_deferred(SQL, &[pattern.into()])
}

/// Adds `change` to a stored total.
pub(crate) fn add_to_total(tx: &mut Tx<'_>, name: &'static str, change: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE memory_totals SET total = total + $2 WHERE name = $1";
    tx.execute_deferred(SQL, &[name.into(), change.into()])
}

/// Reads a stored total.
pub(crate) fn read_total(tx: &mut Tx<'_>, name: &'static str) -> Result<u64, StoreError> {
    let row = tx.query_first("SELECT total FROM memory_totals WHERE name = $1", &[name.into()])?;
    let total: i64 = row.map_or(Ok(0), |mut row| row.read())?;
    Ok(u64::try_from(total).unwrap_or_default())
}

/// The best documents found so far.
struct BestDocuments {
    take: usize,
    /// Min-heap of scores and keys. A score is stored as its bits, which sort like the score because it is not
    /// negative.
    heap: BinaryHeap<Reverse<(u32, i64)>>,
}

impl BestDocuments {
    /// Returns the score that a document must exceed.
    fn score_to_exceed(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse((bits, _))) if self.heap.len() >= self.take => f32::from_bits(*bits),
            _ => 0.0,
        }
    }

    fn offer(&mut self, key: i64, sum: f32) {
        if sum > self.score_to_exceed() {
            self.heap.push(Reverse((sum.to_bits(), key)));
            if self.heap.len() > self.take {
                self.heap.pop();
            }
        }
    }
}

/// Chooses the most valuable terms whose lists are short enough together. Returns them sorted by hash.
fn choose_terms(wanted: &[SearchTerm], max_terms: usize) -> Vec<(u32, f32)> {
    let mut by_worth: Vec<&SearchTerm> = wanted.iter().filter(|term| term.worth > 0.0 && term.documents > 0).collect();
    by_worth.sort_unstable_by(|a, b| b.worth.total_cmp(&a.worth));
    let (mut chosen, mut postings) = (Vec::new(), 0);
    for term in by_worth {
        if chosen.len() >= max_terms {
            break;
        }
        if chosen.is_empty() || postings + term.documents <= MAX_POSTINGS {
            postings += term.documents;
            #[allow(clippy::cast_possible_truncation, reason = "a worth is a small number; half the digits do")]
            chosen.push((term.term, term.worth as f32 / 255.0));
        }
    }
    chosen.sort_unstable_by_key(|(term, _)| *term);
    chosen
}

fn score_segment(
    tx: &mut Tx<'_>,
    segment: &Segment,
    chosen: &[(u32, f32)],
    best: &mut BestDocuments,
) -> Result<(), StoreError> {
    const SQL: &str = "SELECT postings FROM search_postings WHERE key = $1";
    if chosen.is_empty() {
        return Ok(());
    }
    let length = usize::try_from(segment.last - segment.first + 1).unwrap_or_default();
    let mut sums = vec![0.0_f32; length];
    let lists: Vec<_> = chosen.iter().map(|(term, _)| [segment.list_key(*term).into()]).collect();
    for ((_, worth), rows) in chosen.iter().zip(tx.query_many(SQL, &lists)?) {
        let Some(mut row) = rows.into_iter().next() else { continue };
        postings::decode(&row.read::<Vec<u8>>()?, |place, weight| {
            if let Some(sum) = sums.get_mut(place as usize) {
                *sum += worth * f32::from(weight);
            }
        });
    }
    let mut least = best.score_to_exceed();
    for (key, sum) in (segment.first..).zip(sums) {
        if sum > least {
            best.offer(key, sum);
            least = best.score_to_exceed();
        }
    }
    Ok(())
}

fn score_vector(vector: &TermVector, chosen: &[(u32, f32)]) -> f32 {
    let terms = vector.terms();
    let scores = chosen.iter().filter_map(|(term, worth)| {
        let at = terms.binary_search_by_key(term, |(hash, _)| *hash).ok()?;
        Some(worth * f32::from(terms[at].1))
    });
    scores.sum()
}

fn read_candidates(tx: &mut Tx<'_>, keys: &[i64]) -> Result<Vec<SearchCandidate>, StoreError> {
    const SQL: &str = "SELECT incident_key, pattern_key, family, vector FROM search_documents WHERE key = $1";
    let params: Vec<_> = keys.iter().map(|key| [(*key).into()]).collect();
    let mut found = Vec::with_capacity(keys.len());
    for rows in tx.query_many(SQL, &params)? {
        // A removed document stays in the lists of its segment.
        let Some(mut row) = rows.into_iter().next() else { continue };
        let owner = match (row.read::<Option<i64>>()?, row.read::<Option<i64>>()?) {
            (Some(incident), _) => DocumentOwner::Incident(IncidentKey(incident)),
            (None, Some(pattern)) => DocumentOwner::Pattern(PatternKey(pattern)),
            (None, None) => return Err(StoreError::corrupt("a search document is about nothing")),
        };
        found.push(SearchCandidate { owner, family: row.read()?, vector: row.read()? });
    }
    Ok(found)
}

fn count_in_segments(tx: &mut Tx<'_>, terms: &[u32]) -> Result<Vec<u64>, StoreError> {
    const SQL: &str = "SELECT documents FROM search_terms WHERE term = $1";
    let params: Vec<_> = terms.iter().map(|term| [(*term).into()]).collect();
    let count = |rows: Vec<Row>| {
        let count: i64 = rows.into_iter().next().map_or(Ok(0), |mut row| row.read())?;
        Ok(u64::try_from(count).unwrap_or_default())
    };
    tx.query_many(SQL, &params)?.into_iter().map(count).collect()
}

fn record_document(tx: &mut Tx<'_>, owner: DocumentOwner, document: Option<i64>) -> Result<(), StoreError> {
    match owner {
        DocumentOwner::Incident(key) => {
            tx.execute_deferred("UPDATE incidents SET document = $2 WHERE key = $1", &[key.into(), document.into()])
        }
        DocumentOwner::Pattern(key) => {
            tx.execute_deferred("UPDATE patterns SET document = $2 WHERE key = $1", &[key.into(), document.into()])
        }
    }
}

/// FNV-1a hash, for a family that is not a hexadecimal number.
fn fnv1a_hash(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).cast_signed()
}
