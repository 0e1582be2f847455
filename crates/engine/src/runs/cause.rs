//! Describes failures for answers and collects the causes of a run. `argus_core::evidence` decides which failures share
//! a cause, and `failures::matching` finds what is known about a failure.

use super::case_name::CASE_NAME_SEPARATOR;
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{CaseVerdict, Cause},
    failures::{lookup::FailedCase, matching},
};
use argus_core::{
    Analysis, Category, FailureEvent, FailureKind, display,
    evidence::{facts::fingerprint, verdict::VerdictKind},
    failure_kind::failure_kind,
    message_values::restore_values,
    stable_sort::StableSort,
    summary::{FailureLocations, MAX_MESSAGE_LINE_CHARS, SourceLocation, Summary, find_failure_locations},
};
use argus_report::looks_like_file;
use argus_store::{
    Tx,
    runs::{RunKey, cases},
};
use std::collections::HashMap;

/// Maximum number of case names of a cause, in a run and in a diagnosis.
const MAX_NAMED_CASES: u32 = 20;
const MAX_DIAGNOSED_CASES: u32 = 5;

/// Maximum characters of a failure's message.
pub(crate) const MAX_MESSAGE_CHARS: usize = 600;

/// Maximum number of message lines that a headline can be joined from.
const MAX_HEADLINE_LINES: usize = 4;

/// A failure as answers show it.
pub(crate) struct FailureSummary {
    pub(crate) kind: FailureKind,
    pub(crate) headline: String,
    pub(crate) message: String,
    pub(crate) place: Option<String>,
    pub(crate) test_place: Option<String>,
    /// Set if the stack has a frame of the project's own code.
    pub(crate) has_project_frame: bool,
    /// File and function of the place, without the line.
    pub(crate) own_location: Option<SourceLocation>,
    /// Hash of the error and of the place where the error was reported.
    pub(crate) site: u64,
    /// Hash of the error type and of the line that raised it.
    pub(crate) raised_hash: Option<u64>,
    /// `file:line` that the failures of the cause share: in the project's code, otherwise in the test.
    pub(crate) cause_place: Option<String>,
}

/// Describes a failure. `event` has the facts that are not in its text.
pub(crate) fn describe_failure(
    engine: &Engine,
    analysis: &Analysis,
    event: &FailureEvent,
    case_name: &str,
) -> FailureSummary {
    let test_file = case_name.split_once(CASE_NAME_SEPARATOR).map(|(file, _)| file);
    let summary = Summary::read(&analysis.redacted);
    let root = &engine.options.project_root;
    let FailureLocations { project_code: own, has_code, test, case } =
        find_failure_locations(&analysis.redacted, test_file, |file| {
            argus_report::relative_path(file, root).unwrap_or_else(|| file.to_owned())
        });
    let shown = |place: Option<&SourceLocation>| place.map(SourceLocation::format_file_line);
    let (place, test_line) = (shown(own.as_ref()), shown(test.as_ref()));
    let case_line = shown(case.as_ref()).or_else(|| test_line.clone());
    // Failed assertions at different lines have different causes, but any other error has one cause in all tests.
    let assertion_line = test_line.as_ref().filter(|_| analysis.classification.category == Category::AssertionMismatch);
    let message = summary.message(MAX_MESSAGE_CHARS);
    let kind = failure_kind(analysis.classification.category, &analysis.redacted, &summary, event.exit_code);
    let headline = matching::build_headline(analysis, &summary, event);
    let error_type = event.exception_type.as_deref().or_else(|| exception_class(&headline)).unwrap_or(kind.as_str());
    let raised = place.as_ref().or(test_line.as_ref()).map(|line| fingerprint(&[error_type, line].join("\n")));
    FailureSummary {
        kind,
        raised_hash: raised,
        headline,
        site: hash_site(analysis, &message, place.as_ref().or(assertion_line)),
        message,
        cause_place: place.as_ref().or(test_line.as_ref()).cloned(),
        place,
        has_project_frame: has_code,
        own_location: own,
        // Without a frame of the project, such as for a refused connection, only the file of the case is known.
        test_place: case_line.or_else(|| test_file.filter(|file| looks_like_file(file)).map(str::to_owned)),
    }
}

