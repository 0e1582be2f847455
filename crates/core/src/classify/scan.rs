//! One pass over the text for the hints of all rules, then the rules in order on the places found.
//! Does not: know any rule; the tables do.

use super::{
    line::{self, Kind, Reader},
    rule::{Compiled, Lines, Rule, Window},
    rules,
    text::View,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind, StartKind};
use std::sync::LazyLock;

/// Places looked at for each rule: the first ones in the text and the last ones, where logs end with the failure.
const FIRST_PLACES: usize = 24;
const LAST_PLACES: usize = 8;

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
    let places = engine.places(view.bytes());
    let reader = Reader::new(view.bytes());
    let mut last_resort = None;
    for place in places {
        let rule = engine.rules[place.rule];
        let believed = believes(rule.lines, reader.kind(place.start, place.end));
        if believed == Believed::No || (believed == Believed::Later && last_resort.is_some()) {
            continue;
        }
        let Some(found) = engine.try_rule(rule, &place, &reader) else { continue };
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

const fn believes(lines: Lines, kind: Kind) -> Believed {
    match (lines, kind) {
        (Lines::All, _) | (Lines::Reports, Kind::Report) | (Lines::Logs, Kind::Report | Kind::Log) => Believed::Now,
        (Lines::Reports, Kind::Log) | (Lines::LastResort, Kind::Report | Kind::Log) => Believed::Later,
        (_, Kind::Quote) => Believed::No,
    }
}

/// A hint of a rule in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    rule: usize,
    start: usize,
    end: usize,
}

struct Engine {
    rules: Vec<&'static Rule>,
    compiled: Vec<Compiled>,
    automaton: AhoCorasick,
    /// For each hint, the rules that it selects.
    selects: Vec<Vec<u16>>,
    hint_lengths: Vec<usize>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::build);

impl Engine {
    fn build() -> Self {
        let rules: Vec<&'static Rule> = rules::chain().collect();
        let mut hints: Vec<&'static str> = rules.iter().flat_map(|rule| rule.hints).copied().collect();
        hints.sort_unstable();
        hints.dedup();
        let mut selects = vec![Vec::new(); hints.len()];
        for (index, rule) in rules.iter().enumerate() {
            let index = u16::try_from(index).expect("there are fewer than 65536 rules");
            for hint in rule.hints {
                let id = hints.binary_search(hint).expect("the hints were collected from these rules");
                selects[id].push(index);
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .start_kind(StartKind::Unanchored)
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(&hints)
            .expect("the hints are few and short");
        let compiled = rules.iter().map(|_| Compiled::default()).collect();
        let hint_lengths = hints.iter().map(|hint| hint.len()).collect();
        Self { rules, compiled, automaton, selects, hint_lengths }
    }

    /// Every place a rule is to be tried at, in the order of the chain and then of the text.
    fn places(&self, text: &[u8]) -> Vec<Place> {
        let mut places = Vec::new();
        let mut seen = vec![0_u32; self.rules.len()];
        let mut late: Vec<Place> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(text) {
            let id = hit.pattern().as_usize();
            debug_assert_eq!(hit.end() - hit.start(), self.hint_lengths[id]);
            for &rule in &self.selects[id] {
                let rule = usize::from(rule);
                let place = Place { rule, start: hit.start(), end: hit.end() };
                let count = seen[rule] as usize;
                seen[rule] = seen[rule].saturating_add(1);
                if count < FIRST_PLACES {
                    places.push(place);
                } else {
                    keep_late(&mut late, self.rules.len(), count - FIRST_PLACES, place);
                }
            }
        }
        places.extend(late.into_iter().filter(|place| place.end > 0));
        places.sort_unstable();
        places
    }

    fn try_rule(&self, rule: &'static Rule, place: &Place, reader: &Reader<'_>) -> Option<Found> {
        let (from, to) = match rule.window {
            Window::Line => line::bounds(reader.text(), place.start, place.end),
            Window::Near => line::around(reader.text(), place.start, place.end),
        };
        let hint = (place.start - from, place.end - from);
        let (start, end) = self.compiled[place.rule].find(rule, &reader.text()[from..to], hint)?;
        Some(Found { rule, start: from + start, end: from + end })
    }
}

/// A ring of the last places for each rule; only texts with very many hits pay for it.
fn keep_late(late: &mut Vec<Place>, rules: usize, nth: usize, place: Place) {
    if late.is_empty() {
        late.resize(rules * LAST_PLACES, Place { rule: 0, start: 0, end: 0 });
    }
    late[place.rule * LAST_PLACES + nth % LAST_PLACES] = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_places_are_kept_when_there_are_very_many() {
        let text = "ETIMEDOUT ".repeat(10_000);
        let places = ENGINE.places(text.as_bytes());
        assert!(places.iter().any(|place| place.end == text.len() - 1));
        assert!(places.len() < 20 * (FIRST_PLACES + LAST_PLACES));
    }
}
