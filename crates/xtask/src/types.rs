//! Writes every contract type as TypeScript, in one file, in a stable order.
//! Does not: invent types; `argus_engine::contract` is the source.

use crate::Outcome;
use argus_engine::contract as c;
use std::{
    any::TypeId,
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};
use ts_rs::{Config, TS, TypeVisitor};

const HEADER: &str = "\
// Generated from crates/engine/src/contract.rs by `cargo xtask types`; edit there.
";

/// Writes the file.
pub(crate) fn write(root: &Path) -> Outcome {
    let path = target(root);
    let text = generate();
    if fs::read_to_string(&path).is_ok_and(|current| current == text) {
        return Ok(());
    }
    let folder = path.parent().expect("the target lies in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Fails if the file is not what would be written.
pub(crate) fn check(root: &Path) -> Outcome {
    let path = target(root);
    match fs::read_to_string(&path) {
        Ok(current) if current == generate() => Ok(()),
        Ok(_) => Err(format!("{} is not current: run `cargo xtask types`", path.display())),
        Err(error) => Err(format!("{}: {error}: run `cargo xtask types`", path.display())),
    }
}

fn target(root: &Path) -> PathBuf {
    root.join("npm/engine/src/generated/contract.ts")
}

fn generate() -> String {
    let mut types =
        Collected { config: Config::new().with_large_int("number"), seen: HashSet::new(), text: BTreeMap::new() };
    collect_roots(&mut types);
    let parts: Vec<String> = types.text.into_values().collect();
    format!("{HEADER}\n{}\n", tidy(&parts.join("\n\n")))
}

/// One line for a comment of one line, two spaces before a field.
fn tidy(text: &str) -> String {
    let text =
        text.replace("/**\n * ", "/** ").replace("\n */\n", " */\n").replace(" \n", "\n").replace(", };", ",\n};");
    let mut depth = 0_usize;
    let mut out = Vec::new();
    for line in text.lines() {
        depth -= usize::from(line.starts_with('}'));
        out.push(if depth > 0 { format!("  {line}") } else { line.to_owned() });
        depth += usize::from(line.ends_with('{'));
    }
    out.join("\n")
}

/// The types of the engine's functions; what they are made of is found from them.
fn collect_roots(types: &mut Collected) {
    types.visit::<argus_core::FailureEvent>();
    types.visit::<c::EngineOptions>();
    types.visit::<c::Overview>();
    types.visit::<c::RecordRunParams>();
    types.visit::<c::RunResult>();
    types.visit::<c::HistoryParams>();
    types.visit::<c::HistoryResult>();
    types.visit::<c::RunDetailParams>();
    types.visit::<c::RunDetail>();
    types.visit::<c::DiagnoseParams>();
    types.visit::<c::DiagnosticResult>();
    types.visit::<c::ReportFixParams>();
    types.visit::<c::ReportFixResult>();
    types.visit::<c::PatternsParams>();
    types.visit::<c::PatternsResult>();
    types.visit::<c::PatternDetail>();
    types.visit::<c::RecordFixParams>();
    types.visit::<c::Inspection>();
    collect_memory_roots(types);
    collect_fix_loop_roots(types);
    collect_viewer_roots(types);
}

fn collect_memory_roots(types: &mut Collected) {
    types.visit::<c::RankedSolutionsParams>();
    types.visit::<c::RankedSolutionsResult>();
    types.visit::<c::RecordOutcomeParams>();
    types.visit::<c::RecordOutcomeResult>();
    types.visit::<c::AddSolutionParams>();
    types.visit::<c::AddSolutionResult>();
    types.visit::<c::AddIncidentParams>();
    types.visit::<c::AddIncidentResult>();
    types.visit::<c::MemoryImported>();
    types.visit::<c::MemoryExportParams>();
    types.visit::<c::MemoryExported>();
    types.visit::<c::MemorySearchParams>();
    types.visit::<c::MemorySearched>();
    types.visit::<c::IncidentDetail>();
}

fn collect_fix_loop_roots(types: &mut Collected) {
    types.visit::<c::FixStart>();
    types.visit::<c::FixFailure>();
    types.visit::<c::FixError>();
    types.visit::<c::FixState>();
    types.visit::<c::FixEvent>();
    types.visit::<c::FixAdvanced>();
    types.visit::<c::FixOutlook>();
    types.visit::<c::Weakening>();
}

fn collect_viewer_roots(types: &mut Collected) {
    types.visit::<c::ViewOverview>();
    types.visit::<c::ViewPatternsParams>();
    types.visit::<c::ViewPatternsResult>();
    types.visit::<c::ViewPatternParams>();
    types.visit::<c::ViewPatternResult>();
    types.visit::<c::ViewRunsParams>();
    types.visit::<c::ViewRunsResult>();
    types.visit::<c::ViewRunParams>();
    types.visit::<c::ViewRunResult>();
    types.visit::<c::ViewCaseParams>();
    types.visit::<c::ViewCaseResult>();
    types.visit::<c::ViewComparisonParams>();
    types.visit::<c::ViewComparisonResult>();
    types.visit::<c::ViewGridParams>();
    types.visit::<c::ViewGridResult>();
    types.visit::<c::ViewTrendParams>();
    types.visit::<c::ViewTrendResult>();
    types.visit::<c::ViewIncidentsParams>();
    types.visit::<c::ViewIncidentsResult>();
    types.visit::<c::ViewEnvironmentsResult>();
    types.visit::<c::ViewInspectionParams>();
    types.visit::<c::ViewInspectionResult>();
    types.visit::<c::Explanation>();
    types.visit::<c::EditPatternParams>();
    types.visit::<c::MergePatternsParams>();
    types.visit::<c::MarkFixParams>();
    types.visit::<c::MarkFixResult>();
}

struct Collected {
    config: Config,
    seen: HashSet<TypeId>,
    text: BTreeMap<String, String>,
}

impl TypeVisitor for Collected {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only named types of ours have an output path; options, vectors and primitives are written inline.
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            self.text.insert(T::ident(&self.config), format!("{docs}export {}", T::decl(&self.config)));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
