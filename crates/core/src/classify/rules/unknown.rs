//! Errors of a program: nothing of the other nine categories, said so with a name.
//! A text that no rule knows has the rule `none`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex},
        Rule, Trust, any, rule,
    },
    failure::category::Category::{AssertionMismatch, Unknown},
};

/// Before plain words: a compiler's message names what the code calls a time limit or a setting.
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

/// They stand last, and before log lines below error level: what a program died of outweighs what it warned about.
pub(super) const RULES: &[Rule] = &[
    rule("error-race", Unknown, &["warning: data race"], Literal).trust(Trust::All),
    rule(
        "error-panic",
        Unknown,
        &["panic: ", "panicked at", "fatal error: "],
        Regex(r"^\s*panic: |\bpanicked at\b|^\s*fatal error: "),
    ),
    // A Go test that says it failed and nothing else did: its own t.Error said why.
    rule("assert-go-fail", AssertionMismatch, &["--- fail: "], Regex(r"^\s*--- FAIL: \w+"))
        .near()
        // An error that a call gave back is no expectation.
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
