//! Limits that hosts tell their callers of, or check before they make a call. `cargo xtask types` writes them into
//! `npm/engine/src/generated/contract.ts`.

macro_rules! limits {
    ($(#[doc = $docs:literal] $name:ident = $value:expr;)+) => {
        $(#[doc = $docs] pub const $name: u32 = $value;)+

        /// Each: its name, what it bounds, and how much.
        #[cfg(feature = "types")]
        pub const ALL: &[(&str, &str, u32)] = &[$((stringify!($name), $docs, $name)),+];
    };
}

limits! {
    /// Bytes of a report that are read.
    MAX_REPORT_BYTES = 256 * 1024 * 1024;
    /// Failures of a run that are analyzed, because each costs a millisecond; of others the name and outcome are kept.
    MAX_ANALYZED_FAILURES = 5_000;
    /// Files that a commit touched, of those that are looked at: one that touched more says little of each of them.
    MAX_COMMIT_FILES = 64;
    /// Commits of a history that are looked through for fixes.
    MAX_LEARNED_COMMITS = 10_000;
    /// Commits of which it is kept what they mended; the newest.
    MAX_FIX_COMMITS = 5_000;
    /// Runs in an answer of `history`.
    MAX_RUNS = 100;
    /// The same, where the caller does not say.
    DEFAULT_RUNS = 20;
    /// Patterns in an answer of `patterns`, and as many where the caller does not say.
    MAX_PATTERNS = 200;
    /// Solutions in an answer of `rankedSolutions`.
    MAX_SOLUTIONS = 50;
    /// The same, where the caller does not say.
    DEFAULT_SOLUTIONS = 5;
    /// Ids in an answer of `completeIds`.
    MAX_COMPLETIONS = 100;
    /// Bytes of a file that a repository shares.
    MAX_SHARED_FILE_BYTES = 64 * 1024;
    /// Such files that are taken in.
    MAX_SHARED_FILES = 2_000;
    /// Bytes of all such files that are taken in.
    MAX_SHARED_BYTES = 8 * 1024 * 1024;
}
