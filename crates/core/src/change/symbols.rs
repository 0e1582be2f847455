//! Finds the functions and types that contain the changed lines of a hunk, or that these lines define. The indentation
//! shows which function or type contains a line, because this works in all languages.

use super::diff::{DiffLine, LineChange};
use regex::Regex;
use std::sync::LazyLock;

/// `def total(`, `pub fn total(`, `class Cart`, `func (c *Cart) Total(`.
static KEYWORD_DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r#"^\s*(?:(?:export|default|pub(?:\([^)]*\))?|async|static|abstract|public|private|protected|internal|final|override|const|unsafe|extern(?:\s+"[^"]*")?|open|data|sealed|inline|suspend|declare)\s+)*"#,
        r"(?:function\*?|class|def|fn|func|fun|interface|struct|enum|trait|impl(?:<[^>]*>)?|module|object|record)\s*(?:\([^)]*\)\s*)?\s(?:self\.)?([A-Za-z_$][\w$]*)",
    ))
});
/// `const total = (items) => {`, `exports.total = function (`, `total: async (items) =>`.
static FUNCTION_ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^\s*(?:export\s+)?(?:(?:const|let|var)\s+|(?:[\w$]+\.)+)?([A-Za-z_$][\w$]*)\s*(?::\s*[^=(]+)?[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::\s*[^=]+)?=>|[A-Za-z_$][\w$]*\s*=>|\([^)]*$)",
    )
});
/// `total(items) {`, `public int total(List<Item> items) throws Sold {`; group 1 is the words before the name.
static METHOD_DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^\s*((?:[\w$<>\[\],.?&*@]+\s+)*)[*#&]*([A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\(([^{]*)\{\s*$")
});

/// Words before a name that make the line a statement.
const STATEMENT_KEYWORDS: [&str; 20] = [
    "return", "await", "yield", "throw", "new", "else", "case", "in", "of", "const", "let", "var", "typeof", "delete",
    "go", "defer", "do", "assert", "raise", "void!",
];
/// Keywords that look like the name of a method, as in `if (ready) {`.
const NON_METHOD_KEYWORDS: [&str; 18] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "function",
    "else",
    "match",
    "with",
    "using",
    "foreach",
    "unless",
    "until",
    "lock",
    "synchronized",
    "try",
    "loop",
];

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Returns the innermost name around each changed line of a hunk, without duplicates. `section` is the hunk's section
/// heading.
pub(super) fn find_symbols(section: &str, lines: &[DiffLine]) -> Vec<String> {
    let mut enclosing: Vec<(usize, &str)> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    let mut section_name = find_defined_name(section);
    for line in lines {
        let text = line.text.trim_end();
        let trimmed = text.trim_start();
        if trimmed.is_empty() || is_comment_or_import(trimmed) {
            continue;
        }
        let indent = text.len() - trimmed.len();
        let name = find_defined_name(text);
        // The last line of a multi-line function head has the same indentation as its first line.
        if !trimmed.starts_with([')', ']', '{']) {
            enclosing.retain(|(outer, _)| *outer < indent);
            // A line without indentation ends the function or type of the section heading.
            section_name = section_name.filter(|_| indent > 0);
        }
        let inside = enclosing.last().map(|(_, name)| *name).or(section_name.filter(|_| indent > 0));
        if let Some(name) = name {
            enclosing.push((indent, name));
        }
        let is_end = trimmed.trim_end_matches([';', ',', ')', ']', '}']).is_empty();
        if line.line_change != LineChange::Kept
            && !is_end
            && let Some(name) = name.or(inside)
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Checks for a comment or an import, because neither changes the function or type that contains it.
fn is_comment_or_import(trimmed: &str) -> bool {
    let comments = ["//", "/*", "*/", "* ", "#", "--", "'''", "\"\"\""];
    let imports = ["import ", "from ", "use ", "require ", "package ", "using "];
    trimmed == "*"
        || comments.iter().chain(&imports).any(|start| trimmed.starts_with(start))
        || trimmed.starts_with("const ") && trimmed.contains("require(")
}

/// Returns the name that a line defines.
fn find_defined_name(line: &str) -> Option<&str> {
    let by = |rule: &Regex| rule.captures(line)?.get(1).map(|name| name.as_str());
    by(&KEYWORD_DEFINITION).or_else(|| by(&FUNCTION_ASSIGNMENT)).or_else(|| find_method_name(line))
}

fn find_method_name(line: &str) -> Option<&str> {
    let found = METHOD_DEFINITION.captures(line)?;
    let (before, name, args) = (found.get(1)?.as_str(), found.get(2)?.as_str(), found.get(3)?.as_str());
    let is_statement = before.split_whitespace().any(|word| STATEMENT_KEYWORDS.contains(&word));
    // Excludes a call with a callback or an object: `each(list, (one) => {`, `render(page, {`.
    let is_call = args.contains("=>") || args.contains("function") || !is_parenthesis_closed(args);
    (!is_statement && !is_call && !NON_METHOD_KEYWORDS.contains(&name)).then_some(name)
}

/// Checks whether the parenthesis before `args` is closed inside `args`.
fn is_parenthesis_closed(args: &str) -> bool {
    let opened = 1 + args.bytes().filter(|byte| *byte == b'(').count();
    opened == args.bytes().filter(|byte| *byte == b')').count()
}
