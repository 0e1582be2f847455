//! Writes imported patterns in batches, so that each batch needs a single lookup and a single insert.

use super::{PersonJudgment, PreparedFailure, PreparedPattern};
use crate::{
    Engine, EngineError,
    contract::{PatternsImportResult, RefusedLine},
    failures::recompute_signatures,
    memory::exchange::{
        import::{
            PreparedSolution,
            write::{has_same_steps, list_ids_of_solution, split_into_batches},
        },
        patterns::MAX_DAILY_COUNTS,
    },
};
use argus_core::{CallContext, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, Pattern, PatternKey,
        daily_counts::DailyCounts,
        exchange::{self, AddedCounts, ImportedCounts, ImportedFailure},
        merging,
    },
    search::DocumentOwner,
    solutions::{
        self, NewSolution, Solution, SolutionKey,
        outcomes::{self, NewOutcome, Recorder},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// A line and the pattern into which it is imported.
struct ImportTarget<'a> {
    line: &'a PreparedPattern,
    key: PatternKey,
    /// The stored pattern before the import. `None` for a new pattern.
    existing_pattern: Option<Pattern>,
}

/// Writes all lines with their numbers. `imported` has the results of lines that were rejected before.
pub(super) fn write_all(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    lines: &[(u32, PreparedPattern)],
    mut imported: PatternsImportResult,
) -> Result<PatternsImportResult, EngineError> {
    // Re-signed patterns can be found by their new signature.
    recompute_signatures::recompute_batch(engine, tx)?;
    for batch in split_into_batches(lines, |(_, line)| line.names.iter().map(String::as_str).collect()) {
        let mut open: Vec<_> = batch.iter().collect();
        while !open.is_empty() {
            open = write_lines(engine, context, tx, open, &mut imported)?;
        }
    }
    imported.refused.stable_sort_by_key(|refused| refused.line);
    Ok(imported)
}

/// Writes lines without common names. Returns the lines whose pattern another line of the batch already uses, so that
/// they are written later.
fn write_lines<'a>(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    lines: Vec<&'a (u32, PreparedPattern)>,
    imported: &mut PatternsImportResult,
) -> Result<Vec<&'a (u32, PreparedPattern)>, EngineError> {
    let signatures: Vec<_> =
        lines.iter().flat_map(|(_, line)| line.all_failures()).map(PreparedFailure::signature).collect();
    let mut found = exchange::find_by_signatures(tx, &engine.signature_version, &signatures)?.into_iter();
    let (mut targets, mut new, mut unknown_parts, mut deferred) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for numbered in lines {
        let (number, line) = numbered;
        let own = found.next().flatten();
        let parts: Vec<_> = line.parts.iter().filter(|_| found.next().flatten().is_none()).collect();
        match own {
            Some(own) if !seen.insert(own.key) => {
                deferred.push(numbered);
                continue;
            }
            Some(own) => targets.push(ImportTarget { line, key: own.key, existing_pattern: Some(own) }),
            None => new.push((*number, line)),
        }
        unknown_parts.push((line, parts));
    }
    imported.updated += to_u32(targets.len());
    let added = insert_patterns(engine, tx, new, imported)?;
    imported.added += to_u32(added.len());
    targets.extend(added);
    insert_merged_failures(engine, tx, &targets, &unknown_parts)?;
    for target in &targets {
        exchange::add_signatures(tx, target.key, &target.line.signatures)?;
    }
    write_counts(tx, &targets, context.now_ms)?;
    let solutions = write_solutions(engine.recorder_as("import"), tx, &targets, imported)?;
    for target in &targets {
        set_overrides(tx, target, &solutions)?;
    }
    solutions::update_best_solutions(tx, &targets.iter().map(|target| target.key).collect::<Vec<_>>())?;
    for target in &targets {
        show_pattern(tx, target)?;
    }
    Ok(deferred)
}

