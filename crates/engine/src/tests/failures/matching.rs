//! Matching of failures: by signature and by similarity.

use crate::tests::prelude::*;

/// Similar to [`UNKNOWN_ERROR`]: words were added, but none was replaced.
const SIMILAR_ERROR: &str = "Error: the flux capacitor is out of tune again";

impl World {
    fn diagnose_error(&self, error: &str) -> DiagnosticResult {
        let run = self.run(vec![failed_case("boom", error)]);
        self.diagnose(&run, CASE).unwrap()
    }

    fn diagnose_as_different(&self, error: &str, pattern: &str) -> Result<DiagnosticResult, EngineError> {
        let run = self.run(vec![failed_case("boom", error)]);
        let params = DiagnoseParams {
            run_id: run,
            case_name: CASE.to_owned(),
            not_same_as: Some(pattern.to_owned()),
            once: None,
        };
        self.call(diagnose, &params)
    }

    fn count_learned(&self) -> u32 {
        self.call(patterns, &PatternsParams::default()).unwrap().learned_count
    }
}

fn matched_id(result: &DiagnosticResult) -> String {
    result.matched.pattern_id.clone().unwrap()
}

#[test]
fn a_similar_failure_is_matched_by_signature_next_time() {
    let world = World::new();
    let first = world.diagnose_error(UNKNOWN_ERROR);
    assert_eq!((first.matched.how, first.matched.similarity, first.is_new_pattern), (MatchMethod::None, None, true));
    let alike = world.diagnose_error(SIMILAR_ERROR);
    assert_eq!((alike.matched.how, matched_id(&alike)), (MatchMethod::Alike, matched_id(&first)));
    assert!(alike.matched.similarity.is_some_and(|similarity| similarity > 0.8 && similarity < 1.0));
    assert_eq!(alike.matched.differences[0].now, SIMILAR_ERROR);
    assert_eq!((alike.pattern.unwrap().occurrences, alike.is_new_pattern, world.count_learned()), (2, false, 1));
    let again = world.diagnose_error(SIMILAR_ERROR);
    assert_eq!((again.matched.how, matched_id(&again)), (MatchMethod::Signature, matched_id(&first)));
    assert_eq!((again.matched.similarity, again.pattern.unwrap().occurrences), (Some(1.0), 3));
}

#[test]
fn patterns_list_provisional_patterns_until_a_fix_is_reported() {
    let world = World::new();
    let unknown = matched_id(&world.diagnose_error(UNKNOWN_ERROR));
    let refused = world.run(vec![failed_case("refused", CONNECTION_REFUSED_ERROR)]);
    let provisional = matched_id(&world.diagnose(&refused, "refused").unwrap());
    let page = |params: PatternsParams| {
        let found = world.call(patterns, &params).unwrap();
        let ids: Vec<(String, bool)> = found.patterns.iter().map(|one| (one.id.clone(), one.provisional)).collect();
        (ids, found.total, found.provisional_count, found.has_more)
    };
    let (ids, total, count, _) = page(PatternsParams::default());
    assert_eq!((ids.len(), total, count, world.count_learned()), (8, 8, 1, 1));
    assert_eq!(ids.last(), Some(&(provisional.clone(), true)));
    let last = PatternsParams { limit: Some(2), offset: Some(6), ..PatternsParams::default() };
    assert_eq!((page(last.clone()).0.len(), page(last).3), (2, false));
    let learned = PatternsParams { source: Some(PatternSource::Learned), ..PatternsParams::default() };
    assert_eq!(page(learned).0, [(unknown, false), (provisional.clone(), true)]);
    let other = PatternsParams { category: Some(Category::Timeout), ..PatternsParams::default() };
    assert_eq!(page(other).1, 1);
    world.fix(&refused, "refused", "Started the server", true).unwrap();
    let (ids, _, count, _) = page(PatternsParams::default());
    assert!(count == 0 && ids.contains(&(provisional, false)), "{ids:?}");
}

#[test]
fn a_replaced_word_another_test_or_a_negation_is_another_failure() {
    let world = World::new();
    let first = world.diagnose_error(UNKNOWN_ERROR);
    for other in [
        "Error: the flux inductor is out of tune",
        "Error: the flux capacitor is not out of tune",
        "TypeError: the flux capacitor is out of tune",
    ] {
        let met = world.diagnose_error(other);
        assert_eq!((met.matched.how, met.is_new_pattern), (MatchMethod::None, true), "{other}");
        assert_ne!(matched_id(&met), matched_id(&first), "{other}");
    }
    let run = world.run(vec![failed_case("bang", SIMILAR_ERROR)]);
    assert_eq!(world.diagnose(&run, "bang").unwrap().matched.how, MatchMethod::None);
}

