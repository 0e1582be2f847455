//! Computes the confidence in the fix of a pattern. The store updates the counts in the transaction that stores the
//! diagnosis or the fix.

/// Returns the confidence of the contract, not rounded: Laplace's rule of succession over resolutions and occurrences.
pub fn confidence(resolutions: u32, occurrences: u32) -> f64 {
    (f64::from(resolutions) + 1.0) / (f64::from(occurrences) + 2.0)
}

#[cfg(test)]
mod tests {
    use super::confidence;

    #[test]
    fn confidence_follows_the_contract() {
        assert!((confidence(0, 0) - 0.5).abs() < f64::EPSILON);
        assert!((confidence(1, 1) - 2.0 / 3.0).abs() < f64::EPSILON);
        assert!((confidence(2, 3) - 0.6).abs() < f64::EPSILON);
    }
}
