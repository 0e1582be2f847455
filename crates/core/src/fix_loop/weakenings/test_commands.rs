//! Finds commands and settings that let a failing test run pass or leave tests out of the run.

use crate::change::files::{FileRole, SettingsScope};
use crate::fix_loop::WeakeningKind::{self, FailureIgnored, Mocked, TestSkipped};
use regex::Regex;
use std::sync::LazyLock;

/// Commands that run tests or checks.
static TEST_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)\btests?\b|\bpytest\b|\bjest\b|\bvitest\b|\bmocha\b|\bcypress\b|\bplaywright\b|\bcargo (?:check|clippy)\b|\bgo vet\b|\bmvnw?\b|\bgradlew?\b|\bphpunit\b|\bpest\b|\brspec\b|\btox\b|\bnox\b|\bctest\b|\blint\b|\beslint\b|\btsc\b|\bmypy\b|\bruff\b|\bcheck\b|\bverify\b",
    )
});
/// Syntax that hides the failure of the preceding command.
static HIDES_COMMAND_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:.*?(?:&&|;|\brun:|:\s*\x22)\s*)?([^;]*?)\s*(?:\|\|\s*(?:true|:|exit 0|echo\b|/bin/true)|;\s*(?:true|exit 0)\s*(?:[\x22']|$)|&\s*exit 0)",
    )
});
/// Commands whose failure is harmless.
static CLEANUP_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^[\s@-]*(?:sudo )?(?:rm|kill|pkill|killall|mkdir|wait|unset|cp|mv|grep|which|command|test -|\[|read|umount|stop|trap|docker (?:rm|stop|kill|network|volume)|docker[ -]compose\b.* (?:down|stop|rm)|podman (?:rm|stop)|kubectl delete|git (?:diff|config|stash))\b",
    )
});
/// Commands that download something. Retries of such commands hide no failure.
static DOWNLOAD_COMMAND: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b(?:curl|wget|install|fetch|pull|push|npm ci|download|apt(?:-get)?)\b"));
/// Code that catches the failure of an expectation.
static CATCHES_EXPECTATION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\bexcept\s*\(?.*\bAssertionError\b|\bsuppress\(.*\bAssertionError\b|\bcatch\s*\(.*\bAssertion\w*Error\b|\brescue\b.*\bExpectationNotMet",
    )
});
/// Settings that hide failures or exclude tests, in any file.
static HIDING_SETTINGS: LazyLock<Vec<(Regex, WeakeningKind)>> = LazyLock::new(|| {
    [
        (r"^\s*-?\s*(?:continue-on-error|allow_failure|continueOnError)\s*:\s*(?:true|\$\{\{|'true')", FailureIgnored),
        (r"\b(?:testFailureIgnore|ignoreFailures|ignoreExitCode)\b\s*(?:=|>|:)?\s*true\b|-Dmaven\.test\.failure\.ignore(?:=true)?\b", FailureIgnored),
        (r"--passWithNoTests\b|\bpassWithNoTests\s*:\s*true|--exit-zero\b|--pass-with-no-tests\b|--suppress-tests-failed", FailureIgnored),
        (r"\bdangerouslyIgnoreUnhandledErrors\s*:\s*true|\bxfail_strict\s*=\s*[fF]alse|--no-error-on-unmatched", FailureIgnored),
        (r#""(?:test|check|verify|lint|ci)[\w:-]*"\s*:\s*"(?:exit 0|true|:|echo [^"&|;]*)""#, FailureIgnored),
        (r"^\s*set \+e\b|^\s*exit 0\s*$", FailureIgnored),
        (r"-DskipTests\b|-Dmaven\.test\.skip\b|\s-x test\b|--deselect\b|\b(?:pytest|py\.test|addopts)\b.*\s-k[ =]|\b(?:pytest|py\.test|addopts)\b.*\s-m[ =]*[\x22'\\]*not\b|--ignore(?:-glob)?[= ]\S*tests?\b|--skip-tests?\b|\bskipTests\b.{0,3}true", TestSkipped),
        (r"\b(?:cargo (?:test|nextest)|cargo\s.*\btest)\b.*--skip\s|\bgo test\b.*\s-(?:skip|run)\b|\b(?:jest|vitest)\b.*\s(?:-t|--testNamePattern)\b|\b(?:jest|vitest|mocha|ava|pytest|node --test)\b[^&|;]*\s[\w./-]+[._](?:test|spec)\.\w+|--test-name-pattern\b|\bdotnet test\b.*--filter\b|\bphpunit\b.*--filter\b", TestSkipped),
        (r"\b(?:testPathIgnorePatterns|testIgnore|collect_ignore\w*|norecursedirs|exclude_tests|modulePathIgnorePatterns)\b|<exclude>.*(?:Test|IT)\b|^\s*(?:testpaths|python_(?:files|classes|functions))\s*=|^\s*(?:harness|test|autotests)\s*=\s*false\b", TestSkipped),
    ]
    .into_iter()
    .map(|(pattern, kind)| (compile(pattern), kind))
    .collect()
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Returns `true` if the line runs tests or checks.
pub(super) fn runs_tests(line: &str) -> bool {
    TEST_COMMAND.is_match(line)
}

/// Returns `true` if the line downloads something.
pub(super) fn is_download_command(line: &str) -> bool {
    DOWNLOAD_COMMAND.is_match(line)
}

/// Settings of runners that select tests.
static TEST_SELECTION_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^\s*[\x22']?(?:include|exclude|dir|roots?|testMatch|testRegex|testNamePattern|testPathIgnorePatterns|spec|grep|invert|ignore|testpaths|python_(?:files|classes|functions)|norecursedirs|default-filter|automock|runner)[\x22']?\s*[:=]",
    )
});
/// Settings of runners that replace modules or load files before the tests. If the diff has whole files, `replaced`
/// reads their values instead.
static REPLACEMENT_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^\s*[\x22']?(?:setupFiles(?:AfterEnv)?|globalSetup|moduleNameMapper|alias)[\x22']?\s*[:=]")
});

