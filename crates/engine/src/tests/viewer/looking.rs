//! The table of patterns and the page of a pattern.

use crate::tests::{memory, prelude::*};
use argus_core::FailureEvent;

const WORDS: [&str; 6] = ["alpha", "Bravo", "charlie", "delta", "Echo", "foxtrot"];

/// A world with six learned patterns, diagnosed one to six times. Every second pattern has a fix. No built-in pattern
/// occurred.
fn world() -> World {
    let world = World::new();
    let errors = WORDS.map(|word| (word, format!("Error: {word} is out of tune")));
    let run = world.run(errors.iter().map(|(word, error)| failed(word, error)).collect());
    for (at, word) in WORDS.iter().enumerate() {
        for _ in 0..=at {
            world.diagnose(&run, word).unwrap();
        }
        if at % 2 == 0 {
            world.fix(&run, word, &format!("Tuned {word}"), true).unwrap();
        }
    }
    world
}

fn never_met(row: &ViewPatternRow) -> bool {
    row.occurrences == 0
}

#[test]
fn every_sort_order_is_complete_and_reversible() {
    use ViewPatternSort::{Category, Confidence, Description, LastSeen, Occurrences, Resolutions, Source};
    let world = world();
    for sort in [Category, Description, Confidence, Occurrences, Resolutions, LastSeen, Source] {
        for text in [None, Some("TUNE".to_owned())] {
            let all = ViewPatternsParams { sort: Some(sort), text, limit: Some(200), ..Default::default() };
            let whole = world.rows(&all);
            assert_eq!(whole.patterns.len(), whole.total as usize);
            let mut paged = Vec::new();
            for offset in (0..whole.total).step_by(5) {
                let page = world.rows(&ViewPatternsParams { limit: Some(5), offset: Some(offset), ..all.clone() });
                assert_eq!(page.has_more, offset + 5 < whole.total);
                paged.extend(page.patterns);
            }
            assert_eq!(paged, whole.patterns, "{sort:?}");
            let mut up = world.rows(&ViewPatternsParams { descending: Some(false), ..all }).patterns;
            assert!(up.is_sorted_by_key(never_met) && whole.patterns.is_sorted_by_key(never_met), "{sort:?}");
            if !matches!(sort, Category | Source) {
                let met = up.iter().take_while(|row| !never_met(row)).count();
                up[..met].reverse();
                up[met..].reverse();
                assert_eq!(up, whole.patterns, "{sort:?}");
            }
        }
    }
}

