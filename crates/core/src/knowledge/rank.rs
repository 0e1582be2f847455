//! Ranks the solutions of matching incidents by how well they are proven, in which environment, and how recently. The
//! caller passes the statistics and the time.

pub(crate) mod beta;

use crate::knowledge::environment::{Environment, env_match};

/// Quantile of the success rate's posterior that counts as proven. An untried solution has this reliability too,
/// because the 20 % quantile of the uniform prior is .2: more than after one failure (.11), less than after one success
/// (.45).
const PROVEN_QUANTILE: f64 = 0.2;
/// Minimum weight of an outcome in a different environment, because a fix that works elsewhere is worth a try.
const MIN_OUTCOME_WEIGHT: f64 = 0.25;
/// Shares of the score that depend on environment and recency. Their sum is small enough that one failure in this
/// environment (.106 of at most 1) stays below an untried solution (.2 of at least 1 - .2 - .1 = .7).
const ENVIRONMENT_SHARE: f64 = 0.2;
const RECENCY_SHARE: f64 = 0.1;
/// Scores are rounded to 1 / 10,000 so that all machines and builds print the same value.
const SCORE_PRECISION: f64 = 10_000.0;
const DAY_MS: i64 = 86_400_000;

/// Outcomes of a solution in one environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketStats {
    /// The environment of these outcomes.
    pub bucket: Environment,
    /// Number of successes.
    pub worked: u32,
    /// Number of these successes that a run could have shown, but none did.
    pub claimed: u32,
    /// Number of failures.
    pub failed: u32,
    /// Time of the last success, in UTC milliseconds.
    pub last_confirmed_at: Option<i64>,
    /// Time of the last failure, in UTC milliseconds.
    pub last_failed_at: Option<i64>,
}

/// The facts about a solution on which its rank depends.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Environment for which it was written.
    pub environment: &'a Environment,
    /// Outcomes, one row per environment.
    pub stats: &'a [BucketStats],
    /// How well its incident matches, in [0, 1].
    pub incident_match: f64,
}

/// The environment and the time of the request.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The environment of the request.
    pub environment: &'a Environment,
    /// UTC milliseconds.
    pub now: i64,
    /// Age at which a confirmation counts half; 180 days is a good start.
    pub half_life_ms: i64,
}

/// How well a solution fits the caller; all scores are in [0, 1], and higher is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The bucket with outcomes that is most similar to the caller's, or the solution's own bucket if it has no
    /// outcomes.
    pub best_env_bucket_match: String,
    /// Similarity of that bucket to the caller's environment.
    pub env_match_score: f64,
    /// Lower bound of the success rate in the caller's environment.
    pub reliability_score: f64,
    /// 1 for a confirmation just now, halved with each half-life; 0 without a confirmation.
    pub recency_boost: f64,
    /// `match * reliability * (.7 + .2 * env match + .1 * recency)`.
    pub final_solution_score: f64,
    /// One-line explanation.
    pub why: String,
}

/// Ranks one solution.
///
/// Reliability is the lower 20 % quantile of the posterior `Beta(1 + w, 1 + f)` of the success rate under a uniform
/// prior (Bayes and Laplace). Unlike Wilson's bound of 1927 it is also defined for fractional and for zero outcomes.
/// `w` and `f` sum the outcomes of all buckets with the weight `1/4 + 3/4 * env_match^2`, so that an equal bucket has
/// full weight and a distant bucket still counts a little. `c` claimed successes count as `c / (c + 1)`, which is
/// always less than one shown success. Each success raises the reliability and each failure lowers it. If a solution
/// has only failures in the caller's environment, its reliability is capped by those failures regardless of successes
/// elsewhere.
pub fn rank(caller: &Caller<'_>, candidate: &Candidate<'_>) -> Ranking {
    let rows = candidate.stats.iter().map(|row| (env_match(caller.environment, &row.bucket), row));
    let tried: Vec<(f64, &BucketStats)> = rows.filter(|(_, row)| row.worked + row.failed > 0).collect();
    let best = tried.iter().max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.bucket.cmp(&a.1.bucket)));
    let bucket = best.map_or(candidate.environment, |(_, row)| &row.bucket);
    let environment = best.map_or_else(|| env_match(caller.environment, bucket), |(alike, _)| *alike);
    let reliability = reliability(caller, &tried);
    let recency = recency(caller, &tried);
    let matched = if candidate.incident_match.is_nan() { 0.0 } else { candidate.incident_match.clamp(0.0, 1.0) };
    let factor = 1.0 - ENVIRONMENT_SHARE - RECENCY_SHARE + ENVIRONMENT_SHARE * environment + RECENCY_SHARE * recency;
    Ranking {
        best_env_bucket_match: bucket.to_string(),
        env_match_score: rounded(environment),
        reliability_score: rounded(reliability),
        recency_boost: rounded(recency),
        final_solution_score: rounded(matched * reliability * factor),
        why: explanation(caller, &tried, environment, matched),
    }
}

