//! Computes a digest of the code that a change removes and adds, to detect that two attempts made the same change. The
//! digest ignores blank lines, comments and line numbers.

use super::{
    diff::{self, DiffFile, LineChange},
    files::{Language, detect_language},
    tokens,
};
use crate::identity::sign::sha256_hex;

/// Returns the digest of a unified diff, or `None` if it changes no code.
pub fn change_digest(diff: &str) -> Option<String> {
    let changes: Vec<String> = diff::parse_diff(diff).iter().flat_map(describe_file_changes).collect();
    (!changes.is_empty()).then(|| sha256_hex(&changes.join("\n")))
}

fn describe_file_changes(file: &DiffFile) -> Vec<String> {
    let language = detect_language(file.path());
    let mut changes: Vec<String> = Vec::new();
    for hunk in &file.hunks {
        let [removed, added] = [LineChange::Removed, LineChange::Added].map(|mark| {
            let lines: Vec<_> = hunk
                .lines
                .iter()
                .filter(|line| line.line_change == mark || line.line_change == LineChange::Kept)
                .collect();
            let texts: Vec<(u32, &str)> = (0..).zip(lines.iter().map(|line| line.text.as_str())).collect();
            let code = if language == Language::Data {
                normalize_plain_lines(&texts)
            } else {
                normalize_code_lines(&texts, language)
            };
            let marked = code.into_iter().filter(|(at, _)| lines[*at as usize].line_change == mark);
            marked.map(|(_, code)| code).collect::<Vec<_>>().join(" ")
        });
        if removed != added {
            changes.push(format!("-{removed}\n+{added}"));
        }
    }
    // A change without hunks, such as a change of mode or of binary content, is identified only by git's own lines.
    let content = if file.hunks.is_empty() { file.content_id.as_str() } else { "" };
    if !changes.is_empty() || file.hunks.is_empty() {
        changes.insert(0, format!("{} {} {content}", file.old_path, file.new_path));
    }
    changes
}

/// Normalizes the lines of a file without a known language. A line that starts with `#` counts as a comment.
fn normalize_plain_lines(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
    let is_code = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
    lines.iter().filter(|(_, text)| is_code(text)).map(|(at, text)| (*at, text.trim_end().to_owned())).collect()
}

fn normalize_code_lines(lines: &[(u32, &str)], language: Language) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for token in tokens::tokenize(lines, language) {
        match found.last_mut().filter(|(at, _)| *at == token.line) {
            Some((_, code)) => *code = format!("{code} {token}"),
            None => found.push((token.line, token.to_string())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::change_digest;

    fn diff(path: &str, removed: &str, added: &str) -> String {
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,1 @@\n-{removed}\n+{added}\n")
    }

    #[test]
    fn layout_and_comments_do_not_change_the_digest() {
        let rows = [
            ("a.py", "x = 1", "x = 1  # one", false),
            ("a.py", "x = 1", "  x = 1", true),
            ("a.py", "", "# a note", false),
            ("a.js", "f(1, 2);", "f(1,  2); // both", false),
            ("a.js", "f('a')", "f(\"a\")", false),
            ("a.js", "f(1)", "f(2)", true),
            ("a.rs", "", "/// Says what it does.", false),
            ("a.go", "", "//go:build linux", true),
            ("a.yaml", "a: 1", "  a: 1", true),
            ("a.yaml", "", "# a note", false),
        ];
        for (path, removed, added, is_change) in rows {
            let digest = change_digest(&diff(path, removed, added));
            assert_eq!(digest.is_some(), is_change, "{path}: {removed} to {added}");
        }
    }
}
