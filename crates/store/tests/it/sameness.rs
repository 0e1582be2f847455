//! Statements about two failures: the last statement of each pair is kept, also when rows are merged.

use argus_core::Category;
use argus_store::{
    Mode, Sqlite, StoreError, Tx,
    patterns::{
        self, Identity, NewPattern, PatternKey, merging,
        sameness::{self, NewWord},
    },
};

const NOW: i64 = 1_772_100_000_000;

fn identity<'a>(recipe: &'a str, signature: &'a str) -> Identity<'a> {
    Identity { recipe, category: Category::Unknown, signature, family: signature, normalized: signature, bands: [1; 4] }
}

fn learn(tx: &mut Tx<'_>, id: &str) -> Result<PatternKey, StoreError> {
    let new = NewPattern {
        id,
        identity: identity("one", id),
        case_name: "boom",
        description: "",
        occurrences: 1,
        resolutions: 0,
        now: NOW,
        sample: "{}",
    };
    patterns::insert(tx, &new)
}

/// For each statement: its id, the ids of both failures, and whether they are the same.
fn words(tx: &mut Tx<'_>) -> Result<Vec<(String, String, String, bool)>, StoreError> {
    let said = sameness::page(tx, "", 10)?;
    Ok(said.into_iter().map(|said| (said.id, said.failure.id, said.other.id, said.is_same)).collect())
}

fn word(id: &str, one: &str, other: &str, is_same: bool) -> (String, String, String, bool) {
    (id.to_owned(), one.to_owned(), other.to_owned(), is_same)
}

#[test]
fn keeps_last_statement_of_a_pair_through_merges() {
    let database = Sqlite::open(":memory:", None, Mode::ReadWrite).unwrap();
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        let [a, b, c] = [learn(tx, "pat-a")?, learn(tx, "pat-b")?, learn(tx, "pat-c")?];
        let said = |id, is_same| NewWord { id, is_same, now: NOW };
        sameness::say(tx, a, b, said("dec-1", false))?;
        sameness::say(tx, b, a, said("dec-2", false))?;
        assert_eq!(words(tx)?, [word("dec-1", "pat-a", "pat-b", false)], "once more is no news");
        sameness::say(tx, b, a, said("dec-3", true))?;
        assert_eq!(words(tx)?, [word("dec-3", "pat-b", "pat-a", true)], "the contrary is");
        sameness::say(tx, b, c, said("dec-4", false))?;
        assert_eq!((sameness::others_than(tx, b)?, sameness::others_than(tx, c)?), (vec![c], vec![b]));
        assert_eq!(sameness::joined_by(tx, a)?.as_deref(), Some("dec-3"));
        assert_eq!(sameness::joined_by(tx, c)?, None);
        assert_eq!(sameness::page(tx, "dec-3", 10)?.len(), 1);

        // A newer recipe signs both failures alike.
        for (id, signature) in [("pat-a", "same"), ("pat-b", "same")] {
            let pattern = patterns::by_id(tx, id)?.expect("it is there");
            merging::recompute_signature(tx, &pattern, identity("two", signature))?;
        }
        assert_eq!(words(tx)?, [word("dec-4", "pat-a", "pat-c", false)]);
        Ok(())
    };
    database.write(NOW, body).unwrap();
}