#[test]
fn rows_are_sorted_by_the_requested_column() {
    let world = world();
    let run = world.run(vec![failed("health", REFUSED)]);
    world.diagnose(&run, "health").unwrap();
    let by = |sort, descending| {
        let params = ViewPatternsParams { sort: Some(sort), descending: Some(descending), ..Default::default() };
        let mut rows = world.rows(&params).patterns;
        assert!(rows.split_off(7).iter().all(|row| never_met(row) && row.source == PatternSource::BuiltIn));
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
    let world = world();
    let all = world.rows(&ViewPatternsParams::default());
    assert_eq!((all.total, all.categories.len()), (12, 7));
    let text = |text: &str| ViewPatternsParams { text: Some(text.to_owned()), ..Default::default() };
    let found = world.rows(&text("  bRAVO "));
    assert_eq!((found.total, found.patterns[0].case_name.as_deref()), (1, Some("a.test.ts > suite > Bravo")));
    assert_eq!((found.categories[0].category, found.categories[0].count), (Category::Unknown, 1));
    assert_eq!(found.sources.iter().map(|source| source.count).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(world.rows(&text("tuned charlie")).total, 1, "by its fix");
    assert_eq!(world.rows(&text("100%_")).total, 0, "letter by letter");
    assert_eq!(world.rows(&text("memory limit")).patterns[0].id, "builtin-container-oom");
    let built = ViewPatternsParams { source: Some(PatternSource::BuiltIn), ..Default::default() };
    assert_eq!((world.rows(&built).total, world.rows(&built).categories.len()), (6, 6));
    let timeout = ViewPatternsParams { category: Some(Category::Timeout), ..Default::default() };
    let found = world.rows(&timeout);
    assert_eq!((found.total, found.categories.len(), found.sources[1].count), (1, 7, 0));
    let none = ViewPatternsParams { source: Some(PatternSource::Learned), ..timeout };
    assert_eq!((world.rows(&none).total, world.rows(&none).has_more), (0, false));
    let far = ViewPatternsParams { offset: Some(50), ..Default::default() };
    assert!(world.rows(&far).patterns.is_empty());
}

#[test]
fn a_pattern_page_shows_everything_known() {
    let (world, run) = World::after(vec![failed("boom", UNKNOWN), failed("bang", UNKNOWN)]);
    let id = world.learn(&run, "boom");
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![failed("boom", UNKNOWN)]);
    world.learn(&run, "bang");
    let page = world.page_of(&id);
    assert_eq!((page.seen_total, page.tests[0].failures), (2, 2));
    assert!(page.seen[0].timestamp > page.seen[1].timestamp);
    assert_eq!((page.fixes[0].fix_id.as_str(), page.fixes[0].run_recorded), (fix.fix_record_id.as_str(), true));
    assert_eq!(page.related.len(), 1);
    assert_eq!(page.sample.as_deref(), Some(UNKNOWN));
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
    let (world, run) = World::after(vec![failed("health", REFUSED), failed("boom", UNKNOWN), passed("fine")]);
    world.diagnose(&run, "health").unwrap();
    let page = world.page_of("builtin-conn-refused");
    assert_eq!((page.seen_total, page.seen[0].run_id.as_str(), page.tests.len()), (1, run.as_str(), 1));
    assert_eq!((page.case_name, page.confidence_over_time.last().unwrap().occurrences), (None, 1));
}

#[test]
fn inspecting_a_text_stores_nothing() {
    let (world, run) = World::after(vec![failed("boom", UNKNOWN)]);
    let id = world.learn(&run, "boom");
    let event = FailureEvent { text: UNKNOWN.to_owned(), ..FailureEvent::default() };
    let case_name = Some(CASE.to_owned());
    let params = ViewInspectionParams { event: event.clone(), case_name };
    let seen = world.call(view_inspection, &params).unwrap();
    assert_eq!(seen.pattern.unwrap().occurrences, 2);
    let params = ViewInspectionParams { event, case_name: None };
    let seen = world.call(view_inspection, &params).unwrap();
    assert_eq!((seen.pattern, seen.related[0].id.as_str()), (None, id.as_str()));
    assert_eq!(world.page_of(&id).pattern.occurrences, 2);
}

#[test]
fn incidents_are_listed_newest_first_or_ranked_by_text() {
    let world = World::new();
    let old = world.added(&memory::pool());
    let params = crate::contract::AddIncidentParams {
        title: "Disk full on the runner".to_owned(),
        error_signature: Some("OSError: [Errno 28] No space left on device".to_owned()),
        ..memory::pool()
    };
    let new = world.added(&params);
    let look = |params: &ViewIncidentsParams| world.call(view_incidents, params).unwrap();
    let all = look(&ViewIncidentsParams::default());
    let ids: Vec<_> = all.incidents.iter().map(|one| one.incident_id.as_str()).collect();
    assert_eq!((ids.as_slice(), all.total), (&[new.incident_id.as_str(), old.incident_id.as_str()][..], 2));
    let second = look(&ViewIncidentsParams { limit: Some(1), offset: Some(1), ..Default::default() });
    assert_eq!((second.incidents[0].incident_id.as_str(), second.has_more), (old.incident_id.as_str(), false));
    let bucket = world.call(view_environments, &NoParams {}).unwrap().env_buckets;
    assert_eq!(bucket, [memory::LINUX]);
    let asked = ViewIncidentsParams {
        text: Some(memory::POOL.to_owned()),
        env_bucket: Some(bucket[0].clone()),
        ..Default::default()
    };
    let found = look(&asked);
    assert_eq!((found.incidents[0].incident_id.as_str(), &found.env_bucket), (old.incident_id.as_str(), &bucket[0]));
    let solution = &found.incidents[0].solutions[0];
    assert!(solution.env_match_score > 0.99 && solution.reliability_score > 0.0);
    assert_eq!(look(&asked).incidents, found.incidents, "nothing is remembered");
    assert_eq!(look(&ViewIncidentsParams { text: Some(" ".to_owned()), ..asked }).total, 2);
    let overview = world.call(view_overview, &NoParams {}).unwrap();
    assert_eq!((overview.incidents, overview.patterns, overview.runs), (2, 6, 0));
}

#[test]
fn a_long_filter_is_cut_to_its_beginning() {
    let world = World::new();
    let name = format!("suite > {}", "gate ".repeat(50).trim_end());
    let run = world.run(vec![failed(&name, UNKNOWN), passed("other")]);
    world.diagnose(&run, &name).unwrap();
    let rows = world.rows(&ViewPatternsParams { text: Some(name), ..Default::default() });
    assert_eq!(rows.total, 1);
}
