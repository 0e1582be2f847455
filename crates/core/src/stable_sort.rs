//! Sorts slices with a stable sort that is compiled once for all element types.
//!
//! `slice::sort_by` is compiled separately for each element type, at 3 to 9 KB of wasm each. The lists that use this
//! sort are short because people read them, so a comparison through a function pointer costs nothing noticeable.

use std::cmp::Ordering;

/// Stable sorting as an extension of slices: equal elements keep their order.
pub trait StableSort<T> {
    /// Like `slice::sort_by`.
    fn stable_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Like `slice::sort_by_key`.
    fn stable_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> StableSort<T> for [T] {
    fn stable_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = sorted_indices(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        apply_permutation(self, order);
    }

    fn stable_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        let order = sorted_indices(self.len(), &mut |a, b| key(&self[a]).cmp(&key(&self[b])));
        apply_permutation(self, order);
    }
}

/// Returns for each position of the sorted slice the index of its element.
fn sorted_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..len).collect();
    indices.sort_by(|a, b| compare(*a, *b));
    indices
}

/// Moves the element at `order[place]` to `place`, for each place, by following the cycles of the permutation.
fn apply_permutation<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == start {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StableSort;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_like_the_standard_library(items in prop::collection::vec((0_u8..8, any::<u16>()), 0..200)) {
            let (mut expected, mut by, mut by_key) = (items.clone(), items.clone(), items);
            expected.sort_by_key(|(key, _)| *key);
            by.stable_sort_by(|a, b| a.0.cmp(&b.0));
            by_key.stable_sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&by, &expected);
            prop_assert_eq!(&by_key, &expected);
        }
    }
}
