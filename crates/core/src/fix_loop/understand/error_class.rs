//! Classifies an error as transient, fixable or permanent. The lists of `docs/contract/fix-problem.md` are patterns for
//! whole lines, because words alone are ambiguous: port 5033 is not a status 503, and a failed expectation of a 401 is
//! not a refused login.
//!
//! If several rules match, permanent has priority over transient, and transient over fixable. If no rule matches, the
//! error is fixable.

mod rules;

use crate::{
    Analysis, Category, classify,
    display::strip_escapes,
    fix_loop::error::{ClassReason, ErrorClass, FailedRun, TIMEOUT_EXIT_CODE},
    normalize::normalize,
    output::log_level,
};
use regex::{Regex, RegexBuilder};
use rules::{ErrorClassRule, LineMatcher, RULES};
use std::sync::LazyLock;

/// Number of bytes of a line that are searched. Longer lines are minified code or base64.
const MAX_LINE_BYTES: usize = 2048;
/// Maximum length of the quoted words that decided on the class, in bytes.
const MAX_REASON_BYTES: usize = 160;

/// Returns the class of an error, and the rule that decided.
pub(super) fn classify_error(failure: &FailedRun, analysis: &Analysis) -> (ErrorClass, ClassReason) {
    let text = strip_escapes(&analysis.redacted);
    let lines = lines_about_failure(&text);
    let out_of_time = failure.timed_out.unwrap_or_default() || failure.exit_code == Some(TIMEOUT_EXIT_CODE);
    let found = |class| find_class(class, &lines);
    if analysis.classification.category == Category::MockMismatch {
        // A message of a mock library may mention the network or a login, but is about neither.
        return class_with_reason(ErrorClass::Fixable, "category-mock-mismatch", None);
    }
    found(ErrorClass::Permanent)
        .or_else(|| out_of_time.then(|| class_with_reason(ErrorClass::Transient, "timed-out", None)))
        .or_else(|| found(ErrorClass::Transient))
        .or_else(|| find_class_in_category(analysis, &text))
        .or_else(|| found(ErrorClass::Fixable))
        .unwrap_or_else(|| class_with_reason(ErrorClass::Fixable, "default", None))
}

fn class_with_reason(class: ErrorClass, rule: &str, words: Option<&str>) -> (ErrorClass, ClassReason) {
    let words = words.map(str::trim).filter(|words| !words.is_empty());
    let cut = |words: &str| words[..words.floor_char_boundary(MAX_REASON_BYTES)].to_owned();
    (class, ClassReason { rule: rule.to_owned(), words: words.map(cut) })
}

/// Returns the lines that describe the failure, without stack frames, source, test names, and log lines below error
/// level.
fn lines_about_failure(text: &str) -> Vec<&str> {
    let pytest = text.starts_with("E   ") || text.contains("\nE   ");
    let context = |line: &str| pytest && (line.starts_with([' ', '>']) || line.contains(": in "));
    let tells = |line: &&str| {
        let bytes = line.as_bytes();
        !line.trim().is_empty()
            && !classify::is_context_line(bytes)
            && !log_level::has_level_below_error(bytes)
            && !context(line)
    };
    text.lines().map(|line| &line[..line.floor_char_boundary(MAX_LINE_BYTES)]).filter(tells).collect()
}

fn find_class(class: ErrorClass, lines: &[&str]) -> Option<(ErrorClass, ClassReason)> {
    let rules = COMPILED_RULES.iter().filter(|compiled| compiled.rule.class == class);
    rules.into_iter().find_map(|compiled| {
        let found = lines.iter().find_map(|line| compiled.find_in_line(line))?;
        Some(class_with_reason(class, compiled.rule.name, Some(found)))
    })
}

