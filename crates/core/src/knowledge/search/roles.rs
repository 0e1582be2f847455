//! Splits a pasted text by role: messages, test names, stack frames, and log lines around them. `query` weighs terms by
//! role.

use crate::output::{
    line::test_title,
    log_level::has_level_below_error,
    progress_lines::is_progress_line,
    stack_frame::{self, StackFrame},
};
use std::borrow::Cow;

/// First segments of package names. They identify a frame in a stack trace without punctuation.
const PACKAGE_ROOTS: [&str; 22] = [
    "org", "com", "java", "javax", "jakarta", "jdk", "sun", "net", "io", "de", "fr", "edu", "android", "androidx",
    "dalvik", "kotlin", "kotlinx", "scala", "akka", "groovy", "clojure", "system",
];
/// Minimum number of frames in a flattened trace, which is a trace that lost its punctuation and line breaks.
const MIN_FLAT_FRAMES: usize = 3;
/// Minimum number of packages to remove. A single package, as in `sqlite3.OperationalError`, has information.
const MIN_PACKAGES: usize = 2;
/// Maximum number of words of a flattened frame such as `org acme shop cart total`. After this number, prose follows.
const MAX_FLAT_WORDS: usize = 12;
/// The parts of a qualified name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QualifiedName {
    /// Method, function or title of a test.
    pub(super) method: String,
    /// Class, module or suite that contains the method.
    pub(super) class: String,
    /// Packages and folders.
    pub(super) package: String,
    /// Set for test code.
    pub(super) is_test: bool,
}

/// The parts of a pasted text by role.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub(super) messages: Vec<String>,
    /// Log lines below error level and passed tests.
    pub(super) surroundings: Vec<String>,
    pub(super) tests: Vec<QualifiedName>,
    /// Innermost first.
    pub(super) frames: Vec<QualifiedName>,
}

/// Reads a text line by line.
pub(super) fn split_by_role(text: &str) -> Roles {
    let mut roles = Roles::default();
    let mut outer_first = 0;
    let mut go_function = "";
    for line in text.lines() {
        let line = line.trim();
        if is_surrounding_line(line) {
            roles.surroundings.push(line.to_owned());
            continue;
        }
        if let Some(frame) = stack_frame::parse_frame(line.as_bytes(), memchr::memchr(b':', line.as_bytes())) {
            roles.frames.push(frame_name(&frame));
            // Python prints the outermost frame first, so insert each frame before the earlier frames of the same
            // trace.
            outer_first = if frame.outer_first { outer_first + 1 } else { 0 };
            if outer_first > 1 {
                let at = roles.frames.len() - outer_first;
                roles.frames[at..].rotate_right(1);
            }
            continue;
        }
        if let Some(file) =
            stack_frame::path_of_location_line(line.as_bytes()).filter(|_| is_function_of_frame(go_function))
        {
            let function = stack_frame::function_of_frame_header(go_function.as_bytes());
            roles.messages.pop();
            roles.frames.push(frame_name(&StackFrame { file, function, outer_first: false }));
            continue;
        }
        go_function = line;
        if let Some((name, rest)) = parse_test_line(line) {
            roles.tests.push(name);
            roles.messages.push(rest.to_owned());
        } else if !read_flattened_trace(line, &mut roles) {
            roles.messages.push(line.to_owned());
        }
    }
    if roles.is_empty() {
        roles.messages.append(&mut roles.surroundings);
    }
    roles
}

/// Removes the lines around the failure, unless no other line remains.
pub(super) fn remove_surroundings(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| is_surrounding_line(line.trim())) {
        return text.into();
    }
    let rest: Vec<&str> = text.lines().filter(|line| !is_surrounding_line(line.trim())).collect();
    if rest.iter().all(|line| line.trim().is_empty()) { text.into() } else { rest.join("\n").into() }
}

fn is_surrounding_line(line: &str) -> bool {
    has_level_below_error(line.as_bytes()) || is_progress_line(line.as_bytes())
}

impl Roles {
    fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.frames.is_empty() && self.messages.iter().all(String::is_empty)
    }
}

