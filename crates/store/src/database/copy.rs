//! Copies a memory from one database into another. The copy contains all recorded and learned data, but
//! neither the id of the file nor tables that only a server has.

use crate::{
    database::{Cell, Tx, Value},
    error::StoreError,
};

/// Maximum number of rows that are read at once, because they are held in memory.
const MAX_ROWS_PER_READ: i64 = 2_000;

/// The statements that delete the rows of a table, read them in the order of the key, and insert them.
struct TableSql {
    clear: &'static str,
    read: &'static str,
    write: &'static str,
}

macro_rules! table {
    ($name:literal by $order:literal: $columns:literal as $params:literal) => {
        TableSql {
            clear: concat!("DELETE FROM ", $name),
            read: concat!("SELECT ", $columns, " FROM ", $name, " ORDER BY ", $order, " LIMIT $1 OFFSET $2"),
            write: concat!("INSERT INTO ", $name, " (", $columns, ") VALUES (", $params, ")"),
        }
    };
}

/// A table comes after the tables that its rows refer to. `tests/postgres.rs` checks that no column is missing.
const TABLES: [TableSql; 28] = [
    table!("runs" by "key": "key, id, started_at, duration_ms, status, passed, failed, skipped, flaky, command, runner, \
        exit_code, signal, timed_out, git_commit, git_branch, git_dirty, is_foreign, shuffle"
        as "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19"),
    table!("cases" by "run_key, rank, seq": "run_key, rank, seq, name, status, runner_status, duration_ms, attempts"
        as "$1, $2, $3, $4, $5, $6, $7, $8"),
    table!("failures" by "run_key, seq": "run_key, seq, category, headline, signature, error, stdout_tail, stderr_tail, \
        exception_type, exit_code, signal, container_status, oom_killed, runner, verdict"
        as "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15"),
    table!("patterns" by "key": "key, id, source, category, recipe, signature, family, case_name, normalized, \
        description, occurrences, resolutions, best_solution, first_seen_at, last_seen_at, updated_at, document, \
        person_category, person_description, person_solution, edited_at, merged_into"
        as "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22"),
    table!("pattern_counts" by "category": "category, learned" as "$1, $2"),
    table!("pattern_samples" by "pattern_key": "pattern_key, event" as "$1, $2"),
    table!("pattern_bands" by "band, pattern_key": "band, pattern_key" as "$1, $2"),
    table!("pattern_texts" by "category, pattern_key": "category, pattern_key, text" as "$1, $2, $3"),
    table!("pattern_signatures" by "signature, pattern_key": "signature, pattern_key" as "$1, $2"),
    table!("pattern_days" by "pattern_key, day": "pattern_key, day, occurrences, resolutions" as "$1, $2, $3, $4"),
    table!("taken_counts" by "memory, pattern": "memory, pattern, pattern_key, occurrences, resolutions"
        as "$1, $2, $3, $4, $5"),
    table!("sameness" by "pattern_key, other_key": "pattern_key, other_key, id, is_same, said_at" as "$1, $2, $3, $4, $5"),
    table!("incidents" by "key": "key, id, title, error_signature, summary, created_at, updated_at, tags, document"
        as "$1, $2, $3, $4, $5, $6, $7, $8, $9"),
    table!("solutions" by "key": "key, id, pattern_key, incident_key, steps, digest, env, env_bucket, created_at, \
        wrong_at, by_person, recorded_by, recorded_from" as "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13"),
    table!("outcomes" by "key": "key, id, solution_key, pattern_key, started_pattern, worked, run_id, case_name, env, \
        env_bucket, notes, lookup_id, created_at, recorded_by, recorded_from, proved_by, refuted_by, passes, passes_needed, \
        changed"
        as "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20"),
    table!("solution_env_stats" by "solution_key, env_bucket": "solution_key, env_bucket, worked, failed, \
        last_confirmed_at, last_failed_at" as "$1, $2, $3, $4, $5, $6"),
    table!("shared_uses" by "id": "id, shared_id" as "$1, $2"),
    table!("lookups" by "key": "key, id, query, env_bucket, created_at" as "$1, $2, $3, $4, $5"),
    table!("search_documents" by "key": "key, incident_key, pattern_key, family, vector" as "$1, $2, $3, $4, $5"),
    table!("search_terms" by "term": "term, documents" as "$1, $2"),
    table!("search_segments" by "key": "key, first_document, last_document, documents" as "$1, $2, $3, $4"),
    table!("search_postings" by "key": "key, postings" as "$1, $2"),
    table!("memory_totals" by "name": "name, total" as "$1, $2"),
    table!("evidence" by "key": "key, state" as "$1, $2"),
    table!("test_histories" by "case_id": "case_id, name, history" as "$1, $2, $3"),
    table!("case_orders" by "digest": "digest, run_seq, size, cases" as "$1, $2, $3, $4"),
    table!("edits" by "run_seq": "run_seq, files" as "$1, $2"),
    table!("search_waiting" by "pattern_key": "pattern_key" as "$1"),
];

/// Returns true if the column is copied.
pub fn is_copied(table: &str, column: &str) -> bool {
    let is_table = |known: &&TableSql| known.clear.strip_prefix("DELETE FROM ") == Some(table);
    let columns =
        TABLES.iter().find(is_table).and_then(|known| known.read.strip_prefix("SELECT ")?.split(" FROM ").next());
    columns.is_some_and(|columns| columns.split(", ").any(|known| known == column))
}

/// Copies all rows into a database of this version. The target must be new: the rows that it was created with are
/// deleted first.
pub fn copy(from: &mut Tx<'_>, into: &mut Tx<'_>) -> Result<(), StoreError> {
    for table in TABLES {
        into.execute_deferred(table.clear, &[])?;
        let (mut offset, mut is_more) = (0, true);
        while is_more {
            let rows = from.query(table.read, &[MAX_ROWS_PER_READ.into(), offset.into()])?;
            is_more = rows.len() == usize::try_from(MAX_ROWS_PER_READ).unwrap_or_default();
            offset += MAX_ROWS_PER_READ;
            for row in rows {
                let cells = row.into_cells();
                let values: Vec<Value<'_>> = cells.iter().map(Cell::as_value).collect();
                into.execute_deferred(table.write, &values)?;
            }
        }
    }
    Ok(())
}
