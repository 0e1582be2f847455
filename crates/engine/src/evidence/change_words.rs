//! Finds names in a machine error, such as a host, a port, a path or a program, that a change contains.

use crate::contract::EditedFile;
use std::collections::BTreeSet;

/// The words of a change, from its added and removed lines and from its file names.
pub(super) struct ChangeWords {
    words: BTreeSet<String>,
}

impl ChangeWords {
    pub(super) fn collect(edits: &[EditedFile], committed_files: &[String]) -> Self {
        let hunks = edits.iter().filter_map(|edit| edit.hunks.as_deref());
        let lines = hunks.flat_map(str::lines).filter(|line| {
            let is_header = line.starts_with("+++") || line.starts_with("---");
            line.starts_with(['+', '-']) && !is_header
        });
        let files = edits.iter().map(|edit| edit.path.as_str()).chain(committed_files.iter().map(String::as_str));
        let names = files.map(|file| file.rsplit('/').next().unwrap_or(file).to_lowercase());
        Self { words: lines.flat_map(split_words).chain(names).collect() }
    }

    /// Returns `true` if the change contains a name from the text.
    pub(super) fn names_part_of(&self, text: &str) -> bool {
        split_words(text).any(|word| looks_like_resource_name(&word) && self.words.contains(&word))
    }
}

/// Splits a text into lowercase words. A host with a port, such as `db.test:5432`, becomes two words.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let parts = text.split(move |letter| !is_part(letter));
    parts.map(|word| word.trim_matches('.').to_lowercase()).filter(|word| word.len() > 1)
}

/// Returns `true` if a word looks like a host, a port, a file or a program because it contains a digit, a dot, a dash
/// or an underscore. Loopback hosts do not count, because most tests use them.
fn looks_like_resource_name(word: &str) -> bool {
    let has = |letters: &[char]| word.contains(letters);
    let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
    !matches!(word, "127.0.0.1" | "0.0.0.0" | "localhost") && (has(&['.', '-', '_']) || has_digit)
}

#[cfg(test)]
mod tests {
    use super::ChangeWords;
    use crate::contract::EditedFile;

    #[test]
    fn names_part_of_finds_names_of_the_change() {
        let edit = EditedFile {
            path: "config/test.env".to_owned(),
            hunks: Some(
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-PORT=5432\n+PORT=5433\n host = db.internal\n+run(\"pg_dump\")\n"
                    .to_owned(),
            ),
            ..EditedFile::default()
        };
        let change = ChangeWords::collect(&[edit], &["tools/start-db.sh".to_owned()]);
        for (text, is_named) in [
            ("connect ECONNREFUSED 127.0.0.1:5433", true),
            ("connect ECONNREFUSED 127.0.0.1:6379", false),
            ("getaddrinfo ENOTFOUND db.internal", false),
            ("spawn pg_dump ENOENT", true),
            ("sh: 1: start-db.sh: not found", true),
            ("ENOSPC: no space left on device, write", false),
            ("EACCES: permission denied, open '/etc/test.env'", true),
        ] {
            assert_eq!(change.names_part_of(text), is_named, "{text}");
        }
    }
}
