//! Patterns for tests, skips and expectations in each language.

use super::files::Language;
use regex::Regex;
use std::sync::LazyLock;

/// The patterns for a [`Language`], which may stand for several similar languages.
struct LanguagePatterns {
    /// Declares a test; the first group that matches is its name.
    test: Regex,
    /// Keeps tests from running.
    skip: Regex,
    /// Contains an expectation.
    expects: Regex,
}

fn compile_patterns(test: &str, skip: &str, expects: &str) -> LanguagePatterns {
    let compile = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
    LanguagePatterns { test: compile(test), skip: compile(skip), expects: compile(expects) }
}

static JAVASCRIPT: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"(?:^|[^.\w$'"`])(?:it|test|describe|context|specify|suite|scenario|x?it|xdescribe|xtest|fit|fdescribe|Deno\.test)(?:\.\w+)*\s*(?:\([^)]*\)\s*)?\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`|$)"#,
        concat!(
            r"\b(?:it|test|describe|context|specify|suite|bench)(?:\.\w+)*\.(?:skip|todo|fixme|fails|failing|skipIf|runIf|only|ignore)\b",
            r"|\b(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe|fcontext)\s*\(|\b(?:this|ctx|context|t)\.skip\(",
            r"|\b(?:it|test|describe|suite)\b.*\b(?:skip|todo|only|ignore):\s*(?:true|'|\x22|`)|\btest\.fail\(|^\s*pending\(",
        ),
        r"\bexpect(?:\.\w+)*\s*\(|\b(?:expect|assert|verify|check|ensure)[A-Z]\w*\(|\bassert(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|not|deepEqual|true|false|truthy|falsy|throws\w*|equal|ok|like|regex|snapshot|same)\(|\bexpectTypeOf\(|\bassertType\(",
    )
});
static PYTHON: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r"^\s*(?:async\s+)?(?:def\s+(test\w*)|class\s+(Test\w*|\w+Tests?))\b",
        concat!(
            r"@pytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\bpytestmark\s*=.*\b(?:skip|xfail)",
            r"|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\(|\braise (?:unittest\.)?SkipTest\b",
            r"|\bcollect_ignore\w*\b|\b__test__\s*=\s*False|\bpytest\.mark\.(?:skip|xfail)\(|\bmarks\s*=.*\b(?:skip|xfail)",
        ),
        r"^\s*assert\b|\bself\.(?:assert\w+|fail)\(|\bpytest\.(?:raises|warns|fail)\(|\.assert_\w+\(|\b_?(?:assert|expect|verify|check)_\w+\(",
    )
});
static GO: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"^\s*func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(|\b(?:t|s)\.Run\(\s*"([^"]*)"|\b[PXF]?(?:It|Describe|Context)\(\s*"([^"]*)""#,
        r"\b(?:t|b|f|s\.T\(\))\.Skip(?:Now|f)?\(|^\s*Skip\(|\b(?:XIt|PIt|XDescribe|PDescribe|FIt|FDescribe)\(|^//go:build \w|^// \+build \w",
        r"\b(?:t|b|f)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require)\.\w+\(|\b(?:qt|c)\.(?:Assert|Check)\(|\bis\.(?:Equal|True|NoErr|Nil|Fail)\(|\bExpect\(|\bcmp\.Diff\(|\b(?:assert|require|expect|verify|check)[A-Z]\w*\(",
    )
});
static RUST: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r"#\[(?:[\w:]*::)?(?:test|rstest|wasm_bindgen_test|test_case|bench)\b",
        r"#\[ignore\b|#\[cfg\((?:any\(\)|ignore|FALSE|never)\)\]|#\[should_panic|\bcfg_attr\([^)]*\bignore\b",
        r"\b(?:debug_|prop_)?assert\w*!|\binsta::assert\w*!|\bexpect_test\b|\bpanic!\(",
    )
});
static JVM: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|^\s*(?:should|test|it|describe|context|given|"[^"]+" should|feature|scenario)\s*\(\s*"([^"]*)"|^\s*"!?([^"]+)"(?:\.config\([^)]*\))? \{\s*$|^\s*def ['"]([^'"]+)['"]\s*\("#,
        concat!(
            r"@(?:Disabled\w*|Ignore[d]?|EnabledIf\w*|EnabledOn\w*|PendingFeature|IgnoreRest)\b|\bassum(?:e|ing)\w*\(|\bAssumptions\.",
            r"|\benabled\s*=\s*false\b|^\s*\x22!|\bx(?:should|test|it|describe|context)\s*\(|\bpending\b\s*$|^\s*ignore\(\s*\x22",
        ),
        r"\b[aA]ssert\w*\s*[.({]|\bverify\w*\s*[({]|\bfail\(|\bshould(?:Be|Not|Throw|Have|Contain|Equal)\w*\b|\bexpect\w*\(|\.andExpect\(|\.isEqualTo\(",
    )
});
static DOTNET: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r"\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b",
        r#"\bSkip\s*=\s*[$@]?"|\bSkip\s*=\s*nameof|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive|Skip)\b|\bSkip\.(?:If|Unless)|\[SkippableFact"#,
        r"\bAssert\.(?:\w+\.)?\w+|\.Should\w*\(|\.Verify\w*\(|\bShould\.\w+",
    )
});
static RUBY: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"^\s*(?:f|x)?(?:it|specify|example|scenario|describe|context|feature|test|should)\s*\(?\s*(?:'([^']*)'|"([^"]*)")|^\s*def\s+(test_\w+)"#,
        r"^\s*(?:xit|xdescribe|xcontext|xspecify|xexample|xscenario|fit|fdescribe|fcontext|pending|skip)\b|\b(?:skip|pending|focus):\s*(?:true|'|\x22)|,\s*:(?:skip|pending|focus)\b",
        r"\bexpect\b|\bassert\w*\b|\brefute\w*\b|\.should(?:_not)?\b|\bis_expected\b|\.(?:must|wont)_\w+",
    )
});
static PHP: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"\bfunction\s+(test\w*)\s*\(|@test\b|#\[Test\]|\b(?:it|test|describe)\(\s*(?:'([^']*)'|"([^"]*)")"#,
        r"\bmarkTest(?:Skipped|Incomplete)\(|->(?:skip|todo|only)\(|@(?:group|requires)\s+(?:skip|disabled)|#\[(?:Requires|DoesNotPerformAssertions)",
        r"(?:->|::)assert\w+\(|\bexpect(?:Exception\w*)?\(|->should\w+\(",
    )
});
/// C and C++ with `GoogleTest` and Catch, Swift, Elixir, bats, plain shell.
static OTHER: LazyLock<LanguagePatterns> = LazyLock::new(|| {
    compile_patterns(
        r#"^\s*TEST(?:_[FP])?\(\s*(\w+\s*,\s*\w+)|\bTEST_CASE\(\s*"([^"]*)"|\bfunc\s+(test\w*)\s*\(|^\s*test\s+"([^"]*)"|^@test\s+"([^"]*)"|^\s*Scenario(?: Outline)?:\s*(.+)$"#,
        r"\bDISABLED_\w+|\bGTEST_SKIP\(|\[\.\w*\]|\bXCTSkip\w*|@(?:module)?tag\s+:skip|^\s*skip\b|^\s*@(?:wip|ignore|skip|disabled)\b",
        r"\b(?:EXPECT|ASSERT)_\w+\(|\b(?:REQUIRE|CHECK)\w*\(|\bXCTAssert\w*\(|\bassert\w*\b|\brefute\b|#expect\(|^\s*\[\[? .* \]\]?\s*$|^\s*(?:Then|And) \S",
    )
});

