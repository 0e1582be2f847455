//! Recognizes what a changed file has to do with a failing test.

use super::failure_facts::case_file_id;
use crate::{
    contract::{CommitFacts, GitFacts},
    runs::case_name::CASE_NAME_SEPARATOR,
};
use argus_core::evidence::facts::{FileId, file_id};
use std::collections::HashMap;

/// The files that the known commits and the uncommitted edits touched, by the name that a test of the file has.
pub(crate) struct ChangedFiles {
    by_subject: HashMap<String, Vec<FileId>>,
}

impl ChangedFiles {
    /// Returns `None` if no changed file is known.
    pub(crate) fn collect(git: &GitFacts) -> Option<Self> {
        let committed = git.commits.iter().flat_map(|commit| commit.files.iter().map(String::as_str));
        let mut files = committed.chain(git.edits.iter().map(|edit| edit.path.as_str())).peekable();
        files.peek()?;
        let mut by_subject: HashMap<String, Vec<FileId>> = HashMap::new();
        for (file, subject) in files.filter_map(|file| Some((file, subject_name(file)?))) {
            by_subject.entry(subject).or_default().push(file_id(file));
        }
        Some(Self { by_subject })
    }

    /// Returns the changed files that the test is named after: `src/cart.ts` for a test in `test/cart.test.ts`. Most
    /// failed assertions have no stack in the code that returned the wrong value.
    pub(crate) fn subjects_of(&self, case_name: &str) -> impl Iterator<Item = FileId> {
        let test_file = case_name.split_once(CASE_NAME_SEPARATOR).map_or("", |(file, _)| file);
        let subjects = subject_name(test_file).and_then(|subject| self.by_subject.get(&subject));
        let test = case_file_id(case_name);
        subjects.into_iter().flatten().copied().filter(move |file| *file != test)
    }
}

/// Names that too many files have to identify one.
const GENERIC_NAMES: [&str; 20] = [
    "app", "base", "common", "conftest", "core", "helper", "helpers", "index", "init", "lib", "main", "mod", "package",
    "setup", "test", "tests", "types", "util", "utils", "version",
];

/// Returns what a source file and its test have in common: `cart` for `src/cart.ts`, `test/cart.test.ts`, `test_cart.py`,
/// `cart_test.go` and `CartTest.java`. None for names such as `index.ts`.
fn subject_name(file: &str) -> Option<String> {
    let name = file.rsplit('/').next()?;
    let stem = name.split('.').next()?;
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let endings = ["_test", "_tests", "_spec", "-test", "-spec", "Tests", "Test", "Spec", "IT"];
    let stem = endings.into_iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(stem);
    let subject = stem.trim_matches('_').to_ascii_lowercase();
    (!subject.is_empty() && !GENERIC_NAMES.contains(&subject.as_str())).then_some(subject)
}

