//! Names of runs and cases in the sentences of verdicts.

use super::{
    changed_files::{changed_file_ids, is_configuration, is_documentation},
    edits::{self, EditedFiles},
};
use argus_core::evidence::{
    facts::{CaseId, RunSeq, StackFiles},
    judge::CaseJudgement,
    sentences::{SentenceNames, format_run_command},
    stored_rows::window::RunWindow,
};
use argus_store::runs::claims::suite_name_prefix;
use std::collections::BTreeSet;

/// Looks up names for sentences: of runs in the window, and of cases with the function `case`.
pub(super) struct RunAndCaseNames<'a, F> {
    pub(super) window: &'a RunWindow,
    /// Edited files at the start of each run.
    pub(super) edits: &'a EditedFiles,
    /// Edited files of the judged run whose edits change no code.
    pub(super) harmless_edits: BTreeSet<String>,
    /// Files in the stacks of the judged failures.
    pub(super) stacks: &'a StackFiles,
    pub(super) case: F,
    /// The command of the run, which is also the name of the case for the command itself.
    pub(super) command: Option<&'a str>,
    /// The run of the failures.
    pub(super) judged_run: RunSeq,
}

impl<F: Fn(CaseId) -> Option<String>> RunAndCaseNames<'_, F> {
    /// Returns the public id of a run. None if the run is too old.
    pub(super) fn known_run_id(&self, run: RunSeq) -> Option<String> {
        self.window.get(run).map(|run| run.id.clone())
    }
}

impl<F> RunAndCaseNames<'_, F> {
    /// Returns the files whose edits may have broken a test that passed in one run and failed in a later run, the most
    /// likely first. Normally these are the edits between the two runs that the judged run still has. If it has none of
    /// them, these are all edits between the passed run and the judged run.
    pub(super) fn list_breaking_files(&self, passed: RunSeq, failed: RunSeq, judged: &CaseJudgement) -> Vec<String> {
        let since_pass = |run: RunSeq| edits::files_edited_since(self.window, self.edits, passed, run);
        let now = since_pass(self.judged_run);
        let still: Vec<String> = since_pass(failed).into_iter().filter(|file| now.contains(file)).collect();
        self.sort_by_likelihood(if still.is_empty() { now } else { still }, judged)
    }

    /// Sorts edited files: first the files in the stack of the failure, then other edits. Documentation, and a
    /// new file that nothing connects with the failure, such as a scratch file, are left out if another edit or a commit explains the failure.
    fn sort_by_likelihood(&self, mut files: Vec<String>, judged: &CaseJudgement) -> Vec<String> {
        let involved = judged.failure.test_and_stack_files(self.stacks);
        let untracked = self.window.get(self.judged_run).map_or(&[][..], |run| &run.untracked);
        let rank = |file: &String| match () {
            () if changed_file_ids(file).any(|id| involved.contains(&id)) => 0,
            () if is_documentation(file) || self.harmless_edits.contains(file) => UNCONNECTED_RANK,
            () if is_configuration(file) => 1,
            () if !untracked.iter().any(|(id, _)| changed_file_ids(file).any(|file| file == *id)) => 2,
            () => UNCONNECTED_RANK,
        };
        files.sort_by_cached_key(rank);
        let is_explained =
            !judged.verdict.suspects.is_empty() || files.iter().any(|file| rank(file) < UNCONNECTED_RANK);
        if is_explained {
            files.retain(|file| rank(file) < UNCONNECTED_RANK);
        }
        files
    }
}

const UNCONNECTED_RANK: u8 = 3;

impl<F: Fn(CaseId) -> Option<String>> SentenceNames for RunAndCaseNames<'_, F> {
    fn run_id(&self, run: RunSeq) -> String {
        self.known_run_id(run).unwrap_or_else(|| "an earlier run".to_owned())
    }

    fn case_name(&self, case: CaseId) -> String {
        (self.case)(case).unwrap_or_else(|| "another test".to_owned())
    }

    fn files_edited_between(&self, passed: RunSeq, failed: RunSeq) -> Vec<String> {
        edits::files_edited_between(self.window, self.edits, passed, failed)
    }

    fn files_differing_from_commit(&self, run: RunSeq) -> Vec<String> {
        edits::files_edited_in_run(self.edits, run)
    }

    fn rerun_command(&self, case: CaseId) -> String {
        let name = self.case_name(case);
        // The filter of a runner cannot select a command or a file that could not be loaded.
        if self.command == Some(&name) || suite_name_prefix(&name).is_some() {
            return "argus run".to_owned();
        }
        format_run_command(&name)
    }
}