fn to_u32(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

/// Inserts the patterns that are unknown here.
fn insert_patterns<'a>(
    engine: &Engine,
    tx: &mut Tx<'_>,
    lines: Vec<(u32, &'a PreparedPattern)>,
    imported: &mut PatternsImportResult,
) -> Result<Vec<ImportTarget<'a>>, EngineError> {
    let ids = find_free_ids(tx, lines.iter().map(|(_, line)| &line.known))?;
    let (mut rows, mut written) = (Vec::new(), Vec::new());
    for ((number, line), id) in lines.into_iter().zip(ids) {
        let Some(id) = id else {
            let message = format!("the id '{}' belongs to another failure here; export the file again", line.known.id);
            imported.refused.push(RefusedLine { line: number, message });
            continue;
        };
        rows.push(build_row(engine, &line.known, id, None, line.first_seen_at));
        written.push(line);
    }
    let keys = exchange::insert_all(tx, &rows)?;
    Ok(written.into_iter().zip(keys).map(|(line, key)| ImportTarget { line, key, existing_pattern: None }).collect())
}

/// Inserts the unknown failures that were merged into a pattern.
fn insert_merged_failures(
    engine: &Engine,
    tx: &mut Tx<'_>,
    targets: &[ImportTarget<'_>],
    parts: &[(&PreparedPattern, Vec<&PreparedFailure>)],
) -> Result<(), EngineError> {
    let ids = find_free_ids(tx, parts.iter().flat_map(|(_, parts)| parts.iter().copied()))?;
    let find_target = |line: &PreparedPattern| targets.iter().find(|target| std::ptr::eq(target.line, line));
    let all = parts.iter().flat_map(|(line, parts)| parts.iter().map(move |part| (find_target(line), *part)));
    let rows = all.zip(ids).filter_map(|((target, part), id)| {
        let target = target?;
        Some(build_row(engine, part, id?, Some(target.key), target.line.first_seen_at))
    });
    exchange::insert_all(tx, &rows.collect::<Vec<_>>())?;
    Ok(())
}

/// Returns the row of a failure. A new failure is inserted as provisional, so that no list shows it. Returns
/// `None` if other failures use both of its ids.
pub(in crate::memory::exchange) fn find_or_insert_row(
    engine: &Engine,
    tx: &mut Tx<'_>,
    known: &PreparedFailure,
    first_seen_at: i64,
) -> Result<Option<PatternKey>, EngineError> {
    if let Some(row) = patterns::find_row_by_signature(tx, &engine.signature_version, known.signature())? {
        return Ok(Some(row.key));
    }
    let Some(id) = find_free_ids(tx, std::iter::once(known))?.into_iter().flatten().next() else { return Ok(None) };
    let key = exchange::insert_all(tx, &[build_row(engine, known, id, None, first_seen_at)])?.pop();
    if let Some(key) = key {
        merging::separate_row(tx, key, true)?;
    }
    Ok(key)
}

/// Returns for each failure the first of its two ids that no other failure uses, if any.
fn find_free_ids<'a>(
    tx: &mut Tx<'_>,
    known: impl Iterator<Item = &'a PreparedFailure>,
) -> Result<Vec<Option<&'a str>>, EngineError> {
    let wanted: Vec<_> = known.flat_map(|known| [known.id.as_str(), &known.id_by_content]).collect();
    let taken = exchange::are_ids_used(tx, &wanted)?;
    let free =
        |(ids, taken): (&[&'a str], &[bool])| ids.iter().zip(taken).find(|(_, taken)| !**taken).map(|(id, _)| *id);
    Ok(wanted.chunks(2).zip(taken.chunks(2)).map(free).collect())
}

fn build_row<'a>(
    engine: &'a Engine,
    known: &'a PreparedFailure,
    id: &'a str,
    into: Option<PatternKey>,
    first_seen_at: i64,
) -> ImportedFailure<'a> {
    ImportedFailure {
        id,
        identity: recompute_signatures::build_identity(engine, &known.analysis),
        case_name: &known.case_name,
        description: &known.description,
        sample: &known.sample,
        into,
        first_seen_at,
    }
}

