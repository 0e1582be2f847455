use super::{normalize, placeholders};
use crate::{failure::category::Category, failure::event::FailureEvent, identity::sign::sign};
use proptest::prelude::*;
use serde::Deserialize;

#[test]
fn contract_examples_normalize_as_documented() {
    for (input, wanted) in [
        ("ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED <IP>:<PORT>"),
        ("POST /api/123 returned 503", "POST /api/<ID> returned 5xx"),
        ("unexpected error 9f86d081884c7d65", "unexpected error <HASH>"),
    ] {
        assert_eq!(normalize(input).text, wanted);
    }
}

/// A row of `tests/vectors/normalize*.jsonl`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Vector {
    kind: String,
    input: String,
    normalized: String,
    /// The correct result if the result in this row is known to be wrong.
    wanted: Option<String>,
    /// Reason why the result is wrong.
    because: Option<String>,
    headline: Option<String>,
    #[serde(default)]
    frame: Option<String>,
    /// The place of the failure. Most rows have no place.
    site: Option<String>,
}

/// A row of `tests/vectors/signatures.jsonl`: the same failure twice, or two different failures.
#[derive(Deserialize)]
struct Pair {
    same: bool,
    a: String,
    b: String,
}

const VECTORS: &str = include_str!("../../../../tests/vectors/normalize.jsonl");
const WHOLE_TEXT_VECTORS: &str = include_str!("../../../../tests/vectors/normalize-texts.jsonl");
const SIGNATURE_PAIRS: &str = include_str!("../../../../tests/vectors/signatures.jsonl");

fn read_rows<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks a row alone, and with text before and after the row.
fn check_row(vector: &Vector, wrong: &mut Vec<String>) {
    for (before, after) in [("", ""), ("prefix ", ""), ("", " suffix"), ("prefix ", " suffix")] {
        let answer = normalize(&format!("{before}{}{after}", vector.input)).text;
        let wanted = format!("{before}{}{after}", vector.normalized);
        if answer != wanted {
            wrong.push(format!("{}: wanted {wanted:?}, got {answer:?}", vector.kind));
        }
    }
}

