//! Parses a unified diff of git: files, hunks, and removed and added lines.

/// A file of a diff.
#[derive(Debug, Default)]
pub(crate) struct DiffFile {
    /// Path before the change; empty for a new file.
    pub(crate) old_path: String,
    /// Path after the change; empty for a deleted file.
    pub(crate) new_path: String,
    pub(crate) binary: bool,
    /// Git's lines about content hashes and file modes. They distinguish two changes that have no hunks.
    pub(crate) content_id: String,
    pub(crate) hunks: Vec<Hunk>,
}

/// Adjacent lines of a file.
#[derive(Debug, Default)]
pub(crate) struct Hunk {
    /// The section heading after `@@`, for example a function.
    pub(crate) section: String,
    pub(crate) lines: Vec<DiffLine>,
}

#[derive(Debug)]
pub(crate) struct DiffLine {
    pub(crate) line_change: LineChange,
    /// The line without its `+`, `-` or space.
    pub(crate) text: String,
    /// Line number in the new file; for a removed line, in the old file.
    pub(crate) number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineChange {
    Kept,
    Removed,
    Added,
}

impl DiffFile {
    /// Returns the current path, or the old path of a deleted file.
    pub(crate) fn path(&self) -> &str {
        if self.new_path.is_empty() { &self.old_path } else { &self.new_path }
    }

    pub(crate) const fn is_new(&self) -> bool {
        self.old_path.is_empty()
    }

    pub(crate) const fn is_deleted(&self) -> bool {
        self.new_path.is_empty()
    }

    pub(crate) fn lines(&self, mark: LineChange) -> impl Iterator<Item = &DiffLine> {
        self.hunks.iter().flat_map(move |hunk| hunk.lines(mark))
    }
}

impl Hunk {
    pub(crate) fn lines(&self, mark: LineChange) -> impl Iterator<Item = &DiffLine> {
        self.lines.iter().filter(move |line| line.line_change == mark)
    }
}

/// Returns every file of the diff.
pub(crate) fn parse_diff(diff: &str) -> Vec<DiffFile> {
    let mut reader = DiffReader::default();
    diff.lines().for_each(|line| reader.read_line(line));
    reader.files
}

#[derive(Default)]
struct DiffReader {
    files: Vec<DiffFile>,
    /// Number of lines of the current hunk that were not read yet: of the old and of the new file.
    remaining: (u32, u32),
    /// Line number of the next line in the old and in the new file.
    next_numbers: (u32, u32),
}

impl DiffReader {
    fn read_line(&mut self, line: &str) {
        if self.remaining != (0, 0) && self.read_hunk_line(line) {
            return;
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            self.remaining = (0, 0);
            let (old, new) = split_paths(rest);
            self.files.push(DiffFile { old_path: old, new_path: new, ..DiffFile::default() });
            return;
        }
        let Some(file) = self.files.last_mut() else { return };
        if let Some(path) = line.strip_prefix("--- ") {
            file.old_path = parse_path(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            file.new_path = parse_path(path);
        } else if let Some(path) = line.strip_prefix("rename from ") {
            file.old_path = decode_quoted(path);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            file.new_path = decode_quoted(path);
        } else if line.starts_with("index ") || line.starts_with("old mode") || line.starts_with("new mode") {
            file.content_id.push_str(line);
        } else if line.starts_with("new file mode") {
            file.old_path.clear();
        } else if line.starts_with("deleted file mode") {
            file.new_path.clear();
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            file.binary = true;
        } else if let Some((old, new, section)) = parse_hunk_header(line) {
            (self.remaining, self.next_numbers) = ((old.1, new.1), (old.0, new.0));
            file.hunks.push(Hunk { section: section.to_owned(), lines: Vec::new() });
        }
    }

    /// Adds a line to the current hunk. Returns `false` if the line belongs to no hunk.
    fn read_hunk_line(&mut self, line: &str) -> bool {
        let Some(hunk) = self.files.last_mut().and_then(|file| file.hunks.last_mut()) else { return false };
        let mut push =
            |mark, number, text: &str| hunk.lines.push(DiffLine { line_change: mark, text: text.to_owned(), number });
        // An editor may have removed the space before an empty context line.
        let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        let (old, new) = match mark {
            "-" => {
                push(LineChange::Removed, self.next_numbers.0, text);
                (1, 0)
            }
            "+" => {
                push(LineChange::Added, self.next_numbers.1, text);
                (0, 1)
            }
            " " => {
                push(LineChange::Kept, self.next_numbers.1, text);
                (1, 1)
            }
            "\\" => (0, 0),
            _ => {
                self.remaining = (0, 0);
                return false;
            }
        };
        self.remaining = (self.remaining.0.saturating_sub(old), self.remaining.1.saturating_sub(new));
        self.next_numbers = (self.next_numbers.0.saturating_add(old), self.next_numbers.1.saturating_add(new));
        true
    }
}

type StartAndLength = (u32, u32);

/// Parses `@@ -12,5 +12,6 @@ fn total() {`.
fn parse_hunk_header(line: &str) -> Option<(StartAndLength, StartAndLength, &str)> {
    let rest = line.strip_prefix("@@ -")?;
    let (ranges, section) = rest.split_once(" @@").unwrap_or((rest, ""));
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    Some((range(old)?, range(new)?, section.trim()))
}

/// Splits `a/src/cart.ts b/src/cart.ts`. For files without hunks, both paths are usually equal.
fn split_paths(rest: &str) -> (String, String) {
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find("\" ").map_or(rest.len(), |end| end + 2);
        return (parse_path(&rest[..end]), parse_path(rest[end..].trim_start()));
    }
    let middle = rest.match_indices(' ').map(|(at, _)| at).find(|&at| {
        let (old, new) = (parse_path(&rest[..at]), parse_path(&rest[at + 1..]));
        old == new
    });
    let middle = middle.or_else(|| rest.find(" b/")).or_else(|| rest.find(' '));
    middle.map_or_else(
        || (parse_path(rest), parse_path(rest)),
        |at| (parse_path(&rest[..at]), parse_path(&rest[at + 1..])),
    )
}

/// Returns the path without git's quotes and prefix; empty for `/dev/null`.
fn parse_path(text: &str) -> String {
    let path = decode_quoted(text.split('\t').next().unwrap_or(text));
    if path == "/dev/null" {
        return String::new();
    }
    let prefixed = path.as_bytes().get(1) == Some(&b'/') && b"abciwo".contains(&path.as_bytes()[0]);
    if prefixed { path[2..].to_owned() } else { path }
}

/// Decodes git's quoting, for example `"a/caf\303\251.ts"`.
fn decode_quoted(text: &str) -> String {
    let Some(inside) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return text.to_owned() };
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = rest.get(..3).and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        if let Some(value) = octal {
            bytes.push(value);
            rest = &rest[3..];
        } else if let Some((&escaped, after)) = rest.split_first() {
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            });
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
