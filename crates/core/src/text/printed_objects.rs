//! Shortens objects that a program printed with their complete state, for example with Ruby's `inspect`. A reader needs
//! only the class of a long object, and the rest differs between runs.

use regex::Regex;
use std::{borrow::Cow, sync::LazyLock};

/// Maximum length of a state that is not shortened, because a short state may be the compared value.
const MAX_STATE_BYTES: usize = 200;

/// The start of a printed object, with its class and its address: `#<Rack::MockResponse:0x00007f64 @status=404,
/// @body=[...]>`.
static OBJECT_START: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"#<([A-Z][\w:]*?):0x[0-9a-f]+ ").expect("a constant pattern"));

/// Replaces each long object with `#<Rack::MockResponse …>`.
pub(crate) fn shorten_printed_objects(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for found in OBJECT_START.captures_iter(text) {
        let (whole, class) = (found.get(0).expect("the match"), &found[1]);
        let Some(end) = (whole.start() >= from).then(|| find_object_end(text, whole.start())).flatten() else {
            continue;
        };
        if end - whole.end() <= MAX_STATE_BYTES {
            continue;
        }
        out.push_str(&text[from..whole.start()]);
        out.push_str("#<");
        out.push_str(class);
        out.push_str(" …>");
        from = end;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Returns the position after the `>` of the object at `start`, ignoring nested objects, `=>` and strings.
fn find_object_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    let mut in_string = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'#' if bytes.get(at + 1) == Some(&b'<') => depth += 1,
            b'>' if bytes[at - 1] != b'=' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::shorten_printed_objects;
    use proptest::prelude::*;

    #[test]
    fn long_object_is_shortened_to_its_class() {
        let body = r#"<p title=\"a > b\">"#.repeat(20);
        let response = format!(
            r#"#<Rack::MockResponse:0x00007efe5d52f640 @headers={{"content-type"=>"text/html"}}, @writer=#<Method: Rack::Response#append(chunk) response.rb:359>, @body=["{body}"]>"#
        );
        let text = format!("Expected {response} to match /Not Found/, not {response}.\n");
        let wanted = "Expected #<Rack::MockResponse …> to match /Not Found/, not #<Rack::MockResponse …>.\n";
        assert_eq!(shorten_printed_objects(&text), wanted);
    }

    #[test]
    fn short_and_unclosed_objects_stay() {
        let open = format!("#<Shop::Cart:0x1f @items=\"{}", "x".repeat(400));
        for text in ["expected #<Point:0x01 @x=1, @y=2> to be #<Point:0x02 @x=1, @y=3>", "#<Proc:0x1>", "", &open] {
            assert_eq!(shorten_printed_objects(text), text);
        }
    }

    proptest! {
        #[test]
        fn result_is_never_longer(text in r#"(#<Aa:0x1f |#<|>|=>|"|\\|é|[a-z @]{0,120}){0,12}"#) {
            prop_assert!(shorten_printed_objects(&text).len() <= text.len());
        }
    }
}
