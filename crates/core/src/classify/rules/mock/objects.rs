//! Rules for complaints of libraries that mock objects and functions: calls that are missing, unexpected, or have other
//! arguments. Mocked services are in `clients`.

use crate::{
    classify::rule::{
        AcceptedLines,
        Matcher::{Literal, Regex},
        Rule, any, rule,
    },
    failure::category::Category::MockMismatch,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    // Jest and Vitest matchers that exist only for mock functions.
    rule(
        "mock-expect-called",
        MockMismatch,
        &[
            ".tohavebeencalled", ".tohavebeenlastcalled", ".tohavebeennthcalled", ".tobecalled",
            ".lastcalledwith", ".nthcalledwith", ".tohavereturned", ".toreturn", ".tohavelastreturned",
            ".tohaventhreturned",
        ],
        Regex(
            r"expect\(.*?\)(\.not)?\.(tohavebeen(last|nth)?called\w*|tobecalled\w*|(last|nth)calledwith|tohave(last|nth)?returned\w*|toreturn\w*)\(",
        ),
    ),
    rule(
        "mock-call-counts",
        MockMismatch,
        &["expected number of calls:", "received number of calls:", "number of calls: "],
        Regex(r"^\s*((expected|received) )?number of calls:\s*(>= )?\d"),
    ),
    rule(
        "mock-spy-called",
        MockMismatch,
        &[
            "to be called", "to have been called", "to not be called", "to have returned",
            "to be successfully called", "to have been last called", "to have been nth called",
        ],
        Regex(
            r#"expected ["'`]?.+?["'`]? (to not|not to|to) (be|have been) (successfully )?(last |nth |\d+(st|nd|rd|th) )?(called|returned)\b"#,
        ),
    )
    // unittest.mock uses similar words, followed by the number of calls.
    .unless(r"assertions? to be called|called (once)?\. called \d+ times?|been called \w+\. called \d+|been (called|awaited)\. "),
    rule(
        "mock-sinon",
        MockMismatch,
        &[
            "but was called", "but it was never called", "expectationerror: ", "unexpected call: ",
            "but was never called", "to have been called with", "already called",
        ],
        Regex(any!(
            r"expected .+ (to be|to have been|to not have been|not to have been|to always have been) called\b",
            r"\bExpectationError: |^\s*(\w*Error: )?Unexpected call: ",
            r"expected to be called .*but was (never )?called",
        )),
    ),
    rule(
        "mock-jasmine-spy",
        MockMismatch,
        &["expected spy "],
        Regex(any!(
            r"^\s*(\w*Error: |- |message: )?\W{0,3}Expected spy [\w.$ ]+ (not )?to have been called",
            r"Expected a spy, but got",
        )),
    ),
    rule(
        "mock-node-test",
        MockMismatch,
        &["mock.fn", "mock.method"],
        Regex(r"expected .*\bmock\.(fn|method)\b.*called"),
    ),
    rule(
        "mock-testdouble",
        MockMismatch,
        &["unsatisfied verification on test double", "verification failed: ", "tdverify"],
        Regex(any!(
            r"unsatisfied verification on test double|verification failed: call \d+ of \d+",
            r"verification failed: (fewer|number of|calls are not|some calls were not|all calls)",
        )),
    ),
    rule(
        "mock-ts-mockito",
        MockMismatch,
        &["function to be called", "time(s). but has been called"],
        Regex(r"expected .+ to be called .*but has been called"),
    ),
    // unittest.mock
    rule(
        "mock-unittest",
        MockMismatch,
        &[
            "to not have been called", "to not have been awaited", "to have been called", "to be called once",
            "to have been awaited", "expected call not found", "calls not found.", "expected call:",
            "mock.asser", "call not found", "not called.", "expected await", "mock to have been ",
            "mock object has no attribute", "cannot spec a mock object",
        ],
        Regex(any!(
            r"expected ['\x22][\w.]+['\x22] to (not )?have been (called|awaited)",
            r"expected ['\x22][\w.]+['\x22] to be called once|expected (call|await) not found",
            r"\bcalls not found\.|\bcall not found$|^(E\s+)?(AssertionError: )?expected call: \w+\(",
            r"expected (mock|\w+) to (not )?have been (called|awaited)|\bMock object has no attribute|cannot spec a mock object",
            r"AssertionError: Not called\.?$|'[\w.]+' does not contain all of .*in its call list",
        )),
    ),
    // The list in `side_effect` has no more values.
    rule(
        "mock-unittest-side-effect",
        MockMismatch,
        &["_execute_mock_call"],
        Regex(r"_execute_mock_call(?s:.*?)Stop(Async)?Iteration"),
    )
    .match_nearby_lines()
    .accepted_lines(AcceptedLines::All),
    rule(
        "mock-vitest-export",
        MockMismatch,
        &["export is defined on the"],
        Regex(r"no \W\w+\W export is defined on the \S+ mock"),
    ),
    rule(
        "mock-laravel-fakes",
        MockMismatch,
        &["the expected [", "the unexpected ["],
        Regex(r"the (un)?expected \[[\w\\]+\] (mailable|job|event|notification|listener|command|closure|queued \w+) was (not )?(sent|queued|pushed|dispatched|called|run)"),
    ),
    // Wording about mocks that any library may use.
    rule(
        "mock-words",
        MockMismatch,
        &["mock", "stub", "expectation", "canned", " was called ", " was invoked "],
        Regex(any!(
            r"\b(unfulfilled|unsatisfied|unmet|unmatched|unexpected|unused|remaining) (mock |stub )?(expectations?|mocks?|stubs?|stubbings?)\b",
            r"\b(cannot|could not|does not|did not|unable to|failed to) match any (mock|stub)|\bno (mock|stub|interceptor|handler)s? (matched|matches|found for) the (following )?request|\bno (matching )?(mock|stub|canned|fake)(ed|bed)? (response|handler|answer|route|request|reply|implementation|return value|call)s?\b",
            r"\b(mock|stub)(ed|bed)? (response|handler|answer|route|request|reply|call|implementation)s? .*(not found|not (configured|defined|registered|set up|matched|called|consumed|expected)|never called|was not called)",
            r"\b(mock|stub|spy)\b.*\b(was |has been |been )?(not (been )?(called|invoked|expected|stubbed|configured)|never (called|invoked)|called too (many|few)|unexpected(ly)? (called|call|invocation|invoked|request)|received an? unexpected)\b",
            r"\bMock\w*: no (handler|response|route|stub|match)|\bexpected mock call count\b",
            r"\bunexpected (call|invocation|request|method call)\b.*\b(mock|stub|spy|double)\b",
            r"\bunmocked \w+|\bno canned \w+|\bmock\b.* to (receive|be called|be invoked)\b.*\bbut\b",
            r"\b\w+\.\w+ was (called|invoked) \d+ times?,? (but )?(expected|should)",
        )),
    )
    // Excludes a module or a server with mock in its name, for example `Cannot find module 'axios-mock'` or a mock
    // server that refused a connection.
    .unless(any!(
        r"cannot find|not found:|no module|undefined|is not (a function|defined)|refused|reset|timed? ?out|status code|error TS|error\[E|cannot import",
    )),
    rule(
        "mock-flexmock",
        MockMismatch,
        &["flexmock.", "methodcallerror", "methodsignatureerror"],
        Regex(any!(
            r"\b(MethodCallError|MethodSignatureError|MockBuilderError)\b|flexmock\.\w*(Error|exceptions)",
        )),
    ),
    // Mockito
    rule(
        "mock-mockito",
        MockMismatch,
        &[
            "wanted but not invoked", "wantedbutnotinvoked",
            "actually, there were zero interactions with this mock", "argument(s) are different! wanted",
            "argumentsaredifferent", "verification in order failure", "verificationinorderfailure",
            "no interactions wanted here", "nointeractionswanted", "never wanted here",
            "neverwantedbutinvoked", "toomanyactualinvocations", "toofewactualinvocations",
            "toolittleactualinvocations", "strict stubbing argument mismatch", "potentialstubbingproblem",
            "unnecessary stubbings detected", "unnecessarystubbingexception", "unfinishedstubbingexception",
            "unfinished stubbing detected", "unfinishedverificationexception",
            "missingmethodinvocationexception", "notamockexception", "invaliduseofmatchersexception",
            "misplaced or misused argument matcher", "wrongtypeofreturnvalue", "cannotstubvoidmethod",
        ],
        Literal,
    ),
    rule(
        "mock-mockito-count",
        MockMismatch,
        &["wanted "],
        Regex(r"^\s*(\S+: )?wanted (at (least|most) )?\d+ times?\b"),
    ),
    rule(
        "mock-mockito-exception",
        MockMismatch,
        &["org.mockito.exceptions."],
        Regex(r"\borg\.mockito\.exceptions\.(misusing|verification)\.\w+"),
    ),
    rule("mock-easymock", MockMismatch, &["unexpected method call", "expectation failure on verify"], Literal),
    rule(
        "mock-jmockit",
        MockMismatch,
        &[
            "invocation to:", "invocations to:", "unexpected invocation", "missinginvocation",
            "unexpectedinvocation",
        ],
        Regex(any!(
            r"\b(missing|unexpected) \d+ invocations?\b|\b(missing|unexpected) invocations? (to|of)\b",
            r"mockit\.internal\.|^\s*(\S+: )?unexpected invocation",
        )),
    ),
    rule(
        "mock-mockk",
        MockMismatch,
        &[
            "no answer found for", "no answer provided for", "mockkexception", "was not called",
            "were not called",
        ],
        Regex(any!(
            r"\bno answer (found|provided) for\b|\bmockk\.MockKException|Verification failed: .*not called",
            r"\bcalls? \d+ of \d+: .* was not called",
        )),
    ),
    rule(
        "mock-spock",
        MockMismatch,
        &[
            "too few invocations for", "too many invocations for", "toofewinvocationserror",
            "toomanyinvocationserror",
        ],
        Literal,
    ),
    rule(
        "mock-scalamock",
        MockMismatch,
        &["unexpected call: ", "unsatisfied expectation"],
        Regex(r"unsatisfied expectation|Unexpected call: .*\("),
    ),
    // Go
    rule(
        "mock-gomock",
        MockMismatch,
        &[
            "missing call(s) to", "aborting test due to missing call", "unexpected call to",
            "has already been called the max number of times", "doesn't match the argument at index",
        ],
        Regex(any!(
            r"missing call\(s\) to|aborting test due to missing call|unexpected call to .+(because|\(\[)",
            r"has already been called the max number of times|doesn't match the argument at index",
        )),
    ),
    rule(
        "mock-testify",
        MockMismatch,
        &[
            "mock: unexpected method call",
            "i don't know what to return because the method call was unexpected",
            "mock: the method has been called over", "the closest call i have is", "out of",
            "should have called with given arguments", "expected number of calls (",
        ],
        Regex(any!(
            r"mock: (unexpected method call|i don't know what to return|the method has been called over)",
            r"the closest call i have is|FAIL: \d+ out of \d+ expectation\(s\) were met",
            r"should have called with given arguments|expected number of calls \(\d+\) does not match",
        )),
    )
    .required_literals(&[
        "mock: unexpected method call", "mock: i don't know what to return",
        "mock: the method has been called over", "the closest call i have is", "expectation(s) were met",
        "should have called with given arguments", "expected number of calls (",
    ]),
    rule(
        "mock-moq-go",
        MockMismatch,
        &["func: method is nil"],
        Regex(r"\w+mock\.\w+func: method is nil but .* was just called"),
    ),
    rule("mock-go-minimock", MockMismatch, &["expected call to"], Regex(r"expected call to \w*mock\.\w+")),
    // Rust
    rule(
        "mock-mockall",
        MockMismatch,
        &[
            "no matching expectation found", "which is fewer than expected", "which is more than the expected",
            "called fewer times than", "mockall:",
        ],
        Regex(any!(
            r"no matching expectation found|called \d+ time\(s\) which is (fewer|more) than( the)? expected",
            r"no expectation .* called|expectation.*called (fewer|more) times",
        )),
    ),
    // .NET
    rule(
        "mock-moq",
        MockMismatch,
        &[
            "moq.mockexception", "expected invocation on the mock",
            "invocation failed with mock behavior strict", "moq.mockverificationexception", "moq.verification",
        ],
        Literal,
    ),
    rule(
        "mock-moq-verify",
        MockMismatch,
        &["this setup was not matched", "mock failed verification", "mock<"],
        Regex(r"this setup was not matched|mock failed verification|\bMock<\w.*(failed verification|: ?$)"),
    ),
    rule(
        "mock-nsubstitute",
        MockMismatch,
        &["receivedcallsexception", "calls matching:", "call matching:", "callsequencenotfoundexception",
            "nsubstitute.exceptions."],
        Regex(any!(
            r"\bReceivedCallsException|expected to receive (exactly |a |no )?.{0,20}calls? matching",
            r"\bCallSequenceNotFoundException|NSubstitute\.Exceptions\.\w+",
        )),
    ),
    rule(
        "mock-fakeiteasy",
        MockMismatch,
        &[
            "assertion failed for the following call", "expected to find it",
            "fakeiteasy.expectationexception",
        ],
        Regex(any!(
            r"assertion failed for the following calls?",
            r"expected to find it .+(times?|once|twice|never|more) .*(but found|but no calls)",
            r"FakeItEasy\.ExpectationException",
        )),
    ),
    rule(
        "mock-rhino",
        MockMismatch,
        &["rhino.mocks.exceptions", "nmock"],
        Regex(r"Rhino\.Mocks\.Exceptions\.\w+|NMock\w*\.\w*Expectation"),
    ),
    // Ruby
    rule(
        "mock-rspec",
        MockMismatch,
        &[
            "received unexpected message", "with unexpected arguments", "received :", "any args)",
            "with arguments:", "to have been received", "to have received", "is not stubbed",
            "double was expected",
        ],
        Regex(any!(
            r"received unexpected message :",
            r"received :\w+[?!=]? (with unexpected arguments|out of order|more times than)",
            r"expected to have received|\((Class|Instance|Object)?Double\b.*\)\.\w+|to have received .+, but",
            r"^\s*expected: (\d+ times?|at (least|most) .{1,10} times?)( with (any )?arguments?.*)?$",
            r"^\s*\(.+\)\.\w+[?!=]?\((any args|no args|\*?\(any args\))\)",
        )),
    ),
    rule(
        "mock-rspec-double",
        MockMismatch,
        &[
            "#<double ", "#<instancedouble", "#<classdouble", "was originally created in one example",
            "does not implement the instance method", "does not implement the class method",
            "does not implement:",
        ],
        Regex(any!(
            r"#<(instance|class|object)?double\b.* (received|was originally)",
            r"was originally created in one example|does not implement( the (instance|class) method)?:? #?\w+",
        )),
    ),
    rule(
        "mock-ruby",
        MockMismatch,
        &[
            "mockexpectationerror", "unexpected invocation: ", "not all expectations were satisfied",
            "unmocked method", "mocked method",
        ],
        Regex(any!(
            r"\bMockExpectationError\b|unexpected invocation: |not all expectations were satisfied",
            r"(un)?mocked method :?\w+",
        )),
    ),
    // PHP
    rule(
        "mock-phpunit",
        MockMismatch,
        &[
            "expectation failed for method name is", "was not expected to be called",
            "method was expected to be called", "is not expected to be called", "invoked time(s)",
        ],
        Regex(any!(
            r"expectation failed for method name is|was not expected to be called",
            r"method was expected to be called .*actually called",
        )),
    ),
    rule(
        "mock-mockery",
        MockMismatch,
        &[
            "nomatchingexpectationexception", "no matching handler found for", "invalidcountexception",
            "should be called", "badmethodcallexception: received",
        ],
        Regex(any!(
            r"NoMatchingExpectationException|no matching handler found for|InvalidCountException",
            r"should be called\s*(at least |at most |exactly )?\d+ times?.{0,20}but",
            r"BadMethodCallException: Received \S+::\w+\(\), but no expectations were specified",
        )),
    )
    .match_nearby_lines(),
    rule(
        "mock-prophecy",
        MockMismatch,
        &[
            "some predictions failed", "unexpected method call on double",
            "no calls have been made that match",
        ],
        Regex(any!(
            r"some predictions failed|unexpected method call on double|no calls have been made that match",
        )),
    ),
    // Swift, C++, Elixir
    rule(
        "mock-gmock",
        MockMismatch,
        &[
            "unexpected mock function call", "actual function call count doesn't match",
            "uninteresting mock function call", "over-saturated",
            "mock function called more times than expected",
        ],
        Regex(any!(
            r"unexpected mock function call|actual function call count doesn't match",
            r"mock function called more times than expected",
        )),
    ),
    rule(
        "mock-elixir-mox",
        MockMismatch,
        &["mox.unexpectedcallerror", "mox.verificationerror", "no expectation defined for"],
        Regex(r"Mox\.(UnexpectedCallError|VerificationError)|no expectation defined for \S+/\d+"),
    ),
];
