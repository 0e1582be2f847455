//! The text by which learned patterns are filtered: a short lower-case text per pattern. The code lowercases ASCII
//! letters only, as the database's `lower` does.

use super::PatternKey;
use crate::{database::Tx, error::StoreError};
use argus_core::Category;

/// Maximum length of the case name. The SQL in `write` has the same number.
const MAX_CASE_CHARS: usize = 300;

/// Stores the text of a pattern that was just learned.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    category: Category,
    key: PatternKey,
    description: &str,
    case_name: &str,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_texts (category, pattern_key, text) VALUES ($1, $2, $3)";
    let case_name: String = case_name.chars().take(MAX_CASE_CHARS).collect();
    let text = format!("{description}\n{case_name}\n").to_ascii_lowercase();
    tx.execute_deferred(SQL, &[category.as_str().into(), key.into(), (&text).into()])
}

/// Stores the text of a learned pattern as it is displayed now. A merged pattern has no text.
pub(crate) fn write(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_texts (category, pattern_key, text) \
                       SELECT COALESCE(p.person_category, p.category), p.key, \
                       lower(COALESCE(p.person_description, p.description) || '\n' || \
                       substr(p.case_name, 1, 300) || '\n' || COALESCE(substr(s.steps, 1, 200), '')) \
                       FROM patterns p LEFT JOIN solutions s ON s.key = COALESCE(p.person_solution, p.best_solution) \
                       WHERE p.key = $1 AND p.source = 'learned' AND p.merged_into IS NULL \
                       ON CONFLICT (category, pattern_key) DO UPDATE SET text = excluded.text \
                       WHERE pattern_texts.text <> excluded.text";
    tx.execute_deferred(SQL, &[key.into()])
}

/// Removes the text of a pattern that was displayed in this category.
pub(crate) fn remove(tx: &mut Tx<'_>, category: Category, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM pattern_texts WHERE category = $1 AND pattern_key = $2";
    tx.execute_deferred(SQL, &[category.as_str().into(), key.into()])
}
