//! Fills a database with many patterns and measures tool calls on it.
//!
//! `cargo run --release -p argus-engine --example scale -- FILE [PATTERNS] [CASES]`
//!
//! This is not a test, because times depend on the machine.

use argus_core::{CallContext, Category, sign::sha256_hex, similarity::minhash_sketch};
use argus_engine::{
    Engine, EngineError, ReportFiles,
    contract::{
        DiagnoseParams, EngineOptions, PatternSort, PatternsParams, RecordRunParams, ReportFixParams, ReportInput,
    },
    failures::{diagnose::diagnose, report_fix::report_fix},
    knowledge::patterns::patterns,
    runs::record_run::record_run,
};
use argus_store::{
    Database, FileAccess, Sqlite, StoreError, Tx,
    patterns::{NewPattern, SignatureSet, insert},
};
use std::{
    error::Error,
    fmt::Write as _,
    io::{BufRead, Cursor},
    time::Duration,
};

#[allow(clippy::disallowed_methods, reason = "this program measures times")]
fn measure<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = std::time::Instant::now();
    let answer = work();
    (start.elapsed(), answer)
}

#[allow(clippy::print_stdout, reason = "the output is the result of this program")]
fn print_duration(what: &str, each: Duration) {
    println!("{what:<44} {:>10.3} ms", each.as_secs_f64() * 1000.0);
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: scale FILE [PATTERNS] [CASES]")?;
    let count: u32 = args.next().map_or(Ok(0), |count| count.parse())?;
    let cases: u32 = args.next().map_or(Ok(0), |count| count.parse())?;
    let database = Sqlite::open(&file, None, FileAccess::ReadWrite)?;
    let (took, filled) = measure(|| insert_patterns(&database, count));
    filled?;
    print_duration(&format!("{count} patterns in one transaction"), took);
    let engine = Engine::new(Database::Sqlite(database), EngineOptions::default())?
        .with_reports(ReportInMemory(build_report(cases)));
    if cases > 0 {
        measure_import(&engine, cases)?;
    }
    measure_calls(&engine)
}

/// Returns different texts with some common words, like the failures of a project.
fn build_text(n: u32) -> String {
    let words = ["cart", "order", "login", "invoice", "search", "upload", "export", "queue", "cache", "mail"];
    let word = |shift: u32| words[(n / 10_u32.pow(shift) % 10) as usize];
    format!("Error: {} {} {} failed in {} with {}", word(0), word(1), word(2), word(3), sha256_hex(&n.to_string()))
}

fn insert_patterns(database: &Sqlite, count: u32) -> Result<(), StoreError> {
    let context = CallContext::new(1_772_000_000_000, [3; 16]);
    let body = |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        for n in 0..count {
            let (id, text) = (context.create_id("pat"), build_text(n));
            let (signature, family) = (sha256_hex(&format!("exact {n}")), sha256_hex(&format!("family {}", n / 2)));
            let sample = format!("{{\"text\":\"{text}\"}}");
            let identity = SignatureSet {
                recipe: "1",
                category: Category::ALL[(n % 10) as usize],
                signature: &signature,
                family: &family,
                normalized: &text,
                bands: minhash_sketch(&text),
            };
            let new = NewPattern {
                id: &id,
                identity,
                case_name: "src/shop.test.ts > shop > works",
                description: &text,
                occurrences: 1 + n % 7,
                resolutions: n % 2,
                now: context.now_ms + i64::from(n),
                sample: &sample,
            };
            insert(tx, &new)?;
        }
        Ok(())
    };
    database.write(context.now_ms, body)
}

fn build_report(cases: u32) -> Vec<u8> {
    let mut xml = String::from("<testsuites><testsuite name=\"shop\">");
    for n in 0..cases {
        let _ = write!(xml, "<testcase classname=\"src/file{}.test.ts\" name=\"case {n} works\" time=\"0.01\"", n / 50);
        let failed =
            "><failure message=\"Error: boom\">Error: boom\n    at work (src/work.ts:3:4)</failure></testcase>";
        xml.push_str(if n % 100 == 0 { failed } else { "/>" });
    }
    xml.push_str("</testsuite></testsuites>");
    xml.into_bytes()
}

/// A report in memory.
#[derive(Debug)]
struct ReportInMemory(Vec<u8>);

impl ReportFiles for ReportInMemory {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Ok(Box::new(Cursor::new(self.0.clone())))
    }
}

fn measure_import(engine: &Engine, cases: u32) -> Result<(), EngineError> {
    let reports = vec![ReportInput { path: "report.xml".to_owned(), format: None }];
    let params = RecordRunParams { reports, ..RecordRunParams::default() };
    let context = CallContext::new(1_772_300_000_000, [9; 16]);
    let (took, run) = measure(|| record_run(engine, &context, &params));
    run?;
    print_duration(&format!("a report of {cases} cases"), took);
    Ok(())
}

fn measure_calls(engine: &Engine) -> Result<(), Box<dyn Error>> {
    const ROUNDS: u8 = 200;
    let context = |round: u8| CallContext::new(1_772_400_000_000 + i64::from(round), [round; 16]);
    let run = |call: u32| {
        let params = RecordRunParams {
            command: Some(format!("make {call}")),
            exit_code: Some(1),
            output_tail: Some(format!("Error: the {} plan is gone", build_text(call))),
            ..RecordRunParams::default()
        };
        let context = CallContext::new(1_772_400_000_000, [u8::try_from(call % 251).unwrap_or(0); 16]);
        record_run(engine, &context, &params)
    };
    let mut runs = Vec::new();
    for call in 0..u32::from(ROUNDS) {
        runs.push(run(call)?.run_id);
    }
    let ask = |round: u8, which: usize| {
        let params = DiagnoseParams {
            run_id: runs[which].clone(),
            case_name: format!("make {which}"),
            not_same_as: None,
            once: None,
        };
        diagnose(engine, &context(round), &params)
    };
    let mut new: Vec<Duration> = (0..ROUNDS).map(|n| measure(|| ask(n, usize::from(n)).map(drop)).0).collect();
    let mut known: Vec<Duration> = (0..ROUNDS).map(|n| measure(|| ask(n, usize::from(n)).map(drop)).0).collect();
    let fix = |round: u8| {
        let params = ReportFixParams {
            run_id: runs[usize::from(round)].clone(),
            case_name: format!("make {round}"),
            fix_description: "Made the plan again".to_owned(),
            success: true,
            supersedes: None,
            env: None,
        };
        report_fix(engine, &context(round), &params)
    };
    let mut fixed: Vec<Duration> = (0..ROUNDS).map(|n| measure(|| fix(n).map(drop)).0).collect();
    for (what, times) in [("diagnose, new", &mut new), ("diagnose, known", &mut known), ("report_fix", &mut fixed)] {
        times.sort_unstable();
        print_duration(&format!("{what}, p50"), times[times.len() / 2]);
        print_duration(&format!("{what}, p99"), times[times.len() * 99 / 100]);
    }
    for sort in [PatternSort::Occurrences, PatternSort::Confidence, PatternSort::LastSeen] {
        let params = PatternsParams { sort_by: Some(sort), ..PatternsParams::default() };
        let (took, page) = measure(|| patterns(engine, &context(1), &params));
        print_duration(&format!("patterns of {} by {sort:?}", page?.total), took);
    }
    Ok(())
}
