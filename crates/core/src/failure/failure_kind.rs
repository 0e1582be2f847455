//! A finer classification of failures than the category, from a closed list. A kind never contradicts the category,
//! which belongs to the public contract.

mod rules;

use crate::{failure::category::Category, summary::Summary};
use regex::bytes::{RegexSet, RegexSetBuilder};
use rules::RULES;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal,)*) => {
        /// Kind of failure, finer than its category.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum FailureKind {
            $($(#[$meta])* $kind,)*
        }

        impl FailureKind {
            /// Every kind, in the order of the list.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name in lower case with dashes.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// A compared value differs from the expected value.
    Assertion = "assertion",
    /// A value differs from the stored snapshot.
    Snapshot = "snapshot",
    /// Test coverage is below the threshold.
    CoverageThreshold = "coverage-threshold",
    /// A mock was called in an unexpected way, or not at all.
    MockMismatch = "mock-mismatch",
    /// The setup of a test is missing or failed, such as an unknown fixture or a hook.
    TestSetup = "test-setup",
    /// The runner found no tests.
    NoTests = "no-tests",
    /// A server answered with 4xx or 5xx.
    HttpError = "http-error",
    /// A time limit was exceeded.
    Timeout = "timeout",
    /// Nothing listens on the address.
    ConnectionRefused = "connection-refused",
    /// A connection was lost, or could not be made for another reason.
    NetworkError = "network-error",
    /// A host name cannot be resolved.
    Dns = "dns",
    /// A certificate or a TLS handshake failed.
    Tls = "tls",
    /// Another process listens on the address.
    AddressInUse = "address-in-use",
    /// A container was killed because of memory.
    ContainerOom = "container-oom",
    /// A container exited or could not start.
    ContainerCrash = "container-crash",
    /// A setting is missing or wrong.
    ConfigError = "config-error",
    /// A required environment variable is not set.
    MissingVariable = "missing-variable",
    /// An imported file of the project does not exist.
    ModuleNotFound = "module-not-found",
    /// An imported name is not exported by its module.
    MissingExport = "missing-export",
    /// A package is not installed, or cannot be installed.
    MissingDependency = "missing-dependency",
    /// A program is not installed.
    CommandNotFound = "command-not-found",
    /// A script, task or target is not defined.
    MissingScript = "missing-script",
    /// A file or folder does not exist.
    MissingFile = "missing-file",
    /// A runtime, tool or library has the wrong version.
    VersionMismatch = "version-mismatch",
    /// The source violates the grammar of the language.
    SyntaxError = "syntax-error",
    /// A compiler rejected the code.
    CompileError = "compile-error",
    /// A value has the wrong type, reported by a type checker or at run time.
    TypeError = "type-error",
    /// The code violates a rule of a linter.
    Lint = "lint",
    /// The code is not formatted correctly.
    Format = "format",
    /// A null, nil, None or undefined was used as an object.
    NullDereference = "null-dereference",
    /// A name, method or attribute is not defined.
    UndefinedName = "undefined-name",
    /// A map does not contain a key.
    MissingKey = "missing-key",
    /// An index is out of range, or a collection is empty.
    OutOfRange = "out-of-range",
    /// An arithmetic error, such as a division by zero or an overflow.
    Arithmetic = "arithmetic",
    /// A function rejected an argument.
    InvalidArgument = "invalid-argument",
    /// A text has the wrong format, such as JSON, XML, a date or an encoding.
    Parse = "parse",
    /// A recursion is too deep.
    StackOverflow = "stack-overflow",
    /// The heap of a process is full.
    OutOfMemoryHeap = "out-of-memory-heap",
    /// A process accessed invalid memory.
    SegmentationFault = "segmentation-fault",
    /// A signal from outside of the program ended a process, for example because memory was short.
    Killed = "killed",
    /// A panic in Rust or Go, or an abort.
    Panic = "panic",
    /// Threads or processes interfere with each other.
    Concurrency = "concurrency",
    /// Access to a file, folder or port is denied.
    Permission = "permission",
    /// The login is missing or wrong.
    Authentication = "authentication",
    /// A disk has no space or quota left.
    DiskFull = "disk-full",
    /// A limit of the system for files, processes or memory is reached.
    ResourceLimit = "resource-limit",
    /// A database constraint rejected a row.
    DatabaseConstraint = "database-constraint",
    /// A table or column does not exist, for example because a migration is missing.
    DatabaseSchema = "database-schema",
    /// Another transaction holds a required lock.
    DatabaseLock = "database-lock",
    /// A database rejected a query.
    DatabaseQuery = "database-query",
    /// An element of a page is missing or cannot be used.
    ElementNotFound = "element-not-found",
    /// A merge is unfinished, or the work tree has another problem.
    VersionControl = "version-control",
    /// An error of a program that fits no other kind.
    Exception = "exception",
    /// The kind cannot be determined.
    Unknown = "unknown",
}

impl FailureKind {
    /// Returns `true` if the same files always fail in the same way because the test does not start, so that another
    /// run shows nothing new.
    pub const fn is_deterministic(self) -> bool {
        matches!(
            self,
            Self::ModuleNotFound
                | Self::MissingExport
                | Self::MissingDependency
                | Self::CommandNotFound
                | Self::MissingScript
                | Self::SyntaxError
                | Self::CompileError
                | Self::Lint
                | Self::Format
        )
    }

    /// Returns `true` for kinds whose cause is usually the machine and not the code: something is missing, full, busy,
    /// or unreachable.
    pub const fn is_machine_problem(self) -> bool {
        matches!(
            self,
            Self::ConnectionRefused
                | Self::Dns
                | Self::Tls
                | Self::AddressInUse
                | Self::ContainerOom
                | Self::ContainerCrash
                | Self::Killed
                | Self::CommandNotFound
                | Self::VersionMismatch
                | Self::MissingDependency
                | Self::Permission
                | Self::DiskFull
                | Self::ResourceLimit
        )
    }

    /// Returns `true` for kinds that occur on every machine, because a compiler or another tool rejects the code.
    pub const fn is_code_problem(self) -> bool {
        matches!(
            self,
            Self::Assertion
                | Self::Snapshot
                | Self::MockMismatch
                | Self::ModuleNotFound
                | Self::MissingExport
                | Self::MissingScript
                | Self::SyntaxError
                | Self::CompileError
                | Self::TypeError
                | Self::Lint
                | Self::Format
                | Self::NullDereference
                | Self::UndefinedName
                | Self::MissingKey
                | Self::OutOfRange
                | Self::Arithmetic
                | Self::InvalidArgument
                | Self::StackOverflow
        )
    }
}

/// Returns the kind of a failure with this category. `text` is the whole redacted text, and `exit_code` is that of the
/// failed process.
pub fn failure_kind(category: Category, text: &str, summary: &Summary, exit_code: Option<i32>) -> FailureKind {
    match find_kind(category, summary, exit_code) {
        FailureKind::MissingFile if is_raised_by_python_subprocess(text) => FailureKind::CommandNotFound,
        kind => kind,
    }
}

/// Checks for a program that Python's `subprocess` does not find. Python reports a missing file, so only the traceback
/// shows that a program is missing.
fn is_raised_by_python_subprocess(text: &str) -> bool {
    text.contains("subprocess.py") && (text.contains("in _execute_child") || text.contains("child_exception_type("))
}

fn find_kind(category: Category, summary: &Summary, exit_code: Option<i32>) -> FailureKind {
    let text = summary.lines().join("\n");
    // The rules are ordered by priority, so the first matching rule wins.
    let found = CATEGORY_MATCHERS
        .iter()
        .find(|matcher| matcher.category == category)
        .and_then(|matcher| matcher.find_first_kind(&text));
    found.unwrap_or_else(|| fallback_kind(category, &text, exit_code))
}

/// Maximum size of the lazily built automata. All rules together need about this size. With a lower limit, the automata
/// would be rebuilt again and again.
const MAX_AUTOMATON_BYTES: usize = 8 << 20;

/// The rules whose kinds refine a category.
struct KindMatcher {
    category: Category,
    kinds: Vec<FailureKind>,
    set: LazyLock<RegexSet, Box<dyn FnOnce() -> RegexSet + Send>>,
}

static CATEGORY_MATCHERS: LazyLock<Vec<KindMatcher>> =
    LazyLock::new(|| Category::ALL.into_iter().map(KindMatcher::new).collect());

impl KindMatcher {
    fn new(category: Category) -> Self {
        let rules = move || RULES.iter().filter(move |rule| is_possible_in(rule.kind, category));
        let compile = move || {
            // ASCII classes are enough for names of tools and errors, and keep the automata small.
            RegexSetBuilder::new(rules().map(|rule| rule.pattern))
                .unicode(false)
                .dfa_size_limit(MAX_AUTOMATON_BYTES)
                .build()
                .expect("constant patterns")
        };
        Self { category, kinds: rules().map(|rule| rule.kind).collect(), set: LazyLock::new(Box::new(compile)) }
    }

    fn find_first_kind(&self, text: &str) -> Option<FailureKind> {
        let at = if self.kinds.is_empty() { None } else { self.set.matches(text.as_bytes()).iter().next() };
        at.and_then(|at| self.kinds.get(at).copied())
    }
}

/// Checks whether a kind is possible for the category. Only a few kinds are possible for an assertion or an HTTP error,
/// because a compared value or a response may contain any text.
fn is_possible_in(kind: FailureKind, category: Category) -> bool {
    use FailureKind as K;
    match category {
        Category::Unknown => true,
        Category::ConfigError => !matches!(kind, K::Exception),
        Category::AssertionMismatch => {
            matches!(kind, K::Assertion | K::Snapshot | K::CoverageThreshold | K::ElementNotFound)
        }
        Category::NetworkError => matches!(kind, K::Dns | K::Tls | K::AddressInUse),
        Category::HttpError => matches!(kind, K::Authentication | K::MissingDependency),
        Category::ContainerCrash => matches!(kind, K::AddressInUse | K::CommandNotFound | K::DiskFull),
        Category::Timeout => matches!(kind, K::Assertion | K::ElementNotFound | K::DatabaseLock),
        Category::ConnectionRefused | Category::ContainerOom | Category::MockMismatch => false,
    }
}

fn fallback_kind(category: Category, text: &str, exit_code: Option<i32>) -> FailureKind {
    match category {
        Category::AssertionMismatch => FailureKind::Assertion,
        Category::HttpError => FailureKind::HttpError,
        Category::Timeout => FailureKind::Timeout,
        Category::ConnectionRefused => FailureKind::ConnectionRefused,
        Category::ContainerOom => FailureKind::ContainerOom,
        Category::ContainerCrash => FailureKind::ContainerCrash,
        Category::MockMismatch => FailureKind::MockMismatch,
        Category::ConfigError => FailureKind::ConfigError,
        Category::NetworkError => FailureKind::NetworkError,
        Category::Unknown => match exit_code {
            // Exit codes of shells for a program that does not exist, and for a program that cannot be executed.
            Some(127) => FailureKind::CommandNotFound,
            Some(126) => FailureKind::Permission,
            // 128 and the number of the signal: SIGKILL, SIGSEGV, SIGTERM.
            Some(137 | 143) => FailureKind::Killed,
            Some(139) => FailureKind::SegmentationFault,
            _ if rules::starts_with_error_name(text) => FailureKind::Exception,
            _ => FailureKind::Unknown,
        },
    }
}

#[cfg(test)]
mod tests;
