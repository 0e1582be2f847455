//! Properties of every history, and a small history for each verdict.

mod attribution;
mod fixes;
mod going_back;
mod outages;
mod precedents;
mod properties;
mod verdicts;
mod wide_breaks;
mod young_memories;

use super::{
    facts::{CaseId, ErrorSource, Failure, FileId, RunFacts, StackFiles},
    judge::{CaseJudgement, Judgement},
    sentences::SentenceNames,
    stored_rows::{memory::EvidenceMemory, order::Order, record::RunResults},
    verdict::VerdictKind,
};
use crate::failure::category::Category;

/// A history that a test builds run by run.
#[derive(Clone, Default)]
struct Story {
    memory: EvidenceMemory,
    runs: u32,
    commits: u32,
    tree: String,
    dirty: bool,
    os: &'static str,
    branch: &'static str,
    /// Files that the newest commit touched.
    touched: Vec<FileId>,
    stacks: StackFiles,
    /// Files that differ from the newest commit. Empty if they are unknown.
    edited_files: Vec<(FileId, u64)>,
    /// Untracked files, which make the tree of every run differ from its commit.
    untracked: Vec<(FileId, u64)>,
    /// True if the newest commit touched documentation only.
    is_documentation: bool,
    /// True if the newest commit touched configuration.
    is_configuration: bool,
}

/// Names that print only the numbers.
struct NumberNames;

impl SentenceNames for NumberNames {
    fn run_id(&self, run: u32) -> String {
        format!("run {run}")
    }
    fn case_name(&self, case: CaseId) -> String {
        format!("case {case}")
    }
}

/// Number of tests of a story. Each file contains five tests.
const CASES_PER_STORY: u64 = 40;

impl Story {
    fn new() -> Self {
        let mut story = Self { os: "linux", branch: "main", ..Self::default() };
        story.commit();
        story
    }

    fn commit(&mut self) {
        self.commits += 1;
        self.revert();
    }

    fn edit(&mut self, name: &str) {
        self.dirty = true;
        self.tree = format!("edit {name}");
    }

    /// Commits the edit unchanged.
    fn commit_edit(&mut self) {
        let tree = std::mem::take(&mut self.tree);
        self.commit();
        self.tree = tree;
    }

    /// Checks out an older commit, or the newest commit again.
    fn check_out(&mut self, commit: u32) {
        self.commits = commit;
        self.revert();
    }

    /// Undoes the edit.
    fn revert(&mut self) {
        self.dirty = false;
        self.tree = format!("tree {}", self.commits);
    }

    fn facts(&self, order: &Order, failed: u32) -> RunFacts {
        let commit = format!("c{}", self.commits);
        let before = self.memory.window.get(self.runs.wrapping_sub(1)).and_then(|run| run.commit.clone());
        let number = before.as_deref().and_then(|before| before.strip_prefix('c')?.parse::<u32>().ok());
        let follows = number.is_some_and(|number| number < self.commits);
        let path = match number {
            Some(number) if follows => (number + 1..=self.commits).map(|one| format!("c{one}")).collect(),
            _ if before.as_ref() == Some(&commit) => Vec::new(),
            _ => vec![commit.clone()],
        };
        RunFacts {
            seq: self.runs,
            id: format!("run-{}", self.runs),
            started_at: i64::from(self.runs) * 3_600_000,
            commit: Some(commit),
            touched: if path.is_empty() || self.touched.is_empty() { Vec::new() } else { vec![self.touched.clone()] },
            path,
            follows,
            authored: Vec::new(),
            lost: Vec::new(),
            edited: Vec::new(),
            edited_files: self.edited_files.iter().filter(|_| self.dirty).chain(&self.untracked).copied().collect(),
            idle: Vec::new(),
            documentation: if self.is_documentation { vec![format!("c{}", self.commits)] } else { Vec::new() },
            configuration: if self.is_configuration { vec![format!("c{}", self.commits)] } else { Vec::new() },
            untracked: self.untracked.clone(),
            untracked_only: !self.dirty && !self.untracked.is_empty(),
            tree: format!("{}{:?}", self.tree, self.untracked),
            dirty: self.dirty || !self.untracked.is_empty(),
            branch: self.branch.to_owned(),
            environment: vec![("os".to_owned(), self.os.to_owned())],
            order: order.digest(),
            order_unknown: order.is_unknown(),
            ran: u32::try_from(order.cases().len()).unwrap(),
            failed,
            newly_failing: 0,
            files: 8,
            interrupted: false,
        }
    }

    /// Runs all tests in this order.
    fn run_cases_in_order(&mut self, order: Vec<CaseId>, failures: &[Failure]) -> Judgement {
        self.run_with_order(Order::new(order), failures)
    }

    fn run_with_order(&mut self, order: Order, failures: &[Failure]) -> Judgement {
        let run = self.facts(&order, u32::try_from(failures.len()).unwrap());
        self.runs += 1;
        self.memory.record(RunResults {
            run: &run,
            failures,
            retried: &[],
            order,
            stacks: &self.stacks,
            knows_edits: self.dirty,
        })
    }

    fn run(&mut self, failures: &[Failure]) -> Judgement {
        self.run_cases_in_order((0..CASES_PER_STORY).collect(), failures)
    }

    /// Adds commits, each with a passing run.
    fn pass(&mut self, commits: u32) {
        for _ in 0..commits {
            self.commit();
            self.run(&[]);
        }
    }
}

fn failure(case: CaseId, signature: u64) -> Failure {
    let file = u32::try_from(case / 5).unwrap();
    let (category, site) = (Category::Unknown, signature);
    Failure {
        case,
        file,
        category,
        signature,
        function: None,
        site,
        in_project: false,
        source: ErrorSource::Unknown,
        raised: None,
        names_change: false,
    }
}

fn failure_in_function(case: CaseId, signature: u64, function: u64) -> Failure {
    Failure { function: Some(function), ..failure(case, signature) }
}

fn only_judgement(judgement: &Judgement) -> &CaseJudgement {
    assert_eq!(judgement.verdicts.len(), 1);
    &judgement.verdicts[0]
}

fn list_verdict_kinds(judgement: &Judgement) -> Vec<VerdictKind> {
    judgement.verdicts.iter().map(|case_judgement| case_judgement.verdict.kind).collect()
}
