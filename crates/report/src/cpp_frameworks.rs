//! Extracts the failed assertions from the output of a C++ test program. The framework also prints progress, passed
//! tests and usage hints, and `CTest` reports all of that as a single text.

use argus_core::display::strip_escapes;

/// A framework, recognized by a line that only its programs print.
struct Framework {
    is_framework_line: fn(&str) -> bool,
    /// Returns true for the first line of a failed assertion.
    begins: fn(&str) -> bool,
    ends: fn(&str) -> AssertionEnd,
}

enum AssertionEnd {
    /// The line belongs to the assertion.
    No,
    /// The line is the last line of the assertion.
    AfterLine,
    /// The assertion ended before this line.
    BeforeLine,
}

const FRAMEWORKS: [Framework; 4] = [GOOGLE_TEST, CATCH, DOCTEST, BOOST_TEST];

/// `cart_test.cpp:7: Failure`, followed by values that may have several lines, up to the line with the name of the
/// test.
const GOOGLE_TEST: Framework = Framework {
    is_framework_line: |line| line.starts_with("[  FAILED  ] "),
    begins: |line| {
        let by_compiler =
            || line.split_once("): error: ").is_some_and(|(file, _)| is_source_location(&format!("{file})")));
        line.strip_suffix(": Failure").is_some_and(|file| is_source_location(file) || file == "unknown file")
            || by_compiler()
    },
    ends: |line| match line.as_bytes() {
        _ if line.starts_with("[  FAILED  ] ") => AssertionEnd::AfterLine,
        [b'[', _, _, _, _, _, _, _, _, _, _, b']', b' ', ..] => AssertionEnd::BeforeLine,
        _ => AssertionEnd::No,
    },
};

/// `cart_test.cpp:7: FAILED:`, followed by the expression and its values.
const CATCH: Framework = Framework {
    is_framework_line: |line| line.contains(" is a Catch") && line.ends_with(" host application."),
    begins: |line| line.strip_suffix(": FAILED:").is_some_and(is_source_location),
    ends: end_at_blank_line,
};

/// `cart_test.cpp:7: ERROR: CHECK( total == 7 ) is NOT correct!`, followed by the values.
const DOCTEST: Framework = Framework {
    is_framework_line: |line| line.starts_with("[doctest] "),
    begins: |line| [": ERROR: ", ": FATAL ERROR: "].iter().any(|mark| starts_with_location(line, mark)),
    ends: end_at_blank_line,
};

/// `cart_test.cpp(7): error: in "totals": check total == 7 has failed [8 != 7]`.
const BOOST_TEST: Framework = Framework {
    is_framework_line: |line| line.starts_with("*** ") && line.contains(" detected in the test "),
    begins: |line| [": error: in \"", ": fatal error: in \""].iter().any(|mark| starts_with_location(line, mark)),
    ends: end_at_blank_line,
};

fn end_at_blank_line(line: &str) -> AssertionEnd {
    if line.is_empty() || line.starts_with("*** ") { AssertionEnd::BeforeLine } else { AssertionEnd::No }
}

/// Returns the failed assertions in order, separated by empty lines. Returns `None` if no known framework printed an
/// assertion.
pub(crate) fn extract_failed_assertions(output: &str) -> Option<String> {
    let output = strip_escapes(output);
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let framework = FRAMEWORKS.iter().find(|framework| lines.iter().any(|line| (framework.is_framework_line)(line)))?;
    let (mut assertions, mut is_inside) = (Vec::new(), false);
    for line in lines {
        if (framework.begins)(line) {
            if !assertions.is_empty() {
                assertions.push("");
            }
            is_inside = true;
        } else if is_inside {
            match (framework.ends)(line) {
                AssertionEnd::No => {}
                AssertionEnd::AfterLine => {
                    assertions.push(line);
                    is_inside = false;
                }
                AssertionEnd::BeforeLine => is_inside = false,
            }
        }
        if is_inside {
            assertions.push(line);
        }
    }
    (!assertions.is_empty()).then(|| join_value_lines(assertions.join("\n")))
}

/// Joins long values and their operator, which `Catch` prints on separate lines, because a single line of them has no
/// meaning.
fn join_value_lines(assertions: String) -> String {
    let join = |text: String, operator| text.replace(&format!("\n  {operator}\n  "), &format!(" {operator} "));
    ["==", "!=", "<", "<=", ">", ">="].into_iter().fold(assertions, join)
}

fn starts_with_location(line: &str, mark: &str) -> bool {
    line.split_once(mark).is_some_and(|(file, _)| is_source_location(file))
}

/// Returns true for `cart_test.cpp:7` or `cart_test.cpp(7)`.
fn is_source_location(text: &str) -> bool {
    let with_line = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')).or_else(|| text.rsplit_once(':'));
    with_line.is_some_and(|(file, line)| {
        !file.is_empty() && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    })
}
