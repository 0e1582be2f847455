//! Which pattern a failure is: learned by exact signature, else the built-in of its category.
//! Does not: count; whoever matched does.

use crate::{Engine, EngineError, contract::FixRecord, lookup, view};
use argus_core::{Ambient, Analysis, FailureEvent, bound::bound_to, builtin, display, similarity};
use argus_store::{
    Database, StoreError, Tx,
    patterns::{self, Identity, NewPattern, Pattern},
    solutions,
};

/// A sample of this size keeps most error texts whole.
const SAMPLE: usize = 4 * 1024;

/// A description is one line.
const DESCRIPTION: usize = 300;

/// The pattern that a failure matches.
pub(crate) async fn find<D>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    analysis: &Analysis,
) -> Result<Option<Pattern>, StoreError> {
    if let Some(learned) = patterns::by_signature(tx, &engine.recipe, &analysis.signatures.exact).await? {
        return Ok(Some(learned));
    }
    match builtin::matching(analysis.classification.category) {
        Some(builtin) => patterns::by_id(tx, builtin.id).await,
        None => Ok(None),
    }
}

/// What the engine's recipe makes of a failure.
pub(crate) fn identity<'a, D>(engine: &'a Engine<D>, analysis: &'a Analysis) -> Identity<'a> {
    Identity {
        recipe: &engine.recipe,
        category: analysis.classification.category,
        signature: &analysis.signatures.exact,
        family: &analysis.signatures.family,
        normalized: &analysis.normalized_error,
        bands: similarity::sketch(&analysis.normalized_error),
    }
}

/// Starts a learned pattern from a failure.
pub(crate) async fn learn<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    tx: &mut impl Tx,
    case: &lookup::FailedCase,
    analysis: &Analysis,
    resolutions: u32,
) -> Result<Pattern, EngineError> {
    let id = ambient.id("pat");
    let description = headline(analysis, &lookup::event_of(&case.failure));
    let sample = sample(engine, case, analysis)?;
    let new = NewPattern {
        id: &id,
        identity: identity(engine, analysis),
        case_name: &case.name,
        description: &description,
        occurrences: 1,
        resolutions,
        now: ambient.now,
        sample: &sample,
    };
    patterns::insert(tx, &new).await?;
    let learned = patterns::by_id(tx, &id).await?;
    learned.ok_or_else(|| EngineError::new(crate::ErrorCode::InternalError, "A pattern that was just learned is gone."))
}

/// What went wrong in one line, for people.
pub(crate) fn headline(analysis: &Analysis, event: &FailureEvent) -> String {
    let line = display::line(&analysis.normalized.headline, DESCRIPTION);
    if !line.is_empty() {
        return line;
    }
    match (&event.exception_type, &event.signal, event.exit_code) {
        (Some(kind), _, _) => display::line(kind, DESCRIPTION),
        (None, Some(signal), _) => format!("ended by {signal}, without an error text"),
        (None, None, Some(code)) => format!("exit code {code}, without an error text"),
        (None, None, None) => "failed without an error text".to_owned(),
    }
}

/// The reported fixes of a pattern, newest first, with `most` characters of each description.
pub(crate) async fn fix_history(
    tx: &mut impl Tx,
    pattern: &Pattern,
    limit: u32,
    most: usize,
) -> Result<Vec<FixRecord>, StoreError> {
    let fixes = solutions::history(tx, pattern, limit).await?;
    Ok(fixes.into_iter().map(|fix| view::fix(pattern, fix, most)).collect())
}

/// The failure as JSON, shortened where the short form is the same failure.
fn sample<D>(engine: &Engine<D>, case: &lookup::FailedCase, analysis: &Analysis) -> Result<String, EngineError> {
    let mut event = FailureEvent { text: analysis.redacted.clone(), ..lookup::event_of(&case.failure) };
    if event.text.len() > SAMPLE {
        let short = FailureEvent { text: bound_to(&event.text, SAMPLE).into_owned(), ..event.clone() };
        if engine.analyzer.analyze(short.clone(), &case.name).signatures == analysis.signatures {
            event = short;
        }
    }
    serde_json::to_string(&event).map_err(|error| {
        EngineError::new(crate::ErrorCode::InternalError, format!("A failure could not be kept: {error}."))
    })
}
