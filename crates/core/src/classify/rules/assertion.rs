//! Rules for failed expectations that name fewer than two values, or describe values in words. Comparisons of two
//! values are in `comparison`. These rules run after all rules for more specific causes.

use crate::{
    classify::rule::{
        AcceptedLines,
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::AssertionMismatch,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "assert-type",
        AssertionMismatch,
        &[
            "assertionerror", "assertionfailederror", "assertion failed", "assertionexception",
            "assertion error", "multiplefailureserror", "softassertionerror", "asserterror",
            "expectationnotmeterror", "expectationnotmet", "powerassertionerror", "assertfailedexception",
            "assertionerrorwithfacts", "jestassertionerror",
        ],
        Regex(any!(
            r"(^|[\s:.(\[\x22'>*#])\w*(AssertionError|AssertionFailedError|AssertionException|MultipleFailuresError|SoftAssertionError|AssertError|ExpectationNotMet(Error)?|PowerAssertionError|AssertFailedException|AssertionErrorWithFacts)\b",
            r"\bassertion (failed|error)\b",
        )),
    ),
    rule(
        "assert-matcher-call",
        AssertionMismatch,
        &["expect("],
        Regex(r"^\s*(\w*Error: )?expect\(.+?\)(\.\w+)*\.to\w+"),
    ),
    rule(
        "assert-snapshot",
        AssertionMismatch,
        &["snapshot", "screenshot", "pixel"],
        Regex(any!(
            r"snapshots? .*\b(mismatch(ed)?|did not match|does ?n.t match|failed|differs)\b",
            r"tomatch(inline)?snapshot|\d+ snapshots? failed|(screenshot|pixel|visual|golden) .*(differ|mismatch|comparison failed|test failed)",
            r"\d+ pixels .*are different",
        )),
    ),
    rule(
        "assert-assert-failed",
        AssertionMismatch,
        &["assert"],
        Regex(any!(
            r"\bassert(ion)?s?\b.*\b(fail(ed|ure)|did not hold|violated|not met)\b|^assert .+$",
            r"\bassert\w* failure\b|: assert .+ failed|Assertion `.+' failed",
        )),
    ),
    // A test that expected a failure that did not occur: `The request should time out.`
    rule(
        "assert-should-fail",
        AssertionMismatch,
        &["should ", "expected "],
        Regex(any!(
            r"\bshould (have )?(timed?[ -]?out|fail(ed)?|raised?|throw|thrown|reject(ed)?|abort(ed)?)\b",
            r"^\s*(\w*Error: |E\s+)?expected .{1,60} to (have )?(timed?[ -]?out|fail(ed)?|raised?|throw|thrown|reject(ed)?)\b",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
    // Checks without a library that print both values and the operator between them.
    rule("assert-operator", AssertionMismatch, &[" !== ", " <> "], Regex(r": (\w+ )?\S+ (!==|<>) \S+$")),
    // bats and shell checks that quote the condition or print both values with names.
    rule(
        "assert-shell",
        AssertionMismatch,
        &["' failed", "wanted=", "expected="],
        Regex(r"^\s*\x60\[.+\]' failed|\b(wanted|expected)=\S+,? (found|got|actual)="),
    ),
    // The heading of a diff of values in tap, PHPUnit and others, for texts that do not name the values elsewhere.
    rule("assert-diff", AssertionMismatch, &["--- expected"], Regex(r"^\s*--- expected\b[^\n]*\n\s*\+\+\+ actual\b")).match_nearby_lines(),
    // Perl's Test::More.
    rule(
        "assert-test-more",
        AssertionMismatch,
        &["failed test "],
        Regex(r"^[ \t#]*Failed test ('.*'|\x22.*\x22|at)?\s*(\n[ \t#]*)?at \S+ line \d+"),
    )
    .match_nearby_lines(),
    // hspec, tasty-hunit, QuickCheck.
    rule(
        "assert-haskell",
        AssertionMismatch,
        &["but got: ", "predicate failed on: ", "*** failed! falsif"],
        Regex(r"^\s*expected: (?s:.*?)^\s*but got: |^\s*predicate failed on: |\*\*\* Failed! Falsif(ied|iable)"),
    )
    .match_nearby_lines(),
    // Julia's Test, Zig's std.testing, Unity and CppUTest in C, EUnit in Erlang.
    rule(
        "assert-other-frameworks",
        AssertionMismatch,
        &[
            "test failed at ", "testexpectedequal", "testunexpectedresult", ":fail: ", "failure in test(", "{assert",
            "std.testing.expect",
        ],
        Regex(any!(
            r"^\s*Test Failed at \S+:\d+|\bTest(ExpectedEqual|ExpectedApproxEqAbs|ExpectedFmt|UnexpectedResult)\b",
            r"^\S+:\d+:\w+:FAIL: |: error: Failure in TEST\(.*\n+\s*(expected <|CHECK|STRCMP|LONGS|[A-Z_]+_EQUAL)",
            r"^expected .+, found .+\n(.*\n){0,3}.*\bstd\.testing\.expect",
            r"\{assert(ion|Not)?(Equal|Match|Exception|Error|Exit|Throw|Receive)?(_failed)?, ?\[",
        )),
    )
    .match_nearby_lines(),
    rule("assert-testify-any", AssertionMismatch, &["error trace:"], Regex(r"error trace:(?s:.*?)^\s*error:"))
    .match_nearby_lines(),
    rule(
        "assert-not-as-expected",
        AssertionMismatch,
        &[
            "does not match expected", "did not match expected", "not equal", "are not the same",
            "does not equal", "do not match", "values differ", "mismatch", "unexpected value", "did not equal",
            "unexpected result", "not as expected", "should not have",
        ],
        Regex(any!(
            r"(does|did|do) ?n.t match (the )?expect|(does|did|do) not match (the )?expect|\bnot equal\b",
            r"are not the same|does not equal|values differ|\bmismatch(ed)?:.*(expected|got|actual|!=)",
            r"unexpected (value|result)[: ]|did not equal|not as expected",
        )),
    )
    .unless(any!(
        r"signature|checksum|integrity|lock ?file|version|type mismatch|shape|dimension|hash|schema|header",
        r"does not support|module|argument|certificate",
    )),
    rule("assert-go-error-want", AssertionMismatch, &["wanterr"], Regex(r"error = .*wantErr")),
    rule(
        "assert-should",
        AssertionMismatch,
        &[
            "expected success, but got", "should have passed", "should have failed", "should have thrown",
            "expected exception", "expected an exception", "expected error", "expected an error",
            "was expected to", "were expected to",
        ],
        Regex(any!(
            r"expected success, but got|should (not )?have (passed|failed|thrown)",
            r"expected (an? )?(\w+ )?(exception|error)\b.*(but|not thrown|was not|none|nothing|got)",
            r"(was|were) expected to .+but",
        )),
    ),
    rule(
        "assert-expected-to-words",
        AssertionMismatch,
        &["expected "],
        Regex(
            r"^\s*(\w*Error: |E\s+|\S+:\d+(:\d+)?: |Message: |- )?expected .+ (to|not to) (be|have|equal|contain|include|match|exist|respond|return|not|throw|start|end)\b",
        ),
    )
    .unless(r"error TS|expected (one of|`|;)|syntax"),
    rule("assert-which-is", AssertionMismatch, &["which is: "], Literal),
    // Rust's `assert!(condition, "message")` prints only the message. The guard excludes panics of the runtime.
    rule(
        "assert-rust-message",
        AssertionMismatch,
        &["panicked at "],
        Regex(
            r"panicked at (\S*tests?/\S+|\S*_tests?\.rs|\S*tests\.rs|\S+):\d+:\d+:\n[^\n]+(\n(left|right|note|stack|\s*$)|$)",
        ),
    )
    .match_nearby_lines()
    .unless(any!(
        r"called `(Result|Option)::|index out of bounds|attempt to |already (mutably )?borrowed",
        r"not yet implemented|not implemented|internal error: entered unreachable|out of range",
        r"divide by zero|range (start|end) index|slice index|byte index|overflow|capacity|memory",
        r"no entry found for key|Err\(|Error \{|: \w+\(|kind: |: [A-Z]\w*(Error|Exception)?( \{|\()",
        r"Custom \{|Os \{|explicit panic|called `\w+::|PoisonError|stack overflow|Cannot drop",
        r"there is no reactor|failed to|cannot |could not|unable to|error",
        // assert_cmd prints this for a program that the test ran, so the program's output must decide.
        r"Unexpected failure\.",
    )),
    rule(
        "assert-test-log-fail",
        AssertionMismatch,
        &["_test.go:"],
        Regex(any!(
            r"^\s*\w+_test\.go:\d+: (unexpected|expected|want|got|should|wrong|incorrect|mismatch|invalid|bad)\b",
            r"^\s*\w+_test\.go:\d+: .*(!=|==|should|not equal|mismatch|want)",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesFirst)
    .unless(r"undefined|cannot use|imported and not used|unexpected error|panic:"),
    rule(
        "assert-compare-word",
        AssertionMismatch,
        &["comparisonfailure", "expectationfailed", "expectation failed", "condition failed: "],
        Word,
    ),
];
