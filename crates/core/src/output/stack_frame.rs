//! Recognizes the stack frames of common runtimes, and which of them belong to the project. Only the innermost in-app
//! frame of a stack is used.

use crate::text::{
    bytes::literals::Literals,
    bytes::{Starts, at, digits, run},
};
use memchr::{
    memchr,
    memmem::{self, Finder},
};
use std::sync::LazyLock;

/// A stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// Path as printed, without line and column.
    pub(crate) file: &'a [u8],
    /// Function; empty if the runtime names no function.
    pub(crate) function: &'a [u8],
    /// Set if outer frames come first, as in Python, so the last frame is the innermost.
    pub(crate) outer_first: bool,
}

/// Parts of paths that belong to a runtime, a library or a test framework.
const NOT_OURS: [&str; 34] = [
    "node_modules",
    ".venv/",
    "/venv/",
    "node:",
    "<anonymous>",
    "site-packages",
    "dist-packages",
    "/lib/python",
    "<frozen",
    "<string>",
    "/rustc/",
    ".cargo/",
    "/gems/",
    "/rubygems",
    "/lib/ruby",
    "/usr/local/go/",
    "/go/pkg/mod/",
    "/pkg/mod/",
    "libexec/src",
    "/src/runtime/",
    "/src/testing/",
    "hostedtoolcache",
    "webpack/bootstrap",
    "webpack/runtime/",
    "bun:",
    "deno:",
    "ext:",
    "/usr/lib/",
    "/build/source/",
    "/opt/homebrew/",
    "(eval",
    ".nuget",
    "/_/src/",
    "/vendor/",
];
/// Parts of the paths of tests. A folder name must match as a whole word, because `latest/` contains no tests. Only the
/// plural may match the end of a name, as in `unittests/`.
const TESTS: [&str; 32] = [
    ".test.",
    ".spec.",
    "_test.",
    "_tests.",
    "_spec.",
    "Test.",
    "Tests.",
    "TestCase.",
    "Spec.",
    "IT.java",
    "conftest",
    "__tests__",
    "/test_",
    "\\test_",
    "tests/",
    "tests\\",
    "Test/",
    "Test\\",
    "Tests/",
    "Tests\\",
    "/test/",
    "-test/",
    "_test/",
    "\\test\\",
    "/spec/",
    "-spec/",
    "_spec/",
    "\\spec\\",
    "/e2e/",
    "-e2e/",
    "_e2e/",
    "\\e2e\\",
];
/// Prefixes of paths in either list.
static FOREIGN_STARTS: Starts<7> =
    Starts::new(["internal/", "<internal:", "vendor/", "test_", "test/", "spec/", "e2e/"]);
static FOREIGN: LazyLock<Literals> = LazyLock::new(|| Literals::new(NOT_OURS.iter().chain(&TESTS), false));
/// Packages and crates of a platform, a library or a test framework.
static LIBRARIES: Starts<42> = Starts::new([
    "java.",
    "java/",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "junit.",
    "org.junit",
    "org.testng",
    "org.hamcrest",
    "org.assertj",
    "org.mockito",
    "org.springframework",
    "org.apache.",
    "org.gradle",
    "org.hibernate",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus",
    "io.netty",
    "com.google.",
    "reactor.",
    "net.bytebuddy",
    "okhttp3.",
    "com.fasterxml",
    "app//org.junit",
    "java.base/",
    "System.",
    "Microsoft.",
    "Xunit.",
    "NUnit.",
    "core::",
    "std::",
    "alloc::",
    "__rust",
    "runtime.",
    "testing.",
    "net/http.",
    "panic(",
]);

/// Test framework packages whose files are named like tests.
static FRAMEWORKS: Starts<4> = Starts::new(["junit.", "org.junit", "org.testng", "app//org.junit"]);
static RUNTIMES: LazyLock<Literals> = LazyLock::new(|| Literals::new(&NOT_OURS, false));
static TEST_FILES: LazyLock<Literals> = LazyLock::new(|| Literals::new(&TESTS, false));

static IN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" in "));
static OFFSET: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" +0x"));

