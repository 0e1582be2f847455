//! Where a failure happened: the first frame of the project's own code, and that of the test.
//! Stacks are read by `fix_loop::understand::location`.

use crate::{
    fix_loop::{self, Location},
    output::stack_frame::{self, Frame},
};

/// Most files that a stack is known by: the innermost frames say most.
const MAX_STACK_FILES: usize = 24;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// As printed, or as `shown` made it.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// The function there, as printed.
    pub function: Option<String>,
}

impl SourceLocation {
    /// `file:line`.
    pub fn shown(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// Where it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureLocations {
    /// In the project's own code; none where a line of a test raised it, as a function that the code was handed.
    pub own: Option<SourceLocation>,
    /// Whether the project's own code is anywhere in the stack.
    pub has_code: bool,
    /// In the test, or what it calls beside it.
    pub test: Option<SourceLocation>,
    /// In the file of the case.
    pub case: Option<SourceLocation>,
}

/// Finds both in a redacted text. `shown` makes a path relative to the project; where some of the frames lie inside it, the
/// others do not count. `test_file` is that of the case, however it is named, or its class.
pub fn failure_locations(text: &str, test_file: Option<&str>, shown: impl Fn(&str) -> String) -> FailureLocations {
    let frames: Vec<(Location, String)> = fix_loop::frames(text, test_file)
        .into_iter()
        .filter(|frame| frame.in_app)
        .map(|frame| {
            let file = shown(&frame.file);
            (frame, file)
        })
        .collect();
    let is_inside_known = frames.iter().any(|(_, file)| is_relative(file));
    let wanted = |(_, file): &&(Location, String)| !is_inside_known || is_relative(file);
    let is_of_case = |file: &str| test_file == Some(file);
    let first = |is_it: &dyn Fn(&str) -> bool| {
        let (frame, file) = frames.iter().filter(wanted).find(|(_, file)| is_it(file))?;
        Some(SourceLocation { file: file.clone(), line: frame.line, function: frame.function.clone() })
    };
    let is_code = |file: &str| !is_of_case(file) && !is_test(file);
    FailureLocations {
        has_code: first(&is_code).is_some(),
        own: first(&|_| true).filter(|place| is_code(&place.file)),
        test: first(&|file| is_of_case(file) || is_test(file)),
        case: first(&is_of_case),
    }
}

/// Files of the project, or of its tests, that the stacks of a redacted text name, each once and as printed; some of the
/// first. `test_file` is that of the case, however it is named, or its class.
pub fn stack_files(text: &str, test_file: Option<&str>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for frame in fix_loop::frames(text, test_file).into_iter().filter(|frame| frame.in_app) {
        if files.len() < MAX_STACK_FILES && !files.contains(&frame.file) {
            files.push(frame.file);
        }
    }
    files
}

fn is_relative(file: &str) -> bool {
    !(file.starts_with(['/', '\\']) || file.as_bytes().get(1) == Some(&b':') || file.starts_with("../"))
}

/// By its path inside the project: a checkout may lie in a folder that is named like one of tests.
fn is_test(file: &str) -> bool {
    let frame = Frame { file: file.as_bytes(), function: b"", outer_first: false };
    !stack_frame::is_in_app(&frame)
}
