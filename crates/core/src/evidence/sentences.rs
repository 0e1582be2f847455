//! The reasons of a verdict, and the run that would settle it, as English sentences.

use crate::evidence::facts::{CaseId, RunSeq};
use crate::evidence::verdict::{Reason, Settle, VerdictKind};

/// Translates numbers into the names that sentences show.
pub trait Names {
    /// The public id of a run.
    fn run(&self, run: RunSeq) -> String;
    /// The name of a case.
    fn case(&self, case: CaseId) -> String;
    /// Files that were edited between two runs. Empty if they are unknown.
    fn edited(&self, _passed: RunSeq, _failed: RunSeq) -> Vec<String> {
        Vec::new()
    }
    /// Files that differed from the commit of a run. Empty if they are unknown.
    fn differing(&self, _run: RunSeq) -> Vec<String> {
        Vec::new()
    }
    /// The command that runs a case and as few other cases as possible.
    fn command(&self, case: CaseId) -> String {
        run_filtered(&self.case(case))
    }
}

/// The command that runs the test with this name, and other tests with the same title.
pub fn run_filtered(name: &str) -> String {
    format!("argus run --filter '{}'", title(name).replace('\'', "'\\''"))
}

impl Reason {
    /// The reason as a short English sentence.
    pub fn sentence(&self, names: &impl Names) -> String {
        let run = |run: RunSeq| names.run(run);
        match self {
            Self::BothOutcomes { passed, failed } => {
                format!("It passed in {} and failed in {} on one tree.", run(*passed), run(*failed))
            }
            Self::CameBefore { times, last } => {
                format!(
                    "It failed with this error {} before, last in {}, and passed since.",
                    plural(*times, "time"),
                    run(*last)
                )
            }
            Self::FailsSince { run: since, runs } => {
                format!("It fails since {}, in {}.", run(*since), plural(*runs, "run"))
            }
            Self::AlwaysFailed { first, runs } => format!(
                "It failed in all of the last {} that have it, at least since {}; what it did before is not known.",
                plural(*runs, "run"),
                run(*first)
            ),
            Self::FirstTime { run: now, passed } => {
                format!("{} is the first run with this error, after {}.", run(*now), plural(*passed, "pass"))
            }
            Self::Changed { passed, failed, commits: 0 } => {
                let files = edited_files(&names.edited(*passed, *failed));
                format!("{files} edited between {}, which passed, and {}.", run(*passed), run(*failed))
            }
            Self::Changed { passed, failed, commits } => format!(
                "There {} between {}, which passed, and {}.",
                if *commits == 1 { "is 1 commit".to_owned() } else { format!("are {commits} commits") },
                run(*passed),
                run(*failed)
            ),
            Self::DiffersFromCommit { run: now, there, failures } => {
                let files = names.differing(*now);
                let differ = match &files[..] {
                    [] => "some files differ".to_owned(),
                    [file] => format!("{file} differs"),
                    files => format!("{} differ", files.join(", ")),
                };
                let raised = if *failures == 1 {
                    if *there == 1 { "the failure is raised there" } else { "the failure is not raised there" }
                        .to_owned()
                } else {
                    format!("{there} of {failures} failures are raised there")
                };
                format!("No earlier run is known. In {}, {differ} from the commit; {raised}.", run(*now))
            }
            Self::Unchanged { passed } => format!("Nothing has changed since {}, which passed.", run(*passed)),
            Self::Together { run: now, cases } => {
                format!("{} fail alike in {}.", plural(*cases, "test"), run(*now))
            }
            Self::Spread { run: now, cases, files, ran } => format!(
                "In {}, {} of {ran} tests in {} failed with one error.",
                run(*now),
                cases,
                plural(*files, "file")
            ),
            Self::MachineCategory { run: now, category } => {
                format!("{} in {} is how machines fail.", category.as_str(), run(*now))
            }
            Self::MachineError { run: now, passed } => format!(
                "The error of {} is one of the machine, and nothing that it names or has in its stack was changed since {}, \
                 which passed.",
                run(*now),
                run(*passed)
            ),
            Self::Condition { run: last, condition, inside, outside } => format!(
                "With {}={} it failed in {} of {}, last in {}; without in {} of {}.",
                condition.0,
                condition.1,
                inside.0,
                plural(inside.1, "run"),
                run(*last),
                outside.0,
                outside.1
            ),
            Self::RanBefore { run: last, polluter, failing, others } => format!(
                "{} ran before it in {}, last in {}, and in no run that passed{}.",
                names.case(*polluter),
                plural(*failing, "failing run"),
                run(*last),
                if *others == 0 {
                    String::new()
                } else {
                    format!("; the same holds for {}", plural(*others, "other test"))
                }
            ),
            Self::ChanceElsewhere { run: now, tests } => {
                format!("The error of {} was chance in {}.", run(*now), plural(*tests, "test"))
            }
            Self::FailsByChance { run: last, failures } => {
                format!("It failed in {} of {}, last in {}.", failures.0, plural(failures.1, "run"), run(*last))
            }
            Self::Undecided { run: now, likeliest, next } => {
                let chance =
                    |(kind, chance): &(VerdictKind, f64)| format!("{} ({:.0} %)", kind.as_str(), chance * 100.0);
                format!("The runs up to {} do not tell {} from {}.", run(*now), chance(likeliest), chance(next))
            }
        }
    }
}

impl Settle {
    /// A short English sentence with the command, if the same command works for every runner. `case` is the case to
    /// settle.
    pub fn sentence(&self, names: &impl Names, case: CaseId) -> String {
        let name = names.case(case);
        let alone = names.command(case);
        match self {
            Self::RerunAlone => format!("Run it alone once more: {alone}"),
            Self::RunPair { first } => {
                format!("Run only these two, in this order: {}, then {name}.", names.case(*first))
            }
            Self::RunAt { commit } => {
                let at = alone.replacen("argus run", &format!("argus run --at {commit}"), 1);
                format!("Run it at a commit between, which leaves the files here as they are: {at}")
            }
            Self::RunElsewhere { condition } => {
                format!("Run it where {} is not {}: {alone}", condition.0, condition.1)
            }
            Self::RerunAll => "Run all of it again: argus run".to_owned(),
        }
    }
}

/// Maximum number of files that a sentence names.
const MAX_NAMED_FILES: usize = 3;

fn edited_files(files: &[String]) -> String {
    let named = &files[..files.len().min(MAX_NAMED_FILES)];
    match (named, files.len() - named.len()) {
        ([], _) => "Files were".to_owned(),
        ([only], _) => format!("{only} was"),
        ([first @ .., last], 0) => format!("{} and {last} were", first.join(", ")),
        (_, more) => format!("{} and {more} more were", named.join(", ")),
    }
}

/// The last part of a qualified name, because runners filter by it.
fn title(name: &str) -> &str {
    name.rsplit_once(" > ").map_or(name, |(_, title)| title)
}

fn plural(count: u32, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "pass") => format!("{count} passes"),
        _ => format!("{count} {noun}s"),
    }
}
