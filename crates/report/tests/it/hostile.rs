//! Bad input: cut, mutated, endless, or of the wrong kind. The reader must not panic, must stay within its limits, and
//! must not report more cases than the input has.

use std::fmt::Write as _;

use crate::{cases, fixture, fixtures, read, read_as};
use argus_report::{CaseStatus, Options, ReportFormat, parse};
use proptest::prelude::*;

const FORMATS: [ReportFormat; 6] = [
    ReportFormat::Junit,
    ReportFormat::Ctrf,
    ReportFormat::Jest,
    ReportFormat::Playwright,
    ReportFormat::Tap,
    ReportFormat::GoTest,
];

#[test]
fn cut_report_has_no_additional_cases() {
    for name in fixtures() {
        let bytes = fixture(&name);
        let (whole, _) = read(&bytes).unwrap();
        let step = (bytes.len() / 150).max(1);
        for end in (0..bytes.len()).step_by(step) {
            if let Ok((cut, _)) = read_as(&bytes[..end], Some(whole.format)) {
                assert!(cut.cases <= whole.cases, "{name} cut at {end}: {} of {}", cut.cases, whole.cases);
            }
        }
    }
}

#[test]
fn cut_report_has_a_problem() {
    for name in fixtures() {
        let bytes = fixture(&name);
        let end = bytes.len() / 3;
        match read(&bytes[..end]) {
            Ok((parsed, _)) => assert!(!parsed.problems.is_empty(), "{name}"),
            Err(error) => assert_eq!(error.code(), "REPORT_UNREADABLE"),
        }
    }
}

