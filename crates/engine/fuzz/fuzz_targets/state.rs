//! Fuzzes a state file of the fix loop and an event, separated by a line `---`.
#![no_main]

use argus_core::Analyzer;
use argus_engine::fix_loop::{advance, outlook, read_state};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new(&[], &[]).expect("built-in rules compile"));

fuzz_target!(|given: &str| {
    let (text, event) = given.split_once("\n---\n").unwrap_or((given, ""));
    let Ok(state) = read_state(text, None) else { return };
    let value = serde_json::to_value(&state).expect("a state is data");
    outlook(value.clone()).expect("what was believed once is believed again");
    let Ok(event) = serde_json::from_str(event) else { return };
    let next = advance(&ANALYZER, value, event, 0.5).expect("what was believed once is believed again");
    let written = serde_json::to_string(&next.state).expect("a state is data");
    read_state(&written, None).expect("what is written can be read");
});
