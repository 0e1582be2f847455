//! The history of a test, and the tests that changed since a commit.

use super::{FIRST_FAILS, NO_ERRORS, Story};
use crate::tests::prelude::*;

const CASE_0: &str = "a.test.ts > suite > case 0";

impl Story {
    fn history(&self, case_name: &str) -> Result<TestHistoryResult, EngineError> {
        self.history_page(case_name, None, None)
    }

    fn history_page(
        &self,
        case_name: &str,
        limit: Option<u32>,
        offset: Option<u32>,
    ) -> Result<TestHistoryResult, EngineError> {
        self.world.call(test_history, &TestHistoryParams { case_name: case_name.to_owned(), limit, offset })
    }

    fn since(&self, since: &str) -> Result<TestChangesResult, EngineError> {
        self.world.call(test_changes, &TestChangesParams { since: since.to_owned(), limit: None, offset: None })
    }

    fn run_of(&self, cases: Vec<ReportCase>) -> String {
        self.record(|_| (), cases).run_id
    }

    /// Records a run on the newest commit with uncommitted changes.
    fn run_edited(&self, cases: Vec<ReportCase>) -> String {
        self.record(|git| (git.dirty, git.tree) = (Some(true), None), cases).run_id
    }

    fn run_on(&self, branch: &str, cases: Vec<ReportCase>) -> String {
        self.record(|git| git.branch = Some(branch.to_owned()), cases).run_id
    }
}

fn list_changes(changes: &[TestChange]) -> Vec<(&str, ChangeKind)> {
    changes.iter().map(|one| (one.case_name.rsplit(" > ").next().unwrap(), one.change)).collect()
}

