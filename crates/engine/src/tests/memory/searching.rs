//! Tests of `ranked_solutions`.

use crate::tests::prelude::*;

#[test]
fn an_unknown_problem_has_no_match() {
    let world = World::new();
    world.add_new_incident(&webpack_incident());
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    assert!(answer.lookup_id.starts_with("lkp-") && answer.incidents.is_empty() && answer.ranked_solutions.is_empty());
    assert_eq!((answer.recommended_solution, answer.more, answer.env_bucket.as_str()), (None, 0, LINUX_BUCKET));
    assert_eq!(answer.next_action.r#type, NextActionType::NoMatchDebugThenAddIncident);
    assert_eq!(
        answer.next_action.instructions,
        "No relevant incidents found. Debug normally. If a fix is found, call add_incident to store the incident + \
         solution + outcome."
    );
}

#[test]
fn an_incident_without_solutions_asks_for_a_solution() {
    let world = World::new();
    let line = json!({ "type": "incident", "id": "inc-a", "title": "Pool exhausted", "error_signature": POOL_ERROR });
    assert_eq!(world.import(&line.to_string()).added, 1);
    let answer = world.search_solutions(POOL_ERROR, json!({}));
    assert_eq!((answer.incidents[0].incident_id.as_str(), answer.incidents[0].solution_count), ("inc-a", 0));
    assert_eq!(answer.next_action.r#type, NextActionType::NoSolutionsAddOne);
    assert_eq!(answer.recommended_solution, None);
}

#[test]
fn a_title_of_common_words_is_found_by_the_full_title() {
    let world = World::new();
    world.add_new_incident(&webpack_incident());
    let created = world.add_new_incident(&AddIncidentParams {
        title: "Global one".to_owned(),
        error_signature: None,
        ..webpack_incident()
    });
    let answer = world.search_solutions("  global  one\n", linux_env());
    assert_eq!(answer.incidents[0].incident_id, created.incident_id);
    assert_eq!(answer.incidents[0].because[0], "same title");
    assert!(
        world.search_solutions("one global", linux_env()).incidents.is_empty(),
        "two common words are not enough for a match"
    );
}

#[test]
fn a_known_problem_has_a_recommended_solution() {
    let world = World::new();
    let created = world.add_new_incident(&pool_incident());
    world.add_new_incident(&webpack_incident());
    let answer = world.search_solutions(&format!("Traceback (most recent call last):\n  File \"/srv/app/views.py\", line 12, in index\n    rows = q.all()\n{POOL_ERROR}"), linux_env());
    let found = &answer.incidents[0];
    assert_eq!(
        (answer.incidents.len(), &found.incident_id, found.kind),
        (1, &created.incident_id, MatchKind::Incident)
    );
    assert_eq!((found.title.as_str(), found.memory), ("Connection pool exhausted under load", MemoryKind::Project));
    assert_eq!((found.error_signature.as_deref(), found.tags.len(), found.solution_count), (Some(POOL_ERROR), 2, 1));
    assert!((0.3..=1.0).contains(&found.score) && !found.because.is_empty());
    let best = answer.recommended_solution.unwrap();
    assert_eq!(answer.ranked_solutions, std::slice::from_ref(&best));
    assert_eq!((&best.solution_id, &best.incident_id), (&created.solution_id, &created.incident_id));
    assert_eq!((best.steps.as_str(), best.env), ("Close the session before the mail is sent", linux_env()));
    assert_eq!((best.env_bucket.as_str(), best.best_env_bucket_match.as_str()), (LINUX_BUCKET, LINUX_BUCKET));
    assert_eq!((best.env_match_score, best.worked, best.failed), (1.0, 1, 0));
    for score in [best.reliability_score, best.recency_boost, best.final_solution_score] {
        assert!((0.0..=1.0).contains(&score));
    }
    assert!(best.why.contains("worked 1 of 1") && best.last_confirmed_at.is_some(), "{}", best.why);
    assert_eq!(answer.next_action.r#type, NextActionType::TrySolutionAndRecordOutcome);
}

#[test]
fn solutions_rank_by_outcomes_in_the_same_environment() {
    let world = World::new();
    let incident = world.add_new_incident(&pool_incident());
    let here = world.add_solution(&incident.incident_id, "Raise pool_size to 20", mac_env()).unwrap().solution_id;
    let untried = world.add_solution(&incident.incident_id, "Use pgbouncer", mac_env()).unwrap().solution_id;
    for _ in 0..4 {
        world.outcome(&here, true, mac_env());
    }
    for _ in 0..3 {
        world.outcome(&incident.solution_id, true, linux_env());
        world.outcome(&incident.solution_id, false, mac_env());
    }
    let order = |env| -> Vec<String> {
        let ranked = world.search_solutions(POOL_ERROR, env).ranked_solutions;
        assert!(ranked.is_sorted_by(|a, b| a.final_solution_score >= b.final_solution_score));
        ranked.into_iter().map(|solution| solution.solution_id).collect()
    };
    assert_eq!(order(mac_env()), [here.as_str(), &untried, &incident.solution_id]);
}

#[test]
fn a_solution_that_only_failed_ranks_last_with_a_warning() {
    let world = World::new();
    let first = world.add_new_incident(&AddIncidentParams { worked: false, ..pool_incident() });
    for _ in 0..3 {
        world.outcome(&first.solution_id, false, linux_env());
    }
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    assert_eq!(answer.next_action.r#type, NextActionType::TrySolutionAndRecordOutcome);
    let warning = answer.warnings.concat();
    assert!(warning.contains("failed 4 of 4 times in this environment. Debug instead"), "{warning}");
    assert!(warning.contains("add_solution"), "{warning}");
    let worked = world.add_solution(&first.incident_id, "Raise pool_size to 20", mac_env()).unwrap().solution_id;
    world.outcome(&worked, true, mac_env());
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    assert_eq!(answer.recommended_solution.unwrap().solution_id, worked);
    assert!(!answer.warnings.concat().contains("Debug instead"), "{:?}", answer.warnings);
}

#[test]
fn a_limit_reports_the_number_of_omitted_solutions() {
    let world = World::new();
    let incident = world.add_new_incident(&pool_incident());
    for number in 0..7 {
        world.add_solution(&incident.incident_id, &format!("Do the thing number {number}"), linux_env()).unwrap();
    }
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    assert_eq!((answer.ranked_solutions.len(), answer.more), (5, 3));
    let ask = |limit| {
        world.ranked(&RankedSolutionsParams {
            query_text: POOL_ERROR.to_owned(),
            env: linux_env(),
            limit: Some(limit),
            ..Default::default()
        })
    };
    assert_eq!(ask(1).unwrap().ranked_solutions.len(), 1);
    assert_eq!(ask(50).unwrap().ranked_solutions.len(), 8);
    for limit in [0, -1, 51, 1_000_000_000] {
        let error = ask(limit).unwrap_err();
        assert_eq!(
            (error.code, error.message),
            (ErrorCode::InvalidInput, format!("limit is {limit}; it must be from 1 to 50."))
        );
    }
}

#[test]
fn long_steps_are_cut_except_in_the_first_solution() {
    let world = World::new();
    let incident = world.add_new_incident(&pool_incident());
    for number in 0..3 {
        world
            .add_solution(&incident.incident_id, &format!("{number} {}", "step ".repeat(18_000)), linux_env())
            .unwrap();
    }
    world.outcome(&world.search_solutions(POOL_ERROR, linux_env()).ranked_solutions[1].solution_id, true, linux_env());
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    let bytes: usize = answer.ranked_solutions.iter().map(|solution| solution.steps.len()).sum();
    assert!(bytes < 200_000 && answer.warnings.len() == 1, "{bytes} {:?}", answer.warnings);
}

#[test]
fn an_answer_is_bounded_for_large_solutions() {
    let world = World::new();
    let env = |number: usize| {
        let entry = |key: usize| (format!("key{key}of{number}{}", "k".repeat(80)), json!("v".repeat(200)));
        serde_json::Value::Object((0..50).map(entry).collect())
    };
    let incident = world.add_new_incident(&pool_incident());
    for number in 0..25 {
        let steps = format!("{number} {}", "step ".repeat(20_000));
        let solution = world.add_solution(&incident.incident_id, &steps, env(number)).unwrap().solution_id;
        let outcome = RecordOutcomeParams {
            solution_id: solution,
            env: env(number),
            notes: Some("note ".repeat(2_000)),
            ..RecordOutcomeParams::default()
        };
        world.record_outcome_with(&outcome).unwrap();
    }
    let all = RankedSolutionsParams {
        query_text: POOL_ERROR.to_owned(),
        env: linux_env(),
        limit: Some(50),
        ..Default::default()
    };
    let answer = world.ranked(&all).unwrap();
    assert_eq!((answer.ranked_solutions.len(), answer.warnings.len()), (26, 1));
    let size = serde_json::to_string(&answer).unwrap().len();
    assert!(size < 512 * 1024, "{size}");
    let detail = world.incident(&incident.incident_id).unwrap();
    assert_eq!((detail.solutions.len(), detail.more), (20, 6));
    let size = serde_json::to_string(&detail).unwrap().len();
    assert!(size < 1024 * 1024, "{size}");
}

#[test]
fn a_read_only_memory_can_be_searched() {
    let folder = Folder::new("readonly-memory");
    World::open(&folder.file()).unwrap().add_new_incident(&pool_incident());
    let database = Sqlite::open(folder.file().to_str().unwrap(), None, FileAccess::ReadOnly).unwrap();
    let mut world = World::new();
    world.engine = crate::Engine::new(Database::Sqlite(database), EngineOptions::default()).unwrap();
    let answer = world.search_solutions(POOL_ERROR, linux_env());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 1));
    assert!(answer.warnings[0].starts_with("The search was not stored"), "{}", answer.warnings[0]);
}

#[test]
fn a_search_with_an_id_can_be_repeated() {
    let world = World::new();
    world.add_new_incident(&pool_incident());
    let params = RankedSolutionsParams {
        query_text: POOL_ERROR.to_owned(),
        env: linux_env(),
        ..RankedSolutionsParams::default()
    };
    let ask = || ranked_solutions(&world.engine, &CallContext::with_call_id(START_MS, "call-1"), &params).unwrap();
    let (first, again) = (ask(), ask());
    assert_eq!((first.lookup_id, first.incidents.len()), (again.lookup_id, again.incidents.len()));
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
}
