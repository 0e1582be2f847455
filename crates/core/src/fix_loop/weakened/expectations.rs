//! Expectations that went, that accept more than before, or that stand in the test as a snapshot.
//! What an expectation means is not known; how much each accepts is compared.

use super::{Findings, Gone, Moves};
use crate::{
    change::{
        declared::{After, side, test_hunks},
        diff::{DiffLine, Hunk, LineChange},
        files::Language,
        markers,
    },
    fix_loop::WeakeningKind,
};
use std::collections::HashSet;

/// Longest expectation, in lines.
const MAX_EXPECTATION_LINES: usize = 30;
/// Most expectations of a hunk that are compared with each other.
const MAX_EXPECTATIONS: usize = 1000;

/// What went and came of one hunk.
struct HunkBalance<'f> {
    /// Expectations that went, and whether their test went elsewhere.
    went: Vec<(&'f DiffLine, bool)>,
    came: usize,
    /// Of those that came, the ones in new tests.
    came_new: usize,
}

impl HunkBalance<'_> {
    const fn missing(&self) -> usize {
        self.went.len().saturating_sub(self.came)
    }

    const fn surplus(&self) -> usize {
        (self.came - self.came_new).saturating_sub(self.went.len())
    }
}

/// Expectations that went without others coming; those of a test that went as a whole are said by it.
pub(super) fn dropped(found: &mut Findings<'_>, moves: &mut Moves, language: Language, gone: &Gone) {
    let hunks: Vec<HunkBalance<'_>> =
        test_hunks(found.file).map(|hunk| balance_hunk(hunk, moves, language, gone)).collect();
    // An expectation may have moved to another hunk; one of a new test there answers for none.
    let mut surplus: usize = hunks.iter().map(HunkBalance::surplus).sum();
    let mut lines: Vec<&DiffLine> = Vec::new();
    for hunk in hunks {
        let missing = hunk.missing();
        for (line, elsewhere) in hunk.went.into_iter().take(missing) {
            if surplus > 0 {
                surplus -= 1;
            } else if !(elsewhere && moves.takes_edited()) {
                lines.push(line);
            }
        }
    }
    for line in lines {
        found.add(WeakeningKind::AssertionDropped, line);
    }
}

fn balance_hunk<'f>(hunk: &'f Hunk, moves: &mut Moves, language: Language, gone: &Gone) -> HunkBalance<'f> {
    let (mut deleted, mut elsewhere) = (false, false);
    let mut went = Vec::new();
    for line in &hunk.lines {
        let declares = markers::test_name(&line.text, language).is_some();
        if line.mark == LineChange::Kept || (line.mark == LineChange::Removed && declares) {
            deleted = line.mark == LineChange::Removed && gone.deleted.contains(&line.number);
            elsewhere = line.mark == LineChange::Removed && gone.elsewhere.contains(&line.number);
        }
        if line.mark == LineChange::Removed && !deleted && markers::expects(&line.text, language) {
            went.push((line, elsewhere));
        }
    }
    // What is the same in another place is not compared, here or elsewhere.
    let old: HashSet<&str> = went.iter().map(|(line, _)| line.text.trim()).collect();
    let came = hunk.lines(LineChange::Added).filter(|line| markers::expects(&line.text, language));
    let came: Vec<&DiffLine> = came.filter(|line| !old.contains(line.text.trim())).collect();
    went.retain(|(line, _)| !moves.takes_line(&line.text));
    let after = After::of(hunk, language);
    let came_new = came.iter().filter(|line| after.is_of_new_test(line, &moves.went)).count();
    HunkBalance { went, came: came.len(), came_new }
}

/// Expectations of a deleted file whose tests came elsewhere, but not all they expected.
pub(super) fn lost_on_the_way(found: &mut Findings<'_>, moves: &mut Moves, language: Language) {
    let file = found.file;
    for line in file.lines(LineChange::Removed).filter(|line| markers::expects(&line.text, language)) {
        if !moves.takes_line(&line.text) && !moves.takes_edited() {
            found.add(WeakeningKind::AssertionDropped, line);
        }
    }
}

/// An expectation with all of its lines, one of which changed.
struct Statement<'h> {
    line: &'h DiffLine,
    /// On one line.
    text: String,
    /// What stays the same when it is only formatted.
    bare: String,
    /// What it is about.
    subject: Option<String>,
}

impl<'h> Statement<'h> {
    fn of(line: &'h DiffLine, lines: &[&DiffLine]) -> Self {
        let parts: Vec<&str> = lines.iter().map(|line| line.text.trim()).collect();
        let text = parts.join(" ").replace(" .", ".").replace("( ", "(").replace(" )", ")");
        let bare: String = text.chars().filter(|mark| !mark.is_whitespace() && *mark != ';').collect();
        let bare = bare.replace(",)", ")").replace(",}", "}").replace(",]", "]").replace('"', "'");
        let subject = subject(&text).map(ToOwned::to_owned);
        Self { line, text, bare, subject }
    }
}

