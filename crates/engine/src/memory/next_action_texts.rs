//! Builds the next action of an answer. `docs/contract/debug-memory.md` defines the texts.

use crate::contract::{NextAction, NextActionType};

pub(super) fn build_next_action(kind: NextActionType) -> NextAction {
    NextAction { r#type: kind, instructions: instructions_for(kind).to_owned() }
}

/// Returns the next step after a recorded outcome.
pub(super) fn build_next_action_after_outcome(worked: bool) -> NextAction {
    build_next_action(if worked {
        NextActionType::DoneOrAddEnvVariant
    } else {
        NextActionType::DebugFurtherThenAddSolutionOrIncident
    })
}

const fn instructions_for(kind: NextActionType) -> &'static str {
    match kind {
        NextActionType::NoMatchDebugThenAddIncident => {
            "No relevant incidents found. Debug normally. If a fix is found, call add_incident to store the incident + \
             solution + outcome."
        }
        NextActionType::NoSolutionsAddOne => {
            "Incidents were found but no solutions exist. Debug normally. Once you find a fix that works, call \
             add_solution for the best matching incident, then record_outcome."
        }
        NextActionType::TrySolutionAndRecordOutcome => {
            "Try the recommended solution. After attempting it, call record_outcome with worked=true or false."
        }
        NextActionType::DoneOrAddEnvVariant => {
            "Done. If this fix works in another environment, add_solution to the same incident and then record_outcome."
        }
        NextActionType::DebugFurtherThenAddSolutionOrIncident => {
            "Debug further. If you find a new fix for the same incident, call add_solution (then record_outcome). If \
             the root cause is different, call add_incident to create a new incident."
        }
        NextActionType::RecordOutcomeForNewSolution => {
            "If you try this solution, call record_outcome with solution_id, worked, and env."
        }
        NextActionType::UseAddSolutionForExistingIncident => {
            "An incident already exists. Use add_solution with this incident_id, then record_outcome after you try it."
        }
    }
}