/// Checks for the line above the location of a Go or Rust frame: `main.total(0x1)`, `3: shop::cart::total`.
fn is_function_of_frame(line: &str) -> bool {
    !line.is_empty()
        && (line.ends_with(')') || line.contains("::"))
        && !line.trim_start_matches(|mark: char| mark.is_ascii_digit() || mark == ':').trim().contains(' ')
}

fn frame_name(frame: &StackFrame<'_>) -> QualifiedName {
    let file = String::from_utf8_lossy(frame.file);
    let function = String::from_utf8_lossy(frame.function);
    let mut name = parse_qualified_name(&function);
    let (folder, stem) = split_path(&file);
    let dotted = name.class.is_empty();
    if dotted {
        stem.clone_into(&mut name.class);
    }
    // In a Java frame, the name of the file repeats the class, and the function contains the package.
    if dotted || file.contains('/') {
        name.package = format!("{} {folder}", name.package);
    }
    name.is_test = is_test_name(&file) || is_test_name(&name.class);
    name
}

/// Splits a message into the text without packages and the packages: `boom in com.acme.shop.Cart` gives `boom in Cart`
/// and `com acme shop`.
pub(super) fn split_packages(message: &str) -> (String, String) {
    let (mut rest, mut packages) = (String::with_capacity(message.len()), String::new());
    let is_name = |mark: char| mark.is_ascii_alphanumeric() || "_.$\\".contains(mark);
    for part in message.split_inclusive(|mark| !is_name(mark)) {
        let class = package_end(part);
        packages.push_str(&part[..class]);
        rest.push_str(&part[class..]);
    }
    (rest, packages)
}

/// Returns the start of the class after at least two lower-case packages, or 0.
fn package_end(name: &str) -> usize {
    let (mut end, mut count) = (0, 0);
    for segment in name.split_inclusive(['.', '\\']) {
        let lower = segment.starts_with(|mark: char| mark.is_ascii_lowercase()) && segment.ends_with(['.', '\\']);
        if !lower {
            let class = segment.starts_with(|mark: char| mark.is_ascii_uppercase());
            return if class && count >= MIN_PACKAGES { end } else { 0 };
        }
        end += segment.len();
        count += 1;
    }
    0
}

/// Splits a path into folder and stem: `src/cart/total.test.ts` gives `src/cart` and `total`.
fn split_path(file: &str) -> (&str, &str) {
    let split = file.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let (folder, base) = file.split_at(split);
    (folder, base.split('.').next().unwrap_or(base))
}

/// Splits a qualified name of any language.
fn parse_qualified_name(name: &str) -> QualifiedName {
    let name = name.split(['(', '<', '[', '{']).next().filter(|cut| !cut.is_empty()).unwrap_or(name);
    let segments: Vec<&str> = name
        .split([':', '.', '/', '#', '\\', '$', ' ', '*'])
        .filter(|part| !part.is_empty() && *part != "lambda")
        .collect();
    match segments.as_slice() {
        [] => QualifiedName::default(),
        [method] => QualifiedName { method: (*method).to_owned(), ..QualifiedName::default() },
        [package @ .., class, method] => QualifiedName {
            method: (*method).to_owned(),
            class: (*class).to_owned(),
            package: package.join(" "),
            is_test: is_test_name(class),
        },
    }
}

fn is_test_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("test") || lower.contains("spec.") || lower.contains("_spec") || lower.ends_with("spec")
}

