use super::{
    Document, IndexedDocument, MIN_SCORE, Query, Term, TermVector, background, create_indexed_document, duplicate,
    is_duplicate, jaccard_similarity, roles, tokens,
};
use crate::Analyzer;
use proptest::prelude::*;
use std::{collections::HashMap, sync::LazyLock};

const VECTORS: &str = include_str!("../../../../../tests/vectors/retrieval.jsonl");
static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new(&[], &[]).unwrap());

struct Memory {
    documents: Vec<(String, IndexedDocument)>,
    holding: HashMap<u32, u64>,
}

impl Memory {
    fn new(documents: Vec<(String, IndexedDocument)>) -> Self {
        let mut holding = HashMap::new();
        for (hash, _) in documents.iter().flat_map(|(_, document)| document.vector.terms()) {
            *holding.entry(*hash).or_default() += 1;
        }
        Self { documents, holding }
    }

    /// Returns the best answer of a memory that also contains `others` documents about other problems.
    fn find_best(&self, text: &str, others: u64) -> Option<(&str, f64)> {
        let query = Query::new(text, &ANALYZER);
        let documents = self.documents.len() as u64 + others;
        let weighed = query.weigh(documents, |term| {
            self.holding.get(&term.hash).copied().unwrap_or(0) + documents_with_term(term, others)
        });
        let score = |document: &IndexedDocument| {
            weighed.score_bytes(&document.vector.to_bytes(), document.family.as_deref()).value
        };
        let scores = self.documents.iter().map(|(id, document)| (id.as_str(), score(document)));
        scores.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, value)| *value >= MIN_SCORE)
    }
}

/// Returns how many of `others` typical reports contain a term.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a test's few documents"
)]
fn documents_with_term(term: &Term, others: u64) -> u64 {
    (background::document_share(term.hash, background::is_error_type(&term.text)) * others as f64) as u64
}

fn text_field<'a>(row: &'a serde_json::Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn rows_of_kind(kind: &str) -> Vec<serde_json::Value> {
    let rows = VECTORS.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    rows.filter(|row| row["type"] == kind).collect()
}

fn read_incident(row: &serde_json::Value) -> (String, IndexedDocument) {
    let (title, error_signature, summary) =
        (text_field(row, "title"), text_field(row, "error_signature"), text_field(row, "summary"));
    (
        text_field(row, "id").to_owned(),
        create_indexed_document(&Document { title, error_signature, summary, tags: &[] }, &ANALYZER),
    )
}

fn index_document(title: &str, error_signature: &str, summary: &str) -> IndexedDocument {
    create_indexed_document(&Document { title, error_signature, summary, tags: &["ci".to_owned()] }, &ANALYZER)
}

#[test]
fn everyday_texts_find_their_incident_and_new_problems_find_none() {
    let memory = Memory::new(rows_of_kind("incident").iter().map(read_incident).collect());
    for others in [0, 2_000] {
        for row in rows_of_kind("query") {
            let found = memory.find_best(text_field(&row, "text"), others);
            let wanted = row["relevant"][0].as_str();
            assert!(found.map(|found| found.0) == wanted, "{}: {found:?}, with {others} others", row["id"]);
        }
    }
}

