//! Native replacement for `argus-mcp inspect --jsonl`: reads a JSON object per line and writes its analysis. Does not
//! apply rules of users, because it measures only the core.
//!
//! `cargo run --release -p argus-core --example inspect < events.jsonl`

use argus_core::{Analyzer, FailureEvent};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let analyzer = Analyzer::new(&[], &[]).map_err(io::Error::other)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if !line.trim_ascii().is_empty() {
            writeln!(out, "{}", inspect(&analyzer, &line)?)?;
        }
    }
    out.flush()
}

fn inspect(analyzer: &Analyzer, line: &[u8]) -> io::Result<Value> {
    let row: Value = serde_json::from_str(&String::from_utf8_lossy(line))?;
    let case_name = row.get("caseName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let event: FailureEvent = serde_json::from_value(row)?;
    let analysis = analyzer.analyze(event, &case_name);
    let evidence = analysis.classification.evidence.as_ref();
    Ok(json!({
        "category": analysis.classification.category.as_str(),
        "rule": analysis.classification.rule,
        "evidence": evidence.and_then(|span| analysis.redacted.get(span.start..span.end)),
        "redacted": analysis.redacted,
        "redactions": analysis.redactions,
        "normalized": analysis.normalized_error,
        "headline": analysis.normalized.headline,
        "frame": analysis.normalized.frame,
        "site": analysis.normalized.site,
        "signature": analysis.signatures.signature,
        "familySignature": analysis.signatures.family,
    }))
}
