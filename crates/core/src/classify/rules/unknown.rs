//! Program errors with a name that fit none of the other nine categories. A text that no rule matches gets the rule
//! `none`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex},
        Rule, Trust, any, rule,
    },
    failure::category::Category::{AssertionMismatch, Unknown},
};

/// These come before plain sentences because a compiler message may contain code names such as `timeout` or `config`.
pub(super) const CODE: &[Rule] = &[rule(
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

/// These come last, but before log lines below error level, because the error that ended a program outweighs its
/// warnings.
pub(super) const RULES: &[Rule] = &[
    rule("error-race", Unknown, &["warning: data race"], Literal).trust(Trust::All),
    rule(
        "error-panic",
        Unknown,
        &["panic: ", "panicked at", "fatal error: "],
        Regex(r"^\s*panic: |\bpanicked at\b|^\s*fatal error: "),
    ),
    // A Go test that failed without any other error text, so its own `t.Error` reported the reason.
    rule("assert-go-fail", AssertionMismatch, &["--- fail: "], Regex(r"^\s*--- FAIL: \w+"))
        .near()
        // An error that a call returned is not a failed expectation.
        .unless(r"_test\.go:\d+: unexpected error\b")
        .trust(Trust::All),
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
