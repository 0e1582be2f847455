//! Fuzzes the redactor and the analysis with any text.
#![no_main]

use argus_core::{Analyzer, event::FailureEvent, redact::Redactor};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&[]).expect("built-in rules compile"));
static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new(&[], &[]).expect("built-in rules compile"));

fuzz_target!(|text: &str| {
    let once = REDACTOR.redact(text).text.into_owned();
    let twice = REDACTOR.redact(&once).text.into_owned();
    assert_eq!(once, twice, "redacted text stays as it is");
    ANALYZER.analyze(FailureEvent { text: text.to_owned(), ..FailureEvent::default() }, "case");
});
