//! Any bytes as a report of each format, and as one whose format is told from the content.
#![no_main]

use argus_report::{Format, Options, parse};
use libfuzzer_sys::fuzz_target;

const FORMATS: [Option<Format>; 7] = [
    None,
    Some(Format::Junit),
    Some(Format::Jest),
    Some(Format::Ctrf),
    Some(Format::Playwright),
    Some(Format::GoTest),
    Some(Format::Tap),
];

fuzz_target!(|bytes: &[u8]| {
    let options = Options { name: "report".to_owned(), project_root: "/project".to_owned() };
    for format in FORMATS {
        let mut named = 0;
        // A report that cannot be read is an error, which is as good.
        drop(parse(bytes, format, &options, &mut |case| named += usize::from(!case.name.is_empty())));
        assert!(named <= bytes.len(), "a case has at least a byte");
    }
});
