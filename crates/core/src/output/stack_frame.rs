//! Recognizes the stack frames of common runtimes. `frame_owner` checks which frames belong to the project.

use crate::text::bytes::{Words, byte_at, digits_end, run_end};
use memchr::{
    memchr,
    memmem::{self, Finder},
};
use std::sync::LazyLock;

/// A stack frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StackFrame<'a> {
    /// Path as printed, without line and column.
    pub(crate) file: &'a [u8],
    /// Function; empty if the runtime names no function.
    pub(crate) function: &'a [u8],
    /// Set if the runtime prints outer frames first, as Python does.
    pub(crate) outer_first: bool,
}

static IN_KEYWORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" in "));
static GO_OFFSET: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" +0x"));

/// Parses a line as a stack frame of any runtime. `colon` is the position of its first colon.
pub(crate) fn parse_frame(line: &[u8], colon: Option<usize>) -> Option<StackFrame<'_>> {
    match byte_at(line, 0) {
        b'a' => line.strip_prefix(b"at ").and_then(parse_at_frame),
        b'-' => line.strip_prefix(b"-> at ").and_then(parse_at_frame),
        b'F' => line.strip_prefix(b"File \"").and_then(parse_python_frame),
        b'f' => line
            .strip_prefix(b"from ")
            .and_then(parse_ruby_frame)
            .or_else(|| parse_bats_frame(line))
            .or_else(|| parse_common_frame(line, colon?)),
        b'#' => line.strip_prefix(b"# ").and_then(parse_ruby_frame),
        0xe2 => line.strip_prefix("❯ ".as_bytes()).and_then(parse_vitest_frame),
        b'(' => parse_bats_frame(&line[1..])
            .or_else(|| memmem::find(line, b") ").and_then(|end| parse_elixir_frame(&line[end + 2..]))),
        b'i' => {
            parse_bats_frame(line).or_else(|| parse_erlang_frame(line)).or_else(|| parse_common_frame(line, colon?))
        }
        b'I' => parse_ginkgo_frame(line),
        _ => parse_common_frame(line, colon?),
    }
}

/// Parses a frame that starts with a path or a function.
fn parse_common_frame(line: &[u8], colon: usize) -> Option<StackFrame<'_>> {
    let path = || {
        parse_pytest_frame(line, colon).or_else(|| parse_elixir_frame(line)).or_else(|| parse_lua_frame(line, colon))
    };
    // Ruby prints the message of an uncaught error after the function: `lib/cart.rb:12:in 'total': message`.
    let bare_ruby = || parse_ruby_frame(line).filter(|frame| line.ends_with(b"'") && !frame.file.contains(&b' '));
    path().or_else(|| parse_haskell_frame(line)).or_else(bare_ruby).or_else(|| parse_tap_frame(line))
}

/// Parses a frame of Node in TAP: `TestContext.<anonymous> (/srv/test/cart.test.js:12:3)`.
fn parse_tap_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let open = find_last_opening_bracket(line)?;
    let inside = line.strip_suffix(b")")?;
    let name = inside[..open].strip_suffix(b" ")?;
    let file = text_before_number(text_before_number(&inside[open + 1..])?)?;
    let one_word = !strip_alias(name).contains(&b' ') && !file.contains(&b' ');
    one_word.then(|| build_frame(file, strip_alias(name)))
}

