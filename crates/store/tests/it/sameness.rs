//! What somebody says of two failures is kept, the last word of each pair, through what becomes of their rows.

use argus_core::Category;
use argus_store::{
    Database, Mode, Sqlite, StoreError,
    database::sqlite::SqliteTx,
    finish,
    patterns::{
        self, Identity, NewPattern, PatternKey, merging,
        sameness::{self, NewWord},
    },
};

const NOW: i64 = 1_772_100_000_000;

fn identity<'a>(recipe: &'a str, signature: &'a str) -> Identity<'a> {
    Identity { recipe, category: Category::Unknown, signature, family: signature, normalized: signature, bands: [1; 4] }
}

async fn learn(tx: &mut SqliteTx<'_>, id: &str) -> Result<PatternKey, StoreError> {
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
    patterns::insert(tx, &new).await
}

/// Each word: its id, the two, and whether they are one.
async fn words(tx: &mut SqliteTx<'_>) -> Result<Vec<(String, String, String, bool)>, StoreError> {
    let said = sameness::page(tx, "", 10).await?;
    Ok(said.into_iter().map(|said| (said.id, said.failure.id, said.other.id, said.is_same)).collect())
}

fn word(id: &str, one: &str, other: &str, is_same: bool) -> (String, String, String, bool) {
    (id.to_owned(), one.to_owned(), other.to_owned(), is_same)
}

#[test]
fn of_a_pair_the_last_word_is_kept_and_a_row_that_goes_leaves_its_words() {
    let database = Sqlite::open(":memory:", None, Mode::ReadWrite).unwrap();
    let body = async |tx: &mut SqliteTx<'_>| -> Result<(), StoreError> {
        let [a, b, c] = [learn(tx, "pat-a").await?, learn(tx, "pat-b").await?, learn(tx, "pat-c").await?];
        let said = |id, is_same| NewWord { id, is_same, now: NOW };
        sameness::say(tx, a, b, said("dec-1", false)).await?;
        sameness::say(tx, b, a, said("dec-2", false)).await?;
        assert_eq!(words(tx).await?, [word("dec-1", "pat-a", "pat-b", false)], "once more is no news");
        sameness::say(tx, b, a, said("dec-3", true)).await?;
        assert_eq!(words(tx).await?, [word("dec-3", "pat-b", "pat-a", true)], "the contrary is");
        sameness::say(tx, b, c, said("dec-4", false)).await?;
        assert_eq!((sameness::others_than(tx, b).await?, sameness::others_than(tx, c).await?), (vec![c], vec![b]));
        assert_eq!(sameness::joined_by(tx, a).await?.as_deref(), Some("dec-3"));
        assert_eq!(sameness::joined_by(tx, c).await?, None);
        assert_eq!(sameness::page(tx, "dec-3", 10).await?.len(), 1);

        // A newer recipe sees one failure in two of them.
        for (id, signature) in [("pat-a", "same"), ("pat-b", "same")] {
            let pattern = patterns::by_id(tx, id).await?.expect("it is there");
            merging::recompute_signature(tx, &pattern, identity("two", signature)).await?;
        }
        assert_eq!(words(tx).await?, [word("dec-4", "pat-a", "pat-c", false)]);
        Ok(())
    };
    finish(database.write(NOW, body)).unwrap();
}
