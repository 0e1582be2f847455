//! Finds the place of a failure: the innermost frame of the project's own code, and that of the test.
//! `fix_loop::understand::location` parses stacks.

use crate::{
    fix_loop::{self, Location},
    output::{frame_owner, stack_frame::StackFrame},
};

/// Maximum number of files from a stack, innermost first.
const MAX_STACK_FILES: usize = 24;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// Path as printed, or as converted by `shown`.
    pub file: String,
    /// Line number, starting at 1.
    pub line: Option<u32>,
    /// Function name as printed.
    pub function: Option<String>,
}

impl SourceLocation {
    /// Returns `file:line`.
    pub fn format_file_line(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// The places of a failure in the code and in the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureLocations {
    /// Place in the project's own code. `None` if a line of the test raised the error, for example in a callback that
    /// the test passed to the code.
    pub project_code: Option<SourceLocation>,
    /// Set if the project's own code is anywhere in the stack.
    pub has_code: bool,
    /// Place in the test or in its helpers.
    pub test: Option<SourceLocation>,
    /// Place in the test case's file.
    pub case: Option<SourceLocation>,
}

/// Finds the places in a redacted text. `shown` converts the path of a file in the project to a relative path. If some
/// frames are inside the project, frames outside do not count. `test_file` is the test case's file in the runner's
/// notation, or its class.
pub fn find_failure_locations(text: &str, test_file: Option<&str>, shown: impl Fn(&str) -> String) -> FailureLocations {
    let frames: Vec<(Location, String)> = fix_loop::find_frames(text, test_file)
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
    let is_code = |file: &str| !is_of_case(file) && !is_test_file(file);
    FailureLocations {
        has_code: first(&is_code).is_some(),
        project_code: first(&|_| true).filter(|place| is_code(&place.file)),
        test: first(&|file| is_of_case(file) || is_test_file(file)),
        case: first(&is_of_case),
    }
}

/// Returns the files of the project and its tests in the stacks of a redacted text, as printed and without duplicates,
/// at most `MAX_STACK_FILES`. `test_file` is the test case's file in the runner's notation, or its class.
pub fn list_stack_files(text: &str, test_file: Option<&str>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for frame in fix_loop::find_frames(text, test_file).into_iter().filter(|frame| frame.in_app) {
        if files.len() < MAX_STACK_FILES && !files.contains(&frame.file) {
            files.push(frame.file);
        }
    }
    files
}

fn is_relative(file: &str) -> bool {
    !(file.starts_with(['/', '\\']) || file.as_bytes().get(1) == Some(&b':') || file.starts_with("../"))
}

/// Checks for a test by the path inside the project, because the folder of the project may have a name like a test
/// folder.
fn is_test_file(file: &str) -> bool {
    let frame = StackFrame { file: file.as_bytes(), function: b"", outer_first: false };
    !frame_owner::is_app_frame(&frame)
}
