//! The YAML block after a test point. Only the YAML that test runners write is supported: top-level keys and block
//! scalars.

use crate::{formats::junit::is_exception, reading::bounded_text};

/// Maximum number of lines to keep. A longer block is a dump of an object.
const MAX_LINES: usize = 2_000;

#[derive(Debug, Default)]
pub(super) struct Diagnostic {
    lines: Vec<String>,
}

/// A top-level key with its value as written.
struct YamlField<'a> {
    key: &'a str,
    inline: &'a str,
    /// The indented lines after the key.
    block: &'a [String],
}

impl Diagnostic {
    pub(super) fn push(&mut self, line: &str) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(line.to_owned());
        }
    }

    /// Returns the value of a key as plain text.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        let fields = self.fields();
        let field = fields.iter().find(|field| field.key == key)?;
        Some(field.text()).filter(|text| !text.trim().is_empty() && text != "~")
    }

    /// Returns the class of the error, if the block names it.
    pub(super) fn exception(&self) -> Option<String> {
        ["name", "type"].iter().filter_map(|key| self.value(key)).find(|name| is_exception(name))
    }

    /// How a process ended, if the block has no other error. node-tap writes this for a file that could not be loaded.
    pub(super) fn ending(&self) -> Option<String> {
        let code = self.value("exitCode")?;
        if ["error", "message", "stack", "tapError"].iter().any(|key| self.value(key).is_some()) {
            return None;
        }
        let signal = self.value("signal").filter(|signal| signal != "null");
        let exit = || (code != "null").then(|| format!("exited with code {code}"));
        signal.map(|signal| format!("ended by {signal}")).or_else(exit)
    }

    /// Returns the error as text: headline, other details, and stack.
    pub(super) fn into_error(self, test: &str) -> Option<String> {
        if self.lines.is_empty() {
            return None;
        }
        // Otherwise the command and its folder would become the headline.
        if let Some(ending) = self.ending() {
            return Some(ending);
        }
        let message = self.value("error").or_else(|| self.value("message")).unwrap_or_else(|| test.to_owned());
        let name = self.exception().filter(|name| !message.contains(name.as_str()));
        let headline = name.map_or_else(|| message.clone(), |name| format!("{name}: {message}"));
        let stack = self.value("stack").map(|stack| extract_frames(&stack)).unwrap_or_default();
        // The stack of tape begins with a longer form of the message.
        let (headline, stack) = match stack.split_once('\n') {
            Some((first, rest)) if first.contains(&message) => (first.to_owned(), rest.to_owned()),
            _ => (headline, stack),
        };
        let details = self.details(&headline);
        let parts = [headline, details, stack];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        bounded_text::bound_error(&parts.join("\n"))
    }

    /// Keys that describe the failure, as written.
    fn details(&self, headline: &str) -> String {
        const KEYS_IN_MESSAGE: [&str; 12] = [
            "error",
            "message",
            "name",
            "stack",
            "duration_ms",
            "location",
            "failureType",
            "type",
            "at",
            "source",
            "severity",
            "data",
        ];
        let mut text = String::new();
        for field in self.fields() {
            let said = KEYS_IN_MESSAGE.contains(&field.key)
                || (field.key == "code" && headline.contains(field.inline.trim_matches('\'')));
            let empty = matches!(field.inline, "'ERR_TEST_FAILURE'" | "~" | "null");
            if !said && !empty {
                text.push_str(&field.raw());
            }
        }
        text.trim_end().to_owned()
    }

    fn fields(&self) -> Vec<YamlField<'_>> {
        let base = self.lines.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| indentation(line));
        let starts: Vec<usize> = (0..self.lines.len())
            .filter(|&at| indentation(&self.lines[at]) == base && split_key(self.lines[at].trim_start()).is_some())
            .collect();
        let ends = starts.iter().skip(1).copied().chain([self.lines.len()]);
        starts
            .iter()
            .zip(ends)
            .filter_map(|(&start, end)| {
                let (key, inline) = split_key(self.lines[start].trim_start())?;
                Some(YamlField { key, inline: inline.trim(), block: &self.lines[start + 1..end] })
            })
            .collect()
    }
}

impl YamlField<'_> {
    fn text(&self) -> String {
        if matches!(self.inline, "|" | "|-" | "|+" | ">" | ">-" | "") {
            return self.dedented().join("\n").trim_end().to_owned();
        }
        unquote(self.inline)
    }

    fn raw(&self) -> String {
        let inline = if self.inline.starts_with(['|', '>']) { "" } else { self.inline };
        let mut text = format!("{}: {inline}", self.key).trim_end().to_owned();
        text.push('\n');
        for line in self.dedented() {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    fn dedented(&self) -> Vec<&str> {
        let lines = self.block.iter().filter(|line| !line.trim().is_empty());
        let least = lines.map(|line| indentation(line)).min().unwrap_or(0);
        self.block.iter().map(|line| line.get(least..).unwrap_or("")).collect()
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Splits `key: value`, where the key is a single word.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    // QUnit aligns its colons.
    let key = key.trim_end();
    let word = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    (word && (value.is_empty() || value.starts_with(' '))).then_some((key, value))
}

fn unquote(value: &str) -> String {
    let inner = |quote| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(single) = inner('\'') {
        return single.replace("''", "'");
    }
    match inner('"') {
        Some(double) => serde_json::from_str(value).unwrap_or_else(|_| double.to_owned()),
        None => value.to_owned(),
    }
}

/// Adds `at` to stack frames, because node:test writes them without it.
fn extract_frames(stack: &str) -> String {
    let bare = |line: &str| line.ends_with(')') && line.contains(" (") && !line.trim_start().starts_with("at ");
    let lines: Vec<String> = stack
        .lines()
        .map(|line| if bare(line) { format!("    at {}", line.trim()) } else { line.to_owned() })
        .collect();
    lines.join("\n")
}
