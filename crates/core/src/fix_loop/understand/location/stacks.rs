//! Parses the stacks of common runtimes, including lines that the normalizer removes. `location` chooses among the
//! stacks.

use super::{build_frame, parse_number, unreadable_source::find_unreadable_file};
use crate::fix_loop::error::Location;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The frames of a stack.
#[derive(Default)]
pub(super) struct Stack {
    /// The location in a file that could not be parsed. The frames are those of its import.
    unreadable: Option<Location>,
    frames: Vec<Location>,
    /// True if the runtime prints the outermost frame first.
    outer_first: bool,
    /// True if this stack is the cause of the previous stack, or occurred while the previous error was handled.
    pub(super) continues_previous: bool,
}

impl Stack {
    pub(super) fn is_in_app(&self) -> bool {
        self.unreadable.iter().chain(&self.frames).any(|frame| frame.in_app)
    }

    pub(super) fn has_frames(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Marks frames of this package, of its parent packages and of its subpackages as frames of the project.
    pub(super) fn mark_package_as_project(&mut self, package_of_test: &str) {
        for frame in &mut self.frames {
            let of_frame = frame.function.as_deref().filter(|_| is_jvm_file(&frame.file)).and_then(package_of_function);
            frame.in_app |= of_frame
                .is_some_and(|name| contains_package(package_of_test, name) || contains_package(name, package_of_test));
        }
    }

    pub(super) fn innermost_first(&self) -> Vec<Location> {
        let unreadable = self.unreadable.iter().filter(|place| place.in_app).cloned();
        let frames = self.frames.iter().cloned();
        if self.outer_first { unreadable.chain(frames.rev()).collect() } else { unreadable.chain(frames).collect() }
    }
}

/// A pattern for a frame on a single line, with the named groups `file`, `line`, `column` and `function`.
struct FramePattern {
    pattern: Regex,
    outer_first: bool,
}

static FRAME_PATTERNS: LazyLock<Vec<FramePattern>> = LazyLock::new(|| {
    let pattern = |pattern: &str, outer_first| FramePattern {
        pattern: Regex::new(pattern).expect("a constant pattern"),
        outer_first,
    };
    vec![
        // Python: `File "app/cart.py", line 3, in total`.
        pattern(r#"^\s*File "(?<file>[^"\n]+)", line (?<line>\d+)(?:, in (?<function>.+))?$"#, true),
        // pytest, short and long: `app/cart.py:12: in total`, `app/cart.py:12: TypeError`.
        pattern(
            r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.pyx?):(?<line>\d+): (?:in (?<function>\S+)|[A-Za-z_]\w*|[A-Z]\w*(?:Error|Exception|Exit|Warning)\b.*|Failed\b.*)?$",
            true,
        ),
        // .NET: `at Acme.Cart.Total(Int32 n) in C:\src\Cart.cs:line 12`.
        pattern(r"^\s*at (?<function>[^(\n]+)(?:\([^)\n]*\))? in (?<file>.+):line (?<line>\d+)\.?$", false),
        // JavaScript: `at total (src/cart.ts:12:5)`, `at file:///srv/cart.js:12:5`.
        pattern(
            r"^\s*(?:->\s*)?at (?<function>[^(\n]+?) \((?<file>(?:webpack-internal:///\([\w-]+\)/)?[^()\n]+?):(?<line>\d+)(?::(?<column>\d+))?\)$",
            false,
        ),
        pattern(
            r"^\s*at (?:async )?(?<file>(?:file:///?|webpack\S*:///|[A-Za-z]:[\\/]|[./~\w@-])[^()\n]*?):(?<line>\d+):(?<column>\d+)$",
            false,
        ),
        // node:test in TAP, where the YAML omits `at`: `    exports.total (/srv/shop/cart.js:1:34)`.
        pattern(
            r"^\s+(?:async )?(?<function>[\w$.<>\[\] ]+?) \((?<file>(?:file://)?(?:/|[A-Za-z]:[\\/])[^()\n]+?\.[cm]?[jt]sx?):(?<line>\d+):(?<column>\d+)\)$",
            false,
        ),
        // Java and Kotlin: `at com.acme.Cart.total(Cart.java:88)`, also after a module or class loader.
        pattern(
            r"^\s*(?:->\s*)?at (?:[\w.$@-]*/{1,2})?(?<function>[\w.$<>]+(?:[\w$ <>-]*[\w$>])?)\((?<file>[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)):(?<line>\d+)\)",
            false,
        ),
        // Firefox and Safari: `total@http://localhost:3000/src/cart.js:12:5`.
        pattern(
            r"^\s*(?<function>[\w$.<>/]*)@(?:https?://[^/\s]+/)?(?<file>[^\s@]+?\.\w+)(?:\?[^\s:]*)?:(?<line>\d+):(?<column>\d+)$",
            false,
        ),
        // Vitest: `❯ total src/cart.ts:12:5`.
        pattern(
            r"^\s*❯ (?:(?<function>\S+) )?(?<file>[^\s:][^:\n]*?\.[cm]?[jt]sx?|[^\s:][^:\n]*?\.(?:vue|svelte)):(?<line>\d+)(?::(?<column>\d+))?$",
            false,
        ),
        // Ruby: `from lib/cart.rb:12:in 'total'`, `# ./lib/cart.rb:12:in`, `lib/cart.rb:12:in 'total': no (TypeError)`.
        pattern(
            r"^\s*(?:from |# |\d+: from )?(?<file>(?:[A-Za-z]:)?[^\s:#][^:\n]*\.(?:rb|rake|erb|ru)):(?<line>\d+)(?::in [`'](?<function>[^'\n]+)'.*|:in .*)?$",
            false,
        ),
        // PHP: `#0 /app/src/Cart.php(12): Acme\Cart->total()`.
        pattern(r"^\s*#\d+ (?<file>[^\s(][^(\n]*\.php)\((?<line>\d+)\): (?<function>[^(\n]*)", false),
        pattern(
            r"^(?:\[[^\]]*\] )?(?:PHP )?(?:Fatal error|Parse error|Warning|Error|Exception|\S*(?:Error|Exception)\b).* in (?<file>\S+\.php)(?: on line |:)(?<line>\d+)$",
            false,
        ),
        // PHPUnit: `/app/src/Cart.php:12`, innermost frame first.
        pattern(r"^(?<file>(?:[A-Za-z]:[\\/]|/)[^:\n]*\.php):(?<line>\d+)$", false),
        // GoogleTest and Catch2: `src/cart_test.cpp:12: Failure`, `src/cart_test.cpp:12: FAILED:`.
        pattern(
            r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:cc|cpp|cxx|c|h|hh|hpp|hxx)):(?<line>\d+): (?:Failure|FAILED:?)$",
            false,
        ),
        // Rust: `thread 'main' panicked at src/cart.rs:12:5:`, and the older form that starts with the message.
        pattern(
            r"^thread '[^'\n]*'(?: \(\d+\))? panicked at (?:'.*', )?(?<file>[^\s:'][^:'\n]*\.rs):(?<line>\d+):(?<column>\d+):?$",
            false,
        ),
        // Elixir and Erlang: `lib/cart.ex:12: Cart.total/1`.
        pattern(r"^\s*(?:\([^)]*\) )?(?<file>[\w./-]+\.(?:exs?|erl)):(?<line>\d+): (?<function>\S+)$", false),
    ]
});