/// Checks whether the frame belongs to the project's code and not to a test, because the test's line does not show the
/// cause.
pub(crate) fn is_in_app(frame: &Frame<'_>) -> bool {
    let file = frame.file;
    let foreign = file == b"native" || FOREIGN_STARTS.begin(file) || FOREIGN.are_in(file);
    !file.is_empty() && !foreign && !is_library(frame.function)
}

/// Checks whether the frame belongs to the project or its tests.
pub(super) fn is_project(frame: &Frame<'_>) -> bool {
    let file = frame.file;
    let runtime = file == b"native" || file.starts_with(b"internal/") || RUNTIMES.are_in(file);
    let library = || is_library(frame.function) && !TEST_FILES.are_in(file) || FRAMEWORKS.begin(frame.function);
    !file.is_empty() && !runtime && !library()
}

/// Checks by package whether the function belongs to a platform, a library or a test framework.
pub(crate) fn is_library(function: &[u8]) -> bool {
    LIBRARIES.begin(function)
}

/// Parses a line as a stack frame of any runtime. `colon` is the position of its first colon.
pub(crate) fn parse(line: &[u8], colon: Option<usize>) -> Option<Frame<'_>> {
    match at(line, 0) {
        b'a' => line.strip_prefix(b"at ").and_then(at_frame),
        b'-' => line.strip_prefix(b"-> at ").and_then(at_frame),
        b'F' => line.strip_prefix(b"File \"").and_then(python),
        b'f' => line.strip_prefix(b"from ").and_then(ruby),
        b'#' => line.strip_prefix(b"# ").and_then(ruby),
        0xe2 => line.strip_prefix("❯ ".as_bytes()).and_then(vitest),
        _ => pytest(line, colon?).or_else(|| tap(line)),
    }
}

/// `TestContext.<anonymous> (/srv/test/cart.test.js:12:3)`: a stack frame of Node in TAP.
fn tap(line: &[u8]) -> Option<Frame<'_>> {
    let open = last_opening(line)?;
    let inside = line.strip_suffix(b")")?;
    let name = inside[..open].strip_suffix(b" ")?;
    let file = before_number(before_number(&inside[open + 1..])?)?;
    let one_word = !alias(name).contains(&b' ') && !file.contains(&b' ');
    one_word.then(|| frame(file, alias(name)))
}

/// Returns the position of the bracket that the end of the text closes. A path may contain brackets too, for example
/// `app(1)/cart.js`.
fn last_opening(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.checked_sub(1)?,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Checks whether a line, including its indentation, is a stack frame: `at f (file:1:2)`, `❯ f file:1:2`,
/// `# ./spec.rb:1:in`, `from a.rb:1:in`, `File "x", line 1`, `/a/b.go:12 +0x1f`, `4: cart::total`.
pub(crate) fn is_stack_frame(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_start();
    let indented = trimmed.len() < line.len();
    (trimmed.starts_with(b"at ") && (indented || memchr(b'(', trimmed).is_some()))
        || trimmed.starts_with("❯ ".as_bytes())
        || (trimmed.starts_with(b"# ") && memmem::find(trimmed, b":in ").is_some())
        || (trimmed.starts_with(b"from ") && memmem::find(trimmed, b":in ").is_some())
        || (trimmed.starts_with(b"File \"") && memmem::find(trimmed, b", line ").is_some())
        || (indented && memmem::find(trimmed, b".go:").is_some() && memmem::find(trimmed, b" +0x").is_some())
        || (indented && is_numbered_function(trimmed))
}

/// A Rust frame, whose place is on the next line: `4: cart::total`, `5: <cart::Cart as core::fmt::Display>::fmt`.
fn is_numbered_function(line: &[u8]) -> bool {
    let number = digits(line, 0);
    let Some(function) = line[number..].strip_prefix(b": ").filter(|_| number > 0) else { return false };
    let is_path = function.starts_with(b"<") || !function.contains(&b' ');
    is_path && memmem::find(function, b"::").is_some()
}

/// JavaScript, Java, .NET and Rust frames start with `at`.
fn at_frame(rest: &[u8]) -> Option<Frame<'_>> {
    // .NET: `Acme.Cart.Total(Int32 n) in /src/Cart.cs:line 12`.
    if let Some(before) = without_number(rest).strip_suffix(b":line ")
        && let Some(split) = IN.find(before)
    {
        return (before.len() > split + 4).then(|| frame(&before[split + 4..], method(&before[..split])));
    }
    if rest.ends_with(b")") {
        let open = last_opening(rest)?;
        let inside = &rest[open + 1..rest.len() - 1];
        let name = &rest[..open];
        if name.ends_with(b" ") {
            // `fn (file:1:2)`, `fn (<anonymous>)`, but not `at least (two)`.
            let place =
                place(inside).or((inside == b"native" || inside.starts_with(b"<anonymous>")).then_some(inside))?;
            return Some(frame(place, alias(name.trim_ascii_end())));
        }
        return java(name, inside);
    }
    let file = place(rest)?;
    let path = !file.contains(&b' ') || file.starts_with(b"async ");
    path.then(|| frame(file, b""))
}

