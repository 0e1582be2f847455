//! Reads stored solutions with the data that their rank depends on. The formula is in `argus_core::rank`.

use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{BucketStats, MemoryKind, RankedSolution, SolutionStats},
    memory::environment::ResolvedEnvironment,
};
use argus_core::{
    CallContext,
    environment::Environment,
    rank::{self, Ranking, RankingContext, SolutionFacts},
};
use argus_store::{
    Tx, patterns,
    search::DocumentOwner,
    solutions::{
        self, Solution, SolutionKey,
        outcomes::{self, EnvironmentStats},
    },
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Maximum number of solutions of an incident that are ranked. If there are more, the most successful and then the
/// newest are ranked.
const MAX_RANKED_SOLUTIONS: u32 = 100;

/// Days after which a confirmation counts half, unless the configuration sets another value.
const DEFAULT_HALF_LIFE_DAYS: f64 = 180.0;

const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1000.0;

#[derive(Debug)]
pub(super) struct ScoredSolution {
    pub(super) solution: Solution,
    pub(super) ranking: Ranking,
    stats: Vec<EnvironmentStats>,
    /// Number of reported successes that a run could have proved, but none has.
    claimed: u32,
}

/// Returns the solutions of an incident or a pattern with their ranks, unordered. `incident_match` is the search score
/// of the incident or pattern.
pub(super) fn rank_solutions(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    owner: DocumentOwner,
    environment: &Environment,
    incident_match: f64,
) -> Result<Vec<ScoredSolution>, EngineError> {
    let mut ranked = Vec::new();
    for solution in solutions::list_best(tx, owner, MAX_RANKED_SOLUTIONS)? {
        let stats = outcomes::read_stats(tx, solution.key)?;
        let solution_environment = Environment::parse(&solution.env_bucket);
        let rows = read_rows(tx, solution.key, &stats)?;
        let candidate = SolutionFacts { environment: &solution_environment, stats: &rows, incident_match };
        let ranking = rank::rank_solution(&build_caller(engine, context, environment), &candidate);
        let claimed = rows.iter().map(|row| row.claimed).fold(0, u32::saturating_add);
        ranked.push(ScoredSolution { solution, ranking, stats, claimed });
    }
    if let DocumentOwner::Pattern(key) = owner {
        let chosen = patterns::get(tx, key)?.and_then(|pattern| pattern.overrides.solution);
        put_chosen_first(&mut ranked, chosen);
    }
    Ok(ranked)
}

/// Ranks a solution without its outcomes, because outcomes that others recorded are only claims.
pub(super) fn rank_untried(
    engine: &Engine,
    context: &CallContext,
    solution: Solution,
    environment: &Environment,
    incident_match: f64,
) -> ScoredSolution {
    let solution_environment = Environment::parse(&solution.env_bucket);
    let candidate = SolutionFacts { environment: &solution_environment, stats: &[], incident_match };
    let ranking = rank::rank_solution(&build_caller(engine, context, environment), &candidate);
    ScoredSolution { solution, ranking, stats: Vec::new(), claimed: 0 }
}

/// Puts the solution that a person chose first, with at least the best score of its pattern.
fn put_chosen_first(ranked: &mut Vec<ScoredSolution>, chosen: Option<SolutionKey>) {
    let Some(at) = ranked.iter().position(|ranked| Some(ranked.solution.key) == chosen) else { return };
    let mut set = ranked.remove(at);
    let best = ranked.iter().map(|other| other.ranking.final_solution_score).fold(0.0, f64::max);
    set.ranking.final_solution_score = set.ranking.final_solution_score.max(best);
    set.ranking.why = format!("set by a person; {}", set.ranking.why);
    ranked.insert(0, set);
}

/// Returns the statistics of a solution for an environment.
pub(in crate::memory) fn compute_stats(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    solution: &Solution,
    environment: &ResolvedEnvironment,
) -> Result<SolutionStats, EngineError> {
    let stats = outcomes::read_stats(tx, solution.key)?;
    let rows = read_rows(tx, solution.key, &stats)?;
    let candidate = SolutionFacts { environment: &environment.environment, stats: &rows, incident_match: 1.0 };
    let ranking = rank::rank_solution(&build_caller(engine, context, &environment.environment), &candidate);
    let (worked, failed) = sum_outcomes(&stats);
    let tried = f64::from(worked) + f64::from(failed);
    Ok(SolutionStats {
        solution_id: solution.id.clone(),
        worked,
        failed,
        success_rate: if tried > 0.0 { f64::from(worked) / tried } else { 0.0 },
        reliability_score: ranking.reliability_score,
        last_confirmed_at: last_confirmed_at(&stats),
        buckets: convert_stats(stats),
    })
}

/// Converts the statistics to the type of the answer.
pub(super) fn convert_stats(stats: Vec<EnvironmentStats>) -> Vec<BucketStats> {
    let row = |row: EnvironmentStats| BucketStats {
        env_bucket: row.env_bucket,
        worked: row.worked,
        failed: row.failed,
        last_confirmed_at: row.last_confirmed_at.map(format_iso),
    };
    stats.into_iter().map(row).collect()
}

impl ScoredSolution {
    /// Converts the solution to the type of the answer.
    pub(super) fn into_contract(self, incident_id: &str, memory: MemoryKind) -> RankedSolution {
        let (worked, failed) = sum_outcomes(&self.stats);
        let env = self.solution.env.and_then(|env| serde_json::from_str(&env).ok());
        RankedSolution {
            solution_id: self.solution.id,
            incident_id: incident_id.to_owned(),
            steps: self.solution.steps,
            env: env.unwrap_or_else(|| Value::Object(Map::new())),
            env_bucket: self.solution.env_bucket,
            best_env_bucket_match: self.ranking.best_env_bucket_match,
            env_match_score: self.ranking.env_match_score,
            reliability_score: self.ranking.reliability_score,
            recency_boost: self.ranking.recency_boost,
            final_solution_score: self.ranking.final_solution_score,
            why: self.ranking.why,
            worked,
            failed,
            claimed: self.claimed,
            last_confirmed_at: last_confirmed_at(&self.stats),
            memory,
            origin: None,
        }
    }
}

fn build_caller<'a>(engine: &Engine, context: &CallContext, environment: &'a Environment) -> RankingContext<'a> {
    let days = engine.options.memory.half_life_days.filter(|days| *days > 0.0).unwrap_or(DEFAULT_HALF_LIFE_DAYS);
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float ends at the largest number")]
    let half_life_ms = (days * DAY_MS) as i64;
    RankingContext { environment, now: context.now_ms, half_life_ms }
}

