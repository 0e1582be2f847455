//! The table of patterns and the page of a pattern.

use crate::tests::{memory, prelude::*};
use argus_core::FailureEvent;

const PATTERN_WORDS: [&str; 6] = ["alpha", "Bravo", "charlie", "delta", "Echo", "foxtrot"];

/// A world with six learned patterns, diagnosed one to six times. Every second pattern has a fix. No built-in pattern
/// occurred.
fn world_with_six_patterns() -> World {
    let world = World::new();
    let errors = PATTERN_WORDS.map(|word| (word, format!("Error: {word} is out of tune")));
    let run = world.run(errors.iter().map(|(word, error)| failed_case(word, error)).collect());
    for (at, word) in PATTERN_WORDS.iter().enumerate() {
        for _ in 0..=at {
            world.diagnose(&run, word).unwrap();
        }
        if at % 2 == 0 {
            world.fix(&run, word, &format!("Tuned {word}"), true).unwrap();
        }
    }
    world
}

fn never_occurred(row: &PatternTableRow) -> bool {
    row.occurrences == 0
}

#[test]
fn every_sort_order_is_complete_and_reversible() {
    use ViewPatternSort::{Category, Confidence, Description, LastSeen, Occurrences, Resolutions, Source};
    let world = world_with_six_patterns();
    for sort in [Category, Description, Confidence, Occurrences, Resolutions, LastSeen, Source] {
        for text in [None, Some("TUNE".to_owned())] {
            let all = ViewPatternsParams { sort: Some(sort), text, limit: Some(200), ..Default::default() };
            let whole = world.view_rows(&all);
            assert_eq!(whole.patterns.len(), whole.total as usize);
            let mut paged = Vec::new();
            for offset in (0..whole.total).step_by(5) {
                let page = world.view_rows(&ViewPatternsParams { limit: Some(5), offset: Some(offset), ..all.clone() });
                assert_eq!(page.has_more, offset + 5 < whole.total);
                paged.extend(page.patterns);
            }
            assert_eq!(paged, whole.patterns, "{sort:?}");
            let mut up = world.view_rows(&ViewPatternsParams { descending: Some(false), ..all }).patterns;
            assert!(up.is_sorted_by_key(never_occurred) && whole.patterns.is_sorted_by_key(never_occurred), "{sort:?}");
            if !matches!(sort, Category | Source) {
                let met = up.iter().take_while(|row| !never_occurred(row)).count();
                up[..met].reverse();
                up[met..].reverse();
                assert_eq!(up, whole.patterns, "{sort:?}");
            }
        }
    }
}

#[test]
fn rows_are_sorted_by_the_requested_column() {
    let world = world_with_six_patterns();
    let run = world.run(vec![failed_case("health", CONNECTION_REFUSED_ERROR)]);
    world.diagnose(&run, "health").unwrap();
    let by = |sort, descending| {
        let params = ViewPatternsParams { sort: Some(sort), descending: Some(descending), ..Default::default() };
        let mut rows = world.view_rows(&params).patterns;
        assert!(rows.split_off(7).iter().all(|row| never_occurred(row) && row.source == PatternSource::BuiltIn));
        rows
    };
    let rows = by(ViewPatternSort::Description, false);
    let letters: Vec<_> = rows.iter().map(|row| row.description.to_lowercase()).collect();
    assert!(letters.is_sorted(), "{letters:?}");
    assert!(by(ViewPatternSort::Confidence, true).is_sorted_by(|a, b| a.confidence >= b.confidence));
    assert!(by(ViewPatternSort::LastSeen, false).is_sorted_by(|a, b| a.last_seen_at <= b.last_seen_at));
    assert!(by(ViewPatternSort::Resolutions, true).is_sorted_by(|a, b| a.resolutions >= b.resolutions));
    assert!(by(ViewPatternSort::Category, false).is_sorted_by(|a, b| a.category.as_str() <= b.category.as_str()));
    let sources: Vec<_> = by(ViewPatternSort::Source, false).iter().map(|row| row.source).collect();
    assert_eq!(sources.iter().position(|source| *source == PatternSource::Learned), Some(1));
    assert_eq!(by(ViewPatternSort::Occurrences, true)[0].description, "Error: foxtrot is out of tune");
}

