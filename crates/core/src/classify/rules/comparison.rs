//! Rules for failed comparisons of two values. Other failed expectations are in `assertion`, and complaints of mock
//! libraries are tried earlier. These rules exclude expectations that no error is thrown, because the thrown error is
//! the failure.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex},
        Rule, any, rule,
    },
    failure::category::Category::AssertionMismatch,
};

/// Texts that compare a value with an unexpected error. Later rules classify that error.
const UNEXPECTED_ERROR: &str = concat!(
    r"\bnot\.tothrow|\bto not throw\b|not to throw|\bno (exception|error)\b|(without|no) (an )?(exception|error)|unexpected error|to be (resolved|fulfilled)",
    r"|rejected instead of resolved|received promise rejected|\bnot to raise|wantErr false|to be nil.{0,20}error|expected nil, but got: &|expected success|got error|got: error",
    r"|(expected|want(ed)?):? <?(nil|null|none|ok|success)>?,? (but )?(got|was|received)",
);

pub(super) const RULES: &[Rule] = &[
    rule(
        "assert-expect-received",
        AssertionMismatch,
        &[
            "expect(received)", "expect(function)", "expect(string)", "expect(value)", "expect(object)",
            "expect(array)", "expect(element)",
        ],
        Regex(r"expect\((received|function|string|value|object|array|element)[^)]*\)(\.\w+)*\.to\w+\("),
    )
    .unless(r"not\.tothrow|\.(resolves|rejects)\."),
    rule(
        "assert-expect-promise",
        AssertionMismatch,
        &["expect(received).resolves", "expect(received).rejects"],
        Regex(r"expect\(received\)\.(resolves|rejects)\."),
    )
    .unless(r"promise rejected instead of resolved")
    .match_nearby_lines(),
    rule(
        "assert-expected-received",
        AssertionMismatch,
        &[
            "expected value", "expected: ", "received: ", "expected substring:", "received string:",
            "received value:", "expected pattern:", "received has value", "received value must",
        ],
        Regex(
            r"^\s*(error: )?expected (value|function|object|string|mock|array|promise|number|length|substring|pattern)?.*(:|to )(?s:.*?)^\s*(received|but received)\b.{0,20}:",
        ),
    )
    .unless(any!(
        r"not\.tothrow|number of calls|promise rejected instead|(thrown|error) (value|name|message):",
    ))
    .required_literals(&["received"])
    .match_nearby_lines(),
    rule(
        "assert-expected-to",
        AssertionMismatch,
        &["assertionerror: expected ", "assertionerror [err_assertion]: expected", "error: expected "],
        Regex(any!(
            r"AssertionError( \[\w+\])?: (.*: )?expected .*?(to|values|not|but|\bactual)\b",
            r"\bError: expected .+ to (not )?(deeply |strictly |loosely )?(equal|eql|be|have|include|contain|match|exist|throw|satisfy|respond|start|end)\b",
        )),
    )
    .unless(UNEXPECTED_ERROR),
    rule(
        "assert-expected-to-line",
        AssertionMismatch,
        &["expected "],
        Regex(
            r#"^\s*(\w*AssertionError( \[ERR_ASSERTION\])?: |Error: |- |E\s+)?expected (['"\[{(#\d<`-]|undefined|null|true|false|nan|object|function|promise|\w+ )?.* (not )?to (not )?(deeply |strictly |loosely |be |have |shallowly )*(equal|eql|be|have|include|contain|match|exist|satisfy|respond|start|end|an?|within|above|below|ok|true|false|null|undefined|empty|throw|closed|greater|less|strictly|deeply|loosely)\b"#,
        ),
    )
    .unless(UNEXPECTED_ERROR),
    rule(
        "assert-node",
        AssertionMismatch,
        &[
            "err_assertion", "expected values to be", "evaluated to a falsy value",
            "values identical but not reference-equal", "expected \"actual\"", "missing expected exception",
            "missing expected rejection",
        ],
        Regex(any!(
            r"expected (values|inputs|\x22actual\x22).* to (not )?be|evaluated to a falsy value",
            r"identical but not reference-equal|missing expected (exception|rejection)|\[ERR_ASSERTION\]",
            r"code: 'ERR_ASSERTION'",
        )),
    )
    .unless(r"got unwanted (exception|rejection)"),
    rule(
        "assert-cypress",
        AssertionMismatch,
        &["assert expected", "cypresserror"],
        Regex(r"\bassert\s+expected \*{0,2}"),
    ),
    rule(
        "assert-supertest",
        AssertionMismatch,
        &["error: expected ", "expected "],
        Regex(r#"\berror: expected (\d{3}|\x22.+?) .*, got (\d{3}\b|\x22)|\bexpected \d{3} "[\w '-]+", got \d{3}"#),
    ),
    rule(
        "assert-playwright",
        AssertionMismatch,
        &["expect(locator)", "expect(page)", "expect(apiresponse)"],
        Regex(r"expect\((locator|page|apiresponse)\)(\.not)?\.to\w+\("),
    )
    .unless(r"timed out \d"),
    // Python
    rule(
        "assert-pytest",
        AssertionMismatch,
        &[
            "e   assert", "e       assert", "e         assert", "did not raise", "did not warn",
            "e   assertionerror", "e       assertionerror", "regex pattern did not match",
        ],
        Regex(any!(
            r"^E\s+(\w*AssertionError: (.*\n)?E?\s*)?assert\b(ion failed)?|^E\s+Failed: DID NOT (RAISE|WARN)",
            r"^E\s+(AssertionError: )?\w+ (==|!=) |^(E\s+)?(AssertionError: |Failed: )?Regex pattern did not match",
        )),
    ),
    rule(
        "assert-pytest-summary",
        AssertionMismatch,
        &[" - assert", " - failed: did not raise"],
        Regex(r"^(FAILED|ERROR) \S.* - (AssertionError: )?(assert |Failed: DID NOT RAISE)"),
    ),
    rule(
        "assert-python-values",
        AssertionMismatch,
        &["assertionerror: "],
        Regex(
            r"AssertionError: (.* (!=|==|not found in|does not match|unexpectedly found in|is not|is not an instance of|not (less|greater) than|not raised|not equal|unexpectedly (None|identical)|not triggered|is not (true|false|None))( |$|\n|:|\b)|(lists|dicts|sets|tuples|sequences|items|element counts?) (differ|in|were|not)|regex didn't match|\S+ not raised|(True|False|None) is not|unexpectedly (None|identical)|arrays? are not|not equal to tolerance|dataframe|series are different|no exception raised|expected .+(got|but|found|actual)|\d+ != )",
        ),
    )
    .unless(UNEXPECTED_ERROR),
    rule(
        "assert-python-statement",
        AssertionMismatch,
        &["assertionerror"],
        Regex(r"File .+, line \d+.*\n\s+(self\.)?assert.*\n(\s*[\^~ ]+\n)?AssertionError\b"),
    )
    .match_nearby_lines()
    .unless(UNEXPECTED_ERROR),
    // Java, Kotlin, Scala, Groovy
    rule(
        "assert-but-was",
        AssertionMismatch,
        &["but was", "comparisonfailure", "arraycomparisonfailure", "expected: <", "expected:<"],
        Regex(any!(
            r"\bexpected: ?<?(?s:.*?)\bbut was: ?<?|\b(Array)?ComparisonFailure\b|^\s*but: was ",
            r"\bexpected: .*but was",
        )),
    )
    .unless(r"unexpected exception type thrown.*\b\w*(Connect|Timeout|Socket|UnknownHost)\w*Exception")
    .match_nearby_lines(),
    rule(
        "assert-hamcrest",
        AssertionMismatch,
        &["     but: ", "    but: ", "but: was"],
        Regex(r"expected: (?s:.*?)^\s+but: "),
    )
    .match_nearby_lines(),
    rule(
        "assert-assertj",
        AssertionMismatch,
        &[
            "expecting actual", "expecting value to", "expecting empty but was", "expecting:",
            "expecting code to raise", "to be equal to:", "but could not find", "expecting message",
            "expecting a throwable", "expecting throwable message", "expecting array", "expecting optional", "expecting file",
            "expecting string", "multiple failures (",
        ],
        Regex(any!(
            r"\bexpecting (actual|value to|empty|code to raise|(throwable )?message|a throwable|an? |optional|all|any|none|map|array|path|file|string|elements?)\b",
            r"^\s*expecting:?\s*$|to be equal to:|but could not find|multiple failures \(\d+|^\s*expecting:\s",
        )),
    )
    .unless(r"not to raise"),
    rule(
        "assert-nothing-thrown",
        AssertionMismatch,
        &["to be thrown, but nothing was thrown", "expected exception: ", "expected test to throw"],
        Literal,
    ),
    rule(
        "assert-jvm-words",
        AssertionMismatch,
        &[
            " did not equal ", " was not equal to ", " did not contain ", " was not instance of ", " equaled ",
            "testfailedexception", " did not include", "condition not satisfied", "kotest", "should be <",
            "should contain",
        ],
        Regex(any!(
            r" (did not (equal|contain|include|have|match)|was not (equal to|instance of|empty|true|false|greater|less)|equaled) ",
            r"\bTestFailedException\b|condition not satisfied:|expected:<.*> but was:<",
            r"\bshould (be|contain|have)\b.*but (was|got)",
        )),
    ),
    rule(
        "assert-rest-assured",
        AssertionMismatch,
        &[
            "expectation failed.", "expectations failed.", "status expected:<", "response status expected",
            "range for response status value",
        ],
        Literal,
    ),
    rule("assert-karate", AssertionMismatch, &["status code was: "], Regex(r"status code was: \d{3}, expected: \d{3}")),
    // Go
    rule(
        "assert-testify",
        AssertionMismatch,
        &["error:  ", "error:\t", "\terror:"],
        Regex(
            r"^\s*error:\s+(not equal|should |an error is expected but got nil|target error should|error message not equal|elements differ|lists? |\x22|\S.* (does not (contain|match|include)|is not (less|greater|equal|in)|should )|expect(ed)? |object(s)? |expected|values? |func \S* should|max difference|both |not within|received unexpected|\[|map\[|unable to find|length|condition failed|different |relative error|exp|inputs|json|target|no such)",
        ),
    )
    .unless(any!(
        r"received unexpected error|condition never satisfied|unable to|no such host|no such file",
        r"expected (one|token|identifier)|error:\s+(json: cannot|\x22\S+\x22: )",
    )),
    rule(
        "assert-go-got-want",
        AssertionMismatch,
        &[
            ", expected ", "; expected ", " want ", "want: ", "; want", ", want", "wanted ", "expected: ",
            "mismatch (-want", "mismatch (-got", "(-want +got)", "(-got +want)", "got: ", "got = ",
        ],
        Regex(any!(
            r"\bgot(:|=| =|\b).*\b(want(ed)?|expected)\b|\b(want(ed)?|expected)(:|=| =|\b).*\b(got|actual)\b",
            r"\(-(want|got|expected|actual) ?,? ?\+(got|want|actual|expected)\)|\) = .+[,;] want(ed)?:? |\bwant \x22.*\x22, have \x22",
        )),
    )
    // Excludes rejected options and types, unexpected errors, and what a compiler or parser expected.
    .unless(concat!(
        r"invalid value for|\boption\b|wantErr|error = |\berr(or)?(:| =)|want (nil|no error)|(expected|want(ed)?) no |unexpected error|",
        r"\b(TypeError|ValueError|SyntaxError|ParseError|RuntimeError|KeyError|IndexError|AttributeError|ArgumentError)\b|\berror TS\d{4}|error\[E|invalid type|expected (one of|`|'[^\w\s]'|\x22[^\w\s]\x22|identifier|token|expression|type|\d+ arg)|too (many|few) arguments|wrong number|\bat '/[^']*': got",
    )),
    // A comparison of two error texts, whose words must not decide.
    rule(
        "assert-go-error-text",
        AssertionMismatch,
        &["expected error \"", "wrong error", "error message ", "want error \""],
        Regex(r"(expected|want(ed)?|wrong) error(:| message)? [\x22'\x60].+[\x22'\x60],? (but )?(got|was|received):? [\x22'\x60]"),
    ),
    rule(
        "assert-gomega",
        AssertionMismatch,
        &[
            "to equal", "to be true", "to be false", "to contain element", "to have length", "to match error",
            "to be empty", "to have occurred", "to succeed", "to be numerically", "to be nil",
            "to contain substring", "not to be",
        ],
        Regex(
            r"^\s*(\[FAILED\] )?expected\s*\n(?s:.+?)^\s*(not )?to (equal|be (true|false|empty|nil|numerically|equivalent|identical)|contain|have (len|key|element|prefix|suffix)|match|consist|satisfy)",
        ),
    )
    .match_nearby_lines()
    .unless(r"not to have occurred|\bto succeed\b"),
    // Rust
    rule(
        "assert-rust",
        AssertionMismatch,
        &["assertion `left", "assertion failed: ", "assertion `", "left == right"],
        Regex(any!(
            r"assertion `?(left|.+) (==|!=|matches) .+`? failed|assertion failed: ",
            r"assertion `?\(?left (==|!=) right\)?`? failed|assertion `.+` failed",
        )),
    )
    .unless(r"assertion failed: .*\.is_(ok|err)\(\).*(refused|timed out)"),
    rule("assert-rust-snapshot", AssertionMismatch, &["snapshot assertion for"], Literal),
    rule(
        "assert-rust-should-panic",
        AssertionMismatch,
        &["test did not panic as expected", "panic did not contain expected string"],
        Literal,
    ),
    // .NET
    rule(
        "assert-dotnet",
        AssertionMismatch,
        &["assert."],
        Regex(r"\bassert\.\w+(<.+>)?(\(\))?( failure| failed|: values|\.)"),
    )
    .unless(r"unexpected exception"),
    rule(
        "assert-nunit",
        AssertionMismatch,
        &["but was:", "expected: "],
        Regex(r"^\s*expected( string length \d+ but was \d+|:).*\n(?s:.*?)^\s*but was:"),
    )
    .required_literals(&["but was:"])
    .match_nearby_lines()
    .unless(r"expected: no exception"),
    rule(
        "assert-expected-but",
        AssertionMismatch,
        &[
            "but found", "because", "but got", "but it was", "but was", "differs near", "should be",
            "shouldassertexception", "assertfailedexception",
        ],
        Regex(any!(
            r"\bexpected .+ to (be|have|contain|match|start|end|equal|include|not|return|satisfy|throw).*\b(but|found|differs)\b",
            r"ShouldAssertException|ShouldlyException|AssertFailedException: ",
            r"\bexpected .+, but (found|got|it was|was|received|actual)\b",
        )),
    )
    .unless(concat!(
        r"\bconfig|\.toml\b|\.ya?ml\b|\bmanifest\b|\bschema\b|invalid type|",
        r"\bno (exception|error)\b|unexpected error|not to throw|to not throw|rejected|success|got an? error|got error",
    )),
    rule(
        "assert-dotnet-exceptions",
        AssertionMismatch,
        &[
            "notequalexception", "equalexception", "xunit.sdk.", "assertactualexpectedexception",
            "nunit.framework.assertionexception", "trueexception", "should.core.exceptions",
            "nunit.framework.multipleassertexception",
        ],
        Regex(any!(
            r"Xunit\.Sdk\.\w+Exception|Should\.Core\.Exceptions\.\w+|NUnit\.Framework\.\w*Assert\w*Exception",
            r"\b(Not)?EqualException\b|AssertActualExpectedException|\bTrueException\b",
        )),
    ),
    // Ruby
    rule(
        "assert-expected-got-lines",
        AssertionMismatch,
        &[
            "expected: ", "     got: ", "     got ", "expected #", "expected `", "but nothing was raised",
            "to include", "to match", "to be ", "expected collection contained",
        ],
        Regex(any!(
            r"^\s*expected:? .*\n\s+got:? |^\s*expected collection contained: ",
            r"\bexpected .+(but nothing was raised|but did not|to (have changed|respond|include|match|eq|eql|be |start|end|return|raise|change)|got )",
        )),
    )
    .match_nearby_lines()
    .unless(concat!(
        r"expected no exception|not to raise|no exception|rejected instead|\b(TypeError|ValueError|SyntaxError|ParseError|ArgumentError)\b|received unexpected|error TS|expected (one of|`|;)|syntax error|unwanted (exception|rejection)|invalid type|",
        r"not\.tothrow|unexpected error|not to throw|rejected with|got unwanted|to not throw|to resolve|wantErr|to be (fulfilled|resolved)|not to have occurred|to succeed|expected (str|string|int|integer|token|u\d+|i\d+|bool|boolean)\b",
    )),
    rule(
        "assert-not-raised",
        AssertionMismatch,
        &["but nothing was raised", "but it was not raised", "to find "],
        Regex(any!(
            r"expected .+ but nothing was raised|expected to find '.+' but (got|was)",
            r"expected (not )?to find (visible |exactly \d+ )?(text|css|xpath|link|button|field|select box|table|element)\b.* (in \x22|but|with)",
        )),
    ),
    rule(
        "assert-expected-actual",
        AssertionMismatch,
        &[
            "minitest::assertion", "  actual: ", "test::unit::assertionfailederror", "expected but was",
            "nothing was raised", "exception expected, not",
        ],
        Regex(any!(
            r"Minitest::Assertion\b|^\s*expected: .*\n\s+actual: |Test::Unit::AssertionFailedError",
            r"> expected but was|exception expected but nothing was raised|expected but nothing was raised",
            r"^\[\S+\] exception expected, not\b",
        )),
    )
    .match_nearby_lines()
    .unless(r"expected: no exception|unexpected exception"),
    // PHP, Swift, C++, Dart, Elixir, Perl, shell, others
    rule("assert-phpunit", AssertionMismatch, &["failed asserting that"], Literal),
    rule(
        "assert-xctest",
        AssertionMismatch,
        &["xctassert", "xctfail", "expectation failed: "],
        Regex(r"\bXCTAssert\w* failed|\bXCTFail\b|\bexpectation failed: \S"),
    )
    .unless(r"XCTAssertNoThrow"),
    rule(
        "assert-gtest",
        AssertionMismatch,
        &[
            "expected equality of these values", "value of: ", "which is: ", "expected: (", "  actual: ",
            "the difference between",
        ],
        Regex(any!(
            r"expected equality of these values|value of: .*\n\s*(actual|expected): |^\s*which is: ",
            r"expected: \(.+\) (==|!=|<|>|<=|>=) \(|^\s*(\x22)?expected:? .*\n\s*actual:? ",
            r"the difference between .+ is .+, which exceeds",
        )),
    )
    .match_nearby_lines(),
    rule(
        "assert-check",
        AssertionMismatch,
        &["require( ", "check( ", "require_", "with expansion:", "is not correct!", " has failed", "deepequal failed"],
        Regex(any!(
            r"^\s*(REQUIRE|CHECK)\w*\( .*\)|with expansion:|is not correct!|: check .+ has failed|DeepEqual failed|(REQUIRE|CHECK)\w*\(.*\) failed",
        )),
    ),
    rule(
        "assert-exunit",
        AssertionMismatch,
        &[
            "assertion with ", "match (=) failed", "expected truthy, got", "expected false or nil, got",
            "expected exception", "expected response with status", "expected redirection with status",
        ],
        Regex(any!(
            r"assertion with (==|!=|===|=~|<|>|in|<=|>=) failed|match \(=\) failed|expected truthy, got",
            r"expected false or nil, got|expected exception .+ but|expected (response|redirection) with status \d+, got",
        )),
    ),
    rule(
        "assert-expected-lines",
        AssertionMismatch,
        &["operator: ", "expected: ", "#     expected", "wanted:", "found:"],
        Regex(any!(
            r"^\s*#\s+(got|expected): .*",
            r"^\s*operator: (equal|deepEqual|notEqual|ok|same|strictEqual|deepStrictEqual|match|throws|looseEqual|notOk)\b",
            r"^\s*\+?(found|actual): .*\n\s*-?(wanted|expected): ",
            r"^\s*(expected|wanted): .*\n\s*(actual|found|received|got): ",
        )),
    )
    .match_nearby_lines()
    .unless(UNEXPECTED_ERROR),
    rule(
        "assert-difference",
        AssertionMismatch,
        &["difference"],
        Regex(r"^\s*difference( \(.*\))?:\s*\n(\s*\n)?\s*[-+] .*\n(?s:.*?)^\s*[-+] "),
    )
    .match_nearby_lines(),
    rule(
        "assert-expected-block",
        AssertionMismatch,
        &["expected:\n", "got:\n", "expected:\r\n"],
        Regex(r"^\s*expected:\s*\n(?s:.*?)^\s*(got|actual|received|but was|but got):"),
    )
    .match_nearby_lines()
    .unless(r"(expected|want):\s*\n\s*(nil|no error)"),
    rule(
        "assert-expected-got",
        AssertionMismatch,
        &[
            "but got", "but was", "but received", "but found", "but actual", ", got", "; got", ", received",
            "instead got", "but returned", "actual: ", "actual value", "but actually", "but had",
            "but instead", " were made", " were found", " were called",
        ],
        Regex(
            r"\b(expect(ed|ing|s)?|wanted|should (be|have|equal|return|contain))\b.*(\bbut (got|was|received|found|actual\w*|returned|had|instead|is|it was|\d+ (was|were))\b|(, |; | )(got|received|actual|instead got)\b|\bactual( value)?:)",
        ),
    )
    // Excludes unexpected errors, and what a parser, a compiler or a schema expected. Also excludes settings, for
    // example `PORT_API: expected number, got string` and pre-commit's `=====> Expected array but got NoneType`.
    .unless(concat!(
        r"\b(no|nil|without|any) (an )?(exception|error|err)\b|unexpected (error|exception)|rejected|to resolve|to throw|to (not )?throw|wantErr|got error|",
        r"\b(Type|Value|Syntax|Parse|Index|Key|Attribute|Name|Runtime|Reference|Range|Argument|Lookup|Unicode\w*|JSONDecode|Json\w*|Yaml\w*|Toml\w*|XML\w*|Scanner|Validation|Decode|Encode|Format|Import|Zod|ESLint|Schema|Config\w*)(Error|Exception)\b|\b(?:Illegal\w+|\w+(Parse|Format|Mapping|Input|Argument|State|Operation|Type|Cast|Token|Syntax|Mismatch))Exception\b|\bTS\d{4}\b|error\[E|expected (one of|`|;|\)|'[^\w\s]'|\x22[^\w\s]\x22|identifier|token|expression|closing|end of|EOF|\d+ (arg|positional|field|column|dimension|byte)|version|format)|invalid type|mismatched types|found EOF|\bfound `|were? given|config|^\W*(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\W?: expected|^=+> |schema|property|option|field|\bkey\b|yaml|json|toml|checksum|integrity|sha\d+|unconvertible",
    )),
];
