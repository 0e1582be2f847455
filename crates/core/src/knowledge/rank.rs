//! Ranks the solutions of matching incidents by their success rate, their environment, and the age of the last success.
//! The caller passes the statistics and the time.

pub(crate) mod beta;

use crate::knowledge::environment::{Environment, environment_similarity};

/// The reliability is this quantile of the posterior of the success rate. The reliability of an untried solution is .2,
/// the 20 % quantile of the uniform prior: more than after a single failure (.11), less than after a single success
/// (.45).
const PROVEN_QUANTILE: f64 = 0.2;
/// Minimum weight of an outcome in a different environment, because a fix that works in another environment is worth a
/// try.
const MIN_OUTCOME_WEIGHT: f64 = 0.25;
/// Shares of the score that depend on environment and recency. Their sum is so small that a solution with one failure
/// in this environment (.106 of at most 1) ranks below an untried solution (.2 of at least 1 - .2 - .1 = .7).
const ENVIRONMENT_SHARE: f64 = 0.2;
const RECENCY_SHARE: f64 = 0.1;
/// Scores are rounded to 1 / 10,000 so that all machines and builds print the same value.
const SCORE_PRECISION: f64 = 10_000.0;
const DAY_MS: i64 = 86_400_000;

/// Outcomes of a solution in an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketStats {
    /// The environment of these outcomes.
    pub bucket: Environment,
    /// Number of successes.
    pub worked: u32,
    /// Number of these successes that a run could have shown but did not.
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
pub struct SolutionFacts<'a> {
    /// Environment for which the solution was written.
    pub environment: &'a Environment,
    /// Outcomes, one row per environment.
    pub stats: &'a [BucketStats],
    /// How well the incident of the solution matches, in [0, 1].
    pub incident_match: f64,
}

/// The environment and the time of the request.
#[derive(Clone, Copy, Debug)]
pub struct RankingContext<'a> {
    /// The environment of the request.
    pub environment: &'a Environment,
    /// UTC milliseconds.
    pub now: i64,
    /// Age at which a confirmation counts half, in milliseconds. 180 days is a reasonable value.
    pub half_life_ms: i64,
}

/// How well a solution fits the caller. All scores are in [0, 1], and higher is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Among the buckets with outcomes, the bucket that is most similar to that of the caller. Without outcomes, the
    /// bucket of the solution.
    pub best_env_bucket_match: String,
    /// Similarity of that bucket to the caller's environment.
    pub env_match_score: f64,
    /// Lower bound of the success rate in the environment of the caller.
    pub reliability_score: f64,
    /// 1 for a confirmation at this moment, halved with each half-life. 0 without a confirmation.
    pub recency_boost: f64,
    /// `match * reliability * (.7 + .2 * env match + .1 * recency)`.
    pub final_solution_score: f64,
    /// Explanation in a single line.
    pub why: String,
}

/// Ranks a solution.
///
/// Reliability is the lower 20 % quantile of the posterior `Beta(1 + w, 1 + f)` of the success rate under a uniform
/// prior (Bayes and Laplace). Unlike Wilson's bound of 1927 it is also defined for fractional and for zero outcomes.
/// `w` and `f` sum the outcomes of all buckets with the weight `1/4 + 3/4 * environment_similarity^2`, so that an equal
/// bucket has full weight and a distant bucket a small weight. All `c` claimed successes together count as `c / (c +
/// 1)`, which is always less than one success that a run has shown. Each success raises the reliability and each
/// failure lowers it. If a solution has only failures in the environment of the caller, these failures limit its
/// reliability, regardless of successes in other environments.
pub fn rank_solution(caller: &RankingContext<'_>, candidate: &SolutionFacts<'_>) -> Ranking {
    let rows = candidate.stats.iter().map(|row| (environment_similarity(caller.environment, &row.bucket), row));
    let tried: Vec<(f64, &BucketStats)> = rows.filter(|(_, row)| row.worked + row.failed > 0).collect();
    let best = tried.iter().max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.bucket.cmp(&a.1.bucket)));
    let bucket = best.map_or(candidate.environment, |(_, row)| &row.bucket);
    let environment = best.map_or_else(|| environment_similarity(caller.environment, bucket), |(alike, _)| *alike);
    let reliability = compute_reliability(caller, &tried);
    let recency = compute_recency(caller, &tried);
    let matched = if candidate.incident_match.is_nan() { 0.0 } else { candidate.incident_match.clamp(0.0, 1.0) };
    let factor = 1.0 - ENVIRONMENT_SHARE - RECENCY_SHARE + ENVIRONMENT_SHARE * environment + RECENCY_SHARE * recency;
    Ranking {
        best_env_bucket_match: bucket.to_string(),
        env_match_score: round_score(environment),
        reliability_score: round_score(reliability),
        recency_boost: round_score(recency),
        final_solution_score: round_score(matched * reliability * factor),
        why: explain_rank(caller, &tried, environment, matched),
    }
}

