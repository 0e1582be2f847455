//! Splits a pasted text by role: messages, test names, stack frames, and log lines around them. `query` weighs terms by
//! role.

use crate::output::{
    line::test_title,
    log_level::is_below_error,
    progress_lines::is_progress,
    stack_frame::{self, Frame},
};
use std::borrow::Cow;

/// First segments of package names; they identify a trace that lost its punctuation.
const ROOTS: [&str; 22] = [
    "org", "com", "java", "javax", "jakarta", "jdk", "sun", "net", "io", "de", "fr", "edu", "android", "androidx",
    "dalvik", "kotlin", "kotlinx", "scala", "akka", "groovy", "clojure", "system",
];
/// Minimum number of frames in a flattened trace.
const MIN_FLAT_FRAMES: usize = 3;
/// Minimum number of packages to remove: the single package of `sqlite3.OperationalError` is informative.
const MIN_PACKAGES: usize = 2;
/// Maximum words of a flattened frame such as `org acme shop cart total`; a longer run continues with prose.
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
    pub(super) test: bool,
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
pub(super) fn roles(text: &str) -> Roles {
    let mut roles = Roles::default();
    let mut outer_first = 0;
    let mut go_function = "";
    for line in text.lines() {
        let line = line.trim();
        if is_around(line) {
            roles.surroundings.push(line.to_owned());
            continue;
        }
        if let Some(frame) = stack_frame::parse(line.as_bytes(), memchr::memchr(b':', line.as_bytes())) {
            roles.frames.push(frame_name(&frame));
            // Python prints the outermost frame first, so put each frame before the earlier frames of the same trace.
            outer_first = if frame.outer_first { outer_first + 1 } else { 0 };
            if outer_first > 1 {
                let at = roles.frames.len() - outer_first;
                roles.frames[at..].rotate_right(1);
            }
            continue;
        }
        if let Some(file) = stack_frame::bare_place(line.as_bytes()).filter(|_| is_function(go_function)) {
            let function = stack_frame::bare_function(go_function.as_bytes());
            roles.messages.pop();
            roles.frames.push(frame_name(&Frame { file, function, outer_first: false }));
            continue;
        }
        go_function = line;
        if let Some((name, rest)) = test(line) {
            roles.tests.push(name);
            roles.messages.push(rest.to_owned());
        } else if !flattened(line, &mut roles) {
            roles.messages.push(line.to_owned());
        }
    }
    if roles.says_nothing() {
        roles.messages.append(&mut roles.surroundings);
    }
    roles
}

/// Removes the lines around the failure, unless no other line remains.
pub(super) fn without_surroundings(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| is_around(line.trim())) {
        return text.into();
    }
    let rest: Vec<&str> = text.lines().filter(|line| !is_around(line.trim())).collect();
    if rest.iter().all(|line| line.trim().is_empty()) { text.into() } else { rest.join("\n").into() }
}

fn is_around(line: &str) -> bool {
    is_below_error(line.as_bytes()) || is_progress(line.as_bytes())
}

impl Roles {
    fn says_nothing(&self) -> bool {
        self.tests.is_empty() && self.frames.is_empty() && self.messages.iter().all(String::is_empty)
    }
}

/// `main.total(0x1)`, `3: shop::cart::total`: the line above the place of a Go or Rust frame.
fn is_function(line: &str) -> bool {
    !line.is_empty()
        && (line.ends_with(')') || line.contains("::"))
        && !line.trim_start_matches(|mark: char| mark.is_ascii_digit() || mark == ':').trim().contains(' ')
}

fn frame_name(frame: &Frame<'_>) -> QualifiedName {
    let file = String::from_utf8_lossy(frame.file);
    let function = String::from_utf8_lossy(frame.function);
    let mut name = qualified(&function);
    let (folder, stem) = path(&file);
    let dotted = name.class.is_empty();
    if dotted {
        stem.clone_into(&mut name.class);
    }
    // The stem of a Java file repeats the class, and the function contains the package.
    if dotted || file.contains('/') {
        name.package = format!("{} {folder}", name.package);
    }
    name.test = is_test(&file) || is_test(&name.class);
    name
}

