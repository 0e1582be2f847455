//! Describes failures for answers and collects the causes of a run. `argus_core::evidence` decides which failures share a
//! cause, and `failures::matching` finds what is known about a failure.

use super::case_name::SEPARATOR;
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{CaseVerdict, Cause},
    failures::{lookup::FailedCase, matching},
};
use argus_core::{
    Analysis, Category, FailureEvent, FailureKind, display,
    evidence::{facts::fingerprint, verdict::VerdictKind},
    failure_kind::failure_kind,
    stable_sort::StableSort,
    summary::{FailureLocations, MAX_MESSAGE_LINE_CHARS, SourceLocation, Summary, failure_locations},
    values::with_values,
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
pub(crate) struct FailureSight {
    pub(crate) kind: FailureKind,
    pub(crate) headline: String,
    pub(crate) message: String,
    pub(crate) place: Option<String>,
    pub(crate) test_place: Option<String>,
    /// Set if the stack has a frame of the project's own code.
    pub(crate) has_code: bool,
    /// File and function of the place, without the line.
    pub(crate) own: Option<SourceLocation>,
    /// Hash of the error and of the place where it was reported.
    pub(crate) site: u64,
    /// Hash of the error type and of the line that raised it.
    pub(crate) raised: Option<u64>,
    /// Line that the failures of the cause share.
    pub(crate) cause_place: Option<String>,
}

/// Describes a failure. `event` has the facts that are not in its text.
pub(crate) fn describe_failure(
    engine: &Engine,
    analysis: &Analysis,
    event: &FailureEvent,
    case_name: &str,
) -> FailureSight {
    let test_file = case_name.split_once(SEPARATOR).map(|(file, _)| file);
    let summary = Summary::read(&analysis.redacted);
    let root = &engine.options.project_root;
    let FailureLocations { own, has_code, test, case } = failure_locations(&analysis.redacted, test_file, |file| {
        argus_report::relative_path(file, root).unwrap_or_else(|| file.to_owned())
    });
    let shown = |place: Option<&SourceLocation>| place.map(SourceLocation::shown);
    let (place, test_line) = (shown(own.as_ref()), shown(test.as_ref()));
    let case_line = shown(case.as_ref()).or_else(|| test_line.clone());
    // Assertions at different lines are different causes, but an error that several tests run into is a single cause.
    let at_test = test_line.as_ref().filter(|_| analysis.classification.category == Category::AssertionMismatch);
    let message = summary.message(MAX_MESSAGE_CHARS);
    let kind = failure_kind(analysis.classification.category, &analysis.redacted, &summary, event.exit_code);
    let headline = matching::headline(analysis, &summary, event);
    let error_type = event.exception_type.as_deref().or_else(|| class_of(&headline)).unwrap_or(kind.as_str());
    let raised = place.as_ref().or(test_line.as_ref()).map(|line| fingerprint(&[error_type, line].join("\n")));
    FailureSight {
        kind,
        raised,
        headline,
        site: site(analysis, &message, place.as_ref().or(at_test)),
        message,
        cause_place: place.as_ref().or(test_line.as_ref()).cloned(),
        place,
        has_code,
        own,
        // Without a frame of the project, such as for a refused connection, the file of the case is all there is.
        test_place: case_line.or_else(|| test_file.filter(|file| looks_like_file(file)).map(str::to_owned)),
    }
}

/// The exception class at the start of a headline, as in `shop.errors.Expired: ...`.
fn class_of(headline: &str) -> Option<&str> {
    let (class, _) = headline.split_once(": ")?;
    let name = class.rsplit(['.', ':', '\\']).next()?;
    let is_path =
        class.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '\\' | '$'));
    (is_path && name.starts_with(char::is_uppercase)).then_some(class)
}

/// Hash of the error without its case and of its place in the project. Without a place, stable values in the message count:
/// two services that refuse connections are two causes, but a port that changes with each call is not.
fn site(analysis: &Analysis, message: &str, place: Option<&String>) -> u64 {
    let site = analysis.normalized.site.as_deref().unwrap_or_default();
    let values = place.map_or_else(|| with_values(message), |_| String::new());
    let parts = [analysis.signatures.family.as_str(), site, place.map_or("", String::as_str), &values];
    fingerprint(&parts.join("\n"))
}

/// The id of a cause in answers.
pub(crate) fn cause_id(cause: u64) -> String {
    format!("cause-{cause:016x}")
}

/// Headline and place of the failures at one site. A cause shows those of its largest site.
pub(crate) struct SiteSight {
    site: u64,
    headline: String,
    place: Option<String>,
}

impl SiteSight {
    pub(crate) fn of(sight: &FailureSight) -> Self {
        Self { site: sight.site, headline: sight.headline.clone(), place: sight.cause_place.clone() }
    }
}

/// The causes of a run, in the order in which their first failures came.
#[derive(Default)]
pub(crate) struct Causes {
    list: Vec<Cause>,
    at: HashMap<String, usize>,
    /// Index of the cause in the list, by the name of the failed case.
    of_case: HashMap<String, usize>,
}

