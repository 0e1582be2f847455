//! Tests search indexes from foreign files, which may contain any data.

use crate::{NOW, missing_file, open};
use argus_store::{
    FileAccess, Sqlite, StoreError, StoreErrorKind, Tx,
    search::{self, SearchTerm},
};
use rusqlite::Connection;
use std::path::PathBuf;

/// Creates an empty database of this version and changes it with another program.
fn create_changed(name: &str, change: impl FnOnce(&Connection)) -> PathBuf {
    let path = missing_file(&format!("search-{name}"));
    open(&path).create(NOW).unwrap();
    let mut connection = Connection::open(&path).unwrap();
    let transaction = connection.transaction().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
    path
}

fn count_candidates(database: &Sqlite) -> Result<usize, StoreError> {
    let wanted = [SearchTerm { term: 7, worth: 1.0, documents: 1 }];
    let body = |tx: &mut Tx<'_>| search::find_candidates(tx, &wanted, None, 10);
    database.read(NOW, body).map(|candidates| candidates.len())
}

/// First document, last document, and number of documents.
type SegmentRow = (i64, i64, i64);

#[test]
fn segments_with_invalid_ranges_are_rejected() {
    let widest = (1 << 24) - 1;
    let cases: [(&str, Vec<SegmentRow>); 7] = [
        ("overlapping", vec![(1, widest, 1); 1_000]),
        ("far", (0..1_000).map(|at| (1 + at * (1 << 24), (at + 1) * (1 << 24), 1)).collect()),
        ("everything", vec![(i64::MIN, i64::MAX, 1)]),
        ("backwards", vec![(2, 1, 1)]),
        ("many", (1..=5_000).map(|at| (at, at, 1)).collect()),
        ("crowded", vec![(1, 64, i64::MAX)]),
        ("negative", vec![(1, 64, -1)]),
    ];
    for (name, rows) in cases {
        let path = create_changed(name, |connection| {
            let mut insert = connection
                .prepare("INSERT INTO search_segments (first_document, last_document, documents) VALUES (?1, ?2, ?3)")
                .unwrap();
            for row in rows {
                insert.execute(row).unwrap();
            }
        });
        assert_eq!(count_candidates(&open(&path)).unwrap_err().kind(), StoreErrorKind::Corrupt, "{name}");
    }
}

#[test]
fn search_reads_at_most_64_documents_without_segment() {
    let vector = [7, 255];
    let path = create_changed("tail", |connection| {
        for key in 1..=500 {
            connection
                .execute("INSERT INTO search_documents (key, incident_key, vector) VALUES (?1, 1, ?2)", (key, vector))
                .unwrap();
        }
        connection.execute("UPDATE memory_totals SET total = 501 WHERE name = 'next_document'", []).unwrap();
    });
    let count_documents = |database: &Sqlite| {
        let body = |tx: &mut Tx<'_>| search::count_documents(tx, &[7]);
        database.read(NOW, body).unwrap().1
    };
    assert_eq!(count_documents(&open(&path)), [64]);
    // The next call of `add` creates segments for all documents.
    let body = |tx: &mut Tx<'_>| search::add(tx, &[]);
    open(&path).write(NOW, body).unwrap();
    assert_eq!(count_documents(&open(&path)), [500]);
}

#[test]
fn foreign_files_with_rows_above_2_mib_are_rejected() {
    let path = create_changed("long", |connection| {
        let list = "INSERT INTO search_postings (key, postings) VALUES ((1 << 32) + 7, zeroblob(3000000))";
        connection.execute(list, []).unwrap();
        let segment = "INSERT INTO search_segments (key, first_document, last_document, documents) VALUES (1, 1, 9, 9)";
        connection.execute(segment, []).unwrap();
    });
    let foreign = Sqlite::open_foreign(path.to_str().unwrap(), None, FileAccess::ReadWrite).unwrap();
    assert_eq!(count_candidates(&foreign).unwrap_err().kind(), StoreErrorKind::Corrupt);
    assert_eq!(count_candidates(&open(&path)).unwrap(), 0, "an own file has no limit");
}
