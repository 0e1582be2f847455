//! Finds source files that an interpreter or a compiler cannot parse. The stack of such an error is only that of the
//! import, so that the location is the unreadable file.

use super::{compilers, frame, number};
use crate::fix_loop::error::Location;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of lines between a quoted location of Node and its `SyntaxError`: the source, the carets, a blank
/// line.
const MAX_QUOTED_LINES: usize = 4;

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Patterns that match the error in one line, with the named groups `file`, `line` and `column`.
static ONE_LINE: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        // Ruby: `lib/cart.rb:6: syntax error, ...`. Since Ruby 3.4, `syntax errors found`.
        constant(r"(?:^|\s)(?<file>(?:[A-Za-z]:)?[^\s:]+\.(?:rb|rake|gemspec|ru)):(?<line>\d+): syntax errors?\b"),
        // Babel: `SyntaxError: /srv/cart.js: Unexpected token (4:37)`. Node prints the same for JSON, without a line.
        constant(concat!(
            r"^\s*SyntaxError: (?<file>(?:/|[A-Za-z]:[\\/])[^:\n]*\.\w+): ",
            r".*?(?:\((?:line )?(?<line>\d+)(?::| column )(?<column>\d+)\))?$"
        )),
    ]
});

/// pytest, whose traceback shows the import: `E     File "/srv/cart.py", line 7`.
static PYTEST: LazyLock<Regex> = LazyLock::new(|| constant(r#"^E\s+File "(?<file>[^"\n]+)", line (?<line>\d+)$"#));

/// Node quotes the source below the location. Mocha, Jest and TAP add a prefix.
static NODE: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"^(?:#\s*|[^:\n]+: +|\s+)?(?<file>(?:file://)?(?:/|[A-Za-z]:[\\/])[^\s:]*\.[cm]?[jt]sx?):(?<line>\d+)$")
});
static CARETS: LazyLock<Regex> = LazyLock::new(|| constant(r"^(?:#\s)?\s*\^+\s*$"));
static NODE_ERROR: LazyLock<Regex> = LazyLock::new(|| constant(r"^(?:#\s)?\s*SyntaxError\b"));

/// The line above the first location in the output of esbuild and ts-node.
static COMPILER_ABOVE: LazyLock<Regex> =
    LazyLock::new(|| constant(r"\b(?:(?:Transform|Build) failed with \d+ errors?|Unable to compile TypeScript):$"));

/// Lua prints the location below `error loading module 'cart' from file './cart.lua':`.
static LUA: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*(?<file>[^\s:]+\.(?:lua|moon)):(?<line>\d+): "));
static LUA_ABOVE: LazyLock<Regex> =
    LazyLock::new(|| constant(r"\berror loading module '[^'\n]+' from file '[^'\n]+':$"));

/// The location in an unreadable file, if this line reports it.
pub(super) fn unreadable_source(lines: &[&str], at: usize) -> Option<Location> {
    let line = lines[at];
    let above = at.checked_sub(1).map_or("", |above| lines[above]);
    if above.ends_with(':') && COMPILER_ABOVE.is_match(above) {
        return compilers::location_at(lines, at);
    }
    let found = if line.contains("yntax") {
        ONE_LINE.iter().find_map(|pattern| pattern.captures(line))
    } else if above.ends_with("':") && LUA_ABOVE.is_match(above) {
        LUA.captures(line)
    } else if line.ends_with(|last: char| last.is_ascii_digit()) {
        let node = || NODE.captures(line).filter(|_| quotes_a_syntax_error(&lines[at + 1..]));
        PYTEST.captures(line).or_else(node)
    } else {
        None
    }?;
    Some(frame(&found["file"], number(found.name("line")), number(found.name("column")), ""))
}

fn quotes_a_syntax_error(below: &[&str]) -> bool {
    let below = &below[..below.len().min(MAX_QUOTED_LINES)];
    let carets = below.iter().position(|line| CARETS.is_match(line));
    carets.is_some_and(|carets| below[carets..].iter().any(|line| NODE_ERROR.is_match(line)))
}