/// Returns the position of the bracket that is closed at the end of the text. A path may contain brackets too, for
/// example `app(1)/cart.js`.
fn find_last_opening_bracket(text: &[u8]) -> Option<usize> {
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

/// Checks for a frame of Rust, whose place is on the next line: `4: cart::total`, `5: <cart::Cart as
/// core::fmt::Display>::fmt`.
fn is_numbered_function(line: &[u8]) -> bool {
    let number = digits_end(line, 0);
    let Some(function) = line[number..].strip_prefix(b": ").filter(|_| number > 0) else { return false };
    let is_path = function.starts_with(b"<") || !function.contains(&b' ');
    is_path && memmem::find(function, b"::").is_some()
}

/// Parses the text after `at`, with which frames of JavaScript, Java, .NET and Rust start.
fn parse_at_frame(rest: &[u8]) -> Option<StackFrame<'_>> {
    // .NET: `Acme.Cart.Total(Int32 n) in /src/Cart.cs:line 12`.
    if let Some(before) = strip_number(rest).strip_suffix(b":line ")
        && let Some(split) = IN_KEYWORD.find(before)
    {
        return (before.len() > split + 4)
            .then(|| build_frame(&before[split + 4..], strip_arguments(&before[..split])));
    }
    if rest.ends_with(b")") {
        let open = find_last_opening_bracket(rest)?;
        let inside = &rest[open + 1..rest.len() - 1];
        let name = &rest[..open];
        if name.ends_with(b" ") {
            // `fn (file:1:2)`, `fn (<anonymous>)`, but not `at least (two)`.
            let place = strip_position(inside)
                .or((inside == b"native" || inside.starts_with(b"<anonymous>")).then_some(inside))?;
            return Some(build_frame(place, strip_alias(name.trim_ascii_end())));
        }
        return parse_java_frame(name, inside);
    }
    let file = strip_position(rest)?;
    let path = !file.contains(&b' ') || file.starts_with(b"async ");
    path.then(|| build_frame(file, b""))
}

fn build_frame<'a>(file: &'a [u8], function: &'a [u8]) -> StackFrame<'a> {
    StackFrame { file, function, outer_first: false }
}

/// Parses `com.acme.Cart.total` and `Cart.java:88`.
fn parse_java_frame<'a>(name: &'a [u8], inside: &'a [u8]) -> Option<StackFrame<'a>> {
    let dotted = name.contains(&b'.') && !name.contains(&b' ');
    if inside.ends_with(b"Method") || inside.ends_with(b"Source") {
        return dotted.then(|| build_frame(b"native", name));
    }
    if let Some(file) = strip_position(inside) {
        return (!name.contains(&b' ')).then(|| build_frame(file, name));
    }
    // A frame of .NET without a file, such as `at System.String.Concat(String a)`. Excludes sentences, which have a
    // space before a parenthesis.
    dotted.then(|| build_frame(b"", name))
}

/// Returns the method of a .NET frame without its arguments.
fn strip_arguments(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'(').next().unwrap_or(name)
}

/// Returns the name without `async`, `new` and an alias: `Object.toBe` for `Object.toBe [as scenario]`.
fn strip_alias(name: &[u8]) -> &[u8] {
    let name = name.strip_prefix(b"async ").unwrap_or(name);
    let name = name.strip_prefix(b"new ").unwrap_or(name);
    memmem::find(name, b" [as ").map_or(name, |end| &name[..end])
}

/// Returns the path of `path:line:column` or `path:line`. Placeholders count as numbers.
fn strip_position(text: &[u8]) -> Option<&[u8]> {
    let first = text_before_number(text)?;
    Some(text_before_number(first).unwrap_or(first))
}

pub(super) fn text_before_number(text: &[u8]) -> Option<&[u8]> {
    strip_number(text).strip_suffix(b":").filter(|rest| !rest.is_empty())
}

/// Returns the digits of the line number after the file in a frame.
pub(super) fn line_number_after<'t>(frame: &'t [u8], file: &[u8]) -> &'t [u8] {
    let Some(start) = memmem::find(frame, file) else { return b"" };
    let rest = &frame[start + file.len()..];
    let from = run_end(rest, 0, |byte| matches!(byte, b':' | b'"' | b',' | b' ') || byte.is_ascii_lowercase());
    &rest[from..digits_end(rest, from)]
}

/// Removes the number, or the placeholder of a number, at the end.
fn strip_number(text: &[u8]) -> &[u8] {
    if text.ends_with(b">")
        && let Some(rest) =
            ["<LINE>", "<PORT>", "<NUM>", "<ID>"].iter().find_map(|name| text.strip_suffix(name.as_bytes()))
    {
        return rest;
    }
    let count = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    &text[..text.len() - count]
}

