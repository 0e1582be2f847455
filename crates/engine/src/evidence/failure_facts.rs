//! What a failed case is to the rules.

use crate::runs::case_name::SEPARATOR;
use argus_core::{
    Analysis, Category,
    evidence::facts::{Failure, fingerprint},
};

/// From what is concluded of its text; `site` is [`crate::runs::cause::FailureSight::site`].
pub(crate) fn failure_facts(name: &str, category: Category, analysis: &Analysis, site: u64) -> Failure {
    Failure {
        case: fingerprint(name),
        file: file_number(name),
        category,
        signature: fingerprint(&analysis.signatures.family),
        function: analysis.normalized.frame.as_deref().map(fingerprint),
        site,
    }
}

/// Of the file that a case lies in.
pub(super) fn file_number(name: &str) -> u32 {
    let file = name.split_once(SEPARATOR).map_or(name, |(file, _)| file);
    // Only told apart from others: half of the hash is enough.
    u32::try_from(fingerprint(file) >> 32).expect("32 bits")
}
