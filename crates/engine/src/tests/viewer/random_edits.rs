//! Property test: values that a person set are kept for any order of steps.

use super::flux_rule;
use crate::tests::prelude::*;
use proptest::prelude::*;

const CASES_WITH_ERRORS: [(&str, &str); 4] = [
    ("a", "Error: the flux capacitor is out of tune"),
    ("b", "Error: the flux capacitor is gone"),
    ("c", "Error: the warp core is cold"),
    ("d", "Error: no dilithium is left"),
];
const FIX_TEXTS: [&str; 3] = ["Tuned it", "Kicked it", "Waited"];
const CATEGORIES: [Category; 3] = [Category::NetworkError, Category::Timeout, Category::Unknown];

#[derive(Clone, Debug)]
enum Step {
    Run,
    Diagnose(usize),
    Fix(usize, usize, bool),
    Category(usize, Option<usize>),
    Describe(usize, Option<u8>),
    Suggest(usize, Option<usize>),
    Merge(usize, usize),
    Judge(usize, bool),
    Rules(bool),
}

fn any_step() -> impl Strategy<Value = Step> {
    let case = 0..CASES_WITH_ERRORS.len();
    prop_oneof![
        Just(Step::Run),
        case.clone().prop_map(Step::Diagnose),
        (case.clone(), 0..FIX_TEXTS.len(), any::<bool>()).prop_map(|(a, b, c)| Step::Fix(a, b, c)),
        (case.clone(), proptest::option::of(0..CATEGORIES.len())).prop_map(|(a, b)| Step::Category(a, b)),
        (case.clone(), proptest::option::of(0..3_u8)).prop_map(|(a, b)| Step::Describe(a, b)),
        (case.clone(), proptest::option::of(0..FIX_TEXTS.len())).prop_map(|(a, b)| Step::Suggest(a, b)),
        (case.clone(), case.clone()).prop_map(|(a, b)| Step::Merge(a, b)),
        (0..20_usize, any::<bool>()).prop_map(|(a, b)| Step::Judge(a, b)),
        any::<bool>().prop_map(Step::Rules),
    ]
}

/// Values that a person set on a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
struct SetValues {
    category: Option<Category>,
    description: Option<String>,
    fix: Option<&'static str>,
}

struct Model {
    folder: Folder,
    world: World,
    run: String,
    /// For each case, the pattern that was learned from it.
    ids: Vec<String>,
    /// For each case, the case whose pattern it counts on.
    leads: [usize; CASES_WITH_ERRORS.len()],
    said: BTreeMap<usize, SetValues>,
    /// Reports with their case, their steps, and whether they reported a success.
    fixes: Vec<(String, usize, usize, bool)>,
    /// Steps that are wrong for the pattern of a case.
    wrong: BTreeSet<(usize, usize)>,
    rules: bool,
}

