//! The project's memory and the user's own, in one engine.

use super::{POOL, linux, pool, webpack};
use crate::{
    Engine, EngineError, ErrorCode,
    contract::{AddIncidentResult, EngineOptions, MemoryKind, MemoryOptions, RecordOutcomeParams},
    tests::{Folder, World},
};
use argus_store::{Mode, Sqlite};
use serde_json::json;
use std::path::Path;

/// A world at `home` with the other memory at `beside`.
fn world(home: &Path, kind: MemoryKind, beside: &Path) -> World {
    let mut world = World::on(home).unwrap();
    let open = |path: &Path| Sqlite::open(path.to_str().unwrap(), None, Mode::ReadWrite).map_err(EngineError::from);
    let memory = MemoryOptions { home: Some(kind), ..MemoryOptions::default() };
    let options = EngineOptions { memory, ..EngineOptions::default() };
    world.engine = Engine::new(open(home).unwrap(), options).unwrap().with_beside(open(beside));
    world
}

#[test]
fn both_are_searched_and_ids_resolve_in_both() {
    let (one, two) = (Folder::new("project"), Folder::new("user"));
    let project = world(&one.file(), MemoryKind::Project, &two.file());
    let user = world(&two.file(), MemoryKind::User, &one.file());
    let of_user = user.added(&pool());
    let of_project = project.added(&webpack());

    let answer = project.ask(POOL, linux());
    assert_eq!(
        (answer.incidents[0].memory, &answer.incidents[0].incident_id),
        (MemoryKind::User, &of_user.incident_id)
    );
    assert_eq!(answer.recommended_solution.unwrap().solution_id, of_user.solution_id);
    let answer = user.ask(&webpack().error_signature.unwrap(), json!({}));
    assert_eq!(answer.incidents[0].memory, MemoryKind::Project);

    let outcome = RecordOutcomeParams {
        lookup_id: Some(answer.lookup_id),
        solution_id: of_user.solution_id.clone(),
        worked: true,
        env: linux(),
        ..Default::default()
    };
    assert_eq!(project.tried(&outcome).unwrap().solution_stats.worked, 2, "a lookup of the user's memory");
    let added = project.solve(&of_user.incident_id, "Raise pool_size", linux()).unwrap();
    assert!(added.created);
    assert!(user.solve(&of_project.incident_id, "yarn add sass-loader", linux()).unwrap().created);

    let alone = World::on(&two.file()).unwrap();
    let known = alone.ask(POOL, linux());
    assert_eq!(
        (known.ranked_solutions.len(), known.ranked_solutions[0].worked),
        (2, 2),
        "it lives where its incident does"
    );
    assert!(alone.ask(&webpack().error_signature.unwrap(), json!({})).incidents.is_empty());
}

#[test]
fn a_problem_known_beside_is_not_added_again() {
    let (one, two) = (Folder::new("dup-project"), Folder::new("dup-user"));
    let user = world(&two.file(), MemoryKind::User, &one.file());
    let known = user.added(&pool());
    let project = world(&one.file(), MemoryKind::Project, &two.file());
    let AddIncidentResult::Duplicate(found) = project.add(&pool()).unwrap() else { panic!("it was added") };
    assert_eq!(found.incident_id, known.incident_id);
}

#[test]
fn a_missing_memory_stays_missing_and_a_broken_one_is_a_warning() {
    let (one, two) = (Folder::new("missing-project"), Folder::new("missing-user"));
    let project = world(&one.file(), MemoryKind::Project, &two.file());
    project.added(&pool());
    let answer = project.ask(POOL, linux());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 0));
    assert!(!two.file().exists());
    assert_eq!(project.solve("inc-none", "Do it", linux()).unwrap_err().code, ErrorCode::IncidentNotFound);

    std::fs::write(two.file(), "not a database, but long enough to be read as the header of one".repeat(20)).unwrap();
    let project = world(&one.file(), MemoryKind::Project, &two.file());
    let answer = project.ask(POOL, linux());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 1));
    assert!(answer.warnings[0].starts_with("The user's own memory was left out:"), "{}", answer.warnings[0]);
}
