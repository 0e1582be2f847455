//! Finds a failure reason in the output of a command when the report has none. For example, Node and Go report a file
//! that could not be loaded or a package that did not build as failed without a reason.

use super::{case_name::CASE_NAME_SEPARATOR, failure_texts::CleanFailureTexts};
use crate::Engine;
use argus_core::display::strip_escapes;
use argus_report::SUITE_FAILURE_NAME;

/// Maximum number of lines of a reason.
const MAX_REASON_LINES: usize = 40;

/// Returns the texts of a failed case. If the report has no reason, the error is taken from the output.
pub(crate) fn recover_error_from_output(
    engine: &Engine,
    output: Option<&str>,
    case_name: &str,
    texts: CleanFailureTexts,
) -> CleanFailureTexts {
    let reported_error = texts.error.as_deref().unwrap_or_default().trim();
    let has_no_reason =
        reported_error == "test failed" || reported_error.ends_with(" failed]") && reported_error.starts_with("FAIL");
    let suite = case_name.strip_suffix(SUITE_FAILURE_NAME).and_then(|name| name.strip_suffix(CASE_NAME_SEPARATOR));
    let (Some(output), Some(suite), true) = (output, suite, has_no_reason) else { return texts };
    match find_reason(&strip_escapes(output), suite) {
        Some(reason) => CleanFailureTexts { error: Some(engine.analyzer.redact_without_limit(&reason)), ..texts },
        None => texts,
    }
}

/// Finds the reason of a failed file or package. Node prints an uncaught error below the position in the file and ends
/// with its version. Go prints the compiler errors below the name of the package.
fn find_reason(output: &str, suite: &str) -> Option<String> {
    // TAP turns everything that a test prints into comments.
    let is_tap = output.contains("TAP version");
    let lines: Vec<&str> =
        output.lines().map(|line| if is_tap { line.strip_prefix("# ").unwrap_or(line) } else { line }).collect();
    let is_node_place = |line: &str| {
        let rest = line.split_once(suite).map(|(before, rest)| (before.ends_with('/') || before.is_empty(), rest));
        rest.is_some_and(|(whole, rest)| whole && rest.strip_prefix(':').is_some_and(is_number))
    };
    let is_go_package = |line: &str| {
        let name = line.strip_prefix("# ").map(|rest| rest.split(' ').next().unwrap_or(rest));
        name == Some(suite)
    };
    let ends =
        |line: &str| line.starts_with("Node.js v") || line.starts_with("FAIL\t") || line.starts_with("Subtest: ");
    let start = lines.iter().position(|line| is_node_place(line) || is_go_package(line))?;
    let all = lines[start..].iter().skip(usize::from(is_go_package(lines[start])));
    let mut reason = String::new();
    for line in all.take_while(|line| !ends(line)).take(MAX_REASON_LINES) {
        reason.push_str(line);
        // A blank line separates the source excerpt from the error, because nothing else does.
        reason.push_str(if line.trim_start().starts_with('^') { "\n\n" } else { "\n" });
    }
    reason.truncate(reason.trim_end().len());
    (!reason.is_empty()).then_some(reason)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.trim_end().bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::find_reason;

    #[test]
    fn finds_the_reason_of_a_file_that_could_not_be_loaded() {
        let printed = "file:///srv/shop/test/cart.test.js:1\nimport { total } from '../src/cart.js';\n         ^^^^^\n\nSyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'\n    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)\n\nNode.js v20.20.2\n✖ test/cart.test.js (71ms)\n";
        let found = find_reason(printed, "test/cart.test.js").unwrap();
        assert!(found.contains("does not provide an export named 'total'") && !found.contains("Node.js v"), "{found}");
        let tap =
            format!("TAP version 13\n{}", printed.lines().fold(String::new(), |all, line| all + "# " + line + "\n"));
        assert!(find_reason(&tap, "test/cart.test.js").unwrap().contains("SyntaxError: The requested module"));
        assert_eq!(find_reason(printed, "test/other.test.js"), None);
        assert_eq!(find_reason(printed, "cart.test.ts"), None);
    }

    #[test]
    fn finds_the_reason_of_a_package_that_did_not_build() {
        let printed = "# example.com/shop/cart [example.com/shop/cart.test]\n./cart.go:7:2: undefined: totl\nFAIL\texample.com/shop/cart [build failed]\n";
        assert_eq!(find_reason(printed, "example.com/shop/cart").as_deref(), Some("./cart.go:7:2: undefined: totl"));
        assert_eq!(find_reason(printed, "example.com/shop"), None);
    }
}
