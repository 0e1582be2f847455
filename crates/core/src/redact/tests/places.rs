//! Tests secrets, and text that only looks like a secret, where programs print them: in settings, logs, command lines,
//! code, sentences.
//!
//! Rows of `tests/vectors/secret-places.jsonl` mark secrets like `redact.jsonl`, and `kind` names the place. Random
//! letters replace patterns such as `{hex:32}`, so that the file contains no value that a scanner could report as a
//! key.

use super::{Row, assemble_texts, redact, without_kinds};
use regex::{Captures, Regex};

/// Number of times that a row is filled with random letters, because a rule can match a single value by chance.
const FILLINGS_PER_ROW: u64 = 3;

fn alphabet_of_pattern(name: &str) -> &'static [u8] {
    match name {
        "digits" => b"0123456789",
        "hex" => b"0123456789abcdef",
        "HEX" => b"0123456789ABCDEF",
        "alpha" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "lower" => b"abcdefghijklmnopqrstuvwxyz0123456789",
        "UP" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "alnum" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "base58" => b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "b64" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "url" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        _ => panic!("no alphabet {name}"),
    }
}

/// Replaces the patterns in the text of a row by random letters. The same seed gives the same letters.
fn fill_patterns(text: &str, seed: u64) -> String {
    let mut state = seed;
    let letters = |captures: &Captures<'_>| {
        let alphabet = alphabet_of_pattern(&captures[1]);
        let letter = |_| {
            // SplitMix64, https://prng.di.unimi.it/splitmix64.c
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let index = (mixed ^ (mixed >> 31)) % u64::try_from(alphabet.len()).unwrap();
            char::from(alphabet[usize::try_from(index).unwrap()])
        };
        (0..captures[2].parse::<usize>().unwrap()).map(letter).collect::<String>()
    };
    Regex::new(r"\{(digits|hex|HEX|alpha|lower|UP|alnum|base58|b64|url):(\d+)\}")
        .unwrap()
        .replace_all(text, letters)
        .into_owned()
}

#[test]
fn secrets_are_redacted_and_look_alikes_stay_in_every_place() {
    let file = include_str!("../../../../../tests/vectors/secret-places.jsonl");
    let mut wrong = Vec::new();
    for (line, seed) in file
        .lines()
        .zip(0..)
        .flat_map(|(line, at)| (0..FILLINGS_PER_ROW).map(move |n| (line, at * FILLINGS_PER_ROW + n)))
    {
        let row: Row = serde_json::from_str(line).unwrap();
        let row = Row { text: fill_patterns(&row.text, seed), ..row };
        let (text, wanted) = assemble_texts(&row);
        assert_ne!(row.keep, row.text.contains('⟦'), "{}: a row has a mark or `keep`", row.text);
        let got = redact(&text);
        if without_kinds(&got) != without_kinds(&wanted) {
            wrong.push(format!("{}: wanted {wanted}\n      got {got}", row.kind));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
