//! Reads environment facts as people and tools write them: keys in any case, aliases, versions in any notation.

use super::Environment;

/// Maximum length of a name; a longer text is a sentence.
const MAX_NAME_CHARS: usize = 40;
/// Maximum length of the part of a value that is read: a name and its version.
const MAX_VALUE_BYTES: usize = 64;
/// Largest major version. Years such as 2022 are majors too.
const MAX_MAJOR_VERSION: u32 = 9999;

/// A value in the map of facts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnvironmentFact<'a> {
    /// A name, a version, or both: `Python 3.11`.
    Text(&'a str),
    /// A version as a number: `20`, `3.11`.
    Number(f64),
}

/// A name and the version next to it.
#[derive(Clone, Debug, Default)]
struct ParsedName {
    name: Option<String>,
    major: Option<u32>,
}

/// The facts that were read. A field such as `language` has priority over a key that is itself a name, such as
/// `python`.
#[derive(Debug, Default)]
struct StatedFacts {
    os: Option<String>,
    language: ParsedName,
    language_major: Option<u32>,
    framework: ParsedName,
    framework_major: Option<u32>,
    runtime: ParsedName,
    runtime_major: Option<u32>,
    cuda: Option<u32>,
    by_language: ParsedName,
    by_framework: ParsedName,
    by_runtime: ParsedName,
}