#[test]
fn small_memory_finds_known_and_rejects_new_problems() {
    let incidents = rows_of_kind("incident");
    let mut wrong = Vec::new();
    for five in incidents.chunks(5) {
        let memory = Memory::new(five.iter().map(read_incident).collect());
        for row in rows_of_kind("query") {
            let wanted = row["relevant"][0].as_str().filter(|id| memory.documents.iter().any(|(known, _)| known == id));
            let found = memory.find_best(text_field(&row, "text"), 0).map(|found| found.0);
            if found != wanted {
                wrong.push(format!("{}: {found:?}", row["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn trace_with_other_volatile_values_matches_by_family() {
    let trace = |port: u16, line: u16| {
        format!(
            "ConnectionRefusedError: [Errno 111] Connection refused to billing-gateway at 10.0.0.7:{port}\n  \
         File \"/srv/shop/billing/gateway.py\", line {line}, in authorize_payment"
        )
    };
    let known = index_document("Gateway down in staging", &trace(50123, 41), "");
    let query = Query::new(&trace(38122, 57), &ANALYZER);
    let score = query.weigh(1, |_| 1).score(&known.vector, known.family.as_deref());
    assert!(score.value > 0.95 && score.matched_terms[0] == "same normalized error", "{score:?}");
}

#[test]
fn log_lines_around_a_failure_do_not_hide_it() {
    let error = "ConnectionRefusedError: [Errno 111] Connection refused to billing-gateway at 10.0.0.7:50123";
    let known = index_document("Gateway down in staging", error, "");
    let score = |text: &str| Query::new(text, &ANALYZER).weigh(1, |_| 1).score(&known.vector, known.family.as_deref());
    let around = ["scheduler woke up", "loaded 14 catalogues", "cache warmed", "worker adopted", "metrics flushed"];
    let log = around.map(|what| format!("2026-03-01 10:00:01 INFO [main] {what}\n✓ {what} twice")).join("\n");
    let pasted = score(&format!("{log}\n{error}\n{log}"));
    assert!(pasted.value > 0.95, "{pasted:?}, alone {:?}", score(error));
    assert!(!Query::new(&log, &ANALYZER).is_empty(), "a log alone is what there is to look for");
}

#[test]
fn bare_error_type_has_no_family() {
    for text in ["AssertionError", "java.lang.NullPointerException", "Error: failed", "expected true to be false", ""] {
        assert_eq!(Query::new(text, &ANALYZER).family(), None, "{text}");
    }
}

#[test]
fn identifiers_are_indexed_whole_and_in_parts() {
    let check = |text: &str, want: &str| {
        let mut found = Vec::new();
        tokens::for_each_term(text, |term, _| found.push(term.to_owned()));
        assert_eq!(found.join(" "), want, "{text}");
    };
    check("parseHTTPBody", "parsehttpbodi pars http bodi");
    check("snake_case_name", "snakecasenam snake case name");
    check("SnakeCaseName", "snakecasenam snake case name");
    check("E0502 and TS2345", "e0502 0502 ts2345 ts 2345");
    check("Cart.java:118", "cart java");
    check("at <UUID> in <redacted> 0x7f3a 1f2e3d4c-aaaa-bbbb-cccc-0123456789ab", "redact");
    check("1234567 deadbeef01 42", "42");
    check(
        "令牌过期",
        &["令牌", "牌过", "过期"]
            .map(|pair| format!("u{:016x}", xxhash_rust::xxh3::xxh3_64(pair.as_bytes())))
            .join(" "),
    );
    check("🔥 \u{202e} '\" OR * NEAR( ; -- ", "near");
}

#[test]
fn test_names_of_every_runner_are_read() {
    let check = |line: &str, class: &str, method: &str| {
        let roles = roles::split_by_role(line);
        let name = roles.tests.first().unwrap_or_else(|| panic!("{line}: no test"));
        assert_eq!((name.class.trim(), name.method.trim()), (class, method), "{line}");
    };
    check("--- com.acme.shop.CartTest::testTotalWithTax", "Cart", "TotalWithTax");
    check("com.acme.shop.CartTest.testTotal: java.lang.AssertionError", "Cart", "Total");
    check("[ERROR] totalWithTax(com.acme.shop.CartTest)  Time elapsed: 0.1 s", "Cart", "totalWithTax");
    check("FAILED tests/shop/test_cart.py::TestCart::test_total[eur] - assert 1 == 2", "cart Cart", "_total");
    check(" FAIL  src/cart.test.ts > Cart > adds tax to the total", "cart Cart", "adds tax to the total");
    check("● Cart › total › adds tax", "Cart total", "adds tax");
    check("--- FAIL: TestCartTotal/with_tax (0.00s)", "CartTotal", "with_tax");
    check("---- cart::tests::total_with_tax stdout ----", "cart tests", "total_with_tax");
    check("test cart::tests::total_with_tax ... FAILED", "cart tests", "total_with_tax");
}

#[test]
fn frames_of_every_runtime_are_read() {
    let check = |text: &str, want: &[(&str, &str)]| {
        let roles = roles::split_by_role(text);
        let found: Vec<_> = roles.frames.iter().map(|name| (name.class.as_str(), name.method.as_str())).collect();
        assert_eq!(found, want, "{text}");
    };
    check(
        "\tat com.acme.Cart.total(Cart.java:8)\n\tat com.acme.Shop.run(Shop.java:9)",
        &[("Cart", "total"), ("Shop", "run")],
    );
    check(
        "    at CartService.total (/app/src/cart.ts:1:2)\n    at /app/src/main.ts:3:4",
        &[("CartService", "total"), ("main", "")],
    );
    check(
        "  File \"app/main.py\", line 3, in run\n  File \"app/cart.py\", line 9, in total",
        &[("cart", "total"), ("main", "run")],
    );
    check("main.total(0x1)\n\t/src/cart.go:12 +0x1d", &[("main", "total")]);
    check("   at Acme.Cart.Total(Int32 n) in /src/Cart.cs:line 12", &[("Cart", "Total")]);
    check(
        "boom at org acme cart total at org acme shop run at java lang thread run",
        &[("cart", "total"), ("shop", "run"), ("thread", "run")],
    );
}

#[test]
fn same_problem_is_a_duplicate_and_a_similar_problem_is_not() {
    let known = index_document(
        "Redis failover leaves a stale master",
        "redis.exceptions.ReadOnlyError: You can't write against a read only replica.",
        "The pool keeps the old master.",
    );
    let again = index_document(
        "Stale master after redis failover",
        "redis.exceptions.ReadOnlyError: You can't write against a read only replica.",
        "The connection pool keeps the old master",
    );
    let other = index_document(
        "Redis pool is exhausted under load",
        "redis.exceptions.ConnectionError: Too many connections",
        "Raise max_connections of the pool.",
    );
    assert!(is_duplicate(&known, &again) && is_duplicate(&again, &known));
    assert!(!is_duplicate(&known, &other) && jaccard_similarity(&known.vector, &other.vector) < 0.3);
    assert!(jaccard_similarity(&again.vector, &known.vector) >= duplicate::MIN_DUPLICATE_SIMILARITY);
    let again_told = Document {
        title: "Stale master after redis failover",
        error_signature: "redis.exceptions.ReadOnlyError: You can't write against a read only replica.",
        summary: "The connection pool keeps the old master",
        tags: &[],
    };
    let found = Query::from_document(&again_told, &again).weigh(1, |_| 1).score(&known.vector, known.family.as_deref());
    assert!(found.value > MIN_SCORE);
}

#[test]
fn incidents_of_the_vectors_are_not_duplicates() {
    let all: Vec<_> = rows_of_kind("incident").iter().map(read_incident).collect();
    for (at, (id, document)) in all.iter().enumerate() {
        for (other_id, other) in &all[at + 1..] {
            assert!(!is_duplicate(document, other), "{id} {other_id}");
        }
    }
}

#[test]
fn hostile_texts_have_a_bounded_number_of_terms() {
    let check = |text: &str| {
        let document = index_document(text, text, text);
        assert!(document.vector.terms().len() <= 320 && document.vector.to_bytes().len() <= 320 * 6);
        assert!(Query::new(text, &ANALYZER).terms().len() <= 64);
    };
    check(&"at org acme ".repeat(400_000));
    check(&"x".repeat(5_000_000));
    check(&(0..100_000).map(|n| format!("w{n}q")).collect::<Vec<_>>().join(" "));
    check("\" OR * NEAR( \u{202e}مرحبا 🔥 <UUID>");
    check(&"<NUM> ".repeat(1000));
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(text in any::<String>(), other in any::<String>()) {
        let document = index_document(&text, &other, &text);
        prop_assert_eq!(TermVector::from_bytes(&document.vector.to_bytes()), document.vector.clone());
        let query = Query::new(&other, &ANALYZER);
        let safe = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        prop_assert!(query.terms().iter().all(|term| term.text.bytes().all(safe)));
        let score = query.weigh(3, |_| 1).score(&document.vector, None);
        prop_assert!((0.0..=1.0).contains(&score.value));
    }

    #[test]
    fn damaged_bytes_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let vector = TermVector::from_bytes(&bytes);
        prop_assert!(vector.terms().windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn likeness_is_symmetric(a in "[a-d ]{0,40}", b in "[a-d ]{0,40}") {
        let (a, b) = (index_document(&a, "", &b), index_document(&b, &a, ""));
        let value = jaccard_similarity(&a.vector, &b.vector);
        prop_assert!((0.0..=1.0).contains(&value));
        prop_assert_eq!(value.to_bits(), jaccard_similarity(&b.vector, &a.vector).to_bits());
        prop_assert!(a.vector.terms().is_empty() || (jaccard_similarity(&a.vector, &a.vector) - 1.0).abs() < 1e-12);
    }
}
