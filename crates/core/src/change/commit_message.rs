//! Decides by its message whether a commit is a fix. The first matching row of an ordered table decides. Precision
//! matters more than recall: additions, upkeep and reverts are not fixes, whatever else the message contains.

use regex::Regex;
use std::sync::LazyLock;

/// Maximum bytes of a message that are read.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024;

/// Whether a commit is a fix, and the rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRule {
    /// Name of the rule, or `none`.
    pub name: &'static str,
    /// Set if the commit is a fix.
    pub is_fix: bool,
}

const NO_RULE: MessageRule = MessageRule { name: "none", is_fix: false };

struct MessagePattern {
    rule: MessageRule,
    /// Matched against the title only.
    title: Option<Regex>,
    /// Matched against the whole message.
    message: Option<Regex>,
}

/// `fix` as a verb and as the type of a conventional commit.
const FIX_WORD: &str = r"(?:bug ?fix(?:es)?|hot ?fix(?:es)?|fix(?:e[sd]|ing)?)";
/// Text before the verb: an emoji and a part of the project, such as `[router]` or `net/http:`.
const AREA_PREFIX: &str = r"^\s*(?:[^\w\s\[]+\s*)?(?:\[[^\]]{1,40}\]\s*|[\w./@*-]{1,40}(?:\([^)]{0,60}\))?!?:\s+)?";
/// Objects that do not affect the project's behavior.
const UPKEEP_OBJECTS: &str = concat!(
    r"(?:typos?|spelling|grammar|wording|lint\w*|format(?:ting)?|(?:code ?)?style|indent\w*|white ?spaces?|docs?|documentation",
    r"|docstrings?|js ?docs?|readme(?:\.md)?|change ?log|comments?|licen[sc]e|copyright|links?|ci|travis|appveyor|workflows?",
    r"|github actions?|builds?|tests?|specs?|test (?:suite|cases?)|flak[ey]\w*|benchmarks?|examples?|coverage",
    r"|dep(?:s|endenc(?:y|ies))|package(?:-lock)?\.json|lock ?file|merge(?: conflicts?)?|conflicts?|warnings?|clippy|rubocop",
    r"|eslint|prettier|mypy|pyright|ruff|flake8|pylint)",
);

static MESSAGE_PATTERNS: LazyLock<[MessagePattern; 11]> = LazyLock::new(|| {
    let row = |name, is_fix, title: &str, message: &str| {
        let compile = |pattern: &str| (!pattern.is_empty()).then(|| Regex::new(pattern).expect("a constant pattern"));
        MessagePattern { rule: MessageRule { name, is_fix }, title: compile(title), message: compile(message) }
    };
    [
        // A revert quotes the title of the reverted commit, which may be a fix.
        row("revert", false, r"(?i)^\W*(?:revert|reapply|back ?out|undo)\b", r"(?m)^This reverts commit [0-9a-f]{7,}"),
        row("merge", false, r"^Merge (?:branch|branches|pull request|remote|tag|commit)\b|^Merged in ", ""),
        row("autosquash", false, r"^(?:fixup|squash|amend)! ", ""),
        // Rejects `docs: fix the example`, and `feat: …` with a body that closes an issue.
        row(
            "other-type",
            false,
            r"(?i)^\W*(?:docs?|tests?|chore|ci|build|style|styles|refactor|perf|deps|examples?|feat|feature|release|lint|ops|infra|bench)(?:\([^)]{0,60}\))?!?:",
            "",
        ),
        row(
            "upkeep-scope",
            false,
            r"(?i)^\W*fix\((?:docs?|tests?|ci|build|deps(?:-dev)?|lint|readme|examples?|style|release|bench\w*|typo)\)!?:",
            "",
        ),
        row(
            "upkeep-object",
            false,
            &format!(
                r"(?i){AREA_PREFIX}{FIX_WORD}(?:\([^)]{{0,60}}\))?!?:?\s+(?:{FIX_WORD}\s+)?(?:(?:an?|the|some|more|minor|small|a few|few|various|broken|failing|up|all|in|my|its|unit|integration|compiler|deprecation|type)\s+)*{UPKEEP_OBJECTS}(?:[\s.,:;!)]|$)"
            ),
            "",
        ),
        row("fix-type", true, r"(?i)^\W*(?:fix|fixes|bugfix|hotfix)(?:\([^)]{0,60}\))?!?:", ""),
        row("gitmoji-bug", true, r"^\s*(?:🐛|🚑|:bug:|:ambulance:)", ""),
        row("fix-verb", true, &format!(r"(?i){AREA_PREFIX}{FIX_WORD}\b(?:[^-/]|$)"), ""),
        // This comes before `issue`, because the issue that the message mentions may be a feature request.
        row(
            "addition",
            false,
            r"(?i)^\W*(?:\[[^\]]{1,40}\]\s*|[\w./@*-]{1,40}:\s+)?(?:add(?:s|ed|ing)?|allow|support|implement|introduce|improve|enable|update|upgrade|bump|remove|drop|deprecate|document|refactor|rename|move|clean|use|make|new|expose|provide|release|prepare|rewrite|switch|replace|optimi[sz]e|speed)\w*\b",
            "",
        ),
        row(
            "issue",
            true,
            "",
            r"(?i)\bfix(?:e[sd])?:?\s+(?:issues?\s+|bugs?\s+)?(?:(?:[\w.-]+/[\w.-]+)?#\d+|gh-\d+|https?://\S+/issues/\d+)",
        ),
    ]
});

/// Returns the first rule that matches the title or the message.
pub fn judge_message(message: &str) -> MessageRule {
    let message = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    let title = message.lines().next().unwrap_or_default();
    let fits = |row: &&MessagePattern| {
        row.title.as_ref().is_some_and(|title_rule| title_rule.is_match(title))
            || row.message.as_ref().is_some_and(|rule| rule.is_match(message))
    };
    MESSAGE_PATTERNS.iter().find(fits).map_or(NO_RULE, |row| row.rule)
}

/// Returns the hash of the commit that a message reverts.
pub fn find_reverted_commit(message: &str) -> Option<&str> {
    static REVERTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^This reverts commit ([0-9a-f]{7,64})\b").expect("a constant pattern"));
    let message = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    REVERTED.captures(message).and_then(|found| found.get(1)).map(|commit| commit.as_str())
}

#[cfg(test)]
mod tests;