/// Names of languages with their canonical names. The names occur as keys (`python: "3.11"`) and as values.
const LANGUAGE_ALIASES: [(&str, &str); 40] = [
    ("python", "python"),
    ("py", "python"),
    ("cpython", "python"),
    ("python3", "python"),
    ("typescript", "typescript"),
    ("ts", "typescript"),
    ("tsc", "typescript"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("ecmascript", "javascript"),
    ("go", "go"),
    ("golang", "go"),
    ("rust", "rust"),
    ("rustc", "rust"),
    ("rs", "rust"),
    ("java", "java"),
    ("jdk", "java"),
    ("openjdk", "java"),
    ("kotlin", "kotlin"),
    ("kt", "kotlin"),
    ("scala", "scala"),
    ("c#", "csharp"),
    ("csharp", "csharp"),
    ("cs", "csharp"),
    ("dotnet", "csharp"),
    (".net", "csharp"),
    ("dotnetcore", "csharp"),
    ("c++", "c++"),
    ("cpp", "c++"),
    ("cxx", "c++"),
    ("c", "c"),
    ("ruby", "ruby"),
    ("rb", "ruby"),
    ("php", "php"),
    ("swift", "swift"),
    ("elixir", "elixir"),
    ("erlang", "erlang"),
    ("dart", "dart"),
    ("haskell", "haskell"),
    ("perl", "perl"),
];
/// Runtime names with their canonical names.
const RUNTIME_ALIASES: [(&str, &str); 16] = [
    ("node", "node"),
    ("nodejs", "node"),
    ("node.js", "node"),
    ("deno", "deno"),
    ("bun", "bun"),
    ("jvm", "jvm"),
    ("jre", "jvm"),
    ("hotspot", "jvm"),
    ("graalvm", "graalvm"),
    ("pypy", "pypy"),
    ("docker", "docker"),
    ("kubernetes", "kubernetes"),
    ("k8s", "kubernetes"),
    ("electron", "electron"),
    ("wasmtime", "wasmtime"),
    ("browser", "browser"),
];
/// Framework names with their canonical names.
const FRAMEWORK_ALIASES: [(&str, &str); 36] = [
    ("react", "react"),
    ("reactjs", "react"),
    ("react.js", "react"),
    ("vue", "vue"),
    ("vuejs", "vue"),
    ("vue.js", "vue"),
    ("angular", "angular"),
    ("angularjs", "angularjs"),
    ("svelte", "svelte"),
    ("sveltekit", "sveltekit"),
    ("next", "next"),
    ("nextjs", "next"),
    ("next.js", "next"),
    ("nuxt", "nuxt"),
    ("nuxtjs", "nuxt"),
    ("express", "express"),
    ("expressjs", "express"),
    ("nest", "nest"),
    ("nestjs", "nest"),
    ("django", "django"),
    ("flask", "flask"),
    ("fastapi", "fastapi"),
    ("rails", "rails"),
    ("rubyonrails", "rails"),
    ("laravel", "laravel"),
    ("symfony", "symfony"),
    ("spring", "spring"),
    ("springboot", "spring-boot"),
    ("spring-boot", "spring-boot"),
    ("pytorch", "pytorch"),
    ("torch", "pytorch"),
    ("tensorflow", "tensorflow"),
    ("tf", "tensorflow"),
    ("aspnet", "aspnet"),
    ("asp.net", "aspnet"),
    ("quarkus", "quarkus"),
];
/// Prefixes of names of operating systems. The first match decides.
const OS_PREFIXES: [(&str, &str); 28] = [
    ("darwin", "macos"),
    ("mac", "macos"),
    ("osx", "macos"),
    ("os-x", "macos"),
    ("apple", "macos"),
    ("win", "windows"),
    ("microsoft-windows", "windows"),
    ("mingw", "windows"),
    ("cygwin", "windows"),
    ("linux", "linux"),
    ("gnu", "linux"),
    ("ubuntu", "linux"),
    ("debian", "linux"),
    ("alpine", "linux"),
    ("fedora", "linux"),
    ("centos", "linux"),
    ("red-hat", "linux"),
    ("redhat", "linux"),
    ("rhel", "linux"),
    ("rocky", "linux"),
    ("amazon", "linux"),
    ("arch", "linux"),
    ("opensuse", "linux"),
    ("suse", "linux"),
    ("nixos", "linux"),
    ("wsl", "linux"),
    ("freebsd", "freebsd"),
    ("android", "android"),
];
/// Values that mean that a fact is unknown.
const UNKNOWN_VALUES: [&str; 9] = ["", "unknown", "none", "null", "n-a", "n/a", "undefined", "any", "-"];

pub(super) fn read_environment<'a>(facts: impl IntoIterator<Item = (&'a str, EnvironmentFact<'a>)>) -> Environment {
    let mut facts: Vec<(String, EnvironmentFact<'a>)> =
        facts.into_iter().map(|(key, value)| (fold_key(key), value)).collect();
    // Sort the facts, because two keys may set the same field, and the result must not depend on the order of the
    // facts.
    facts.sort_by_cached_key(|(key, value)| (key.clone(), format!("{value:?}")));
    let mut said = StatedFacts::default();
    for (key, value) in &facts {
        said.read_fact(key, *value);
    }
    said.into_environment()
}

/// Converts `language_major`, `languageMajor` and `Language-Major` to the same key.
fn fold_key(key: &str) -> String {
    let marks = key.chars().filter(|mark| !matches!(mark, '_' | '-' | ' ' | '.'));
    marks.flat_map(char::to_lowercase).take(MAX_NAME_CHARS).collect()
}

impl StatedFacts {
    fn read_fact(&mut self, key: &str, value: EnvironmentFact<'_>) {
        match key {
            "osfamily" | "os" | "platform" | "operatingsystem" | "osname" | "system" => {
                set_if_empty(&mut self.os, read_os(value));
            }
            "language" | "lang" | "programminglanguage" => self.language.read_fact(value, &LANGUAGE_ALIASES),
            "languagemajor" | "languageversion" | "langversion" | "langmajor" => {
                set_if_empty(&mut self.language_major, read_version(value));
            }
            "framework" => self.framework.read_fact(value, &FRAMEWORK_ALIASES),
            "frameworkmajor" | "frameworkversion" => set_if_empty(&mut self.framework_major, read_version(value)),
            "runtime" => self.runtime.read_fact(value, &RUNTIME_ALIASES),
            "runtimemajor" | "runtimeversion" => set_if_empty(&mut self.runtime_major, read_version(value)),
            "cuda" | "cudamajor" | "cudaversion" | "cudatoolkit" => set_if_empty(&mut self.cuda, read_version(value)),
            _ => self.read_fact_by_name(key, value),
        }
    }

    /// Reads a fact whose key is a name: `python: "3.11"`, `node: 20`, `react: "^18"`.
    fn read_fact_by_name(&mut self, key: &str, value: EnvironmentFact<'_>) {
        let key = key.strip_suffix("version").or_else(|| key.strip_suffix("major")).unwrap_or(key);
        let tables = [
            (&LANGUAGE_ALIASES[..], &mut self.by_language),
            (&RUNTIME_ALIASES[..], &mut self.by_runtime),
            (&FRAMEWORK_ALIASES[..], &mut self.by_framework),
        ];
        for (table, named) in tables {
            if let Some(name) = find_canonical_name(key, table).filter(|_| named.name.is_none()) {
                *named = ParsedName { name: Some(name.to_owned()), major: read_version_of(value, name) };
            }
        }
    }

    fn into_environment(self) -> Environment {
        let language = self.language.merge_with_named(self.by_language, self.language_major);
        let framework = self.framework.merge_with_named(self.by_framework, self.framework_major);
        let runtime = self.runtime.merge_with_named(self.by_runtime, self.runtime_major);
        Environment {
            os_family: self.os,
            language: language.name,
            language_major: language.major,
            framework: framework.name,
            framework_major: framework.major,
            runtime: runtime.name.map(|name| join_runtime(name, runtime.major)),
            cuda_major: self.cuda,
        }
    }
}

/// Sets the value unless there is already a value.
fn set_if_empty<T>(slot: &mut Option<T>, value: Option<T>) {
    if slot.is_none() {
        *slot = value;
    }
}

impl ParsedName {
    fn read_fact(&mut self, value: EnvironmentFact<'_>, aliases: &[(&str, &str)]) {
        if self.name.is_none()
            && let EnvironmentFact::Text(text) = value
        {
            *self = parse_named(text, aliases);
        }
    }

    /// Merges this name with the name that was read from a key. The values of this name have priority, and `major` has
    /// priority over the version of a key.
    fn merge_with_named(self, by_name: Self, major: Option<u32>) -> Self {
        let of_same = by_name.name == self.name || self.name.is_none();
        let name = self.name.or(by_name.name);
        let major = name.as_ref().and_then(|_| major.or(self.major).or(by_name.major.filter(|_| of_same)));
        Self { name, major }
    }
}

/// Parses a name with its version: `python` and 3 for `Python 3.11`, `react` and 18 for `React@18.2.0`.
fn parse_named(text: &str, aliases: &[(&str, &str)]) -> ParsedName {
    let clean = sanitize_value(text);
    let mut name = clean.as_str();
    let mut version = None;
    // The name must not end in another version, because otherwise parsing the bucket would give another result.
    while find_canonical_name(name, aliases).is_none() {
        let start = version_start(name);
        if start == name.len() {
            break;
        }
        version = version.or(Some(&name[start..]));
        name = name[..start].trim_end_matches(['-', '@', '/', '_', '.', '^', '~']);
    }
    if UNKNOWN_VALUES.contains(&name) || name.len() > MAX_NAME_CHARS {
        return ParsedName::default();
    }
    let name =
        find_canonical_name(name, aliases).or_else(|| find_canonical_name(name, &RUNTIME_ALIASES)).unwrap_or(name);
    ParsedName { name: Some(name.to_owned()), major: version.and_then(|version| parse_major_version(version, name)) }
}

/// Returns the start of the version at the end of a name, or the length of the text if it has no version.
fn version_start(text: &str) -> usize {
    let tail = text.trim_end_matches(|mark: char| mark.is_ascii_digit() || matches!(mark, '.' | 'x' | '_')).len();
    let digits = &text[tail..];
    let skip = digits.find(|mark: char| mark.is_ascii_digit()).unwrap_or(digits.len());
    let start = tail + skip;
    // In `node-v20`, the `v` belongs to the version.
    if text[..start].ends_with("-v") && start < text.len() { start - 1 } else { start }
}

fn find_canonical_name<'a>(name: &str, aliases: &[(&str, &'a str)]) -> Option<&'a str> {
    aliases.iter().find(|(alias, _)| *alias == name).map(|(_, name)| *name)
}

