//! What a failure looks like to a person, and which failures of a run have one cause: the same error at the same place.
//! What is known about it is found by `failures::matching`.

use super::case_name::SEPARATOR;
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{CaseVerdict, Cause},
    failures::{
        lookup::{self, FailedCase},
        matching,
    },
};
use argus_core::{
    Analysis, Category, FailureEvent, FailureKind, display,
    failure_kind::failure_kind,
    sign::sha256_hex,
    summary::{FailureLocations, MAX_MESSAGE_LINE_CHARS, Summary, failure_locations},
    values::with_values,
};
use argus_report::looks_like_file;
use argus_store::{
    Tx,
    runs::{RunKey, cases},
};
use std::collections::HashMap;

/// Cases that a cause names.
const MAX_NAMED_CASES: usize = 20;

/// Failed cases of a run that are looked through for others of one cause.
const MAX_COMPARED_CASES: u32 = 1_000;

/// Characters of a message that only one failure has to itself.
pub(crate) const MAX_MESSAGE_CHARS: usize = 600;

/// Lines of a message that its headline may be made of.
const MAX_HEADLINE_LINES: usize = 4;

/// A failure as it is shown.
pub(crate) struct FailureSight {
    pub(crate) kind: FailureKind,
    pub(crate) headline: String,
    pub(crate) message: String,
    pub(crate) place: Option<String>,
    pub(crate) test_place: Option<String>,
    pub(crate) cause_id: String,
    /// The line that all failures of the cause have in common.
    pub(crate) cause_place: Option<String>,
}

/// Looks at a failure; `event` is what is known beside its text.
pub(crate) fn describe_failure<D>(
    engine: &Engine<D>,
    analysis: &Analysis,
    event: &FailureEvent,
    case_name: &str,
) -> FailureSight {
    let test_file = case_name.split_once(SEPARATOR).map(|(file, _)| file);
    let summary = Summary::read(&analysis.redacted);
    let root = &engine.options.project_root;
    let FailureLocations { own, test } = failure_locations(&analysis.redacted, test_file, |file| {
        argus_report::relative_path(file, root).unwrap_or_else(|| file.to_owned())
    });
    let shown = |place: Option<argus_core::summary::SourceLocation>| place.map(|place| place.shown());
    let (place, test_line) = (shown(own), shown(test));
    // Two assertions are two causes; an error that is met in two tests is one.
    let at_test = test_line.as_ref().filter(|_| analysis.classification.category == Category::AssertionMismatch);
    let message = summary.message(MAX_MESSAGE_CHARS);
    FailureSight {
        kind: failure_kind(analysis.classification.category, &summary, event.exit_code),
        headline: matching::headline(analysis, &summary, event),
        cause_id: cause_id(analysis, &message, place.as_ref().or(at_test)),
        message,
        cause_place: place.as_ref().or(test_line.as_ref()).cloned(),
        place,
        // A refused connection has no frame of the project: then the file of the case is what there is.
        test_place: test_line.or_else(|| test_file.filter(|file| looks_like_file(file)).map(str::to_owned)),
    }
}

/// The error without its case, and where in the project it was noticed; where that is not known, with the values in its
/// message: two services that refuse are two causes, and a port that is another one at each call is none.
fn cause_id(analysis: &Analysis, message: &str, place: Option<&String>) -> String {
    let site = analysis.normalized.site.as_deref().unwrap_or_default();
    let values = place.map_or_else(|| with_values(message), |_| String::new());
    let parts = [analysis.signatures.family.as_str(), site, place.map_or("", String::as_str), &values];
    format!("cause-{}", &sha256_hex(&parts.join("\n"))[..12])
}

/// The causes of a run, in the order in which their first failures came.
#[derive(Default)]
pub(crate) struct Causes {
    list: Vec<Cause>,
    at: HashMap<String, usize>,
}