fn round_score(score: f64) -> f64 {
    ((score * SCORE_PRECISION).round() / SCORE_PRECISION).clamp(0.0, 1.0)
}

fn compute_reliability(caller: &RankingContext<'_>, tried: &[(f64, &BucketStats)]) -> f64 {
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

/// Returns 1 at the last confirmation, halved after each half-life. A success before a later failure in the same bucket
/// is not a confirmation.
fn compute_recency(caller: &RankingContext<'_>, tried: &[(f64, &BucketStats)]) -> f64 {
    let Some(last) = find_last_confirmation(tried) else { return 0.0 };
    let age = caller.now.saturating_sub(last).max(0);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of many thousand years fit")]
    let half_lives = age as f64 / caller.half_life_ms.max(1) as f64;
    0.5_f64.powf(half_lives)
}

fn find_last_confirmation(tried: &[(f64, &BucketStats)]) -> Option<i64> {
    let unrefuted = tried.iter().filter(|(_, row)| row.last_failed_at <= row.last_confirmed_at);
    unrefuted.filter_map(|(_, row)| row.last_confirmed_at).max()
}

/// Returns a text such as `worked 9 of 10 times, 4 of 4 in this environment, last 3 days ago; incident match 0.82`.
fn explain_rank(caller: &RankingContext<'_>, tried: &[(f64, &BucketStats)], environment: f64, matched: f64) -> String {
    if tried.is_empty() {
        return format!(
            "not tried yet; written for an environment {} yours; incident match {matched:.2}",
            describe_similarity(environment)
        );
    }
    let total = |of: fn(&BucketStats) -> u32| tried.iter().map(|(_, row)| u64::from(of(row))).sum::<u64>();
    let (worked, failed) = (total(|row| row.worked), total(|row| row.failed));
    let here = tried.iter().find(|(_, row)| row.bucket == *caller.environment);
    let place = match here {
        Some((_, row)) if row.worked == 0 => {
            format!("failed {} in this environment", format_times(u64::from(row.failed)))
        }
        Some((_, row)) => {
            format!("{} of {} in this environment", row.worked, u64::from(row.worked) + u64::from(row.failed))
        }
        None => format!("nearest environment {} yours", describe_similarity(environment)),
    };
    let last = find_last_confirmation(tried)
        .map_or_else(String::new, |last| format!(", last confirmed {}", format_age(caller.now, last)));
    let claimed = match total(|row| row.claimed) {
        0 => String::new(),
        some if some == worked => ", not confirmed".to_owned(),
        some => format!(", {some} not confirmed"),
    };
    format!("worked {worked} of {}{claimed}, {place}{last}; incident match {matched:.2}", format_times(worked + failed))
}

fn format_times(count: u64) -> String {
    if count == 1 { "1 time".to_owned() } else { format!("{count} times") }
}

fn describe_similarity(environment: f64) -> &'static str {
    match environment {
        1.0.. => "equal to",
        0.7.. => "close to",
        0.4.. => "partly like",
        _ => "unlike",
    }
}

fn format_age(now: i64, then: i64) -> String {
    match now.saturating_sub(then) / DAY_MS {
        ..1 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

#[cfg(test)]
mod tests;
