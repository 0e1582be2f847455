//! Compares the text of a fix with the change that it claims to describe.

use super::{
    diff::{self, LineChange},
    symbols::find_symbols,
};
use std::collections::BTreeSet;

/// The names of the files and symbols of a change between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeNames {
    /// Changed files, sorted.
    pub files: BTreeSet<String>,
    /// Functions and types that the change touches, in the order of the diff.
    pub symbols: Vec<String>,
    words: BTreeSet<String>,
}

/// Maximum number of symbols of a change.
const MAX_SYMBOLS: usize = 10;

/// Minimum number of words of a text to compare. A shorter text, such as "fixed it", may describe any change.
const MIN_WORDS: usize = 2;

impl ChangeNames {
    /// Reads the names of changed files, and the unified diffs of these and of other files.
    pub fn read<'a>(files: impl IntoIterator<Item = &'a str>, diffs: &'a str) -> Self {
        let mut names = Self::default();
        let read = diff::parse_diff(diffs);
        names.files.extend(files.into_iter().map(str::to_owned).chain(read.iter().map(|file| file.path().to_owned())));
        names.words.extend(names.files.iter().map(String::as_str).chain([diffs]).flat_map(word_stems));
        for hunk in read.iter().flat_map(|file| &file.hunks) {
            let is_changed = hunk.lines.iter().any(|line| line.line_change != LineChange::Kept);
            let found = if is_changed { find_symbols(&hunk.section, &hunk.lines) } else { Vec::new() };
            for symbol in found {
                if names.symbols.len() < MAX_SYMBOLS && !names.symbols.contains(&symbol) {
                    names.symbols.push(symbol);
                }
            }
        }
        names
    }

    /// Checks that no word of the text is in the paths or hunks of the change. Returns `false` for a text with fewer
    /// than [`MIN_WORDS`] words.
    pub fn shares_no_word_with(&self, text: &str) -> bool {
        let described: BTreeSet<String> = word_stems(text).collect();
        described.len() >= MIN_WORDS && described.is_disjoint(&self.words)
    }
}

/// Stems of words that do not identify a change: function words, and keywords that almost every hunk contains.
const IGNORED_STEMS: [&str; 63] = [
    "the", "and", "for", "was", "were", "are", "that", "this", "with", "from", "into", "not", "now", "when", "wher",
    "which", "its", "has", "had", "hav", "but", "instead", "again", "aft", "befor", "only", "also", "all", "one",
    "two", "than", "then", "ther", "becaus", "should", "must", "will", "can", "use", "used", "using", "set", "add",
    "mad", "mak", "chang", "fix", "correct", "wrong", "right", "test", "cod", "fil", "lin", "bug", "error", "fail",
    "failur", "run", "return", "funct", "const", "let",
];

/// Suffixes that are removed, so that "rounding" matches `round` and "caches" matches `cached`.
const WORD_SUFFIXES: [&str; 7] = ["ing", "ion", "ed", "es", "er", "s", "e"];
const MIN_STEM_LETTERS: usize = 3;

/// Returns the stems of the words of prose or code; identifiers are split into their parts.
fn word_stems(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|letter: char| !letter.is_alphabetic()).flat_map(split_identifier);
    let stems = runs.map(|word| stem(&word.to_lowercase()));
    stems.filter(|stem| stem.chars().count() >= MIN_STEM_LETTERS && !IGNORED_STEMS.contains(&stem.as_str()))
}

/// Splits `parseURLPath` into `parse`, `URL` and `Path`.
fn split_identifier(run: &str) -> Vec<&str> {
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
    let without = |ending: &&str| word.strip_suffix(*ending).filter(|rest| rest.chars().count() >= MIN_STEM_LETTERS);
    WORD_SUFFIXES.iter().find_map(without).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::ChangeNames;

    const DIFF: &str = "diff --git a/src/cart.js b/src/cart.js\n--- a/src/cart.js\n+++ b/src/cart.js\n\
                        @@ -4,3 +4,3 @@ export function totalPrice(items) {\n   const sum = add(items);\n\
                        -  return Math.floor(sum);\n+  return Math.round(sum);\n }\n";

    #[test]
    fn text_with_a_word_of_the_change_describes_it() {
        let names = ChangeNames::read(["src/cart.js"], DIFF);
        for (text, shares_nothing) in [
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
            assert_eq!(names.shares_no_word_with(text), shares_nothing, "{text}");
        }
        assert_eq!(names.symbols, ["totalPrice"]);
    }

    #[test]
    fn change_without_lines_is_compared_by_paths() {
        let names = ChangeNames::read(["config/database.yml"], "");
        assert!(names.shares_no_word_with("cleared the npm cache"));
        assert!(!names.shares_no_word_with("pointed databases at the local socket"));
    }
}
