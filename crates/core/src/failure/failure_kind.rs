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
        /// What a failure is, finer than its category.
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
    /// A compared value is not the expected one.
    Assertion = "assertion",
    /// A value differs from the one that was written down by an earlier run.
    Snapshot = "snapshot",
    /// Too little of the code was reached by tests.
    CoverageThreshold = "coverage-threshold",
    /// A mock was called otherwise than it was told, or not at all.
    MockMismatch = "mock-mismatch",
    /// A test's own preparation is missing or failed: an unknown fixture, a hook.
    TestSetup = "test-setup",
    /// The runner found no tests.
    NoTests = "no-tests",
    /// A server answered with 4xx or 5xx.
    HttpError = "http-error",
    /// A time limit was exceeded.
    Timeout = "timeout",
    /// Nobody listens on the address.
    ConnectionRefused = "connection-refused",
    /// A connection was lost, or could not be made for another reason.
    NetworkError = "network-error",
    /// A host name that cannot be resolved.
    Dns = "dns",
    /// A certificate or a handshake.
    Tls = "tls",
    /// Another process listens on the address.
    AddressInUse = "address-in-use",
    /// A container was killed for memory.
    ContainerOom = "container-oom",
    /// A container exited or could not start.
    ContainerCrash = "container-crash",
    /// A setting is missing or wrong.
    ConfigError = "config-error",
    /// An environment variable that must be set.
    MissingVariable = "missing-variable",
    /// A file of the project that is imported is not there.
    ModuleNotFound = "module-not-found",
    /// A name that is imported is none of those that its module exports.
    MissingExport = "missing-export",
    /// A package that is not installed, or cannot be.
    MissingDependency = "missing-dependency",
    /// A program that is not installed.
    CommandNotFound = "command-not-found",
    /// A script, task or target that is not defined.
    MissingScript = "missing-script",
    /// A file or folder that is not there.
    MissingFile = "missing-file",
    /// A runtime, tool or library of another version than is needed.
    VersionMismatch = "version-mismatch",
    /// The source is not in the language's grammar.
    SyntaxError = "syntax-error",
    /// A compiler refused the code.
    CompileError = "compile-error",
    /// A value of another type than is needed, said by a type checker or at run time.
    TypeError = "type-error",
    /// A linter's rule.
    Lint = "lint",
    /// The code is not formatted as it should be.
    Format = "format",
    /// A null, nil, None or undefined was used as an object.
    NullDereference = "null-dereference",
    /// A name, method or attribute that is not defined.
    UndefinedName = "undefined-name",
    /// A key that a map does not have.
    MissingKey = "missing-key",
    /// An index outside of what there is, or an element of what is empty.
    OutOfRange = "out-of-range",
    /// A number that cannot be computed: a division by zero, an overflow.
    Arithmetic = "arithmetic",
    /// A value that a function does not take.
    InvalidArgument = "invalid-argument",
    /// A text that is not in the form it should be: JSON, XML, a date, an encoding.
    Parse = "parse",
    /// Too deep a recursion.
    StackOverflow = "stack-overflow",
    /// The heap of a process is full.
    OutOfMemoryHeap = "out-of-memory-heap",
    /// A process touched memory that is not its own.
    SegmentationFault = "segmentation-fault",
    /// A panic of Rust or Go, or an abort.
    Panic = "panic",
    /// Two threads or processes in each other's way.
    Concurrency = "concurrency",
    /// A file, folder or port that may not be used.
    Permission = "permission",
    /// No login, or not the right one.
    Authentication = "authentication",
    /// No space, or no quota, on a disk.
    DiskFull = "disk-full",
    /// More files, processes or memory than a system allows.
    ResourceLimit = "resource-limit",
    /// A row that a constraint of a database refuses.
    DatabaseConstraint = "database-constraint",
    /// A table or column that is not there: a migration is missing.
    DatabaseSchema = "database-schema",
    /// Another transaction holds what is needed.
    DatabaseLock = "database-lock",
    /// A query that the database does not take.
    DatabaseQuery = "database-query",
    /// An element of a page that is not there or cannot be used.
    ElementNotFound = "element-not-found",
    /// A merge that was not finished, or other trouble of a work tree.
    VersionControl = "version-control",
    /// An error of a program that none of the others names.
    Exception = "exception",
    /// Nothing says what it is.
    Unknown = "unknown",
}