/// Adds the counts that were not imported before, separately for each memory that counted.
fn write_counts(tx: &mut Tx<'_>, targets: &[ImportTarget<'_>], now: i64) -> Result<(), EngineError> {
    let wanted: Vec<_> = (targets.iter().flat_map(|target| &target.line.counts))
        .map(|counts| (counts.memory.as_str(), counts.pattern.as_str()))
        .collect();
    let mut taken = exchange::read_imported_counts(tx, &wanted)?.into_iter();
    let keys: Vec<_> = targets.iter().map(|target| target.key).collect();
    let ours = exchange::read_daily_counts(tx, &keys, MAX_DAILY_COUNTS)?;
    for (target, ours) in targets.iter().zip(ours) {
        let line = target.line;
        let (mut added, mut has_new_counts) = ((0_u32, 0_u32), target.existing_pattern.is_none());
        for counts in &line.counts {
            let before = taken.next().unwrap_or_default();
            let ImportedCounts { occurrences, resolutions, .. } = *counts;
            if occurrences <= before.0 && resolutions <= before.1 {
                continue;
            }
            has_new_counts = true;
            added.0 = added.0.saturating_add(occurrences.saturating_sub(before.0));
            added.1 = added.1.saturating_add(resolutions.saturating_sub(before.1));
            let (occurrences, resolutions) = (occurrences.max(before.0), resolutions.max(before.1));
            exchange::store_imported_counts(
                tx,
                target.key,
                &ImportedCounts { occurrences, resolutions, ..counts.clone() },
            )?;
        }
        if !has_new_counts {
            continue;
        }
        let days = merge_daily_counts(&ours, &line.days, added);
        let added = AddedCounts {
            occurrences: added.0,
            resolutions: added.1,
            first_seen_at: line.first_seen_at,
            last_seen_at: line.last_seen_at,
        };
        exchange::add_counts(tx, target.key, &added, &days, now)?;
    }
    Ok(())
}

/// Merges daily counts. Of the counts of the other memory, only the newest `added` counts are added, because earlier
/// imports contained the rest.
fn merge_daily_counts(ours: &[DailyCounts], theirs: &[DailyCounts], added: (u32, u32)) -> Vec<DailyCounts> {
    let last = theirs.last().map_or((0, 0), |last| (last.occurrences, last.resolutions));
    let before = (last.0.saturating_sub(added.0), last.1.saturating_sub(added.1));
    let at = |days: &[DailyCounts], day: i64| {
        let known = days.iter().rev().find(|counts| counts.day <= day);
        known.map_or((0, 0), |counts| (counts.occurrences, counts.resolutions))
    };
    let days: BTreeSet<_> = ours.iter().chain(theirs).map(|counts| counts.day).collect();
    let summed = days.into_iter().map(|day| {
        let (ours, theirs) = (at(ours, day), at(theirs, day));
        let occurrences = ours.0.saturating_add(theirs.0.saturating_sub(before.0));
        let resolutions = ours.1.saturating_add(theirs.1.saturating_sub(before.1));
        DailyCounts { day, occurrences, resolutions }
    });
    summed.filter(|counts| !ours.contains(counts)).collect()
}

/// Keys of solutions by their owner and by their id in the line.
type SolutionKeys<'a> = BTreeMap<(PatternKey, &'a str), SolutionKey>;