/// Returns `true` if a file decides how code is built, or how and with which dependencies all tests are run.
pub(super) fn is_configuration(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let is_named = matches!(
        name,
        "package.json"
            | "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "deno.json"
            | "deno.lock"
            | "pytest.ini"
            | "setup.cfg"
            | "setup.py"
            | "tox.ini"
            | "pyproject.toml"
            | "conftest.py"
            | "Pipfile"
            | "Pipfile.lock"
            | "poetry.lock"
            | "uv.lock"
            | "go.mod"
            | "go.sum"
            | "Cargo.toml"
            | "Cargo.lock"
            | "rust-toolchain"
            | "rust-toolchain.toml"
            | "pom.xml"
            | "gradle.properties"
            | "libs.versions.toml"
            | "Gemfile"
            | "Gemfile.lock"
            | ".rspec"
            | "spec_helper.rb"
            | "rails_helper.rb"
            | "test_helper.rb"
            | "composer.json"
            | "composer.lock"
            | "phpunit.xml"
            | "phpunit.xml.dist"
            | "CMakeLists.txt"
            | "Makefile"
            | "Dockerfile"
            | ".env"
            | ".nvmrc"
            | ".node-version"
            | ".python-version"
            | ".ruby-version"
            | ".tool-versions"
            | "global.json"
            | "Directory.Build.props"
            | "mix.exs"
            | "mix.lock"
    );
    let is_script_config =
        ending.rsplit_once('.').map_or("", |(before, _)| before).ends_with("config") || ending.starts_with("config.");
    is_named
        || is_script_config
        || stem.starts_with("tsconfig")
        || stem.starts_with("docker-compose")
        || (stem.starts_with("requirements") && matches!(ending, "txt" | "in"))
        || name.starts_with(".babelrc")
        || name.starts_with(".mocharc")
        || name.starts_with(".swcrc")
        || name.starts_with(".env.")
        || file.starts_with(".cargo/")
        || matches!(ending, "gradle" | "gradle.kts" | "csproj")
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

/// Returns `true` if a diff changes only comments, blank lines, and metadata of packages, so that it cannot change the
/// result of a test. Comments that tools read count as code, for example `// @vitest-environment jsdom`, `//go:build linux`
/// and Rust's doctests.
pub(super) fn changes_no_code(diff: &str) -> bool {
    let mut markers: &[&str] = &[];
    let mut is_manifest = false;
    let mut has_changed_line = false;
    for line in diff.lines() {
        if let Some(file) = line.strip_prefix("+++ ") {
            markers = comment_markers(file.trim_end());
            is_manifest = file.trim_end().ends_with("/package.json");
        } else if ["Binary files ", "old mode ", "rename ", "deleted file "].iter().any(|head| line.starts_with(head)) {
            return false;
        } else if !line.starts_with("--- ")
            && let Some(text) = line.strip_prefix(['+', '-'])
        {
            has_changed_line = true;
            let text = text.trim();
            let is_comment = markers.iter().any(|marker| text.starts_with(marker)) && !is_read_by_tools(text);
            if !(text.is_empty() || is_comment || is_manifest && is_package_metadata(text)) {
                return false;
            }
        }
    }
    has_changed_line
}

/// Fields of package.json that only registries and people read.
const METADATA_FIELDS: [&str; 10] = [
    "version",
    "description",
    "keywords",
    "license",
    "author",
    "contributors",
    "homepage",
    "repository",
    "bugs",
    "funding",
];

/// Returns `true` for a line of package.json that cannot affect a test: a field of metadata, a bracket, or a plain word
/// in a list, such as a keyword.
fn is_package_metadata(line: &str) -> bool {
    let unquoted = line.trim_end_matches(',').strip_prefix('"');
    let field = unquoted.and_then(|text| text.split_once("\":")).map(|(name, _)| name);
    let is_word = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-'));
    match (field, unquoted) {
        (Some(field), _) => METADATA_FIELDS.contains(&field),
        (None, Some(element)) => element.strip_suffix('"').is_some_and(is_word),
        (None, None) => line.chars().all(|letter| "[]{},".contains(letter)),
    }
}

/// Returns `true` if a commit changed a file that affects all tests, and more than the metadata of a package there.
pub(super) fn touches_configuration(commit: &CommitFacts) -> bool {
    let diff = commit.hunks.as_deref().unwrap_or_default();
    let has_effect = |file: &String| {
        let header = format!("diff --git a/{file} b/{file}\n");
        let change = diff.split_once(&header).map(|(_, rest)| rest.split("\ndiff --git ").next().unwrap_or(rest));
        !change.is_some_and(changes_no_code)
    };
    commit.files.iter().any(|file| is_configuration(file) && has_effect(file))
}

fn comment_markers(file: &str) -> &'static [&'static str] {
    match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" | "go" | "java" | "kt" | "scala" | "swift"
        | "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "dart" | "php" | "rs" => &["//", "/*", "* ", "*/"],
        "py" | "rb" | "sh" | "pl" | "ex" | "exs" => &["#"],
        "lua" | "hs" | "sql" => &["--"],
        _ => &[],
    }
}

