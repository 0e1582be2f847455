//! One pass over the text for the hints of all rules, then the rules in order on the places found.
//! Does not: know any rule; the tables do.

use super::{
    hint_match::{Candidate, HintMatch},
    hints::HintFinder,
    line::{self, Kind, Lines, Marks},
    needs::{Met, Needs},
    rule::{Compiled, Rule, Shape, Trust, Window},
    rules,
    shared::Shared,
    text::View,
};
use crate::category::Category;
use std::sync::LazyLock;

/// Places looked at for each rule: the first ones in the text and the last ones, where logs end with the failure.
const FIRST_PLACES: u8 = 24;
const LAST_PLACES: usize = 8;
/// Rules there may be; what was seen of each is counted without a table of its own for every text.
const MAX_RULES: usize = 512;
/// Room for the places of most texts.
const EXPECTED_PLACES: usize = 64;

/// What decided, as a span of the view.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) rule: &'static Rule,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The first rule of the chain that matches. A match on a log line below error level waits until no other does.
pub(super) fn first_match(view: &View<'_>) -> Option<Found> {
    let engine = &*ENGINE;
    let Hits { mut places, marks, met } = engine.hits(view.bytes());
    let mut lines = Lines::new(view.bytes(), marks);
    places.sort_unstable();
    let mut last_resort = None;
    let mut tried = (usize::MAX, usize::MAX);
    for place in places {
        if !engine.needs.may_match(place.rule(), met) {
            continue;
        }
        let line = lines.of_place(place);
        let rule = engine.rules[place.rule()];
        // A shape looks at the whole line, so a second hint on it says nothing new.
        if tried == (place.rule(), line) && matches!(rule.shape, Shape::Regex(_)) {
            continue;
        }
        let believed = believes(rule.trust, lines.kind(line));
        // That a log line tells of an error of no category decides nothing either.
        let useless = believed == Believed::Later && (last_resort.is_some() || rule.category == Category::Unknown);
        if believed == Believed::No || useless {
            continue;
        }
        tried = (place.rule(), line);
        if !engine.shared.may_match(place.rule(), &lines, line) {
            continue;
        }
        let Some(found) = engine.try_rule(rule, place, line, &lines) else { continue };
        if believed == Believed::Now {
            return Some(found);
        }
        last_resort = Some(found);
    }
    last_resort
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Believed {
    Now,
    Later,
    No,
}

const fn believes(trust: Trust, kind: Kind) -> Believed {
    match (trust, kind) {
        (Trust::All, _)
        | (Trust::Reports | Trust::ReportsOnly, Kind::Report)
        | (Trust::Logs, Kind::Report | Kind::Log) => Believed::Now,
        (Trust::Reports, Kind::Log) | (Trust::LastResort, Kind::Report | Kind::Log | Kind::Access) => Believed::Later,
        (_, Kind::Quote | Kind::Access) | (Trust::ReportsOnly, Kind::Log) => Believed::No,
    }
}

/// What the hints say about a text.
struct Hits {
    /// Every place a rule is to be tried at.
    places: Vec<Candidate>,
    marks: Marks,
    /// Rules whose needs are met.
    met: Met,
}

/// What a hint is for.
struct Use {
    /// The rules that it selects; none for words that something else looks for.
    rules: Vec<u16>,
    /// The rules whose needs it meets.
    meets: Met,
    is_retry: bool,
    is_pytest: bool,
}

impl Use {
    fn new(hint: &str, meets: Met) -> Self {
        Self { rules: Vec::new(), meets, is_retry: line::RETRIES.contains(&hint), is_pytest: hint == line::PYTEST }
    }
}

struct Engine {
    rules: Vec<&'static Rule>,
    compiled: Vec<Compiled>,
    finder: HintFinder,
    /// What each hint is for.
    uses: Vec<Use>,
    needs: Needs,
    shared: Shared,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::build);

impl Engine {
    fn build() -> Self {
        let rules: Vec<&'static Rule> = rules::chain().collect();
        assert!(rules.len() <= MAX_RULES, "there is a counter for each rule");
        let mut hints: Vec<&'static str> = rules
            .iter()
            .flat_map(|rule| rule.hints.iter().chain(rule.needs))
            .chain(line::RETRIES)
            .chain([&line::PYTEST])
            .copied()
            .collect();
        hints.sort_unstable();
        hints.dedup();
        let needs = Needs::of(&rules, &hints);
        let mut uses: Vec<Use> = (0..).zip(&hints).map(|(id, hint)| Use::new(hint, needs.met_by(id))).collect();
        for (index, rule) in (0..).zip(&rules) {
            for hint in rule.hints {
                let id = hints.binary_search(hint).expect("the hints were collected from these rules");
                uses[id].rules.push(index);
            }
        }
        let finder = HintFinder::new(&hints);
        let compiled = rules.iter().map(|_| Compiled::default()).collect();
        let shared = Shared::of(&rules);
        Self { rules, compiled, finder, uses, needs, shared }
    }

    fn hits(&self, text: &[u8]) -> Hits {
        let mut hits = Hits { places: Vec::with_capacity(EXPECTED_PLACES), marks: Marks::default(), met: 0 };
        let mut seen = [0_u8; MAX_RULES];
        let mut late = Late::default();
        self.finder.find(text, |HintMatch { id, start, end }| {
            let used = &self.uses[id];
            hits.met |= used.meets;
            hits.marks.pytest |= used.is_pytest && text[start + 1] == b'E';
            if used.is_retry && used.rules.is_empty() {
                hits.marks.retries.push((start, end));
            }
            for place in used.rules.iter().filter_map(|&rule| Candidate::new(rule, start, end)) {
                let seen = &mut seen[place.rule()];
                if *seen < FIRST_PLACES {
                    *seen += 1;
                    hits.places.push(place);
                } else {
                    late.keep(place);
                }
            }
        });
        hits.places.extend(late.0.into_iter().flat_map(|ring| ring.last));
        hits
    }

    fn try_rule(&self, rule: &'static Rule, place: Candidate, line: usize, lines: &Lines<'_>) -> Option<Found> {
        let (from, to) = match rule.window {
            Window::Line => lines.bounds(line),
            Window::Near => line::around(lines.text(), place.start(), place.end()),
        };
        let hint = (place.start() - from, place.end() - from);
        let (start, end) = self.compiled[place.rule()].find(rule, &lines.text()[from..to], hint)?;
        Some(Found { rule, start: from + start, end: from + end })
    }
}

/// The last places of the few rules that have very many.
#[derive(Default)]
struct Late(Vec<Ring>);

struct Ring {
    last: Vec<Candidate>,
    oldest: usize,
}

impl Late {
    fn keep(&mut self, place: Candidate) {
        match self.0.iter_mut().find(|ring| ring.last[0].rule() == place.rule()) {
            Some(ring) if ring.last.len() < LAST_PLACES => ring.last.push(place),
            Some(ring) => {
                ring.last[ring.oldest] = place;
                ring.oldest = (ring.oldest + 1) % LAST_PLACES;
            }
            None => self.0.push(Ring { last: vec![place], oldest: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_places_are_kept_when_there_are_very_many() {
        let text = "ETIMEDOUT ".repeat(10_000);
        let Hits { places, .. } = ENGINE.hits(text.as_bytes());
        assert!(places.iter().any(|place| place.end() == text.len() - 1));
        assert!(places.len() < 20 * (usize::from(FIRST_PLACES) + LAST_PLACES));
    }
}
