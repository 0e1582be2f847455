//! The lines that `go test` prints around a test's own output. This module calls these lines the frame.

/// Returns true if a failed Go test printed nothing but the frame (`=== RUN`, `--- FAIL: ...`).
pub(crate) fn has_only_runner_lines(error: Option<&str>) -> bool {
    error.is_none_or(|text| text.lines().all(is_runner_line))
}

/// Returns true for a line of the frame. `Failed` is gotestsum's message for every failure.
fn is_runner_line(line: &str) -> bool {
    let line = line.trim();
    matches!(line, "" | "Failed" | "FAIL" | "PASS")
        || [
            "=== RUN",
            "=== PAUSE",
            "=== CONT",
            "=== NAME",
            "--- FAIL:",
            "--- PASS:",
            "--- SKIP:",
            "FAIL\t",
            "exit status ",
        ]
        .iter()
        .any(|frame| line.starts_with(frame))
}

/// Returns the output of a test without the frame, or the frame if there is nothing else.
pub(crate) fn remove_runner_lines(output: &str) -> String {
    let own: Vec<&str> =
        output.lines().skip_while(|line| is_runner_line(line)).filter(|line| !is_frame(line)).collect();
    let own = own.join("\n");
    if own.trim().is_empty() { output.trim().to_owned() } else { remove_first_indentation(own.trim_end()) }
}

/// Removes the indentation of the first line from all lines, because `t.Error` indents by four columns per level.
fn remove_first_indentation(text: &str) -> String {
    let indentation = text.len() - text.trim_start_matches(' ').len();
    let lines = text.lines().map(|line| &line[indentation.min(line.len() - line.trim_start_matches(' ').len())..]);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true for a frame line inside the output. Empty lines there belong to the test.
fn is_frame(line: &str) -> bool {
    !line.trim().is_empty() && is_runner_line(line)
}
