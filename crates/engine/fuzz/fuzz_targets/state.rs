//! Fuzzes a state file of the fix loop and an event, separated by a line `---`.
#![no_main]

use argus_core::Analyzer;
use argus_engine::fix_loop::{advance, next_step, read_state};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new(&[], &[]).expect("built-in rules compile"));

fuzz_target!(|given: &str| {
    let (text, event) = given.split_once("\n---\n").unwrap_or((given, ""));
    let Ok(state) = read_state(text, None) else { return };
    let value = serde_json::to_value(&state).expect("a state is data");
    next_step(value.clone()).expect("a checked state is valid");
    let Ok(event) = serde_json::from_str(event) else { return };
    let next = advance(&ANALYZER, value, event, 0.5).expect("a checked state is valid");
    let written = serde_json::to_string(&next.state).expect("a state is data");
    read_state(&written, None).expect("a written state can be read");
});
