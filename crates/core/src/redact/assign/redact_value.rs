//! Redacts a value if `judge` accepts it as a secret.

use super::{
    assignment::{NameSpan, Separator, ValueSpan},
    spans,
};
use crate::redact::{judge::is_secret_value, scan::Scan};

/// Redacts the value if it is a secret, including the rest of a long value and further parts.
pub(in crate::redact) fn redact_value(
    scan: &mut Scan<'_>,
    name: NameSpan,
    separator: Separator,
    found: ValueSpan,
) -> bool {
    let found = spans::extend_over_blanks(scan, name, separator, found);
    if !is_secret_value(scan, name, separator, found) {
        return false;
    }
    let end = spans::end_of_long_value(scan, found);
    scan.add_by_name(name.tier.kind(), found.start, end);
    spans::redact_further_literals(scan, name.tier.kind(), found, end);
    true
}