impl Model {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let world = World::open(&folder.file()).unwrap();
        let run = world.run(CASES_WITH_ERRORS.map(|(case, error)| failed_case(case, error)).to_vec());
        let ids = CASES_WITH_ERRORS.map(|(case, _)| world.learn(&run, case)).to_vec();
        let leads = [0, 1, 2, 3];
        let (said, fixes, wrong) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        Self { folder, world, run, ids, leads, said, fixes, wrong, rules: false }
    }

    fn edit(&self, of: usize, params: EditPatternParams) {
        self.world.edit(&EditPatternParams { id: self.ids[of].clone(), ..params }).unwrap();
    }

    fn apply_step(&mut self, step: &Step) {
        match *step {
            Step::Run => {
                self.run = self.world.run(CASES_WITH_ERRORS.map(|(case, error)| failed_case(case, error)).to_vec());
            }
            Step::Diagnose(case) => drop(self.world.diagnose(&self.run, CASES_WITH_ERRORS[case].0).unwrap()),
            Step::Fix(case, steps, worked) => {
                let fixed = self.world.fix(&self.run, CASES_WITH_ERRORS[case].0, FIX_TEXTS[steps], worked).unwrap();
                assert_eq!(fixed.pattern_id, self.ids[self.leads[case]]);
                self.fixes.push((fixed.fix_record_id, case, steps, worked));
            }
            Step::Category(case, category) => {
                let category = category.map(|at| CATEGORIES[at]);
                let change = category.map_or(Change::Learned, Change::Set);
                self.edit(case, EditPatternParams { category: change, ..Default::default() });
                self.said.entry(self.leads[case]).or_default().category = category;
            }
            Step::Describe(case, words) => {
                let description = words.map(|words| format!("described {words}"));
                let change = description.clone().map_or(Change::Learned, Change::Set);
                self.edit(case, EditPatternParams { description: change, ..Default::default() });
                self.said.entry(self.leads[case]).or_default().description = description;
            }
            Step::Suggest(case, steps) => {
                let change = steps.map_or(Change::Learned, |steps| Change::Set(FIX_TEXTS[steps].to_owned()));
                self.edit(case, EditPatternParams { suggested_fix: change, ..Default::default() });
                let root = self.leads[case];
                self.said.entry(root).or_default().fix = steps.map(|steps| FIX_TEXTS[steps]);
                self.wrong.retain(|wrong| Some(wrong.1) != steps || wrong.0 != root);
            }
            Step::Merge(from, into) => {
                let (from, into) = (self.leads[from], self.leads[into]);
                let merged = self.world.join(&self.ids[from], &self.ids[into]);
                assert_eq!(merged.is_ok(), from != into);
                if from == into {
                    return;
                }
                self.leads.iter_mut().filter(|root| **root == from).for_each(|root| *root = into);
                self.wrong =
                    self.wrong.iter().map(|(root, steps)| (if *root == from { into } else { *root }, *steps)).collect();
                self.unset_wrong(into);
            }
            Step::Judge(at, wrong) => {
                let Some((id, case, steps, _)) = self.fixes.get(at).cloned() else { return };
                self.world.judge(&id, wrong).unwrap();
                let root = self.leads[case];
                if wrong {
                    self.wrong.insert((root, steps));
                    self.unset_wrong(root);
                } else {
                    self.wrong.remove(&(root, steps));
                }
            }
            Step::Rules(on) => {
                let rules = if on { vec![flux_rule()] } else { Vec::new() };
                let options = EngineOptions { rules, ..EngineOptions::default() };
                self.world = World::open_with_options(self.folder.file().to_str().unwrap(), options).unwrap();
                self.rules = on;
                self.run = self.world.run(CASES_WITH_ERRORS.map(|(case, error)| failed_case(case, error)).to_vec());
            }
        }
    }

    /// A wrong fix is not suggested, even if a person set it.
    fn unset_wrong(&mut self, root: usize) {
        let wrong = |fix: &str| {
            FIX_TEXTS.iter().position(|steps| *steps == fix).is_some_and(|at| self.wrong.contains(&(root, at)))
        };
        let is_wrong = self.said.get(&root).and_then(|said| said.fix).is_some_and(wrong);
        if is_wrong {
            self.said.entry(root).or_default().fix = None;
        }
    }

    fn check(&self) {
        let roots: BTreeSet<usize> = self.leads.iter().copied().collect();
        let rows = self.world.view_rows(&ViewPatternsParams { limit: Some(200), ..Default::default() });
        assert_eq!((rows.total as usize, rows.patterns.len()), (6 + roots.len(), 6 + roots.len()));
        assert_eq!(rows.categories.iter().map(|one| one.count).sum::<u32>(), rows.total);
        for case in 0..CASES_WITH_ERRORS.len() {
            let page = self.world.view_page(&self.ids[case]);
            let root = self.leads[case];
            let said = self.said.get(&root).cloned().unwrap_or_default();
            assert_eq!(page.pattern.id, self.ids[root]);
            assert_eq!(page.set.category, said.category);
            assert_eq!(page.set.description, said.description);
            assert_eq!(page.set.suggested_fix.as_deref(), said.fix);
            let learned = if self.rules && root < 2 { Category::ConfigError } else { Category::Unknown };
            assert_eq!(page.pattern.category, said.category.unwrap_or(learned));
            assert_eq!(
                page.pattern.description,
                said.description.unwrap_or_else(|| CASES_WITH_ERRORS[root].1.to_owned())
            );
            assert!(page.pattern.resolutions <= page.pattern.occurrences);
            for solution in &page.solutions {
                let steps = FIX_TEXTS.iter().position(|steps| *steps == solution.steps).unwrap();
                assert_eq!(solution.wrong, self.wrong.contains(&(root, steps)), "{solution:?}");
                assert!(!(solution.wrong && solution.suggested), "{solution:?}");
            }
            let text = Some(page.pattern.description.clone());
            let found = self.world.view_rows(&ViewPatternsParams { text, ..Default::default() });
            assert!(found.patterns.iter().any(|row| row.id == self.ids[root]), "the filter finds the displayed text");
            // A refuted success still counts as reported.
            let reported = self.fixes.iter().filter(|(.., worked)| *worked);
            let solved =
                reported.map(|(id, ..)| id).any(|id| page.fixes.iter().any(|fix| &fix.fix_id == id && !fix.wrong));
            assert_eq!(page.pattern.resolutions > 0, solved, "{:?}", page.fixes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases * 3 / 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn values_of_a_person_are_kept_for_any_steps(steps in proptest::collection::vec(any_step(), 1..30), seed in any::<u32>()) {
        let mut model = Model::new(&format!("random-{seed}"));
        for step in &steps {
            model.apply_step(step);
            model.check();
        }
    }
}