impl Causes {
    /// Counts a failure; whether it is the first of its cause.
    pub(crate) fn add(&mut self, sight: &FailureSight, case_name: &str) -> bool {
        let next = self.list.len();
        let at = *self.at.entry(sight.cause_id.clone()).or_insert(next);
        if at == next {
            self.list.push(Cause {
                cause_id: sight.cause_id.clone(),
                headline: sight.headline.clone(),
                place: sight.cause_place.clone(),
                count: 0,
                cases: Vec::new(),
                verdict: None,
            });
        }
        let cause = &mut self.list[at];
        cause.count += 1;
        if cause.cases.len() < MAX_NAMED_CASES {
            cause.cases.push(case_name.to_owned());
        }
        at == next
    }

    /// Says of each cause what its first failure was found to be.
    pub(crate) fn set_verdicts(&mut self, verdicts: &[CaseVerdict]) {
        let by_name: HashMap<&str, &CaseVerdict> = verdicts.iter().map(|one| (one.case_name.as_str(), one)).collect();
        for cause in &mut self.list {
            let first = cause.cases.first().and_then(|name| by_name.get(name.as_str()));
            cause.verdict = first.map(|one| view::brief_verdict(one));
        }
    }

    /// The one with the most failures first.
    pub(crate) fn sorted(&self) -> Vec<&Cause> {
        let mut causes: Vec<&Cause> = self.list.iter().collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes
    }
}

/// Failed cases of a run, by name, that may have the cause of one of them.
pub(crate) async fn comparable_failures(
    tx: &mut impl Tx,
    run: RunKey,
    case: &FailedCase,
) -> Result<Vec<(String, cases::Failure)>, EngineError> {
    Ok(cases::failed_of_category(tx, run, case.failure.category, MAX_COMPARED_CASES).await?)
}

/// The cause of a failed case, with all failures of its run that have it; `others` may.
pub(crate) fn of_case<D>(
    engine: &Engine<D>,
    case: &FailedCase,
    others: &[(String, cases::Failure)],
    analysis: &Analysis,
    sight: &FailureSight,
) -> Cause {
    let category = analysis.classification.category;
    let mut causes = Causes::default();
    causes.add(sight, &case.name);
    for (name, failure) in others.iter().filter(|(name, _)| *name != case.name) {
        let event = lookup::event_of(failure);
        let other = engine.analyzer.analyze(event.clone(), name);
        // Most have another error, and its place need not be looked for.
        if other.classification.category == category && other.signatures.family == analysis.signatures.family {
            let other = crate::runs::cause::describe_failure(engine, &other, &event, name);
            if other.cause_id == sight.cause_id {
                causes.add(&other, name);
            }
        }
    }
    causes.list.swap_remove(0)
}

/// The message below the headline that it begins with, in so many characters; none where nothing is left.
pub(crate) fn further_message(message: &str, headline: &str, most: usize) -> Option<String> {
    let further = below_headline(message, headline).trim_start();
    (!matches!(further, "" | "…")).then(|| display::shortened(further, most))
}

/// The lines behind the first ones, where those are the headline: it may be joined of several.
fn below_headline<'a>(message: &'a str, headline: &str) -> &'a str {
    let ends = message.match_indices('\n').map(|(at, _)| at).take(MAX_HEADLINE_LINES - 1).chain([message.len()]);
    // A line that is cut in its middle is said whole by the headline.
    let cut = display::line_with_ends(headline, MAX_MESSAGE_LINE_CHARS);
    let repeated = ends.into_iter().find(|&end| {
        let said = display::line(&message[..end], usize::MAX);
        said == headline || said == cut
    });
    repeated.map_or(message, |end| &message[end..])
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
            // What a tool said before, and a headline that says less.
            ("2:1 error no total\nwant 4", "no total", Some("2:1 error no total\nwant 4")),
            ("Error: no totals\nwant 4", "Error: no total", Some("Error: no totals\nwant 4")),
        ];
        for (message, headline, wanted) in rows {
            assert_eq!(further_message(message, headline, 600).as_deref(), wanted, "{message}");
        }
        assert_eq!(further_message("one\nexpected 4", "one", 5).as_deref(), Some("expe…"));
    }
}
