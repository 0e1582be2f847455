//! Makes the name of a case the same in every run. The names of parametrized tests contain values, and runners print an
//! object without a text form with its address or hash.

use regex::{Captures, Regex};
use std::{borrow::Cow, sync::LazyLock};

/// Addresses (`<function f at 0x7f474e8fb5b0>`), Java's hash of an object (`Cart@1b2c3d4f`) and Python's id of a mock
/// (`<MagicMock id='140234866534416'>`).
static VOLATILE_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\b0x(?<address>[0-9a-fA-F]{6,16})\b|(?<owner>[\w$;]@)(?<hash>[0-9a-f]{5,8})(?<after>[^\w.@-]|$)|(?<mock>Mock (?:[^<>]* )?id=')\d+'";
    Regex::new(pattern).expect("a constant pattern")
});

/// Replaces addresses and hashes of objects, so that the name identifies the case in all runs. Use the result only for
/// signatures: names are stored, shown and looked up unchanged.
pub fn stabilize_case_name(name: &str) -> Cow<'_, str> {
    // Most names contain none of these values.
    if !name.contains("0x") && !name.contains('@') && !name.contains(" id='") {
        return Cow::Borrowed(name);
    }
    VOLATILE_VALUE.replace_all(name, |found: &Captures<'_>| {
        let part = |name| found.name(name).map_or("", |part| part.as_str());
        if found.name("address").is_some() {
            return "<HEX>".to_owned();
        }
        if found.name("mock").is_some() {
            return [part("mock"), "<ID>'"].concat();
        }
        // Excludes words such as `team@facade`.
        let is_hash = part("hash").contains(|letter: char| letter.is_ascii_digit());
        let hash = if is_hash { "<HASH>" } else { part("hash") };
        [part("owner"), hash, part("after")].concat()
    })
}

#[cfg(test)]
mod tests {
    use super::stabilize_case_name;

    #[test]
    fn addresses_and_hashes_are_replaced() {
        let rows = [
            ("test_x[<function f at 0x7f474e8fb5b0>]", "test_x[<function f at <HEX>>]"),
            ("test_x[<object object at 0x00000217F2A3C0E0>-1]", "test_x[<object object at <HEX>>-1]"),
            ("adds(Cart)[com.acme.Cart@1b2c3d4f, 3]", "adds(Cart)[com.acme.Cart@<HASH>, 3]"),
            ("adds [1] [I@4e50df2e", "adds [1] [I@<HASH>"),
            ("test_x[<MagicMock id='140234866534416'>]", "test_x[<MagicMock id='<ID>'>]"),
            ("test_x[<Mock name='cart' id='140234866534416'>]", "test_x[<Mock name='cart' id='<ID>'>]"),
            ("Cart #<Cart:0x000055d0c2a1f0e8> adds", "Cart #<Cart:<HEX>> adds"),
        ];
        for (name, stable) in rows {
            assert_eq!(stabilize_case_name(name), stable);
            assert_eq!(stabilize_case_name(stable), stable);
        }
    }

    #[test]
    fn names_with_values_stay() {
        for name in ["parses 0x1F", "sends to bob@facade.com", "rejects a@decade", "@deprecated 12345", "tag id='12'"] {
            assert_eq!(stabilize_case_name(name), name);
        }
    }
}
