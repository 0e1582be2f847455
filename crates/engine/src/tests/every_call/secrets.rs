//! A secret in every string field of every call: neither an answer nor a byte of the database has it.

use crate::{
    EngineError, ReportFiles,
    calls::call,
    contract::{
        AddIncidentParams, AddSolutionParams, Change, CommitFacts, ContainerFact, EditPatternParams, EditedFile,
        EngineOptions, FixFailure, FixStart, GitFacts, HistoryParams, IdParams, MemoryImportParams, PatternsParams,
        RankedSolutionsParams, RecordFixParams, RecordOutcomeParams, RecordRunParams, ReportFixParams, ReportInput,
        RunDetailParams, Shuffle, ViewCaseParams, ViewPatternParams,
    },
    failures::{
        diagnose::diagnose,
        report_fix::{record_fix, report_fix},
    },
    fix_loop,
    knowledge::patterns::patterns,
    memory::{
        exchange::{export::export, import::import},
        finding::{incident::incident, ranked_solutions::ranked_solutions},
        recording::{add_incident::add_incident, add_solution::add_solution, record_outcome::record_outcome},
    },
    runs::{
        history::{history, run_detail},
        prepare_run::prepare_run,
        record_run::record_run,
    },
    tests::{Folder, Json, World},
    viewer::{edit::edit_pattern, pattern::view_pattern, run::view_case},
};
use argus_core::{Analyzer, classify::UserRule, redact::UserSecret};
use argus_report::{CaseStatus, Problem, ReportCase};
use argus_store::finish;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{BufRead, Cursor};

/// What is looked for: a part of each planted secret.
const PARTS: [&str; 3] = ["Fake1Fake2", "Hidden1Hidden2", "Hidden7Hidden8Hidden9"];

