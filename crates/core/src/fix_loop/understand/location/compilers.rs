//! Finds locations that compilers, linters and interpreters report. The first error in the text has priority.

use super::{build_frame, parse_number};
use crate::fix_loop::error::Location;
use regex::Regex;
use std::sync::LazyLock;

/// Patterns for a line, most specific first, with the named groups `file`, `line` and `column`.
static LINE_PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // tsc and .NET: `src/cart.ts(12,5): error TS2345: ...`.
        r"^\s*(?<file>[^\s()][^()\n]*)\((?<line>\d+)(?:,(?<column>\d+))?(?:,\d+,\d+)?\): (?:fatal )?(?:error|warning)\b",
        // tsc with --pretty: `src/cart.ts:12:5 - error TS2345: ...`.
        r"^\s*(?<file>[^\s:][^:\n]*):(?<line>\d+):(?<column>\d+) - error\b",
        // rustc: ` --> src/cart.rs:12:5`; also frames of ariadne and Biome.
        r"^\s*(?:-->|╭─\[|┌─|╭▶)\s*(?<file>[^\s:\[][^:\n]*):(?<line>\d+):(?<column>\d+)",
        // Maven: `[ERROR] /src/Cart.java:[12,5] ...`.
        r"^\[ERROR\] (?<file>/?(?:[A-Za-z]:)?[^:\n\[]+\.\w+):\[(?<line>\d+),(?<column>\d+)\]",
        // Kotlin: `e: file:///src/Cart.kt:12:5 ...`, `e: /src/Cart.kt: (12, 5): ...`.
        r"^e: (?<file>(?:file://)?/?(?:[A-Za-z]:)?[^:\n]+\.kts?):(?:(?<line>\d+):(?<column>\d+)| \(\d+, \d+\):)",
        // C, C++, Swift, javac, mypy, Go vet: `src/cart.c:12:5: error: ...`.
        r"^\s*(?:In file included from )?(?<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?<line>\d+)(?::(?<column>\d+))?: (?:fatal |syntax |type )?[eE]rror\b",
        // Python without a stack: `File "app/cart.py", line 3`.
        r#"^\s*File "(?<file>[^"\n]+)", line (?<line>\d+)$"#,
        // PHP: `PHP Parse error: ... in /app/cart.php on line 12`.
        r"\bin (?<file>\S+\.php)(?: on line |:)(?<line>\d+)",
        // Ruby: `lib/cart.rb:12: syntax error, ...`.
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:rb|rake|gemspec)):(?<line>\d+): ",
        // Go: `./cart.go:12:5: undefined: total`; ruff, flake8, shellcheck, hadolint: `a.py:12:5: E501 ...`.
        r"^\s*(?:vet: )?(?<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.\w{1,6}):(?<line>\d+):(?<column>\d+): \S",
        // Go's tests: `    cart_test.go:12: got 3, want 4`.
        r"^\s*(?<file>[\w/.-]+_test\.go):(?<line>\d+): ",
        // Gradle, under the test's name: `    java.lang.AssertionError at CartTest.java:12`.
        r"^\s+[\w$.]+ at (?<file>[\w$]+\.(?:java|kt|groovy|scala)):(?<line>\d+)$",
        // esbuild, Vite, Rollup: `src/cart.ts:12:5`, alone or after a mark or a word, or before a colon.
        r"^\s*(?:✘ \[ERROR\] |ERROR in |file: |at )?(?<file>(?:[A-Za-z]:[\\/]|/|\./|\.\./|[\w@-]+/)[^\s:]*\.\w{1,6}):(?<line>\d+):(?<column>\d+):?$",
        // webpack: `ERROR in ./src/cart.ts 12:5`, `ERROR in ./src/cart.ts:12:5`.
        r"^(?:ERROR in|Module (?:Error|build failed).*) (?<file>\S+\.\w+)[ :](?<line>\d+):(?<column>\d+)",
        // Bash: `./setup.sh: line 12: foo: command not found`.
        r"^(?<file>[^\s:][^:\n]*): line (?<line>\d+): ",
        // Bats: `(in test file test/cart.bats, line 5)`. For a helper, the innermost location comes first.
        r"^\s*(?:# )?\((?:in|from) (?:function `[^'\n]+' in )?(?:test )?file (?<file>[^,\n]+), line (?<line>\d+)[,)]",
        // Terraform and others: `on main.tf line 12`.
        r"\bon (?<file>\S+\.\w+) line (?<line>\d+)",
        // YAML and JSON readers: `in "compose.yaml", line 12, column 5`.
        r#"\bin "(?<file>[^"\n]+)", line (?<line>\d+), column (?<column>\d+)"#,
        // Node, before it quotes the line that threw: `/srv/cart.js:12`.
        r"^(?<file>(?:file://)?(?:[A-Za-z]:[\\/]|/)[^\s:]*\.[cm]?[jt]sx?):(?<line>\d+)$",
        // Minitest: `CartTest#test_total [test/cart_test.rb:12]:`.
        r"\[(?<file>[^\s\[\]:]+\.rb):(?<line>\d+)\]:?$",
        // CMake: `CMake Error at CMakeLists.txt:3 (find_package):`.
        r"^CMake (?:Error|Warning) at (?<file>[^:\n]+):(?<line>\d+)",
        // Dockerfile, make: `Dockerfile:12`, `make: *** [Makefile:12: build] Error 2`.
        r"^(?<file>(?:\S*/)?Dockerfile\S*):(?<line>\d+)$",
        r"^make(?:\[\d+\])?: \*\*\* \[(?<file>[^\s:\]]+):(?<line>\d+): ",
    ]
    .into_iter()
    .map(|pattern| Regex::new(pattern).expect("a constant pattern"))
    .collect()
});

