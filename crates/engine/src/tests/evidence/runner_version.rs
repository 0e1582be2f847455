//! Tests that depend on the version of their runner.

use super::Story;
use crate::tests::prelude::*;

/// Returns a report whose path is the version of Jest that wrote it. A test fails in the report of the last version.
#[derive(Debug)]
struct ReportsNamedByVersion;

const FAILING_VERSION: &str = "30.2.0";

impl ReportFiles for ReportsNamedByVersion {
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError> {
        let case = |name: &str, fails: bool| {
            let status = if fails { "failed" } else { "passed" };
            json!({ "name": name, "status": status, "duration": 1, "message": "the flux capacitor is not charged" })
        };
        let tests = [case("dated", path == FAILING_VERSION), case("other", false), case("third", false)];
        let tool = json!({ "name": "jest", "version": path });
        let report = json!({ "reportFormat": "CTRF", "results": { "tool": tool, "tests": tests } });
        Ok(Box::new(Cursor::new(report.to_string().into_bytes())))
    }
}

fn record_versions(story: &Story, versions: &[&str], is_prepared: bool) -> RunResult {
    let reports = versions.iter().map(|version| ReportInput { path: (*version).to_owned(), format: None }).collect();
    let params = RecordRunParams { reports, ..story.params() };
    let params = if is_prepared { story.world.call(prepare_run, &params).unwrap() } else { params };
    story.world.call(record_run, &params).unwrap()
}

#[test]
fn the_version_of_the_runner_is_a_condition() {
    for is_prepared in [false, true] {
        let mut story = Story::new();
        story.world.engine = story.world.engine.with_reports(ReportsNamedByVersion);
        let mut last = None;
        for at in 0..12 {
            story.commit();
            last = Some(record_versions(&story, &[if at % 4 == 3 { FAILING_VERSION } else { "29.7.0" }], is_prepared));
        }
        let verdict = story.world.diagnose(&last.unwrap().run_id, "dated").unwrap().verdict.unwrap();
        assert_eq!(
            (verdict.kind, verdict.condition.as_deref()),
            (VerdictKind::Environment, Some("runner_version=jest-30.2.0"))
        );
        let because = &verdict.because[0];
        assert!(because.starts_with("With runner_version=jest-30.2.0 it failed in 3 of 3 runs"), "{because}");
        assert_eq!(story.tests().tests[0].condition, verdict.condition, "the list of tests has the same condition");
    }
}

#[test]
fn several_versions_give_no_condition_and_the_host_takes_precedence() {
    let mut story = Story::new();
    story.world.engine = story.world.engine.with_reports(ReportsNamedByVersion);
    story.commit();
    let version = |params: &RecordRunParams| {
        let prepared = story.world.call(prepare_run, params).unwrap();
        prepared.environment.get("runner_version").cloned()
    };
    let reports = |versions: &[&str]| RecordRunParams {
        reports: versions.iter().map(|version| ReportInput { path: (*version).to_owned(), format: None }).collect(),
        ..RecordRunParams::default()
    };
    assert_eq!(version(&reports(&["29.7.0", "29.7.0"])).as_deref(), Some("jest-29.7.0"));
    assert_eq!(version(&reports(&["29.7.0", "28.1.0"])), None);
    let of_another = RecordRunParams { runner: Some("playwright".to_owned()), ..reports(&["29.7.0"]) };
    assert_eq!(version(&of_another), None, "it is Jest's");
    let given = RecordRunParams {
        environment: [("runner_version".to_owned(), "jest-nightly".to_owned())].into(),
        ..reports(&["29.7.0"])
    };
    assert_eq!(version(&given).as_deref(), Some("jest-nightly"));
}
