//! What an error of the machine names (a host, a port, a path, a program) and whether a change contains it.

use crate::contract::EditedFile;
use std::collections::BTreeSet;

/// The words of a change: of the lines that it adds or removes, and the names of its files.
pub(super) struct Change {
    words: BTreeSet<String>,
}

impl Change {
    pub(super) fn of(edits: &[EditedFile], committed_files: &[String]) -> Self {
        let hunks = edits.iter().filter_map(|edit| edit.hunks.as_deref());
        let lines = hunks.flat_map(str::lines).filter(|line| {
            let is_header = line.starts_with("+++") || line.starts_with("---");
            line.starts_with(['+', '-']) && !is_header
        });
        let files = edits.iter().map(|edit| edit.path.as_str()).chain(committed_files.iter().map(String::as_str));
        let names = files.map(|file| file.rsplit('/').next().unwrap_or(file).to_lowercase());
        Self { words: lines.flat_map(words).chain(names).collect() }
    }

    /// Whether one of the things that the text names is in the change.
    pub(super) fn has_named_in(&self, text: &str) -> bool {
        words(text).any(|word| is_name_of_thing(&word) && self.words.contains(&word))
    }
}

/// Words as texts and code have them, in small letters; `db.test:5432` is the host and the port.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let parts = text.split(move |letter| !is_part(letter));
    parts.map(|word| word.trim_matches('.').to_lowercase()).filter(|word| word.len() > 1)
}

/// A host, a port, a file or a program by its form; no word of prose, and no error code. Loopback is every test's host.
fn is_name_of_thing(word: &str) -> bool {
    let has = |letters: &[char]| word.contains(letters);
    let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
    !matches!(word, "127.0.0.1" | "0.0.0.0" | "localhost") && (has(&['.', '-', '_']) || has_digit)
}

#[cfg(test)]
mod tests {
    use super::Change;
    use crate::contract::EditedFile;

    #[test]
    fn an_error_names_what_a_change_contains() {
        let edit = EditedFile {
            path: "config/test.env".to_owned(),
            hunks: Some(
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-PORT=5432\n+PORT=5433\n host = db.internal\n+run(\"pg_dump\")\n"
                    .to_owned(),
            ),
            ..EditedFile::default()
        };
        let change = Change::of(&[edit], &["tools/start-db.sh".to_owned()]);
        for (text, is_named) in [
            ("connect ECONNREFUSED 127.0.0.1:5433", true),
            ("connect ECONNREFUSED 127.0.0.1:6379", false),
            ("getaddrinfo ENOTFOUND db.internal", false),
            ("spawn pg_dump ENOENT", true),
            ("sh: 1: start-db.sh: not found", true),
            ("ENOSPC: no space left on device, write", false),
            ("EACCES: permission denied, open '/etc/test.env'", true),
        ] {
            assert_eq!(change.has_named_in(text), is_named, "{text}");
        }
    }
}