fn statements(hunk: &Hunk, mark: LineChange, language: Language) -> Vec<Statement<'_>> {
    let side = side(hunk, mark);
    let mut all = Vec::new();
    let mut at = 0;
    while at < side.len() && all.len() < MAX_EXPECTATIONS {
        if !markers::expects(&side[at].text, language) {
            at += 1;
            continue;
        }
        let end = end_of(&side, at);
        if let Some(line) = side[at..end].iter().find(|line| line.mark == mark) {
            all.push(Statement::of(line, &side[at..end]));
        }
        at = end;
    }
    all
}

/// Where the expectation that begins there ends: its brackets are closed, and no chained call follows.
fn end_of(side: &[&DiffLine], start: usize) -> usize {
    let mut depth = 0_i32;
    for (at, line) in side.iter().enumerate().skip(start).take(MAX_EXPECTATION_LINES) {
        for mark in line.text.bytes() {
            match mark {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        let chained = side.get(at + 1).is_some_and(|next| next.text.trim_start().starts_with(['.', '-']));
        // A body that opens here is not the expectation's: `if (expect(x)) {`.
        if depth <= 0 && !chained || line.text.trim_end().ends_with("=> {") {
            return at + 1;
        }
    }
    (start + MAX_EXPECTATION_LINES).min(side.len())
}

/// Expectations of the same thing that accept more than before.
pub(super) fn find_loosened(found: &mut Findings<'_>, hunk: &Hunk, language: Language) {
    let mut went = statements(hunk, LineChange::Removed, language);
    let mut came = statements(hunk, LineChange::Added, language);
    came.retain(|now| {
        let again = went.iter().position(|old| old.bare == now.bare);
        again.map(|at| went.remove(at)).is_none()
    });
    let same_place = went.len() == came.len();
    let places: Vec<u32> = went.iter().map(|old| old.line.number).collect();
    for (at, statement) in came.iter().enumerate() {
        let now = markers::strictness(&statement.text);
        let same_subject = |old: &Statement<'_>| old.subject.is_some() && old.subject == statement.subject;
        let by_subject = went.iter().position(same_subject);
        let by_place = || {
            let number = places.get(at).filter(|_| same_place)?;
            went.iter().position(|old| old.line.number == *number)
        };
        let Some(index) = by_subject.or_else(by_place) else {
            if now == 0 {
                found.add(WeakeningKind::AssertionLoosened, statement.line);
            }
            continue;
        };
        let before = markers::strictness(&went.swap_remove(index).text);
        if now < before && (now <= 1 || by_subject.is_some()) {
            found.add(WeakeningKind::AssertionLoosened, statement.line);
        }
    }
}

/// What an expectation is about: `total(items)` of `expect(total(items)).toBe(3)`.
fn subject(text: &str) -> Option<&str> {
    let call =
        ["expect(", "assertThat(", "assert ", "assert_eq!(", "assert_ne!(", "assert!("].iter().find_map(|start| {
            let at = text.find(start)?;
            Some(&text[at + start.len()..])
        })?;
    let mut depth = 0_usize;
    for (at, mark) in call.char_indices() {
        match mark {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' if depth == 0 => return Some(call[..at].trim()),
            ')' | ']' | '}' => depth -= 1,
            _ if depth == 0 && [" == ", " is ", " >= ", " > "].iter().any(|sign| call[at..].starts_with(sign)) => {
                return Some(call[..at].trim());
            }
            _ => {}
        }
    }
    Some(call.trim())
}

/// A snapshot that stands in the test itself.
pub(super) fn inline_snapshot(found: &mut Findings<'_>, hunk: &Hunk) {
    const OPENS: [&str; 3] = ["toMatchInlineSnapshot(", "toThrowErrorMatchingInlineSnapshot(", "assert_snapshot!("];
    let mut inside = false;
    for line in &hunk.lines {
        let opens = OPENS.iter().any(|open| line.text.contains(open));
        if line.mark == LineChange::Removed && (inside || opens) {
            let again = hunk.lines(LineChange::Added).any(|added| added.text.trim() == line.text.trim());
            // An empty one is filled by the first run.
            let was_empty = line.text.trim_end().trim_end_matches(';').ends_with("InlineSnapshot()");
            if !was_empty && !again {
                found.add(WeakeningKind::SnapshotRewritten, line);
                return;
            }
        }
        let ticks = line.text.matches('`').count();
        if opens {
            inside = ticks == 1;
        } else if inside && ticks > 0 {
            inside = false;
        }
    }
}
