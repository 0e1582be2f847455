//! Redacts a value if `judge` accepts it as a secret.

use super::{
    assignment::{NameSpan, Separator, ValueSpan},
    spans,
};
use crate::redact::{judge::accepts, scan::Scan};

/// Redacts the value if it is a secret, including the rest of a long value and further parts.
pub(in crate::redact) fn redact_value(
    scan: &mut Scan<'_>,
    name: NameSpan,
    separator: Separator,
    found: ValueSpan,
) -> bool {
    let found = spans::with_blanks(scan, name, separator, found);
    if !accepts(scan, name, separator, found) {
        return false;
    }
    let end = spans::whole_end(scan, found);
    scan.add_by_name(name.tier.kind(), found.start, end);
    spans::further_parts(scan, name.tier.kind(), found, end);
    true
}
