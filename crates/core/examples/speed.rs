//! Prints how many megabytes per second of processor time the parts of the core do on the texts of a JSON lines file, in one thread.
//!
//! `cargo run --release -p argus-core --example speed < events.jsonl`

use argus_core::{Analyzer, FailureEvent, normalize::normalize, sign::sha256_hex};
use std::{
    hint::black_box,
    io::{self, BufRead, Write},
    time::Duration,
};

/// Bytes each part is given; long enough for a steady clock, short enough to be run between two edits.
const AMOUNT: usize = 40 << 20;

fn main() -> io::Result<()> {
    let mut events = Vec::new();
    for line in io::stdin().lock().lines() {
        let event: FailureEvent = serde_json::from_str(&line?)?;
        events.push(event);
    }
    let analyzer = Analyzer::new(&[], &[]).map_err(io::Error::other)?;
    let mut out = io::stdout().lock();
    writeln!(out, "normalize {:7.1} MB/s", rate(&events, |event| black_box(normalize(&event.text)).text.len()))?;
    writeln!(
        out,
        "analyze   {:7.1} MB/s",
        rate(&events, |event| black_box(analyzer.analyze(event.clone(), "case")).redacted.len())
    )?;
    writeln!(out, "sha256    {:7.1} MB/s", rate(&events, |event| black_box(sha256_hex(&event.text)).len()))
}

fn rate(events: &[FailureEvent], run: impl Fn(&FailureEvent) -> usize) -> f64 {
    let size: usize = events.iter().map(|event| event.text.len()).sum();
    let rounds = AMOUNT / size.max(1) + 1;
    let start = used();
    let mut total = 0;
    for _ in 0..rounds {
        total += events.iter().map(&run).sum::<usize>();
    }
    black_box(total);
    #[expect(clippy::cast_precision_loss, reason = "a rate for a reader")]
    let megabytes = (size * rounds) as f64 / 1e6;
    megabytes / used().saturating_sub(start).as_secs_f64()
}

/// Processor time of this thread as Linux tells it: other work on the machine does not count.
fn used() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|first| first.parse().ok()).map(Duration::from_nanos).unwrap_or_default()
}
