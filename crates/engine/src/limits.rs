//! Limits that hosts show to their callers, or check before a call. `cargo xtask types` writes them into
//! `npm/engine/src/generated/contract.ts`.

macro_rules! limits {
    ($(#[doc = $docs:literal] $name:ident = $value:expr;)+) => {
        $(#[doc = $docs] pub const $name: u32 = $value;)+

        /// Name, description and value of each limit.
        #[cfg(feature = "types")]
        pub const ALL: &[(&str, &str, u32)] = &[$((stringify!($name), $docs, $name)),+];
    };
}

limits! {
    /// Maximum size of a report in bytes.
    MAX_REPORT_BYTES = 256 * 1024 * 1024;
    /// Maximum number of analyzed failures of a run. Each takes a millisecond. Others keep name and outcome only.
    MAX_ANALYZED_FAILURES = 5_000;
    /// Maximum number of files of a commit. A larger commit has unknown files, because each file is weak evidence.
    MAX_COMMIT_FILES = 64;
    /// Maximum number of commits of a history that are searched for fixes.
    MAX_LEARNED_COMMITS = 10_000;
    /// Maximum number of stored commits that look like fixes. The newest are kept.
    MAX_FIX_COMMITS = 5_000;
    /// Maximum number of runs in an answer of `history`.
    MAX_RUNS = 100;
    /// Default number of runs in an answer of `history`.
    DEFAULT_RUNS = 20;
    /// Maximum and default number of patterns in an answer of `patterns`.
    MAX_PATTERNS = 200;
    /// Maximum number of solutions in an answer of `rankedSolutions`.
    MAX_SOLUTIONS = 50;
    /// Default number of solutions in an answer of `rankedSolutions`.
    DEFAULT_SOLUTIONS = 5;
    /// Maximum number of ids in an answer of `completeIds`.
    MAX_COMPLETIONS = 100;
    /// Maximum size in bytes of a file that a repository shares.
    MAX_SHARED_FILE_BYTES = 64 * 1024;
    /// Maximum number of shared files in an import.
    MAX_SHARED_FILES = 2_000;
    /// Maximum size in bytes of all shared files in an import.
    MAX_SHARED_BYTES = 8 * 1024 * 1024;
}
