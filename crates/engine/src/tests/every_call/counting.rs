//! Property test: counts are correct for any order of calls.

use crate::tests::prelude::*;
use argus_core::confidence::confidence;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Run,
    Diagnose { run: usize, case: usize },
    Fix { run: usize, case: usize, worked: bool, steps: usize },
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Run),
        4 => (0..5_usize, 0..3_usize).prop_map(|(run, case)| Step::Diagnose { run, case }),
        4 => (0..5_usize, 0..3_usize, any::<bool>(), 0..3_usize)
            .prop_map(|(run, case, worked, steps)| Step::Fix { run, case, worked, steps }),
    ]
}

const CASES: [(&str, &str); 3] =
    [("a", UNKNOWN_ERROR), ("b", "Error: another thing altogether"), ("c", CONNECTION_REFUSED_ERROR)];

fn record_cases(world: &World) -> String {
    world.run(CASES.iter().map(|(name, error)| failed_case(name, error)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 16))]
    #[test]
    fn confidence_follows_the_formula_and_resolutions_never_exceed_occurrences(steps in prop::collection::vec(any_step(), 1..40)) {
        let world = World::new();
        let mut runs = vec![record_cases(&world)];
        let mut matched = 0;
        for step in steps {
            match step {
                Step::Run => runs.push(record_cases(&world)),
                Step::Diagnose { run, case } => {
                    let known = world.diagnose(&runs[run % runs.len()], CASES[case].0).unwrap();
                    matched += 1;
                    prop_assert_eq!(known.is_new_pattern, known.pattern.is_none());
                    if let Some(pattern) = known.pattern {
                        prop_assert_eq!(known.confidence, Some(confidence(pattern.resolutions, pattern.occurrences)));
                    }
                }
                Step::Fix { run, case, worked, steps } => {
                    let fix = world.fix(&runs[run % runs.len()], CASES[case].0, &format!("fix {steps}"), worked).unwrap();
                    prop_assert_eq!(fix.updated_confidence, confidence(fix.resolutions, fix.occurrences));
                    prop_assert_eq!(fix.is_new_pattern, fix.previous_confidence.is_none());
                }
            }
        }
        let all = world.call(patterns, &PatternsParams::default()).unwrap();
        prop_assert!(all.patterns.iter().all(|pattern| pattern.resolutions <= pattern.occurrences));
        prop_assert_eq!(all.patterns.len(), all.total as usize);
        prop_assert!(all.patterns.iter().map(|pattern| pattern.occurrences).sum::<u32>() >= matched);
    }
}

#[test]
fn concurrent_connections_lose_no_counts() {
    let (folder, world) = World::on_file("two");
    let run = record_cases(&world);
    world.fix(&run, "a", "Tuned it", true).unwrap();
    let count = |file: std::path::PathBuf, run: String| {
        let world = World::open(&file).unwrap();
        for n in 0..25 {
            world.diagnose(&run, "a").unwrap();
            world.diagnose(&run, "b").unwrap();
            world.fix(&run, "c", &format!("fix {n}"), false).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| count(folder.file(), run.clone()));
        }
    });
    let all = world.call(patterns, &PatternsParams::default()).unwrap();
    let mut occurrences: Vec<_> = all.patterns.iter().map(|pattern| pattern.occurrences).collect();
    occurrences.truncate(3);
    assert_eq!(occurrences, [51, 50, 0]);
    let known = world.diagnose(&run, "c").unwrap();
    assert_eq!(known.fix_history.len(), 20);
}
