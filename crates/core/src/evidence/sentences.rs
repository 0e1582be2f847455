//! The reasons of a verdict, and the run that would settle it, as English sentences.

use crate::evidence::facts::{CaseId, RunSeq};
use crate::evidence::verdict::{Reason, SettlingRun, VerdictKind};

/// Translates the numbers of runs and cases into the names that sentences show.
pub trait SentenceNames {
    /// Returns the public id of a run.
    fn run_id(&self, run: RunSeq) -> String;
    /// Returns the name of a case.
    fn case_name(&self, case: CaseId) -> String;
    /// Returns the files that were edited between two runs. Empty if they are unknown.
    fn files_edited_between(&self, _passed: RunSeq, _failed: RunSeq) -> Vec<String> {
        Vec::new()
    }
    /// Returns the files that differed from the commit of a run. Empty if they are unknown.
    fn files_differing_from_commit(&self, _run: RunSeq) -> Vec<String> {
        Vec::new()
    }
    /// Returns the command that runs a case and as few other cases as possible.
    fn rerun_command(&self, case: CaseId) -> String {
        format_run_command(&self.case_name(case))
    }
}

/// Returns the command that runs the test with this name, and other tests with the same title.
pub fn format_run_command(name: &str) -> String {
    format!("argus run --filter '{}'", last_name_part(name).replace('\'', "'\\''"))
}

impl Reason {
    /// Returns the reason as a short English sentence.
    pub fn to_sentence(&self, names: &impl SentenceNames) -> String {
        let run = |run: RunSeq| names.run_id(run);
        match self {
            Self::BothOutcomes { passed, failed } => {
                format!("It passed in {} and failed in {} on the same files.", run(*passed), run(*failed))
            }
            Self::CameBefore { times, last } => {
                format!(
                    "It failed with this error {} before, last in {}, and has passed since.",
                    format_count(*times, "time"),
                    run(*last)
                )
            }
            Self::FailsSince { run: since, runs } => {
                format!("It has failed since {}, in {}.", run(*since), format_count(*runs, "run"))
            }
            Self::AlwaysFailed { first, runs } => format!(
                "It failed in all of the last {} that include it, since at least {}. Earlier results are unknown.",
                format_count(*runs, "run"),
                run(*first)
            ),
            Self::FirstTime { run: now, passed } => {
                format!("{} is the first run with this error, after {}.", run(*now), format_count(*passed, "pass"))
            }
            Self::Changed { passed, failed, commits: 0 } => {
                let files = describe_edited_files(&names.files_edited_between(*passed, *failed));
                format!("{files} edited between {}, which passed, and {}.", run(*passed), run(*failed))
            }
            Self::Changed { passed, failed, commits } => format!(
                "There {} between {}, which passed, and {}.",
                if *commits == 1 { "is 1 commit".to_owned() } else { format!("are {commits} commits") },
                run(*passed),
                run(*failed)
            ),
            Self::Lost { passed, failed, commits } => format!(
                "The branch was reset or switched after {}, which passed, and {} lacks {} of it.",
                run(*passed),
                run(*failed),
                format_count(*commits, "commit")
            ),
            Self::DiffersFromCommit { run: now, there, failures } => {
                let files = names.files_differing_from_commit(*now);
                describe_difference(&run(*now), &files, *there, *failures)
            }
            Self::Unchanged { passed } => format!("Nothing has changed since {}, which passed.", run(*passed)),
            Self::Together { run: now, cases } => {
                format!("{} failed with the same error in {}.", format_count(*cases, "test"), run(*now))
            }
            Self::Spread { run: now, cases, files, ran } => format!(
                "In {}, {} of {ran} tests in {} failed with the same error.",
                run(*now),
                cases,
                format_count(*files, "file")
            ),
            Self::MachineCategory { run: now, category } => {
                format!("{} in {} is a typical failure of the machine.", category.as_str(), run(*now))
            }
            Self::MachineError { run: now, passed } => format!(
                "The error of {} comes from the machine, and no file that it names or has in its stack was changed since {}, \
                 which passed.",
                run(*now),
                run(*passed)
            ),
            Self::Condition { run: last, condition, inside, outside } => format!(
                "With {}={} it failed in {} of {}, last in {}; without it, in {} of {}.",
                condition.0,
                condition.1,
                inside.0,
                format_count(inside.1, "run"),
                run(*last),
                outside.0,
                outside.1
            ),
            Self::RanBefore { run: last, polluter, failing, others } => format!(
                "{} ran before it in {}, last in {}, but in no passing run{}.",
                names.case_name(*polluter),
                format_count(*failing, "failing run"),
                run(*last),
                if *others == 0 {
                    String::new()
                } else {
                    format!("; {} ran before it in the same way", format_count(*others, "other test"))
                }
            ),
            Self::ChanceElsewhere { run: now, tests } => {
                format!("The error of {} also occurred by chance in {}.", run(*now), format_count(*tests, "test"))
            }
            Self::FailsByChance { run: last, failures } => {
                format!("It failed in {} of {}, last in {}.", failures.0, format_count(failures.1, "run"), run(*last))
            }
            Self::Undecided { run: now, likeliest, next } => {
                let chance =
                    |(kind, chance): &(VerdictKind, f64)| format!("{} ({:.0} %)", kind.as_str(), chance * 100.0);
                format!("The runs up to {} cannot distinguish {} from {}.", run(*now), chance(likeliest), chance(next))
            }
        }
    }
}

