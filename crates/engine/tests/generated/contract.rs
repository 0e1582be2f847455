//! Generates `contract.ts` with the contract types in a stable order, the closed lists and the limits, and the JSON
//! Schema of a shared file. The types come from `argus_engine::contract` and `argus_engine::calls`.

use argus_core::fix_loop::QUARANTINE_FILE;
use argus_engine::{
    calls::{CallInfo, CallVisitor, visit_all},
    contract as c, limits,
};
use schemars::JsonSchema;
use std::{
    any::TypeId,
    collections::{BTreeMap, HashSet},
};
use ts_rs::{Config, TS, TypeVisitor};

const HEADER: &str = "\
// Generated from crates/engine/src/contract.rs by `cargo xtask types`; edit there.
";

/// Returns the JSON Schema of a file that a repository shares, for editors and other programs.
pub(crate) fn build_shared_file_schema() -> String {
    let schema = schemars::schema_for!(c::SharedFile);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    format!("{text}\n")
}

pub(crate) fn build_contract() -> String {
    let mut types = TypeCollector { config: build_config(), seen: HashSet::new(), text: BTreeMap::new() };
    collect_roots(&mut types);
    let lists = CLOSED_LISTS.map(|(name, docs, type_name)| {
        let (_, members) = types.text[type_name].split_once(" = ").expect("an alias of a union of texts");
        let members = members.trim_end_matches(';').replace('"', "'").replace(" | ", ",\n  ");
        format!("/** {docs} */\nexport const {name} = [\n  {members},\n] as const;")
    });
    let limits: Vec<String> =
        limits::ALL.iter().map(|(name, docs, most)| format!("  /** {} */\n  {name}: {most},\n", docs.trim())).collect();
    let limits = format!("/** Limits of the engine. */\nexport const LIMITS = {{\n{}}} as const;", limits.concat());
    let quarantine = format!(
        "/** File with the cases whose failures the gate accepts until a date. */\nexport const QUARANTINE_FILE = '{QUARANTINE_FILE}';"
    );
    let types: Vec<String> = types.text.into_values().collect();
    format!(
        "{HEADER}\n{}\n\n{}\n\n{limits}\n\n{quarantine}\n",
        format_typescript(&types.join("\n\n")),
        lists.join("\n\n")
    )
}

/// String unions that TypeScript also needs as lists: constant, documentation, type.
const CLOSED_LISTS: [(&str, &str, &str); 11] = [
    ("ENGINE_ERROR_CODES", "The error codes of engine calls.", "ErrorCode"),
    ("FAILURE_CATEGORIES", "The failure categories, in the order of the contract.", "FailureCategory"),
    ("FAILURE_KINDS", "The failure kinds, in the order of the documentation.", "FailureKind"),
    ("FIX_APPROACHES", "Approaches to a fix, in the order in which a loop tries them.", "FixApproach"),
    ("LOCALES", "Languages of built-in texts.", "Locale"),
    ("PATTERN_SORTS", "Sort orders of patterns.", "PatternSort"),
    ("PATTERN_SOURCES", "Sources of patterns.", "PatternSource"),
    ("REPORT_FORMATS", "The report formats that can be read.", "ReportFormat"),
    ("RUN_STATUSES", "The statuses of a run.", "RunStatus"),
    ("SCOPES", "Permissions of a token; each scope includes the scopes before it.", "Scope"),
    ("TEST_STATES", "The states of a test.", "TestState"),
];

/// Returns the settings of the TypeScript output.
pub(crate) fn build_config() -> Config {
    Config::new().with_large_int("number")
}

/// Puts a comment with a single line on one line, and indents fields by two spaces.
fn format_typescript(text: &str) -> String {
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

/// Visits the types of the calls and the types that no call mentions. The types of their fields are found from them.
fn collect_roots(types: &mut TypeCollector) {
    TypeVisitor::visit::<argus_core::FailureEvent>(types);
    TypeVisitor::visit::<c::EngineOptions>(types);
    TypeVisitor::visit::<c::Inspection>(types);
    TypeVisitor::visit::<c::Explanation>(types);
    TypeVisitor::visit::<c::FixStart>(types);
    TypeVisitor::visit::<c::FixFailure>(types);
    TypeVisitor::visit::<c::FixError>(types);
    TypeVisitor::visit::<c::FixState>(types);
    TypeVisitor::visit::<c::FixEvent>(types);
    TypeVisitor::visit::<c::FixAdvanced>(types);
    TypeVisitor::visit::<c::FixNextStep>(types);
    TypeVisitor::visit::<c::Weakening>(types);
    visit_all(types);
}

impl CallVisitor for TypeCollector {
    fn visit<P: TS + JsonSchema + 'static, R: TS + JsonSchema + 'static>(&mut self, _: &CallInfo) {
        TypeVisitor::visit::<P>(self);
        TypeVisitor::visit::<R>(self);
    }
}

struct TypeCollector {
    config: Config,
    seen: HashSet<TypeId>,
    text: BTreeMap<String, String>,
}

impl TypeVisitor for TypeCollector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only our named types have an output path. Options, vectors and primitives are written inline.
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
