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
    let dashed = rest.strip_prefix("- ");
    let (name, note) = split_directive(dashed.unwrap_or(rest));
    // Only Bats prints no dash before the name.
    let (name, timing) = if dashed.is_none() && note.is_none() { split_timing(name) } else { (name, None) };
    // node-tap opens a block of subtests with `{` at the end of their line.
    let name = name.trim().trim_end_matches('{').trim_end();
    Some(TestLine {
        ok,
        name: unescape(name),
        directive: note.and_then(parse_directive),
        duration_ms: note.and_then(parse_duration).or(timing),
    })
}

/// Splits off the duration that Bats prints with `--timing`: `adds in 12ms`, and `adds in 1 sec` before version 1.3.
fn split_timing(name: &str) -> (&str, Option<f64>) {
    let split = || {
        let (name, time) = name.trim_end().rsplit_once(" in ")?;
        let (number, factor) = match time.strip_suffix("ms") {
            Some(number) => (number, 1.0),
            None => (time.strip_suffix(" sec")?, 1000.0),
        };
        let value: u32 = number.trim_end().parse().ok()?;
        Some((name, Some(f64::from(value) * factor)))
    };
    split().unwrap_or((name, None))
}

/// Splits off a directive. It begins with the first unescaped `#` after a space.
fn split_directive(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'#', bytes).find(|&at| {
        let apart = at == 0 || bytes[at - 1] == b' ';
        apart && (parse_directive(&text[at + 1..]).is_some() || parse_duration(&text[at + 1..]).is_some())
    });
    at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])))
}

fn parse_directive(note: &str) -> Option<Directive> {
    let word: String = note.trim_start().chars().take(4).flat_map(char::to_lowercase).collect();
    match word.as_str() {
        "skip" => Some(Directive::Skip),
        "todo" => Some(Directive::Todo),
        _ => None,
    }
}

/// Parses `# time=12.5ms` of node-tap, and `# in 12 ms`, `# timeout after 1s in 1003 ms` of Bats.
fn parse_duration(note: &str) -> Option<f64> {
    let note = note.trim();
    let (before, time) = note.split_once("time=").or_else(|| note.rsplit_once("in "))?;
    let by_bats = || before.starts_with("timeout after ") && before.ends_with("s ");
    (before.is_empty() || by_bats()).then(|| time.strip_suffix("ms")?.trim_end().parse().ok()).flatten()
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
            ("ok 9 - answers in 12ms", 0, test(true, "answers in 12ms", None)),
            ("ok 10 adds # in the cart", 0, test(true, "adds # in the cart", None)),
        ];
        for (line, depth, wanted) in rows {
            assert_eq!(read(line), TapLine::Test { depth, test: wanted }, "{line}");
        }
        let timed = |line, name: &str, milliseconds| {
            let wanted = TestLine { duration_ms: Some(milliseconds), ..test(true, name, None) };
            assert_eq!(read(line), TapLine::Test { depth: 0, test: wanted }, "{line}");
        };
        timed("ok 1 - adds # time=12.5ms", "adds", 12.5);
        timed("ok 1 adds # in 12 ms", "adds", 12.0);
        timed("ok 1 waits # timeout after 1s in 1003 ms", "waits", 1003.0);
        timed("ok 1 adds in 12ms", "adds", 12.0);
        timed("ok 1 adds in 2 sec", "adds", 2000.0);
        assert_eq!(read("okay, then"), TapLine::Other);
        assert_eq!(read("1..4 # SKIP"), TapLine::Plan { depth: 0, count: 4 });
        assert_eq!(read("Bail out! no database"), TapLine::BailOut("no database"));
    }
}
