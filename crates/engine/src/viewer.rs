//! The calls of the viewer: a file for each view, and the edits that a person may make. Incidents are in
//! `memory::finding::browse`. Viewing never changes counts or learned data.

pub mod comparison;
pub mod current_problems;
pub mod edit;
pub mod grid;
pub mod health;
pub mod inspection;
pub mod overview;
pub mod pattern;
pub mod patterns;
pub mod run;
pub mod runs;

use crate::{EngineError, runs::history};
use argus_core::display;

/// Maximum number of entries on a page.
const MAX_PAGE: u32 = 200;

/// Maximum offset, because deep pages are slow. Callers should filter instead.
const MAX_OFFSET: u32 = 1_000_000;

/// Maximum number of characters of a filter.
const MAX_FILTER_CHARS: usize = 200;

/// Checks and returns limit and offset. Returns an error if one of them is out of range.
pub(crate) fn check_page(limit: Option<u32>, default: u32, offset: Option<u32>) -> Result<(u32, u32), EngineError> {
    let limit = history::check_page_limit("limit", limit, default, MAX_PAGE)?;
    let offset = offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(EngineError::invalid_input(format!(
            "offset is {offset}; the maximum is {MAX_OFFSET}. Use a filter."
        )));
    }
    Ok((limit, offset))
}

/// Returns the cleaned text of a filter, or `None` if it is empty.
fn clean_filter_text(text: Option<&str>) -> Option<String> {
    // `display::line` ends a cut line with `…`, which stored texts do not contain, so the last character is dropped.
    let first = |text: &str| {
        display::sanitize_line(text, MAX_FILTER_CHARS + 1).chars().take(MAX_FILTER_CHARS).collect::<String>()
    };
    text.map(first).filter(|words| !words.is_empty())
}

/// Converts a count to the type of the answers.
fn saturate_to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the first entries of a list, and the number of entries left out.
fn take_first<T>(mut all: Vec<T>, most: usize) -> (Vec<T>, u32) {
    let more = saturate_to_u32(all.len().saturating_sub(most));
    all.truncate(most);
    (all, more)
}

/// Returns a page of a list.
fn take_page<T>(all: Vec<T>, limit: u32, offset: u32) -> Vec<T> {
    all.into_iter().skip(offset as usize).take(limit as usize).collect()
}
