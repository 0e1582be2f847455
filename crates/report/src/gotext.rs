//! What `go test` prints around a test's own output.
//! Does not: parse reports.

/// Whether a failed Go test printed nothing of its own, only the frame (`=== RUN`, `--- FAIL: ...`).
pub(crate) fn is_framing(error: Option<&str>) -> bool {
    error.is_none_or(|text| text.lines().all(is_frame_line))
}

/// A line of the frame.
pub(crate) fn is_frame_line(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line == "Failed"
        || line == "FAIL"
        || ["=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- FAIL:", "--- PASS:", "--- SKIP:"]
            .iter()
            .any(|frame| line.starts_with(frame))
}

/// The output of a failed test without its frame; the frame itself where there is nothing else.
pub(crate) fn without_frame(output: &str) -> String {
    let own: Vec<&str> = output.lines().filter(|line| !is_frame_line(line)).collect();
    if own.is_empty() { output.trim().to_owned() } else { own.join("\n") }
}