impl SettlingRun {
    /// Returns a short English sentence. It contains the command of the run if that command works for every test
    /// runner. `case` is the case whose verdict the run would settle.
    pub fn to_sentence(&self, names: &impl SentenceNames, case: CaseId) -> String {
        let name = names.case_name(case);
        let alone = names.rerun_command(case);
        match self {
            Self::RerunAlone => format!("Run it once more on its own: {alone}"),
            Self::RunPair { first } => {
                format!("Run only these two, in this order: {}, then {name}.", names.case_name(*first))
            }
            Self::RunAt { commit } => {
                let at = alone.replacen("argus run", &format!("argus run --at {commit}"), 1);
                format!("Run it at a commit in between, which does not change your files: {at}")
            }
            Self::RunElsewhere { condition } => {
                format!("Run it in an environment where {} is not {}: {alone}", condition.0, condition.1)
            }
            Self::RerunAll => "Run all tests again: argus run".to_owned(),
        }
    }
}

/// `there` is the number of the failures that come from the files.
fn describe_difference(run: &str, files: &[String], there: u32, failures: u32) -> String {
    let differ = match files {
        [] => "some files differ".to_owned(),
        [file] => format!("{file} differs"),
        files => format!("{} differ", files.join(", ")),
    };
    let origin = match (there, failures) {
        (1, 1) => "the failure comes from the changed files".to_owned(),
        (_, 1) => "the failure does not come from the changed files".to_owned(),
        _ => format!("{there} of {failures} failures come from the changed files"),
    };
    format!("No earlier run is known. In {run}, {differ} from the commit; {origin}.")
}

/// Maximum number of files that a sentence names.
const MAX_NAMED_FILES: usize = 3;

fn describe_edited_files(files: &[String]) -> String {
    let named = &files[..files.len().min(MAX_NAMED_FILES)];
    match (named, files.len() - named.len()) {
        ([], _) => "Files were".to_owned(),
        ([only], _) => format!("{only} was"),
        ([first @ .., last], 0) => format!("{} and {last} were", first.join(", ")),
        (_, more) => format!("{} and {more} more were", named.join(", ")),
    }
}

/// Returns the last part of a qualified name, because runners filter by the title of a test.
fn last_name_part(name: &str) -> &str {
    name.rsplit_once(" > ").map_or(name, |(_, title)| title)
}

fn format_count(count: u32, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "pass") => format!("{count} passes"),
        _ => format!("{count} {noun}s"),
    }
}
