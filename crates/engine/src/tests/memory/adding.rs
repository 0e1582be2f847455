//! Tests of `add_incident`, `add_solution` and `record_outcome`.

use crate::tests::prelude::*;

#[test]
fn add_incident_stores_a_solution_and_an_outcome() {
    let world = World::new();
    let created = world.added(&pool());
    assert!(created.created && created.incident_id.starts_with("inc-") && created.outcome_id.starts_with("out-"));
    assert!(created.solution_id.starts_with("sol-"));
    assert_eq!((created.env_bucket.as_str(), created.detected_env), (LINUX, None));
    assert_eq!(created.next_action.r#type, NextActionType::DoneOrAddEnvVariant);

    let failed = world.added(&AddIncidentParams { worked: false, ..webpack() });
    assert_eq!(failed.next_action.r#type, NextActionType::DebugFurtherThenAddSolutionOrIncident);
    let known = world.ask(&webpack().error_signature.unwrap(), json!({}));
    assert_eq!((known.ranked_solutions[0].worked, known.ranked_solutions[0].failed), (0, 1));
}

#[test]
fn add_incident_detects_the_same_error() {
    let world = World::new();
    let first = world.added(&pool());
    let again = AddIncidentParams {
        title: "QueuePool limit reached".to_owned(),
        error_signature: Some(POOL.replace("30.00", "12.50")),
        steps: "Raise pool_size".to_owned(),
        env: mac(),
        ..AddIncidentParams::default()
    };
    let AddIncidentResult::Duplicate(known) = world.add(&again).unwrap() else { panic!("it was added") };
    assert_eq!((known.created, &known.incident_id), (false, &first.incident_id));
    assert_eq!((known.title.as_str(), known.similarity), ("Connection pool exhausted under load", 1.0));
    assert_eq!(known.next_action.r#type, NextActionType::UseAddSolutionForExistingIncident);
    assert_eq!(world.ask(POOL, json!({})).ranked_solutions.len(), 1, "nothing was written");

    let forced = world.added(&AddIncidentParams { force: Some(true), ..again });
    assert_ne!(forced.incident_id, first.incident_id);
    assert!(matches!(world.add(&webpack()).unwrap(), AddIncidentResult::Created(_)), "another problem");
}

#[test]
fn add_incident_detects_the_same_words_without_an_error() {
    let world = World::new();
    let told = |title: &str| AddIncidentParams {
        title: title.to_owned(),
        summary: Some("The nightly export writes an empty spreadsheet when the ledger has no rows".to_owned()),
        error_signature: None,
        ..pool()
    };
    let first = world.added(&told("Nightly export empty"));
    let AddIncidentResult::Duplicate(known) = world.add(&told("Empty nightly export")).unwrap() else {
        panic!("it was added")
    };
    assert_eq!(known.incident_id, first.incident_id);
    assert!((0.5..=1.0).contains(&known.similarity));
}

#[test]
fn add_incident_detects_the_same_title_unless_the_error_differs() {
    let world = World::new();
    let first = world.added(&pool());
    let again = AddIncidentParams {
        title: pool().title.to_uppercase(),
        error_signature: None,
        summary: Some("Checkout hangs each Monday until the workers are started again".to_owned()),
        ..pool()
    };
    let AddIncidentResult::Duplicate(known) = world.add(&again).unwrap() else { panic!("it was added") };
    assert_eq!((known.incident_id, known.similarity), (first.incident_id, 1.0));
    let other_error = AddIncidentParams { error_signature: webpack().error_signature, ..again };
    assert!(matches!(world.add(&other_error).unwrap(), AddIncidentResult::Created(_)));
}

#[test]
fn equal_steps_are_a_single_solution_per_environment() {
    let world = World::new();
    let incident = world.added(&pool());
    let new = world.solve(&incident.incident_id, "Raise pool_size to 20", linux()).unwrap();
    assert!(new.created && new.solution_id != incident.solution_id);
    assert_eq!((new.env_bucket.as_str(), new.next_action.r#type), (LINUX, NextActionType::RecordOutcomeForNewSolution));
    let same = world.solve(&incident.incident_id, "raise  POOL_SIZE to 20\n", linux()).unwrap();
    assert_eq!((same.created, &same.solution_id), (false, &new.solution_id));
    let elsewhere = world.solve(&incident.incident_id, "Raise pool_size to 20", mac()).unwrap();
    assert!(elsewhere.created && elsewhere.solution_id != new.solution_id);
    assert_eq!(world.ask(POOL, linux()).incidents[0].solution_count, 3);

    let error = world.solve("inc-none", "Do it", linux()).unwrap_err();
    assert_eq!(error.code, ErrorCode::IncidentNotFound);
    assert!(error.message.starts_with("Incident 'inc-none' not found."), "{}", error.message);
    assert_eq!(world.solve("builtin-timeout", "Do it", linux()).unwrap_err().code, ErrorCode::IncidentNotFound);
}

#[test]
fn outcomes_are_summed_per_environment() {
    let world = World::new();
    let id = world.added(&pool()).solution_id;
    let worked = world.outcome(&id, true, linux());
    assert!(worked.ok && worked.outcome_id.starts_with("out-"));
    assert_eq!(worked.next_action.r#type, NextActionType::DoneOrAddEnvVariant);
    let failed = world.outcome(&id, false, mac());
    assert_eq!(failed.next_action.r#type, NextActionType::DebugFurtherThenAddSolutionOrIncident);
    let stats = failed.solution_stats;
    assert_eq!((stats.solution_id.as_str(), stats.worked, stats.failed), (id.as_str(), 2, 1));
    assert_eq!(stats.success_rate, 2.0 / 3.0);
    assert!(stats.reliability_score < worked.solution_stats.reliability_score);
    assert!(stats.last_confirmed_at.is_some());
    let buckets: Vec<_> = stats.buckets.iter().map(|row| (row.env_bucket.as_str(), row.worked, row.failed)).collect();
    let mac = LINUX.replace("linux", "macos");
    assert_eq!(buckets, [(LINUX, 2, 0), (mac.as_str(), 0, 1)]);
    assert_eq!(stats.buckets[1].last_confirmed_at, None);
}

#[test]
fn unknown_ids_are_errors_that_name_the_id() {
    let world = World::new();
    let mut params = RecordOutcomeParams { solution_id: "sol-none".to_owned(), env: linux(), ..Default::default() };
    let error = world.tried(&params).unwrap_err();
    assert_eq!(error.code, ErrorCode::SolutionNotFound);
    assert!(error.message.starts_with("Solution 'sol-none' not found."), "{}", error.message);
    params.solution_id = world.added(&pool()).solution_id;
    params.lookup_id = Some("lkp-none".to_owned());
    assert_eq!(world.tried(&params).unwrap_err().code, ErrorCode::LookupNotFound);
    assert_eq!(world.ask(POOL, linux()).ranked_solutions[0].worked, 1, "nothing was recorded");
    params.lookup_id = Some(world.ask(POOL, linux()).lookup_id);
    assert!(world.tried(&params).unwrap().ok);
    let incident = AddIncidentParams { lookup_id: Some("lkp-none".to_owned()), ..webpack() };
    assert_eq!(world.add(&incident).unwrap_err().code, ErrorCode::LookupNotFound);
}

#[test]
fn a_given_bucket_is_normalized_and_replaces_env() {
    let world = World::new();
    let id = world.added(&pool()).solution_id;
    let params = RecordOutcomeParams {
        solution_id: id,
        worked: true,
        env: json!({}),
        env_bucket: Some("language=py; os_family=darwin".to_owned()),
        detected_env: Some(json!({ "framework": "react" })),
        ..Default::default()
    };
    let outcome = world.tried(&params).unwrap();
    assert_eq!((outcome.env_bucket.as_str(), outcome.detected_env), ("os_family=macos;language=python", None));
    let params = RecordOutcomeParams { env_bucket: Some("something".to_owned()), ..params };
    assert_eq!(world.tried(&params).unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn missing_env_fields_are_filled_in_and_returned() {
    let world = World::new();
    let found = json!({ "os_family": "linux", "language": "typescript", "framework": "react", "framework_major": 18 });
    let add = |env, title: &str| {
        let params = AddIncidentParams {
            title: title.to_owned(),
            error_signature: None,
            summary: None,
            env,
            detected_env: Some(found.clone()),
            force: Some(true),
            ..pool()
        };
        world.added(&params)
    };
    let all = add(json!({}), "One");
    assert_eq!(all.env_bucket, "os_family=linux;language=typescript;framework=react;framework_major=18");
    assert_eq!(all.detected_env, Some(found.clone()));
    let other = add(json!({ "language": "python" }), "Two");
    assert_eq!(other.env_bucket, "os_family=linux;language=python", "no framework of another language");
    assert_eq!(other.detected_env, Some(json!({ "os_family": "linux" })));
    let full = add(found.clone(), "Three");
    assert_eq!((full.env_bucket, full.detected_env), (all.env_bucket, None));
}
