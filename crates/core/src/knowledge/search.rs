//! Finds remembered problems by a pasted text: a stack trace, a line of an error, or a description.
//!
//! [`create_indexed_document`] converts a document into a [`TermVector`] and a family signature. The store indexes the
//! vector, and scoring reads it. A [`Query`] weighs the terms of a text by their role (message, test name, frame).
//! [`Query::weigh`] adds the rarity of the terms in the memory, [`WeighedQuery::term_contributions`] returns the worth
//! of looking up each term, and [`WeighedQuery::score`] scores a document. A document with a score of at least
//! [`MIN_SCORE`] is an answer. The store provides the frequencies and the candidates.
//!
//! ```
//! use argus_core::{Analyzer, search::{Document, Query, MIN_SCORE, create_indexed_document}};
//! let analyzer = Analyzer::new(&[], &[]).expect("no rules of its own");
//! let known = Document { title: "alembic upgrade: multiple head revisions", ..Document::default() };
//! let known = create_indexed_document(&known, &analyzer);
//! let query = Query::new("alembic upgrade head: Multiple head revisions are present", &analyzer);
//! let weighed = query.weigh(1, |term| u64::from(known.vector.terms().iter().any(|(hash, _)| *hash == term.hash)));
//! assert!(weighed.score(&known.vector, known.family.as_deref()).value >= MIN_SCORE);
//! ```
//!
//! The following did not improve the results on development data: more bigrams than whole identifiers already provide,
//! a weight for the parts of identifiers, and more terms than [`Query::terms`] returns.

mod background;
mod document;
mod duplicate;
mod query;
mod roles;
mod score;
mod tokens;

pub use document::{Document, IndexedDocument, TermVector, create_indexed_document};
pub use duplicate::{MIN_DUPLICATE_SIMILARITY, is_duplicate, jaccard_similarity};
pub use query::{Query, Term};
pub use score::{MIN_SCORE, Score, WeighedQuery};

#[cfg(test)]
mod tests;
