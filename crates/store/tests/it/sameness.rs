//! Tests decisions about two failures: the last decision of each pair is kept, also when rows are merged.

use argus_core::Category;
use argus_store::{
    FileAccess, Sqlite, StoreError, Tx,
    patterns::{
        self, NewPattern, PatternKey, SignatureSet,
        merge_decisions::{self, NewMergeDecision},
        merging,
    },
};

const NOW: i64 = 1_772_100_000_000;

fn build_identity<'a>(recipe: &'a str, signature: &'a str) -> SignatureSet<'a> {
    SignatureSet {
        recipe,
        category: Category::Unknown,
        signature,
        family: signature,
        normalized: signature,
        bands: [1; 4],
    }
}

fn insert_pattern(tx: &mut Tx<'_>, id: &str) -> Result<PatternKey, StoreError> {
    let new = NewPattern {
        id,
        identity: build_identity("one", id),
        case_name: "boom",
        description: "",
        occurrences: 1,
        resolutions: 0,
        now: NOW,
        sample: "{}",
    };
    patterns::insert(tx, &new)
}

/// Returns for each decision its id, the ids of both failures, and whether they are the same.
fn list_decisions(tx: &mut Tx<'_>) -> Result<Vec<(String, String, String, bool)>, StoreError> {
    let said = merge_decisions::list_page(tx, "", 10)?;
    Ok(said.into_iter().map(|said| (said.id, said.failure.id, said.other.id, said.is_same)).collect())
}

fn decision(id: &str, one: &str, other: &str, is_same: bool) -> (String, String, String, bool) {
    (id.to_owned(), one.to_owned(), other.to_owned(), is_same)
}

#[test]
fn last_decision_of_a_pair_is_kept_when_rows_are_merged() {
    let database = Sqlite::open(":memory:", None, FileAccess::ReadWrite).unwrap();
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        let [a, b, c] = [insert_pattern(tx, "pat-a")?, insert_pattern(tx, "pat-b")?, insert_pattern(tx, "pat-c")?];
        let said = |id, is_same| NewMergeDecision { id, is_same, now: NOW };
        merge_decisions::record_merge_decision(tx, a, b, said("dec-1", false))?;
        merge_decisions::record_merge_decision(tx, b, a, said("dec-2", false))?;
        assert_eq!(
            list_decisions(tx)?,
            [decision("dec-1", "pat-a", "pat-b", false)],
            "a repeated decision changes nothing"
        );
        merge_decisions::record_merge_decision(tx, b, a, said("dec-3", true))?;
        assert_eq!(
            list_decisions(tx)?,
            [decision("dec-3", "pat-b", "pat-a", true)],
            "the opposite decision replaces it"
        );
        merge_decisions::record_merge_decision(tx, b, c, said("dec-4", false))?;
        assert_eq!(
            (merge_decisions::list_different_failures(tx, b)?, merge_decisions::list_different_failures(tx, c)?),
            (vec![c], vec![b])
        );
        assert_eq!(merge_decisions::find_merge_decision(tx, a)?.as_deref(), Some("dec-3"));
        assert_eq!(merge_decisions::find_merge_decision(tx, c)?, None);
        assert_eq!(merge_decisions::list_page(tx, "dec-3", 10)?.len(), 1);

        // A newer recipe signs both failures alike.
        for (id, signature) in [("pat-a", "same"), ("pat-b", "same")] {
            let pattern = patterns::find_by_id(tx, id)?.expect("the pattern exists");
            merging::recompute_signature(tx, &pattern, build_identity("two", signature))?;
        }
        assert_eq!(list_decisions(tx)?, [decision("dec-4", "pat-a", "pat-c", false)]);
        Ok(())
    };
    database.write(NOW, body).unwrap();
}
