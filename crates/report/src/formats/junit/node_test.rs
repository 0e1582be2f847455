//! Extracts the original error from the error that `node:test` wraps around it.

/// Start of the original error inside a multi-line wrapper.
const CAUSE_START: &str = "\n  cause: ";

/// Returns the original error as Node prints it, or `None` if the wrapper only repeats the message. Any other text is
/// returned unchanged.
pub(super) fn extract_cause(body: String) -> Option<String> {
    if !body.contains("code: 'ERR_TEST_FAILURE'") {
        return Some(body);
    }
    let (_, cause) = body.split_once(CAUSE_START)?;
    // A cause in quotes only repeats the message.
    if cause.starts_with(['\'', '"', '`']) {
        return None;
    }
    let cause = cause.trim_end();
    let cause = cause.strip_suffix("\n}").unwrap_or(cause);
    let lines: Vec<&str> = cause.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::extract_cause;

    #[test]
    fn replaces_wrapper_by_its_cause() {
        let body = "Error [ERR_TEST_FAILURE]: no\n    at async x {\n  code: 'ERR_TEST_FAILURE',\n  \
                    failureType: 'testCodeFailure',\n  cause: TypeError: no\n      at y {\n    errno: 1\n  }\n}\n";
        assert_eq!(extract_cause(body.to_owned()).as_deref(), Some("TypeError: no\n    at y {\n  errno: 1\n}"));
    }

    #[test]
    fn removes_wrapper_that_repeats_the_message() {
        let line = "[Error [ERR_TEST_FAILURE]: late] { code: 'ERR_TEST_FAILURE', cause: 'late' }";
        assert_eq!(extract_cause(line.to_owned()), None);
        assert_eq!(extract_cause("Error: late".to_owned()).as_deref(), Some("Error: late"));
    }
}
