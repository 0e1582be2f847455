//! Rules for named program errors that fit none of the other nine categories. If no rule matches a text, the name of
//! the rule is `none`.

use crate::{
    classify::rule::{
        AcceptedLines,
        Matcher::{Literal, Regex},
        Rule, any, rule,
    },
    failure::category::Category::{AssertionMismatch, Unknown},
};

/// These rules come before plain sentences because a compiler message may contain names such as `timeout` or `config`.
pub(super) const COMPILER_RULES: &[Rule] = &[rule(
    "error-compile",
    Unknown,
    &[
        "error[e",
        "error ts",
        "cannot find symbol",
        "undefined: ",
        "compilation failure",
        "build failed",
        "could not compile",
        "syntaxerror",
        "error cs",
        "compilation error",
        "incompatible types",
        "was not declared in this scope",
        "cannot find value",
    ],
    Regex(any!(
        r"\berror\[E\d{4}\]|\berror TS\d{3,5}\b|cannot find symbol|: undefined: \w+",
        r"compilation (failure|error)|could not compile|incompatible types: |was not declared in this scope|\bSyntaxError\b|\berror CS\d{4}\b|\[build failed\]",
    )),
)];

/// These rules come last, but a match on a message still wins over a match of an earlier rule on a log line below error
/// level. The error that ended a program is more important than its warnings.
pub(super) const RULES: &[Rule] = &[
    rule("error-race", Unknown, &["warning: data race"], Literal).accepted_lines(AcceptedLines::All),
    rule(
        "error-panic",
        Unknown,
        &["panic: ", "panicked at", "fatal error: "],
        Regex(r"^\s*panic: |\bpanicked at\b|^\s*fatal error: "),
    ),
    // A Go test that failed without any other known error. A call such as `t.Error` then reported a failed expectation.
    rule("assert-go-fail", AssertionMismatch, &["--- fail: "], Regex(r"^\s*--- FAIL: \w+"))
        .match_nearby_lines()
        // Excludes an error that a call returned, which is not a failed expectation.
        .unless(r"_test\.go:\d+: unexpected error\b")
        .accepted_lines(AcceptedLines::All),
    rule(
        "error-exception",
        Unknown,
        &["exception:", "error:", "exception :", "error :", "exception\n", "error\n", "exception(", "error("],
        Regex(r"^(E\s+|Caused by: |\s*\[?\w*\]?\s*)?([\w$]+[.\\:])*\w*(Exception|Error)\b( ?:|\s*$|\()"),
    ),
    rule(
        "error-segfault",
        Unknown,
        &["segmentation fault", "sigsegv", "core dumped", "stack overflow", "heap out of memory"],
        Literal,
    ),
];
