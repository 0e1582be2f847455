//! Prints how many megabytes of text the parts of the core process per second of CPU time, in a single thread. Reads
//! the texts from JSON lines.
//!
//! `cargo run --release -p argus-core --example speed < events.jsonl`

use argus_core::{Analyzer, FailureEvent, normalize::normalize, sign::sha256_hex};
use std::{
    hint::black_box,
    io::{self, BufRead, Write},
    time::Duration,
};

/// Number of bytes that each part processes: enough for a stable result, but so few that a run takes only seconds.
const BYTES_PER_PART: usize = 40 << 20;

fn main() -> io::Result<()> {
    let mut events = Vec::new();
    for line in io::stdin().lock().lines() {
        let event: FailureEvent = serde_json::from_str(&line?)?;
        events.push(event);
    }
    let analyzer = Analyzer::new(&[], &[]).map_err(io::Error::other)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "normalize {:7.1} MB/s",
        megabytes_per_second(&events, |event| black_box(normalize(&event.text)).text.len())
    )?;
    writeln!(
        out,
        "analyze   {:7.1} MB/s",
        megabytes_per_second(&events, |event| black_box(analyzer.analyze(event.clone(), "case")).redacted.len())
    )?;
    writeln!(
        out,
        "sha256    {:7.1} MB/s",
        megabytes_per_second(&events, |event| black_box(sha256_hex(&event.text)).len())
    )
}

fn megabytes_per_second(events: &[FailureEvent], run: impl Fn(&FailureEvent) -> usize) -> f64 {
    let size: usize = events.iter().map(|event| event.text.len()).sum();
    let rounds = BYTES_PER_PART / size.max(1) + 1;
    let start = thread_cpu_time();
    let mut total = 0;
    for _ in 0..rounds {
        total += events.iter().map(&run).sum::<usize>();
    }
    black_box(total);
    #[expect(clippy::cast_precision_loss, reason = "a rate for a reader")]
    let megabytes = (size * rounds) as f64 / 1e6;
    megabytes / thread_cpu_time().saturating_sub(start).as_secs_f64()
}

/// Returns the CPU time of this thread, as Linux reports it, so that other work on the machine does not count.
fn thread_cpu_time() -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedule.split(' ').next().and_then(|first| first.parse().ok()).map(Duration::from_nanos).unwrap_or_default()
}
