//! Finds remembered problems by what is pasted: a stack trace, one error line, a paraphrase.
//!
//! A document is [`index`]ed once: its [`Vector`] for the store's index and for scoring, and its family signature.
//! A [`Query`] weighs a text's terms by where they stand (message, test name, frame). [`Query::weigh`] adds how rare
//! they are in the memory; [`Weighed::term_worths`] says what each is worth looking for, and [`Weighed::score`] how well a
//! document found answers, from [`MIN_SCORE`] on an answer.
//!
//! ```
//! use argus_core::{Analyzer, search::{Document, Query, MIN_SCORE, index}};
//! let analyzer = Analyzer::new(&[], &[]).expect("no rules of its own");
//! let known = Document { title: "alembic upgrade: multiple head revisions", ..Document::default() };
//! let known = index(&known, &analyzer);
//! let query = Query::new("alembic upgrade head: Multiple head revisions are present", &analyzer);
//! let weighed = query.weigh(1, |term| u64::from(known.vector.terms().iter().any(|(hash, _)| *hash == term.hash)));
//! assert!(weighed.score(&known.vector, known.family.as_deref()).value >= MIN_SCORE);
//! ```
//!
//! What did not help on development data and is therefore not here: bigrams beyond what identifiers kept whole
//! give, a weight for identifiers' parts, more than [`Query::terms`]'s few dozen terms.
//! Frequencies and candidates come from the store.

mod background;
mod document;
mod duplicate;
mod query;
mod roles;
mod score;
mod tokens;

pub use document::{Document, Indexed, Vector, index};
pub use duplicate::{MIN_DUPLICATE_LIKENESS, is_duplicate, likeness};
pub use query::{Query, Term};
pub use score::{MIN_SCORE, Score, Weighed};

#[cfg(test)]
mod tests;
