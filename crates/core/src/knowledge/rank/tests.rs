use super::{BucketStats, Ranking, RankingContext, SolutionFacts, rank_solution};
use crate::knowledge::environment::Environment;
use proptest::prelude::*;

const NOW_MS: i64 = 1_800_000_000_000;
const DAY_MS: i64 = 86_400_000;

fn environment(bucket: &str) -> Environment {
    Environment::parse(bucket)
}

fn bucket_stats(bucket: &str, worked: u32, failed: u32) -> BucketStats {
    let at = |count: u32, days: i64| (count > 0).then_some(NOW_MS - days * DAY_MS);
    BucketStats {
        bucket: environment(bucket),
        worked,
        claimed: 0,
        failed,
        last_confirmed_at: at(worked, 5),
        last_failed_at: at(failed, 9),
    }
}

fn rank_for_django(own: &str, stats: &[BucketStats], matched: f64) -> Ranking {
    let (here, own) = (environment(CALLER_BUCKET), environment(own));
    let caller = RankingContext { environment: &here, now: NOW_MS, half_life_ms: 180 * DAY_MS };
    rank_solution(&caller, &SolutionFacts { environment: &own, stats, incident_match: matched })
}

const CALLER_BUCKET: &str = "os_family=linux;language=python;language_major=3;framework=django;framework_major=5";
const OTHER_BUCKET: &str = "os_family=windows;language=python;language_major=3;framework=django;framework_major=4";

fn score_of(stats: &[BucketStats]) -> f64 {
    rank_for_django(CALLER_BUCKET, stats, 0.8).final_solution_score
}

#[test]
fn single_success_ranks_below_nine_of_ten() {
    assert!(score_of(&[bucket_stats(CALLER_BUCKET, 9, 1)]) > score_of(&[bucket_stats(CALLER_BUCKET, 1, 0)]));
}

#[test]
fn claims_count_less_than_one_shown_success() {
    let claims = |count: u32| BucketStats { claimed: count, ..bucket_stats(CALLER_BUCKET, count, 0) };
    let scores = [
        score_of(&[]),
        score_of(&[claims(1)]),
        score_of(&[claims(2)]),
        score_of(&[claims(50)]),
        score_of(&[bucket_stats(CALLER_BUCKET, 1, 0)]),
    ];
    assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
    let one_shown = [BucketStats { claimed: 1, ..bucket_stats(CALLER_BUCKET, 2, 0) }];
    assert!(score_of(&one_shown) > score_of(&[bucket_stats(CALLER_BUCKET, 1, 0)]));
    assert!(
        rank_for_django(CALLER_BUCKET, &[claims(1)], 0.8)
            .why
            .starts_with("worked 1 of 1 time, not confirmed, 1 of 1 in this")
    );
    assert!(
        rank_for_django(CALLER_BUCKET, &one_shown, 0.8).why.starts_with("worked 2 of 2 times, 1 not confirmed, 2 of 2")
    );
}

#[test]
fn untried_solution_ranks_in_the_middle() {
    let untried = score_of(&[]);
    assert!(
        score_of(&[bucket_stats(CALLER_BUCKET, 1, 0)]) > untried
            && score_of(&[bucket_stats(OTHER_BUCKET, 1, 0)]) > untried
    );
    assert!(untried > score_of(&[bucket_stats(CALLER_BUCKET, 0, 1)]) && untried > 0.1);
}

#[test]
fn failure_here_ranks_below_untried() {
    let failed = score_of(&[bucket_stats(OTHER_BUCKET, 50, 0), bucket_stats(CALLER_BUCKET, 0, 1)]);
    assert!(failed < rank_for_django("os_family=windows;language=go", &[], 0.8).final_solution_score);
}

#[test]
fn explanation_is_a_short_line() {
    let check = |stats: &[BucketStats], want: &str| assert_eq!(rank_for_django(CALLER_BUCKET, stats, 0.8).why, want);
    check(&[], "not tried yet; written for an environment equal to yours; incident match 0.80");
    check(
        &[bucket_stats(CALLER_BUCKET, 4, 1), bucket_stats(OTHER_BUCKET, 5, 0)],
        "worked 9 of 10 times, 4 of 5 in this environment, last confirmed 5 days ago; incident match 0.80",
    );
    check(
        &[bucket_stats(OTHER_BUCKET, 1, 0)],
        "worked 1 of 1 time, nearest environment partly like yours, last confirmed 5 days ago; incident match 0.80",
    );
    check(
        &[bucket_stats(CALLER_BUCKET, 0, 2)],
        "worked 0 of 2 times, failed 2 times in this environment; incident match 0.80",
    );
}

#[test]
fn nearest_bucket_is_reported() {
    let ranking = rank_for_django(
        OTHER_BUCKET,
        &[bucket_stats(OTHER_BUCKET, 3, 0), bucket_stats("os_family=linux;language=python;language_major=3", 1, 0)],
        1.0,
    );
    assert_eq!(ranking.best_env_bucket_match, "os_family=linux;language=python;language_major=3");
    assert_eq!(rank_for_django(OTHER_BUCKET, &[], 1.0).best_env_bucket_match, OTHER_BUCKET);
}

