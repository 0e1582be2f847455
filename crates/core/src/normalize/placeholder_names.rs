//! Lists the names of placeholders, grouped by whether another value means another failure.

/// Placeholders for values that change in each run, such as a time or an ID, so they do not distinguish failures.
pub(crate) const VOLATILE_NAMES: [&str; 14] = [
    "DURATION",
    "HASH",
    "HEX",
    "HOME",
    "ID",
    "JWT",
    "LINE",
    "PERCENT",
    "PID",
    "SIZE",
    "TIMESTAMP",
    "TMP",
    "TRACE",
    "UUID",
];

/// Placeholders for values such as a port or a host. Another value may mean another failure, so answers name the values
/// that differ. Signatures do not depend on them.
const IDENTIFYING_NAMES: [&str; 12] =
    ["BOOL", "EMAIL", "HOST", "IP", "MAC", "NUM", "PORT", "QUERY", "STR", "URL", "USER", "VERSION"];

/// Checks for the name of a placeholder, without its angle brackets.
pub fn is_placeholder_name(name: &str) -> bool {
    VOLATILE_NAMES.contains(&name) || IDENTIFYING_NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{IDENTIFYING_NAMES, VOLATILE_NAMES, is_placeholder_name};

    #[test]
    fn lists_are_disjoint() {
        assert!(IDENTIFYING_NAMES.iter().all(|name| !VOLATILE_NAMES.contains(name)));
    }

    #[test]
    fn every_placeholder_of_the_vectors_is_listed() {
        for line in include_str!("../../../../tests/vectors/normalize.jsonl").lines() {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let (input, normalized) = (vector["input"].as_str().unwrap(), vector["normalized"].as_str().unwrap());
            let names = normalized.split('<').skip(1).filter_map(|part| Some(part.split_once('>')?.0));
            let is_name = |name: &&str| name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_uppercase());
            for name in names.filter(is_name) {
                assert!(is_placeholder_name(name) || input.contains(name), "{name} of {normalized}");
            }
        }
    }
}