/// Splits a message into the text without packages and the packages: `boom in com.acme.shop.Cart` gives `boom in Cart`
/// and `com acme shop`.
pub(super) fn without_packages(message: &str) -> (String, String) {
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
fn path(file: &str) -> (&str, &str) {
    let split = file.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let (folder, base) = file.split_at(split);
    (folder, base.split('.').next().unwrap_or(base))
}

/// Splits a qualified name of any language.
fn qualified(name: &str) -> QualifiedName {
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
            test: is_test(class),
        },
    }
}

fn is_test(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("test") || lower.contains("spec.") || lower.contains("_spec") || lower.ends_with("spec")
}

/// Returns the test that a line is about, and the rest of the line.
fn test(line: &str) -> Option<(QualifiedName, &str)> {
    let mark = test_title::mark(line);
    let rest = line[mark.map_or(0, str::len)..].trim_start();
    if mark.is_some()
        && let Some(found) = titled(rest)
    {
        return Some(found);
    }
    let end = rest.find(|mark: char| mark.is_whitespace()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let name = word.trim_end_matches([':', ',']);
    if mark.is_some_and(|mark| mark.ends_with("FAIL: ")) && !name.is_empty() {
        return Some((titles(&name.split('/').collect::<Vec<_>>()), after));
    }
    // Surefire, unittest: `total(com.acme.CartTest)`.
    if let Some((method, class)) = name.strip_suffix(')').and_then(|name| name.split_once('('))
        && class.contains('.')
        && is_test(class)
    {
        return Some((subject(qualified(&format!("{class}.{method}"))), after));
    }
    let bare = name.split(['[', '{', '(']).next().unwrap_or(name);
    if bare.contains("::") && (mark.is_some() || is_test(bare)) {
        return Some((titles(&bare.split("::").collect::<Vec<_>>()), after));
    }
    let dotted = bare.matches('.').count() >= 1
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    let named = qualified(bare);
    (dotted
        && named.test
        && named.method.starts_with(|mark: char| mark.is_ascii_lowercase())
        && name.len() < word.len() + 1)
        .then(|| (subject(named), after))
}

/// `file > suite > test` and `suite › test`.
fn titled(rest: &str) -> Option<(QualifiedName, &str)> {
    let mark = [" > ", " › "].into_iter().find(|mark| rest.contains(mark))?;
    let rest = rest.trim_end_matches(" FAILED");
    Some((titles(&rest.split(mark).collect::<Vec<_>>()), ""))
}

/// Reads a test name that consists of file, suites and title.
fn titles(parts: &[&str]) -> QualifiedName {
    let Some((last, before)) = parts.split_last() else { return QualifiedName::default() };
    let mut name = QualifiedName { method: (*last).to_owned(), test: true, ..QualifiedName::default() };
    for part in before {
        if part.contains('/') || part.contains('.') {
            let (folder, stem) = path(part);
            if part.contains('/') {
                folder.clone_into(&mut name.package);
                name.class = format!("{} {stem}", name.class);
            } else {
                let of = qualified(part);
                name.package = format!("{} {}", of.package, of.class);
                name.class = format!("{} {}", name.class, of.method);
            }
        } else {
            name.class = format!("{} {part}", name.class);
        }
    }
    subject(name)
}

/// Replaces the test class with the class under test: `CartTest` and `test_cart` are about the cart.
fn subject(mut name: QualifiedName) -> QualifiedName {
    let words: Vec<&str> = name.class.split_whitespace().map(without_affix).collect();
    name.class = words.join(" ");
    if name.method.starts_with("test") {
        name.method.drain(.."test".len());
    }
    name.test = true;
    name
}

fn without_affix(class: &str) -> &str {
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
fn flattened(line: &str, roles: &mut Roles) -> bool {
    let parts: Vec<&str> = line.split(" at ").collect();
    let is_frame = |part: &str| part.split_whitespace().next().is_some_and(|word| ROOTS.contains(&word));
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
                    test: is_test(class),
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
