//! Which files are a runtime's, a library's or a test framework's, and not the project's.
//! The project's folder is not known here; package managers and runtimes have names of their own for theirs.

use crate::output::stack_frame::is_library;

/// Folders of package managers, wherever they lie.
const FOLDERS: [&str; 18] = [
    "node_modules",
    "bower_components",
    "site-packages",
    "dist-packages",
    ".cargo",
    ".rustup",
    ".nuget",
    ".m2",
    ".gradle",
    ".pnpm",
    ".yarn",
    "gems",
    "rubygems",
    "vendor",
    "hostedtoolcache",
    "rustc",
    "lua_modules",
    ".luarocks",
];
/// Parts of paths of runtimes.
const PARTS: [&str; 11] = [
    "/usr/lib/",
    "/usr/local/go/",
    "/pkg/mod/",
    "/libexec/src/",
    "/lib/python",
    "/lib/ruby",
    "/share/lua/",
    "/src/runtime/",
    "/src/testing/",
    "/opt/homebrew/",
    "/_/src/",
];
/// Beginnings of what is no path in the project.
const STARTS: [&str; 13] = [
    // What Go makes around the tests.
    "_testmain.go",
    "node:",
    "bun:",
    "deno:",
    "ext:",
    "webpack/",
    "internal/modules/",
    "internal/process/",
    "internal/main/",
    "<",
    "(eval",
    "native",
    "evalmachine",
];

/// Whether a frame of that file and function is not the project's own.
pub(super) fn is_foreign(file: &str, function: &str) -> bool {
    let path = file.replace('\\', "/");
    let in_folder = path.split('/').any(|part| FOLDERS.contains(&part));
    // `C:\Python312\Lib\json\decoder.py`.
    let windows = || path.split('/').any(|part| part.starts_with("Python3")) && path.contains("/Lib/");
    path.is_empty()
        || in_folder
        || PARTS.iter().any(|part| path.contains(part))
        || STARTS.iter().any(|start| path.starts_with(start))
        || windows()
        || is_library(function.as_bytes())
        || function.starts_with("github.com/stretchr/")
}
