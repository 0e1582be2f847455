//! Keeps the index in a few large segments. The newest documents become a segment, and small segments are merged.
//!
//! This is a log-structured merge. A posting is written four times until the index has a million documents, but always
//! in the order of the keys. With one list per term, each term of each document would be written at a random position
//! in the file.

use super::postings::{self, MAX_SEGMENT_DOCUMENTS, Posting, PostingLists};
use crate::{
    database::{Tx, Value},
    error::StoreError,
};
use argus_core::search::TermVector;

/// Minimum number of documents of a segment. Reading fewer documents individually in every search is faster than
/// reading a segment.
const MIN_SEGMENT_DOCUMENTS: i64 = 64;
/// Maximum number of documents of a new segment, so that an import does not hold more in memory.
const MAX_NEW_DOCUMENTS: i64 = 16_384;
/// Upper bounds of the sizes, in documents. Segments of the largest size are not merged again.
const SEGMENT_SIZES: [i64; 3] = [512, 4_096, 32_768];
/// Number of segments of one size that are merged, together with smaller segments between them.
const MERGE_FAN_IN: usize = 8;
/// Number of documents whose postings are in memory at once during a merge.
const SLICE_DOCUMENTS: i64 = 4_096;
/// Maximum number of segments to read. A million documents have about fifty.
const MAX_SEGMENTS: u32 = 4_096;
/// Keys of documents start at 1, and a search walks over the whole range of each segment. A foreign file could contain
/// huge ranges, so a file with larger keys is refused. The limit is about a hundred million documents.
const MAX_DOCUMENT_KEY: i64 = 1 << 27;

/// The lists of a range of documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) key: i64,
    pub(super) first: i64,
    pub(super) last: i64,
    documents: i64,
}

impl Segment {
    /// Returns the row key of the list of a term.
    pub(super) fn list_key(&self, term: u32) -> i64 {
        self.key << 32 | i64::from(term)
    }

    fn size_class(&self) -> usize {
        SEGMENT_SIZES.iter().filter(|limit| self.documents >= **limit).count()
    }
}

/// Returns all segments in the order of their documents. Returns an error if segments overlap. A search walks over the
/// range of each segment, so overlapping ranges in a foreign file could make it arbitrarily slow.
pub(super) fn read_all(tx: &mut Tx<'_>) -> Result<Vec<Segment>, StoreError> {
    const SQL: &str = "SELECT key, first_document, last_document, documents FROM search_segments ORDER BY key LIMIT $1";
    let rows = tx.query(SQL, &[(MAX_SEGMENTS + 1).into()])?;
    if rows.len() > MAX_SEGMENTS as usize {
        return Err(StoreError::corrupt("there are too many search segments"));
    }
    let mut segments = Vec::with_capacity(rows.len());
    let mut covered = 0;
    for mut row in rows {
        let segment = Segment { key: row.read()?, first: row.read()?, last: row.read()?, documents: row.read()? };
        if !is_valid_range(&segment, covered) {
            return Err(StoreError::corrupt("a search segment has an impossible range"));
        }
        covered = segment.last;
        segments.push(segment);
    }
    Ok(segments)
}

/// Returns true if a segment may follow segments that cover the documents up to `covered`.
fn is_valid_range(segment: &Segment, covered: i64) -> bool {
    let in_order = covered < segment.first && segment.first <= segment.last && segment.last < MAX_DOCUMENT_KEY;
    // Checked after the order, because the difference could overflow otherwise.
    in_order
        && (1..=MAX_SEGMENT_DOCUMENTS).contains(&segment.documents)
        && segment.last - segment.first < MAX_SEGMENT_DOCUMENTS
}

/// Returns the keys and vectors of the documents without a segment. [`compact`] leaves only a few. If a foreign file
/// has more, only the oldest are returned.
pub(super) fn read_unsegmented(tx: &mut Tx<'_>, segments: &[Segment]) -> Result<Vec<(i64, TermVector)>, StoreError> {
    read_documents_without_segment(tx, segments, MIN_SEGMENT_DOCUMENTS)
}

fn read_documents_without_segment(
    tx: &mut Tx<'_>,
    segments: &[Segment],
    limit: i64,
) -> Result<Vec<(i64, TermVector)>, StoreError> {
    const SQL: &str = "SELECT key, vector FROM search_documents WHERE key > $1 ORDER BY key LIMIT $2";
    let last = segments.last().map_or(0, |segment| segment.last);
    let rows = tx.query(SQL, &[last.into(), limit.into()])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, TermVector::from_bytes(&row.read::<Vec<u8>>()?)))).collect()
}

/// Creates a segment from the newest documents if there are enough, and merges small segments.
pub(super) fn compact(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let mut segments = read_all(tx)?;
    while count_unsegmented(tx, &segments)? >= MIN_SEGMENT_DOCUMENTS {
        let documents = read_documents_without_segment(tx, &segments, MAX_NEW_DOCUMENTS)?;
        segments.push(write_segment(tx, &segments, &documents)?);
        while let Some(run) = find_next_merge(&segments) {
            let merged = merge_segments(tx, &segments[run..])?;
            segments.truncate(run);
            segments.push(merged);
        }
    }
    Ok(())
}

