//! Compares the text of a fix with the change that it claims to describe.

use super::{
    diff::{self, LineChange},
    symbols::symbols,
};
use std::collections::BTreeSet;

/// A change between two runs, as names only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Functions and types that the change touches, in the order of the diff.
    pub symbols: Vec<String>,
    words: BTreeSet<String>,
}

/// Maximum number of symbols of a change.
const MAX_SYMBOLS: usize = 10;

/// Minimum number of words of a text that make it comparable. A shorter text, such as "fixed it", may describe any change.
const MIN_WORDS: usize = 2;

impl Named {
    /// Reads the changed files and their unified diffs.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a str>, diffs: &'a str) -> Self {
        let mut named = Self::default();
        named.words.extend(files.into_iter().chain([diffs]).flat_map(words));
        for hunk in diff::read(diffs).iter().flat_map(|file| &file.hunks) {
            let is_changed = hunk.lines.iter().any(|line| line.mark != LineChange::Kept);
            let found = if is_changed { symbols(&hunk.section, &hunk.lines) } else { Vec::new() };
            for symbol in found {
                if named.symbols.len() < MAX_SYMBOLS && !named.symbols.contains(&symbol) {
                    named.symbols.push(symbol);
                }
            }
        }
        named
    }

    /// Checks whether a text and the change have nothing in common: no word of the text is in the paths or in the
    /// hunks. Returns `false` for a text of few words.
    pub fn is_foreign_to(&self, text: &str) -> bool {
        let told: BTreeSet<String> = words(text).collect();
        told.len() >= MIN_WORDS && told.is_disjoint(&self.words)
    }
}

/// Stems of prose words without information about a change, and of keywords that almost every hunk contains.
const COMMON: [&str; 63] = [
    "the", "and", "for", "was", "were", "are", "that", "this", "with", "from", "into", "not", "now", "when", "wher",
    "which", "its", "has", "had", "hav", "but", "instead", "again", "aft", "befor", "only", "also", "all", "one",
    "two", "than", "then", "ther", "becaus", "should", "must", "will", "can", "use", "used", "using", "set", "add",
    "mad", "mak", "chang", "fix", "correct", "wrong", "right", "test", "cod", "fil", "lin", "bug", "error", "fail",
    "failur", "run", "return", "funct", "const", "let",
];

/// Suffixes that are removed, so that "rounding" matches `round` and "caches" matches `cached`.
const ENDINGS: [&str; 7] = ["ing", "ion", "ed", "es", "er", "s", "e"];
const MIN_LETTERS: usize = 3;

/// Returns the stems of the words of prose or code; identifiers are split into their parts.
fn words(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|letter: char| !letter.is_alphabetic()).flat_map(parts_of_identifier);
    let stems = runs.map(|word| stem(&word.to_lowercase()));
    stems.filter(|stem| stem.chars().count() >= MIN_LETTERS && !COMMON.contains(&stem.as_str()))
}

/// `parseURLPath`: `parse`, `URL`, `Path`.
fn parts_of_identifier(run: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let is_start = |at: usize| {
        let before = letters[at - 1].1;
        let next_is_small = letters.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
        letters[at].1.is_uppercase() && (before.is_lowercase() || next_is_small)
    };
    let mut starts = vec![0];
    starts.extend((1..letters.len()).filter(|at| is_start(*at)).map(|at| letters[at].0));
    let ends = starts.iter().skip(1).copied().chain([run.len()]);
    starts.iter().zip(ends).map(|(start, end)| &run[*start..end]).collect()
}

fn stem(word: &str) -> String {
    let without = |ending: &&str| word.strip_suffix(*ending).filter(|rest| rest.chars().count() >= MIN_LETTERS);
    ENDINGS.iter().find_map(without).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::Named;

    const DIFF: &str = "diff --git a/src/cart.js b/src/cart.js\n--- a/src/cart.js\n+++ b/src/cart.js\n\
                        @@ -4,3 +4,3 @@ export function totalPrice(items) {\n   const sum = add(items);\n\
                        -  return Math.floor(sum);\n+  return Math.round(sum);\n }\n";

    #[test]
    fn text_with_a_word_of_the_change_describes_it() {
        let named = Named::of(["src/cart.js"], DIFF);
        for (text, is_foreign) in [
            ("cleared the npm cache", true),
            ("restarted the database container and reinstalled everything", true),
            ("rounding instead of truncation", false),
            ("the total is computed for all items now", false),
            ("Cart: half cents go up", false),
            ("prices were cut off", false),
            ("fixed it", false),
            ("fixed the failing test", false),
            ("", false),
        ] {
            assert_eq!(named.is_foreign_to(text), is_foreign, "{text}");
        }
        assert_eq!(named.symbols, ["totalPrice"]);
    }

    #[test]
    fn change_without_lines_is_compared_by_paths() {
        let named = Named::of(["config/database.yml"], "");
        assert!(named.is_foreign_to("cleared the npm cache"));
        assert!(!named.is_foreign_to("pointed databases at the local socket"));
    }
}
