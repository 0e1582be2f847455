//! The names of placeholders, by what it says when their values differ.

/// Another one at each run, such as a time or an id: it tells no two failures apart.
pub(crate) const VOLATILE: [&str; 14] = [
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

/// What a failure is about, such as a port or a host: with another one it is another failure.
const TELLING: [&str; 12] =
    ["BOOL", "EMAIL", "HOST", "IP", "MAC", "NUM", "PORT", "QUERY", "STR", "URL", "USER", "VERSION"];

/// Whether a word in angle brackets is a placeholder.
pub fn is_placeholder_name(name: &str) -> bool {
    VOLATILE.contains(&name) || TELLING.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{TELLING, VOLATILE, is_placeholder_name};

    #[test]
    fn a_name_is_in_one_list() {
        assert!(TELLING.iter().all(|name| !VOLATILE.contains(name)));
    }

    #[test]
    fn whatever_the_normalizer_writes_is_in_a_list() {
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
