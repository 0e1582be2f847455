//! Verdicts on failures over many runs, on a real store.

mod addresses;
mod attribution;
mod edits;
mod foreign;
mod gate;
mod learned_commits;
mod lost_commits;
mod over_runs;
mod receipt;
mod runner_version;
mod shuffled;
mod suite_failures;
mod walls;

use crate::tests::prelude::*;

/// A project whose commits and runs a test records step by step.
struct Story {
    world: World,
    commits: Vec<CommitFacts>,
}

impl Story {
    fn new() -> Self {
        Self { world: World::new(), commits: Vec::new() }
    }

    /// Returns a story with this many commits, each with a run in which all tests passed.
    fn after_passes(commits: usize) -> Self {
        let mut story = Self::new();
        for _ in 0..commits {
            story.commit();
            story.run(&NO_ERRORS);
        }
        story
    }

    fn commit(&mut self) -> String {
        let commit = format!("{:040x}", self.commits.len() + 1);
        let parents = self.commits.first().map(|parent| parent.commit.clone()).into_iter().collect();
        self.commits.insert(0, CommitFacts { commit: commit.clone(), parents, ..CommitFacts::default() });
        commit
    }

    fn commit_of(&mut self, files: &[&str]) -> String {
        let commit = self.commit();
        self.commits[0].files = files.iter().map(|file| (*file).to_owned()).collect();
        commit
    }

    fn run(&self, errors: &[Option<&str>]) -> RunResult {
        let case = |(at, error): (usize, Option<&str>)| match error {
            Some(error) => failed_case(&format!("case {at}"), error),
            None => passed_case(&format!("case {at}")),
        };
        let cases: Vec<ReportCase> = errors.iter().copied().enumerate().map(case).collect();
        self.world.record(&self.params(), cases).unwrap()
    }

    fn params(&self) -> RecordRunParams {
        let commit = self.commits.first().map(|commit| commit.commit.clone());
        let git = GitFacts {
            tree: commit.as_ref().map(|commit| format!("tree of {commit}")),
            commit,
            branch: Some("main".to_owned()),
            dirty: Some(false),
            commits: self.commits.clone(),
            ..GitFacts::default()
        };
        RecordRunParams { git: Some(git), ..RecordRunParams::default() }
    }

    /// Records a run of these cases on the newest commit, after a change of what git says about it.
    fn record(&self, change: impl FnOnce(&mut GitFacts), cases: Vec<ReportCase>) -> RunResult {
        let mut params = self.params();
        change(params.git.as_mut().unwrap());
        self.world.record(&params, cases).unwrap()
    }

    fn verdict(run: &RunResult) -> (VerdictKind, Option<String>) {
        let verdict = run.causes[0].verdict.clone().expect("every failure has a verdict");
        (verdict.kind, verdict.suspect)
    }

    fn forget_evidence(&self) {
        let forget = |tx: &mut Tx<'_>| -> Result<(), EngineError> {
            for table in ["DELETE FROM evidence", "DELETE FROM test_histories", "DELETE FROM case_orders"] {
                tx.execute(table, &[])?;
            }
            Ok(())
        };
        self.world.engine.write(&self.world.context(), forget).unwrap();
    }

    fn tests(&self) -> TestsResult {
        self.world.call(tests, &TestsParams::default()).unwrap()
    }
}

fn edited_file(path: &str, hunks: &str) -> EditedFile {
    EditedFile {
        path: path.to_owned(),
        digest: format!("digest of {hunks}"),
        hunks: Some(hunks.to_owned()),
        untracked: false,
    }
}

const NO_ERRORS: [Option<&str>; 3] = [None; 3];
const FIRST_FAILS: [Option<&str>; 3] = [Some(UNKNOWN_ERROR), None, None];

/// Example: a function that all tests call was changed.
#[test]
fn an_error_in_lines_that_all_tests_execute_is_a_regression() {
    for error in [
        "KeyError: 'city'\n\n>   assert len(user(1)['city']) == 4\nE   KeyError: 'city'\n\na.test.ts:2: KeyError",
        "TypeError: Cannot read properties of undefined (reading 'length')\n    at Context.<anonymous> (a.test.ts:4:20)",
        "ReferenceError: total is not defined\n    at Context.<anonymous> (a.test.ts:4:20)",
    ] {
        let mut story = Story::new();
        story.commit();
        story.run(&[None; 12]);
        story.commit();
        assert_eq!(Story::verdict(&story.run(&[Some(error); 12])).0, VerdictKind::Regression, "{error}");
        assert_eq!(Story::verdict(&story.run(&[Some(error); 12])).0, VerdictKind::Broken, "{error}");
    }
}