/// Returns the number of documents without a segment.
fn count_unsegmented(tx: &mut Tx<'_>, segments: &[Segment]) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM search_documents WHERE key > $1";
    let last = segments.last().map_or(0, |segment| segment.last);
    tx.query_first(SQL, &[last.into()])?.map_or(Ok(0), |mut row| row.read())
}

/// Returns the index of the first segment of a run that should be merged.
fn find_next_merge(segments: &[Segment]) -> Option<usize> {
    let size = segments.last()?.size_class();
    if size >= SEGMENT_SIZES.len() {
        return None;
    }
    let run = segments.iter().rev().take_while(|segment| segment.size_class() <= size).count();
    (run >= MERGE_FAN_IN).then(|| segments.len() - run)
}

fn write_segment(
    tx: &mut Tx<'_>,
    segments: &[Segment],
    documents: &[(i64, TermVector)],
) -> Result<Segment, StoreError> {
    const COUNT: &str = "INSERT INTO search_terms (term, documents) VALUES ($1, $2) \
                         ON CONFLICT (term) DO UPDATE SET documents = search_terms.documents + excluded.documents";
    let (Some((first, _)), Some((last, _))) = (documents.first(), documents.last()) else {
        return Err(StoreError::corrupt("a search segment of nothing"));
    };
    let mut found = Vec::new();
    for (key, vector) in documents {
        let place = u32::try_from(key - first).map_err(|_| StoreError::corrupt("a document is out of its place"))?;
        found.extend(vector.terms().iter().map(|(term, weight)| Posting::new(*term, place, *weight)));
    }
    found.sort_unstable();
    let lists = PostingLists::from_sorted(&found);
    let key = segments.last().map_or(1, |segment| segment.key + 1);
    let segment = Segment { key, first: *first, last: *last, documents: to_i64(documents.len()) };
    insert_segment(tx, &segment)?;
    insert_lists(tx, &segment, &lists)?;
    tx.execute_many(COUNT, lists.iter().map(|(term, count, _)| [term.into(), count.into()]))?;
    Ok(segment)
}

fn insert_segment(tx: &mut Tx<'_>, segment: &Segment) -> Result<(), StoreError> {
    const SQL: &str =
        "INSERT INTO search_segments (key, first_document, last_document, documents) VALUES ($1, $2, $3, $4)";
    let params = [segment.key.into(), segment.first.into(), segment.last.into(), segment.documents.into()];
    tx.execute_deferred(SQL, &params)
}

fn insert_lists(tx: &mut Tx<'_>, segment: &Segment, lists: &PostingLists) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO search_postings (key, postings) VALUES ($1, $2)";
    tx.execute_many(SQL, lists.iter().map(|(term, _, list)| [segment.list_key(term).into(), Value::Bytes(list)]))
}

fn merge_segments(tx: &mut Tx<'_>, sources: &[Segment]) -> Result<Segment, StoreError> {
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else {
        return Err(StoreError::corrupt("a merge of nothing"));
    };
    let documents = sources.iter().map(|segment| segment.documents).sum();
    let merged = Segment { key: last.key + 1, first: first.first, last: last.last, documents };
    let slices = documents / SLICE_DOCUMENTS + 1;
    for slice in 0..slices {
        let (from, to) = ((slice << 32) / slices, ((slice + 1) << 32) / slices);
        let lists = merge_slice(tx, &merged, sources, from, to)?;
        insert_lists(tx, &merged, &lists)?;
    }
    for source in sources {
        let range = [source.list_key(0).into(), (source.list_key(u32::MAX)).into()];
        tx.execute_deferred("DELETE FROM search_postings WHERE key BETWEEN $1 AND $2", &range)?;
        tx.execute_deferred("DELETE FROM search_segments WHERE key = $1", &[source.key.into()])?;
    }
    insert_segment(tx, &merged)?;
    Ok(merged)
}

/// Merges the lists of the terms whose hashes are in a range.
fn merge_slice(
    tx: &mut Tx<'_>,
    merged: &Segment,
    sources: &[Segment],
    from: i64,
    to: i64,
) -> Result<PostingLists, StoreError> {
    const SQL: &str = "SELECT key, postings FROM search_postings WHERE key >= $1 AND key < $2";
    let ranges: Vec<_> =
        sources.iter().map(|source| [(source.list_key(0) | from).into(), (source.list_key(0) + to).into()]).collect();
    let mut parts: Vec<(u32, i64, Vec<u8>)> = Vec::new();
    for (source, rows) in sources.iter().zip(tx.query_many(SQL, &ranges)?) {
        for mut row in rows {
            let term = u32::try_from(row.read::<i64>()? - source.list_key(0))
                .map_err(|_| StoreError::corrupt("a search term is out of its segment"))?;
            parts.push((term, source.first, row.read()?));
        }
    }
    parts.sort_unstable_by_key(|(term, first, _)| (*term, *first));
    let mut lists = PostingLists::default();
    for (term, first, list) in &parts {
        let shift = u32::try_from(first - merged.first).unwrap_or_default();
        postings::decode(list, |place, weight| lists.push(*term, shift.wrapping_add(place), weight));
    }
    Ok(lists)
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
