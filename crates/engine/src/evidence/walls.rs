//! Lists the failures that cost most, with the step that ends each.

use super::{
    evidence_rows::{self, TestNames},
    judging::format_condition,
};
use crate::{
    Engine, EngineError,
    answer::{row_conversion::round_to_two_digits, time_format::format_iso},
    contract::{CaseVerdict, WallEntry, WallsParams, WallsResult},
};
use argus_core::{
    CallContext,
    evidence::{
        facts::{CaseId, case_id},
        stored_rows::{
            fixes::{Fix, ProofStatus},
            memory::EvidenceMemory,
            window::WINDOW_RUNS,
        },
        test_state::{TestSummary, summarize_test},
        walls::{Wall, WallKind, find_walls},
    },
};
use argus_store::{
    Tx,
    runs::{self, test_results},
    solutions::{self, ReportedSuccess},
};
use std::collections::BTreeMap;

/// Default number of failures on a page.
const DEFAULT_LIMIT: u32 = 10;
const MAX_LIMIT: u32 = 100;
/// Maximum number of tests that an entry names.
const MAX_NAMED_TESTS: usize = 5;
/// Maximum number of reported fixes that are searched.
const MAX_REPORTED_FIXES: u32 = 200;

/// Returns a page of the failures of the newest runs, the most expensive first.
pub fn walls(engine: &Engine, context: &CallContext, params: &WallsParams) -> Result<WallsResult, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
    let offset = params.offset.unwrap_or(0) as usize;
    let body = |tx: &mut Tx<'_>| -> Result<WallsResult, EngineError> {
        let mut memory = evidence_rows::load(tx)?.unwrap_or_default();
        let names = evidence_rows::load_all_tests(tx, &mut memory)?;
        let newest = runs::list_newest(tx, WINDOW_RUNS)?;
        let durations: BTreeMap<String, f64> = newest.into_iter().map(|(_, run)| (run.id, run.duration_ms)).collect();
        let found = find_walls(&memory, &durations);
        let knowledge =
            Knowledge { reported: solutions::list_reported_successes(tx, MAX_REPORTED_FIXES)?, names, memory };
        let total = found.len();
        let mut walls = Vec::new();
        for wall in found.iter().skip(offset).take(limit) {
            walls.extend(knowledge.convert(tx, wall)?);
        }
        Ok(WallsResult {
            has_more: offset.saturating_add(limit) < total,
            total: u32::try_from(total).unwrap_or(u32::MAX),
            walls,
            runs: u32::try_from(knowledge.memory.window.runs().count()).unwrap_or(u32::MAX),
        })
    };
    engine.read(context, body)
}

/// The rows from which entries are made.
struct Knowledge {
    memory: EvidenceMemory,
    names: TestNames,
    /// Newest first.
    reported: Vec<ReportedSuccess>,
}

impl Knowledge {
    fn convert(&self, tx: &mut Tx<'_>, wall: &Wall) -> Result<Option<WallEntry>, EngineError> {
        let (seq, newest_case) = wall.newest;
        let (Some(run), Some(case_name)) = (self.memory.window.get(seq), self.names.get(&newest_case)) else {
            return Ok(None);
        };
        let key = runs::find_by_id(tx, &run.id)?.map(|(key, _)| key);
        let wanted: Vec<_> = key.into_iter().map(|key| (key, case_name.as_str())).collect();
        let summary = test_results::read_failure_headlines(tx, &wanted)?.into_iter().flatten().next();
        let verdict = summary.as_ref().and_then(|summary| summary.verdict.as_deref());
        let settle = verdict
            .and_then(|verdict| serde_json::from_str::<CaseVerdict>(verdict).ok())
            .and_then(|verdict| verdict.verdict.settle);
        let headline = summary.map(|summary| summary.headline);
        let fix_id = self.find_fix(wall);
        let others = wall.cases.keys().filter(|case| **case != newest_case).filter_map(|case| self.names.get(case));
        Ok(Some(WallEntry {
            kind: wall.kind,
            case_names: std::iter::once(case_name).chain(others).take(MAX_NAMED_TESTS).cloned().collect(),
            tests: u32::try_from(wall.cases.len()).unwrap_or(u32::MAX),
            runs: wall.runs,
            recurrences: wall.stretches.saturating_sub(1),
            reruns: wall.reruns,
            red_minutes: round_to_two_digits(wall.red_ms / 60_000.0),
            is_failing: wall.is_open,
            last_run_id: run.id.clone(),
            last_failed_at: format_iso(run.started_at),
            remedy: self.find_remedy(wall, case_name, fix_id.as_deref(), settle, headline.as_deref()),
            headline,
            fix_id,
        }))
    }

