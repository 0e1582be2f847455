//! Fuzzes a pattern of a configuration, as a rule and as a secret, on a text.
#![no_main]

use argus_core::{Analyzer, Category, classify::UserRule, event::FailureEvent, redact::SecretPattern};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|given: (&str, &str, &str)| {
    let (name, pattern, text) = given;
    let rule = UserRule { name: name.to_owned(), category: Category::HttpError, pattern: pattern.to_owned() };
    let secret = SecretPattern { name: name.to_owned(), pattern: pattern.to_owned() };
    // A pattern that does not compile is rejected.
    let Ok(analyzer) = Analyzer::new(&[rule], &[secret]) else { return };
    analyzer.redact(text);
    analyzer.analyze(FailureEvent { text: text.to_owned(), ..FailureEvent::default() }, "case");
});