impl FailureKind {
    /// Returns `true` if the same files always fail in the same way, so that another run shows nothing new because the
    /// test does not start.
    pub const fn is_same_each_time(self) -> bool {
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

    /// Returns `true` for kinds whose cause is usually the machine and not the code: a required thing is missing, full,
    /// busy, or unreachable.
    pub const fn is_of_machine(self) -> bool {
        matches!(
            self,
            Self::ConnectionRefused
                | Self::Dns
                | Self::Tls
                | Self::AddressInUse
                | Self::ContainerOom
                | Self::ContainerCrash
                | Self::CommandNotFound
                | Self::VersionMismatch
                | Self::MissingDependency
                | Self::Permission
                | Self::DiskFull
                | Self::ResourceLimit
        )
    }

    /// Returns `true` for kinds that are the same on every machine: the language or a tool that reads the code reports
    /// wrong code.
    pub const fn is_of_code(self) -> bool {
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

/// Returns the kind of a failure of this category. `text` is the whole redacted text, and `exit_code` is the exit code
/// of its process.
pub fn failure_kind(category: Category, text: &str, summary: &Summary, exit_code: Option<i32>) -> FailureKind {
    match kind_of_summary(category, summary, exit_code) {
        FailureKind::MissingFile if is_raised_by_subprocess(text) => FailureKind::CommandNotFound,
        kind => kind,
    }
}

/// Checks for a program that Python does not find. Python reports it as a missing file, so only the traceback
/// distinguishes them.
fn is_raised_by_subprocess(text: &str) -> bool {
    text.contains("subprocess.py") && (text.contains("in _execute_child") || text.contains("child_exception_type("))
}

fn kind_of_summary(category: Category, summary: &Summary, exit_code: Option<i32>) -> FailureKind {
    let text = summary.lines().join("\n");
    // The first matching rule wins, because the rules are ordered by weight.
    let found =
        MATCHERS.iter().find(|matcher| matcher.category == category).and_then(|matcher| matcher.first_kind(&text));
    found.unwrap_or_else(|| fallback(category, &text, exit_code))
}

/// Limit of the lazily built automata in bytes. All rules together need about this size; with less, the automata would
/// be rebuilt again and again.
const MAX_AUTOMATON_BYTES: usize = 8 << 20;

/// The rules whose kinds refine one category.
struct KindMatcher {
    category: Category,
    kinds: Vec<FailureKind>,
    set: LazyLock<RegexSet, Box<dyn FnOnce() -> RegexSet + Send>>,
}

static MATCHERS: LazyLock<Vec<KindMatcher>> =
    LazyLock::new(|| Category::ALL.into_iter().map(KindMatcher::new).collect());

impl KindMatcher {
    fn new(category: Category) -> Self {
        let rules = move || RULES.iter().filter(move |rule| refines(rule.kind, category));
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

    fn first_kind(&self, text: &str) -> Option<FailureKind> {
        let at = if self.kinds.is_empty() { None } else { self.set.matches(text.as_bytes()).iter().next() };
        at.and_then(|at| self.kinds.get(at).copied())
    }
}

/// Checks whether a kind refines the category. Only a few kinds refine an assertion or an HTTP error, because a
/// compared value or an answer may contain any text.
fn refines(kind: FailureKind, category: Category) -> bool {
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

fn fallback(category: Category, text: &str, exit_code: Option<i32>) -> FailureKind {
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
            Some(139) => FailureKind::SegmentationFault,
            _ if rules::names_error(text) => FailureKind::Exception,
            _ => FailureKind::Unknown,
        },
    }
}

#[cfg(test)]
mod tests;