/// The second line of a frame in Go (`\t/src/cart.go:12 +0x1d`) or Rust (`   at ./src/cart.rs:12:5`).
static SECOND_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"^\s+(?:at )?(?<file>(?:[A-Za-z]:)?[\w./\\~][^:\n]*\.(?:go|s|rs)):(?<line>\d+)(?::(?<column>\d+))?(?: \+0x[0-9a-f]+)?$";
    Regex::new(pattern).expect("a constant pattern")
});
/// The first line of a frame of Go or Rust: `main.total(0x1, 0x2)`, `   3: shop::cart::total`.
static FIRST_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"^(?:\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?<rust>\S.*)|(?:  )?(?<go>(?:[\w./~-]+\.)?[\w./()*\[\]~-]+)\([^\n]*\)?)$";
    Regex::new(pattern).expect("a constant pattern")
});

/// Starts of lines between two stacks. After a line that starts like an entry of [`CAUSE_LINE_STARTS`], the next stack
/// continues the previous stack.
const SEPARATOR_LINE_STARTS: [&str; 15] = [
    "Traceback (most recent call last)",
    "goroutine ",
    "thread '",
    "stack backtrace:",
    "--- FAIL",
    "=== RUN",
    "FAIL ",
    " FAIL ",
    "● ",
    "____",
    "panic: ",
    "Failed ",
    "PHP Fatal error",
    "==========",
    // .NET prints the cause first.
    "--- End of inner exception",
];
const CAUSE_LINE_STARTS: [&str; 6] = [
    "Caused by:",
    "[cause]:",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Suppressed:",
    "Next ",
];

#[derive(Default)]
struct StackReader {
    stacks: Vec<Stack>,
    current: Stack,
    /// The function whose location is on the next line.
    function: Option<String>,
}

