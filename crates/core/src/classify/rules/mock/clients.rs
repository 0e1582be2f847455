//! Rules for complaints of libraries that mock HTTP servers, databases and other services. Mocks of objects and
//! functions are in `objects`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::MockMismatch,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    rule(
        "mock-nock",
        MockMismatch,
        &[
            "nock: no match",
            "nock: disallowed net connect",
            "err_nock_no_match",
            "mocks not yet satisfied",
            "pendinginterceptorserror",
        ],
        Literal,
    ),
    rule(
        "mock-msw",
        MockMismatch,
        &[
            "intercepted a request without a matching request handler",
            "captured a request without a matching request handler",
            "cannot bypass a request when using the \"error\" strategy",
        ],
        Literal,
    ),
    rule(
        "mock-fetch-fakes",
        MockMismatch,
        &[
            "no fallback response defined for",
            "could not find mock for",
            "mock dispatch not matched",
            "mocknotmatchederror",
            "unmatched get to http",
            "unmatched post to http",
            "no more mocked responses for the query",
            "but there was no route defined to handle this request",
            "without a matching fake",
            "polly] [adapter:",
            "no matching mock handler",
            "no mock response was found",
            "no stub found for request",
            "hoverfly error!",
            "an expected request was not recorded",
        ],
        Literal,
    ),
    rule(
        "mock-angular-http",
        MockMismatch,
        &["matching request for criteria", "expected no open requests"],
        Regex(r"expected (one|no) (matching|open) requests?\b"),
    ),
    rule(
        "mock-python-http",
        MockMismatch,
        &[
            // These rules come before `connection_refused` because the library reports a refused connection.
            "connection refused by responses",
            "doesn't match any registered mock",
            "not all requests have been executed",
            "nomockaddress",
            "no mock address:",
            "unmockederror",
            "no mocking was registered",
            "allmockedassertionerror",
            "no response can be found for",
            "the following requests were not expected",
            "the following responses are mocked but not requested",
            "responses are mocked but not requested",
            "cannotoverwriteexistingrequestexception",
            "can't overwrite existing cassette",
            "unstubbedresponseerror",
            "stubresponseerror",
            "stubassertionerror",
            "no handler found for this request",
        ],
        Literal,
    ),
    rule("mock-respx", MockMismatch, &["respx:"], Regex(r"\brespx: .*\b(not mocked|not called|some routes)")),
    // aioresponses raises ClientConnectionError('Connection refused: GET http://...'). A real socket error never
    // contains the HTTP method.
    rule(
        "mock-aioresponses",
        MockMismatch,
        &["connection refused: "],
        Regex(r"connection refused: (get|post|put|patch|delete|head|options) https?://"),
    ),
    rule(
        "mock-ruby-http",
        MockMismatch,
        &[
            "real http connections are disabled",
            "netconnectnotallowederror",
            "that vcr does not know how to handle",
            "unhandledhttprequesterror",
            "no stubbed request for get",
            "no stubbed request for post",
        ],
        Literal,
    ),
    rule(
        "mock-webmock-count",
        MockMismatch,
        &["expected to execute"],
        Regex(r"was expected to execute (\d+ times?|once|twice) but it executed"),
    ),
    rule(
        "mock-wiremock",
        MockMismatch,
        &[
            "request was not matched",
            "no requests exactly matching",
            "requests matching the following pattern but received",
            "request did not match any stub",
            "no response could be served as there are no stub mappings",
            "most similar expectation",
        ],
        Literal,
    ),
    rule(
        "mock-wiremock-verify",
        MockMismatch,
        &["verificationexception"],
        Regex(r"\b(wiremock|client)\.VerificationException"),
    ),
    rule(
        "mock-wiremock-count",
        MockMismatch,
        &["requests matching"],
        Regex(r"expected (exactly|at least|at most|more than|less than|fewer than) \d+ requests? matching"),
    ),
    rule(
        "mock-server",
        MockMismatch,
        &["request not found "],
        Regex(r"request not found (at least|exactly|at most|between) .*(times?|once)"),
    ),
    rule(
        "mock-spring-rest",
        MockMismatch,
        &["no further requests expected", "further request(s) expected", "request uri expected:<"],
        Literal,
    ),
    rule(
        "mock-go-http",
        MockMismatch,
        &["no responder found", "gock: cannot match any request", "unregistered endpoint called"],
        Literal,
    ),
    rule(
        "mock-go-sql",
        MockMismatch,
        &[
            "all expectations were already fulfilled",
            "there is a remaining expectation which was not matched",
            "was not expected, next expectation is",
            "could not match actual sql",
        ],
        Literal,
    ),
    rule("mock-go-sql-call", MockMismatch, &["was not expected"], Regex(r"\bcall to (\w+ )?.*was not expected")),
    rule(
        "mock-rust-http",
        MockMismatch,
        &[
            "verifications failed",
            "request(s) to:",
            "of matching incoming requests",
            "mock server(s) matched",
            "no request has been received by the mock server",
            "number of matched requests does not equal",
        ],
        Regex(any!(
            r"verifications failed|expected \d+ request\(s\) to:|of matching incoming requests",
            r"matched requests|by the mock server",
        )),
    )
    // The plural heading distinguishes this from jarsigner and code signing, which report single failed verifications.
    .unless(r"signature verifications failed"),
    rule("mock-guzzle", MockMismatch, &["mock queue is empty"], Literal),
    rule(
        "mock-pact",
        MockMismatch,
        &[
            "missing requests:",
            "unexpected requests:",
            "pactverificationfailed",
            "actual interactions do not match expected interactions",
        ],
        Literal,
    ),
    rule("mock-playwright-har", MockMismatch, &["was not found in the har"], Literal),
    rule("mock-grpc", MockMismatch, &["no mock found for method", "unmocked method"], Word),
];