#[test]
fn a_failure_of_a_built_in_has_a_provisional_pattern_that_a_fix_shows() {
    let world = World::new();
    let first = world.diagnose_error(CONNECTION_REFUSED_ERROR);
    assert_eq!(first.matched.builtin_id.as_deref(), Some("builtin-conn-refused"));
    assert_eq!((first.matched.how, first.is_new_pattern, world.count_learned()), (MatchMethod::None, false, 0));
    let other = world.diagnose_error("Error: mail server said: connect ECONNREFUSED 10.0.0.1:25");
    assert_ne!(matched_id(&other), matched_id(&first));
    let again = world.diagnose_error("Error: connect ECONNREFUSED 10.1.2.3:6379");
    assert_eq!((again.matched.how, matched_id(&again)), (MatchMethod::Signature, matched_id(&first)));
    assert_eq!(again.pattern.unwrap().id, "builtin-conn-refused");

    let run = world.run(vec![failed_case("boom", CONNECTION_REFUSED_ERROR)]);
    world.fix(&run, CASE, "Started the database", true).unwrap();
    world.run(vec![passed_case("boom")]);
    assert_eq!(world.count_learned(), 1);
    let known = world.diagnose_error(CONNECTION_REFUSED_ERROR);
    assert_eq!((matched_id(&known), known.matched.builtin_id), (matched_id(&first), None));
    let pattern = known.pattern.unwrap();
    assert_eq!((pattern.id, pattern.occurrences, pattern.resolutions), (matched_id(&first), 2, 1));
    assert_eq!(known.suggested_fix.as_deref(), Some("Started the database"));
}

#[test]
fn not_same_as_splits_permanently_and_moves_the_count() {
    let world = World::new();
    let first = matched_id(&world.diagnose_error(UNKNOWN_ERROR));
    world.diagnose_error(SIMILAR_ERROR);
    let split = world.diagnose_as_different(SIMILAR_ERROR, &first).unwrap();
    let split_id = matched_id(&split);
    assert_ne!(split_id, first);
    assert_eq!((split.pattern.unwrap().occurrences, world.count_learned()), (1, 2));
    let again = world.diagnose_error(SIMILAR_ERROR);
    assert_eq!(
        (again.matched.how, matched_id(&again), again.pattern.unwrap().occurrences),
        (MatchMethod::Signature, split_id.clone(), 2)
    );
    assert_eq!(world.diagnose_error(UNKNOWN_ERROR).pattern.unwrap().occurrences, 2);

    let error = world.diagnose_as_different(UNKNOWN_ERROR, &first).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    assert_eq!(world.diagnose_as_different(UNKNOWN_ERROR, "pat-none").unwrap_err().code, ErrorCode::PatternNotFound);
    assert_eq!(
        world.diagnose_as_different(CONNECTION_REFUSED_ERROR, "builtin-conn-refused").unwrap_err().code,
        ErrorCode::PatternNotFound
    );
}

#[test]
fn a_fix_of_an_excluded_pattern_is_not_suggested() {
    let world = World::new();
    let first = matched_id(&world.diagnose_error(UNKNOWN_ERROR));
    world.diagnose_error(SIMILAR_ERROR);
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.fix(&run, CASE, "Tuned the capacitor", true).unwrap();
    world.run(vec![passed_case("boom")]);
    let fixes = |met: &DiagnosticResult| {
        let related = met.related.iter().filter_map(|like| like.suggested_fix.clone());
        met.suggested_fix.clone().into_iter().chain(related).collect::<Vec<_>>()
    };
    assert_eq!(fixes(&world.diagnose_error(SIMILAR_ERROR)), ["Tuned the capacitor"]);
    assert_eq!(fixes(&world.diagnose_as_different(SIMILAR_ERROR, &first).unwrap()), Vec::<String>::new());
    assert_eq!(fixes(&world.diagnose_error(SIMILAR_ERROR)), Vec::<String>::new());
    assert_eq!(fixes(&world.diagnose_error(UNKNOWN_ERROR)), ["Tuned the capacitor"]);
}

#[test]
fn aliases_and_provisional_patterns_survive_new_rules() {
    let (folder, world) = World::on_file("aliases");
    let (first, refused) =
        (matched_id(&world.diagnose_error(UNKNOWN_ERROR)), matched_id(&world.diagnose_error(CONNECTION_REFUSED_ERROR)));
    world.diagnose_error(SIMILAR_ERROR);
    drop(world);
    let rule = UserRule { name: "tune".to_owned(), category: Category::ConfigError, pattern: "out of tune".to_owned() };
    let options = EngineOptions { rules: vec![rule], ..EngineOptions::default() };
    let world = World::open_with_options(folder.file().to_str().unwrap(), options).unwrap();
    let worded = world.diagnose_error(SIMILAR_ERROR);
    assert_eq!(
        (worded.matched.how, matched_id(&worded), worded.category),
        (MatchMethod::Signature, first, Category::ConfigError)
    );
    assert_eq!(matched_id(&world.diagnose_error(CONNECTION_REFUSED_ERROR)), refused);
    assert_eq!(world.count_learned(), 1);
}
