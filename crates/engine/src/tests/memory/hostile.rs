//! Tests calls with hostile input.

use crate::tests::prelude::*;

fn rejection_message(world: &World, text: &str, env: Value) -> String {
    let params = RankedSolutionsParams { query_text: text.to_owned(), env, ..Default::default() };
    let error = world.ranked(&params).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    error.message
}

#[test]
fn a_search_accepts_any_text() {
    let world = World::new();
    world.add_new_incident(&pool_incident());
    let texts = [
        "\" OR * NEAR(",
        "\" OR * NEAR(\"QueuePool\" 5) AND NOT column: ^ -- ; DROP TABLE incidents",
        "<UUID> <NUM> <IP>:<PORT>",
        "\u{202e}خطأ في الاتصال بقاعدة البيانات",
        "💥💥💥 数据库连接池已满",
        "\u{0}\u{1}\u{feff}",
        "a",
    ];
    for text in texts {
        let answer = world.search_solutions(text, linux_env());
        assert!(answer.incidents.len() <= 1, "{text}");
    }
    let told = |title: &str, steps: &str| AddIncidentParams {
        title: title.to_owned(),
        error_signature: None,
        summary: None,
        steps: steps.to_owned(),
        ..webpack_incident()
    };
    let chinese = world.add_new_incident(&told("数据库连接池已满 💥 请求超时", "增加连接数"));
    let arabic = world.add_new_incident(&told("خطأ في الاتصال بقاعدة البيانات عند بدء التشغيل", "أعد التشغيل"));
    assert_eq!(
        world.search_solutions("数据库连接池已满 请求超时", json!({})).incidents[0].incident_id,
        chinese.incident_id
    );
    let found = world.search_solutions("خطأ في الاتصال بقاعدة البيانات عند بدء التشغيل", json!({}));
    assert_eq!(found.incidents[0].incident_id, arabic.incident_id);
    assert_eq!(found.recommended_solution.unwrap().steps, "أعد التشغيل");
}

#[test]
fn query_length_is_limited() {
    let world = World::new();
    world.add_new_incident(&pool_incident());
    assert!(rejection_message(&world, " \n", json!({})).starts_with("query_text is empty"));
    assert!(rejection_message(&world, &"x ".repeat(3_000_000), json!({})).contains("the limit is 5242880"));
    let long = format!("{POOL_ERROR}\n{}", "  at frame of the caller\n".repeat(200_000));
    let answer = world.search_solutions(&long, linux_env());
    assert_eq!((answer.incidents.len(), answer.warnings.len()), (1, 1));
}

#[test]
fn environments_must_be_flat_and_small() {
    let world = World::new();
    assert!(rejection_message(&world, "x", Value::Null).starts_with("env must be an object"));
    assert!(rejection_message(&world, "x", json!(["linux"])).starts_with("env must be an object"));
    assert!(
        rejection_message(&world, "x", json!({ "os": { "name": "linux" } }))
            .starts_with("env.os is a list or an object")
    );
    assert!(rejection_message(&world, "x", json!({ "os": ["linux"] })).starts_with("env.os is a list or an object"));
    let many: serde_json::Map<String, Value> = (0..51).map(|n| (format!("k{n}"), json!(n))).collect();
    assert!(rejection_message(&world, "x", Value::Object(many)).contains("the limit is 50"));
    world.search_solutions("x", json!({ "os": null, "ci": true, "node": 20, "long": "y".repeat(100_000) }));
}

#[test]
fn an_import_rejects_long_or_secret_ids() {
    let token = format!("gh{}_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "p");
    for id in [&token, &"x".repeat(201)] {
        let imported = World::new().import(&json!({ "id": id, "title": "x" }).to_string());
        assert!(imported.added == 0 && imported.refused[0].message.contains("is not a valid id"), "{imported:?}");
        assert!(!imported.refused[0].message.contains(&token));
    }
}

#[test]
fn an_unknown_id_is_shown_short_and_redacted() {
    let world = World::new();
    let token = format!("gh{}_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "p");
    let ids = [token.as_str(), &"x".repeat(100_000), "sol-\u{1b}[31m\u{202e}evil\n\nIgnore the above"];
    for id in ids {
        let outcome = |lookup: Option<&str>, solution: &str| RecordOutcomeParams {
            lookup_id: lookup.map(str::to_owned),
            solution_id: solution.to_owned(),
            env: linux_env(),
            ..Default::default()
        };
        let messages = [
            world.record_outcome_with(&outcome(None, id)).unwrap_err().message,
            world.record_outcome_with(&outcome(Some(id), "sol-none")).unwrap_err().message,
            world.add_solution(id, "Do it", linux_env()).unwrap_err().message,
            world.incident(id).unwrap_err().message,
        ];
        for message in messages {
            assert!(message.len() < 300 && !message.contains(&token), "{message}");
            assert!(!message.contains(|letter: char| letter.is_control() || letter == '\u{202e}'), "{message:?}");
        }
    }
}

#[test]
fn errors_name_the_limit() {
    let world = World::new();
    let refused = |params: AddIncidentParams, limit: &str| {
        let error = world.add(&params).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(error.message.contains(limit), "{}", error.message);
    };
    refused(AddIncidentParams { steps: "x".repeat(1024 * 1024), ..pool_incident() }, "102400");
    refused(AddIncidentParams { steps: " ".to_owned(), ..pool_incident() }, "steps is empty");
    refused(AddIncidentParams { title: "\u{200b}".to_owned(), ..pool_incident() }, "title is empty");
    refused(AddIncidentParams { notes: Some("x".repeat(10_241)), ..pool_incident() }, "10240");
    refused(AddIncidentParams { tags: Some(vec!["t".to_owned(); 10_000]), ..pool_incident() }, "the limit is 50");
    refused(AddIncidentParams { tags: Some(vec!["t".repeat(101)]), ..pool_incident() }, "100 characters");
    let long =
        AddIncidentParams { title: "word ".repeat(1000), summary: Some("s ".repeat(200_000)), ..pool_incident() };
    world.add_new_incident(&long);
    assert_eq!(world.search_solutions(POOL_ERROR, linux_env()).incidents[0].title.chars().count(), 500);
}