/// Returns the exception class at the start of a headline, as in `shop.errors.Expired: ...`.
fn exception_class(headline: &str) -> Option<&str> {
    let (class, _) = headline.split_once(": ")?;
    let name = class.rsplit(['.', ':', '\\']).next()?;
    let is_path =
        class.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '\\' | '$'));
    (is_path && name.starts_with(char::is_uppercase)).then_some(class)
}

/// Returns a hash of the error, without the case name, and of its place in the project. Without a place, stable values
/// in the message are included, so that failures of two services have two causes. A port that changes with each call is
/// not included.
fn hash_site(analysis: &Analysis, message: &str, place: Option<&String>) -> u64 {
    let site = analysis.normalized.site.as_deref().unwrap_or_default();
    let values = place.map_or_else(|| restore_values(message), |_| String::new());
    let parts = [analysis.signatures.family.as_str(), site, place.map_or("", String::as_str), &values];
    fingerprint(&parts.join("\n"))
}

/// Returns the id of a cause in answers.
pub(crate) fn format_cause_id(cause: u64) -> String {
    format!("cause-{cause:016x}")
}

/// Headline and place of the failures at a site. A cause shows the headline and place of its largest site.
pub(crate) struct SiteSummary {
    site: u64,
    headline: String,
    place: Option<String>,
}

impl SiteSummary {
    pub(crate) fn from_failure(summary: &FailureSummary) -> Self {
        Self { site: summary.site, headline: summary.headline.clone(), place: summary.cause_place.clone() }
    }
}

/// The causes of a run, in the order in which their first failures came.
#[derive(Default)]
pub(crate) struct Causes {
    list: Vec<Cause>,
    /// Index of the cause in the list, by the id of the cause.
    by_id: HashMap<String, usize>,
    /// Index of the cause in the list, by the name of the failed case.
    by_case: HashMap<String, usize>,
}

impl Causes {
    /// Groups failures by the causes in their verdicts. Failures without a verdict are grouped by site.
    pub(crate) fn group<'a>(
        failures: impl Iterator<Item = (&'a str, &'a SiteSummary)>,
        verdicts: &[CaseVerdict],
    ) -> Self {
        let verdicts: HashMap<&str, &CaseVerdict> =
            verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
        let mut causes = Self::default();
        // The largest site of each cause, and the number of failures at each site of a cause.
        let mut largest_sites: Vec<(u64, u32)> = Vec::new();
        let mut at_sites: HashMap<(usize, u64), u32> = HashMap::new();
        for (name, summary) in failures {
            let verdict = verdicts.get(name).copied();
            let id = verdict.map_or_else(|| format_cause_id(summary.site), |verdict| verdict.cause_id.clone());
            let next = causes.list.len();
            let at = *causes.by_id.entry(id.clone()).or_insert(next);
            if at == next {
                causes.list.push(Cause {
                    cause_id: id,
                    headline: summary.headline.clone(),
                    place: summary.place.clone(),
                    count: 0,
                    cases: Vec::new(),
                    verdict: verdict.map(row_conversion::shorten_verdict),
                });
                largest_sites.push((summary.site, 0));
            }
            causes.by_case.insert(name.to_owned(), at);
            let cause = &mut causes.list[at];
            if let (Some(shown), Some(verdict)) = (&mut cause.verdict, verdict)
                && shown.kind == VerdictKind::New
            {
                *shown = row_conversion::shorten_verdict(verdict);
            }
            let at_site = at_sites.entry((at, summary.site)).or_default();
            *at_site += 1;
            if *at_site > largest_sites[at].1 {
                if largest_sites[at].0 != summary.site {
                    (cause.headline, cause.place) = (summary.headline.clone(), summary.place.clone());
                }
                largest_sites[at] = (summary.site, *at_site);
            }
            cause.count += 1;
            if cause.cases.len() < MAX_NAMED_CASES as usize {
                cause.cases.push(name.to_owned());
            }
        }
        causes
    }

    /// Returns the cause of the failed case with this name.
    pub(crate) fn cause_id_of_case(&self, case_name: &str) -> Option<&str> {
        self.by_case.get(case_name).map(|at| self.list[*at].cause_id.as_str())
    }

    /// Returns the causes by urgency: regressions first, and causes of tests that failed before last. Among equally
    /// urgent causes, the causes with more failures come first.
    pub(crate) fn sorted_by_urgency(&self) -> Vec<&Cause> {
        let urgency = |cause: &Cause| match cause.verdict.as_ref().map(|verdict| verdict.kind) {
            Some(VerdictKind::Regression) => 0,
            Some(VerdictKind::Broken | VerdictKind::Flaky) => 2,
            _ => 1,
        };
        let mut causes: Vec<&Cause> = self.list.iter().collect();
        causes.stable_sort_by_key(|cause| (urgency(cause), std::cmp::Reverse(cause.count)));
        causes
    }
}