/// `ESLint` and similar tools print the file on its own line and the locations below it.
static LOCATION_BELOW_FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s+(?<line>\d+):(?<column>\d+)\s+(?:error|✖)\s+\S").expect("a constant pattern"));

/// Maximum number of locations.
const MAX_LOCATIONS: usize = 50;

/// Returns the locations in the order of the text. Returns locations of warnings only if there are no errors.
pub(super) fn find_locations(lines: &[&str]) -> Vec<Location> {
    let places = |warnings: bool| {
        let of_kind = (0..lines.len()).filter(move |&at| is_warning(lines, at) == warnings);
        of_kind.filter_map(|at| location_at(lines, at)).take(MAX_LOCATIONS).collect::<Vec<_>>()
    };
    let errors = places(false);
    if errors.is_empty() { places(true) } else { errors }
}

/// Returns `true` if the location belongs to a warning: `main.c:12:5: warning: ...`,
/// `Cart.cs(12,5): warning CS0168: ...`. rustc prints `warning` on the line above.
fn is_warning(lines: &[&str], at: usize) -> bool {
    let above = || at.checked_sub(1).is_some_and(|above| lines[above].trim_start().starts_with("warning"));
    lines[at].contains(": warning") || lines[at].contains(" - warning") || (lines[at].contains("-->") && above())
}

/// Returns the location that a line reports.
pub(super) fn location_at(lines: &[&str], at: usize) -> Option<Location> {
    let line = lines[at];
    if !line.contains(|mark: char| mark.is_ascii_digit()) {
        return None;
    }
    if let Some(found) = LOCATION_BELOW_FILE.captures(line) {
        let above = lines[..at].iter().rev().take(200).find(|above| !above.starts_with([' ', '\t']))?;
        let file = above.trim();
        let path = file.contains(['/', '\\', '.']) && !file.contains(": ");
        return path
            .then(|| build_frame(file, parse_number(found.name("line")), parse_number(found.name("column")), ""));
    }
    LINE_PATTERNS.iter().find_map(|pattern| {
        let found = pattern.captures(line)?;
        let file = found.name("file")?.as_str();
        // Excludes `12:30:45: error`, which is a time, and `http://a:80: error`, which is an address.
        let path =
            !file.bytes().all(|byte| byte.is_ascii_digit()) && !file.contains("://") || file.starts_with("file://");
        path.then(|| build_frame(file, parse_number(found.name("line")), parse_number(found.name("column")), ""))
    })
}
