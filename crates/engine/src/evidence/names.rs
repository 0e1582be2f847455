//! Names of runs and cases in the sentences of verdicts.

use super::edits::{self, EditedFiles};
use argus_core::evidence::{
    facts::{CaseId, RunSeq},
    kept::window::Window,
    sentences::{Names, run_filtered},
};
use argus_store::runs::claims::cases_of_suite;

/// Names from the newest runs and from a function that knows the cases.
pub(super) struct Named<'a, F> {
    pub(super) window: &'a Window,
    /// Edited files at the start of each run.
    pub(super) edits: &'a EditedFiles,
    pub(super) case: F,
    /// The command of the run, which is also the name of the case for the command itself.
    pub(super) command: Option<&'a str>,
}

impl<F: Fn(CaseId) -> Option<String>> Named<'_, F> {
    /// Returns the public id of a run. None if the run is too old.
    pub(super) fn run_id(&self, run: RunSeq) -> Option<String> {
        self.window.get(run).map(|run| run.id.clone())
    }
}

impl<F: Fn(CaseId) -> Option<String>> Names for Named<'_, F> {
    fn run(&self, run: RunSeq) -> String {
        self.run_id(run).unwrap_or_else(|| "an earlier run".to_owned())
    }

    fn case(&self, case: CaseId) -> String {
        (self.case)(case).unwrap_or_else(|| "another test".to_owned())
    }

    fn edited(&self, passed: RunSeq, failed: RunSeq) -> Vec<String> {
        edits::between_runs(self.window, self.edits, passed, failed)
    }

    fn differing(&self, run: RunSeq) -> Vec<String> {
        edits::of_run(self.edits, run)
    }

    fn command(&self, case: CaseId) -> String {
        let name = self.case(case);
        // The filter of a runner cannot select a command or a file that could not be loaded.
        if self.command == Some(&name) || cases_of_suite(&name).is_some() {
            return "argus run".to_owned();
        }
        run_filtered(&name)
    }
}
