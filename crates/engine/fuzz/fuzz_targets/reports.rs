//! Fuzzes the parser of each report format, and the detection of the format, with any bytes.
#![no_main]

use argus_report::{ReportFormat, Options, parse};
use libfuzzer_sys::fuzz_target;

const FORMATS: [Option<ReportFormat>; 7] = [
    None,
    Some(ReportFormat::Junit),
    Some(ReportFormat::Jest),
    Some(ReportFormat::Ctrf),
    Some(ReportFormat::Playwright),
    Some(ReportFormat::GoTest),
    Some(ReportFormat::Tap),
];

fuzz_target!(|bytes: &[u8]| {
    let options = Options { name: "report".to_owned(), project_root: "/project".to_owned(), decoders: None };
    for format in FORMATS {
        let mut named = 0;
        // An unreadable report may return an error.
        drop(parse(bytes, format, &options, &mut |case| named += usize::from(!case.name.is_empty())));
        assert!(named <= bytes.len(), "a case has at least a byte");
    }
});