fn read_rows(
    tx: &mut Tx<'_>,
    solution: SolutionKey,
    stats: &[EnvironmentStats],
) -> Result<Vec<rank::BucketStats>, EngineError> {
    let claimed: HashMap<String, u32> = outcomes::count_claims_by_bucket(tx, solution)?.into_iter().collect();
    let row = |row: &EnvironmentStats| rank::BucketStats {
        bucket: Environment::parse(&row.env_bucket),
        worked: row.worked,
        claimed: claimed.get(&row.env_bucket).copied().unwrap_or_default(),
        failed: row.failed,
        last_confirmed_at: row.last_confirmed_at,
        last_failed_at: row.last_failed_at,
    };
    Ok(stats.iter().map(row).collect())
}

/// Returns how often the solution worked and failed in all environments.
pub(super) fn sum_outcomes(stats: &[EnvironmentStats]) -> (u32, u32) {
    let add = |(worked, failed): (u32, u32), row: &EnvironmentStats| {
        (worked.saturating_add(row.worked), failed.saturating_add(row.failed))
    };
    stats.iter().fold((0, 0), add)
}

fn last_confirmed_at(stats: &[EnvironmentStats]) -> Option<String> {
    stats.iter().filter_map(|row| row.last_confirmed_at).max().map(format_iso)
}
