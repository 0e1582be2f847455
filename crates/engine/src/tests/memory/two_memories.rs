//! The project's memory and the user's own memory in the same engine.

use crate::tests::{databases, prelude::*};
use std::sync::Barrier;

/// Returns a world at `home` with the other memory at `beside`.
fn world_with_secondary(home: &Path, kind: MemoryKind, beside: &Path) -> World {
    let mut world = World::open(home).unwrap();
    let open = |path: &Path| databases::open_file(path.to_str().unwrap()).map_err(EngineError::from);
    let memory = MemoryOptions { home: Some(kind), ..MemoryOptions::default() };
    let options = EngineOptions { memory, ..EngineOptions::default() };
    world.engine = Engine::new(open(home).unwrap(), options).unwrap().with_secondary(open(beside));
    world
}

#[test]
fn both_memories_are_searched_and_resolve_ids() {
    let (one, two) = (Folder::new("project"), Folder::new("user"));
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    let user = world_with_secondary(&two.file(), MemoryKind::User, &one.file());
    let of_user = user.add_new_incident(&pool_incident());
    let of_project = project.add_new_incident(&webpack_incident());

    let answer = project.search_solutions(POOL_ERROR, linux_env());
    assert_eq!(
        (answer.incidents[0].memory, &answer.incidents[0].incident_id),
        (MemoryKind::User, &of_user.incident_id)
    );
    assert_eq!(answer.recommended_solution.unwrap().solution_id, of_user.solution_id);
    let answer = user.search_solutions(&webpack_incident().error_signature.unwrap(), json!({}));
    assert_eq!(answer.incidents[0].memory, MemoryKind::Project);

    let outcome = RecordOutcomeParams {
        lookup_id: Some(answer.lookup_id),
        solution_id: of_user.solution_id.clone(),
        worked: true,
        env: linux_env(),
        ..Default::default()
    };
    assert_eq!(
        project.record_outcome_with(&outcome).unwrap().solution_stats.worked,
        2,
        "a lookup id of the user's memory is accepted"
    );
    let added = project.add_solution(&of_user.incident_id, "Raise pool_size", linux_env()).unwrap();
    assert!(added.created);
    assert!(user.add_solution(&of_project.incident_id, "yarn add sass-loader", linux_env()).unwrap().created);

    let alone = World::open(&two.file()).unwrap();
    let known = alone.search_solutions(POOL_ERROR, linux_env());
    assert_eq!(
        (known.ranked_solutions.len(), known.ranked_solutions[0].worked),
        (2, 2),
        "it lives where its incident does"
    );
    assert!(alone.search_solutions(&webpack_incident().error_signature.unwrap(), json!({})).incidents.is_empty());
}

#[test]
fn a_problem_in_the_secondary_memory_is_a_duplicate() {
    let (one, two) = (Folder::new("dup-project"), Folder::new("dup-user"));
    let user = world_with_secondary(&two.file(), MemoryKind::User, &one.file());
    let known = user.add_new_incident(&pool_incident());
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    let AddIncidentResult::Duplicate(found) = project.add(&pool_incident()).unwrap() else { panic!("it was added") };
    assert_eq!(found.incident_id, known.incident_id);
}

#[test]
fn concurrent_adds_to_different_memories_store_one_incident() {
    let (one, two) = (Folder::new("race-project"), Folder::new("race-user"));
    let (one, two) = (one.file(), two.file());
    world_with_secondary(&one, MemoryKind::Project, &two).add_new_incident(&webpack_incident());
    world_with_secondary(&two, MemoryKind::User, &one)
        .add_solution("inc-none", "It makes the file", linux_env())
        .unwrap_err();
    World::open(&two).unwrap().import(&json!({ "title": "Gyroscope drift" }).to_string());
    for round in 0..12 {
        let incident = || AddIncidentParams {
            title: format!("Turbine{round} number{round}x stalls"),
            error_signature: Some(format!("StalledTurbine{round}Error: blade{round} hit the casing{round}")),
            summary: None,
            tags: None,
            ..pool_incident()
        };
        let start = Barrier::new(2);
        let add = |home: &Path, kind: MemoryKind, beside: &Path| {
            let world = world_with_secondary(home, kind, beside);
            start.wait();
            matches!(world.add(&incident()).unwrap(), AddIncidentResult::Created(_))
        };
        let (of_project, of_user) = std::thread::scope(|scope| {
            let of_project = scope.spawn(|| add(&one, MemoryKind::Project, &two));
            let of_user = scope.spawn(|| add(&two, MemoryKind::User, &one));
            (of_project.join().unwrap(), of_user.join().unwrap())
        });
        assert!(of_project != of_user, "round {round}: {of_project} {of_user}");
    }
}