/// Two tokens in a text, one of them with a character inside that nobody sees.
fn planted(place: &str) -> String {
    let open = format!("gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
    let hidden = format!("gh{}_Hidden1Hidden2\u{200b}Hidden7Hidden8Hidden9Hidden0", "p");
    format!("{place} {open} {hidden}")
}

#[expect(clippy::unnecessary_wraps, reason = "what most fields take")]
fn maybe(place: &str) -> Option<String> {
    Some(planted(place))
}

fn env() -> Value {
    json!({ "os": planted("linux"), planted("key"): planted("value"), "language": planted("python") })
}

/// All that was answered.
#[derive(Default)]
struct Answers(Vec<(String, String)>);

impl Answers {
    fn keep<T: Serialize>(&mut self, call: &str, answer: Result<T, EngineError>) -> Value {
        let value = match answer {
            Ok(answer) => serde_json::to_value(&answer).unwrap(),
            Err(error) => json!({ "code": format!("{:?}", error.code), "message": error.message }),
        };
        self.0.push((call.to_owned(), value.to_string()));
        value
    }

    /// The calls that told one, with what they answered.
    fn leaks(&self) -> Vec<&(String, String)> {
        let leaks = |text: &str| PARTS.iter().any(|part| text.contains(part));
        self.0.iter().filter(|(_, text)| leaks(text)).collect()
    }
}

/// Every field is named, so that a new one does not compile until it is planted too.
fn run(reports: Vec<ReportInput>) -> RecordRunParams {
    RecordRunParams {
        foreign: false,
        shuffle: Some(Shuffle { seed: maybe("seed"), option: maybe("--seed") }),
        order_unknown: false,
        command: maybe("npm test --token"),
        runner: maybe("vitest"),
        started_at: None,
        duration_ms: Some(5.0),
        exit_code: Some(1),
        signal: maybe("SIGKILL"),
        timed_out: true,
        silent_ms: None,
        git: Some(GitFacts {
            commit: maybe("commit"),
            branch: maybe("fix/"),
            dirty: Some(true),
            tree: maybe("tree"),
            commits: vec![CommitFacts {
                commit: planted("commit"),
                parents: vec![planted("parent")],
                files: vec![planted("touched")],
                tree: maybe("tree of a commit"),
            }],
            edits: vec![EditedFile {
                path: planted("edited"),
                digest: planted("digest"),
                hunks: maybe("+ const key = "),
            }],
        }),
        reports,
        output_tail: maybe("Error: connect ECONNREFUSED 10.0.0.1:5432"),
        containers: vec![ContainerFact {
            name: planted("db"),
            status: maybe("CrashLoopBackOff"),
            oom_killed: Some(true),
            exit_code: Some(137),
        }],
        notes: vec![planted("docker: cannot connect with")],
        cases: vec![ReportCase {
            place: argus_report::Place::default(),
            file: maybe("src/"),
            suite: vec![planted("cart")],
            name: planted("adds"),
            status: CaseStatus::Failed,
            runner_status: maybe("raw"),
            flaky: false,
            duration_ms: None,
            attempts: 1,
            error_type: maybe("Error"),
            error: maybe("Error: connect ECONNREFUSED"),
            stdout_tail: maybe("out"),
            stderr_tail: maybe("err"),
            runner: maybe("runner"),
        }],
        unread: vec![Problem { at: planted("junit.xml"), reason: planted("no report") }],
        expects_tests: true,
        folder: maybe("packages"),
        environment: [(planted("os"), planted("linux"))].into(),
        filter: maybe("adds"),
    }
}

/// Every text of a report of the common test report format.
fn report() -> String {
    let test = |status: &str| {
        json!({ "name": planted("adds"), "suite": [planted("cart")], "status": status, "rawStatus": planted("raw"),
            "duration": 3, "filePath": planted("src/"), "message": planted("Error: connect ECONNREFUSED"),
            "trace": planted("at add"), "stdout": [planted("out")], "stderr": [planted("err")], "flaky": false })
    };
    json!({ "reportFormat": "CTRF", "specVersion": "0.0.0", "results": { "tool": { "name": planted("vitest") },
        "summary": { "tests": 2, "passed": 1, "failed": 1, "pending": 0, "skipped": 0, "other": 0, "start": 1, "stop": 2 },
        "tests": [test("failed"), test("passed")] } })
    .to_string()
}

#[derive(Debug)]
struct PlantedReports;

impl ReportFiles for PlantedReports {
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError> {
        match path.split(' ').next() {
            Some("good") => Ok(Box::new(Cursor::new(report()))),
            Some("bad") => Ok(Box::new(Cursor::new(planted("<testsuites><testsuite name='x'><testcase name='")))),
            _ => Err(EngineError::new(crate::ErrorCode::ReportNotFound, format!("No such report: {path}."))),
        }
    }
}

fn record(world: &World, answers: &mut Answers) -> (String, String) {
    let input = |kind: &str| ReportInput { path: planted(kind), format: None };
    let reports = ["good", "bad", "missing"].map(input).to_vec();
    for (call, reports) in [("a command", Vec::new()), ("a report", reports)] {
        let run = run(reports);
        answers.keep(&format!("{call}, prepared"), world.call(prepare_run, &run));
        let answer = world.call(record_run, &run);
        let value = answers.keep(call, answer);
        assert!(value["runId"].is_string(), "{call}: {value}");
    }
    let listed = world.call(history, &HistoryParams::default());
    let listed = answers.keep("history", listed);
    let run_id = listed["runs"][0]["runId"].as_str().or(listed["runs"][0]["id"].as_str()).unwrap().to_owned();
    let params = RunDetailParams { run_id: run_id.clone(), limit: None, offset: None };
    let detail = answers.keep("run detail", world.call(run_detail, &params));
    let case = detail["cases"][0]["name"].as_str().or(detail["cases"][0]["caseName"].as_str()).unwrap().to_owned();
    (run_id, case)
}

fn diagnose_and_fix(world: &World, answers: &mut Answers, run_id: &str, case_name: &str) -> String {
    let wrong = [planted("run"), run_id.to_owned()].into_iter().zip([planted("case"), planted("case")]);
    for (run_id, case_name) in wrong.chain([(run_id.to_owned(), case_name.to_owned())]) {
        let params = crate::contract::DiagnoseParams { run_id, case_name, not_same_as: None };
        answers.keep("diagnose", world.call(diagnose, &params));
    }
    let case = ViewCaseParams { run_id: run_id.to_owned(), case_name: case_name.to_owned() };
    answers.keep("view case", world.call(view_case, &case));
    for run_id in [run_id.to_owned(), planted("run")] {
        let params = ReportFixParams {
            run_id,
            case_name: case_name.to_owned(),
            fix_description: planted("Start the database with"),
            success: true,
            env: Some(env()),
        };
        answers.keep("report fix", world.call(report_fix, &params));
    }
    let known = answers.keep("patterns", world.call(patterns, &PatternsParams::default()));
    let learned = known["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pattern| !pattern["id"].as_str().unwrap().starts_with("builtin"));
    let pattern_id = learned.unwrap()["id"].as_str().unwrap().to_owned();
    for pattern_id in [pattern_id.clone(), planted("pat")] {
        let params = RecordFixParams {
            pattern_id,
            run_id: planted("run"),
            case_name: planted("case"),
            fix_description: planted("Start it with"),
            success: true,
        };
        answers.keep("record fix", world.call(record_fix, &params));
    }
    for id in [pattern_id.clone(), planted("pat")] {
        let change = |text: &str| Change::Set(planted(text));
        let (description, suggested_fix) = (change("Refused"), change("Start it"));
        let params = EditPatternParams { id: id.clone(), category: Change::Keep, description, suggested_fix };
        answers.keep("edit pattern", world.call(edit_pattern, &params));
        let params = ViewPatternParams { id, limit: None, offset: None };
        answers.keep("view pattern", world.call(view_pattern, &params));
    }
    pattern_id
}

fn incident_params(steps: &str) -> AddIncidentParams {
    AddIncidentParams {
        title: planted("Pool exhausted"),
        error_signature: maybe("QueuePool limit reached"),
        summary: maybe("Sessions are held"),
        tags: Some(vec![planted("db")]),
        lookup_id: maybe("lkp"),
        steps: planted(steps),
        env: env(),
        env_bucket: None,
        worked: true,
        notes: maybe("seen twice"),
        force: Some(false),
        detected_env: Some(env()),
    }
}

fn remember(world: &World, answers: &mut Answers, pattern_id: &str) {
    let mut params = incident_params("Close the session");
    params.lookup_id = None;
    let added = answers.keep("add incident", world.call(add_incident, &params));
    let incident_id = added["incident_id"].as_str().unwrap().to_owned();
    for params in
        [params.clone(), incident_params("Open another"), AddIncidentParams { env_bucket: maybe("b"), ..params }]
    {
        answers.keep("add incident", world.call(add_incident, &params));
    }
    for id in [incident_id.clone(), planted("inc"), pattern_id.to_owned()] {
        let params = AddSolutionParams {
            incident_id: id.clone(),
            steps: planted("Raise the limit"),
            env: env(),
            env_bucket: None,
            lookup_id: None,
            detected_env: Some(env()),
        };
        answers.keep("add solution", world.call(add_solution, &params));
        answers.keep("incident", world.call(incident, &IdParams { id: id.clone() }));
    }
    let params = RankedSolutionsParams {
        query_text: planted("QueuePool limit reached"),
        env: env(),
        limit: None,
        detected_env: Some(env()),
    };
    let ranked = answers.keep("ranked solutions", world.call(ranked_solutions, &params));
    let solution = ranked["ranked_solutions"][0]["solution_id"].as_str().unwrap().to_owned();
    for (solution_id, lookup_id) in [
        (solution.clone(), ranked["lookup_id"].as_str().map(ToOwned::to_owned)),
        (planted("sol"), None),
        (solution, maybe("lkp")),
    ] {
        let params = RecordOutcomeParams {
            lookup_id,
            solution_id,
            worked: true,
            env: env(),
            env_bucket: None,
            notes: maybe("worked with"),
            detected_env: Some(env()),
        };
        answers.keep("record outcome", world.call(record_outcome, &params));
    }
}

fn exchange(world: &World, answers: &mut Answers) {
    let outcome = json!({ "worked": true, "env": env(), "notes": planted("n"), "case_name": planted("case") });
    let tied = json!({ "worked": true, "run_id": planted("run"), "lookup_id": planted("lkp") });
    let line = json!({ "title": planted("Imported"), "error_signature": planted("Error"), "summary": planted("s"),
        "tags": [planted("t")], "solutions": [{ "steps": planted("Do"), "env": env(), "outcomes": [outcome] }] });
    let refused = [
        json!({ "id": planted("inc"), "title": "x" }),
        json!({ "title": "x", "solutions": [{ "steps": "y", "outcomes": [tied] }] }),
        json!({ "type": planted("type"), "title": "x" }),
        json!({ "title": "x", "created_at": planted("now") }),
        json!({ "title": 5, "tags": planted("no list") }),
        json!({ "title": "x", "solutions": [{ "steps": "y", "env_bucket": planted("bucket") }] }),
        json!({ "title": "x", "solutions": [{ "id": planted("sol"), "steps": "y" }] }),
    ];
    let lines: Vec<String> =
        [line].iter().chain(&refused).map(ToString::to_string).chain([planted("{no json")]).collect();
    let imported = answers.keep("import", world.call(import, &MemoryImportParams { lines: lines.join("\n") }));
    assert_eq!(imported["added"], 1, "{imported}");
    let page = serde_json::from_value(json!({})).unwrap();
    answers.keep("export", world.call(export, &page));
}

#[test]
fn no_call_answers_or_stores_a_secret() {
    let folder = Folder::new("every-field");
    let mut world = World::on(&folder.file()).unwrap();
    world.engine = world.engine.with_reports(PlantedReports);
    let mut answers = Answers::default();
    let (run_id, case) = record(&world, &mut answers);
    let pattern_id = diagnose_and_fix(&world, &mut answers, &run_id, &case);
    remember(&world, &mut answers, &pattern_id);
    exchange(&world, &mut answers);
    drop(world);
    assert!(answers.0.len() > 30, "{}", answers.0.len());
    assert_eq!(answers.leaks(), Vec::<&(String, String)>::new());
    let bytes = std::fs::read(folder.file()).unwrap();
    for part in PARTS {
        let at = bytes.windows(part.len()).position(|window| window == part.as_bytes());
        let around = at.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..at + 40]).into_owned());
        assert_eq!(around, None, "{part}");
    }
    assert!(bytes.windows(14).any(|window| window == b"Pool exhausted"), "the rest is there");
}

