//! Tests the shared vectors and the list of kinds.

use super::{FailureKind, failure_kind};
use crate::{Analyzer, FailureEvent, summary::Summary};
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    #[serde(flatten)]
    event: FailureEvent,
    kind: FailureKind,
}

fn read_vectors() -> Vec<Vector> {
    let lines = include_str!("../../../../../tests/vectors/failure-kinds.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn matches_vectors() {
    let analyzer = Analyzer::new(&[], &[]).unwrap();
    let mut wrong = Vec::new();
    for Vector { event, kind } in read_vectors() {
        for (before, after) in [("", ""), ("run 4 of suite checkout\n", ""), ("", "\nend of output\n")] {
            let event = FailureEvent { text: format!("{before}{}{after}", event.text), ..event.clone() };
            let exit_code = event.exit_code;
            let analysis = analyzer.analyze(event, "");
            let category = analysis.classification.category;
            let found = failure_kind(category, &analysis.redacted, &Summary::read(&analysis.redacted), exit_code);
            if found != kind {
                wrong.push(format!("{found:?} ({category}), not {kind:?}: {:?}", analysis.redacted));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn vectors_cover_every_kind() {
    let vectors = read_vectors();
    let covered: BTreeSet<FailureKind> = vectors.iter().map(|vector| vector.kind).collect();
    let missing: Vec<_> = FailureKind::ALL.iter().filter(|kind| !covered.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(vectors.len() >= 150);
}

#[test]
fn kinds_serialize_as_their_names() {
    for kind in FailureKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}

/// The documentation must list each kind once, in the order of the list.
#[test]
fn every_kind_is_documented() {
    let readme = include_str!("../../../../../npm/engine/README.md");
    let section = readme.split("## Failure kinds").nth(1).unwrap().split("\n## ").next().unwrap();
    let documented: Vec<_> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next().map(ToOwned::to_owned)).collect();
    let kinds: Vec<_> = FailureKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(documented, kinds);
}
