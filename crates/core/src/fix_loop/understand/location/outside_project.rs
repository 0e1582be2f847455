//! Decides whether a file belongs to a runtime, a library or a test framework and not to the project. The folder of the
//! project is unknown here, but package managers and runtimes use distinctive names.

use crate::output::frame_owner::is_library_function;

/// Folders of package managers, at any depth.
const PACKAGE_FOLDERS: [&str; 18] = [
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
/// Parts of paths that only runtimes have.
const RUNTIME_PATH_PARTS: [&str; 11] = [
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
/// Starts of file names that are never in the project.
const OUTSIDE_NAME_STARTS: [&str; 13] = [
    // Go generates this file for the tests.
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

/// Returns `true` if a frame with this file and function is outside the project.
pub(super) fn is_outside_project(file: &str, function: &str) -> bool {
    let path = file.replace('\\', "/");
    let in_folder = path.split('/').any(|part| PACKAGE_FOLDERS.contains(&part));
    // Matches `C:\Python312\Lib\json\decoder.py`.
    let windows = || path.split('/').any(|part| part.starts_with("Python3")) && path.contains("/Lib/");
    path.is_empty()
        || in_folder
        || RUNTIME_PATH_PARTS.iter().any(|part| path.contains(part))
        || OUTSIDE_NAME_STARTS.iter().any(|start| path.starts_with(start))
        || windows()
        || is_library_function(function.as_bytes())
        || function.starts_with("github.com/stretchr/")
}
