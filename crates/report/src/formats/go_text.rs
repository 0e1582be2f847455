//! What `go test` prints around a test's own output.

/// Whether a failed Go test printed nothing of its own, only the frame (`=== RUN`, `--- FAIL: ...`).
pub(crate) fn is_framing(error: Option<&str>) -> bool {
    error.is_none_or(|text| text.lines().all(is_frame_line))
}

/// A line of the frame. `Failed` is gotestsum's message for every failure.
fn is_frame_line(line: &str) -> bool {
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

/// The output of a test without its frame; the frame itself where there is nothing else.
pub(crate) fn without_frame(output: &str) -> String {
    let own: Vec<&str> = output.lines().skip_while(|line| is_frame_line(line)).filter(|line| !is_frame(line)).collect();
    let own = own.join("\n");
    if own.trim().is_empty() { output.trim().to_owned() } else { outdent(own.trim_end()) }
}

/// `t.Error` is indented by four columns a level; the first line says how deep.
fn outdent(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len();
    let lines = text.lines().map(|line| &line[indent.min(line.len() - line.trim_start_matches(' ').len())..]);
    lines.collect::<Vec<_>>().join("\n")
}

/// A frame line inside the output; empty lines there are the test's own.
fn is_frame(line: &str) -> bool {
    !line.trim().is_empty() && is_frame_line(line)
}
