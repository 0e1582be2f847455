//! Playwright's JUnit reporter: the name of a case, and its last attempt. `formats::playwright` reads Playwright's
//! JSON.

use super::{Suite, elements::OpenCase};
use crate::{
    intake::Intake,
    model::{CaseStatus, ReportCase},
};

/// Returns the file (relative to the test folder, as in Playwright's JSON), the project with the titles, and the name.
/// Takes a name that is already split.
pub(super) fn name_case(
    (titles, name): (Vec<String>, String),
    open: &OpenCase,
    suites: &[Suite],
    intake: &Intake<'_>,
) -> (Option<String>, Vec<String>, String) {
    let project = suites.last().and_then(|suite| suite.hostname.clone());
    (intake.file(&open.class_name), project.into_iter().chain(titles).collect(), name)
}

/// Keeps only the last attempt, without its frame and indentation. The body contains all attempts, separated by
/// `Retry #n` lines.
pub(super) fn keep_last_attempt(case: &mut ReportCase) {
    let Some(error) = case.error.take() else { return };
    let retries = error.lines().filter(|line| is_retry_separator(line)).count();
    case.attempts = 1 + u32::try_from(retries).unwrap_or(u32::MAX - 1);
    if case.status == CaseStatus::Failed {
        case.flaky = false;
    }
    let start = error.lines().find_last_position(is_retry_separator).map_or(0, |line| line + 1);
    let lines: Vec<&str> = error.lines().skip(start).filter(|line| !is_reporter_line(line)).collect();
    let indentation =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).min().unwrap_or(0);
    let text: Vec<&str> = lines.iter().map(|line| line.get(indentation..).unwrap_or("").trim_end()).collect();
    let text = text.join("\n").trim().to_owned();
    case.error = Some(if text.is_empty() { error } else { text });
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns true for `    Retry #1 ──────`.
fn is_retry_separator(line: &str) -> bool {
    line.trim_start().starts_with("Retry #") && line.trim_end().ends_with('─')
}

/// Returns true for `  [api] › cart.spec.ts:4:3 › cart › sums ─────`, and for a link to a file that is not in the
/// report.
fn is_reporter_line(line: &str) -> bool {
    (line.contains(" › ") && line.trim_end().ends_with('─')) || line.trim_start().starts_with("Error Context: ")
}

/// Finds the number of the last line that matches.
trait LastPosition {
    fn find_last_position(self, matches: fn(&str) -> bool) -> Option<usize>;
}

impl<'a, I: Iterator<Item = &'a str>> LastPosition for I {
    fn find_last_position(self, matches: fn(&str) -> bool) -> Option<usize> {
        self.enumerate().filter(|(_, line)| matches(line)).last().map(|(at, _)| at)
    }
}