/// Parses the text after `File "` in `File "app/cart.py", line 3, in total`.
fn parse_python_frame(rest: &[u8]) -> Option<StackFrame<'_>> {
    let close = memchr(b'"', rest)?;
    if !rest[close..].starts_with(b"\", line ") {
        return None;
    }
    let function = memmem::find(&rest[close..], b", in ").map_or(&b""[..], |start| &rest[close + start + 5..]);
    Some(StackFrame { file: &rest[..close], function, outer_first: true })
}

/// Parses ``./lib/cart.rb:12:in `total'``.
fn parse_ruby_frame(rest: &[u8]) -> Option<StackFrame<'_>> {
    let split = memmem::find(rest, b":in ")?;
    let file = strip_position(&rest[..split])?;
    let name = rest[split + 4..].trim_ascii();
    let name = name.strip_prefix(b"`").or_else(|| name.strip_prefix(b"'")).unwrap_or(name);
    Some(build_frame(file, name.strip_suffix(b"'").unwrap_or(name)))
}

/// Parses `total src/cart.ts:12:3`.
fn parse_vitest_frame(rest: &[u8]) -> Option<StackFrame<'_>> {
    let file = strip_position(rest)?;
    let split = file.iter().rposition(|&byte| byte == b' ');
    Some(split.map_or(build_frame(file, b""), |space| build_frame(&file[space + 1..], &file[..space])))
}

/// Parses `app/cart.py:12: in total`.
fn parse_pytest_frame(line: &[u8], colon: usize) -> Option<StackFrame<'_>> {
    let drive = colon == 1 && byte_at(line, 2) == b'\\';
    let colon = if drive { 2 + memchr(b':', &line[2..])? } else { colon };
    let split = number_end(line, colon + 1)?;
    if !line[split..].starts_with(b": in ") {
        return None;
    }
    let file = &line[..colon];
    let function = &line[split + 5..];
    let named = file.contains(&b'.') && !file.contains(&b' ') && !function.contains(&b' ');
    named.then_some(StackFrame { file, function, outer_first: true })
}

/// Parses `lib/cart.ex:12: Cart.total/1`, also after the name of the application: `(shop 0.1.0) lib/cart.ex:12:
/// Cart.total/1`.
fn parse_elixir_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let colon = memchr(b':', line)?;
    let file = &line[..colon];
    let source = [&b".ex"[..], b".exs", b".erl"].iter().any(|end| file.ends_with(end)) && !file.contains(&b' ');
    let function = line[number_end(line, colon + 1).filter(|_| source)?..].strip_prefix(b": ")?;
    (!function.contains(&b' ')).then(|| build_frame(file, function))
}

/// Parses `spec/cart_spec.lua:12: in function 'total'` and `spec/cart_spec.lua:12: in main chunk`.
fn parse_lua_frame(line: &[u8], colon: usize) -> Option<StackFrame<'_>> {
    let file = &line[..colon];
    let function = line[number_end(line, colon + 1)?..].strip_prefix(b": in ")?;
    // Lua prints a function without a name as the place of its definition.
    let name = [&b"function '"[..], b"local '", b"upvalue '", b"method '", b"field '"]
        .iter()
        .find_map(|start| function.strip_prefix(*start))
        .map_or(&b""[..], |name| name.strip_suffix(b"'").unwrap_or(name));
    (file.ends_with(b".lua") && !file.contains(&b' ')).then(|| build_frame(file, name))
}

/// Parses a function in a file, or a test file with its line, in a stack of Bats: `in test file test/cart.bats, line
/// 9)`.
fn parse_bats_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let (function, rest) = match line.strip_prefix(b"from function `") {
        Some(rest) => {
            let end = memmem::find(rest, b"' in file ")?;
            (&rest[..end], &rest[end + "' in file ".len()..])
        }
        None => (&b""[..], line.strip_prefix(b"in test file ").or_else(|| line.strip_prefix(b"in file "))?),
    };
    let rest = rest.strip_suffix(b",").or_else(|| rest.strip_suffix(b")"))?;
    Some(build_frame(strip_number(rest).strip_suffix(b", line ")?, function))
}