/// Adds new solutions, and the outcomes of all solutions.
fn write_solutions<'a>(
    recorder: Recorder<'a>,
    tx: &mut Tx<'_>,
    targets: &[ImportTarget<'a>],
    imported: &mut PatternsImportResult,
) -> Result<SolutionKeys<'a>, EngineError> {
    let all: Vec<_> = (targets.iter())
        .flat_map(|target| {
            target.line.solutions.iter().map(move |(solution, judgment)| (target.key, solution, *judgment))
        })
        .collect();
    let known = solutions::find_by_ids(tx, all.iter().flat_map(|(_, solution, _)| list_ids_of_solution(solution)))?;
    let known: BTreeMap<&str, &Solution> = known.iter().map(|known| (known.id.as_str(), known)).collect();
    let (mut new, mut judgments, mut first) = (Vec::new(), Vec::new(), BTreeMap::new());
    // For each solution of a line: a known key, or an index into the new solutions.
    let mut places = Vec::with_capacity(all.len());
    for (owner, solution, judgment) in &all {
        let same = |id: &str| {
            let known = known.get(id);
            known.filter(|known| known.owner == DocumentOwner::Pattern(*owner) && has_same_steps(known, solution))
        };
        if let Some(known) = same(&solution.id).or_else(|| same(&solution.id_by_content)) {
            places.push(Some(Ok(known.key)));
            continue;
        }
        let ids = [solution.id.as_str(), &solution.id_by_content];
        let Some(id) = ids.into_iter().find(|id| !known.contains_key(id)) else {
            places.push(None);
            continue;
        };
        // If steps are repeated, they become a single solution with all outcomes.
        let number = *first.entry((*owner, &solution.digest, &solution.env_bucket)).or_insert_with(|| {
            new.push(build_solution(recorder, *owner, id, solution));
            judgments.push(*judgment);
            new.len() - 1
        });
        places.push(Some(Err(number)));
    }
    let added = solutions::add_all(tx, &new)?;
    for ((solution, is_new), PersonJudgment { wrong, by_person }) in added.iter().zip(judgments) {
        imported.solutions += u32::from(*is_new);
        if *is_new && (wrong || by_person) {
            solutions::import_judgment(tx, solution.key, by_person, wrong.then_some(solution.created_at))?;
        }
    }
    let (mut written, mut outcomes) = (SolutionKeys::new(), Vec::new());
    for ((owner, solution, _), place) in all.iter().zip(places) {
        let key = match place {
            Some(Ok(key)) => key,
            Some(Err(number)) => added[number].0.key,
            None => continue,
        };
        written.insert((*owner, &solution.id), key);
        outcomes.extend(build_outcomes(recorder, *owner, key, solution));
    }
    outcomes::store_proofs(tx, &outcomes)?;
    imported.outcomes += outcomes::record_outcomes(tx, &outcomes)?;
    for target in targets.iter().filter(|target| !target.line.solutions.is_empty()) {
        exchange::queue_for_indexing(tx, target.key)?;
    }
    Ok(written)
}

fn build_solution<'a>(
    recorder: Recorder<'a>,
    owner: PatternKey,
    id: &'a str,
    solution: &'a PreparedSolution,
) -> NewSolution<'a> {
    NewSolution {
        id,
        owner: DocumentOwner::Pattern(owner),
        steps: &solution.steps,
        digest: &solution.digest,
        env: solution.env.as_deref(),
        env_bucket: &solution.env_bucket,
        recorder: Recorder { by: solution.recorded_by.as_deref().or(recorder.by), ..recorder },
        now: solution.created_at,
    }
}

fn build_outcomes<'a>(
    recorder: Recorder<'a>,
    counted_on: PatternKey,
    solution: SolutionKey,
    line: &'a PreparedSolution,
) -> impl Iterator<Item = NewOutcome<'a>> {
    line.outcomes.iter().map(move |outcome| NewOutcome {
        id: &outcome.id,
        solution,
        counted_on: Some(counted_on),
        worked: outcome.worked,
        env: outcome.env.as_deref(),
        env_bucket: &outcome.env_bucket,
        notes: outcome.notes.as_deref(),
        lookup_id: outcome.lookup_id.as_deref(),
        run_id: outcome.run_id.as_deref(),
        case_name: outcome.case_name.as_deref(),
        proved_by: outcome.proved_by.as_deref(),
        refuted_by: outcome.refuted_by.as_deref(),
        recorder,
        now: outcome.created_at,
    })
}

/// Sets the values that a person set, but only on new patterns.
fn set_overrides(
    tx: &mut Tx<'_>,
    ImportTarget { line, key, existing_pattern: found }: &ImportTarget<'_>,
    solutions: &SolutionKeys<'_>,
) -> Result<(), EngineError> {
    let (None, Some(person)) = (found, &line.person) else { return Ok(()) };
    let set = person.solution.as_deref().and_then(|id| solutions.get(&(*key, id))).copied();
    let texts = (person.category, person.description.as_deref());
    Ok(exchange::set_overrides(tx, *key, texts, set, person.edited_at)?)
}

/// Makes a new or provisional pattern visible.
fn show_pattern(
    tx: &mut Tx<'_>,
    ImportTarget { line, key, existing_pattern: found }: &ImportTarget<'_>,
) -> Result<(), EngineError> {
    let category = match found {
        Some(found) if !found.is_provisional() => return Ok(()),
        Some(found) => found.shown_category(),
        None => {
            let set = line.person.as_ref().and_then(|person| person.category);
            set.unwrap_or(line.known.analysis.classification.category)
        }
    };
    Ok(exchange::promote_to_learned(tx, *key, category)?)
}
