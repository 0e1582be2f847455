//! Removes names of a machine and of a person from a text: home folders, project roots and host names.

use crate::contract::MachineNames;
use argus_core::stable_sort::StableSort;

/// Minimum length of a host name, because a shorter name could be an ordinary word.
const MIN_HOST_CHARS: usize = 4;

/// Host names that every machine has.
const COMMON_HOSTS: [&str; 2] = ["localhost", "local"];

/// Parent folders of home folders. Windows paths come first, because for example `:/Users/` ends like `/Users/`.
const HOME_PARENTS: [&str; 5] = [":\\Users\\", ":\\\\Users\\\\", ":/Users/", "/home/", "/Users/"];

/// The text that replaces a home folder.
const HOME_REPLACEMENT: &str = "~";
/// The text that replaces a host name.
const HOST_REPLACEMENT: &str = "(host)";

/// Returns the text without names of the machine. Paths in the project become relative to its root, and paths in the
/// home folder relative to `~`.
pub(super) fn remove_machine_names(text: &str, machine: &MachineNames) -> String {
    let mut text = text.to_owned();
    let mut roots: Vec<&String> = machine.roots.iter().filter(|root| root.len() > 1).collect();
    roots.stable_sort_by_key(|root| std::cmp::Reverse(root.len()));
    for root in roots {
        for spelled in list_spellings(root) {
            for separator in ["/", "\\\\", "\\"] {
                text = replace_whole_names(&text, &format!("{spelled}{separator}"), "", false);
            }
            text = replace_whole_names(&text, &spelled, ".", true);
        }
    }
    for home in machine.home.iter().filter(|home| home.len() > 1) {
        for spelled in list_spellings(home) {
            text = replace_whole_names(&text, &spelled, HOME_REPLACEMENT, true);
        }
    }
    for host in machine.hosts.iter().filter(|host| is_specific_host(host)) {
        text = replace_whole_names(&text, host, HOST_REPLACEMENT, true);
    }
    replace_home_folders(&text)
}

/// Returns `true` if a text contains a home folder.
pub(super) fn contains_home_folder(text: &str) -> bool {
    replace_home_folders(text) != text
}

fn is_specific_host(host: &str) -> bool {
    host.chars().count() >= MIN_HOST_CHARS && !COMMON_HOSTS.contains(&host.to_ascii_lowercase().as_str())
}

/// Returns the spellings of a folder in a text, in a URL and in a string literal.
fn list_spellings(folder: &str) -> Vec<String> {
    let mut all = vec![folder.replace('\\', "\\\\"), folder.to_owned(), folder.replace('\\', "/")];
    all.dedup();
    all
}

/// Replaces a name unless it is part of a longer name. If `must_end` is `false`, a longer name may
/// begin with `name`.
fn replace_whole_names(text: &str, name: &str, with: &str, must_end: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_whole = !before.chars().next_back().is_some_and(is_name_char)
            && (!must_end || !after.chars().next().is_some_and(is_name_char));
        out.push_str(before);
        out.push_str(if is_whole { with } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_name_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '-' | '_')
}

/// Replaces `/home/ann/project` by `~/project` for any user name.
fn replace_home_folders(text: &str) -> String {
    let mut text = text.to_owned();
    for homes in HOME_PARENTS {
        let mut from = 0;
        while let Some(found) = text[from..].find(homes) {
            let at = from + found;
            let name = at + homes.len();
            let length = text[name..].find(ends_name).unwrap_or(text.len() - name);
            // The separator starts with the colon of the drive.
            let drive = homes.starts_with(':') && text[..at].ends_with(|char: char| char.is_ascii_alphabetic());
            let start = at - usize::from(drive);
            let is_named = text[name..].starts_with(|char: char| char.is_alphanumeric() || matches!(char, '.' | '_'));
            let is_path = is_named && !text[..start].ends_with(|char: char| is_name_char(char) || char == '.');
            if is_path && (drive || !homes.starts_with(':')) {
                text.replace_range(start..name + length, HOME_REPLACEMENT);
                from = start + HOME_REPLACEMENT.len();
            } else {
                from = name;
            }
        }
    }
    text
}

fn ends_name(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, '/' | '\\' | '"' | '\'' | '`' | ')' | '(' | ':' | ',' | ';' | '<' | '>' | ']')
}

#[cfg(test)]
mod tests {
    use super::{contains_home_folder, remove_machine_names};
    use crate::contract::MachineNames;

    #[test]
    fn remove_machine_names_replaces_folders_and_hosts() {
        let machine = MachineNames {
            roots: vec!["/home/ann/shop".to_owned(), "/tmp/shop".to_owned()],
            home: Some("/home/ann".to_owned()),
            hosts: vec!["anns-laptop".to_owned(), "db".to_owned()],
        };
        for (text, wanted) in [
            ("at /home/ann/shop/src/stock.mjs:3:5", "at src/stock.mjs:3:5"),
            ("file:///home/ann/shop/src/stock.mjs:3", "file://src/stock.mjs:3"),
            ("/home/ann/.npm/_logs", "~/.npm/_logs"),
            ("in /home/ann/shop", "in ."),
            ("/home/ann/shopping/x", "~/shopping/x"),
            ("/tmp/shop/a and /tmp/shopper/a", "a and /tmp/shopper/a"),
            ("(/home/bob/other/x.js:1)", "(~/other/x.js:1)"),
            ("/Users/bob/x and C:\\Users\\bob\\x", "~/x and ~\\x"),
            ("\"C:\\\\Users\\\\bob\\\\x\"", "\"~\\\\x\""),
            ("file:///C:/Users/bob/x", "file:///~/x"),
            ("connect ECONNREFUSED anns-laptop:5432", "connect ECONNREFUSED (host):5432"),
            ("my-anns-laptop is another, db too", "my-anns-laptop is another, db too"),
            ("https://example.org/home/page", "https://example.org/home/page"),
            ("/home/", "/home/"),
        ] {
            assert_eq!(remove_machine_names(text, &machine), wanted, "{text}");
        }
        assert!(contains_home_folder("see /Users/ann/x"));
        assert!(!contains_home_folder("see ~/x and src/home/x"));
    }

    proptest::proptest! {
        #[test]
        fn remove_machine_names_leaves_no_home_folder(text in "[a-z/:\\\\ ]{0,40}", tail in "(/home/[a-z]{1,5}/|C:\\\\Users\\\\[a-z]{1,5}\\\\|/tmp/shop/)?[a-z/ ]{0,20}") {
            let machine = MachineNames {
                roots: vec!["/tmp/shop".to_owned()],
                home: Some("/home/me".to_owned()),
                hosts: vec!["anns-laptop".to_owned()],
            };
            let once = remove_machine_names(&format!("{text}{tail}"), &machine);
            proptest::prop_assert!(!contains_home_folder(&once), "{once}");
        }
    }
}
