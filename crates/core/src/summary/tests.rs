//! Tests headlines, messages and places of real output.

use super::{FailureLocations, SourceLocation, Summary, find_failure_locations};
use serde_json::{Map, Value};

/// A row of `tests/vectors/summaries.jsonl`. Absent fields are not compared.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    kind: String,
    /// The printed output.
    text: String,
    /// The line that a person would choose as the error.
    headline: Option<String>,
    /// The whole message.
    message: Option<String>,
    /// Parts of the message.
    #[serde(default)]
    values: Vec<String>,
    /// Folder of the project if it is not `/srv/shop/`.
    root: Option<String>,
    /// The test's file in the runner's notation.
    case_file: Option<String>,
    /// `own`, `test` and `case`, each with a place or null.
    #[serde(flatten)]
    places: Map<String, Value>,
}

#[test]
fn matches_vectors() {
    for line in include_str!("../../../../tests/vectors/summaries.jsonl").lines() {
        let row: Vector = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let (summary, kind) = (Summary::read(&row.text), format!("{}: {}", row.kind, row.text));
        let message = summary.message(400);
        assert!(row.headline.is_none_or(|headline| headline == summary.headline()), "{kind}");
        assert!(row.message.is_none_or(|wanted| wanted == message), "{kind}: {message}");
        assert!(row.values.iter().all(|value| message.contains(value)), "{kind}: {message}");
        let root = row.root.as_deref().unwrap_or("/srv/shop/");
        let shown = |file: &str| file.strip_prefix(root).unwrap_or(file).to_owned();
        let found = find_failure_locations(&row.text, row.case_file.as_deref(), shown);
        for (which, wanted) in row.places {
            let place = match which.as_str() {
                "own" => &found.project_code,
                "test" => &found.test,
                "case" => &found.case,
                _ => panic!("there is no place {which:?}: {kind}"),
            };
            assert_eq!(
                place.as_ref().map(SourceLocation::format_file_line).as_deref(),
                wanted.as_str(),
                "{which} of {kind}"
            );
        }
    }
}

#[test]
fn place_has_the_function_of_its_frame() {
    let found = find_failure_locations("Error: x\n    at total (/srv/shop/src/cart.js:7:12)", None, str::to_owned);
    assert_eq!(found.project_code.unwrap().function.as_deref(), Some("total"));
}

/// The frame of the test must be found below a long stack of a parser.
#[test]
fn test_frame_is_found_below_a_long_parser_stack() {
    let parser = "      at parse (node_modules/@babel/parser/src/parser.ts:1:1)\n".repeat(40);
    let text = format!(
        "SyntaxError: /srv/shop/src/slug.js: Unexpected token (4:37)\n\n{parser}      at Object.require (test/slug.test.js:1:18)"
    );
    let FailureLocations { test, .. } = find_failure_locations(&text, None, str::to_owned);
    assert_eq!(test.unwrap().format_file_line(), "test/slug.test.js:1");
}

#[test]
fn long_diff_shows_both_sides() {
    let side = |mark: char, tag: &str| {
        let line = |number| format!("{mark}<p><{tag}>line {number} of the page</{tag}></p>\\n\n");
        (0..9).map(line).collect::<Vec<_>>().concat()
    };
    let page = [
        "Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n@@ @@\n '<div>\n",
        &side('-', "em"),
        &side('+', "i"),
    ];
    let message = Summary::read(&page.concat()).message(160);
    let wanted =
        "--- Expected\n+++ Actual\n-<p><em>line 0 of the page</em></p>\\n\n+<p><i>line 0 of the page</i></p>\\n\n";
    assert!(message.contains(wanted), "{message}");
    // Node's older diffs print the actual side first.
    let node = format!("Expected values to be strictly deep-equal:\n{}{}", side('+', "em"), side('-', "i"));
    let message = Summary::read(&node).message(400);
    assert!(message.contains("+<p><em>line 1 of the page</em></p>\\n\n-<p><i>line 1 of the page</i></p>"), "{message}");
}

#[test]
fn long_lines_are_shortened_to_their_difference() {
    let line = |mark: char, word: &str| {
        let words = "a red shoe, ".repeat(30);
        format!("{mark}'{words}{word}, {words}'")
    };
    let diff = format!("strings are equal\n--- Expected\n+++ Actual\n{}\n{}", line('-', "größer"), line('+', "größe"));
    let message = Summary::read(&diff).message(200);
    assert!(message.contains("-… shoe, a red shoe, größer, a red shoe, a red shoe…\n"), "{message}");
    assert!(message.contains("+… shoe, a red shoe, größe, a red shoe, a red shoe…"), "{message}");
    // Values with labels, on adjacent lines or on the same line.
    let value = |word: &str| format!("\"{}{word}\"", "a red shoe, ".repeat(30));
    let rust = format!("assertion `left == right` failed\n  left: {}\n right: {}", value("sold"), value("gold"));
    let message = Summary::read(&rust).message(400);
    let wanted = "left: …a red shoe, a red shoe, sold\"\nright: …a red shoe, a red shoe, gold\"";
    assert!(message.contains(wanted), "{message}");
    let junit = format!("AssertionFailedError: expected: <{}> but was: <{}>", value("sold"), value("gold"));
    let message = Summary::read(&junit).message(400);
    assert!(message.contains("sold\"> but was: <…a red shoe, a red shoe, gold\">"), "{message}");
    // A value is a prefix of the other value.
    let long = "x".repeat(90);
    let message = Summary::read(&format!("differ:\n-{long}\n+{long}yz")).message(400);
    assert!(message.ends_with(&format!("+…{}yz", "x".repeat(24))), "{message}");
}

#[test]
fn message_is_bounded_and_keeps_its_values() {
    let noise: Vec<_> = (0..40).map(|number| format!("note {number} of the shop, which says little")).collect();
    let noise = noise.join("\n");
    let text = format!("Error: the totals differ\n{noise}\nExpected: 200\nReceived: 500\n");
    let message = Summary::read(&text).message(160);
    assert!(message.chars().count() <= 160, "{message}");
    assert!(message.starts_with("Error: the totals differ\n") && message.ends_with('…'), "{message}");
    let dumped = format!("Expected #<Response {}> to match /Not Found/.", "@status=200 ".repeat(80));
    let message = Summary::read(&dumped).message(600);
    assert!(message.starts_with("Expected #<Response") && message.ends_with("to match /Not Found/."), "{message}");
    assert!(Summary::read(&"x".repeat(100_000)).message(100).chars().count() <= 100);
    assert_eq!(Summary::read("").message(100), "");
}
