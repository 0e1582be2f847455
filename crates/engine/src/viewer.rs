//! What a person looks at, page by page, and the little they may change: one file per view. Incidents:
//! `memory::finding::browse`.
//! Looking counts, learns and remembers nothing.

pub mod comparison;
pub mod edit;
pub mod grid;
pub mod health;
pub mod inspection;
pub mod now;
pub mod overview;
pub mod pattern;
pub mod patterns;
pub mod run;
pub mod runs;

use crate::{EngineError, runs::history};
use argus_core::display;

/// Things of a page, at most.
const MAX_PAGE: u32 = 200;

/// The deepest page; further in, a filter is the better way.
const MAX_OFFSET: u32 = 1_000_000;

/// Characters of a filter that are read.
const MAX_FILTER_CHARS: usize = 200;

/// Limit and offset in their ranges.
pub(crate) fn page(limit: Option<u32>, default: u32, offset: Option<u32>) -> Result<(u32, u32), EngineError> {
    let limit = history::page("limit", limit, default, MAX_PAGE)?;
    let offset = offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(EngineError::invalid(format!("offset is {offset}; it may be {MAX_OFFSET} at most. Use a filter.")));
    }
    Ok((limit, offset))
}

/// The words of a filter; none where it has none.
fn words(text: Option<&str>) -> Option<String> {
    // Where a line is cut, its last letter says so, and stands in no text.
    let first =
        |text: &str| display::line(text, MAX_FILTER_CHARS + 1).chars().take(MAX_FILTER_CHARS).collect::<String>();
    text.map(first).filter(|words| !words.is_empty())
}

/// How many there are, as far as a contract counts.
fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The first of a list, and how many are left out.
fn first<T>(mut all: Vec<T>, most: usize) -> (Vec<T>, u32) {
    let more = size(all.len().saturating_sub(most));
    all.truncate(most);
    (all, more)
}

/// One page of what is in memory.
fn cut<T>(all: Vec<T>, limit: u32, offset: u32) -> Vec<T> {
    all.into_iter().skip(offset as usize).take(limit as usize).collect()
}