fn any_bucket_stats() -> impl Strategy<Value = Vec<BucketStats>> {
    let buckets = proptest::sample::select(vec![CALLER_BUCKET, OTHER_BUCKET, "language=go", "os_family=linux", ""]);
    let time = || proptest::option::of(NOW_MS - 400 * DAY_MS..NOW_MS + DAY_MS);
    let one =
        (buckets, 0_u32..30, 0_u32..30, time(), time()).prop_map(|(bucket, worked, failed, confirmed, last_failed)| {
            BucketStats {
                bucket: environment(bucket),
                worked,
                claimed: 0,
                failed,
                last_confirmed_at: confirmed,
                last_failed_at: last_failed,
            }
        });
    proptest::collection::vec(one, 0..5).prop_map(|mut rows| {
        rows.sort_by(|a, b| a.bucket.cmp(&b.bucket));
        rows.dedup_by(|a, b| a.bucket == b.bucket);
        rows
    })
}

proptest! {
    #[test]
    fn scores_are_in_range(rows in any_bucket_stats(), matched in -1.0_f64..2.0) {
        let ranking = rank_for_django(OTHER_BUCKET, &rows, matched);
        for score in [ranking.env_match_score, ranking.reliability_score, ranking.recency_boost, ranking.final_solution_score] {
            prop_assert!((0.0..=1.0).contains(&score));
        }
        prop_assert!(ranking.why.len() < 160 && !ranking.why.contains('\n'));
    }

    #[test]
    fn success_never_lowers_and_failure_never_raises_the_score(rows in any_bucket_stats(), at in 0_usize..5) {
        if let Some(chosen) = rows.get(at) {
            let before = rank_for_django(CALLER_BUCKET, &rows, 1.0).reliability_score;
            let with = |worked: u32, failed: u32| {
                let mut rows = rows.clone();
                rows[at] = BucketStats { worked: chosen.worked + worked, failed: chosen.failed + failed, ..chosen.clone() };
                rank_for_django(CALLER_BUCKET, &rows, 1.0).reliability_score
            };
            prop_assert!(with(1, 0) >= before && with(0, 1) <= before);
        }
    }

    #[test]
    fn nearer_environment_ranks_higher(worked in 1_u32..40, failed in 0_u32..2) {
        let near = rank_for_django(CALLER_BUCKET, &[bucket_stats("os_family=linux;language=python;language_major=3;framework=django", worked, 0)], 1.0);
        let far = rank_for_django(CALLER_BUCKET, &[bucket_stats("os_family=windows;language=go", worked, failed)], 1.0);
        prop_assert!(near.final_solution_score > far.final_solution_score);
    }

    #[test]
    fn recency_decays(days in 0_i64..1000, more in 1_i64..400) {
        let aged = |days: i64| BucketStats { last_confirmed_at: Some(NOW_MS - days * DAY_MS), ..bucket_stats(CALLER_BUCKET, 3, 0) };
        let (young, old) = (rank_for_django(CALLER_BUCKET, &[aged(days)], 1.0), rank_for_django(CALLER_BUCKET, &[aged(days + more)], 1.0));
        // Scores are rounded: two ages a day apart may share a score, but ages a quarter of a half-life apart must
        // differ unless the score is near 0.
        prop_assert!(young.recency_boost >= old.recency_boost);
        prop_assert!(more < 45 || young.recency_boost > old.recency_boost || young.recency_boost < 0.02);
        prop_assert!(young.final_solution_score >= old.final_solution_score);
        prop_assert!((rank_for_django(CALLER_BUCKET, &[aged(180)], 1.0).recency_boost - 0.5).abs() < 1e-9);
    }

    #[test]
    fn only_failures_here_rank_below_untried(elsewhere in any_bucket_stats(), failed in 1_u32..9) {
        let mut rows: Vec<_> = elsewhere.into_iter().filter(|row| row.bucket != environment(CALLER_BUCKET)).collect();
        rows.push(bucket_stats(CALLER_BUCKET, 0, failed));
        let untried = rank_for_django("language=go", &[], 1.0);
        prop_assert!(rank_for_django(CALLER_BUCKET, &rows, 1.0).final_solution_score < untried.final_solution_score);
    }

    #[test]
    fn untried_never_beats_proven(worked in 1_u32..20, bucket in prop_oneof![Just(CALLER_BUCKET), Just(OTHER_BUCKET), Just("language=go")]) {
        prop_assert!(rank_for_django(bucket, &[bucket_stats(bucket, worked, 0)], 1.0).final_solution_score > score_of(&[]));
    }

    #[test]
    fn better_incident_match_ranks_higher(rows in any_bucket_stats(), a in 0.0_f64..1.0, b in 0.0_f64..1.0) {
        let (low, high) = (rank_for_django(CALLER_BUCKET, &rows, a.min(b)), rank_for_django(CALLER_BUCKET, &rows, a.max(b)));
        prop_assert!(low.final_solution_score <= high.final_solution_score);
    }
}