/// If there are several commits since the last run, a commit that touches a file of the stack comes first, even if the
/// stack is from another machine. Without file lists the newest commit comes first, because nothing distinguishes the
/// commits.
#[test]
fn the_commit_that_touches_the_stack_is_the_first_suspect() {
    let far = format!("{UNKNOWN_ERROR}\n    at charge (/home/runner/work/shop/shop/src/billing/charge.js:7:3)");
    let near = format!("{UNKNOWN_ERROR}\n    at charge (/project/src/billing/charge.js:7:3)");
    // A stack of the JVM names only the package and the file.
    let source = "core/src/main/java/shop/billing/Charge.java";
    let jvm = format!("{UNKNOWN_ERROR}\n\tat shop.billing.Charge.run(Charge.java:7)");
    for (error, touched) in
        [(&far, "src/billing/charge.js"), (&near, "src/billing/charge.js"), (&near, "a.test.ts"), (&jvm, source)]
    {
        let mut story = Story::after_passes(8);
        let many: Vec<String> = (0..100).map(|at| format!("file{at}.js")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).chain([touched]).collect();
        story.commit_of(&["docs/charge.md", "src/charge.js"]);
        let culprit = story.commit_of(&["package.json", touched]);
        story.commit_of(&["src/cart.js"]);
        story.commit_of(&many);
        let run = story.run(&[Some(error), None, None]);
        let suspects = story.world.diagnose(&run.run_id, "a.test.ts > suite > case 0").unwrap().suspects;
        assert_eq!((suspects.len(), &suspects[0].commit), (4, &culprit), "{error}");
        assert!(suspects[0].probability > 0.6 && suspects[1].probability < 0.2, "{suspects:?}");
    }
}

#[test]
fn a_run_is_imported_once() {
    let mut story = Story::new();
    story.commit();
    let run = |id: &str, cases| ImportRunParams { id: id.to_owned(), run: RecordRunParams { cases, ..story.params() } };
    let first = run("r 1", vec![failed_case("case 0", UNKNOWN_ERROR)]);
    let answered = story.world.call(import_run, &first).unwrap();
    assert_eq!((answered.run_id.as_str(), answered.was_known), ("run-r-1", false));
    assert_eq!(answered.failures[0].verdict.kind, VerdictKind::New);
    story.world.call(import_run, &run("run-2", vec![passed_case("case 0")])).unwrap();
    let again = story.world.call(import_run, &first).unwrap();
    assert!(again.was_known);
    assert_eq!(again.failures, answered.failures);
    assert_eq!(story.tests().tests[0].runs, 2);
    assert!(story.world.call(import_run, &run("", Vec::new())).is_err());
}

/// A memory of an earlier version has runs, but no evidence.
#[test]
fn evidence_is_built_from_runs_of_an_earlier_version() {
    let mut story = Story::after_passes(5);
    story.commit();
    story.run(&FIRST_FAILS);
    story.forget_evidence();
    assert_eq!(story.tests().total, 0);
    assert_eq!(Story::verdict(&story.run(&FIRST_FAILS)).0, VerdictKind::Broken);
    assert_eq!((story.tests().tests[0].failures, story.tests().tests[0].runs), (2, 7));
}

/// Verdicts depend on stored sums, not on the runs themselves.
#[test]
fn evidence_is_kept_when_its_runs_are_deleted() {
    let retention = Retention { max_runs: Some(2), ..Retention::default() };
    let options = EngineOptions { retention, ..EngineOptions::default() };
    let mut story = Story { world: World::open_with_options(":memory:", options).unwrap(), ..Story::new() };
    story.commit();
    for at in 0..12 {
        story.run(if at % 5 == 4 { &FIRST_FAILS } else { &NO_ERRORS });
    }
    assert_eq!(story.world.call(history, &HistoryParams::default()).unwrap().runs.len(), 2);
    let listed = story.tests();
    let test = &listed.tests[0];
    assert_eq!((test.state, test.failures, test.runs), (TestState::Flaky, 2, 12));
    assert!(test.interval[0] < test.flake_rate && test.flake_rate < test.interval[1]);
    assert_eq!(Story::verdict(&story.run(&FIRST_FAILS)).0, VerdictKind::Flaky);
}

#[test]
fn cases_with_the_same_name_count_as_one() {
    let world = World::new();
    let cases = vec![passed_case("case"), failed_case("case", UNKNOWN_ERROR)];
    let run = world.call(record_run, &RecordRunParams { cases, ..RecordRunParams::default() }).unwrap();
    assert_eq!(Story::verdict(&run).0, VerdictKind::New);
    assert_eq!(world.call(tests, &TestsParams::default()).unwrap().total, 1);
}

#[test]
fn a_case_without_a_filter_is_settled_by_the_whole_command() {
    let world = World::new();
    let command = RecordRunParams {
        command: Some("npm test".to_owned()),
        exit_code: Some(1),
        output_tail: Some("Error: the shop is closed".to_owned()),
        ..RecordRunParams::default()
    };
    let settle = |run: &str, case: &str| world.diagnose(run, case).unwrap().verdict.unwrap().settle.unwrap();
    let record = |cases| world.record(&command, cases).unwrap().run_id;
    let said = settle(&record(Vec::new()), "npm test");
    assert!(said.ends_with(": argus run"), "{said}");
    let suite = || vec![failed_case("cart.test.js > (suite)", "Error: the shop is shut")];
    let said = settle(&record(suite()), "cart.test.js > (suite)");
    assert!(said.ends_with(": argus run"), "{said}");
    let test = || vec![failed_case("cart.test.js > adds", "Error: the sum is wrong")];
    let said = settle(&record(test()), "cart.test.js > adds");
    assert!(said.ends_with(": argus run --filter 'adds'"), "{said}");
}