fn read_os(value: EnvironmentFact<'_>) -> Option<String> {
    let EnvironmentFact::Text(text) = value else { return None };
    let clean = sanitize_value(text);
    if UNKNOWN_VALUES.contains(&clean.as_str()) {
        return None;
    }
    let known = OS_PREFIXES.iter().find(|(start, _)| clean.starts_with(start)).map(|(_, name)| (*name).to_owned());
    known.or_else(|| parse_named(text, &[]).name)
}

fn read_version(value: EnvironmentFact<'_>) -> Option<u32> {
    read_version_of(value, "")
}

fn read_version_of(value: EnvironmentFact<'_>, name: &str) -> Option<u32> {
    match value {
        EnvironmentFact::Text(text) => parse_major_version(text, name),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a small whole number"
        )]
        EnvironmentFact::Number(number) => {
            (0.0..=f64::from(MAX_MAJOR_VERSION)).contains(&number).then(|| number.trunc() as u32)
        }
    }
}

/// Returns the first number of a version or range. An upper bound alone (`<4`) has no major version.
fn parse_major_version(text: &str, name: &str) -> Option<u32> {
    let clause = text
        .split([',', ' ', '|'])
        .find(|clause| !clause.starts_with('<') && clause.contains(|mark: char| mark.is_ascii_digit()))?;
    let start = clause.find(|mark: char| mark.is_ascii_digit())?;
    let mut numbers =
        clause[start..].split(|mark: char| !mark.is_ascii_digit()).map(|digits| digits.parse::<u32>().ok());
    let first = numbers.next().flatten().filter(|major| *major <= MAX_MAJOR_VERSION)?;
    // Java before 9 has versions such as 1.8.
    let old_java = first == 1 && matches!(name, "java" | "jvm");
    if old_java {
        numbers.next().flatten().filter(|major| *major <= MAX_MAJOR_VERSION).or(Some(first))
    } else {
        Some(first)
    }
}

/// Converts to lower case, replaces unsafe characters with `-`, and cuts at `MAX_VALUE_BYTES`.
fn sanitize_value(text: &str) -> String {
    let mut clean = String::new();
    for mark in text.trim().chars().flat_map(char::to_lowercase) {
        let kept = mark.is_alphanumeric() || "_.+#/@^~".contains(mark);
        let mark = if kept { mark } else { '-' };
        if clean.len() + mark.len_utf8() > MAX_VALUE_BYTES {
            break;
        }
        if !(mark == '-' && clean.ends_with('-')) {
            clean.push(mark);
        }
    }
    clean.trim_matches('-').to_owned()
}

fn join_runtime(name: String, major: Option<u32>) -> String {
    match major {
        Some(major) => format!("{name}-{major}"),
        None => name,
    }
}

/// Splits a canonical runtime into name and major version.
pub(super) fn split_runtime(runtime: &str) -> (&str, Option<u32>) {
    let split = runtime.rsplit_once('-').and_then(|(name, major)| Some((name, major.parse().ok()?)));
    split.map_or((runtime, None), |(name, major)| (name, Some(major)))
}