/// The cases of a run that share the cause of a given case.
pub(crate) struct CauseCases {
    /// None for runs that were recorded by a version without verdicts.
    id: Option<String>,
    count: u32,
    cases: Vec<String>,
}

impl CauseCases {
    pub(crate) fn load(tx: &mut Tx<'_>, run: RunKey, case: &FailedCase) -> Result<Self, EngineError> {
        let Some(CaseVerdict { cause_id, .. }) = row_conversion::parse_stored_verdict(&case.failure) else {
            return Ok(Self { id: None, count: 1, cases: vec![case.name.clone()] });
        };
        let (count, cases) = cases::list_with_cause(tx, run, &cause_id, &case.name, MAX_DIAGNOSED_CASES)?;
        Ok(Self { id: Some(cause_id), count, cases })
    }

    /// Converts to a cause without verdict, because a diagnosis has the verdict in another field.
    pub(crate) fn into_cause(self, summary: &FailureSummary) -> Cause {
        Cause {
            cause_id: self.id.unwrap_or_else(|| format_cause_id(summary.site)),
            headline: summary.headline.clone(),
            place: summary.cause_place.clone(),
            count: self.count,
            cases: self.cases,
            verdict: None,
        }
    }
}

/// Returns the part of the message that the headline does not repeat, shortened to `max_chars` characters. None if
/// nothing is left.
pub(crate) fn message_without_headline(message: &str, headline: &str, max_chars: usize) -> Option<String> {
    let further = text_after_headline(message, headline).trim_start();
    (!matches!(further, "" | "…")).then(|| display::truncate_chars(further, max_chars))
}

/// Returns the lines of the message after the lines from which the headline was joined.
fn text_after_headline<'a>(message: &'a str, headline: &str) -> &'a str {
    let ends = message.match_indices('\n').map(|(at, _)| at).take(MAX_HEADLINE_LINES - 1).chain([message.len()]);
    // The headline can be the shortened form of a long line.
    let shortened_headline = display::sanitize_line_keeping_ends(headline, MAX_MESSAGE_LINE_CHARS);
    let repeated_end = ends.into_iter().find(|&end| {
        let repeated = display::sanitize_line(&message[..end], usize::MAX);
        repeated == headline || repeated == shortened_headline
    });
    // The headline can continue a line such as `Expected:` with values from the lines below it.
    let announcement = message.lines().next().filter(|line| line.ends_with(':') && headline.starts_with(*line));
    let start = repeated_end.or_else(|| announcement.map(str::len)).unwrap_or(0);
    &message[start..]
}

#[cfg(test)]
mod tests {
    use super::message_without_headline;

    #[test]
    fn a_message_does_not_begin_with_its_headline() {
        let long = format!("Error: {}", "dump ".repeat(55).trim_end());
        let cut = argus_core::display::sanitize_line_keeping_ends(&long, 240);
        let rows: [(&str, &str, Option<&str>); 9] = [
            ("Error: no total", "Error: no total", None),
            ("", "exit code 1, without an error text", None),
            ("Error: no total\n…", "Error: no total", None),
            ("assert 2 == 3\n+  where 2 = total()", "assert 2 == 3", Some("+  where 2 = total()")),
            ("Expected:\n4\nReceived:\n3", "Expected: 4", Some("Received:\n3")),
            ("Error:  no   total\n  at", "Error: no total", Some("at")),
            (&format!("{cut}\nwant 4"), &long, Some("want 4")),
            // The message starts with output of a tool, or differs from the headline.
            ("2:1 error no total\nwant 4", "no total", Some("2:1 error no total\nwant 4")),
            ("Error: no totals\nwant 4", "Error: no total", Some("Error: no totals\nwant 4")),
        ];
        for (message, headline, wanted) in rows {
            assert_eq!(message_without_headline(message, headline, 600).as_deref(), wanted, "{message}");
        }
        assert_eq!(message_without_headline("one\nexpected 4", "one", 5).as_deref(), Some("expe…"));
    }
}
