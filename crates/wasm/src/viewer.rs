//! The viewer's functions by name: one method for all of them, for a page calls them by name too.
//! Does not: know which of them change something; npm/engine/src/viewer.ts lists those.

use crate::{
    ambient::ambient,
    convert::{decode, thrown},
    engine::{Answer, WasmEngine, answer},
};
use argus_engine::{
    ErrorCode,
    memory::{browse, incident},
    viewer::{comparison, edit, grid, inspection, overview, pattern, patterns, run, runs},
};
use argus_store::finish;
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[derive(Deserialize)]
struct ById {
    id: String,
}

#[wasm_bindgen]
impl WasmEngine {
    /// Calls the function of this name; one that takes nothing is given an empty object.
    pub fn view(&self, method: &str, params: JsValue) -> Answer {
        let (engine, ambient) = (self.inner(), ambient()?);
        match method {
            "viewOverview" => answer(finish(overview::view_overview(engine, &ambient))),
            "viewPatterns" => answer(finish(patterns::view_patterns(engine, &ambient, &decode(params)?))),
            "viewPattern" => answer(finish(pattern::view_pattern(engine, &ambient, &decode(params)?))),
            "viewRuns" => answer(finish(runs::view_runs(engine, &ambient, &decode(params)?))),
            "viewRun" => answer(finish(run::view_run(engine, &ambient, &decode(params)?))),
            "viewCase" => answer(finish(run::view_case(engine, &ambient, &decode(params)?))),
            "viewComparison" => answer(finish(comparison::view_comparison(engine, &ambient, &decode(params)?))),
            "viewGrid" => answer(finish(grid::view_grid(engine, &ambient, &decode(params)?))),
            "viewTrend" => answer(finish(overview::view_trend(engine, &ambient, &decode(params)?))),
            "viewIncidents" => answer(finish(browse::view_incidents(engine, &ambient, &decode(params)?))),
            "viewIncident" => answer(finish(incident::incident(engine, &ambient, &decode::<ById>(params)?.id))),
            "viewEnvironments" => answer(finish(browse::view_environments(engine, &ambient))),
            "viewInspection" => answer(finish(inspection::view_inspection(engine, &ambient, &decode(params)?))),
            "editPattern" => answer(finish(edit::edit_pattern(engine, &ambient, &decode(params)?))),
            "mergePatterns" => answer(finish(edit::merge_patterns(engine, &ambient, &decode(params)?))),
            "markFix" => answer(finish(edit::mark_fix(engine, &ambient, &decode(params)?))),
            _ => Err(thrown(ErrorCode::InvalidInput, "there is no such function; viewOverview is one")),
        }
    }
}