#[test]
fn a_test_has_a_history_with_its_verdicts() {
    let mut story = Story::after_passes(8);
    let culprit = story.commit();
    let first = story.run(&FIRST_FAILS);
    story.commit();
    let second = story.run(&FIRST_FAILS);
    let known = story.history(CASE_0).unwrap();
    assert_eq!((known.case_name.as_str(), known.runs.len(), known.has_more), (CASE_0, 10, false));
    let evidence = known.evidence.unwrap();
    assert_eq!((evidence.state, evidence.failures, evidence.runs), (TestState::Broken, 2, 10));
    let [newest, before, passing] = &known.runs[..3] else { panic!() };
    assert_eq!((newest.run_id.as_str(), newest.status), (second.run_id.as_str(), CaseState::Failed));
    let verdict = before.verdict.as_ref().unwrap();
    assert_eq!((verdict.kind, verdict.suspect.as_ref()), (VerdictKind::Regression, Some(&culprit)));
    assert_eq!(before.commit.as_deref(), Some(culprit.as_str()));
    assert_eq!(newest.verdict.as_ref().unwrap().kind, VerdictKind::Broken);
    assert!(newest.cause_id.is_some() && newest.cause_id == before.cause_id);
    assert!(newest.headline.as_ref().unwrap().contains("flux capacitor"));
    assert_eq!((passing.status, passing.dirty, passing.duration_ms), (CaseState::Passed, Some(false), Some(2.0)));
    assert_eq!((passing.branch.as_deref(), &passing.verdict, &passing.headline), (Some("main"), &None, &None));
    let latest = known.latest_failure.unwrap();
    assert_eq!((latest.run_id, latest.verdict.kind), (second.run_id, VerdictKind::Broken));
    assert!(!latest.verdict.because.is_empty() && latest.verdict.because.len() <= 3);
    assert_eq!(latest.verdict.since.unwrap().run_id, first.run_id);
    assert!(known.notes.is_empty(), "{:?}", known.notes);

    let page = story.history_page(CASE_0, Some(3), Some(1)).unwrap();
    assert_eq!((page.runs.len(), page.runs[0].run_id.as_str(), page.has_more), (3, first.run_id.as_str(), true));
    assert_eq!(story.history_page(CASE_0, Some(50), Some(9)).unwrap().runs.len(), 1);
    assert_eq!(story.history_page(CASE_0, Some(51), None).unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn a_test_is_found_by_a_unique_part_of_its_name() {
    let mut story = Story::new();
    story.commit();
    story.run_of(vec![
        failed_case("adds", UNKNOWN_ERROR),
        passed_case("adds twice"),
        passed_case("removes"),
        passed_case("renames"),
    ]);
    for wanted in ["adds", "ADDS TWICE", "twice", "removes", "a.test.ts > suite > adds"] {
        let found = story.history(wanted).unwrap().case_name.to_lowercase();
        assert!(found.ends_with(&wanted.to_lowercase()), "{wanted}: {found}");
    }
    let several = story.history("dds").unwrap_err();
    assert_eq!(several.code, ErrorCode::CaseNotFound);
    assert!(several.message.contains("suite > adds'") && several.message.contains("adds twice"), "{}", several.message);
    let none = story.history("remove thing").unwrap_err();
    assert_eq!(none.code, ErrorCode::CaseNotFound);
    assert!(none.message.contains("closest names are 'a.test.ts > suite > removes'"), "{}", none.message);
    assert_eq!(story.history(" ").unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn answers_about_old_or_missing_results_name_the_next_step() {
    let mut story = Story::new();
    assert!(story.tests().notes[0].contains("Call argus_run first"));
    assert!(story.history("adds").unwrap_err().message.contains("Call argus_run first"));
    let unknown = story.since("abc").unwrap_err();
    assert_eq!(unknown.code, ErrorCode::RunNotFound);
    assert!(unknown.message.contains("Call argus_run first"), "{}", unknown.message);

    let commit = story.commit();
    let days_ago = RecordRunParams { started_at: Some(START_MS - 3 * 86_400_000), ..story.params() };
    story.world.record(&days_ago, vec![passed_case("adds"), passed_case("removes")]).unwrap();
    let known = story.history("adds").unwrap();
    assert!(known.evidence.is_none() && known.latest_failure.is_none());
    assert_eq!(known.notes.len(), 2, "{:?}", known.notes);
    assert!(known.notes[0].contains("did not fail") && known.notes[1].contains("3 days old; argus_run"));
    assert!(story.since(&commit).unwrap().notes[0].contains("Run argus_run"));
    story.run_of(vec![passed_case("removes")]);
    let left_out = story.history("adds").unwrap().notes;
    assert!(left_out[1].contains("No run after") && left_out[1].contains("argus_run"), "{left_out:?}");
}

#[test]
fn test_changes_lists_changes_with_verdicts() {
    let mut story = Story::new();
    for _ in 0..6 {
        story.commit();
        story.run_of(vec![
            passed_case("breaks"),
            failed_case("stays", UNKNOWN_ERROR),
            failed_case("mended", "Error: a tooth"),
            passed_case("other"),
        ]);
    }
    let since = story.commit();
    let base = story.run_of(vec![
        passed_case("breaks"),
        failed_case("stays", UNKNOWN_ERROR),
        failed_case("mended", "Error: a tooth"),
        passed_case("other"),
    ]);
    assert!(story.since(&since).unwrap().head.is_none());
    let culprit = story.commit();
    let error = "TypeError: total is not a function";
    let head = story.run_of(vec![
        failed_case("breaks", error),
        failed_case("stays", UNKNOWN_ERROR),
        passed_case("mended"),
        passed_case("other"),
        passed_case("born"),
    ]);
    let known = story.since(&since).unwrap();
    assert_eq!((known.since.as_str(), known.base.id.as_str()), (since.as_str(), base.as_str()));
    assert_eq!(known.head.as_ref().map(|run| run.id.as_str()), Some(head.as_str()));
    let wanted = [("breaks", ChangeKind::Failing), ("born", ChangeKind::New), ("mended", ChangeKind::Fixed)];
    assert_eq!(list_changes(&known.changes), wanted);
    let counts = TestChangeCounts { failing: 1, flaky: 0, new: 1, fixed: 1, still_failing: 1 };
    assert_eq!((known.counts, known.total, known.has_more), (counts, 3, false));
    let breaks = &known.changes[0];
    assert_eq!((breaks.base, breaks.head), (CaseState::Passed, CaseState::Failed));
    assert_eq!((breaks.base_run_id.as_ref(), &breaks.head_run_id), (Some(&base), &head));
    assert_eq!(breaks.failed_in.as_ref(), Some(&head));
    let verdict = breaks.verdict.as_ref().unwrap();
    assert_eq!((verdict.kind, verdict.suspect.as_ref()), (VerdictKind::Regression, Some(&culprit)));
    assert!(breaks.cause_id.is_some() && breaks.headline.as_ref().unwrap().contains("total is not a function"));
    let born = &known.changes[1];
    assert_eq!((born.base, born.head, &born.failed_in), (CaseState::Absent, CaseState::Passed, &None));
    let mended = &known.changes[2];
    assert_eq!((mended.head, mended.failed_in.as_ref()), (CaseState::Passed, Some(&base)));

    let page = TestChangesParams { since, limit: Some(1), offset: Some(1) };
    let page = story.world.call(test_changes, &page).unwrap();
    assert_eq!((list_changes(&page.changes), page.total, page.has_more), (vec![("born", ChangeKind::New)], 3, true));
}

#[test]
fn random_failures_are_distinguished_from_changes() {
    let mut story = Story::new();
    let since = story.commit();
    for _ in 0..6 {
        story.run(&NO_ERRORS);
    }
    story.commit();
    let retried = || ReportCase { flaky: true, attempts: 2, ..passed_case("case 1") };
    story.run_of(vec![passed_case("case 0"), retried(), passed_case("case 2")]);
    let known = story.since(&since).unwrap();
    assert_eq!(list_changes(&known.changes), [("case 1", ChangeKind::Flaky)]);
    assert_eq!((known.changes[0].head, &known.changes[0].failed_in), (CaseState::Flaky, &None));
    for _ in 0..3 {
        story.run(&FIRST_FAILS);
        story.run(&NO_ERRORS);
    }
    let chance = story.run(&FIRST_FAILS);
    assert_eq!(Story::verdict(&chance).0, VerdictKind::Flaky);
    let known = story.since(&since).unwrap();
    assert_eq!(list_changes(&known.changes), [("case 0", ChangeKind::Flaky), ("case 1", ChangeKind::Flaky)]);
    assert_eq!(known.changes[0].verdict.as_ref().unwrap().kind, VerdictKind::Flaky);
    // From here on the test was flaky before, so a pass is not a fix.
    let flaky = story.commit();
    story.run(&FIRST_FAILS);
    story.commit();
    story.run(&NO_ERRORS);
    assert_eq!(list_changes(&story.since(&flaky).unwrap().changes), []);
}

#[test]
fn partial_edited_and_other_branch_runs_are_handled() {
    let mut story = Story::new();
    let since = story.commit();
    let all = story.run_of(vec![passed_case("one"), passed_case("two")]);
    // Uncommitted work on the commit counts as after the commit.
    let edited = story.run_edited(vec![failed_case("one", UNKNOWN_ERROR)]);
    let known = story.since(&since).unwrap();
    assert_eq!(list_changes(&known.changes), [("one", ChangeKind::Failing)]);
    assert_eq!((known.base.id.as_str(), known.head.unwrap().id), (all.as_str(), edited.clone()));
    // A later run of the same commit is not a change.
    story.run_of(vec![passed_case("one"), passed_case("two")]);
    assert_eq!(story.since(&since).unwrap().changes[0].head_run_id, edited);
    let next = story.commit();
    let part = story.run_of(vec![skipped_case("one"), failed_case("two", UNKNOWN_ERROR)]);
    let known = story.since(&since).unwrap();
    assert_eq!(list_changes(&known.changes), [("one", ChangeKind::Failing), ("two", ChangeKind::Failing)]);
    assert_eq!([&known.changes[0].head_run_id, &known.changes[1].head_run_id], [&edited, &part]);
    // Changes on another branch are separate.
    story.commit();
    let other = story.run_on("other", vec![passed_case("one"), passed_case("two"), passed_case("three")]);
    let known = story.since(&next).unwrap();
    assert_eq!(known.head.unwrap().id, other);
    assert_eq!(list_changes(&known.changes), [("three", ChangeKind::New), ("two", ChangeKind::Fixed)]);
    story.run_on("main", vec![passed_case("one"), passed_case("two")]);
    assert_eq!(list_changes(&story.since(&next).unwrap().changes), [("two", ChangeKind::Fixed)]);
}

#[test]
fn a_commit_with_only_edited_runs_uses_the_run_before_it() {
    let mut story = Story::new();
    story.commit();
    let before = story.run_of(vec![passed_case("one")]);
    let since = story.commit();
    story.run_edited(vec![failed_case("one", UNKNOWN_ERROR)]);
    let known = story.since(&since).unwrap();
    assert_eq!(
        (known.base.id.as_str(), list_changes(&known.changes)),
        (before.as_str(), vec![("one", ChangeKind::Failing)])
    );
    assert!(known.notes[0].contains(&before), "{:?}", known.notes);
}

#[test]
fn a_commit_is_found_by_a_unique_prefix() {
    let mut story = Story::new();
    let (one, two) = (story.commit(), {
        story.run(&NO_ERRORS);
        story.commit()
    });
    story.run(&NO_ERRORS);
    let several = story.since("000").unwrap_err();
    assert_eq!(several.code, ErrorCode::RunNotFound);
    assert!(several.message.contains("Use more characters of the hash"), "{}", several.message);
    let none = story.since("feed").unwrap_err();
    assert_eq!(none.code, ErrorCode::RunNotFound);
    assert!(none.message.contains(&format!("{}, {}", &two[..12], &one[..12])), "{}", none.message);
    assert_eq!(story.since(&one).unwrap().since, one);
    story.record(|git| git.commit = Some("c0ffee".repeat(6)), vec![passed_case("one")]);
    assert_eq!(story.since(" C0FFE ").unwrap().since, "c0ffee".repeat(6));
    assert_eq!(story.since("").unwrap_err().code, ErrorCode::InvalidInput);
}

fn skipped_case(name: &str) -> ReportCase {
    ReportCase { status: CaseStatus::Skipped, ..passed_case(name) }
}

/// The position of a test is read from the stored order of a run. The test is at another position in each of these
/// runs.
#[test]
fn a_test_is_found_at_any_position_in_a_run() {
    let mut story = Story::new();
    story.commit();
    let many = |from: u32, to: u32| (from..to).map(|at| passed_case(&format!("case {at}"))).collect::<Vec<_>>();
    let with = |cases: Vec<Vec<ReportCase>>| cases.into_iter().flatten().collect::<Vec<_>>();
    let slow = |name: &str| ReportCase { duration_ms: Some(70.0), ..passed_case(name) };
    let retried = ReportCase { flaky: true, attempts: 2, ..passed_case("wanted") };
    let runs = [
        with(vec![vec![slow("wanted")], many(0, 50)]),
        with(vec![many(0, 50), vec![passed_case("wanted")]]),
        // Other cases before the test are skipped, and then the test itself is skipped.
        with(vec![(0..20).map(|at| skipped_case(&format!("case {at}"))).collect(), many(20, 50), vec![slow("wanted")]]),
        with(vec![many(0, 50), vec![skipped_case("wanted")]]),
        many(0, 50),
        // If a case occurs more than once, the worst result counts.
        with(vec![vec![passed_case("wanted")], many(0, 50), vec![failed_case("wanted", UNKNOWN_ERROR)]]),
        with(vec![many(0, 3), vec![retried], many(3, 50)]),
    ];
    let ids: Vec<String> = runs.into_iter().map(|cases| story.run_of(cases)).collect();
    let foreign = RecordRunParams { foreign: true, ..story.params() };
    let foreign = story.world.record(&foreign, with(vec![many(0, 9), vec![passed_case("wanted")]])).unwrap().run_id;
    let wanted = "a.test.ts > suite > wanted";
    let check = |story: &Story| {
        let found = story.history(wanted).unwrap();
        let listed: Vec<_> = found.runs.iter().map(|run| (run.run_id.as_str(), run.status, run.duration_ms)).collect();
        let expected = [
            (foreign.as_str(), CaseState::Passed, Some(2.0)),
            (&ids[6], CaseState::Flaky, Some(2.0)),
            (&ids[5], CaseState::Failed, Some(2.0)),
            (&ids[2], CaseState::Passed, Some(70.0)),
            (&ids[1], CaseState::Passed, Some(2.0)),
            (&ids[0], CaseState::Passed, Some(70.0)),
        ];
        assert_eq!(listed, expected);
        let page = story.history_page(wanted, Some(2), Some(2)).unwrap();
        let listed: Vec<_> = page.runs.iter().map(|run| run.run_id.as_str()).collect();
        assert_eq!((listed, page.has_more), (vec![ids[5].as_str(), ids[2].as_str()], true));
    };
    check(&story);
    assert_eq!(story.history("a.test.ts > suite > case 30").unwrap().runs.len(), 7, "a test that never failed");
    // A memory without stored orders gives the same results.
    story.forget_evidence();
    check(&story);
}

#[test]
fn no_rerun_is_suggested_for_an_error_that_is_always_the_same() {
    let mut story = Story::new();
    story.commit();
    let settle = |error: &str| {
        let run = story.run_of(vec![failed_case("case 0", error)]);
        let diagnosed = story.world.diagnose(&run, CASE_0).unwrap().verdict.unwrap();
        let latest = story.history(CASE_0).unwrap().latest_failure.unwrap().verdict;
        assert_eq!((diagnosed.kind, &diagnosed.settle), (latest.kind, &latest.settle));
        diagnosed.settle
    };
    assert_eq!(settle("Error: Cannot find module './cart.js'"), None);
    let story = Story::new();
    let run = story.run_of(vec![failed_case("case 0", UNKNOWN_ERROR)]);
    let verdict = story.world.diagnose(&run, CASE_0).unwrap().verdict.unwrap();
    assert!(verdict.settle.unwrap().starts_with("Run it once more on its own: "));
    assert!(story.history(CASE_0).unwrap().latest_failure.unwrap().verdict.settle.is_some());
}