fn rounded(score: f64) -> f64 {
    ((score * SCORE_PRECISION).round() / SCORE_PRECISION).clamp(0.0, 1.0)
}

fn reliability(caller: &Caller<'_>, tried: &[(f64, &BucketStats)]) -> f64 {
    let weigh = |alike: f64| MIN_OUTCOME_WEIGHT + (1.0 - MIN_OUTCOME_WEIGHT) * alike * alike;
    let count =
        |of: fn(&BucketStats) -> u32| tried.iter().map(|(alike, row)| weigh(*alike) * f64::from(of(row))).sum::<f64>();
    let claimed = count(|row| row.claimed.min(row.worked));
    let worked = count(|row| row.worked - row.claimed.min(row.worked)) + claimed / (claimed + 1.0);
    let everywhere = beta::quantile(PROVEN_QUANTILE, 1.0 + worked, 1.0 + count(|row| row.failed));
    let here = tried.iter().find(|(_, row)| row.bucket == *caller.environment && row.worked == 0);
    here.map_or(everywhere, |(_, row)| {
        everywhere.min(beta::quantile(PROVEN_QUANTILE, 1.0, 1.0 + f64::from(row.failed)))
    })
}

/// Returns 1 at the last confirmation and half of it after each half-life. A row with a later failure does not count as
/// confirmed.
fn recency(caller: &Caller<'_>, tried: &[(f64, &BucketStats)]) -> f64 {
    let Some(last) = last_confirmed(tried) else { return 0.0 };
    let age = caller.now.saturating_sub(last).max(0);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of many thousand years fit")]
    let half_lives = age as f64 / caller.half_life_ms.max(1) as f64;
    0.5_f64.powf(half_lives)
}

fn last_confirmed(tried: &[(f64, &BucketStats)]) -> Option<i64> {
    let standing = tried.iter().filter(|(_, row)| row.last_failed_at <= row.last_confirmed_at);
    standing.filter_map(|(_, row)| row.last_confirmed_at).max()
}

/// `worked 9 of 10 times, 4 of 4 in this environment, last 3 days ago; incident match 0.82`.
fn explanation(caller: &Caller<'_>, tried: &[(f64, &BucketStats)], environment: f64, matched: f64) -> String {
    if tried.is_empty() {
        return format!(
            "not tried yet; written for an environment {} yours; incident match {matched:.2}",
            likeness(environment)
        );
    }
    let total = |of: fn(&BucketStats) -> u32| tried.iter().map(|(_, row)| u64::from(of(row))).sum::<u64>();
    let (worked, failed) = (total(|row| row.worked), total(|row| row.failed));
    let here = tried.iter().find(|(_, row)| row.bucket == *caller.environment);
    let place = match here {
        Some((_, row)) if row.worked == 0 => format!("failed {} in this environment", times(u64::from(row.failed))),
        Some((_, row)) => {
            format!("{} of {} in this environment", row.worked, u64::from(row.worked) + u64::from(row.failed))
        }
        None => format!("nearest environment {} yours", likeness(environment)),
    };
    let last = last_confirmed(tried)
        .map_or_else(String::new, |last| format!(", last confirmed {}", time_ago(caller.now, last)));
    let claimed = match total(|row| row.claimed) {
        0 => String::new(),
        some if some == worked => ", only claimed".to_owned(),
        some => format!(", {some} of them only claimed"),
    };
    format!("worked {worked} of {}{claimed}, {place}{last}; incident match {matched:.2}", times(worked + failed))
}

fn times(count: u64) -> String {
    if count == 1 { "1 time".to_owned() } else { format!("{count} times") }
}

fn likeness(environment: f64) -> &'static str {
    match environment {
        1.0.. => "equal to",
        0.7.. => "close to",
        0.4.. => "partly like",
        _ => "unlike",
    }
}

fn time_ago(now: i64, then: i64) -> String {
    match now.saturating_sub(then) / DAY_MS {
        ..1 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

#[cfg(test)]
mod tests;