fn find_language_patterns(language: Language) -> Option<&'static LanguagePatterns> {
    Some(match language {
        Language::JavaScript => &JAVASCRIPT,
        Language::Python => &PYTHON,
        Language::Go => &GO,
        Language::Rust => &RUST,
        Language::Jvm => &JVM,
        Language::DotNet => &DOTNET,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        Language::Other => &OTHER,
        Language::Data => return None,
    })
}

/// Maximum bytes of a line that are searched.
const MAX_LINE_BYTES: usize = 4096;

/// Returns the code of a line, or `None` for a comment.
fn code_of_line(line: &str, language: Language) -> Option<&str> {
    let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
    let trimmed = line.trim_start();
    let comment = match language {
        Language::Python | Language::Ruby => trimmed.starts_with('#'),
        Language::Rust => trimmed.starts_with("//"),
        Language::Go => {
            trimmed.starts_with("//") && !trimmed.starts_with("//go:build") && !trimmed.starts_with("// +build")
        }
        Language::Php => trimmed.starts_with("//") || (trimmed.starts_with('#') && !trimmed.starts_with("#[")),
        Language::Other => trimmed.starts_with("//") || trimmed.starts_with("# "),
        _ => {
            trimmed.starts_with("//")
                || trimmed.starts_with("/*")
                || trimmed.starts_with("* ")
                || trimmed.starts_with("<!--")
        }
    };
    (!comment && !trimmed.is_empty()).then_some(line)
}

/// Returns the name of the test that the line declares; empty if the language puts the name on another line.
pub(crate) fn find_test_name(line: &str, language: Language) -> Option<&str> {
    let found = find_language_patterns(language)?.test.captures(code_of_line(line, language)?)?;
    Some(found.iter().skip(1).flatten().next().map_or("", |name| name.as_str()))
}

/// Returns the part of the line that keeps tests from running, such as `it.skip`.
pub(crate) fn find_skip_marker(line: &str, language: Language) -> Option<&str> {
    find_language_patterns(language)?.skip.find(code_of_line(line, language)?).map(|found| found.as_str())
}

/// Checks whether the marker, such as `it.only`, keeps all other tests from running.
pub(crate) fn is_exclusive(skip_marker: &str) -> bool {
    skip_marker.ends_with("only")
        || skip_marker.contains("only:")
        || skip_marker.starts_with("fit")
        || skip_marker.starts_with("fd")
}

/// Checks whether the line contains an expectation.
pub(crate) fn has_expectation(line: &str, language: Language) -> bool {
    find_language_patterns(language)
        .zip(code_of_line(line, language))
        .is_some_and(|(patterns, code)| patterns.expects.is_match(code))
}
