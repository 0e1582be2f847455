//! The error inside the one that `node:test` puts around every error.

/// Where a wrapper of several lines shows the error it stands for.
const CAUSE: &str = "\n  cause: ";

/// The wrapped error as Node prints it by itself; none where the wrapper adds nothing to the message.
/// Any other text stays as it is.
pub(super) fn unwrapped(body: String) -> Option<String> {
    if !body.contains("code: 'ERR_TEST_FAILURE'") {
        return Some(body);
    }
    let (_, cause) = body.split_once(CAUSE)?;
    // A cause in quotes is the message once more.
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
    use super::unwrapped;

    #[test]
    fn the_cause_takes_the_place_of_its_wrapper() {
        let body = "Error [ERR_TEST_FAILURE]: no\n    at async x {\n  code: 'ERR_TEST_FAILURE',\n  \
                    failureType: 'testCodeFailure',\n  cause: TypeError: no\n      at y {\n    errno: 1\n  }\n}\n";
        assert_eq!(unwrapped(body.to_owned()).as_deref(), Some("TypeError: no\n    at y {\n  errno: 1\n}"));
    }

    #[test]
    fn a_wrapper_that_only_repeats_the_message_goes() {
        let line = "[Error [ERR_TEST_FAILURE]: late] { code: 'ERR_TEST_FAILURE', cause: 'late' }";
        assert_eq!(unwrapped(line.to_owned()), None);
        assert_eq!(unwrapped("Error: late".to_owned()).as_deref(), Some("Error: late"));
    }
}