/// Returns `true` if the setting selects tests. In a diff without whole files, also returns `true` if the setting may
/// replace the code under test.
pub(super) fn selects_tests(line: &str, is_whole: bool) -> bool {
    TEST_SELECTION_SETTING.is_match(line) || (!is_whole && REPLACEMENT_SETTING.is_match(line))
}

/// Code that ends a run with success even if tests fail. It is normal in a program, but not in tests.
static ENDS_WITH_SUCCESS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\bprocess\.exit\(0?\)|\bprocess\.exitCode\s*=\s*0|\bos\._exit\(0\)|\bsys\.exit\(0?\)|\bos\.Exit\(0\)|\bprocess::exit\(0\)|\bexitstatus\s*=\s*0\b",
    )
});
/// Code that detects whether it is being tested, by runner or language.
static DETECTS_TEST_RUN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // Jest sets NODE_ENV, Vitest MODE.
        r"\b(?:NODE_ENV|MODE)\b[\x22'\]]{0,2}\s*[!=]==?\s*[\x22'`]test\b|[\x22'`]test[\x22'`]\s*[!=]==?\s*[\w.]*\b(?:NODE_ENV|MODE)\b",
        r"\benv(?:\.|\[[\x22'`])(?:VITEST|JEST_WORKER_ID|NODE_TEST_CONTEXT)\w*|\btypeof (?:jest|vi|vitest|expect)\b",
        r"\bPYTEST_(?:CURRENT_TEST|VERSION)\b|['\x22](?:pytest|unittest)['\x22] in sys\.modules|\bsys\.argv\[0\].*py\.?test",
        r"\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\x22test\.|\bos\.Args\[0\].*\.test\b|\.test\b.*\bos\.Args\[0\]",
        // A build for tests has debug assertions.
        r"\bcfg!\((?:not\()?(?:test|debug_assertions)\)|\bcfg\(not\((?:test|debug_assertions)\)\)|#\[cfg\(debug_assertions\)\]|\bvar(?:_os)?\(\s*\x22(?:NEXTEST|RUST_TEST_THREADS)",
    ]
    .into_iter()
    .map(compile)
    .collect()
});

/// Returns `true` if the line replaces a module for all code that is loaded later.
pub(super) fn mocks_module(line: &str) -> bool {
    static MOCK_CALL: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(?:jest|vi)\.(?:do)?[mM]ock\(|\bmock\.module\("));
    MOCK_CALL.is_match(line)
}

fn detects_test_run(line: &str) -> bool {
    let code = line.trim_start();
    let is_comment = ["//", "# ", "* ", "/*"].iter().any(|mark| code.starts_with(mark));
    !is_comment && DETECTS_TEST_RUN.iter().any(|pattern| pattern.is_match(code))
}

/// Returns `true` if the line ends a run with success even if tests fail.
pub(super) fn ends_with_success(line: &str) -> bool {
    ENDS_WITH_SUCCESS.is_match(line)
}

/// Returns the kind of weakening if the line overrides the result of tests: it ends the run with success, or it makes
/// the code under test detect that it is being tested.
pub(super) fn find_outcome_override(line: &str, role: FileRole) -> Option<WeakeningKind> {
    match role {
        FileRole::Test | FileRole::Settings(SettingsScope::Runner) => {
            ENDS_WITH_SUCCESS.is_match(line).then_some(FailureIgnored)
        }
        FileRole::Other | FileRole::Mixed => detects_test_run(line).then_some(Mocked),
        _ => None,
    }
}

/// Returns `true` if the line catches the failure of an expectation.
pub(super) fn swallows_expectation(line: &str) -> bool {
    CATCHES_EXPECTATION.is_match(line)
}

/// Returns the kind of weakening if the line hides the failure of a test run or excludes tests.
pub(super) fn find_ignored_failure(line: &str, about: SettingsScope) -> Option<WeakeningKind> {
    let line = &line[..line.floor_char_boundary(2048)];
    let trimmed = line.trim_start();
    if trimmed.starts_with('#') || trimmed.starts_with("//") {
        return None;
    }
    let swallowed = HIDES_COMMAND_FAILURE.captures(line).and_then(|found| found.get(1)).map(|command| command.as_str());
    if swallowed.is_some_and(|command| !CLEANUP_COMMAND.is_match(command) && may_hide_tests(command, about)) {
        return Some(FailureIgnored);
    }
    // A dash at the start of a line makes `make` ignore the failure of the command.
    if line.strip_prefix("\t-").is_some_and(runs_tests) {
        return Some(FailureIgnored);
    }
    // In Vitest, `exclude` lists test files. In other tools, it lists files that are not tests.
    if about == SettingsScope::Runner && trimmed.starts_with("exclude") {
        return Some(TestSkipped);
    }
    let found = HIDING_SETTINGS.iter().find(|(pattern, _)| pattern.is_match(line)).map(|&(_, kind)| kind)?;
    // `exit 0` and `set +e` are normal in a script that is not about tests.
    let ordinary = trimmed.starts_with("exit 0") || trimmed.starts_with("set +e");
    (about != SettingsScope::Commands || !ordinary).then_some(found)
}

/// Checks whether ignoring the failure of a command may hide failed tests. In a script about tests, every command
/// counts except downloads. In other pipelines, only commands that run tests count.
fn may_hide_tests(command: &str, about: SettingsScope) -> bool {
    runs_tests(command) || (about == SettingsScope::Tests && !is_download_command(command))
}
