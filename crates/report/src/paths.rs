//! Normalizes the source paths of reports.

use argus_core::file_url::path_of_file_url;
use std::borrow::Cow;

/// Returns `path` with `/` as separator, and relative to `root` if it is inside. Returns `None` for a blank path.
pub fn relative_path(path: &str, root: &str) -> Option<String> {
    let path = normalize_slashes(path.trim());
    if path.is_empty() {
        return None;
    }
    let root = normalize_slashes(root.trim());
    let root = root.trim_end_matches('/');
    let inside = [root, strip_private_prefix(root)]
        .into_iter()
        .filter(|root| !root.is_empty())
        .find_map(|root| strip_root(&path, root).or_else(|| strip_root(strip_private_prefix(&path), root)));
    let relative = inside.unwrap_or(&path);
    let relative = relative.trim_start_matches("./");
    (!relative.is_empty()).then(|| relative.to_owned())
}

/// Returns true if a name is the path of a source file, not a class or a suite.
pub fn looks_like_file(name: &str) -> bool {
    const EXTENSIONS: [&str; 34] = [
        "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "rb", "php", "java", "kt", "kts",
        "scala", "groovy", "go", "rs", "cs", "fs", "swift", "dart", "ex", "exs", "c", "cc", "cpp", "feature", "robot",
        "bats", "t", "lua",
    ];
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    if stem.is_empty() || !EXTENSIONS.contains(&extension) {
        return false;
    }
    // `com.acme.go` is a package. Without a slash, only names such as `a.test.js` are files.
    let kind = stem.rsplit_once('.').map(|(_, kind)| kind);
    name.contains(['/', '\\']) || matches!(kind, None | Some("test" | "spec"))
}

/// Converts `file:` URLs to paths, and backslashes to slashes if they are separators.
fn normalize_slashes(path: &str) -> String {
    let path = path_of_file_url(path).unwrap_or(Cow::Borrowed(path)).into_owned();
    let windows = has_drive_letter(&path) || path.starts_with("\\\\") || (path.contains('\\') && !path.contains('/'));
    let path = if windows { path.replace('\\', "/") } else { path };
    match path.strip_prefix('/') {
        Some(rest) if has_drive_letter(rest) => rest.to_owned(),
        _ => path,
    }
}

fn has_drive_letter(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// macOS has two names for its temporary folders, with and without `/private`.
fn strip_private_prefix(path: &str) -> &str {
    path.strip_prefix("/private").filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

/// Compares paths with a drive letter without regard to case, as Windows does.
fn strip_root<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let head = path.get(..root.len())?;
    let same = if has_drive_letter(path) { head.eq_ignore_ascii_case(root) } else { head == root };
    path[root.len()..].strip_prefix('/').filter(|_| same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_paths() {
        let rows = [
            ("/project/src/a.test.ts", "/project", "src/a.test.ts"),
            ("/project/src/a.test.ts", "/project/", "src/a.test.ts"),
            ("src/a.test.ts", "/project", "src/a.test.ts"),
            ("./spec/cart_spec.rb", "/project", "spec/cart_spec.rb"),
            ("file:///project/a%20b.mjs", "/project", "a b.mjs"),
            ("file:///C:/project/a.mjs", "c:\\project", "a.mjs"),
            ("C:\\Project\\src\\a.test.ts", "c:\\project", "src/a.test.ts"),
            ("src\\a.test.ts", "C:\\project", "src/a.test.ts"),
            ("/private/var/tmp/p/a.js", "/var/tmp/p", "a.js"),
            ("/var/tmp/p/a.js", "/private/var/tmp/p", "a.js"),
            ("/projects/a.js", "/project", "/projects/a.js"),
            ("/elsewhere/a.js", "/project", "/elsewhere/a.js"),
            ("日本/a.js", "/projekt-ü", "日本/a.js"),
        ];
        for (path, root, wanted) in rows {
            assert_eq!(relative_path(path, root).as_deref(), Some(wanted), "{path} in {root}");
        }
        assert_eq!(relative_path("  ", "/project"), None);
    }

    #[test]
    fn distinguishes_files_from_classes() {
        for file in
            ["src/a.test.ts", "a.test.js", "a.spec.ts", "test_a.py", "com/acme/CartTest.java", "spec/sum_spec.lua"]
        {
            assert!(looks_like_file(file), "{file}");
        }
        for class in ["com.acme.go", "com.acme.CartTest", "tests.test_cart", "cart", "App\\CartTest", "v1.2"] {
            assert!(!looks_like_file(class), "{class}");
        }
    }
}