impl Causes {
    /// Groups failures by the causes in their verdicts. Failures without a verdict are grouped by site.
    pub(crate) fn of<'a>(failures: impl Iterator<Item = (&'a str, &'a SiteSight)>, verdicts: &[CaseVerdict]) -> Self {
        let verdicts: HashMap<&str, &CaseVerdict> =
            verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
        let mut causes = Self::default();
        // The largest site of each cause, and the number of failures at each site of a cause.
        let mut leading: Vec<(u64, u32)> = Vec::new();
        let mut at_sites: HashMap<(usize, u64), u32> = HashMap::new();
        for (name, sight) in failures {
            let verdict = verdicts.get(name).copied();
            let id = verdict.map_or_else(|| cause_id(sight.site), |verdict| verdict.cause_id.clone());
            let next = causes.list.len();
            let at = *causes.at.entry(id.clone()).or_insert(next);
            if at == next {
                causes.list.push(Cause {
                    cause_id: id,
                    headline: sight.headline.clone(),
                    place: sight.place.clone(),
                    count: 0,
                    cases: Vec::new(),
                    verdict: verdict.map(view::brief_verdict),
                });
                leading.push((sight.site, 0));
            }
            causes.of_case.insert(name.to_owned(), at);
            let cause = &mut causes.list[at];
            if let (Some(shown), Some(verdict)) = (&mut cause.verdict, verdict)
                && shown.kind == VerdictKind::New
            {
                *shown = view::brief_verdict(verdict);
            }
            let at_site = at_sites.entry((at, sight.site)).or_default();
            *at_site += 1;
            if *at_site > leading[at].1 {
                if leading[at].0 != sight.site {
                    (cause.headline, cause.place) = (sight.headline.clone(), sight.place.clone());
                }
                leading[at] = (sight.site, *at_site);
            }
            cause.count += 1;
            if cause.cases.len() < MAX_NAMED_CASES as usize {
                cause.cases.push(name.to_owned());
            }
        }
        causes
    }

    /// The cause of the failed case with this name.
    pub(crate) fn id_of(&self, case_name: &str) -> Option<&str> {
        self.of_case.get(case_name).map(|at| self.list[*at].cause_id.as_str())
    }

    /// Sorted by urgency: regressions first, tests that failed before last. Larger causes come first within a level.
    pub(crate) fn sorted(&self) -> Vec<&Cause> {
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
pub(crate) struct CasesOfCause {
    /// None for runs that were recorded by a version without verdicts.
    id: Option<String>,
    count: u32,
    cases: Vec<String>,
}

impl CasesOfCause {
    pub(crate) fn load(tx: &mut Tx<'_>, run: RunKey, case: &FailedCase) -> Result<Self, EngineError> {
        let Some(CaseVerdict { cause_id, .. }) = view::found_to_be(&case.failure) else {
            return Ok(Self { id: None, count: 1, cases: vec![case.name.clone()] });
        };
        let (count, cases) = cases::of_cause(tx, run, &cause_id, &case.name, MAX_DIAGNOSED_CASES)?;
        Ok(Self { id: Some(cause_id), count, cases })
    }

    /// For a diagnosis, which has the full verdict in a field of its own.
    pub(crate) fn shown(self, sight: &FailureSight) -> Cause {
        Cause {
            cause_id: self.id.unwrap_or_else(|| cause_id(sight.site)),
            headline: sight.headline.clone(),
            place: sight.cause_place.clone(),
            count: self.count,
            cases: self.cases,
            verdict: None,
        }
    }
}

/// The part of the message that the headline does not repeat, shortened to `most` characters. None if nothing is left.
pub(crate) fn further_message(message: &str, headline: &str, most: usize) -> Option<String> {
    let further = below_headline(message, headline).trim_start();
    (!matches!(further, "" | "…")).then(|| display::shortened(further, most))
}

/// The lines after those that the headline was joined from.
fn below_headline<'a>(message: &'a str, headline: &str) -> &'a str {
    let ends = message.match_indices('\n').map(|(at, _)| at).take(MAX_HEADLINE_LINES - 1).chain([message.len()]);
    // The headline can be the shortened form of a long line.
    let cut = display::line_with_ends(headline, MAX_MESSAGE_LINE_CHARS);
    let repeated = ends.into_iter().find(|&end| {
        let said = display::line(&message[..end], usize::MAX);
        said == headline || said == cut
    });
    // The headline can continue a line such as `Expected:` with values from the lines below it.
    let announcement = message.lines().next().filter(|line| line.ends_with(':') && headline.starts_with(*line));
    let said = repeated.or_else(|| announcement.map(str::len)).unwrap_or(0);
    &message[said..]
}

#[cfg(test)]
mod tests {
    use super::further_message;

    #[test]
    fn a_message_does_not_begin_with_its_headline() {
        let long = format!("Error: {}", "dump ".repeat(55).trim_end());
        let cut = argus_core::display::line_with_ends(&long, 240);
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
            assert_eq!(further_message(message, headline, 600).as_deref(), wanted, "{message}");
        }
        assert_eq!(further_message("one\nexpected 4", "one", 5).as_deref(), Some("expe…"));
    }
}