    /// Returns the newest fix of one of the failures. Fixes with which the failure came back do not count.
    fn find_fix(&self, wall: &Wall) -> Option<String> {
        let fixes_wall = |fix: &&Fix| {
            let mut errors = wall.cases.iter().filter_map(|(case, error)| error.map(|error| (*case, error)));
            errors.any(|(case, error)| fix.fixes_error(case, error))
        };
        let is_valid =
            |fix: &&Fix| fix.status != ProofStatus::Refuted && !fix.commits.is_empty() | fix.edited.is_some();
        let found = self.memory.fixes.iter().rev().filter(is_valid).find(fixes_wall);
        let is_reported = |fix: &&ReportedSuccess| {
            fix.success.refuted_by.is_none() && wall.cases.contains_key(&case_id(&fix.case_name))
        };
        // A report explains a fix in words, so it is more helpful than a commit.
        let reported = self.reported.iter().find(is_reported).map(|fix| fix.id.clone());
        reported.or_else(|| found.map(|fix| fix.id(fix.commits.first())))
    }

    fn find_remedy(
        &self,
        wall: &Wall,
        case_name: &str,
        fix_id: Option<&str>,
        settle: Option<String>,
        headline: Option<&str>,
    ) -> String {
        let summary = self.summarize(wall.newest.1);
        let polluter = summary.as_ref().and_then(|summary| summary.polluter).and_then(|case| self.names.get(&case));
        let condition = summary.as_ref().and_then(|summary| summary.condition.as_ref()).map(format_condition);
        match (wall.kind, fix_id) {
            (WallKind::Order, _) if polluter.is_some() => {
                let polluter = polluter.map_or("", String::as_str);
                format!("Undo in the test '{polluter}' what it leaves behind, because '{case_name}' fails after it.")
            }
            (WallKind::Environment, _) if condition.is_some() => {
                let condition = condition.unwrap_or_default();
                format!("Line for CI: also run '{case_name}' with {condition} before a merge.")
            }
            (_, Some(fix)) if wall.stretches > 1 => {
                format!("It came back: argus fixes {fix} shows what ended it last, and argus prove {fix} tests that.")
            }
            (_, Some(fix)) if wall.is_open => format!("Apply the earlier fix: argus fixes {fix}"),
            (_, Some(fix)) => format!("Keep the fix: argus fixes {fix}"),
            (WallKind::Environment, None) => {
                let error = headline.unwrap_or(case_name);
                format!("Line for AGENTS.md: if tests fail with \"{error}\", repair the machine, not the code.")
            }
            (kind, None) => settle.map_or_else(
                || {
                    if kind == WallKind::Flaky {
                        format!("Make '{case_name}' repeatable; until then, quarantine it for argus gate.")
                    } else {
                        format!("Repair '{case_name}', then record what helped with argus report-fix.")
                    }
                },
                |settle| format!("To be sure: {settle}"),
            ),
        }
    }

    fn summarize(&self, case: CaseId) -> Option<TestSummary> {
        let history = self.memory.tests.get(&case)?;
        let view = self.memory.window.view();
        Some(summarize_test(history, &view, &view.varying_conditions(), &self.memory.traits))
    }
}
