//! Parses a line of TAP.

/// The kinds of lines.
#[derive(Debug, PartialEq)]
pub(super) enum TapLine<'a> {
    Version,
    Plan { depth: usize, count: u64 },
    Subtest { depth: usize, name: String },
    Comment(&'a str),
    Test { depth: usize, test: TestLine },
    BlockStart,
    BailOut(&'a str),
    Other,
}

/// A line such as `not ok 3 - name # SKIP reason`.
#[derive(Debug, PartialEq)]
pub(super) struct TestLine {
    pub(super) ok: bool,
    pub(super) name: String,
    pub(super) directive: Option<Directive>,
    pub(super) duration_ms: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Skip,
    Todo,
}

/// Parses a line. Each level of subtests is indented by four columns.
pub(super) fn read(raw: &str) -> TapLine<'_> {
    let text = raw.trim_start_matches([' ', '\t']);
    let depth = (raw.len() - text.len()) / 4;
    if let Some(comment) = text.strip_prefix('#') {
        return match comment.trim_start().strip_prefix("Subtest:") {
            Some(name) => TapLine::Subtest { depth, name: unescape(name.trim()) },
            None => TapLine::Comment(comment),
        };
    }
    if let Some(test) = read_test(text) {
        return TapLine::Test { depth, test };
    }
    if text.starts_with("TAP version ") {
        return TapLine::Version;
    }
    if let Some(reason) = text.strip_prefix("Bail out!") {
        return TapLine::BailOut(reason.trim());
    }
    if text.trim_end() == "---" {
        return TapLine::BlockStart;
    }
    read_plan(text).map_or(TapLine::Other, |count| TapLine::Plan { depth, count })
}

fn read_plan(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("1..")?;
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

fn read_test(text: &str) -> Option<TestLine> {
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim_start();
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let rest = rest[digits..].trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (name, note) = split_directive(rest);
    // node-tap opens a block of subtests with `{` at the end of their line.
    let name = name.trim().trim_end_matches('{').trim_end();
    Some(TestLine {
        ok,
        name: unescape(name),
        directive: note.and_then(directive),
        duration_ms: note.and_then(duration),
    })
}

/// Splits off a directive. It begins with the first unescaped `#` after a space.
fn split_directive(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'#', bytes).find(|&at| {
        let apart = at == 0 || bytes[at - 1] == b' ';
        apart && (directive(&text[at + 1..]).is_some() || duration(&text[at + 1..]).is_some())
    });
    at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])))
}

fn directive(note: &str) -> Option<Directive> {
    let word: String = note.trim_start().chars().take(4).flat_map(char::to_lowercase).collect();
    match word.as_str() {
        "skip" => Some(Directive::Skip),
        "todo" => Some(Directive::Todo),
        _ => None,
    }
}

/// Parses `# time=12.5ms` of node-tap.
fn duration(note: &str) -> Option<f64> {
    note.trim().strip_prefix("time=")?.strip_suffix("ms")?.parse().ok()
}

fn unescape(text: &str) -> String {
    text.replace("\\#", "#").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(ok: bool, name: &str, directive: Option<Directive>) -> TestLine {
        TestLine { ok, name: name.to_owned(), directive, duration_ms: None }
    }

    #[test]
    fn parses_test_lines() {
        let rows = [
            ("ok", 0, test(true, "", None)),
            ("ok 1", 0, test(true, "", None)),
            ("not ok 2 - adds", 0, test(false, "adds", None)),
            ("    ok 3 adds", 1, test(true, "adds", None)),
            ("ok 4 - is skipped # SKIP not today", 0, test(true, "is skipped", Some(Directive::Skip))),
            ("not ok 5 - later # todo", 0, test(false, "later", Some(Directive::Todo))),
            ("ok 6 - issue #12 # done", 0, test(true, "issue #12 # done", None)),
            ("ok 7 - a \\# hash", 0, test(true, "a # hash", None)),
            ("ok 8 - 東京 {", 0, test(true, "東京", None)),
        ];
        for (line, depth, wanted) in rows {
            assert_eq!(read(line), TapLine::Test { depth, test: wanted }, "{line}");
        }
        assert_eq!(read("okay, then"), TapLine::Other);
        assert_eq!(read("1..4 # SKIP"), TapLine::Plan { depth: 0, count: 4 });
        assert_eq!(read("Bail out! no database"), TapLine::BailOut("no database"));
    }
}
