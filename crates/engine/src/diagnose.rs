//! Says what a failure is and what is known about it, and counts the meeting.
//! Does not: lose the answer when the database cannot be written; it says so instead.

use crate::{
    Engine, EngineError,
    contract::{DiagnoseParams, DiagnosticResult, FixRecord, MemoryKind, Related},
    lookup::{self, FailedCase},
    matching, memory, related, resign, text, view,
};
use argus_core::{Ambient, Analysis};
use argus_store::{
    Database, Tx,
    patterns::{self, Pattern},
};

/// Fixes in an answer.
const HISTORY: u32 = 20;

/// Characters of each; the pattern's resource has them in full.
const SHOWN: usize = 1000;

/// What the memory has about a failure.
struct Finding {
    pattern: Option<Pattern>,
    is_new: bool,
    history: Vec<FixRecord>,
    related: Vec<Related>,
}

/// Finds the failure, concludes what it is, and matches and counts it in one write transaction.
pub async fn diagnose<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    params: &DiagnoseParams,
) -> Result<DiagnosticResult, EngineError> {
    let case = lookup::failed_case(engine, ambient, &params.run_id, &params.case_name).await?;
    let analysis = engine.analyzer.analyze(lookup::event_of(&case.failure), &case.name);
    let count = async |tx: &mut D::Tx<'_>| counted(engine, ambient, tx, &case, &analysis).await;
    match engine.write(ambient, count).await {
        Ok(finding) => {
            let finding = with_incidents(engine, ambient, &analysis, finding).await;
            Ok(answer(engine, analysis, finding, None))
        }
        Err(error) if error.is_about_writing() => {
            let look = async |tx: &mut D::Tx<'_>| looked_up(engine, tx, &analysis).await;
            let finding = engine.read(ambient, look).await?;
            let finding = with_incidents(engine, ambient, &analysis, finding).await;
            Ok(answer(engine, analysis, finding, Some(&error)))
        }
        Err(error) => Err(error),
    }
}

async fn counted<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    tx: &mut D::Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
) -> Result<Finding, EngineError> {
    let mut found = matching::find(engine, tx, analysis).await?;
    if found.as_ref().is_none_or(|pattern| pattern.is_builtin) && resign::batch(engine, tx).await? > 0 {
        found = matching::find(engine, tx, analysis).await?;
    }
    if let Some(mut pattern) = found {
        patterns::count_occurrence(tx, &mut pattern, ambient.now).await?;
        finding(engine, tx, analysis, Some(pattern), false).await
    } else {
        let finding = finding(engine, tx, analysis, None, true).await?;
        matching::learn(engine, ambient, tx, case, analysis, 0).await?;
        Ok(finding)
    }
}

async fn looked_up<D: Database>(
    engine: &Engine<D>,
    tx: &mut D::Tx<'_>,
    analysis: &Analysis,
) -> Result<Finding, EngineError> {
    let pattern = matching::find(engine, tx, analysis).await?;
    finding(engine, tx, analysis, pattern, false).await
}

async fn finding<D: Database>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    analysis: &Analysis,
    pattern: Option<Pattern>,
    is_new: bool,
) -> Result<Finding, EngineError> {
    let history = match &pattern {
        Some(pattern) => matching::fix_history(tx, pattern, HISTORY, SHOWN).await?,
        None => Vec::new(),
    };
    let has_own_fix = pattern.as_ref().is_some_and(|pattern| pattern.best_fix.is_some());
    let related =
        if has_own_fix { Vec::new() } else { related::related(engine, tx, analysis, pattern.as_ref()).await? };
    Ok(Finding { pattern, is_new, history, related })
}

/// Incidents of the debug memory come in where no reported fix is known. They are a help, so that a memory that
/// cannot be read takes nothing from the answer.
async fn with_incidents<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    analysis: &Analysis,
    mut finding: Finding,
) -> Finding {
    let has_own_fix = finding.pattern.as_ref().is_some_and(|pattern| pattern.best_fix.is_some());
    if !has_own_fix && let Ok(incidents) = memory::related::incidents(engine, ambient, &analysis.redacted).await {
        finding.related.extend(incidents);
        finding.related.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    }
    if !has_own_fix {
        finding.related.extend(memory::foreign::like(engine, ambient, analysis).await);
    }
    finding
}

fn answer<D: Database>(
    engine: &Engine<D>,
    analysis: Analysis,
    finding: Finding,
    not_stored: Option<&EngineError>,
) -> DiagnosticResult {
    let mut warnings: Vec<String> = not_stored.map(not_counted).into_iter().collect();
    if finding.related.iter().any(|related| related.memory == Some(MemoryKind::Foreign)) {
        warnings.push(memory::foreign::WARNING.to_owned());
    }
    let evidence = analysis.classification.evidence.as_ref();
    let evidence = evidence.and_then(|span| analysis.redacted.get(span.start..span.end)).map(text::quoted);
    let person = finding.pattern.as_ref().and_then(|pattern| pattern.person.category);
    let pattern = finding.pattern.map(|pattern| view::pattern(&pattern, engine.options.locale));
    DiagnosticResult {
        category: person.unwrap_or(analysis.classification.category),
        signature: analysis.signatures.exact,
        signature_pattern: analysis.signatures.pattern,
        suggested_fix: pattern.as_ref().and_then(|pattern| pattern.suggested_fix.clone()),
        confidence: pattern.as_ref().map(|pattern| pattern.confidence),
        pattern,
        fix_history: finding.history,
        is_new_pattern: finding.is_new,
        rule: analysis.classification.rule,
        evidence,
        related: finding.related,
        warnings,
        not_stored: not_stored.map(|error| error.code),
    }
}

fn not_counted(error: &EngineError) -> String {
    format!("Not counted and nothing learned. {} The answer is what was known before.", error.message)
}
