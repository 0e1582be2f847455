//! Tests over whole reports, and their helpers. They are one program, because each test program has to be linked.
#![allow(clippy::unwrap_used, reason = "a test may stop at once")]

mod dialects;
mod fixtures;
mod formats;
mod green;
mod hostile;
mod names;
mod order;
mod tail;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use argus_report::{Decoder, Options, ParsedReport, ReportCase, ReportError, ReportFormat, parse};

/// Folder with the reports of real tools.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/reports")
}

/// The bytes of a fixture.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

/// The names of all fixtures.
pub(crate) fn fixtures() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    names
}

/// Opens a decoder of the library that implements the same standard as `TextDecoder`.
fn decoder(label: &str) -> Option<Box<dyn Decoder>> {
    struct Native(encoding_rs::Decoder);
    impl Decoder for Native {
        fn decode(&mut self, bytes: &[u8], is_last: bool) -> String {
            let mut text = String::with_capacity(self.0.max_utf8_buffer_length(bytes.len()).unwrap());
            let _ = self.0.decode_to_string(bytes, &mut text, is_last);
            text
        }
    }
    Some(Box::new(Native(encoding_rs::Encoding::for_label(label.as_bytes())?.new_decoder())))
}

/// Reads bytes as a report of the project in `/project`.
pub(crate) fn read_as(
    bytes: &[u8],
    format: Option<ReportFormat>,
) -> Result<(ParsedReport, Vec<ReportCase>), ReportError> {
    let options = Options { name: "report".to_owned(), project_root: "/project".to_owned(), decoders: Some(decoder) };
    let mut cases = Vec::new();
    let parsed = parse(bytes, format, &options, &mut |case| cases.push(case))?;
    assert_eq!(parsed.cases, cases.len() as u64);
    assert!(parsed.problems.len() <= 51);
    for case in &cases {
        let texts = [&case.error, &case.stdout_tail, &case.stderr_tail];
        assert!(texts.iter().all(|text| text.as_ref().is_none_or(|text| text.len() <= 66 * 1024)));
        assert!(case.name.len() <= 2100 && !case.name.is_empty());
    }
    let names: BTreeSet<String> = cases.iter().map(ReportCase::qualified_name).collect();
    assert_eq!(names.len(), cases.len(), "two cases share a name");
    Ok((parsed, cases))
}

/// Like [`read_as`], with the format detected from the content.
pub(crate) fn read(bytes: &[u8]) -> Result<(ParsedReport, Vec<ReportCase>), ReportError> {
    read_as(bytes, None)
}

/// Reads a valid report.
pub(crate) fn cases(bytes: impl AsRef<[u8]>) -> Vec<ReportCase> {
    read(bytes.as_ref()).unwrap().1
}
