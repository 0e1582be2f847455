//! Data for the CI gate: runs that may excuse a failure, and tests that did not run.

use super::{FIRST_FAILS, NO_ERRORS, Story};
use crate::tests::prelude::*;

impl Story {
    fn precedents(&self, run: &str) -> Option<Precedents> {
        let params = RunDetailParams { run_id: run.to_owned(), ..RunDetailParams::default() };
        let detail = self.world.call(run_detail, &params).unwrap();
        detail.cases.into_iter().find(|case| case.status == CaseStatus::Failed)?.precedents
    }

    fn missing(&self, run: &str, bases: &[&str]) -> MissingTestsResult {
        let base_run_ids = bases.iter().map(|id| (*id).to_owned()).collect();
        self.world.call(missing_tests, &MissingTestsParams { run_id: run.to_owned(), base_run_ids }).unwrap()
    }

    fn run_names(&self, names: &[&str]) -> String {
        self.world.record(&self.params(), names.iter().map(|name| passed_case(name)).collect()).unwrap().run_id
    }
}

#[test]
fn precedents_include_earlier_failed_commits_and_a_pass_on_the_same_tree() {
    let mut story = Story::after_passes(3);
    let before = story.commit();
    story.run(&FIRST_FAILS);
    story.commit();
    let passed = story.run(&NO_ERRORS).run_id;
    let failed = story.run(&FIRST_FAILS).run_id;
    assert_eq!(
        story.precedents(&failed),
        Some(Precedents { failed_at: vec![before], passed_in: Some(passed), failed_here: None })
    );
}

#[test]
fn a_first_failure_has_no_precedents() {
    let mut story = Story::after_passes(3);
    story.commit();
    assert_eq!(story.precedents(&story.run(&FIRST_FAILS).run_id), None);
}

#[test]
fn missing_tests_compares_with_the_most_similar_run() {
    let mut story = Story::new();
    story.commit();
    let shard = story.run_names(&["x", "y", "z"]);
    let whole = story.run_names(&["a", "b", "c"]);
    story.commit();
    let run = story.run_names(&["a", "new"]);
    let found = story.missing(&run, &[&shard, &whole]);
    let names: Vec<&str> = found.missing.iter().map(|name| name.rsplit(" > ").next().unwrap()).collect();
    assert_eq!((found.base_run_id.as_deref(), found.ran, &names[..]), (Some(&whole[..]), 3, &["b", "c"][..]));
    assert_eq!(story.missing(&run, &[&shard]).base_run_id, None);
}
