//! Names of the functions and types that contain the changed lines of a hunk, or that the lines define. Indentation
//! identifies the enclosing item, because it works the same in all languages.

use super::diff::{DiffLine, LineChange};
use regex::Regex;
use std::sync::LazyLock;

/// `def total(`, `pub fn total(`, `class Cart`, `func (c *Cart) Total(`.
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r#"^\s*(?:(?:export|default|pub(?:\([^)]*\))?|async|static|abstract|public|private|protected|internal|final|override|const|unsafe|extern(?:\s+"[^"]*")?|open|data|sealed|inline|suspend|declare)\s+)*"#,
        r"(?:function\*?|class|def|fn|func|fun|interface|struct|enum|trait|impl(?:<[^>]*>)?|module|object|record)\s*(?:\([^)]*\)\s*)?\s(?:self\.)?([A-Za-z_$][\w$]*)",
    ))
});
/// `const total = (items) => {`, `exports.total = function (`, `total: async (items) =>`.
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^\s*(?:export\s+)?(?:(?:const|let|var)\s+|(?:[\w$]+\.)+)?([A-Za-z_$][\w$]*)\s*(?::\s*[^=(]+)?[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::\s*[^=]+)?=>|[A-Za-z_$][\w$]*\s*=>|\([^)]*$)",
    )
});
/// `total(items) {`, `public int total(List<Item> items) throws Sold {`; group 1 is the words before the name.
static METHOD: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^\s*((?:[\w$<>\[\],.?&*@]+\s+)*)[*#&]*([A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\(([^{]*)\{\s*$")
});

/// Words before a name that make the line a statement.
const STATEMENTS: [&str; 20] = [
    "return", "await", "yield", "throw", "new", "else", "case", "in", "of", "const", "let", "var", "typeof", "delete",
    "go", "defer", "do", "assert", "raise", "void!",
];
/// Keywords in the position of a method name.
const NO_NAMES: [&str; 18] = [
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
pub(super) fn symbols(section: &str, lines: &[DiffLine]) -> Vec<String> {
    let mut around: Vec<(usize, &str)> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    let mut of_section = defined(section);
    for line in lines {
        let text = line.text.trim_end();
        let trimmed = text.trim_start();
        if trimmed.is_empty() || is_aside(trimmed) {
            continue;
        }
        let indent = text.len() - trimmed.len();
        let name = defined(text);
        // The closing line of a multi-line head has the indentation of the head.
        if !trimmed.starts_with([')', ']', '{']) {
            around.retain(|(outer, _)| *outer < indent);
            // The item of the section heading ends here at the latest.
            of_section = of_section.filter(|_| indent > 0);
        }
        let inside = around.last().map(|(_, name)| *name).or(of_section.filter(|_| indent > 0));
        if let Some(name) = name {
            around.push((indent, name));
        }
        let is_end = trimmed.trim_end_matches([';', ',', ')', ']', '}']).is_empty();
        if line.mark != LineChange::Kept
            && !is_end
            && let Some(name) = name.or(inside)
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Comments and imports do not change the item that contains them.
fn is_aside(trimmed: &str) -> bool {
    let comments = ["//", "/*", "*/", "* ", "#", "--", "'''", "\"\"\""];
    let imports = ["import ", "from ", "use ", "require ", "package ", "using "];
    trimmed == "*"
        || comments.iter().chain(&imports).any(|start| trimmed.starts_with(start))
        || trimmed.starts_with("const ") && trimmed.contains("require(")
}

/// Returns the name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let by = |rule: &Regex| rule.captures(line)?.get(1).map(|name| name.as_str());
    by(&KEYWORD).or_else(|| by(&ASSIGNED)).or_else(|| method(line))
}

fn method(line: &str) -> Option<&str> {
    let found = METHOD.captures(line)?;
    let (before, name, args) = (found.get(1)?.as_str(), found.get(2)?.as_str(), found.get(3)?.as_str());
    let is_statement = before.split_whitespace().any(|word| STATEMENTS.contains(&word));
    // A call with a callback or an object: `each(list, (one) => {`, `render(page, {`.
    let is_call = args.contains("=>") || args.contains("function") || !is_closed(args);
    (!is_statement && !is_call && !NO_NAMES.contains(&name)).then_some(name)
}

/// Checks whether the parenthesis before `args` is closed inside `args`.
fn is_closed(args: &str) -> bool {
    let opened = 1 + args.bytes().filter(|byte| *byte == b'(').count();
    opened == args.bytes().filter(|byte| *byte == b')').count()
}