#[test]
fn no_secret_of_the_configuration_is_in_its_error() {
    let secret = |pattern: String| UserSecret { name: planted("ticket"), pattern };
    let rule = UserRule { name: planted("rule"), category: argus_core::Category::Unknown, pattern: planted("(") };
    let own =
        EngineOptions { secrets: vec![secret(format!("my-own-secret({}", planted("[")))], ..EngineOptions::default() };
    let rules = EngineOptions { rules: vec![rule], ..EngineOptions::default() };
    for options in [own, rules] {
        let message = World::with(":memory:", options).err().unwrap().message;
        assert!(!message.contains("my-own-secret") && !PARTS.iter().any(|part| message.contains(part)), "{message}");
        assert!(message.contains("does not compile") && message.contains("REDACTED"), "{message}");
    }
}

#[test]
fn a_fix_loop_knows_no_secret() {
    let analyzer = Analyzer::new(&[], &[]).unwrap();
    let failure = FixFailure {
        text: planted("Error: boom"),
        exit_code: Some(1),
        timed_out: Some(false),
        signal: maybe("SIGKILL"),
        container_status: maybe("exited"),
        oom_killed: Some(false),
    };
    let mut answers = Answers::default();
    answers.keep("understand", Ok(fix_loop::understand(&analyzer, &failure)));
    let start: FixStart = serde_json::from_value(json!({ "command": "npm test", "desired": planted("it passes"),
        "error": planted("Error: boom"), "commandHash": "0".repeat(64), "timestamp": 1 }))
    .unwrap();
    answers.keep("begin", fix_loop::begin(&analyzer, &start));
    answers.keep("read state", fix_loop::read_state(&planted("{"), None));
    assert_eq!(answers.leaks(), Vec::<&(String, String)>::new());
}

