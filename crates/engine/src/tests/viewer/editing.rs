//! Values that a person sets on a pattern are kept, regardless of later learning.

use crate::tests::prelude::*;

#[test]
fn values_of_a_person_are_shown_everywhere() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    let row = world.set(&id, Category::NetworkError, "The uplink is down", "Restart the uplink");
    assert_eq!((row.category, row.edited), (Category::NetworkError, true));

    let known = world.diagnose(&run, "boom").unwrap();
    let shown = known.pattern.unwrap();
    assert_eq!((known.category, shown.category), (Category::NetworkError, Category::NetworkError));
    assert_eq!(known.suggested_fix.as_deref(), Some("Restart the uplink"));
    assert_eq!(shown.description, "The uplink is down");
    assert_eq!(known.signature, shown.signature);
    assert!(known.signature_pattern.starts_with("UNKNOWN::"), "an edit does not change the signature");
    assert_eq!(known.signature_pattern, shown.signature_pattern);

    let params = PatternsParams { category: Some(Category::NetworkError), ..PatternsParams::default() };
    let listed = world.call(patterns, &params).unwrap();
    assert_eq!((listed.learned_count, listed.patterns[0].id.as_str()), (1, id.as_str()));
    let params = PatternsParams { category: Some(Category::Unknown), ..PatternsParams::default() };
    let listed = world.call(patterns, &params).unwrap();
    assert_eq!((listed.learned_count, listed.patterns.len()), (0, 0));

    let answer = world.search_solutions(UNKNOWN_ERROR, json!({}));
    assert_eq!(answer.incidents[0].title, "The uplink is down");
    assert_eq!(answer.incidents[0].tags, ["NETWORK_ERROR"]);
    let best = answer.recommended_solution.unwrap();
    assert_eq!((best.steps.as_str(), &best.why[..16]), ("Restart the uplink", "set by a person;"));
    assert_eq!(answer.ranked_solutions[1].steps, "Tuned it");
    let resource = world.call(pattern, &IdParams { id: id.clone() }).unwrap();
    assert_eq!(resource.pattern.suggested_fix.as_deref(), Some("Restart the uplink"));

    let brief =
        world.record(&crate::contract::RecordRunParams::default(), vec![failed_case("boom", UNKNOWN_ERROR)]).unwrap();
    assert_eq!(brief.failures[0].category, Category::NetworkError);
    assert_eq!(brief.failures[0].known.as_ref().unwrap().suggested_fix.as_deref(), Some("Restart the uplink"));
}

#[test]
fn resetting_a_value_shows_the_learned_value_again() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.set(&id, Category::NetworkError, "The uplink is down", "Restart the uplink");
    let page = world.view_page(&id);
    assert_eq!(page.learned.category, Category::Unknown);
    assert_eq!(page.learned.description, UNKNOWN_ERROR);
    assert_eq!(page.learned.suggested_fix.as_deref(), Some("Tuned it"));
    assert_eq!(page.set.suggested_fix.as_deref(), Some("Restart the uplink"));
    assert_eq!(
        page.solutions.iter().map(|one| (one.suggested, one.set)).collect::<Vec<_>>(),
        [(true, true), (false, false)]
    );

    let back = EditPatternParams { id: id.clone(), suggested_fix: Change::Learned, ..EditPatternParams::default() };
    assert_eq!(world.edit(&back).unwrap().suggested_fix.as_deref(), Some("Tuned it"));
    let page = world.view_page(&id);
    assert_eq!((page.solutions.len(), page.pattern.description.as_str()), (1, "The uplink is down"));
    let back = EditPatternParams { category: Change::Learned, description: Change::Learned, ..back };
    let row = world.edit(&back).unwrap();
    assert_eq!((row.category, row.description.as_str(), row.edited), (Category::Unknown, UNKNOWN_ERROR, false));
    assert!(world.view_page(&id).set.edited_at.is_some());
}

#[test]
fn a_built_in_accepts_texts_but_no_category() {
    let world = World::new();
    let id = "builtin-conn-refused".to_owned();
    let params = EditPatternParams {
        id: id.clone(),
        description: Change::Set("The database is not up".to_owned()),
        suggested_fix: Change::Set("Run make up".to_owned()),
        category: Change::Keep,
    };
    world.edit(&params).unwrap();
    let run = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    let known = world.diagnose(&run, "health").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("Run make up"));
    assert_eq!(known.pattern.unwrap().description, "The database is not up");
    let refused = EditPatternParams { category: Change::Set(Category::Timeout), ..params.clone() };
    assert_eq!(world.edit(&refused).unwrap_err().code, ErrorCode::InvalidInput);
    let back = EditPatternParams { description: Change::Learned, suggested_fix: Change::Learned, ..params };
    let row = world.edit(&back).unwrap();
    assert_eq!((row.description.as_str(), row.edited), ("Service connection refused", false));
    assert!(row.suggested_fix.unwrap().contains("healthcheck"));
    assert!(world.view_page(&id).solutions.is_empty(), "an untried solution is deleted with its edit");
}

#[test]
fn texts_of_a_person_are_redacted() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    let secret = format!("use postgres://me:{}@db/x\u{1b}[31m\u{202e}", "hunter2secret");
    let row = world.set(&id, Category::Unknown, &format!("one\ntwo {secret}"), &secret);
    let stored = format!("{}{}", row.description, row.suggested_fix.unwrap());
    assert!(!stored.contains("hunter2") && !stored.contains('\u{1b}') && !stored.contains('\u{202e}'), "{stored}");
    assert!(!row.description.contains('\n'));
    let empty = EditPatternParams { id, description: Change::Set(" \u{200b} ".to_owned()), ..Default::default() };
    assert_eq!(world.edit(&empty).unwrap_err().code, ErrorCode::InvalidInput);
    let unknown = EditPatternParams { id: "pat-x".to_owned(), ..Default::default() };
    assert_eq!(world.edit(&unknown).unwrap_err().code, ErrorCode::PatternNotFound);
}

#[test]
fn cutting_a_long_fix_leaves_no_part_of_a_secret() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    let secret = format!("{}_{}", "ghp", "4fQ9zLw2Xk7RtV0bNc6YsJ1hMd8PgA3eUi5o");
    for before in (3030..3072).step_by(6) {
        let fix = format!("{} {secret} {}", "x".repeat(before), "y ".repeat(2000));
        world.set(&id, Category::Unknown, "words", &fix);
        let reported = world.fix(&run, "boom", &format!("also {fix}"), false).unwrap();
        let page = world.view_page(&reported.pattern_id);
        for solution in page.solutions {
            assert!(!solution.steps.contains("4fQ9"), "{before}: {}", &solution.steps[3000..]);
        }
    }
}

#[test]
fn absent_null_and_a_value_are_different_changes() {
    let read = |json| serde_json::from_value::<EditPatternParams>(json).unwrap();
    let params = read(json!({ "id": "pat-1", "category": null, "description": "x" }));
    assert_eq!(params.category, Change::Learned);
    assert_eq!(params.description, Change::Set("x".to_owned()));
    assert_eq!(params.suggested_fix, Change::Keep);
}