fn frame<'a>(file: &'a [u8], function: &'a [u8]) -> Frame<'a> {
    Frame { file, function, outer_first: false }
}

/// `com.acme.Cart.total` and `Cart.java:88`.
fn java<'a>(name: &'a [u8], inside: &'a [u8]) -> Option<Frame<'a>> {
    let dotted = name.contains(&b'.') && !name.contains(&b' ');
    if inside.ends_with(b"Method") || inside.ends_with(b"Source") {
        return dotted.then(|| frame(b"native", name));
    }
    if let Some(file) = place(inside) {
        return (!name.contains(&b' ')).then(|| frame(file, name));
    }
    // .NET without a file, `at System.String.Concat(String a)`. A sentence has a space before its parenthesis.
    dotted.then(|| frame(b"", name))
}

/// Returns the method of a .NET frame without its arguments.
fn method(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'(').next().unwrap_or(name)
}

/// Returns the name without `async`, `new` and the alias: `Object.toBe` of `Object.toBe [as scenario]`.
fn alias(name: &[u8]) -> &[u8] {
    let name = name.strip_prefix(b"async ").unwrap_or(name);
    let name = name.strip_prefix(b"new ").unwrap_or(name);
    memmem::find(name, b" [as ").map_or(name, |end| &name[..end])
}

/// Returns the path of `path:line:column` or `path:line`; placeholders count as numbers.
fn place(text: &[u8]) -> Option<&[u8]> {
    let first = before_number(text)?;
    Some(before_number(first).unwrap_or(first))
}

pub(super) fn before_number(text: &[u8]) -> Option<&[u8]> {
    without_number(text).strip_suffix(b":").filter(|rest| !rest.is_empty())
}

/// Returns the digits of the line number after the file in a frame.
pub(super) fn line_after<'t>(frame: &'t [u8], file: &[u8]) -> &'t [u8] {
    let Some(start) = memmem::find(frame, file) else { return b"" };
    let rest = &frame[start + file.len()..];
    let from = run(rest, 0, |byte| matches!(byte, b':' | b'"' | b',' | b' ') || byte.is_ascii_lowercase());
    &rest[from..digits(rest, from)]
}

/// Removes the number, or the placeholder of a number, at the end.
fn without_number(text: &[u8]) -> &[u8] {
    if text.ends_with(b">")
        && let Some(rest) =
            ["<LINE>", "<PORT>", "<NUM>", "<ID>"].iter().find_map(|name| text.strip_suffix(name.as_bytes()))
    {
        return rest;
    }
    let count = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    &text[..text.len() - count]
}

/// `File "app/cart.py", line 3, in total`, without the text up to the first quote.
fn python(rest: &[u8]) -> Option<Frame<'_>> {
    let close = memchr(b'"', rest)?;
    if !rest[close..].starts_with(b"\", line ") {
        return None;
    }
    let function = memmem::find(&rest[close..], b", in ").map_or(&b""[..], |start| &rest[close + start + 5..]);
    Some(Frame { file: &rest[..close], function, outer_first: true })
}

