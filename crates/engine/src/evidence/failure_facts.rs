//! What a failed case, and the files that a commit or an edit changed, are to the rules.

use crate::runs::{case_name::SEPARATOR, cause::FailureSight};
use argus_core::{
    Analysis, Category, FailureKind,
    evidence::facts::{ErrorSource, Failure, FileId, file_id, fingerprint},
    summary::stack_files,
};
use argus_report::relative_path;

/// From what is concluded of its text.
pub(crate) fn failure_facts(name: &str, category: Category, analysis: &Analysis, sight: &FailureSight) -> Failure {
    Failure {
        case: fingerprint(name),
        file: file_number(name),
        category,
        signature: error_of(analysis),
        function: function_of(analysis, sight),
        site: sight.site,
        raised: sight.raised,
        in_project: sight.has_code,
        source: source_of(sight.kind),
        names_change: false,
    }
}

fn source_of(kind: FailureKind) -> ErrorSource {
    match kind {
        kind if kind.is_of_code() => ErrorSource::Code,
        kind if kind.is_of_machine() => ErrorSource::Machine,
        _ => ErrorSource::Unknown,
    }
}

/// None where the frame names none, as the line of a panic does: a file alone is no function. Nor where a line of a test raised
/// the error, in whatever function of the project it was called. Files of one name in two
/// packages may each have one of its name.
fn function_of(analysis: &Analysis, sight: &FailureSight) -> Option<u64> {
    let frame = analysis.normalized.frame.as_deref()?;
    let (_, function) = frame.split_once(':')?;
    if sight.own.is_none() && sight.cause_place.is_some() {
        return None;
    }
    let file = sight.own.as_ref().map_or("", |own| own.file.as_str());
    (!is_nameless(function)).then(|| fingerprint(&[file, ":", frame].concat()))
}

/// `<anonymous>`, `<lambda>`, `{{closure}}`, as the last part of a name or alone.
fn is_nameless(function: &str) -> bool {
    let last = function.trim_end_matches("()").rsplit(['.', ':', ' ']).next().unwrap_or_default();
    last.is_empty() || last.starts_with(['<', '{'])
}

/// Equal for equal errors, in whatever case.
pub(super) fn error_of(analysis: &Analysis) -> u64 {
    fingerprint(&analysis.signatures.family)
}

/// Of the file that a case lies in.
pub(super) fn file_number(name: &str) -> FileId {
    file_id(name.split_once(SEPARATOR).map_or(name, |(file, _)| file))
}

/// Files of the project in the stack of a failure. A path from elsewhere, as in a history of another machine, may be that of
/// each file whose path it ends with.
pub(crate) fn files_of_stack(name: &str, analysis: &Analysis, project_root: &str) -> Vec<FileId> {
    let test_file = name.split_once(SEPARATOR).map(|(file, _)| file);
    let files = stack_files(&analysis.redacted, test_file);
    let relative = files.iter().filter_map(|file| relative_path(file, project_root));
    relative.flat_map(|file| ends_of(&file).map(file_id).collect::<Vec<_>>()).collect()
}

/// A path inside the project is that file; of any other the last parts, from two on.
fn ends_of(file: &str) -> impl Iterator<Item = &str> {
    let is_inside = !file.starts_with('/') && !file.contains(':');
    let cuts = file.rmatch_indices('/').skip(1).take(if is_inside { 0 } else { MAX_PATH_PARTS });
    is_inside.then_some(file).into_iter().chain(cuts.map(|(at, _)| &file[at + 1..]))
}

/// What a file is known by that a commit or an edit changed: its path, and for the JVM, whose stacks name a package and a
/// file, what lies below the folder of sources too, such as `com/acme/Cart.java` of `core/src/main/java/com/acme/Cart.java`.
pub(super) fn ids_of_changed(file: &str) -> impl Iterator<Item = FileId> {
    names_of_changed(file).map(file_id)
}

pub(super) fn names_of_changed(file: &str) -> impl Iterator<Item = &str> {
    std::iter::once(file).chain(below_sources(file))
}

/// Whether a file is one of those that Argus keeps, in a memory or for others: no test reads it.
pub(super) fn is_kept_by_argus(file: &str) -> bool {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split('/').any(|part| matches!(part, ".argus" | ".argus-shared"))
}

/// Whether tests do not read a file: documentation, images, and what only tools and hosts of repositories read. Not below a
/// folder of tests, where anything may be a fixture.
pub(super) fn is_documentation(file: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let has_folder = |names: &[&str]| folder.split('/').any(|part| names.contains(&part));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending = ending.to_ascii_lowercase();
    let is_prose = matches!(ending.as_str(), "md" | "mdx" | "rst" | "adoc")
        || matches!(stem, "README" | "LICENSE" | "LICENCE" | "CHANGELOG" | "AUTHORS" | "NOTICE" | "CODEOWNERS");
    let is_image = matches!(ending.as_str(), "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "ico");
    let is_of_host = file.starts_with(".github/") || file.starts_with(".circleci/") || name == ".gitlab-ci.yml";
    let is_of_editor =
        matches!(name, ".editorconfig" | ".gitignore" | ".gitattributes") || has_folder(&[".vscode", ".idea"]);
    !has_folder(&["test", "tests", "spec", "__tests__", "testdata", "fixtures", "src"])
        && (is_prose || is_image || is_of_host || is_of_editor)
}

fn below_sources(file: &str) -> Option<&str> {
    file.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "java" | "kt" | "scala" | "groovy"))?;
    let start = if file.starts_with("src/") { 4 } else { file.find("/src/")? + 5 };
    let below = &file[start..];
    // `main/java/`, `test/kotlin/`, `integrationTest/groovy/`; without them the package begins at once.
    let of_language = below.split_once('/').and_then(|(_, rest)| rest.split_once('/'));
    let package = of_language.filter(|(folder, _)| matches!(*folder, "java" | "kotlin" | "scala" | "groovy"));
    Some(package.map_or(below, |(_, rest)| rest))
}

/// Parts of a path from elsewhere that may be inside the project.
const MAX_PATH_PARTS: usize = 12;

#[cfg(test)]
mod tests {
    use super::{below_sources, is_documentation, is_kept_by_argus, is_nameless};

    #[test]
    fn what_argus_keeps_lies_in_its_folders() {
        for (file, is_kept) in [
            (".argus-shared/fixes/fix-1.json", true),
            (".argus/memory.db", true),
            ("packages/shop/.argus/memory.db", true),
            (".argus-shared", false),
            ("src/.argus.ts", false),
            ("argus/cart.ts", false),
        ] {
            assert_eq!(is_kept_by_argus(file), is_kept, "{file}");
        }
    }

    #[test]
    fn tests_read_no_documentation() {
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
    fn what_has_no_name_is_no_function() {
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
    fn a_source_of_the_jvm_is_known_by_its_package() {
        for (file, package) in [
            ("src/main/java/com/acme/Cart.java", Some("com/acme/Cart.java")),
            ("core/src/test/kotlin/acme/CartTest.kt", Some("acme/CartTest.kt")),
            ("core/src/integrationTest/groovy/acme/CartSpec.groovy", Some("acme/CartSpec.groovy")),
            ("src/com/acme/Cart.java", Some("com/acme/Cart.java")),
            ("acme/Cart.java", None),
            ("src/main/java/notes.md", None),
            ("src/cart.ts", None),
        ] {
            assert_eq!(below_sources(file), package, "{file}");
        }
    }
}
