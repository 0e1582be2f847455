//! Rules for exceeded time limits: first of test runners, then of networks, databases, jobs and functions. The HTTP
//! statuses 408 and 504 are in `http`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::Timeout,
};

/// Texts that contain `timeout` but report no exceeded time limit: the HTTP status of a gateway, or an option or
/// function with this word in its name.
const NOT_AN_EXCEEDED_LIMIT: &str = concat!(
    r"\b(504|408)\b.*time-?\s?out|time-?\s?out.{0,20}\b(504|408)\b",
    r"|upstream request timeout|\bNoSuch(Method|Field)Error|NoClassDefFoundError|ClassNotFoundException|\b(invalid|unknown|unexpected|unrecognized|unsupported|missing) .*time-?out",
    r"|time-?out.*\b(is not a function|is not defined|must be|should be|is undefined|is not valid|not recognized|has no attribute)",
    r"|cannot be cast|\bshould (have )?timed?[ -]?out|did not raise|not raised|to raise|was not thrown|to throw|exception expected, not|cannot import name|no module named|cannot find symbol|unresolved (reference|import)",
);

/// These rules come before comparisons because the runner also prints the expectation that it waited for.
pub(super) const TEST_RUNNER_RULES: &[Rule] = &[
    rule(
        "timeout-test-runner",
        Timeout,
        &[
            "exceeded timeout of",
            "test timed out in",
            "hook timed out in",
            "timed out retrying after",
            "test timed out after",
            "testtimedoutexception",
            "tests timed out after",
            "test timeout of",
            "async callback was not invoked within",
            "conditiontimeoutexception",
            "test run timed out after",
            "exceeded the timeout of",
            "test exceeded the timeout",
            "timed out in waitfor",
            "async function did not complete within",
            "asynctimeouterror",
            "test took too long to complete",
        ],
        Regex(any!(
            r"exceeded timeout of \d|(test|hook)s? timed out (in|after) \d|timed out retrying after",
            r"TestTimedOutException|test timeout of \d+ ?ms exceeded",
            r"async (callback was not invoked|function did not complete) within|ConditionTimeoutException",
            r"test run timed out after|exceeded the timeout( of)?|timed out in waitfor|AsyncTimeoutError",
            r"test took too long",
        )),
    ),
    rule(
        "timeout-exceeded",
        Timeout,
        &["timeout of ", "ensure \"done()\" is called"],
        Regex(r#"timeout of [\d.]+ ?m?s exceeded|ensure "done\(\)" is called"#),
    ),
    rule(
        "timeout-playwright",
        Timeout,
        &["timed out ", "ms exceeded", "timeouterror: locator", "timeouterror: page"],
        Regex(any!(
            r"\btimed out [\d.]+ ?m?s waiting for|\btimeout [\d.]+ ?ms exceeded",
            r"\btimeout of [\d.]+ ?ms exceeded|\bTimeoutError: (locator|page|frame|browser|element)",
        )),
    )
    .required_literals(&[
        "s waiting for",
        "ms exceeded",
        "timeouterror: locator",
        "timeouterror: page",
        "timeouterror: frame",
        "timeouterror: browser",
        "timeouterror: element",
    ]),
    rule(
        "timeout-jvm-test",
        Timeout,
        &[
            "execution exceeded timeout of",
            "execution timed out after",
            "method timed out after",
            "didn't finish within the time-out",
            "test exceeded timeout of",
        ],
        Literal,
    ),
    rule(
        "timeout-eventually",
        Timeout,
        &["condition never satisfied", "timed out after "],
        Regex(r"condition never satisfied|\btimed out after [\d.]+m?s\.?\s*$"),
    ),
    rule("timeout-pytest", Timeout, &["failed: timeout "], Regex(r"\bFailed: Timeout (\(?>? ?)[\d.]+ ?s")),
    rule("timeout-lambda", Timeout, &["task timed out after"], Literal),
    rule(
        "timeout-nunit",
        Timeout,
        &[
            "test exceeded timeout value",
            "exceeded timeout value of",
            "test execution timed out",
            "exceeded execution timeout",
        ],
        Literal,
    ),
    rule("timeout-nextest", Timeout, &["timeout ["], Regex(r"^\s*(TIMEOUT|TERMINATING) \[[>\s\d.]+s\]")),
    rule(
        "timeout-xctest",
        Timeout,
        &["asynchronous wait failed", "exceeded timeout of"],
        Regex(r"asynchronous wait failed: exceeded timeout"),
    ),
    rule(
        "timeout-wtr",
        Timeout,
        &[
            "tests were interrupted because the page",
            "did not finish within",
            "no activity for",
            "because no message in",
        ],
        Regex(any!(
            r"did not finish within [\d.,]+ ?(ms|s|m)|disconnected.*because no message in \d+",
            r"did not finish within the time",
        )),
    ),
];

pub(super) const RULES: &[Rule] = &[
    rule(
        "timeout-code",
        Timeout,
        &[
            "etimedout", "esockettimedout", "etime", "err_timed_out", "err_connection_timed_out",
            "und_err_connect_timeout", "und_err_headers_timeout", "und_err_body_timeout",
            "ns_error_net_timeout", "wsaetimedout", "etimeout", "deadline_exceeded", "os error 110",
            "errno 110", "errno 60", "os error 60", "ora-12170", "ora-01013",
        ],
        Word,
    ),
    rule(
        "timeout-words",
        Timeout,
        &[
            "context deadline exceeded", "deadlineexceeded", "deadline exceeded", "deadline has elapsed",
            "client.timeout exceeded", "i/o timeout", "execution expired", "read timed out",
            "connect timed out", "operation timed out", "connection timed out", "request timed out",
            "request timeout", "lock wait timeout exceeded", "statement timeout", "timeout expired",
            "timeout period elapsed", "timed out waiting", "timeout waiting for", "timed out while waiting",
            "gave up waiting", "timedoutexception", "exceeded the maximum execution time",
            "maximum execution time of", "max execution time", "progress deadline exceeded",
            "exceeded its progress deadline", "active longer than specified deadline", "exceeded time limit",
            "time limit exceeded", "exceeded the time limit", "exceeds the time limit", "time limit exceeded",
            "panic: test timed out", "configured httpclient.timeout", "operation was aborted due to timeout",
            "elapsed(())", "operation has timed out", "operation has timed-out", "wait operation timed out",
            "semaphore timeout period", "the read operation timed out", "the handshake operation timed out",
            "tls handshake timeout", "handshake timed out", "net/http: request canceled", "connection timeout",
            "connect timeout", "read timeout", "socket timeout", "response timeout", "query timeout",
            "query_timeout", "navigation timeout", "gateway did not respond within",
        ],
        Literal,
    )
    .unless(NOT_AN_EXCEEDED_LIMIT),
    rule(
        "timeout-exception",
        Timeout,
        &[
            "timeouterror", "timeoutexception", "timeoutexpired", "readtimeout", "connecttimeout",
            "writetimeout", "pooltimeout", "timeout::error", "timedout", "timeouterr", "readtimeouterror",
            "connecttimeouterror", "errtimeout", "timeout::exiterror", "soft time limit exceeded",
            "softtimelimitexceeded", "timelimitexceeded", "opentimeout", "appnotidleexception",
            "unresponsiveexception",
        ],
        Regex(
            r"(^|[\s:.('\x22<\[=/!,*_\\])\w*(Timeout(Error|Exception|Expired)|(Read|Connect|Write|Pool|Open|Connection|Request|Query|Socket|Soft)Timeout(Error)?|Timeout::(Exit)?Error|TimedOut(Exception|Error)?|TimeLimitExceeded|ErrTimeout|AppNotIdleException|UnresponsiveException)\b",
        ),
    )
    .unless(NOT_AN_EXCEEDED_LIMIT),
    rule(
        "timeout-after",
        Timeout,
        &[
            "timed out", "timed-out", "timeout after", "timeout exceeded", "timeout of", "timeout reached",
            "timeout:", "timeout was reached", "timeout while", "timeout when", "timeout during",
            "timeout in ", "timeout (",
        ],
        Regex(any!(
            r"\b(has |have |was |had )?timed?[ -]out\b.*\b(after|in|within|waiting|while|during|for|when|at)\b",
            r"\btimed out\b\W*$|\btimed[ -]out[.:;)]",
            r"^\s*(\w*Error: |E\s+|\S+: )?time-?out\b.*(exceeded|reached|waiting|while|after|\d ?m?s\b)",
            r"\btime-?out\b (was |of .{1,30})?(exceeded|reached|expired|elapsed|after \d|while|when|during|waiting)\b",
            r"\b(timed out|timeout)\W{0,3}$|\btimeout \(?>? ?\d+(\.\d+)? ?m?s\)?",
            r"\b(has|have|was|had) timed[ -]out\b|^\s*timeout: |\btimed out\b \(",
        )),
    )
    .unless(NOT_AN_EXCEEDED_LIMIT),
    rule("timeout-curl", Timeout, &["curl: (28)", "wget: download timed out"], Literal),
    rule(
        "timeout-not-within",
        Timeout,
        &[
            "within", "longer than", "took too long", "no response", "did not finish", "did not complete",
            "before ",
        ],
        Regex(any!(
            r"\b(did not|didn't|does not|not|never|no response|failed to)( \w+){0,5} within (the )?(\d[\d.]* ?(ms|s|sec|seconds?|milliseconds?|m|min|minutes?)\b|time ?limit|timeout|allotted|allowed|deadline|specified|given|requested|expected|configured|maximum|required)",
            r"\b(did not|didn't|failed to) (finish|complete|start|stop|respond|exit|terminate|become ready) (before|in) .{0,30}(timeout|deadline|limit|\d ?m?s\b)",
            r"\btook (longer than|too long)|\b(running|waited|waiting) (for )?longer than \d",
            r"\bno response (received )?(after|within|in) \d",
            r"\bexceeded (the )?(deadline|time ?limit|timeout)\b|\bhas been running for over \d",
        )),
    ),
    rule(
        "timeout-job",
        Timeout,
        &[
            "maximum time", "exceeded the maximum", "execution time exceeded", "time-limit",
            "stuck_or_timeout", "due to time limit", "exceeded maximum", "no output", "no progress", "no heartbeat",
            "no data", "no activity", "dropped from queue after",
        ],
        Regex(any!(
            r"exceeded (the |its )?maximum (execution |run |running |job |build )?(time|duration)",
            r"execution time exceeded|cancelled .{0,20}due to time limit|script_failure.*timeout",
            r"job_execution_timeout|maximum time .{0,20}(exceeded|reached)|was dropped from queue after \d",
            r"\bno (output|progress|heartbeats?|data|activity)\b( \w+){0,4} (in|for|within|after|since)( the)?( last| past| more than| over| at least)? \d",
        )),
    ),
];