/// ``./lib/cart.rb:12:in `total'``.
fn ruby(rest: &[u8]) -> Option<Frame<'_>> {
    let split = memmem::find(rest, b":in ")?;
    let file = place(&rest[..split])?;
    let name = rest[split + 4..].trim_ascii();
    let name = name.strip_prefix(b"`").or_else(|| name.strip_prefix(b"'")).unwrap_or(name);
    Some(frame(file, name.strip_suffix(b"'").unwrap_or(name)))
}

/// `total src/cart.ts:12:3` after the mark.
fn vitest(rest: &[u8]) -> Option<Frame<'_>> {
    let file = place(rest)?;
    let split = file.iter().rposition(|&byte| byte == b' ');
    Some(split.map_or(frame(file, b""), |space| frame(&file[space + 1..], &file[..space])))
}

/// `app/cart.py:12: in total`.
fn pytest(line: &[u8], colon: usize) -> Option<Frame<'_>> {
    let drive = colon == 1 && at(line, 2) == b'\\';
    let colon = if drive { 2 + memchr(b':', &line[2..])? } else { colon };
    let split = number_end(line, colon + 1)?;
    if !line[split..].starts_with(b": in ") {
        return None;
    }
    let file = &line[..colon];
    let function = &line[split + 5..];
    let named = file.contains(&b'.') && !file.contains(&b' ') && !function.contains(&b' ');
    named.then_some(Frame { file, function, outer_first: true })
}

/// Returns the end of digits or of their placeholder.
fn number_end(line: &[u8], start: usize) -> Option<usize> {
    let end = digits(line, start);
    if end > start {
        return Some(end);
    }
    line[start..].starts_with(b"<LINE>").then_some(start + 6)
}

/// Returns the path in the second line of a Go frame, `/src/cart.go:12 +0x1d`, or of a Rust frame.
pub(crate) fn bare_place(line: &[u8]) -> Option<&[u8]> {
    let end = OFFSET.find(line).unwrap_or(line.len());
    let path = &line[..end];
    let file = place(path)?;
    (!file.contains(&b' ') && file.contains(&b'.')).then_some(file)
}

/// Returns the function of a numbered frame, `3: shop::cart::total`, or of a Go frame, `main.total(0x1, 0x2)`.
pub(crate) fn bare_function(line: &[u8]) -> &[u8] {
    let number = digits(line, 0);
    let start = if at(line, number) == b':' && number > 0 { run(line, number + 1, |byte| byte == b' ') } else { 0 };
    let name = &line[start..];
    name.iter()
        .rposition(|&byte| byte == b'(')
        .filter(|&open| open > 0 && start == 0)
        .map_or(name, |open| &name[..open])
}

#[cfg(test)]
mod tests {
    use super::{Frame, is_in_app};

    fn is_ours(file: &str) -> bool {
        is_in_app(&Frame { file: file.as_bytes(), function: b"total", outer_first: false })
    }

    #[test]
    fn folders_with_similar_names_belong_to_the_project() {
        for file in [
            "/srv/shop/releases/latest/cart.js",
            "/srv/contest/cart.py",
            "/src/shop/internal/cart/cart.go",
            "/home/me/react-native-shop/src/cart.js",
            "/srv/shop/public/wasm_loader.js",
            "config/webpack/dev.js",
            "C:\\inspec\\cart.rb",
        ] {
            assert!(is_ours(file), "{file}");
        }
    }

    #[test]
    fn runtimes_libraries_and_tests_are_foreign() {
        for file in [
            "node:internal/modules/cjs/loader",
            "internal/modules/cjs/loader.js",
            "native",
            "<internal:kernel>",
            "ext:core/01_core.js",
            "webpack:///webpack/bootstrap",
            "/srv/shop/vendor/autoload.php",
            "test/cart.js",
            "./test/cart.js",
            "/srv/shop/my-test/cart.js",
            "/srv/shop/unit_tests/cart.py",
            "src/integrationTest/cart.kt",
            "Shop.Tests/Cart.cs",
            "C:\\shop\\tests\\cart.py",
            "C:\\shop\\spec\\cart.rb",
            "",
        ] {
            assert!(!is_ours(file), "{file}");
        }
    }
}
