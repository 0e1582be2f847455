//! The calls of the viewer: a file for each view, and the edits that a person may make. Incidents are in
//! `memory::finding::browse`. Viewing never changes counts or what was learned.

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

/// Maximum number of entries on a page.
const MAX_PAGE: u32 = 200;

/// Maximum offset, because deep pages are slow. A filter is the better way.
const MAX_OFFSET: u32 = 1_000_000;

/// Maximum characters of a filter.
const MAX_FILTER_CHARS: usize = 200;

/// Checks limit and offset. Returns an error if either is out of range.
pub(crate) fn page(limit: Option<u32>, default: u32, offset: Option<u32>) -> Result<(u32, u32), EngineError> {
    let limit = history::page("limit", limit, default, MAX_PAGE)?;
    let offset = offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(EngineError::invalid(format!("offset is {offset}; it may be {MAX_OFFSET} at most. Use a filter.")));
    }
    Ok((limit, offset))
}

/// Returns the words of a filter. None if it has no words.
fn words(text: Option<&str>) -> Option<String> {
    // `display::line` ends a cut line with `…`, which stored texts do not contain, so the last character is dropped.
    let first =
        |text: &str| display::line(text, MAX_FILTER_CHARS + 1).chars().take(MAX_FILTER_CHARS).collect::<String>();
    text.map(first).filter(|words| !words.is_empty())
}

/// Converts a count to the type of the contract.
fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the first entries of a list, and the number of entries left out.
fn first<T>(mut all: Vec<T>, most: usize) -> (Vec<T>, u32) {
    let more = size(all.len().saturating_sub(most));
    all.truncate(most);
    (all, more)
}

/// Returns a page of a list.
fn cut<T>(all: Vec<T>, limit: u32, offset: u32) -> Vec<T> {
    all.into_iter().skip(offset as usize).take(limit as usize).collect()
}
