//! Classifies a file by its role for tests, such as a test, a snapshot or test settings.

use regex::Regex;
use std::sync::LazyLock;

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileRole {
    /// Tests or test helpers.
    Test,
    /// Stored output with which a test compares.
    Snapshot,
    /// Determines which tests run, and how.
    Settings(SettingsScope),
    /// Source that may contain its own tests, as in Rust.
    Mixed,
    /// None of these.
    Other,
}

/// Scope of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingsScope {
    /// A test runner or a coverage tool.
    Runner,
    /// The whole project, including its tests.
    Project,
    /// Commands that run tests: a CI pipeline, or a script with a name such as `test.sh`.
    Tests,
    /// Commands of any kind.
    Commands,
}

/// Languages that declare tests in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
    Go,
    Rust,
    Jvm,
    DotNet,
    Ruby,
    Php,
    Other,
    /// No code: documents, and data that tests read.
    Data,
}

static SNAPSHOT_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:^|/)__(?:image_)?snapshots__/|\.(?:snap|ambr|golden|gold|snapshot)$|\.[cm]?[jt]sx?-snapshots/",
        r"|\.(?:approved|verified)\.\w+$|_golden\.\w+$|\.golden\.\w+$",
    ))
});
/// Requires a data file extension, because folders with these names may also contain source code.
static SNAPSHOT_DATA_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|/)(?:golden|goldens|goldenfiles|snapshots|expected)/|[._-]expected\.\w+$|(?:^|/)expected[._-]?\w*\.\w+$",
    )
});
static TEST_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress|testing|step_definitions|androidTest|testFixtures)/",
        r"|\.(?:test|spec|cy|e2e|bench)\.\w+$|(?:^|/)test_[^/]*\.py$|_test\.\w+$|_spec\.rb$|(?:^|/)test_[^/]*\.rb$",
        r"|(?:^|/)conftest\.py$|[a-z0-9](?:Tests?|IT|Spec|TestCase)\.\w+$|\.(?:feature|bats|t)$|_tests?\.(?:c|cc|cpp|rs|exs)$|(?:^|/)tests?\.rs$",
    ))
});
static RUNNER_SETTINGS_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:^|/)(?:jest|vitest|playwright|cypress|karma|wdio|ava|web-test-runner)\.(?:config|conf|setup|workspace)\.\w+$",
        r"|(?:^|/)(?:\.mocharc(?:\.\w+)?|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|jest\.\w+\.json|pytest\.ini|\.coveragerc)$",
        r"|(?:^|/)\.?codecov\.ya?ml$|(?:^|/)\.simplecov$|(?:^|/)\.rspec$|(?:^|/)phpunit\.xml(?:\.dist)?$|\.runsettings$|(?:^|/)\.config/nextest\.toml$|(?:^|/)\.cargo/config(?:\.toml)?$",
    ))
});
static PROJECT_SETTINGS_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|/)(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|vite\.config\.\w+|build\.gradle(?:\.kts)?|pom\.xml|build\.sbt|composer\.json|mix\.exs)$",
    )
});
static PIPELINE_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|/)\.github/workflows/[^/]+$|(?:^|/)\.gitlab-ci\.ya?ml$|(?:^|/)\.circleci/|(?:^|/)azure-pipelines[^/]*\.ya?ml$|(?:^|/)Jenkinsfile$|(?:^|/)\.travis\.yml$|(?:^|/)bitbucket-pipelines\.yml$|(?:^|/)\.buildkite/",
    )
});
static COMMAND_FILE_PATH: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Dockerfile[^/]*)$|\.(?:mk|sh|bash|ps1|cmd|bat)$",
    )
});
/// A word in the path of a script that shows that the script runs tests.
static TEST_SCRIPT_PATH: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)(?:^|[/._-])(?:tests?|ci|checks?|verify|lint|specs?|e2e)(?:[/._-]|$)"));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Returns the role of the file.
pub(crate) fn detect_role(path: &str) -> FileRole {
    let language = detect_language(path);
    if SNAPSHOT_PATH.is_match(path) || (matches!(language, Language::Data) && SNAPSHOT_DATA_PATH.is_match(path)) {
        FileRole::Snapshot
    } else if let Some(about) = detect_settings_scope(path) {
        FileRole::Settings(about)
    } else if TEST_PATH.is_match(path) {
        FileRole::Test
    } else if language == Language::Rust {
        FileRole::Mixed
    } else {
        FileRole::Other
    }
}

fn detect_settings_scope(path: &str) -> Option<SettingsScope> {
    if RUNNER_SETTINGS_PATH.is_match(path) {
        Some(SettingsScope::Runner)
    } else if PROJECT_SETTINGS_PATH.is_match(path) {
        Some(SettingsScope::Project)
    } else if PIPELINE_PATH.is_match(path) {
        Some(SettingsScope::Tests)
    } else if COMMAND_FILE_PATH.is_match(path) {
        Some(if TEST_SCRIPT_PATH.is_match(path) { SettingsScope::Tests } else { SettingsScope::Commands })
    } else {
        None
    }
}

/// Returns the language by the file extension.
pub(crate) fn detect_language(path: &str) -> Language {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "coffee" => {
            Language::JavaScript
        }
        "py" | "pyi" => Language::Python,
        "go" => Language::Go,
        "rs" => Language::Rust,
        "java" | "kt" | "kts" | "scala" | "groovy" => Language::Jvm,
        "cs" | "fs" | "vb" => Language::DotNet,
        "rb" => Language::Ruby,
        "php" => Language::Php,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "m" | "mm" | "swift" | "ex" | "exs" | "bats" | "sh" | "bash"
        | "feature" | "t" | "pl" => Language::Other,
        _ => Language::Data,
    }
}
