//! Property test: for any order of steps, sums equal the recorded outcomes and answers follow the ranking rules.

use crate::tests::prelude::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Solve { steps: usize, place: usize },
    Try { solution: usize, worked: bool, place: usize },
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0..4_usize, 0..3_usize).prop_map(|(steps, place)| Step::Solve { steps, place }),
        4 => (0..9_usize, any::<bool>(), 0..3_usize)
            .prop_map(|(solution, worked, place)| Step::Try { solution, worked, place }),
    ]
}

fn environment(number: usize) -> Value {
    [linux_env(), mac_env(), json!({ "os": "windows", "language": "go" })][number].clone()
}

/// For each solution, the successes and failures in each place.
type OutcomeSums = BTreeMap<String, [(u32, u32); 3]>;

fn perform_steps(world: &World, steps: &[Step]) -> OutcomeSums {
    let incident = world.add_new_incident(&pool_incident());
    let mut sums = OutcomeSums::from([(incident.solution_id.clone(), [(1, 0), (0, 0), (0, 0)])]);
    let mut ids = vec![incident.solution_id];
    for step in steps {
        match *step {
            Step::Solve { steps, place: at } => {
                let added = world.add_solution(&incident.incident_id, &format!("Do {steps}"), environment(at)).unwrap();
                assert_eq!(added.created, !ids.contains(&added.solution_id));
                if added.created {
                    sums.insert(added.solution_id.clone(), [(0, 0); 3]);
                    ids.push(added.solution_id);
                }
            }
            Step::Try { solution, worked, place: at } => {
                let id = &ids[solution % ids.len()];
                let stats = world.outcome(id, worked, environment(at)).solution_stats;
                let sum = sums.get_mut(id).unwrap();
                if worked {
                    sum[at].0 += 1;
                } else {
                    sum[at].1 += 1;
                }
                let total = sum.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
                assert_eq!((stats.worked, stats.failed), total);
                assert_eq!(stats.buckets.len(), sum.iter().filter(|one| **one != (0, 0)).count());
            }
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 16))]
    #[test]
    fn sums_equal_outcomes_and_answers_follow_the_ranking_rules(steps in prop::collection::vec(any_step(), 0..30)) {
        let world = World::new();
        let sums = perform_steps(&world, &steps);
        for at in 0..3 {
            let answer = world.search_solutions(POOL_ERROR, environment(at));
            let ranked = &answer.ranked_solutions;
            prop_assert_eq!(ranked.len() + answer.more as usize, sums.len());
            prop_assert_eq!(answer.recommended_solution.as_ref(), ranked.first());
            prop_assert!(ranked.is_sorted_by(|a, b| a.final_solution_score >= b.final_solution_score));
            for one in ranked {
                let total = sums[&one.solution_id].iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
                prop_assert_eq!((one.worked, one.failed), total);
                let scores = [one.env_match_score, one.reliability_score, one.recency_boost, one.final_solution_score];
                prop_assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{:?}", scores);
                prop_assert!(!one.why.is_empty() && !one.why.contains('\n') && one.why.len() < 160, "{}", one.why);
            }
            // A solution that has only failed in this environment ranks below each untried solution.
            let place_of = |id: &str| ranked.iter().position(|one| one.solution_id == id);
            for (failed, _) in sums.iter().filter(|(_, sum)| sum[at].0 == 0 && sum[at].1 > 0) {
                for (untried, _) in sums.iter().filter(|(_, sum)| **sum == [(0, 0); 3]) {
                    if let (Some(failed), Some(untried)) = (place_of(failed), place_of(untried)) {
                        prop_assert!(untried < failed);
                    }
                }
            }
        }
    }
}
