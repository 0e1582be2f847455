//! Inspects a failure text and looks up matching patterns and incidents.

use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{Explanation, PlaceholderSpan, ViewInspectionParams, ViewInspectionResult},
    failures::{matching, related},
    inspect, memory,
};
use argus_core::{
    Analyzer, CallContext, FailureEvent, normalize::is_placeholder_name, search::Query, stable_sort::StableSort,
};
use argus_store::Tx;

/// Inspects the text without a database.
pub fn explain(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Explanation {
    let inspection = inspect::inspect(analyzer, event, case_name);
    Explanation { placeholders: find_placeholders(&inspection.normalized), inspection }
}

/// Inspects the text with the rules and the memory of the project.
pub fn view_inspection(
    engine: &Engine,
    context: &CallContext,
    params: &ViewInspectionParams,
) -> Result<ViewInspectionResult, EngineError> {
    let case_name = params.case_name.as_deref().unwrap_or_default();
    let analysis = inspect::analyze_with_redacted_name(&engine.analyzer, params.event.clone(), case_name);
    let query = Query::new(&analysis.redacted, &engine.analyzer);
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let pattern = matching::find_match(engine, tx, &analysis, case_name, None)?.pattern;
        let related =
            related::find_related(engine, tx, &analysis, pattern.as_ref().map(|pattern| pattern.key).as_slice(), None)?;
        let incidents = memory::finding::related_incidents::find_related_incidents(engine, context, tx, &query)?;
        Ok((
            pattern.map(|pattern| row_conversion::convert_pattern_to_row(&pattern, engine.options.locale)),
            [related, incidents].concat(),
        ))
    };
    let (pattern, mut related) = engine.read(context, body)?;
    related.stable_sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let inspection = inspect::convert_analysis(analysis, params.event.exit_code);
    let placeholders = find_placeholders(&inspection.normalized);
    Ok(ViewInspectionResult { inspection, placeholders, pattern, related })
}

fn find_placeholders(normalized: &str) -> Vec<PlaceholderSpan> {
    let mut spans = Vec::new();
    let (mut at, mut units) = (0, 0);
    while let Some(open) = normalized[at..].find('<') {
        units += inspect::count_utf16_units(&normalized[at..at + open]);
        at += open;
        let name = normalized[at + 1..].split_once('>').map(|(name, _)| name).filter(|name| is_placeholder_name(name));
        if let Some(name) = name {
            let end = units + inspect::count_utf16_units(name) + 2;
            spans.push(PlaceholderSpan { start: units, end, name: name.to_owned() });
            (at, units) = (at + name.len() + 2, end);
        } else {
            (at, units) = (at + 1, units + 1);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::{explain, find_placeholders};
    use argus_core::{Analyzer, FailureEvent};

    #[test]
    fn placeholder_spans_count_utf16_units() {
        let spans = find_placeholders("😀 <UUID> is no <T> of <b> < <NUM>");
        let found: Vec<_> = spans.iter().map(|span| (span.start, span.end, span.name.as_str())).collect();
        assert_eq!(found, [(3, 9, "UUID"), (29, 34, "NUM")]);
    }

    #[test]
    fn explain_finds_the_placeholders_of_a_text() {
        let analyzer = Analyzer::new(&[], &[]).unwrap();
        let text = "Error: order 123e4567-e89b-42d3-a456-426614174000 is late".to_owned();
        let explained = explain(&analyzer, FailureEvent { text, ..FailureEvent::default() }, "");
        let span = &explained.placeholders[0];
        let normalized: Vec<u16> = explained.inspection.normalized.encode_utf16().collect();
        let words = String::from_utf16(&normalized[span.start as usize..span.end as usize]).unwrap();
        assert_eq!((words.as_str(), span.name.as_str()), ("<UUID>", "UUID"));
    }
}
