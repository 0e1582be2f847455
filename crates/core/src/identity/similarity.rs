//! Computes the similarity of two normalized failure texts, and a small sketch by which a database finds similar texts
//! with an index.

/// Minimum hashes per band. Texts that share a fraction `s` of their tokens share a given band of two with probability
/// `s * s`, and at least one of four bands with `1 - (1 - s^2)^4`: .68 at s = .5, .94 at .7, .998 at .9, and .15 at .2.
const HASHES_PER_BAND: u64 = 2;
/// Number of bands, equal to the number of index columns.
const BANDS: u64 = 4;

/// Returns four band keys of a text (`MinHash` with locality-sensitive hashing). Similar texts share at least one key
/// with high probability.
pub fn minhash_sketch(normalized: &str) -> [u32; 4] {
    let tokens = hash_tokens(normalized);
    let mut keys = [0; 4];
    for (band, key) in (0..BANDS).zip(&mut keys) {
        let rows = (0..HASHES_PER_BAND).map(|row| minimum_hash(&tokens, band * HASHES_PER_BAND + row));
        let mixed = rows.fold(band, |mixed, smallest| mix_bits(mixed.rotate_left(17) ^ smallest));
        // Any 32 bits of a mixed value can be used.
        *key = u32::try_from(mixed >> 32).unwrap_or_default();
    }
    keys
}

/// Returns the Jaccard index of the sets of tokens of two texts: in [0, 1], symmetric, 1 for equal sets.
pub fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (hash_tokens(a), hash_tokens(b));
    let shared = a.iter().filter(|token| b.binary_search(token).is_ok()).count();
    let all = a.len() + b.len() - shared;
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a bounded text has few tokens")]
    let part = shared as f64 / all as f64;
    part
}

/// Returns the minimum of the tokens under the hash function with this number. An empty text gets the function's seed.
fn minimum_hash(tokens: &[u64], function: u64) -> u64 {
    let seed = mix_bits(function + 1);
    tokens.iter().map(|token| mix_bits(token ^ seed)).min().unwrap_or(seed)
}

/// Returns the hashes of the words and placeholders of a text, sorted and without duplicates, ignoring case.
fn hash_tokens(text: &str) -> Vec<u64> {
    let words = text.split(|mark: char| !(mark.is_alphanumeric() || matches!(mark, '_' | '<' | '>')));
    let mut tokens: Vec<u64> = words.filter(|word| !word.is_empty()).map(hash_word).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Hashes a word: FNV-1a over the lower-case bytes, then mixed.
fn hash_word(word: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
    mix_bits(word.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Mixes the bits of a value with the finalizer of `SplitMix64`.
fn mix_bits(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::{minhash_sketch, similarity};
    use proptest::prelude::*;

    fn share_a_band(a: &str, b: &str) -> bool {
        minhash_sketch(a).iter().zip(minhash_sketch(b)).any(|(a, b)| *a == b)
    }

    #[test]
    fn near_duplicates_share_a_band() {
        let base = "TypeError: Cannot read properties of undefined (reading 'total') while rendering the cart of <ID>";
        let near =
            "TypeError: Cannot read properties of undefined (reading 'total') while rendering the basket of <ID>";
        let far = "connection to server at <IP>, port <PORT> failed: Connection refused";
        assert!(share_a_band(base, near) && similarity(base, near) > 0.8);
        assert!(!share_a_band(base, far) && similarity(base, far) < 0.2);
    }

    #[test]
    fn different_texts_rarely_share_a_band() {
        let texts: Vec<String> =
            (0..300).map(|n| format!("word{n} part{} thing{} of{}", n * 7, n * 11, n * 13)).collect();
        let pairs = texts.iter().enumerate().flat_map(|(i, a)| texts[i + 1..].iter().map(move |b| (a, b)));
        assert!(pairs.filter(|(a, b)| share_a_band(a, b)).count() < 20);
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric_and_bounded(a in "[a-d <>]{0,40}", b in "[a-d <>]{0,40}") {
            let value = similarity(&a, &b);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value.to_bits(), similarity(&b, &a).to_bits());
        }

        #[test]
        fn equal_token_sets_share_the_sketch(words in proptest::collection::vec("[a-z]{1,8}", 0..20)) {
            let forward = words.join(" ");
            let backward = words.iter().rev().chain(&words).cloned().collect::<Vec<_>>().join(", ");
            prop_assert!((similarity(&forward, &backward) - 1.0).abs() < f64::EPSILON);
            prop_assert_eq!(minhash_sketch(&forward), minhash_sketch(&backward));
        }

        #[test]
        fn any_string_has_a_sketch(text in any::<String>()) {
            prop_assert!((similarity(&text, &text) - 1.0).abs() < f64::EPSILON);
            prop_assert_eq!(minhash_sketch(&text), minhash_sketch(&text));
        }
    }
}
