//! Finds the location of an error: the innermost frame of the project in a stack, otherwise the location that a
//! compiler reports. Paths stay as printed, because the folder of the project is unknown here.

mod compilers;
mod outside_project;
mod stacks;
mod unreadable_source;

use crate::{display::strip_escapes, fix_loop::error::Location, text::file_url::path_of_file_url};
use stacks::Stack;
use std::borrow::Cow;

/// Maximum number of frames in the result.
const MAX_FRAMES: usize = 20;
/// Number of bytes of a line that are searched.
const MAX_LINE_BYTES: usize = 1024;
/// Maximum number of lines that are searched, because a stack overflow repeats the same frame.
const MAX_LINES: usize = 20_000;

/// The location of an error, and the frames of its stack, innermost first.
pub(super) struct LocatedFrames {
    pub(super) location: Option<Location>,
    pub(super) frames: Vec<Location>,
    /// Names of the files that a compiler reports, repeated for each location. Empty if there is a stack.
    pub(super) reported_files: Vec<String>,
}

/// Finds the location in a redacted text.
pub(super) fn find_location(text: &str) -> LocatedFrames {
    let mut located = locate_in_package(text, None);
    located.frames.truncate(MAX_FRAMES);
    located
}

/// Like [`find_location`], for a test in this package of the JVM. Frames in the package, its parents and its
/// subpackages belong to the project, even if a library has a similar name.
fn locate_in_package(text: &str, package: Option<&str>) -> LocatedFrames {
    let text = strip_escapes(text);
    let lines: Vec<&str> =
        text.lines().take(MAX_LINES).map(|line| &line[..line.floor_char_boundary(MAX_LINE_BYTES)]).collect();
    let mut stacks = stacks::parse_stacks(&lines);
    if let Some(package) = package {
        for stack in &mut stacks {
            stack.mark_package_as_project(package);
        }
    }
    let stack = choose_stack(&stacks);
    let frames = stack.map(Stack::innermost_first).unwrap_or_default();
    let in_stack = frames.iter().find(|frame| frame.in_app).cloned();
    let has_stack = stack.is_some_and(Stack::has_frames);
    let places = if in_stack.is_some() && has_stack { Vec::new() } else { compilers::find_locations(&lines) };
    let first = places.iter().find(|place| place.in_app).or(places.first()).cloned();
    let location = in_stack.or(first).or_else(|| frames.first().cloned());
    let pointed = if has_stack { Vec::new() } else { places.iter().map(|place| base_name(&place.file)).collect() };
    LocatedFrames { location, frames, reported_files: pointed }
}

/// Returns the frames of the most relevant stack, innermost first. If no frame belongs to the project, the location
/// that a compiler reports comes first. `class` is the class of the failed test, if it is known.
pub fn find_frames(text: &str, class: Option<&str>) -> Vec<Location> {
    let LocatedFrames { location, mut frames, .. } =
        locate_in_package(text, class.and_then(stacks::package_of_function));
    if let Some(location) = location.filter(|_| !frames.iter().any(|frame| frame.in_app)) {
        frames.insert(0, location);
    }
    frames
}

/// Returns the first stack with a frame of the project. If the stack has causes, returns the last cause with a frame of
/// the project.
fn choose_stack(stacks: &[Stack]) -> Option<&Stack> {
    let Some(first) = stacks.iter().position(Stack::is_in_app) else { return stacks.first() };
    let causes = stacks[first + 1..].iter().take_while(|stack| stack.continues_previous);
    causes.filter(|stack| stack.is_in_app()).last().or(stacks.get(first))
}

fn base_name(file: &str) -> String {
    file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned()
}

/// Creates a frame, and decides whether it belongs to the project.
fn build_frame(file: &str, line: Option<u32>, column: Option<u32>, function: &str) -> Location {
    let file = strip_scheme(file);
    let function = Some(strip_decoration(function)).filter(|name| !name.is_empty());
    let outside_project = outside_project::is_outside_project(&file, function.unwrap_or_default());
    Location {
        file: file.into_owned(),
        line,
        column,
        function: function.map(ToOwned::to_owned),
        in_app: !outside_project,
    }
}

/// Removes the scheme that bundlers and runtimes put before a path.
fn strip_scheme(file: &str) -> Cow<'_, str> {
    let file = file.trim().trim_matches(|mark| matches!(mark, '"' | '\'' | '`'));
    let file = file.strip_prefix("async ").unwrap_or(file);
    let file = file.strip_prefix("webpack-internal:///").or_else(|| file.strip_prefix("webpack:///")).unwrap_or(file);
    // `(rsc)/./app/page.tsx`: Next.js adds the layer.
    let file = file.strip_prefix('(').and_then(|rest| rest.split_once(")/./")).map_or(file, |(_, path)| path);
    path_of_file_url(file).unwrap_or(Cow::Borrowed(file))
}

/// Removes what runtimes add to the name of a function.
fn strip_decoration(function: &str) -> &str {
    let name = function.trim();
    let name = name.strip_prefix("async ").unwrap_or(name);
    let name = name.strip_prefix("new ").unwrap_or(name);
    let name = name.split_once(" [as ").map_or(name, |(name, _)| name);
    let name = name.strip_prefix("Object.").filter(|rest| !rest.is_empty()).unwrap_or(name);
    if matches!(name, "<anonymous>" | "anonymous" | "<module>" | "<unknown>" | "{main}") { "" } else { name }
}

fn parse_number(text: Option<regex::Match<'_>>) -> Option<u32> {
    text?.as_str().parse().ok()
}
