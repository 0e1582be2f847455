//! Checks whether a stack frame belongs to the project, to its tests, or to a library or runtime.

use super::stack_frame::StackFrame;
use crate::text::bytes::{PrefixList, literals::LiteralFinder};
use std::sync::LazyLock;

/// Parts of paths that belong to a runtime, a library or a test framework.
const LIBRARY_PATHS: [&str; 35] = [
    "node_modules",
    ".venv/",
    "/venv/",
    "node:",
    "<anonymous>",
    "site-packages",
    "dist-packages",
    "/lib/python",
    "<frozen",
    "<string>",
    "/rustc/",
    ".cargo/",
    "/gems/",
    "/rubygems",
    "/lib/ruby",
    "/usr/local/go/",
    "/go/pkg/mod/",
    "/pkg/mod/",
    "libexec/src",
    "/src/runtime/",
    "/src/testing/",
    "hostedtoolcache",
    "webpack/bootstrap",
    "webpack/runtime/",
    "bun:",
    "deno:",
    "ext:",
    "/usr/lib/",
    "/build/source/",
    "/opt/homebrew/",
    "(eval",
    ".nuget",
    "/_/src/",
    "/vendor/",
    "libraries/base/",
];
/// Parts of paths of tests. The name of a folder must match as a whole word, because `latest/` contains no tests. Only
/// the plural may be the end of a longer name, as in `unittests/`.
const TEST_PATHS: [&str; 32] = [
    ".test.",
    ".spec.",
    "_test.",
    "_tests.",
    "_spec.",
    "Test.",
    "Tests.",
    "TestCase.",
    "Spec.",
    "IT.java",
    "conftest",
    "__tests__",
    "/test_",
    "\\test_",
    "tests/",
    "tests\\",
    "Test/",
    "Test\\",
    "Tests/",
    "Tests\\",
    "/test/",
    "-test/",
    "_test/",
    "\\test\\",
    "/spec/",
    "-spec/",
    "_spec/",
    "\\spec\\",
    "/e2e/",
    "-e2e/",
    "_e2e/",
    "\\e2e\\",
];
/// Prefixes of paths that belong to a runtime, a library or a test.
static OUTSIDE_PREFIXES: PrefixList<7> =
    PrefixList::new(["internal/", "<internal:", "vendor/", "test_", "test/", "spec/", "e2e/"]);
static OUTSIDE_PATHS: LazyLock<LiteralFinder> =
    LazyLock::new(|| LiteralFinder::new(LIBRARY_PATHS.iter().chain(&TEST_PATHS), false));
/// Packages and crates of a platform, a library or a test framework.
static LIBRARY_PACKAGES: PrefixList<42> = PrefixList::new([
    "java.",
    "java/",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "junit.",
    "org.junit",
    "org.testng",
    "org.hamcrest",
    "org.assertj",
    "org.mockito",
    "org.springframework",
    "org.apache.",
    "org.gradle",
    "org.hibernate",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus",
    "io.netty",
    "com.google.",
    "reactor.",
    "net.bytebuddy",
    "okhttp3.",
    "com.fasterxml",
    "app//org.junit",
    "java.base/",
    "System.",
    "Microsoft.",
    "Xunit.",
    "NUnit.",
    "core::",
    "std::",
    "alloc::",
    "__rust",
    "runtime.",
    "testing.",
    "net/http.",
    "panic(",
]);

/// Test framework packages whose files are named like tests.
static TEST_FRAMEWORK_PACKAGES: PrefixList<4> =
    PrefixList::new(["junit.", "org.junit", "org.testng", "app//org.junit"]);
static LIBRARY_PATH_FINDER: LazyLock<LiteralFinder> = LazyLock::new(|| LiteralFinder::new(&LIBRARY_PATHS, false));
static TEST_PATH_FINDER: LazyLock<LiteralFinder> = LazyLock::new(|| LiteralFinder::new(&TEST_PATHS, false));

/// Checks whether the frame belongs to the code of the project and not to a test, because the line of a test does not
/// show the cause.
pub(crate) fn is_app_frame(frame: &StackFrame<'_>) -> bool {
    let file = frame.file;
    let foreign = file == b"native" || OUTSIDE_PREFIXES.matches_start(file) || OUTSIDE_PATHS.occur_in(file);
    !file.is_empty() && !foreign && !is_library_function(frame.function)
}

/// Checks whether the frame belongs to the project or its tests.
pub(super) fn is_project_frame(frame: &StackFrame<'_>) -> bool {
    let file = frame.file;
    let runtime = file == b"native" || file.starts_with(b"internal/") || LIBRARY_PATH_FINDER.occur_in(file);
    let library = || {
        is_library_function(frame.function) && !TEST_PATH_FINDER.occur_in(file)
            || TEST_FRAMEWORK_PACKAGES.matches_start(frame.function)
    };
    !file.is_empty() && !runtime && !library()
}

/// Checks by its package whether the function belongs to a platform, a library or a test framework.
pub(crate) fn is_library_function(function: &[u8]) -> bool {
    LIBRARY_PACKAGES.matches_start(function)
}

#[cfg(test)]
mod tests {
    use super::is_app_frame;
    use crate::output::stack_frame::StackFrame;

    fn is_in_project(file: &str) -> bool {
        is_app_frame(&StackFrame { file: file.as_bytes(), function: b"total", outer_first: false })
    }

    #[test]
    fn folders_with_similar_names_belong_to_the_project() {
        for file in [
            "/srv/shop/releases/latest/cart.js",
            "/srv/contest/cart.py",
            "/src/shop/internal/cart/cart.go",
            "/home/me/react-native-shop/src/cart.js",
            "/srv/shop/public/wasm_loader.js",
            "config/webpack/dev.js",
            "C:\\inspec\\cart.rb",
        ] {
            assert!(is_in_project(file), "{file}");
        }
    }

    #[test]
    fn runtimes_libraries_and_tests_are_foreign() {
        for file in [
            "node:internal/modules/cjs/loader",
            "internal/modules/cjs/loader.js",
            "native",
            "<internal:kernel>",
            "ext:core/01_core.js",
            "webpack:///webpack/bootstrap",
            "/srv/shop/vendor/autoload.php",
            "test/cart.js",
            "./test/cart.js",
            "/srv/shop/my-test/cart.js",
            "/srv/shop/unit_tests/cart.py",
            "src/integrationTest/cart.kt",
            "Shop.Tests/Cart.cs",
            "C:\\shop\\tests\\cart.py",
            "C:\\shop\\spec\\cart.rb",
            "",
        ] {
            assert!(!is_in_project(file), "{file}");
        }
    }
}
