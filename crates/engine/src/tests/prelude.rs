//! Imports that most tests of the engine use.

pub(super) use super::{
    CASE, CONNECTION_REFUSED_ERROR, Folder, Json, START_MS, UNKNOWN_ERROR, World, case, failed_case,
    memory::{LINUX_BUCKET, POOL_ERROR, linux_env, mac_env, pool_incident, webpack_incident},
    on_commit, passed_case, record_failure, record_pass,
};
pub(super) use crate::{
    Engine, EngineError, ErrorCode, ReportFiles,
    answer::time_format::DAY_MS,
    calls::{CALLS, CallInfo, CallVisitor, call, call_once, visit_all},
    contract::*,
    evidence::{
        edits::edit,
        fixes::fixes,
        learned_commits::{learn_commits, likely_fixes},
        missing_tests::missing_tests,
        test_changes::test_changes,
        test_history::test_history,
        test_states::tests,
    },
    failures::{
        diagnose::diagnose,
        report_fix::{record_fix, report_fix},
    },
    fix_loop,
    knowledge::{
        overview::{check_write, overview},
        patterns::{find_by_signature, patterns},
        resources::{complete_ids, pattern},
    },
    memory::{
        exchange::{
            export::export,
            import::import,
            sharing::{check::check_shared_files, take::import_shared_files, write::build_shared_files},
        },
        finding::{
            browse::{view_environments, view_incidents},
            incident::incident,
            ranked_solutions::ranked_solutions,
            search::search,
        },
        recording::{add_incident::add_incident, add_solution::add_solution, record_outcome::record_outcome},
    },
    runs::{
        history::{history, run_detail},
        import_run::import_run,
        known_failures::known_failures,
        prepare_run::prepare_run,
        record_run::record_run,
        run_errors::run_errors,
    },
    viewer::{
        comparison::view_comparison,
        current_problems::view_now,
        edit::{edit_pattern, mark_fix, merge_patterns, split_pattern},
        grid::view_grid,
        health::health,
        inspection::view_inspection,
        overview::{view_overview, view_trend},
        pattern::view_pattern,
        patterns::view_patterns,
        run::{view_case, view_run},
        runs::view_runs,
    },
};
pub(super) use argus_core::{
    CallContext, Category,
    classify::UserRule,
    evidence::{stored_rows::fixes::ProofStatus, test_state::TestState, verdict::VerdictKind},
};
pub(super) use argus_report::{CaseStatus, ReportCase};
pub(super) use argus_store::{Database, FileAccess, NativeDriver, Sqlite, StoreError, Tx};
pub(super) use serde_json::{Value, json};
pub(super) use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, Cursor},
    path::Path,
    rc::Rc,
    time::Duration,
};
