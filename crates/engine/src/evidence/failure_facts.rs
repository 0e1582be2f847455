//! Converts failed cases and changed files into the facts from which verdicts are computed.

use crate::runs::{case_name::CASE_NAME_SEPARATOR, cause::FailureSummary};
use argus_core::{
    Analysis, Category, FailureKind,
    evidence::facts::{ErrorSource, Failure, FileId, case_id, file_id, fingerprint},
    summary::list_stack_files,
};
use argus_report::relative_path;

/// Returns the facts of a failure from its analysis.
pub(crate) fn build_failure_facts(
    name: &str,
    category: Category,
    analysis: &Analysis,
    summary: &FailureSummary,
) -> Failure {
    Failure {
        case: case_id(name),
        file: case_file_id(name),
        category,
        signature: error_hash(analysis),
        function: hash_function(analysis, summary),
        site: summary.site,
        raised: summary.raised_hash,
        in_project: summary.has_project_frame,
        source: classify_source(summary.kind),
        names_change: false,
    }
}

fn classify_source(kind: FailureKind) -> ErrorSource {
    match kind {
        kind if kind.is_code_problem() => ErrorSource::Code,
        kind if kind.is_machine_problem() => ErrorSource::Machine,
        _ => ErrorSource::Unknown,
    }
}

/// Returns a hash of the function that raised the error. None if the frame has no function, for example for a panic,
/// or if a line of a test raised the error. The hash includes the path, because files with the same name in two
/// packages can have functions with the same name.
fn hash_function(analysis: &Analysis, summary: &FailureSummary) -> Option<u64> {
    let frame = analysis.normalized.frame.as_deref()?;
    let (_, function) = frame.split_once(':')?;
    if summary.own_location.is_none() && summary.cause_place.is_some() {
        return None;
    }
    let file = summary.own_location.as_ref().map_or("", |own| own.file.as_str());
    (!is_nameless(function)).then(|| fingerprint(&[file, ":", frame].concat()))
}

/// Returns `true` if a function has no name, for example `<anonymous>`, `<lambda>` or `{{closure}}`, alone or as the
/// last part.
fn is_nameless(function: &str) -> bool {
    let last = function.trim_end_matches("()").rsplit(['.', ':', ' ']).next().unwrap_or_default();
    last.is_empty() || last.starts_with(['<', '{'])
}

/// Returns a hash of the error, which is equal for equal errors of different cases.
pub(super) fn error_hash(analysis: &Analysis) -> u64 {
    fingerprint(&analysis.signatures.family)
}

/// Returns the id of the file of a case.
pub(super) fn case_file_id(name: &str) -> FileId {
    file_id(name.split_once(CASE_NAME_SEPARATOR).map_or(name, |(file, _)| file))
}

/// Returns the ids of project files in the stack of a failure. A path from another machine counts as each file whose
/// path it ends with, because the root of the project there is unknown.
pub(crate) fn stack_file_ids(name: &str, analysis: &Analysis, project_root: &str) -> Vec<FileId> {
    let test_file = name.split_once(CASE_NAME_SEPARATOR).map(|(file, _)| file);
    let files = list_stack_files(&analysis.redacted, test_file);
    let relative = files.iter().filter_map(|file| relative_path(file, project_root));
    relative.flat_map(|file| path_endings(&file).map(file_id).collect::<Vec<_>>()).collect()
}

/// Returns the path itself if it is inside the project, otherwise each ending of the path with two or more parts.
fn path_endings(file: &str) -> impl Iterator<Item = &str> {
    let is_inside = !file.starts_with('/') && !file.contains(':');
    let cuts = file.rmatch_indices('/').skip(1).take(if is_inside { 0 } else { MAX_PATH_PARTS });
    is_inside.then_some(file).into_iter().chain(cuts.map(|(at, _)| &file[at + 1..]))
}

/// Maximum number of parts of a foreign path that may be inside of the project.
const MAX_PATH_PARTS: usize = 12;

#[cfg(test)]
mod tests {
    use super::is_nameless;

    #[test]
    fn is_nameless_finds_functions_without_a_name() {
        for (function, nameless) in [
            ("", true),
            ("<anonymous>", true),
            ("Object.<anonymous>", true),
            ("shop::total::{{closure}}", true),
            ("<module>", true),
            ("total", false),
            ("Cart.total", false),
            ("main.(*Cart).Total", false),
            ("<shop::Cart as core::ops::Add>::add", false),
        ] {
            assert_eq!(is_nameless(function), nameless, "{function}");
        }
    }
}
