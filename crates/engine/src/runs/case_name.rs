//! Names of cases as they are stored, shown and looked up.

use crate::Engine;
use argus_core::display;

/// Maximum length of a case name, because the name is a key in the database. Longer names are cut.
const MAX_NAME_BYTES: usize = 2 * 1024;

/// Separator between the parts of a qualified name.
pub(crate) const CASE_NAME_SEPARATOR: &str = " > ";

/// Cleans a case name. Storing and looking up use the same form, so that names match.
pub(crate) fn clean_name(engine: &Engine, name: &str) -> String {
    engine.analyzer.redact(&display::sanitize_line(name, usize::MAX)).to_single_line(MAX_NAME_BYTES).into_string()
}
