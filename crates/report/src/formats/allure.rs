//! A result of Allure (`allure-results/*-result.json`): one file per test.
//!
//! Source: <https://allurereport.org/docs/how-it-works-test-result-file/>. A result has `name`, `fullName`, `status`
//! (`passed`, `failed`, `broken`, `skipped`, `unknown`), `statusDetails` with message and trace, times in milliseconds,
//! `parameters`, `titlePath` with the folders, the file and the suites, and `labels` such as `parentSuite`, `suite`,
//! `subSuite` and `package`. `*-container.json` has the fixtures around tests; a fixture of `afters` can fail without a
//! test. Retries are results with the same `historyId` in other files.

use std::io::BufRead;

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CasePosition, CaseStatus, ReportCase},
    paths,
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, ValueReceiver, items, number, text},
    },
};

/// Reads a result or a container.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut result = AllureResult(serde_json::Map::new());
    let ending = values::read(input, &mut result);
    let result = Value::Object(result.0);
    let is_container = ["children", "befores", "afters"].into_iter().any(|key| result.get(key).is_some());
    let known = text(&result, "/uuid").is_some() && (is_container || result.get("status").is_some());
    if is_container {
        for fixture in items(&result, "/afters") {
            if matches!(text(fixture, "/status").as_deref(), Some("failed" | "broken")) {
                let case = read_case(fixture, intake);
                intake.emit_case(ReportCase { suite: vec![case.name], ..ReportCase::suite_failure(None, case.error) });
            }
        }
    } else if known {
        let case = read_case(&result, intake);
        intake.emit_case(case);
    }
    ending.report("allure", known, intake)
}

struct AllureResult(serde_json::Map<String, Value>);

impl ValueReceiver for AllureResult {
    const ARRAYS: &'static [&'static str] = &[];

    fn value(&mut self, key: &str, value: Value) {
        // Steps and attachments can be large, and the failure is in `statusDetails`.
        if !matches!(key, "steps" | "attachments") {
            self.0.insert(key.to_owned(), value);
        }
    }
}

fn read_case(result: &Value, intake: &Intake<'_>) -> ReportCase {
    let word = text(result, "/status").unwrap_or_default();
    let status = match word.as_str() {
        "passed" => CaseStatus::Passed,
        "skipped" => CaseStatus::Skipped,
        // An unknown result must not count as passed.
        _ => CaseStatus::Failed,
    };
    let labels = |name: &str| {
        let of_name = |label: &&Value| text(label, "/name").as_deref() == Some(name);
        items(result, "/labels").iter().filter(of_name).filter_map(|label| text(label, "/value")).collect::<Vec<_>>()
    };
    let mut path: Vec<String> = items(result, "/titlePath").iter().filter_map(|part| text(part, "")).collect();
    let at = path.iter().position(|part| paths::looks_like_file(part));
    let (file, suite) = if let Some(at) = at {
        let suite = path.split_off(at + 1);
        (intake.file(&path.join("/")), suite)
    } else {
        let suites: Vec<String> = ["parentSuite", "suite", "subSuite"].into_iter().flat_map(labels).collect();
        let class = || labels("testClass").into_iter().chain(labels("package")).take(1).collect();
        (None, if suites.is_empty() { class() } else { suites })
    };
    let error = bounded_text::join_message(
        text(result, "/statusDetails/message").as_deref(),
        text(result, "/statusDetails/trace").as_deref(),
    );
    let (started, stopped) = (number(result, "/start"), number(result, "/stop"));
    #[expect(clippy::cast_possible_truncation, reason = "within the exact range of a double")]
    let started_at = started.map(|millis| millis as i64);
    ReportCase {
        suite,
        duration_ms: started.zip(stopped).map(|(started, stopped)| stopped - started),
        error: error.filter(|_| status == CaseStatus::Failed).and_then(|error| bounded_text::bound_error(&error)),
        runner_status: Some(word).filter(|word| matches!(word.as_str(), "broken" | "unknown")),
        place: CasePosition { started_at, ..CasePosition::default() },
        file,
        ..ReportCase::new(name_with_parameters(result), status)
    }
}

/// Returns the name with the parameters, which distinguish results with the same name. Excluded parameters differ in
/// every run.
fn name_with_parameters(result: &Value) -> String {
    let name = text(result, "/name").or_else(|| text(result, "/fullName")).unwrap_or_default();
    let is_kept = |parameter: &&Value| parameter.get("excluded").and_then(Value::as_bool) != Some(true);
    let parameters: Vec<String> = (items(result, "/parameters").iter().filter(is_kept))
        .filter_map(|parameter| Some(format!("{}: {}", text(parameter, "/name")?, text(parameter, "/value")?)))
        .collect();
    let is_named = name.ends_with(')') || name.ends_with(']');
    if parameters.is_empty() || is_named { name } else { format!("{name} ({})", parameters.join(", ")) }
}