#[test]
fn matches_vectors_with_text_around_them() {
    let mut wrong = Vec::new();
    for vector in read_rows::<Vector>(VECTORS) {
        check_row(&vector, &mut wrong);
        assert_eq!(
            vector.wanted.is_some(),
            vector.because.is_some(),
            "a known wrong answer has a reason: {}",
            vector.input
        );
        assert_ne!(vector.wanted.as_ref(), Some(&vector.normalized), "no longer wrong: {}", vector.input);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn matches_whole_text_vectors() {
    for vector in read_rows::<Vector>(WHOLE_TEXT_VECTORS) {
        let answer = normalize(&vector.input);
        assert_eq!(answer.text, vector.normalized, "{}", vector.kind);
        assert_eq!(Some(answer.headline), vector.headline, "{}", vector.kind);
        assert_eq!(answer.frame, vector.frame, "{}", vector.kind);
        assert_eq!(answer.site, vector.site, "{}", vector.kind);
    }
}

#[test]
fn same_failure_shares_a_family_and_different_failures_do_not() {
    let family = |text: &str| sign(Category::Unknown, "", &FailureEvent::default(), &normalize(text)).family;
    for Pair { same, a, b } in read_rows(SIGNATURE_PAIRS) {
        assert_eq!(family(&a) == family(&b), same, "{a:?} and {b:?}: {:?} and {:?}", normalize(&a), normalize(&b));
    }
}

#[test]
fn every_placeholder_has_a_vector() {
    let kinds: Vec<String> = read_rows::<Vector>(VECTORS).into_iter().map(|vector| vector.kind).collect();
    for entry in &placeholders::PLACEHOLDERS.entries {
        assert!(kinds.iter().any(|kind| kind == entry.name), "no vector for {}", entry.name);
    }
}

#[test]
fn hostile_texts_are_bounded_and_linear() {
    // The size is chosen so that a quadratic algorithm would not finish in the time of a test.
    let bytes = 1 << 18;
    #[rustfmt::skip] // one piece per line would fill a page
    let pieces = [
        "a", "1", "-", ":", "0:", "1.", "/", "(", "\u{1b}[31m", "\u{1b}[", "<A", "='", "a@", "é", "\0", "E   \n",
        "at x (\n", "Mon ", "1:11 ",
    ];
    for piece in pieces {
        let text = piece.repeat(bytes / piece.len());
        assert!(normalize(&text).text.len() <= super::MAX_TEXT_BYTES);
    }
}

#[test]
fn ansi_colors_do_not_change_the_result() {
    let plain = "    def test_total():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_cart.py:3: AssertionError";
    let coloured = plain.replace("E       assert", "\u{1b}[1m\u{1b}[31mE       assert").replace('\n', "\u{1b}[0m\n");
    assert_eq!(normalize(&coloured).text, normalize(plain).text);
    assert_eq!(normalize(plain).text, "assert <NUM> == <NUM>");
}

/// A chain of causes that exceeds the limit, followed by later output of a service.
fn cause_chain(root: &str, after: &str) -> String {
    let bean =
        |name: &str| format!("Caused by: org.acme.BeanException: no bean {name}, {}\n", "field needs it, ".repeat(60));
    let causes = [bean("a"), bean("b"), bean("c")].concat();
    let trace = "\tat org.acme.Shop.main(Shop.java:3)\n";
    format!(
        "java.lang.IllegalStateException: no context\n{trace}{causes}Caused by: {root}\n{trace}\t... 12 more\n{after}"
    )
}

#[test]
fn long_cause_chain_keeps_the_error_and_the_deepest_cause() {
    let refused = normalize(&cause_chain("java.net.ConnectException: Connection refused", "")).text;
    let first = "java.lang.IllegalStateException: no context\nCaused by: org.acme.BeanException: no bean a,";
    assert!(refused.starts_with(first), "{refused}");
    assert!(refused.ends_with("\nCaused by: java.net.ConnectException: Connection refused"), "{refused}");
    assert!(refused.len() <= super::MAX_TEXT_BYTES);
    assert_eq!(normalize(&refused).text, refused);
}

#[test]
fn causes_of_later_output_are_not_the_deepest_cause() {
    let root = "java.net.ConnectException: Connection refused";
    let alone = normalize(&cause_chain(root, "")).text;
    for after in [
        "2026-01-02 10:00:00 WARN pool - not valid\njava.sql.SQLException: closed\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: pipe\n",
        "\tSuppressed: java.io.IOException: pipe\n\tCaused by: java.net.SocketException: reset\n",
        "Caused by: [CIRCULAR REFERENCE: java.net.ConnectException]\n",
    ] {
        assert_eq!(normalize(&cause_chain(root, after)).text, alone, "{after}");
    }
}

/// Tests every position of the limit within the cause, and too many lines.
#[test]
fn deepest_cause_is_not_cut() {
    for length in 1900..2060 {
        let text = format!(
            "{}\n\tat a.B.c(B.java:1)\nCaused by: org.acme.CartError: nobody's cart",
            "no cart ".repeat(length)[..length].trim()
        );
        let once = normalize(&text).text;
        assert!(once.ends_with("Caused by: org.acme.CartError: nobody's cart"), "{once}");
        assert_eq!(normalize(&once).text, once);
    }
    let letters: String = ('a'..='z').flat_map(|one| ['x', 'y', 'z'].map(|two| format!("{one}{two}\n"))).collect();
    let once = normalize(&format!("Caused by: a short one\n{letters}Caused by: a short one")).text;
    assert_eq!((once.lines().count(), once.lines().last()), (super::MAX_LINES, Some("uz")));
    let many = normalize(&format!("{letters}Caused by: a short one")).text;
    assert_eq!((many.lines().count(), many.lines().last()), (super::MAX_LINES, Some("Caused by: a short one")));
    assert_eq!(normalize(&many).text, many);
}

/// JSON as programs print it has no blank at which it could be cut.
#[test]
fn very_long_word_is_cut_at_the_limit() {
    let fields: Vec<String> = (0..100).map(|n| format!("{{\"price\":{n}.5,\"currency\":\"EUR\"}}")).collect();
    let answer = normalize(&format!("AssertionError: [{}]", fields.join(","))).text;
    assert!(answer.starts_with("AssertionError: [{\"price\":<NUM>,\"currency\":\"EUR\"},{"), "{answer}");
    assert!((super::MAX_TEXT_BYTES - 4..=super::MAX_TEXT_BYTES).contains(&answer.len()));
    assert_eq!(normalize(&answer).text, answer);
}

/// A placeholder can shorten a word so that a second pass would match something else.
#[test]
fn normalizing_twice_changes_nothing() {
    for text in [
        "G.fe80::1G",
        "x.com.5",
        "a:b@b.cod.7z",
        "for user  bob\tby 1",
        "code 5  s",
        "thread 'x' panicked at  a.rs:1:2",
        "GET \t/8",
        "GET \"\t/8",
        "db://<5ms",
        "db://,::<5ms",
        "for user u2x  from 5",
        "error (404)     Not Found",
        "code 04/Mar/2026:05:06:07just",
    ] {
        let once = normalize(text).text;
        assert_eq!(normalize(&once).text, once);
    }
}

/// Parts of placeholders and text around placeholders.
#[rustfmt::skip] // one piece per line would fill a page
const PIECES: [&str; 146] = [
    "2024-03-01", "T", "10:22:31", ".123", "Z", "+01:00", "Mon", "Jan", "May", "2", "02", "2006", "06", "MST", "PM",
    "127.0.0.1", ":8080", "::1", "fe80::1", "dead:beef", "aa:bb:cc:dd:ee:ff", "http://a.b/c?d=1", "https", "://",
    "example.com", "a@b.co", "@", "/tmp/x1", "/tmp/a/b.txt", "/home/bob/x.rs", "C:\\Users\\x\\y.txt", "~", "~/", "/",
    "//", "0x7f", "0x80070005", "9fceb02", "deadbeef", "4bf92f3577b34da6a3ce929d0e0e4736",
    "bea691f2-2e25-4bec-6838-e0c44b03d60a", "83de-91e246779577", "eyJhbGci.eyJzdWIi.x", "req_8fK2LmQx91Zt",
    "web-5d4f7c9b8-x2z9k", "-bdf5", "i-0d1f2dfeb37c586ad", "node ", "E0308", "TS2345", "int32", "worker12", "UTF-8",
    "ORA-00942", "exit code ", "code", "errno", "status", "HTTP", "GET ", "POST /api/", "404", "500", "Not Found",
    "returned ", "expected", "==", "=", "='", "'", "\"", "`", "(", ")", "[", "]", "<", ">", "<IP>", "<NUM>", "<LINE>",
    "[REDACTED:token]", "{", "}", "12", "7", "1234567", "1.5", "3.", "ms", " s", "MB", "%", "-", "_", "+", ".", ",",
    ":", ";", "#", " ", "  ", "\t", "\n", "\r\n", "\u{1b}[31m", "é", "at f (x.js:1:2)", "at ", "E   ", "user ", "GET",
    "<5ms", "u2x", "error (", "org.acme.shop.", "x.Mon.eyJ.", "     ", "\"\t/", "INFO ", "\nINFO: ", "\n[INFO] ",
    " LOG: ", "\n<TIMESTAMP> [", "\nlevel=info ", "\n{\"level\":30,", " - - [", "] \"GET / HTTP/1.1\" 200 ",
    "\n2006-01-02T15:04:05.1234567Z ", "2006-21-02T15:04:05.1234567Z ", "\na\tb\t2006-01-02T15:04:05.123456789Z",
    "\u{feff}", " stdout F ", "\n##[error]", "##[group]", " code 04/Mar/2026", ":05:06:07", "\n[ERROR]", " -> [Help 1]",
    "\n[INFO] --- ", "\n> Task :", "\n* Try:", "\nBUILD FAILED in ", "\nCartTest > total", " FAILED\n",
];

fn text_of_pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => "[a-f0-9]{1,9}", 1 => "[ -~]{1,4}"];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    // Each test runs 4,096 cases (16,384 with PROPTEST_CASES=1024), because the errors are rare and the tests are fast.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 16))]

    #[test]
    fn normalizing_any_text_is_idempotent(text in text_of_pieces()) {
        let once = normalize(&text).text;
        prop_assert_eq!(&normalize(&once).text, &once);
    }

    /// Stopping only at stops must give the same result as stopping at every byte.
    #[test]
    fn stopping_only_at_stops_gives_the_same_result(text in text_of_pieces(), space in "[ a-z]{0,70}") {
        for line in text.lines().map(|line| format!("{space}{line}")) {
            let (mut fast, mut slow, mut statuses) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
            super::walk::write_line(line.as_bytes(), &mut fast, &mut statuses.0);
            super::walk::write_line_slowly(line.as_bytes(), &mut slow, &mut statuses.1);
            prop_assert_eq!((String::from_utf8_lossy(&fast), statuses.0), (String::from_utf8_lossy(&slow), statuses.1));
        }
    }

    /// A second pass must not change a line that was reported as settled.
    #[test]
    fn settled_lines_do_not_change(text in text_of_pieces()) {
        let line = text.replace(['\n', '\r', '\u{1b}'], "");
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        if super::walk::write_line(line.trim().as_bytes(), &mut once, &mut Vec::new()).is_line_stable {
            super::walk::write_line(&once, &mut twice, &mut Vec::new());
            prop_assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        }
    }

    /// The fast path for common time formats must give the same result as the general parser.
    #[test]
    fn fast_timestamps_equal_general_timestamps(text in "(2006-0?[1-9]{1,2}-[0-9]{2}[T ]|0?[1-9]{1,2}/(Jan|Foo)/20[0-9]{2}:)[012]?[0-9]:[0-9]{2}(:[0-9]{2})?([.,][0-9]{3})?(Z|x| PM|:a| UTC| \\+0000)? ?[a-z0-9]?") {
        prop_assert_eq!(crate::output::line_decorations::time::timestamp_end(text.as_bytes(), 0), crate::output::line_decorations::time::timestamp_end_in_any_order(text.as_bytes(), 0));
    }

    #[test]
    fn normalizing_any_string_is_idempotent(text in any::<String>()) {
        let once = normalize(&text).text;
        prop_assert_eq!(&normalize(&once).text, &once);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The property must also hold for a text whose end was cut off.
    #[test]
    fn normalizing_long_text_is_idempotent(lines in proptest::collection::vec(text_of_pieces(), 0..200), mark in "[ \n,:]") {
        let once = normalize(&lines.join(&mark)).text;
        prop_assert!(once.len() <= super::MAX_TEXT_BYTES);
        prop_assert_eq!(&normalize(&once).text, &once);
    }

    #[test]
    fn result_is_bounded_and_deterministic(text in text_of_pieces(), times in 1_usize..400) {
        let long = text.repeat(times);
        let normalized = normalize(&long);
        prop_assert!(normalized.text.len() <= super::MAX_TEXT_BYTES && normalized.headline.len() <= super::MAX_HEADLINE_BYTES);
        prop_assert_eq!(normalize(&long), normalized);
    }
}