fn is_read_by_tools(comment: &str) -> bool {
    comment.contains('@')
        || ["///", "//!", "//go:", "// +build", "#!", "# frozen", "# type:", "# -*-"]
            .iter()
            .any(|marker| comment.starts_with(marker))
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

#[cfg(test)]
mod tests {
    use super::{
        changes_no_code, is_configuration, is_documentation, is_in_argus_folder, path_below_source_folder,
        subject_name, touches_configuration,
    };
    use crate::contract::CommitFacts;

    #[test]
    fn a_test_is_named_after_its_source_file() {
        for (file, subject) in [
            ("src/cart.ts", Some("cart")),
            ("test/cart.test.ts", Some("cart")),
            ("src/Cart.spec.tsx", Some("cart")),
            ("shop/cart.py", Some("cart")),
            ("tests/test_cart.py", Some("cart")),
            ("pkg/cart_test.go", Some("cart")),
            ("src/test/java/acme/CartTest.java", Some("cart")),
            ("spec/models/cart_spec.rb", Some("cart")),
            ("tests/CartTests.cs", Some("cart")),
            ("src/index.ts", None),
            ("test/index.test.ts", None),
            ("shop/__init__.py", None),
            ("shop/tests.py", None),
            (".eslintrc", None),
            ("", None),
        ] {
            assert_eq!(subject_name(file).as_deref(), subject, "{file}");
        }
    }

    #[test]
    fn comments_and_metadata_are_no_change_of_code() {
        for (file, lines, expected) in [
            ("src/cart.ts", "+// Adds.\n+\n- * Subtracts.", true),
            ("shop/cart.py", "-# adds\n+# adds all", true),
            ("src/cart.ts", "+// Adds.\n+total += 1;", false),
            ("src/cart.ts", "+total += 1; // adds", false),
            ("src/cart.ts", "+// @ts-expect-error", false),
            ("cart.go", "+//go:build linux", false),
            ("src/lib.rs", "+/// assert_eq!(add(1, 2), 3);", false),
            ("package.json", "-\t\"version\": \"1.0.0\",\n+\t\"version\": \"1.0.1\",", true),
            ("package.json", "+  \"keywords\": [\n+    \"rate limit\"\n+  ],", true),
            ("package.json", "+    \"tasks\",", true),
            ("packages/shop/package.json", "+  \"description\": \"A: b\"", true),
            ("package.json", "+  \"type\": \"module\"", false),
            ("package.json", "+    \"test\": \"vitest\"", false),
            ("package.json", "+    \"packages/*\"", false),
            ("composer.json", "+  \"keywords\": []", false),
            ("notes", "+# adds", false),
        ] {
            let diff = format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n{lines}\n");
            assert_eq!(changes_no_code(&diff), expected, "{diff}");
        }
        assert!(!changes_no_code("diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"));
        assert!(!changes_no_code(""));
    }

    #[test]
    fn metadata_of_a_package_is_no_configuration() {
        let commit = |line: &str| CommitFacts {
            files: vec!["src/cart.ts".to_owned(), "package.json".to_owned()],
            hunks: Some(format!(
                "diff --git a/package.json b/package.json\n--- a/package.json\n+++ b/package.json\n@@ -1 +1 @@\n{line}\n\
                 diff --git a/src/cart.ts b/src/cart.ts\n--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1 +1 @@\n+total += 1;\n"
            )),
            ..CommitFacts::default()
        };
        assert!(!touches_configuration(&commit("+  \"description\": \"A shop\",")));
        assert!(touches_configuration(&commit("+    \"vitest\": \"^4.0.0\",")));
        assert!(
            touches_configuration(&CommitFacts { hunks: None, ..commit("") }),
            "an unknown change may have an effect"
        );
    }

    #[test]
    fn is_configuration_finds_files_that_affect_all_tests() {
        for (file, expected) in [
            ("package.json", true),
            ("packages/shop/package.json", true),
            ("vitest.config.ts", true),
            ("jest.config.cjs", true),
            ("tsconfig.base.json", true),
            ("tests/conftest.py", true),
            ("requirements-dev.txt", true),
            ("docker-compose.test.yml", true),
            (".cargo/config.toml", true),
            ("build.gradle.kts", true),
            ("src/config.ts", false),
            ("src/cart.ts", false),
            ("src/package.ts", false),
            ("README.md", false),
        ] {
            assert_eq!(is_configuration(file), expected, "{file}");
        }
    }

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
