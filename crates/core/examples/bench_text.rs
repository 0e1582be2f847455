//! Runs a step of the analysis over a corpus and prints the seconds that the step took, for the text benchmarks.
//!
//! `bench_text FILE STEP [ROUNDS]`: FILE contains texts separated by NUL. STEP is normalize, classify, sign, redact,
//! hash or analyze. Prints the median of the rounds.

use argus_core::{
    Analyzer, FailureEvent, analyze::BATCH_FAILURES, classify::Classifier, normalize, redact::Redactor, sign,
};
use std::{hint::black_box, io, sync::LazyLock, time::Instant};

/// Returns the CPU time of this thread in seconds, so that other work on the machine does not count. Returns the time
/// of the clock if the system does not provide the CPU time.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn thread_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_default();
    let step = arguments.next().unwrap_or_default();
    let rounds: usize = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let events: Vec<_> =
        text.split('\0').map(|text| FailureEvent { text: text.to_owned(), ..FailureEvent::default() }).collect();
    let run = choose_step(&step).ok_or_else(|| io::Error::other(format!("no such step: {step}")))?;
    run(&events[..events.len().min(500)]);
    let mut seconds: Vec<f64> = (0..rounds).map(|_| measure_seconds(&*run, &events)).collect();
    seconds.sort_by(f64::total_cmp);
    io::Write::write_all(&mut io::stdout(), format!("{}\n", seconds[rounds / 2]).as_bytes())
}

fn measure_seconds(run: &dyn Fn(&[FailureEvent]), events: &[FailureEvent]) -> f64 {
    let start = thread_seconds();
    run(events);
    thread_seconds() - start
}

/// Classifies, normalizes and signs batches of failures, as `Analyzer::analyze_all` does.
fn sign_all(classifier: &Classifier, events: &[FailureEvent]) {
    let categories: Vec<_> = events.iter().map(|event| classifier.classify(event).category).collect();
    let normalized: Vec<_> = events.iter().map(|event| normalize::normalize(&event.text)).collect();
    for ((event, category), normalized) in events.iter().zip(categories).zip(&normalized) {
        drop(black_box(sign::sign(category, "bench > case", event, normalized)));
    }
}

type Step = Box<dyn Fn(&[FailureEvent])>;

fn choose_step(step: &str) -> Option<Step> {
    let classifier = Classifier::new(&[]).ok()?;
    let redactor = Redactor::new(&[]).ok()?;
    let analyzer = Analyzer::new(&[], &[]).ok()?;
    let each = |work: Box<dyn Fn(&FailureEvent)>| -> Step { Box::new(move |events| events.iter().for_each(&work)) };
    Some(match step {
        "normalize" => each(Box::new(|event| drop(black_box(normalize::normalize(&event.text))))),
        "classify" => each(Box::new(move |event| drop(black_box(classifier.classify(event))))),
        "sign" => {
            Box::new(move |events| events.chunks(BATCH_FAILURES).for_each(|events| sign_all(&classifier, events)))
        }
        "redact" => each(Box::new(move |event| drop(black_box(redactor.redact(&event.text))))),
        "hash" => each(Box::new(|event| drop(black_box(sign::sha256_hex(&event.text))))),
        "analyze" => each(Box::new(move |event| drop(black_box(analyzer.analyze(event.clone(), "bench > case"))))),
        _ => return None,
    })
}
