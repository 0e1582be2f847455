//! Computes quantiles of the Beta distribution, also for fractional parameters.

/// Number of bisection steps. More steps would exceed the 52 bits of a double.
const BISECTION_STEPS: u32 = 50;
/// Maximum number of terms of the continued fraction. Parameters up to about a million need far fewer terms.
const MAX_TERMS: u32 = 3000;
/// Relative change at which the continued fraction has converged.
const MAX_RELATIVE_CHANGE: f64 = 1e-12;
/// Replaces a divisor of zero (Lentz).
const TINY_DIVISOR: f64 = 1e-300;
/// Maximum sum of the parameters. Larger parameters are scaled down, because they do not change the rounded result and
/// may not converge.
const MAX_PARAMETER: f64 = 1e6;

/// Returns the value below which a `Beta(a, b)` variable lies with the given probability. `a` and `b` must be at least
/// 1.
pub(crate) fn quantile(probability: f64, a: f64, b: f64) -> f64 {
    let scale = (MAX_PARAMETER / (a + b)).min(1.0);
    let (a, b) = ((a * scale).max(1.0), (b * scale).max(1.0));
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..BISECTION_STEPS {
        let middle = f64::midpoint(low, high);
        if incomplete_beta(middle, a, b) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Computes the regularized incomplete beta function `I_x(a, b)` by its continued fraction (Abramowitz and Stegun
/// 26.5.8).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges fast on this side of the mean. On the other side, use the symmetry of the function.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(x, a, b) / a
    } else {
        1.0 - front * continued_fraction(1.0 - x, b, a) / b
    }
}

/// Evaluates the continued fraction with Lentz's method.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away = |value: f64| if value.abs() < TINY_DIVISOR { TINY_DIVISOR } else { value };
    let mut upper = 1.0;
    let mut lower = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = lower;
    for term in 1..=MAX_TERMS {
        let mut step = 1.0;
        for part in coefficients(f64::from(term), x, a, b) {
            lower = 1.0 / away(1.0 + part * lower);
            upper = away(1.0 + part / upper);
            step = upper * lower;
            value *= step;
        }
        if (step - 1.0).abs() < MAX_RELATIVE_CHANGE {
            break;
        }
    }
    value
}

/// Returns the even and the odd coefficient with this index.
fn coefficients(n: f64, x: f64, a: f64, b: f64) -> [f64; 2] {
    let even = n * (b - n) * x / ((a + 2.0 * n - 1.0) * (a + 2.0 * n));
    let odd = -(a + n) * (a + b + n) * x / ((a + 2.0 * n) * (a + 2.0 * n + 1.0));
    [even, odd]
}

/// Computes the logarithm of the gamma function: with Stirling's series for `x` of at least 8, otherwise with the
/// recurrence.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 8.0 {
        product *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_match_known_values() {
        let check = |a: f64, b: f64, want: f64| {
            let found = quantile(0.2, a, b);
            assert!((found - want).abs() < 1e-9, "Beta({a}, {b}): {found}, not {want}");
        };
        check(1.0, 1.0, 0.2);
        check(2.0, 1.0, 0.2_f64.sqrt());
        check(1.0, 2.0, 1.0 - 0.8_f64.sqrt());
        check(1.0, 5.0, 1.0 - 0.8_f64.powf(0.2));
        check(7.5, 1.0, 0.2_f64.powf(1.0 / 7.5));
        // x^2 (3 - 2x) = .2
        check(2.0, 2.0, 0.287_140_725_416_894_4);
    }

    #[test]
    fn large_counts_converge() {
        let found = quantile(0.2, 900_001.0, 100_001.0);
        assert!((found - 0.9).abs() < 0.001, "{found}");
        assert!(quantile(0.2, 4e9, 4e9) > 0.49);
    }
}
