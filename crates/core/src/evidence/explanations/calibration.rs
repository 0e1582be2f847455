//! Turns weights of evidence into stated probabilities.

/// The temperature by which the logarithms are divided; above 1 for pieces of evidence that are less independent than the
/// rules take them to be. Found by leaving one project out: on any five of six histories the likelihood is best at .8, and
/// the calibration error on the sixth is .001 to .016 there and .003 to .012 at 1. So nothing has to be corrected, and the
/// less sure of the two is kept.
const TEMPERATURE: f64 = 1.0;

/// Probabilities from unnormalized logarithms; they sum to 1.
pub fn probabilities(logs: &[f64]) -> Vec<f64> {
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return vec![0.0; logs.len()];
    }
    let weights: Vec<f64> = logs.iter().map(|log| ((log - best) / TEMPERATURE).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}
