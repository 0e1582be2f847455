//! Finds source files that an interpreter or a compiler cannot parse. The stack of such an error shows only where the
//! file was imported. Therefore the location of the error must be found in the message.

use super::{build_frame, compilers, parse_number};
use crate::fix_loop::error::Location;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of lines between a quoted location of Node and its `SyntaxError`: the source, the carets, a blank
/// line.
const MAX_QUOTED_LINES: usize = 4;

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Patterns that match the error in one line, with the named groups `file`, `line` and `column`.
static ONE_LINE_ERRORS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        // Ruby: `lib/cart.rb:6: syntax error, ...`. Since Ruby 3.4, `syntax errors found`.
        compile(r"(?:^|\s)(?<file>(?:[A-Za-z]:)?[^\s:]+\.(?:rb|rake|gemspec|ru)):(?<line>\d+): syntax errors?\b"),
        // Babel: `SyntaxError: /srv/cart.js: Unexpected token (4:37)`. Node prints the same for JSON, without a line.
        compile(concat!(
            r"^\s*SyntaxError: (?<file>(?:/|[A-Za-z]:[\\/])[^:\n]*\.\w+): ",
            r".*?(?:\((?:line )?(?<line>\d+)(?::| column )(?<column>\d+)\))?$"
        )),
    ]
});

/// The location that pytest prints below the traceback of the import: `E     File "/srv/cart.py", line 7`.
static PYTEST_LOCATION: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^E\s+File "(?<file>[^"\n]+)", line (?<line>\d+)$"#));

/// The location that Node prints above the quoted source. Mocha, Jest and TAP add a prefix.
static NODE_LOCATION: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^(?:#\s*|[^:\n]+: +|\s+)?(?<file>(?:file://)?(?:/|[A-Za-z]:[\\/])[^\s:]*\.[cm]?[jt]sx?):(?<line>\d+)$")
});
static CARET_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:#\s)?\s*\^+\s*$"));
static NODE_ERROR: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:#\s)?\s*SyntaxError\b"));

/// The line above the first location in the output of esbuild and ts-node.
static LINE_ABOVE_COMPILER_LOCATION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b(?:(?:Transform|Build) failed with \d+ errors?|Unable to compile TypeScript):$"));

/// The location that Lua prints below `error loading module 'cart' from file './cart.lua':`.
static LUA_LOCATION: LazyLock<Regex> = LazyLock::new(|| compile(r"^\s*(?<file>[^\s:]+\.(?:lua|moon)):(?<line>\d+): "));
static LINE_ABOVE_LUA_LOCATION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\berror loading module '[^'\n]+' from file '[^'\n]+':$"));

/// Returns the location in an unreadable file if the line at `at` reports this location.
pub(super) fn find_unreadable_file(lines: &[&str], at: usize) -> Option<Location> {
    let line = lines[at];
    let above = at.checked_sub(1).map_or("", |above| lines[above]);
    if above.ends_with(':') && LINE_ABOVE_COMPILER_LOCATION.is_match(above) {
        return compilers::location_at(lines, at);
    }
    let found = if line.contains("yntax") {
        ONE_LINE_ERRORS.iter().find_map(|pattern| pattern.captures(line))
    } else if above.ends_with("':") && LINE_ABOVE_LUA_LOCATION.is_match(above) {
        LUA_LOCATION.captures(line)
    } else if line.ends_with(|last: char| last.is_ascii_digit()) {
        let node = || NODE_LOCATION.captures(line).filter(|_| has_quoted_syntax_error(&lines[at + 1..]));
        PYTEST_LOCATION.captures(line).or_else(node)
    } else {
        None
    }?;
    Some(build_frame(&found["file"], parse_number(found.name("line")), parse_number(found.name("column")), ""))
}

fn has_quoted_syntax_error(below: &[&str]) -> bool {
    let below = &below[..below.len().min(MAX_QUOTED_LINES)];
    let carets = below.iter().position(|line| CARET_LINE.is_match(line));
    carets.is_some_and(|carets| below[carets..].iter().any(|line| NODE_ERROR.is_match(line)))
}