#[test]
fn an_incident_in_both_memories_is_shown_once() {
    let (one, two) = (Folder::new("copied-project"), Folder::new("copied-user"));
    let user = world_with_secondary(&two.file(), MemoryKind::User, &one.file());
    let known = user.add_new_incident(&pool_incident());
    let export = || user.call(export, &MemoryExportParams::default()).unwrap().lines;
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    assert_eq!(project.import(&export()).added, 1);
    let own = user.add_solution(&known.incident_id, "Raise pool_size", linux_env()).unwrap().solution_id;
    for home in [&project, &user] {
        home.outcome(&known.solution_id, true, linux_env());
        let answer = home.search_solutions(POOL_ERROR, linux_env());
        assert_eq!((answer.incidents.len(), answer.incidents[0].solution_count, answer.more), (1, 2, 0));
        assert_eq!(Some(answer.incidents[0].memory), home.engine.options.memory.home);
        let ids: Vec<_> = answer.ranked_solutions.iter().map(|one| (&one.solution_id, one.worked)).collect();
        assert_eq!(
            ids,
            [(&known.solution_id, 2), (&own, 0)],
            "a solution in both memories has the outcomes of the primary memory"
        );
        let params = MemorySearchParams { text: POOL_ERROR.to_owned(), ..MemorySearchParams::default() };
        let found = home.call(search, &params).unwrap();
        assert_eq!((found.ranked.as_slice(), found.scores.len()), (std::slice::from_ref(&known.incident_id), 1));
    }
}

#[test]
fn an_incident_is_shown_with_all_solutions_and_outcomes() {
    let (one, two) = (Folder::new("shown-project"), Folder::new("shown-user"));
    let user = world_with_secondary(&two.file(), MemoryKind::User, &one.file());
    let known = user.add_new_incident(&AddIncidentParams { notes: Some("took an hour".to_owned()), ..pool_incident() });
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    project.add_solution(&known.incident_id, "Raise pool_size", linux_env()).unwrap();
    project.outcome(&known.solution_id, false, linux_env());
    let shown = project.incident(&format!(" {} ", known.incident_id)).unwrap();
    assert_eq!(
        (shown.incident_id.as_str(), shown.memory, shown.more),
        (known.incident_id.as_str(), MemoryKind::User, 0)
    );
    assert_eq!((shown.title, shown.error_signature), (pool_incident().title, pool_incident().error_signature));
    assert_eq!((shown.summary, Some(shown.tags)), (pool_incident().summary, pool_incident().tags));
    let [first, second] = &shown.solutions[..] else { panic!("{:?}", shown.solutions) };
    assert_eq!((&first.solution_id, first.worked, first.failed, first.buckets.len()), (&known.solution_id, 1, 1, 1));
    let outcomes: Vec<_> = first.outcomes.iter().map(|one| (one.worked, one.notes.as_deref())).collect();
    assert_eq!(outcomes, [(false, None), (true, Some("took an hour"))]);
    assert_eq!((second.steps.as_str(), second.outcomes.len()), ("Raise pool_size", 0));
    let ids = |kind, prefix: &str| {
        project.call(complete_ids, &CompleteIdsParams { kind, prefix: prefix.to_owned() }).unwrap()
    };
    assert_eq!(ids(IdKind::Incident, &known.incident_id[..12]), std::slice::from_ref(&known.incident_id));
    assert!(ids(IdKind::Solution, &known.solution_id[..12]).contains(&known.solution_id));
    assert!(ids(IdKind::Incident, "inc-zzz").is_empty() && ids(IdKind::Incident, "pat-").is_empty());
    assert_eq!(project.incident("inc-none").unwrap_err().code, ErrorCode::IncidentNotFound);
}

#[test]
fn a_missing_memory_is_not_created_and_a_broken_memory_adds_a_warning() {
    let (one, two) = (Folder::new("missing-project"), Folder::new("missing-user"));
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    project.add_new_incident(&pool_incident());
    let answer = project.search_solutions(POOL_ERROR, linux_env());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 0));
    assert!(!two.file().exists());
    assert_eq!(project.add_solution("inc-none", "Do it", linux_env()).unwrap_err().code, ErrorCode::IncidentNotFound);

    std::fs::write(two.file(), "not a database, but long enough to be read as the header of one".repeat(20)).unwrap();
    let project = world_with_secondary(&one.file(), MemoryKind::Project, &two.file());
    let answer = project.search_solutions(POOL_ERROR, linux_env());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 1));
    assert!(answer.warnings[0].starts_with("The user's own memory was skipped:"), "{}", answer.warnings[0]);
}
