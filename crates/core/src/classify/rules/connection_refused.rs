//! Rules for refused connections, where no process listens on the port. Other network errors are in `network`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::ConnectionRefused,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "refused-code",
        ConnectionRefused,
        &[
            "econnrefused",
            "err_connection_refused",
            "ns_error_connection_refused",
            "wsaeconnrefused",
            "connectionrefusederror",
            "connectionrefused",
        ],
        Word,
    )
    // Excludes a test method whose name contains the word: `CartTest.connectionRefusedIsReported:12`.
    .unless(r"\.\w*connectionrefused\w*:\d"),
    rule("refused-words", ConnectionRefused, &["connection refused"], Literal),
    rule("refused-windows", ConnectionRefused, &["actively refused", "os error 10061", "winerror 10061"], Literal),
    rule("refused-errno", ConnectionRefused, &["errno 111", "errno 61", "os error 111", "os error 61"], Word),
    rule(
        "refused-address",
        ConnectionRefused,
        &[" refused"],
        Regex(any!(
            r"\bconnections? (to|from) .+\b(was |were |is |are )?refused\b",
            r"\b(tcp |dial\w* |could not connect|cannot connect|unable to connect|failed to connect|connect(ion)? (failed|error)).*\brefused\b",
            r"\brefused to connect\b|\brefused (the |our )?(network |tcp )?connection\b",
        )),
    )
    // Excludes a test that expected the refused connection.
    .unless(r"should (have|be) refuse"),
    rule(
        "refused-to-connect",
        ConnectionRefused,
        &["refused to connect", "refused the connection", "refused our connection"],
        Literal,
    )
    // A browser's content policy refuses a connection without trying it.
    .unless(r"content security policy|violates|should (have|be) refuse"),
    rule(
        "refused-java",
        ConnectionRefused,
        &["failed to connect to", "httphostconnectexception"],
        Regex(any!(
            r"\b(ConnectException|HttpHostConnectException|ConnectionException): failed to connect to",
            r"\bHttpHostConnectException: connect to .* failed",
        )),
    )
    .unless(r"timed? ?out|after \d+ ?ms|no route|unreachable|reset"),
    rule("refused-asyncio", ConnectionRefused, &["connect call failed"], Literal),
    rule(
        "refused-mysql",
        ConnectionRefused,
        &["can't connect to mysql server", "can't connect to local mysql server", "can't connect to server on"],
        Regex(any!(
            r"can't connect to (mysql )?server on .*\((111|61|10061)\b",
            r"can't connect to local (mysql )?server through",
        )),
    ),
    rule(
        "refused-postgres",
        ConnectionRefused,
        &[
            "is the server running on",
            "is the server running locally",
            "is the postmaster accepting",
            "accepting tcp/ip connections",
        ],
        Literal,
    ),
    rule(
        "refused-docker",
        ConnectionRefused,
        &["cannot connect to the docker daemon", "is the docker daemon running", "can't connect to docker daemon"],
        Literal,
    ),
    rule(
        "refused-tools",
        ConnectionRefused,
        &[
            "curl: (7)",
            "ora-12541",
            "nsurlerrordomain",
            "can't reach database server",
            "all connection attempts failed",
            "broker may not be available",
            "curl error 7:",
            "connect to server",
            "neterror?e=connectionfailure",
        ],
        Regex(any!(
            r"curl: \(7\)|\bORA-12541\b|NSURLErrorDomain.*Code=-1004\b|\ball connection attempts failed",
            r"can't reach database server at|could not be established\. broker may not be available",
            // curl prints this for every failed connection. Only a refused connection fails within milliseconds.
            r"curl error 7:|after \d{1,4} ms: could(n.t| not) connect to server|neterror\?e=connectionfailure",
        )),
    )
    .unless(r"timed? ?out|no route|unreachable"),
    rule(
        "refused-no-listener",
        ConnectionRefused,
        &["nothing is listening on", "no process is listening", "target machine refused"],
        Literal,
    ),
];
