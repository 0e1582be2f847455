//! Tests of `add_incident`, `add_solution` and `record_outcome`.

use crate::tests::prelude::*;

#[test]
fn add_incident_stores_a_solution_and_an_outcome() {
    let world = World::new();
    let created = world.add_new_incident(&pool_incident());
    assert!(created.created && created.incident_id.starts_with("inc-") && created.outcome_id.starts_with("out-"));
    assert!(created.solution_id.starts_with("sol-"));
    assert_eq!((created.env_bucket.as_str(), created.detected_env), (LINUX_BUCKET, None));
    assert_eq!(created.next_action.r#type, NextActionType::DoneOrAddEnvVariant);

    let failed = world.add_new_incident(&AddIncidentParams { worked: false, ..webpack_incident() });
    assert_eq!(failed.next_action.r#type, NextActionType::DebugFurtherThenAddSolutionOrIncident);
    let known = world.search_solutions(&webpack_incident().error_signature.unwrap(), json!({}));
    assert_eq!((known.ranked_solutions[0].worked, known.ranked_solutions[0].failed), (0, 1));
}

#[test]
fn add_incident_detects_the_same_error() {
    let world = World::new();
    let first = world.add_new_incident(&pool_incident());
    let again = AddIncidentParams {
        title: "QueuePool limit reached".to_owned(),
        error_signature: Some(POOL_ERROR.replace("30.00", "12.50")),
        steps: "Raise pool_size".to_owned(),
        env: mac_env(),
        ..AddIncidentParams::default()
    };
    let AddIncidentResult::Duplicate(known) = world.add(&again).unwrap() else { panic!("it was added") };
    assert_eq!((known.created, &known.incident_id), (false, &first.incident_id));
    assert_eq!((known.title.as_str(), known.similarity), ("Connection pool exhausted under load", 1.0));
    assert_eq!(known.next_action.r#type, NextActionType::UseAddSolutionForExistingIncident);
    assert_eq!(world.search_solutions(POOL_ERROR, json!({})).ranked_solutions.len(), 1, "nothing was written");

    let forced = world.add_new_incident(&AddIncidentParams { force: Some(true), ..again });
    assert_ne!(forced.incident_id, first.incident_id);
    assert!(
        matches!(world.add(&webpack_incident()).unwrap(), AddIncidentResult::Created(_)),
        "another problem is not a duplicate"
    );
}

#[test]
fn add_incident_detects_the_same_text_without_an_error() {
    let world = World::new();
    let told = |title: &str| AddIncidentParams {
        title: title.to_owned(),
        summary: Some("The nightly export writes an empty spreadsheet when the ledger has no rows".to_owned()),
        error_signature: None,
        ..pool_incident()
    };
    let first = world.add_new_incident(&told("Nightly export empty"));
    let AddIncidentResult::Duplicate(known) = world.add(&told("Empty nightly export")).unwrap() else {
        panic!("it was added")
    };
    assert_eq!(known.incident_id, first.incident_id);
    assert!((0.5..=1.0).contains(&known.similarity));
}

#[test]
fn add_incident_detects_the_same_title_unless_the_error_differs() {
    let world = World::new();
    let first = world.add_new_incident(&pool_incident());
    let again = AddIncidentParams {
        title: pool_incident().title.to_uppercase(),
        error_signature: None,
        summary: Some("Checkout hangs each Monday until the workers are started again".to_owned()),
        ..pool_incident()
    };
    let AddIncidentResult::Duplicate(known) = world.add(&again).unwrap() else { panic!("it was added") };
    assert_eq!((known.incident_id, known.similarity), (first.incident_id, 1.0));
    let other_error = AddIncidentParams { error_signature: webpack_incident().error_signature, ..again };
    assert!(matches!(world.add(&other_error).unwrap(), AddIncidentResult::Created(_)));
}

#[test]
fn equal_steps_are_a_single_solution_per_environment() {
    let world = World::new();
    let incident = world.add_new_incident(&pool_incident());
    let new = world.add_solution(&incident.incident_id, "Raise pool_size to 20", linux_env()).unwrap();
    assert!(new.created && new.solution_id != incident.solution_id);
    assert_eq!(
        (new.env_bucket.as_str(), new.next_action.r#type),
        (LINUX_BUCKET, NextActionType::RecordOutcomeForNewSolution)
    );
    let same = world.add_solution(&incident.incident_id, "raise  POOL_SIZE to 20\n", linux_env()).unwrap();
    assert_eq!((same.created, &same.solution_id), (false, &new.solution_id));
    let elsewhere = world.add_solution(&incident.incident_id, "Raise pool_size to 20", mac_env()).unwrap();
    assert!(elsewhere.created && elsewhere.solution_id != new.solution_id);
    assert_eq!(world.search_solutions(POOL_ERROR, linux_env()).incidents[0].solution_count, 3);

    let error = world.add_solution("inc-none", "Do it", linux_env()).unwrap_err();
    assert_eq!(error.code, ErrorCode::IncidentNotFound);
    assert!(error.message.starts_with("Incident 'inc-none' not found."), "{}", error.message);
    assert_eq!(
        world.add_solution("builtin-timeout", "Do it", linux_env()).unwrap_err().code,
        ErrorCode::IncidentNotFound
    );
}

#[test]
fn outcomes_are_summed_per_environment() {
    let world = World::new();
    let id = world.add_new_incident(&pool_incident()).solution_id;
    let worked = world.outcome(&id, true, linux_env());
    assert!(worked.ok && worked.outcome_id.starts_with("out-"));
    assert_eq!(worked.next_action.r#type, NextActionType::DoneOrAddEnvVariant);
    let failed = world.outcome(&id, false, mac_env());
    assert_eq!(failed.next_action.r#type, NextActionType::DebugFurtherThenAddSolutionOrIncident);
    let stats = failed.solution_stats;
    assert_eq!((stats.solution_id.as_str(), stats.worked, stats.failed), (id.as_str(), 2, 1));
    assert_eq!(stats.success_rate, 2.0 / 3.0);
    assert!(stats.reliability_score < worked.solution_stats.reliability_score);
    assert!(stats.last_confirmed_at.is_some());
    let buckets: Vec<_> = stats.buckets.iter().map(|row| (row.env_bucket.as_str(), row.worked, row.failed)).collect();
    let mac = LINUX_BUCKET.replace("linux", "macos");
    assert_eq!(buckets, [(LINUX_BUCKET, 2, 0), (mac.as_str(), 0, 1)]);
    assert_eq!(stats.buckets[1].last_confirmed_at, None);
}

#[test]
fn unknown_ids_are_errors_that_name_the_id() {
    let world = World::new();
    let mut params = RecordOutcomeParams { solution_id: "sol-none".to_owned(), env: linux_env(), ..Default::default() };
    let error = world.record_outcome_with(&params).unwrap_err();
    assert_eq!(error.code, ErrorCode::SolutionNotFound);
    assert!(error.message.starts_with("Solution 'sol-none' not found."), "{}", error.message);
    params.solution_id = world.add_new_incident(&pool_incident()).solution_id;
    params.lookup_id = Some("lkp-none".to_owned());
    assert_eq!(world.record_outcome_with(&params).unwrap_err().code, ErrorCode::LookupNotFound);
    assert_eq!(world.search_solutions(POOL_ERROR, linux_env()).ranked_solutions[0].worked, 1, "nothing was recorded");
    params.lookup_id = Some(world.search_solutions(POOL_ERROR, linux_env()).lookup_id);
    assert!(world.record_outcome_with(&params).unwrap().ok);
    let incident = AddIncidentParams { lookup_id: Some("lkp-none".to_owned()), ..webpack_incident() };
    assert_eq!(world.add(&incident).unwrap_err().code, ErrorCode::LookupNotFound);
}

#[test]
fn a_given_bucket_is_normalized_and_replaces_env() {
    let world = World::new();
    let id = world.add_new_incident(&pool_incident()).solution_id;
    let params = RecordOutcomeParams {
        solution_id: id,
        worked: true,
        env: json!({}),
        env_bucket: Some("language=py; os_family=darwin".to_owned()),
        detected_env: Some(json!({ "framework": "react" })),
        ..Default::default()
    };
    let outcome = world.record_outcome_with(&params).unwrap();
    assert_eq!((outcome.env_bucket.as_str(), outcome.detected_env), ("os_family=macos;language=python", None));
    let params = RecordOutcomeParams { env_bucket: Some("something".to_owned()), ..params };
    assert_eq!(world.record_outcome_with(&params).unwrap_err().code, ErrorCode::InvalidInput);
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
            ..pool_incident()
        };
        world.add_new_incident(&params)
    };
    let all = add(json!({}), "One");
    assert_eq!(all.env_bucket, "os_family=linux;language=typescript;framework=react;framework_major=18");
    assert_eq!(all.detected_env, Some(found.clone()));
    let other = add(json!({ "language": "python" }), "Two");
    assert_eq!(
        other.env_bucket, "os_family=linux;language=python",
        "the framework of another language is not filled in"
    );
    assert_eq!(other.detected_env, Some(json!({ "os_family": "linux" })));
    let full = add(found.clone(), "Three");
    assert_eq!((full.env_bucket, full.detected_env), (all.env_bucket, None));
}