/// Returns the test that a line names, and the rest of the line.
fn parse_test_line(line: &str) -> Option<(QualifiedName, &str)> {
    let mark = test_title::find_failed_test_mark(line);
    let rest = line[mark.map_or(0, str::len)..].trim_start();
    if mark.is_some()
        && let Some(found) = parse_title_path(rest)
    {
        return Some(found);
    }
    let end = rest.find(|mark: char| mark.is_whitespace()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let name = word.trim_end_matches([':', ',']);
    if mark.is_some_and(|mark| mark.ends_with("FAIL: ")) && !name.is_empty() {
        return Some((parse_titles(&name.split('/').collect::<Vec<_>>()), after));
    }
    // Surefire and unittest print `total(com.acme.CartTest)`.
    if let Some((method, class)) = name.strip_suffix(')').and_then(|name| name.split_once('('))
        && class.contains('.')
        && is_test_name(class)
    {
        return Some((replace_test_class(parse_qualified_name(&format!("{class}.{method}"))), after));
    }
    let bare = name.split(['[', '{', '(']).next().unwrap_or(name);
    if bare.contains("::") && (mark.is_some() || is_test_name(bare)) {
        return Some((parse_titles(&bare.split("::").collect::<Vec<_>>()), after));
    }
    let dotted = bare.matches('.').count() >= 1
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    let named = parse_qualified_name(bare);
    (dotted
        && named.is_test
        && named.method.starts_with(|mark: char| mark.is_ascii_lowercase())
        && name.len() < word.len() + 1)
        .then(|| (replace_test_class(named), after))
}

/// Reads `file > suite > test` and `suite › test`.
fn parse_title_path(rest: &str) -> Option<(QualifiedName, &str)> {
    let mark = [" > ", " › "].into_iter().find(|mark| rest.contains(mark))?;
    let rest = rest.trim_end_matches(" FAILED");
    Some((parse_titles(&rest.split(mark).collect::<Vec<_>>()), ""))
}

/// Reads a test name that consists of file, suites and title.
fn parse_titles(parts: &[&str]) -> QualifiedName {
    let Some((last, before)) = parts.split_last() else { return QualifiedName::default() };
    let mut name = QualifiedName { method: (*last).to_owned(), is_test: true, ..QualifiedName::default() };
    for part in before {
        if part.contains('/') || part.contains('.') {
            let (folder, stem) = split_path(part);
            if part.contains('/') {
                folder.clone_into(&mut name.package);
                name.class = format!("{} {stem}", name.class);
            } else {
                let of = parse_qualified_name(part);
                name.package = format!("{} {}", of.package, of.class);
                name.class = format!("{} {}", name.class, of.method);
            }
        } else {
            name.class = format!("{} {part}", name.class);
        }
    }
    replace_test_class(name)
}

/// Replaces the test class with the class under test: `CartTest` and `test_cart` are about the cart.
fn replace_test_class(mut name: QualifiedName) -> QualifiedName {
    let words: Vec<&str> = name.class.split_whitespace().map(strip_test_affix).collect();
    name.class = words.join(" ");
    if name.method.starts_with("test") {
        name.method.drain(.."test".len());
    }
    name.is_test = true;
    name
}

fn strip_test_affix(class: &str) -> &str {
    let head = ["Test", "test_", "IT"].into_iter().find_map(|affix| class.strip_prefix(affix));
    let class = head
        .filter(|rest| rest.starts_with(|mark: char| mark.is_ascii_uppercase() || mark.is_ascii_lowercase()))
        .unwrap_or(class);
    ["TestCase", "Tests", "Test", "_test", "_tests", "_spec", "Spec", "IT"]
        .into_iter()
        .find_map(|affix| class.strip_suffix(affix))
        .unwrap_or(class)
}

/// Reads a trace that lost its punctuation and line breaks: `... at org acme shop cart total at org acme ...`.
fn read_flattened_trace(line: &str, roles: &mut Roles) -> bool {
    let parts: Vec<&str> = line.split(" at ").collect();
    let is_frame = |part: &str| part.split_whitespace().next().is_some_and(|word| PACKAGE_ROOTS.contains(&word));
    if parts.iter().skip(1).filter(|part| is_frame(part)).count() < MIN_FLAT_FRAMES {
        return false;
    }
    let mut message = parts[0].to_owned();
    for part in &parts[1..] {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words.as_slice() {
            [package @ .., class, method] if is_frame(part) && words.len() <= MAX_FLAT_WORDS => {
                roles.frames.push(QualifiedName {
                    method: (*method).to_owned(),
                    class: (*class).to_owned(),
                    package: package.join(" "),
                    is_test: is_test_name(class),
                });
            }
            _ => {
                message.push_str(" at ");
                message.push_str(part);
            }
        }
    }
    roles.messages.push(message);
    true
}