#[test]
fn filter_counts_respect_the_other_filters() {
    let world = world_with_six_patterns();
    let all = world.view_rows(&ViewPatternsParams::default());
    assert_eq!((all.total, all.categories.len()), (12, 7));
    let text = |text: &str| ViewPatternsParams { text: Some(text.to_owned()), ..Default::default() };
    let found = world.view_rows(&text("  bRAVO "));
    assert_eq!((found.total, found.patterns[0].case_name.as_deref()), (1, Some("a.test.ts > suite > Bravo")));
    assert_eq!((found.categories[0].category, found.categories[0].count), (Category::Unknown, 1));
    assert_eq!(found.sources.iter().map(|source| source.count).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(world.view_rows(&text("tuned charlie")).total, 1, "by its fix");
    assert_eq!(world.view_rows(&text("100%_")).total, 0, "wildcards are compared as text");
    assert_eq!(world.view_rows(&text("memory limit")).patterns[0].id, "builtin-container-oom");
    let built = ViewPatternsParams { source: Some(PatternSource::BuiltIn), ..Default::default() };
    assert_eq!((world.view_rows(&built).total, world.view_rows(&built).categories.len()), (6, 6));
    let timeout = ViewPatternsParams { category: Some(Category::Timeout), ..Default::default() };
    let found = world.view_rows(&timeout);
    assert_eq!((found.total, found.categories.len(), found.sources[1].count), (1, 7, 0));
    let none = ViewPatternsParams { source: Some(PatternSource::Learned), ..timeout };
    assert_eq!((world.view_rows(&none).total, world.view_rows(&none).has_more), (0, false));
    let far = ViewPatternsParams { offset: Some(50), ..Default::default() };
    assert!(world.view_rows(&far).patterns.is_empty());
}

#[test]
fn a_pattern_page_shows_all_details_of_the_pattern() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("bang", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.learn(&run, "bang");
    let page = world.view_page(&id);
    assert_eq!((page.seen_total, page.tests[0].failures), (2, 2));
    assert!(page.seen[0].timestamp > page.seen[1].timestamp);
    assert_eq!((page.fixes[0].fix_id.as_str(), page.fixes[0].run_recorded), (fix.fix_record_id.as_str(), true));
    assert_eq!(page.related.len(), 1);
    assert_eq!(page.sample.as_deref(), Some(UNKNOWN_ERROR));
    let curve = &page.confidence_over_time;
    let last = curve.last().unwrap();
    assert!((last.confidence - page.pattern.confidence).abs() < f64::EPSILON && last.known);
    assert_eq!(page.confidence_known_since.as_deref(), Some("2026-02-26T00:00:00.000Z"));
    let params = ViewPatternParams { id, limit: Some(1), offset: Some(1) };
    let second = world.call(view_pattern, &params).unwrap();
    assert_eq!((second.seen.as_slice(), second.has_more), (&page.seen[1..], false));
    let unknown = ViewPatternParams { id: "pat-x".to_owned(), ..params };
    let error = world.call(view_pattern, &unknown).unwrap_err();
    assert_eq!(error.code, ErrorCode::PatternNotFound);
}

#[test]
fn a_built_in_lists_failures_of_its_category() {
    let (world, run) = World::after_run(vec![
        failed_case("health", CONNECTION_REFUSED_ERROR),
        failed_case("boom", UNKNOWN_ERROR),
        passed_case("fine"),
    ]);
    world.diagnose(&run, "health").unwrap();
    let page = world.view_page("builtin-conn-refused");
    assert_eq!((page.seen_total, page.seen[0].run_id.as_str(), page.tests.len()), (1, run.as_str(), 1));
    assert_eq!((page.case_name, page.confidence_over_time.last().unwrap().occurrences), (None, 1));
}

#[test]
fn inspecting_a_text_stores_nothing() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    let id = world.learn(&run, "boom");
    let event = FailureEvent { text: UNKNOWN_ERROR.to_owned(), ..FailureEvent::default() };
    let case_name = Some(CASE.to_owned());
    let params = ViewInspectionParams { event: event.clone(), case_name };
    let seen = world.call(view_inspection, &params).unwrap();
    assert_eq!(seen.pattern.unwrap().occurrences, 2);
    let params = ViewInspectionParams { event, case_name: None };
    let seen = world.call(view_inspection, &params).unwrap();
    assert_eq!((seen.pattern, seen.related[0].id.as_str()), (None, id.as_str()));
    assert_eq!(world.view_page(&id).pattern.occurrences, 2);
}

#[test]
fn incidents_are_listed_newest_first_or_ranked_by_text() {
    let world = World::new();
    let old = world.add_new_incident(&memory::pool_incident());
    let params = crate::contract::AddIncidentParams {
        title: "Disk full on the runner".to_owned(),
        error_signature: Some("OSError: [Errno 28] No space left on device".to_owned()),
        ..memory::pool_incident()
    };
    let new = world.add_new_incident(&params);
    let look = |params: &ViewIncidentsParams| world.call(view_incidents, params).unwrap();
    let all = look(&ViewIncidentsParams::default());
    let ids: Vec<_> = all.incidents.iter().map(|one| one.incident_id.as_str()).collect();
    assert_eq!((ids.as_slice(), all.total), (&[new.incident_id.as_str(), old.incident_id.as_str()][..], 2));
    let second = look(&ViewIncidentsParams { limit: Some(1), offset: Some(1), ..Default::default() });
    assert_eq!((second.incidents[0].incident_id.as_str(), second.has_more), (old.incident_id.as_str(), false));
    let bucket = world.call(view_environments, &NoParams {}).unwrap().env_buckets;
    assert_eq!(bucket, [memory::LINUX_BUCKET]);
    let asked = ViewIncidentsParams {
        text: Some(memory::POOL_ERROR.to_owned()),
        env_bucket: Some(bucket[0].clone()),
        ..Default::default()
    };
    let found = look(&asked);
    assert_eq!((found.incidents[0].incident_id.as_str(), &found.env_bucket), (old.incident_id.as_str(), &bucket[0]));
    let solution = &found.incidents[0].solutions[0];
    assert!(solution.env_match_score > 0.99 && solution.reliability_score > 0.0);
    assert_eq!(look(&asked).incidents, found.incidents, "the search is not stored");
    assert_eq!(look(&ViewIncidentsParams { text: Some(" ".to_owned()), ..asked }).total, 2);
    let overview = world.call(view_overview, &NoParams {}).unwrap();
    assert_eq!((overview.incidents, overview.patterns, overview.runs), (2, 6, 0));
}

#[test]
fn a_long_filter_is_cut_to_its_beginning() {
    let world = World::new();
    let name = format!("suite > {}", "gate ".repeat(50).trim_end());
    let run = world.run(vec![failed_case(&name, UNKNOWN_ERROR), passed_case("other")]);
    world.diagnose(&run, &name).unwrap();
    let rows = world.view_rows(&ViewPatternsParams { text: Some(name), ..Default::default() });
    assert_eq!(rows.total, 1);
}
