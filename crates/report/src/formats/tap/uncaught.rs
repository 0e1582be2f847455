//! Errors that Node printed on its way out, as comments of a TAP stream: the only place that says why a file of tests could
//! not be loaded. Its own point says `test failed`, or with which code it exited, and may stand far below where files run
//! side by side.

use crate::reading::bounded_text::Bounded;

/// Errors that are remembered; a run in which no file loads has one reason.
const MAX_ERRORS: usize = 64;

/// The errors that have no point yet.
#[derive(Default)]
pub(super) struct Uncaught {
    /// What is printed since the place that an error begins with.
    open: Option<Bounded>,
    errors: Vec<String>,
}

impl Uncaught {
    /// A comment without its mark: `/srv/shop/test/a.test.js:1`, the source, the error, and at last `Node.js v20.20.2`.
    pub(super) fn comment(&mut self, text: &str) {
        if text.starts_with("Node.js v") {
            let error = self.open.take().and_then(Bounded::finish);
            self.errors.extend(error.filter(|_| self.errors.len() < MAX_ERRORS));
        } else if is_place(text) {
            self.open = Some(Bounded::error());
        }
        if let Some(open) = &mut self.open {
            open.push_str(text);
            // The empty line that ends the source does not come through.
            open.push_str(if text.trim_start().starts_with('^') { "\n\n" } else { "\n" });
        }
    }

    /// The error that names the file. One of a module that tests import names none of them: it is taken where no other
    /// such error is left.
    pub(super) fn take(&mut self, file: &str) -> Option<String> {
        let named = self.errors.iter().position(|error| error.contains(file));
        let at = named.or_else(|| self.only_of_module())?;
        Some(self.errors.remove(at))
    }

    fn only_of_module(&self) -> Option<usize> {
        let first = self.errors.iter().position(|error| !may_name_test(error))?;
        let is_same = |error: &String| may_name_test(error) || *error == self.errors[first];
        self.errors.iter().all(is_same).then_some(first)
    }
}

/// `test/a.js`, `src/a.spec.ts`
fn may_name_test(error: &str) -> bool {
    ["test", "Test", ".spec.", "spec/"].iter().any(|word| error.contains(word))
}

/// `/srv/shop/a.js:12`, `node:internal/modules/cjs/loader:1210`
fn is_place(text: &str) -> bool {
    let number = text.rsplit_once(':').map(|(_, number)| number);
    !text.contains(' ')
        && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
