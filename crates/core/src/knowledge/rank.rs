//! Orders the solutions of matching incidents: how well each is proven, where, and how lately.
//! Statistics and the clock are handed in.

pub(crate) mod beta;

use crate::knowledge::environment::{Environment, env_match};

/// Which quantile of the success rate's posterior counts as proven. It is also the reliability of an untried solution,
/// for the 20% quantile of the uniform prior is .2: above one that failed (.11), below one that worked once (.45).
const PROVEN_QUANTILE: f64 = 0.2;
/// What an outcome counts at least, however different its environment: a fix that works elsewhere is worth a try.
const MIN_OUTCOME_WEIGHT: f64 = 0.25;
/// Shares of the factor by which environment and recency scale a solution; the rest does not depend on them.
/// Their sum is so small that one failure in this environment (.106 of at most 1) stays below an untried
/// solution (.2 of at least 1 - .2 - .1 = .7).
const ENVIRONMENT_SHARE: f64 = 0.2;
const RECENCY_SHARE: f64 = 0.1;
/// Scores are rounded to this, so that every machine and every build prints the same.
const SCORE_PRECISION: f64 = 10_000.0;
const DAY_MS: i64 = 86_400_000;

/// What happened to a solution in one environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketStats {
    /// The environment.
    pub bucket: Environment,
    /// How often it worked there.
    pub worked: u32,
    /// How many of those a run could have shown, and none has.
    pub claimed: u32,
    /// How often it failed there.
    pub failed: u32,
    /// When it last worked there, UTC milliseconds.
    pub last_confirmed_at: Option<i64>,
    /// When it last failed there.
    pub last_failed_at: Option<i64>,
}

/// A solution as far as its rank depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The environment it was written for.
    pub environment: &'a Environment,
    /// Its outcomes, one row for each environment.
    pub stats: &'a [BucketStats],
    /// How well its incident matched, in [0, 1].
    pub incident_match: f64,
}

/// Who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The caller's environment.
    pub environment: &'a Environment,
    /// UTC milliseconds.
    pub now: i64,
    /// After so long a confirmation counts half; 180 days is a good start.
    pub half_life_ms: i64,
}

/// How good a solution is for the caller; every score in [0, 1], higher is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The bucket with outcomes that is most like the caller's; without outcomes the solution's own.
    pub best_env_bucket_match: String,
    /// How like the caller's that bucket is.
    pub env_match_score: f64,
    /// A lower bound of the success rate here.
    pub reliability_score: f64,
    /// 1 for a confirmation just now, halved with each half-life, 0 for none.
    pub recency_boost: f64,
    /// `match * reliability * (.7 + .2 * env match + .1 * recency)`.
    pub final_solution_score: f64,
    /// One short line.
    pub why: String,
}

/// Ranks one solution.
///
/// Reliability is the lower 20% quantile of the posterior `Beta(1 + w, 1 + f)` of the success rate under the uniform
/// prior (Bayes and Laplace; like Wilson's bound of 1927, but also defined for fractions of outcomes and for none).
/// `w` and `f` count the outcomes of all buckets, each by how like the caller's its bucket is:
/// `1/4 + 3/4 * env_match^2`, so that an equal bucket counts in full and a distant one still a little. Of `c` successes
/// that are only claimed, `c / (c + 1)` is counted: however many, they are less than one that was shown. With each
/// success it rises, with each failure it falls. A solution that only ever failed in this very environment gets no
/// more than those failures leave it, wherever else it worked.
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

/// Half for each half-life since it was last confirmed; where it failed later, it is not confirmed.
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
