//! Recognizes repeated failures like a memory: reads a failure per line as a JSON object, and writes the number of the
//! earlier failure that is the same. `--exact` compares only signatures, and `--least 0.8` sets the minimum similarity.
//!
//! `cargo run --release -p argus-core --example recognise < failures.jsonl`

use argus_core::{Analyzer, Category, FailureEvent, text_comparison::compare_texts};
use serde_json::Value;
use std::{
    collections::HashMap,
    io::{self, BufRead, BufWriter, Write},
};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let exact_only = arguments.iter().any(|argument| argument == "--exact");
    let least = arguments.iter().skip_while(|argument| *argument != "--least").nth(1);
    let least: f64 = least.and_then(|least| least.parse().ok()).unwrap_or(0.0);
    let analyzer = Analyzer::new(&[], &[]).map_err(io::Error::other)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut by_signature: HashMap<String, usize> = HashMap::new();
    let mut by_case: HashMap<(String, Category), Vec<(String, usize)>> = HashMap::new();
    let mut count = 0;
    for line in io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let case = row.get("caseName").and_then(Value::as_str).unwrap_or_default().to_owned();
        let analysis = analyzer.analyze(serde_json::from_value::<FailureEvent>(row)?, &case);
        let known = by_case.entry((case, analysis.classification.category)).or_default();
        let number = by_signature.get(&analysis.signatures.signature).copied().or_else(|| {
            let alike = known.iter().filter(|_| !exact_only);
            let alike = alike.filter_map(|(text, number)| {
                Some((compare_texts(text, &analysis.normalized_error)?.similarity, *number))
            });
            let alike = alike.filter(|(similarity, _)| *similarity >= least);
            alike.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, number)| number)
        });
        let number = number.unwrap_or_else(|| {
            count += 1;
            count
        });
        if by_signature.insert(analysis.signatures.signature, number).is_none() {
            known.push((analysis.normalized_error, number));
        }
        writeln!(out, "{number}")?;
    }
    out.flush()
}
