//! Names of cases as they are stored, shown and looked up.

use crate::Engine;
use argus_core::display;

/// A case name is a key; longer ones are cut.
const MAX_NAME_BYTES: usize = 2 * 1024;

/// Between the parts of a qualified name.
pub(crate) const SEPARATOR: &str = " > ";

/// The one form of a case name, for storing and for looking up.
pub(crate) fn clean_name(engine: &Engine, name: &str) -> String {
    engine.analyzer.redact(&display::line(name, usize::MAX)).line(MAX_NAME_BYTES).into_string()
}
