//! Tests the vectors, properties of any text, and secrets of users.
//!
//! In `tests/vectors/redact.jsonl`, a secret is enclosed in `⟦⟧` and broken up with `·`, so that no scanner reports the
//! file as a leak. All values in the file are invented.

mod places;

use super::{Redactor, SecretPattern};
use crate::display::sanitize_text;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    kind: String,
    #[serde(default)]
    keep: bool,
    /// Set if the test must not put text before the lines.
    #[serde(default)]
    own: bool,
    text: String,
}

/// Returns the text of the row without marks, and the expected result.
fn assemble_texts(row: &Row) -> (String, String) {
    let text = row.text.replace('·', "");
    let mut wanted = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('⟦') {
        let (_, after) = after.split_once('⟧').expect("every mark is closed");
        wanted.push_str(before);
        wanted.push_str("[REDACTED]");
        rest = after;
    }
    wanted.push_str(rest);
    (text.replace(['⟦', '⟧'], ""), wanted)
}

fn without_kinds(text: &str) -> String {
    regex::Regex::new(r"\[REDACTED:[^\]]*\]").unwrap().replace_all(text, "[REDACTED]").into_owned()
}

fn read_rows() -> Vec<Row> {
    let file = include_str!("../../../../tests/vectors/redact.jsonl");
    file.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn redact(text: &str) -> String {
    // A redactor per thread, because building a redactor takes longer than most texts.
    thread_local! { static REDACTOR: Redactor = Redactor::new(&[]).unwrap(); }
    REDACTOR.with(|redactor| redactor.redact(text).text.into_owned())
}

#[test]
fn matches_vectors() {
    let redactor = Redactor::new(&[]).unwrap();
    let mut wrong = Vec::new();
    for row in read_rows() {
        let (text, wanted) = assemble_texts(&row);
        let got = redactor.redact(&text);
        if row.keep {
            if got.text != text {
                wrong.push(format!("{} should stay: {}", row.kind, got.text));
            }
        } else if without_kinds(&got.text) != without_kinds(&wanted) {
            wrong.push(format!("{}: wanted {wanted}\n      got {}", row.kind, got.text));
        } else if !got.kinds.contains(&row.kind.as_str()) {
            wrong.push(format!("{}: kinds {:?} in {}", row.kind, got.kinds, got.text));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn matches_vectors_inside_frames() {
    let frames = [
        ("2026-01-02T03:04:05Z ERROR [main] ", " (see log)"),
        ("    at Object.<anonymous>\n  > ", "\n\nnext line"),
        ("\u{1b}[31m", "\u{1b}[0m"),
        ("caf\u{e9} \u{200b}", "\u{feff}"),
        ("caf\u{e9}\n", "\nnext: line"),
    ];
    let mut wrong = Vec::new();
    let fits = |row: &Row, prefix: &str| row.own == prefix.ends_with('\n');
    let rows = read_rows();
    let pairs = rows.iter().flat_map(|row| frames.iter().map(move |frame| (row, *frame)));
    for (row, (prefix, suffix)) in pairs.filter(|(row, (prefix, _))| fits(row, prefix)) {
        let (text, wanted) = assemble_texts(row);
        let wanted = if row.keep { text.clone() } else { without_kinds(&wanted) };
        let got = redact(&format!("{prefix}{text}{suffix}"));
        let wanted = sanitize_text(&format!("{prefix}{wanted}{suffix}")).into_owned();
        if without_kinds(&got) != without_kinds(&wanted) {
            wrong.push(format!("{}: wanted {wanted:?}\n      got {got:?}", row.kind));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn user_secrets_are_redacted() {
    let secret = |pattern: &str| SecretPattern { name: "ticket".to_owned(), pattern: pattern.to_owned() };
    let redactor = Redactor::new(&[secret(r"TCK-(\d{6})"), secret(r"\bINTERNAL\b")]).unwrap();
    let got = redactor.redact("TCK-123456 is INTERNAL");
    assert_eq!(got.text, "TCK-[REDACTED:ticket] is [REDACTED:ticket]");
    assert_eq!(got.kinds, ["ticket"]);
    let error = Redactor::new(&[secret("(")]).unwrap_err();
    assert_eq!(error.name, "ticket");
}

#[test]
fn user_pattern_that_matches_everything_terminates() {
    for pattern in [r"\w+", ".*", "a*", r"(?s).", "REDACTED"] {
        let redactor =
            Redactor::new(&[SecretPattern { name: "all words".to_owned(), pattern: pattern.to_owned() }]).unwrap();
        let once = redactor.redact("one two password=hunter2x three").text.into_owned();
        assert_eq!(redactor.redact(&once).text, once, "{pattern}");
    }
}

#[test]
fn ansi_color_inside_a_secret_does_not_hide_it() {
    let token = format!("gh{}_{}\u{1b}[32m{}", "p", "Fake1Fake2Fake3Fake4", "Fake5Fake6Fake7Fake8");
    let got = redact(&format!("\u{1b}[1mBad\u{1b}[0m {token}\u{1b}[0m end"));
    assert_eq!(got, "Bad [REDACTED:github-token] end");
}

#[test]
fn invisible_character_inside_a_secret_does_not_hide_it() {
    let invisible = [
        "\u{200b}",
        "\u{ad}",
        "\u{2800}",
        "\u{1bca0}",
        "\u{13430}",
        "\u{e000}",
        "\u{e0041}",
        "\u{100000}",
        "\0",
        "\u{8}",
    ];
    let mut wrong = Vec::new();
    for (row, hidden) in read_rows().iter().filter(|row| !row.keep).zip(invisible.iter().cycle()) {
        let (text, wanted) = assemble_texts(row);
        let (start, _) =
            row.text.replace('·', "").split_once('⟦').map(|(before, after)| (before.len(), after.len())).unwrap();
        let inside = text.char_indices().map(|(at, _)| at).find(|at| *at >= start + 3).unwrap_or(text.len());
        let got = redact(&format!("{}{hidden}{}", &text[..inside], &text[inside..]));
        if without_kinds(&got) != without_kinds(&wanted) {
            wrong.push(format!("{}: wanted {wanted:?}\n      got {got:?}", row.kind));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The values are longer than the window of any matcher.
#[test]
fn very_long_value_is_redacted_completely() {
    let text = ["Kx7", "pQ2", "mVt", "9Zr"].concat().repeat(6_000);
    let places = [
        ("token=", ""),
        ("password: \"", "\""),
        ("Authorization: Bearer ", ""),
        ("Cookie: sid=", "; a=b"),
        ("aws_secret_access_key = ", ""),
        ("tool --password ", " -h x"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJm", ".abc"),
        ("{\"kty\":\"RSA\",\"d\":\"", "\"}"),
        ("-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----"),
    ];
    for (before, after) in places {
        let got = redact(&format!("{before}{text}{after}"));
        assert!(got.len() < 200, "{before}: {} bytes left", got.len());
    }
}

#[test]
fn kinds_are_listed_once() {
    let got = Redactor::new(&[]).unwrap().redact("password=a1!bcdef user=x passwd=b2!cdefg").kinds.clone();
    assert_eq!(got, ["password"]);
}

/// Generates text from fragments that the matchers look for, in any order.
fn text_with_fragments() -> impl Strategy<Value = String> {
    #[rustfmt::skip] // one word per line would fill a page
    let words = [
        "password", "=", ":", " ", "\"", "'", "\\", "\n", "token", "api_key", "Authorization", "Bearer ", "Basic ",
        "Cookie", "Set-Cookie", ";", "&", "?", "://", "@", "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----", "eyJhbGciOi", ".", "abc123DEF456ghi789JKL012", "ghp_", "sk-", "[REDACTED:",
        "]", "[REDACTED:password]", "ü", "\u{1b}[31m", "login ", "curl ", "-u ", "a:b1c2d3", "value", "name", ",", "(",
        ")", "<", ">", "${", "}", "%3D", "\\n", "-p", "mysql ", "\"kty\"", "\"d\"", "AKIA", "kind: Secret\ndata:\n ",
        "expect(", " is ", "|", "Some(", "{", "credentials ", " / ", "%3A%2F%2F", "dc=", "machine ", "Expected: ", "密码",
        "：", "type=\"password\" ", "$2b$12$", "[", "auth=(", "passphrase", "echo ", "| sudo -S",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..24).prop_map(|words| words.concat())
}

/// Tries every character as a complete value.
#[test]
fn redacting_a_single_character_value_twice_changes_nothing() {
    for value in (b' '..=b'~').map(char::from) {
        for (before, after) in [
            ("password=", ""),
            ("{\"token\": \"", "\"}"),
            ("WHERE secret = '", "'"),
            ("curl -u ", " x"),
            ("Cookie: a=", ";"),
            (";Pw:", ""),
        ] {
            let text = format!("{before}{value}{after}");
            assert_eq!(redact(&redact(&text)), redact(&text));
        }
    }
    assert_eq!(redact("WHERE token = '%'"), "WHERE token = '%'");
}

proptest! {
    #[test]
    fn redacting_is_idempotent(text in prop_oneof![text_with_fragments(), any::<String>()]) {
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once);
    }

    /// A secret may consist of any few characters.
    #[test]
    fn redacting_short_values_twice_changes_nothing(name in "(password|api_key|token|-u|Authorization|Cookie|PGPASSWORD)", mark in "(=|: ?|\": ?\"| = '| |%3D|://a:)", value in "[ -~]{0,4}") {
        for text in [format!("{name}{mark}{value}"), format!("{{\"{name}{mark}{value}\"}} in '{value}'@x")] {
            let once = redact(&text);
            prop_assert_eq!(redact(&once), once);
        }
    }

    #[test]
    fn known_token_is_redacted_anywhere(before in "[ -~]{0,20}", after in "[ -~]{0,20}", body in "[A-Za-z0-9]{24}") {
        let token = format!("xo{}-{}", "xb", body);
        let got = redact(&format!("{before} {token} {after}"));
        prop_assert!(!got.contains(&body));
    }

    #[test]
    fn digests_and_shas_stay(sha in "[a-f0-9]{40}", digest in "[a-f0-9]{64}") {
        let text = format!("at {sha}: image app@sha256:{digest} is gone");
        prop_assert_eq!(redact(&text), text);
    }
}

/// A search for a secret's prefix in redacted text must not find the name of the kind.
#[test]
fn no_kind_name_contains_the_prefix_of_its_token() {
    for pattern in crate::redact::finders::token_patterns::TOKEN_PATTERNS {
        let repeats = |part: &[u8]| pattern.kind.as_bytes().windows(part.len()).any(|own| own == part);
        let any_repeats = pattern.heads.iter().any(|head| head.as_bytes().windows(8).any(repeats));
        assert!(!any_repeats, "{}", pattern.kind);
    }
}
