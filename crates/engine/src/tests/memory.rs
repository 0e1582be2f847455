//! Tests of the debug memory, on a real store.

mod adding;
mod bridge;
mod bulk;
mod counting;
mod foreign;
mod hostile;
mod searching;
mod two_memories;

use crate::tests::prelude::*;

pub(super) const POOL_ERROR: &str = "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection \
                               timed out, timeout 30.00";

pub(super) fn linux_env() -> Value {
    json!({ "os": "Linux", "language": "python", "python": "3.11", "framework": "django", "django": "4.2" })
}

/// The bucket of [`linux_env`].
pub(super) const LINUX_BUCKET: &str =
    "os_family=linux;language=python;language_major=3;framework=django;framework_major=4";

pub(super) fn mac_env() -> Value {
    json!({ "os": "darwin", "language": "python", "python": "3.11", "framework": "django", "django": "4.2" })
}

/// An incident about a connection pool.
pub(super) fn pool_incident() -> AddIncidentParams {
    AddIncidentParams {
        title: "Connection pool exhausted under load".to_owned(),
        error_signature: Some(POOL_ERROR.to_owned()),
        summary: Some("Requests hold a session while they wait for the mail server".to_owned()),
        tags: Some(vec!["database".to_owned(), "pool".to_owned()]),
        steps: "Close the session before the mail is sent".to_owned(),
        env: linux_env(),
        worked: true,
        ..AddIncidentParams::default()
    }
}

/// An incident that has no word in common with [`pool_incident`].
pub(super) fn webpack_incident() -> AddIncidentParams {
    AddIncidentParams {
        title: "Webpack cannot resolve the stylesheet loader".to_owned(),
        error_signature: Some("ModuleNotFoundError: Can't resolve 'sass-loader' in '/srv/shop/frontend'".to_owned()),
        steps: "npm install --save-dev sass-loader".to_owned(),
        env: json!({ "os": "linux", "language": "typescript" }),
        worked: true,
        ..AddIncidentParams::default()
    }
}

impl World {
    pub(super) fn search_solutions(&self, text: &str, env: Value) -> RankedSolutionsResult {
        let params = RankedSolutionsParams { query_text: text.to_owned(), env, ..RankedSolutionsParams::default() };
        self.ranked(&params).unwrap()
    }

    pub(super) fn ranked(&self, params: &RankedSolutionsParams) -> Result<RankedSolutionsResult, EngineError> {
        self.call(ranked_solutions, params)
    }

    pub(super) fn add(&self, params: &AddIncidentParams) -> Result<AddIncidentResult, EngineError> {
        self.call(add_incident, params)
    }

    pub(super) fn add_new_incident(&self, params: &AddIncidentParams) -> IncidentCreated {
        match self.add(params).unwrap() {
            AddIncidentResult::Created(created) => created,
            AddIncidentResult::Duplicate(known) => panic!("a duplicate of {known:?}"),
        }
    }

    pub(super) fn add_solution(
        &self,
        incident: &str,
        steps: &str,
        env: Value,
    ) -> Result<AddSolutionResult, EngineError> {
        let params = AddSolutionParams {
            incident_id: incident.to_owned(),
            steps: steps.to_owned(),
            env,
            ..AddSolutionParams::default()
        };
        self.call(add_solution, &params)
    }

    pub(super) fn outcome(&self, solution: &str, worked: bool, env: Value) -> RecordOutcomeResult {
        let params =
            RecordOutcomeParams { solution_id: solution.to_owned(), worked, env, ..RecordOutcomeParams::default() };
        self.record_outcome_with(&params).unwrap()
    }

    pub(super) fn record_outcome_with(&self, params: &RecordOutcomeParams) -> Result<RecordOutcomeResult, EngineError> {
        self.call(record_outcome, params)
    }

    pub(super) fn incident(&self, id: &str) -> Result<IncidentDetail, EngineError> {
        self.call(incident, &IdParams { id: id.to_owned() })
    }

    pub(super) fn import(&self, lines: &str) -> MemoryImportResult {
        self.call(import, &MemoryImportParams { lines: lines.to_owned() }).unwrap()
    }
}