#[test]
fn rejects_report_of_another_format() {
    for name in fixtures() {
        let bytes = fixture(&name);
        let own = read(&bytes).unwrap().0.format;
        for format in FORMATS.into_iter().filter(|format| *format != own) {
            let cases = read_as(&bytes, Some(format)).map_or(0, |(parsed, _)| parsed.cases);
            assert_eq!(cases, 0, "{name} as {format:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn mutated_reports_never_panic(
        which in 0..1000_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let names = fixtures();
        let mut bytes = fixture(&names[which % names.len()]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() * 4).min(bytes.len()));
        let _ = read(&bytes);
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), format in 0..6_usize) {
        let _ = read_as(&bytes, Some(FORMATS[format]));
        let _ = read(&bytes);
    }

    #[test]
    fn any_markup_never_panics(text in "([<>/&;\"'=!\\[\\]a?# -]|testcase|failure|<!\\[CDATA\\[|\\]\\]>|é|&#x1F600;){0,60}") {
        let _ = read_as(text.as_bytes(), Some(ReportFormat::Junit));
        let _ = read_as(format!("<testsuite>{text}</testsuite>").as_bytes(), Some(ReportFormat::Junit));
    }

    #[test]
    fn any_json_string_is_read_in_pieces(text in "(\\\\u[dD][89abcdef][0-9]{2}|\\\\n|\\\\\"|\\\\\\\\|é|😀|[ -!#-\\[\\]-~]){0,40}", size in 1..9_usize) {
        let json = format!(r#"{{"testResults":[{{"name":"a.js","assertionResults":[{{"title":"{text}x","status":"passed"}}]}}]}}"#);
        let options = Options { name: "report".to_owned(), project_root: String::new(), decoders: None };
        let mut names = Vec::new();
        let small = std::io::BufReader::with_capacity(size, json.as_bytes());
        parse(small, Some(ReportFormat::Jest), &options, &mut |case| names.push(case.name)).unwrap();
        let whole = cases(json.as_bytes());
        prop_assert_eq!(&names, &whole.into_iter().map(|case| case.name).collect::<Vec<_>>());
        prop_assert!(names[0].ends_with('x'));
    }
}

#[test]
fn reads_same_cases_with_any_chunk_size() {
    for name in fixtures() {
        let bytes = fixture(&name);
        let whole = cases(&bytes);
        for size in [1, 2, 3, 7, 64] {
            let options = Options { name: "report".to_owned(), project_root: "/project".to_owned(), decoders: None };
            let mut pieces = Vec::new();
            let reader = std::io::BufReader::with_capacity(size, bytes.as_slice());
            parse(reader, None, &options, &mut |case| pieces.push(case)).unwrap();
            assert_eq!(pieces, whole, "{name} in chunks of {size}");
        }
    }
}

#[test]
fn does_not_expand_entity_bomb() {
    let mut xml = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n");
    for level in 1..10 {
        let body = format!("&lol{};", level - 1).repeat(10);
        let _ = writeln!(xml, "<!ENTITY lol{level} \"{body}\">");
    }
    xml.push_str("]>\n<testsuite><testcase name=\"&lol9;\"><failure>&lol9; &unknown;</failure></testcase></testsuite>");
    let (parsed, cases) = read(xml.as_bytes()).unwrap();
    assert_eq!(cases[0].name, "&lol9;");
    assert_eq!(cases[0].error.as_deref(), Some("&lol9; &unknown;"));
    assert!(parsed.problems.iter().any(|problem| problem.reason.contains("document type")));
    assert!(parsed.problems.iter().any(|problem| problem.reason.contains("entity")));
}

#[test]
fn reads_a_million_levels() {
    let deep = 1_000_000;
    let xml = format!("<testsuites>{}{}</testsuites>", "<testsuite name=\"a\">".repeat(deep), "<testcase name=\"x\"/>");
    assert!(read(xml.as_bytes()).unwrap().0.problems.len() >= 2);
    let json = format!(r#"{{"testResults":{}"#, "[".repeat(deep));
    assert!(read(json.as_bytes()).is_err());
    let ignored = format!(r#"{{"snapshot":{}{},"testResults":[]}}"#, "[".repeat(deep), "]".repeat(deep));
    assert_eq!(read_as(ignored.as_bytes(), Some(ReportFormat::Jest)).unwrap().0.cases, 0);
    let tap = format!("TAP version 13\n{}ok 1 - deep\n1..1\n", " ".repeat(deep));
    assert!(read_as(tap.as_bytes(), Some(ReportFormat::Tap)).unwrap().0.cases <= 1);
}

#[test]
fn bounds_huge_texts() {
    let huge = "x".repeat(20 * 1024 * 1024);
    let attribute = format!(
        "<testsuite><testcase name=\"a\"><failure message=\"{huge}\"/></testcase><testcase name=\"b\"/></testsuite>"
    );
    let (parsed, read_cases) = read(attribute.as_bytes()).unwrap();
    assert_eq!(read_cases.len(), 2);
    assert!(parsed.problems.iter().any(|problem| problem.reason.contains("too long")));
    let text = format!(
        "<testsuite><testcase name=\"{huge}\"><failure>first {huge} last</failure><system-out>{huge} end</system-out></testcase></testsuite>"
    );
    let case = cases(text).remove(0);
    let error = case.error.unwrap();
    assert!(error.starts_with("first x") && error.ends_with("x last") && error.contains("bytes left out"));
    assert!(case.stdout_tail.unwrap().ends_with("x end"));
    let json = format!(
        r#"{{"testResults":[{{"name":"a.js","assertionResults":[{{"title":"t","status":"failed","failureMessages":["first {huge}\ud83d last"]}}]}}]}}"#
    );
    let error = cases(json).remove(0).error.unwrap();
    assert!(error.starts_with("first x") && error.ends_with("\u{FFFD} last"), "{}", &error[error.len() - 40..]);
    let event = format!(
        "{{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestA\"}}\n{{\"Action\":\"output\",\"Package\":\"p\",\"Test\":\"TestA\",\"Output\":\"first {huge} last\\n\"}}\n{{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestA\"}}\n"
    );
    assert!(cases(event).remove(0).error.unwrap().ends_with("x last"));
    let tap = format!("TAP version 13\nnot ok 1 - a\n  ---\n  error: '{huge}'\n  ...\nok 2 - b\n1..2\n");
    assert_eq!(cases(tap).len(), 2);
}

#[test]
fn cuts_texts_between_words() {
    let words = "password=0123456789 ".repeat(4096);
    let text = format!(
        "<testsuite><testcase name=\"{words}\"><failure>no</failure><system-out>{words}end</system-out></testcase></testsuite>"
    );
    let case = cases(text).remove(0);
    assert!(case.name.ends_with("password=0123456789"), "{}", &case.name[case.name.len() - 40..]);
    let output = case.stdout_tail.unwrap();
    assert!(output.starts_with("password=0123456789 "), "{}", &output[..40]);
}

#[test]
fn keeps_odd_characters() {
    let surrogate = r#"{"numTotalTests":1,"testResults":[{"name":"/project/a.js","assertionResults":[{"title":"cut \ud83d and \udc00 whole \ud83d\ude00","status":"failed","failureMessages":["a\u0000b"]}]}]}"#;
    let (parsed, found) = read(surrogate.as_bytes()).unwrap();
    assert_eq!(found[0].name, "cut \u{FFFD} and \u{FFFD} whole 😀");
    assert_eq!(found[0].error.as_deref(), Some("a\0b"));
    assert!(parsed.problems[0].reason.contains("invalid characters"));

    let raw = b"{\"testResults\":[{\"name\":\"a.js\",\"assertionResults\":[{\"title\":\"raw\0nul \x07 \xFF \xC3\xA9\",\"status\":\"passed\"}]}]}";
    assert_eq!(cases(raw)[0].name, "raw\0nul \u{7} \u{FFFD} é");

    let xml = b"<testsuite><testcase name=\"a\"><failure>\x1b[31mred\x1b[0m &#27;[1m \0 \xFF &#xD800; 5 < 6 && 7</failure></testcase></testsuite>";
    let (parsed, found) = read(xml).unwrap();
    let wanted = "\u{1b}[31mred\u{1b}[0m \u{1b}[1m \0 \u{FFFD} \u{FFFD} 5 < 6 && 7";
    assert_eq!(found[0].error.as_deref(), Some(wanted));
    assert!(parsed.problems.iter().any(|problem| problem.reason.contains("invalid characters")));
}

#[test]
fn reads_all_encodings() {
    let xml = "<testsuite><testcase name=\"Größe 東京 🎉\"/></testsuite>";
    let wide = |bytes: fn(u16) -> [u8; 2], mark: u16| {
        std::iter::once(mark).chain(xml.encode_utf16()).flat_map(bytes).collect::<Vec<u8>>()
    };
    let utf8 = [b"\xEF\xBB\xBF".as_slice(), xml.as_bytes()].concat();
    for bytes in [utf8, wide(u16::to_le_bytes, 0xFEFF), wide(u16::to_be_bytes, 0xFEFF)] {
        assert_eq!(cases(bytes)[0].name, "Größe 東京 🎉");
    }
    // PowerShell's `>` writes UTF-16.
    let events = "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestÜ\"}\r\n{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"TestÜ\"}\r\n";
    let bytes: Vec<u8> = std::iter::once(0xFEFF).chain(events.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(cases(bytes)[0].name, "TestÜ");
    let latin =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite><testcase name=\"Gr\xF6\xDFe \x80\"/></testsuite>";
    assert_eq!(cases(latin)[0].name, "Größe €");
    // Declared as Latin-1, but written as UTF-8.
    let wrong = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite><testcase name=\"Größe\"/></testsuite>";
    assert_eq!(cases(wrong)[0].name, "Größe");
}

#[test]
fn rejects_other_files_with_the_next_step() {
    let rows: [(&[u8], &str); 8] = [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0", "binary"),
        (b"\x1f\x8b\x08\x00some gzip", "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"hello world\nthis is a log\n", "known format"),
        (b"<html><body>404</body></html>", "known format"),
        (b"{\"name\":\"package\",\"version\":\"1.0.0\"}", "known format"),
    ];
    for (bytes, wanted) in rows {
        let error = read(bytes).unwrap_err();
        assert_eq!(error.code(), "REPORT_UNREADABLE");
        assert!(error.to_string().contains(wanted), "{error}");
    }
    for format in FORMATS {
        assert!(read_as(b"hello world\n", Some(format)).is_err(), "{format:?}");
    }
}

#[test]
fn returns_error_of_the_source() {
    let file = std::fs::File::open(crate::folder()).unwrap();
    let error = parse(std::io::BufReader::new(file), None, &Options::default(), &mut |_| {}).unwrap_err();
    assert!(error.is_io());
}

#[test]
fn accepts_reports_without_tests() {
    let empty = [
        "<testsuites name=\"vitest tests\" tests=\"0\"/>",
        "<?xml version=\"1.0\"?><testsuite name=\"empty\" tests=\"0\"></testsuite>",
        r#"{"numTotalTestSuites":0,"testResults":[]}"#,
        r#"{"config":{"rootDir":"/project"},"suites":[],"errors":[]}"#,
        r#"{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"tests":[]}}"#,
        "TAP version 13\n1..0\n",
        r#"{"Action":"skip","Package":"example.com/empty","Elapsed":0}"#,
    ];
    for text in empty {
        let (parsed, cases) = read(text.as_bytes()).unwrap();
        assert_eq!((cases.len(), parsed.problems.len()), (0, 0), "{text}: {:?}", parsed.problems);
    }
}

#[test]
fn drops_case_that_is_cut_before_its_result() {
    let xml = "<testsuite><testcase name=\"a\"/><testcase name=\"b\"><failure>broken</failure><testcase name=\"c\">";
    let statuses: Vec<CaseStatus> = cases(xml).iter().map(|case| case.status).collect();
    assert_eq!(statuses, [CaseStatus::Passed, CaseStatus::Failed]);
}

#[test]
fn counts_problems_above_the_limit() {
    let xml = format!("<testsuite>{}<testcase name=\"a\"/></testsuite>", "</testcase>".repeat(500));
    let (parsed, _) = read(xml.as_bytes()).unwrap();
    assert_eq!(parsed.problems.len(), 51);
    assert_eq!(parsed.problems[50].reason, "450 more problems");
}
