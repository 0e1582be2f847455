//! Ranks incidents for queries: JSON lines on stdin (`{"type": "incident", "id", "title", "error", "summary"}` and
//! `{"type": "query", "id", "text"}`), `{"query", "ranked"}` on stdout, the ten best first, with at least the minimum
//! score. Scores every document, without the store.

use argus_core::{
    Analyzer,
    search::{Document, IndexedDocument, Query, create_indexed_document},
};
use serde_json::{Value, json};
use std::{collections::HashMap, error::Error, io};

fn main() -> Result<(), Box<dyn Error>> {
    let analyzer = Analyzer::new(&[], &[])?;
    let rows: Vec<Value> =
        io::stdin().lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect::<Result<_, Box<dyn Error>>>()?;
    let (incidents, queries): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| row["type"] == "incident");
    let documents: Vec<(&str, IndexedDocument)> =
        incidents.iter().map(|row| (field(row, "id"), index_incident(row, &analyzer))).collect();
    let mut holding: HashMap<u32, u64> = HashMap::new();
    for (hash, _) in documents.iter().flat_map(|(_, document)| document.vector.terms()) {
        *holding.entry(*hash).or_default() += 1;
    }
    let mut out = io::stdout().lock();
    for row in queries {
        let query = Query::new(field(row, "text"), &analyzer);
        let weighed = query.weigh(documents.len() as u64, |term| holding.get(&term.hash).copied().unwrap_or(0));
        let score = |document: &IndexedDocument| weighed.score(&document.vector, document.family.as_deref()).value;
        let mut ranked: Vec<(f64, &str)> = documents.iter().map(|(id, document)| (score(document), *id)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let ids: Vec<&str> = ranked.iter().take(10).map(|(_, id)| *id).collect();
        serde_json::to_writer(&mut out, &json!({ "query": row["id"], "ranked": ids }))?;
        io::Write::write_all(&mut out, b"\n")?;
    }
    Ok(())
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn index_incident(row: &Value, analyzer: &Analyzer) -> IndexedDocument {
    let (title, error_signature, summary) = (field(row, "title"), field(row, "error"), field(row, "summary"));
    create_indexed_document(&Document { title, error_signature, summary, tags: &[] }, analyzer)
}