#[test]
fn what_the_project_calls_a_secret_is_in_no_error_of_a_call() {
    let secrets = vec![UserSecret { name: "acme".to_owned(), pattern: r"ACME-\d{6}".to_owned() }];
    let world = World::with(":memory:", EngineOptions { secrets, ..EngineOptions::default() }).unwrap();
    let secret = "ACME-123456";
    let calls = [
        ("diagnose", json!({ "runId": secret, "caseName": "boom" })),
        ("pattern", json!({ "id": secret })),
        (
            "recordFix",
            json!({ "patternId": secret, "runId": "r", "caseName": "c", "fixDescription": "d", "success": true }),
        ),
        ("recordRun", json!({ "reports": [{ "path": format!("/reports/{secret}.xml") }] })),
        ("history", json!({ "limit": secret })),
        ("memoryImport", json!({ "lines": format!("{{\"title\":\"x\",\"solutions\":\"{secret}\"}}\n") })),
    ];
    for (name, params) in calls {
        let answer = finish(call::<Json, _>(&world.engine, &world.ambient(), name, params));
        let said = answer.map_or_else(|error| error.message, |answer| answer.to_string());
        assert!(!said.contains("123456"), "{name}: {said}");
        let is_quoted = said.contains("[REDACTED:acme]") || name == "recordRun";
        assert!(is_quoted, "{name}: {said}");
    }
}
