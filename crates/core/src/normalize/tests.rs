use super::{normalize, table};
use proptest::prelude::*;

#[test]
fn the_contract_examples() {
    for (input, wanted) in [
        ("ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED <IP>:<PORT>"),
        ("POST /api/123 returned 503", "POST /api/<ID> returned 5xx"),
        ("unexpected error 9f86d081884c7d65", "unexpected error <HASH>"),
    ] {
        assert_eq!(normalize(input).text, wanted);
    }
}

#[test]
fn every_placeholder_has_a_name() {
    let entries = table::BY_DIGIT.iter().chain(&table::BY_NAME).chain(&table::BY_WORD);
    assert!(entries.map(|entry| entry.name).all(|name| !name.is_empty()));
}

/// Pieces that placeholders are made of, and what stands around them.
const PIECES: [&str; 112] = [
    "2024-03-01",
    "T",
    "10:22:31",
    ".123",
    "Z",
    "+01:00",
    "Mon",
    "Jan",
    "May",
    "2",
    "02",
    "2006",
    "06",
    "MST",
    "PM",
    "127.0.0.1",
    ":8080",
    "::1",
    "fe80::1",
    "dead:beef",
    "aa:bb:cc:dd:ee:ff",
    "http://a.b/c?d=1",
    "https",
    "://",
    "example.com",
    "a@b.co",
    "@",
    "/tmp/x1",
    "/tmp/a/b.txt",
    "/home/bob/x.rs",
    "C:\\Users\\x\\y.txt",
    "~",
    "~/",
    "/",
    "//",
    "0x7f",
    "0x80070005",
    "9fceb02",
    "deadbeef",
    "4bf92f3577b34da6a3ce929d0e0e4736",
    "bea691f2-2e25-4bec-6838-e0c44b03d60a",
    "83de-91e246779577",
    "eyJhbGci.eyJzdWIi.x",
    "req_8fK2LmQx91Zt",
    "web-5d4f7c9b8-x2z9k",
    "-bdf5",
    "i-0d1f2dfeb37c586ad",
    "node ",
    "E0308",
    "TS2345",
    "int32",
    "worker12",
    "UTF-8",
    "ORA-00942",
    "exit code ",
    "code",
    "errno",
    "status",
    "HTTP",
    "GET ",
    "POST /api/",
    "404",
    "500",
    "Not Found",
    "returned ",
    "expected",
    "==",
    "=",
    "='",
    "'",
    "\"",
    "`",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "<IP>",
    "<NUM>",
    "<LINE>",
    "[REDACTED:token]",
    "{",
    "}",
    "12",
    "7",
    "1234567",
    "1.5",
    "3.",
    "ms",
    " s",
    "MB",
    "%",
    "-",
    "_",
    "+",
    ".",
    ",",
    ":",
    ";",
    "#",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u{1b}[31m",
    "é",
    "at f (x.js:1:2)",
    "at ",
    "E   ",
    "user ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => "[a-f0-9]{1,9}", 1 => "[ -~]{1,4}"];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn twice_is_once(text in text()) {
        let once = normalize(&text).text;
        prop_assert_eq!(&normalize(&once).text, &once);
    }

    #[test]
    fn any_string_is_taken(text in any::<String>()) {
        let once = normalize(&text).text;
        prop_assert_eq!(&normalize(&once).text, &once);
    }

    #[test]
    fn the_answer_is_bounded(text in text(), times in 1_usize..400) {
        let long = text.repeat(times);
        let normalized = normalize(&long);
        prop_assert!(normalized.text.len() <= super::MAX_TEXT && normalized.headline.len() <= super::MAX_HEADLINE);
        prop_assert_eq!(normalize(&long), normalized);
    }
}
