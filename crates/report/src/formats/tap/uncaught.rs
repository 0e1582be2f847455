//! Errors that Node printed when it exited, as comments of a TAP stream. Only these comments contain the reason why a
//! test file could not be loaded. The file's own point only has `test failed` or an exit code, and may come much later
//! if files run in parallel.

use crate::reading::bounded_text::BoundedText;

/// Maximum number of errors to keep. A run in which no file loads usually has a single reason.
const MAX_ERRORS: usize = 64;

/// Errors that are not assigned to a point yet.
#[derive(Default)]
pub(super) struct UncaughtErrors {
    /// Text since the location with which an error begins.
    open: Option<BoundedText>,
    errors: Vec<String>,
}

impl UncaughtErrors {
    /// Takes a comment without its mark: the location `/srv/shop/test/a.test.js:1`, the source, the error, and finally
    /// `Node.js v20.20.2`.
    pub(super) fn comment(&mut self, text: &str) {
        if text.starts_with("Node.js v") {
            let error = self.open.take().and_then(BoundedText::finish);
            self.errors.extend(error.filter(|_| self.errors.len() < MAX_ERRORS));
        } else if is_place(text) {
            self.open = Some(BoundedText::error());
        }
        if let Some(open) = &mut self.open {
            open.push_str(text);
            // The empty line after the source is not in the comments, so it is added.
            open.push_str(if text.trim_start().starts_with('^') { "\n\n" } else { "\n" });
        }
    }

    /// Takes the error that names the file. An error in a module that tests import names no test file; it is taken only
    /// if all such errors are equal.
    pub(super) fn take(&mut self, file: &str) -> Option<String> {
        let named = self.errors.iter().position(|error| error.contains(file));
        let at = named.or_else(|| self.find_only_module_error())?;
        Some(self.errors.remove(at))
    }

    fn find_only_module_error(&self) -> Option<usize> {
        let first = self.errors.iter().position(|error| !may_name_test(error))?;
        let is_same = |error: &String| may_name_test(error) || *error == self.errors[first];
        self.errors.iter().all(is_same).then_some(first)
    }
}

/// Returns true if an error may name a test file, such as `test/a.js` or `src/a.spec.ts`.
fn may_name_test(error: &str) -> bool {
    ["test", "Test", ".spec.", "spec/"].iter().any(|word| error.contains(word))
}

/// Returns true for a location such as `/srv/shop/a.js:12` or `node:internal/modules/cjs/loader:1210`.
fn is_place(text: &str) -> bool {
    let number = text.rsplit_once(':').map(|(_, number)| number);
    !text.contains(' ')
        && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