/// Returns all stacks, in the order of the text.
pub(super) fn parse_stacks(lines: &[&str]) -> Vec<Stack> {
    let mut reader = StackReader::default();
    for (at, line) in lines.iter().enumerate() {
        if let Some(place) = find_unreadable_file(lines, at) {
            reader.add_unreadable_file(place);
        }
        reader.read_line(line);
    }
    reader.close_stack(false);
    reader.stacks
}

impl StackReader {
    /// Adds the location of an unreadable file to the stack of its import. The frames of the import follow this line,
    /// except in Python, which prints them before.
    fn add_unreadable_file(&mut self, place: Location) {
        if !self.current.outer_first && self.current.has_frames() {
            self.close_stack(false);
        }
        self.current.unreadable.get_or_insert(place);
    }

    fn read_line(&mut self, line: &str) {
        let paired = self.function.is_some().then(|| SECOND_LINE.captures(line)).flatten();
        if paired.is_none()
            && let Some((frame, outer_first)) = parse_frame_line(line)
        {
            if outer_first != self.current.outer_first && !self.current.frames.is_empty() {
                self.close_stack(false);
            }
            self.current.outer_first = outer_first;
            self.current.frames.push(frame);
            self.function = None;
            return;
        }
        if let Some(found) = paired.or_else(|| SECOND_LINE.captures(line)) {
            let function = self.function.take().unwrap_or_default();
            self.current.frames.push(build_location(&found, &function));
            return;
        }
        let trimmed = line.trim_start();
        let starts = |starts: &[&str]| starts.iter().any(|start| trimmed.starts_with(start) || line.starts_with(start));
        if starts(&CAUSE_LINE_STARTS) {
            self.close_stack(true);
        } else if starts(&SEPARATOR_LINE_STARTS) || is_heading(trimmed) {
            // The line before a traceback states whether the traceback continues the previous stack.
            let continues = self.current.continues_previous && self.current.frames.is_empty();
            self.close_stack(continues);
        }
        self.function = FIRST_LINE.captures(line).and_then(|found| {
            let name = found.name("rust").or_else(|| found.name("go"))?;
            Some(name.as_str().to_owned())
        });
    }

    /// Ends the current stack. `continues`: the next stack continues the current stack.
    fn close_stack(&mut self, continues: bool) {
        let next = Stack { continues_previous: continues, ..Stack::default() };
        let done = std::mem::replace(&mut self.current, next);
        if done.has_frames() || done.unreadable.is_some() {
            self.stacks.push(done);
        }
    }
}

/// Returns `true` if Mocha or `RSpec` starts a failure here, for example with `  1) cart totals`.
fn is_heading(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(") ")
}

fn parse_frame_line(line: &str) -> Option<(Location, bool)> {
    // Every pattern requires a line number, so skip lines without a digit.
    if !line.contains(|mark: char| mark.is_ascii_digit()) {
        return None;
    }
    FRAME_PATTERNS.iter().find_map(|pattern| {
        let found = pattern.pattern.captures(line)?;
        let function = found.name("function").map_or("", |name| name.as_str());
        Some((build_location(&found, function), pattern.outer_first))
    })
}

fn build_location(found: &Captures<'_>, function: &str) -> Location {
    let file = found.name("file").map_or("", |file| file.as_str());
    let (line, column) = (parse_number(found.name("line")), parse_number(found.name("column")));
    let mut location = build_frame(file, line, column, function);
    if !file.contains('/')
        && is_jvm_file(file)
        && let Some(name) = package_of_function(function)
    {
        location.file = format!("{}/{file}", name.replace('.', "/"));
    }
    location
}

fn is_jvm_file(file: &str) -> bool {
    let ending = file.rsplit('.').next().unwrap_or_default();
    matches!(ending, "java" | "kt" | "scala" | "groovy")
}

/// Returns the package of a function, for example `com.acme` for `com.acme.Cart.total`. Package names are in lower
/// case, and the class follows them.
pub(super) fn package_of_function(function: &str) -> Option<&str> {
    let is_class =
        |&(dot, _): &(usize, &str)| function[dot + 1..].starts_with(|first: char| first.is_ascii_uppercase());
    let (dot, _) = function.match_indices('.').find(is_class)?;
    let name = &function[..dot];
    (!name.contains(['/', '\\', ' '])).then_some(name)
}

/// Returns `true` if `inner` is `outer` or a package inside `outer`. A single name such as `com` does not count,
/// because many packages share it.
fn contains_package(outer: &str, inner: &str) -> bool {
    outer.contains('.') && inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