/// Parses `in function cart:total/1 (src/cart.erl, line 12)` and `in call from cart:total/1 (src/cart.erl, line 12)`.
fn parse_erlang_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let rest = line.strip_prefix(b"in function ").or_else(|| line.strip_prefix(b"in call from "))?;
    let open = memmem::find(rest, b" (")?;
    let place = strip_number(rest.strip_suffix(b")")?).strip_suffix(b", line ")?;
    Some(build_frame(place.get(open + 2..)?, &rest[..open]))
}

/// Parses `In [It] at: /srv/shop/cart_test.go:12 @ 01/05/26 10:11:12.123`.
fn parse_ginkgo_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let start =
        line.strip_prefix(b"In [").and_then(|rest| memmem::find(rest, b"] at: "))? + "In [".len() + "] at: ".len();
    let end = memmem::find(line, b" @ ").unwrap_or(line.len());
    Some(build_frame(text_before_number(line.get(start..end)?)?, b""))
}

/// Checks whether the file has the extension of a source file, for runtimes that print a place alone on a line.
pub(super) fn is_source_file(file: &[u8]) -> bool {
    static SOURCE_EXTENSIONS: Words<26> = Words::new([
        "php", "go", "swift", "cs", "fs", "vb", "cc", "cpp", "cxx", "c", "h", "hpp", "m", "mm", "exs", "ex", "erl",
        "lua", "hs", "kt", "java", "scala", "dart", "jl", "zig", "t",
    ]);
    let dot = file.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
    dot.is_some_and(|dot| SOURCE_EXTENSIONS.has(&file[dot + 1..]))
}

/// Parses a call stack of Haskell: `error, called at src/Cart.hs:12:5 in shop-0.1:Cart`. For functions such as `head`,
/// the first caller is a library of the runtime.
fn parse_haskell_frame(line: &[u8]) -> Option<StackFrame<'_>> {
    let start = memmem::find(line, b", called at ")?;
    let (place_at, module) = (start + ", called at ".len(), IN_KEYWORD.find(line)?);
    let file = strip_position(line.get(place_at..module)?)?;
    // Remove the version of the package, which does not identify the function.
    let name = memchr::memrchr(b':', &line[module..]).map_or(module + 4, |colon| module + colon + 1);
    Some(build_frame(file, &line[name..]))
}

/// Returns the end of digits or of their placeholder.
fn number_end(line: &[u8], start: usize) -> Option<usize> {
    let end = digits_end(line, start);
    if end > start {
        return Some(end);
    }
    line[start..].starts_with(b"<LINE>").then_some(start + 6)
}

/// Returns the path in the second line of a Go frame, `/src/cart.go:12 +0x1d`, or of a Rust frame.
pub(crate) fn path_of_location_line(line: &[u8]) -> Option<&[u8]> {
    let end = GO_OFFSET.find(line).unwrap_or(line.len());
    let path = &line[..end];
    let file = strip_position(path)?;
    (!file.contains(&b' ') && file.contains(&b'.')).then_some(file)
}

/// Returns the function of a numbered frame, `3: shop::cart::total`, or of a Go frame, `main.total(0x1, 0x2)`.
pub(crate) fn function_of_frame_header(line: &[u8]) -> &[u8] {
    let number = digits_end(line, 0);
    let start =
        if byte_at(line, number) == b':' && number > 0 { run_end(line, number + 1, |byte| byte == b' ') } else { 0 };
    let name = &line[start..];
    name.iter()
        .rposition(|&byte| byte == b'(')
        .filter(|&open| open > 0 && start == 0)
        .map_or(name, |open| &name[..open])
}