/// Derives the class from the category of the failure if no rule matches the text.
fn find_class_in_category(analysis: &Analysis, text: &str) -> Option<(ErrorClass, ClassReason)> {
    // An error about a certificate is not transient, because waiting does not make the certificate valid.
    static CERTIFICATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)certificate|self[- ]signed|\bCERT_|unable to verify|x509").expect("a constant pattern")
    });
    let name = match analysis.classification.category {
        Category::Timeout => "category-timeout",
        Category::ConnectionRefused => "category-connection-refused",
        Category::NetworkError if !CERTIFICATE.is_match(text) => "category-network-error",
        _ => return None,
    };
    let evidence = analysis.classification.evidence.as_ref();
    let words = evidence.and_then(|span| analysis.redacted.get(span.start..span.end));
    let line = words.and_then(|words| text.lines().find(|line| line.contains(words)));
    (!line.is_some_and(|line| MENTIONS_NAME_ONLY.is_match(line)))
        .then(|| class_with_reason(ErrorClass::Transient, name, words))
}

struct CompiledRule {
    rule: &'static ErrorClassRule,
    matcher: Option<Regex>,
    unless: Option<Regex>,
}

static COMPILED_RULES: LazyLock<Vec<CompiledRule>> =
    LazyLock::new(|| RULES.iter().map(CompiledRule::compile).collect());

/// Expectations of a test about an error that did not occur: `expected 401 to equal 200`, `- Permission denied` in a
/// diff.
static EXPECTATION: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"\bexpect(?:ed|s|ation)?\b|\bassert\w*\b|^\s*(?:E\s+)?(?:received|actual)\b",
        r"|\bto(?:be|equal|match|throw|contain|have|strictequal)\w*\(|^\s*(?:E\s+)?[-+] ",
    ))
});

/// Messages about the name of an error that did not occur: `TimeoutError is not defined`, `DID NOT RAISE <...>`.
static MENTIONS_NAME_ONLY: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"\bis not defined\b|\bcannot import name\b|\bexport named\b|\bno exported member\b|^\s*symbol:|\bno attribute\b",
        r"|\b(?:cannot|can't|could not) find (?:symbol|name|type|value|class)\b|\bunresolved (?:import|reference|name)\b",
        r"|\bundefined: |\bundeclared\b|\bdid not raise\b|\bnothing was (?:raised|thrown)\b|\bunexpected keyword\b",
        r"|\bunknown (?:field|option|property)\b|\bdoes not exist on type\b|\bnever used\b|\bunused variable\b",
        r"|\btime-?out (?:must|can'?t|can ?not|should|is not a)\b",
    ))
});

impl CompiledRule {
    fn compile(rule: &'static ErrorClassRule) -> Self {
        let matcher = match rule.matcher {
            LineMatcher::Line(pattern) => Some(compile(pattern)),
            LineMatcher::Status(_) => None,
        };
        Self { rule, matcher, unless: rule.unless.map(compile) }
    }

    fn find_in_line<'l>(&self, line: &'l str) -> Option<&'l str> {
        let found = match self.rule.matcher {
            LineMatcher::Line(_) => self.matcher.as_ref()?.find(line)?.as_str(),
            LineMatcher::Status(status) => has_status(line, status).then_some(line)?,
        };
        let guarded = self.unless.as_ref().is_some_and(|unless| unless.is_match(line));
        let quoted = || EXPECTATION.is_match(line) || MENTIONS_NAME_ONLY.is_match(line);
        (!guarded && (self.rule.class == ErrorClass::Fixable || !quoted())).then_some(found)
    }
}

/// Returns `true` if the line contains this HTTP status. Uses the normalizer, which distinguishes a status from a port,
/// a line number or a count.
fn has_status(line: &str, status: u16) -> bool {
    line.contains(&status.to_string()) && normalize(line).statuses.contains(&status)
}

fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("a test compiles every pattern of the tables")
}

#[cfg(test)]
mod tests {
    use super::{COMPILED_RULES, RULES};
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_compiles_and_has_a_unique_name() {
        let names: BTreeSet<&str> = COMPILED_RULES.iter().map(|compiled| compiled.rule.name).collect();
        assert_eq!(names.len(), RULES.len());
    }
}
