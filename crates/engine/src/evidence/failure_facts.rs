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

/// Returns the ids of a changed file: its path, and for the JVM also the path below the source folder, because stacks
/// there name only a package and a file. For example, `core/src/main/java/com/acme/Cart.java` also has the id of
/// `com/acme/Cart.java`.
pub(super) fn changed_file_ids(file: &str) -> impl Iterator<Item = FileId> {
    changed_file_names(file).map(file_id)
}

pub(super) fn changed_file_names(file: &str) -> impl Iterator<Item = &str> {
    std::iter::once(file).chain(path_below_source_folder(file))
}

/// Returns `true` if Argus wrote the file into one of its folders. Tests do not read these files.
pub(super) fn is_in_argus_folder(file: &str) -> bool {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split('/').any(|part| matches!(part, ".argus" | ".argus-shared"))
}

/// Returns `true` if tests do not read a file, for example documentation, images, and settings of editors and
/// repository hosts. Files in test and source folders do not count, because they can be fixtures.
pub(super) fn is_documentation(file: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let has_folder = |names: &[&str]| folder.split('/').any(|part| names.contains(&part));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending = ending.to_ascii_lowercase();
    let is_prose = matches!(ending.as_str(), "md" | "mdx" | "rst" | "adoc")
        || matches!(stem, "README" | "LICENSE" | "LICENCE" | "CHANGELOG" | "AUTHORS" | "NOTICE" | "CODEOWNERS");
    let is_image = matches!(ending.as_str(), "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "ico");
    let is_host_setting = file.starts_with(".github/") || file.starts_with(".circleci/") || name == ".gitlab-ci.yml";
    let is_editor_setting =
        matches!(name, ".editorconfig" | ".gitignore" | ".gitattributes") || has_folder(&[".vscode", ".idea"]);
    !has_folder(&["test", "tests", "spec", "__tests__", "testdata", "fixtures", "src"])
        && (is_prose || is_image || is_host_setting || is_editor_setting)
}

fn path_below_source_folder(file: &str) -> Option<&str> {
    file.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "java" | "kt" | "scala" | "groovy"))?;
    let start = if file.starts_with("src/") { 4 } else { file.find("/src/")? + 5 };
    let below = &file[start..];
    // Without `main/java/`, `test/kotlin/` or similar folders, the package starts directly below `src`.
    let language_folder = below.split_once('/').and_then(|(_, rest)| rest.split_once('/'));
    let package = language_folder.filter(|(folder, _)| matches!(*folder, "java" | "kotlin" | "scala" | "groovy"));
    Some(package.map_or(below, |(_, rest)| rest))
}

/// Maximum number of parts of a foreign path that may be inside of the project.
const MAX_PATH_PARTS: usize = 12;

#[cfg(test)]
mod tests {
    use super::{is_documentation, is_in_argus_folder, is_nameless, path_below_source_folder};

    #[test]
    fn is_kept_by_argus_checks_the_folder() {
        for (file, is_kept) in [
            (".argus-shared/fixes/fix-1.json", true),
            (".argus/memory.db", true),
            ("packages/shop/.argus/memory.db", true),
            (".argus-shared", false),
            ("src/.argus.ts", false),
            ("argus/cart.ts", false),
        ] {
            assert_eq!(is_in_argus_folder(file), is_kept, "{file}");
        }
    }

    #[test]
    fn is_documentation_excludes_files_that_tests_read() {
        for (file, is_read) in [
            ("README.md", false),
            ("docs/guide/start.rst", false),
            ("assets/logo.SVG", false),
            ("LICENSE", false),
            (".github/workflows/ci.yml", false),
            (".gitignore", false),
            ("src/help.md", true),
            ("tests/fixtures/page.md", true),
            ("pkg/testdata/in.png", true),
            ("notes.txt", true),
            ("docs/conf.py", true),
            ("package.json", true),
        ] {
            assert_eq!(is_documentation(file), !is_read, "{file}");
        }
    }

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

    #[test]
    fn path_below_source_folder_returns_the_package_path_of_jvm_sources() {
        for (file, package) in [
            ("src/main/java/com/acme/Cart.java", Some("com/acme/Cart.java")),
            ("core/src/test/kotlin/acme/CartTest.kt", Some("acme/CartTest.kt")),
            ("core/src/integrationTest/groovy/acme/CartSpec.groovy", Some("acme/CartSpec.groovy")),
            ("src/com/acme/Cart.java", Some("com/acme/Cart.java")),
            ("acme/Cart.java", None),
            ("src/main/java/notes.md", None),
            ("src/cart.ts", None),
        ] {
            assert_eq!(path_below_source_folder(file), package, "{file}");
        }
    }
}
