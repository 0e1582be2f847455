//! Resolves the environment of a call from the given facts and from the facts that the host detected in the project
//! and on the machine.

use super::input;
use crate::{Engine, EngineError, answer::text};
use argus_core::environment::{Environment, EnvironmentFact};
use serde_json::{Map, Value};

/// Maximum number of entries of an environment.
const MAX_ENTRIES: usize = 50;
const MAX_KEY_CHARS: usize = 100;
const MAX_VALUE_CHARS: usize = 200;

/// A resolved environment.
#[derive(Clone, Debug)]
pub(super) struct ResolvedEnvironment {
    /// The known fields, for comparisons.
    pub(super) environment: Environment,
    /// The canonical form of `environment`, for example `os_family=linux;language=python;language_major=3`.
    pub(super) bucket: String,
    /// The given and detected entries, redacted, as JSON for storing. None if there are no entries.
    pub(super) json: Option<String>,
    /// The fields that were filled in from the detected facts.
    pub(super) detected: Option<Value>,
}

/// Resolves an environment. A non-empty `bucket` replaces the fields of `env`; otherwise `detected` fills in missing
/// fields. Returns an error if `env` is not a flat object or if `bucket` has no known field.
pub(super) fn resolve_environment(
    engine: &Engine,
    env: &Value,
    bucket: Option<&str>,
    detected: Option<&Value>,
) -> Result<ResolvedEnvironment, EngineError> {
    let mut given = entries(engine, env)?;
    if let Some(bucket) = bucket.filter(|bucket| !bucket.trim().is_empty()) {
        let environment = Environment::parse(bucket);
        if environment.is_empty() {
            return Err(EngineError::invalid(format!(
                "env_bucket '{}' names no known field. It is written like 'os_family=linux;language=python;\
                 language_major=3'; leave it out to have it made from env.",
                text::quoted(bucket)
            )));
        }
        return Ok(finished(environment, given, Map::new()));
    }
    let mut environment = environment(&given);
    let filled = match detected {
        Some(found) => fill(&mut environment, &self::environment(&entries(engine, found)?)),
        None => Map::new(),
    };
    given.extend(filled.clone());
    Ok(finished(environment, given, filled))
}

fn finished(environment: Environment, entries: Map<String, Value>, filled: Map<String, Value>) -> ResolvedEnvironment {
    ResolvedEnvironment {
        bucket: environment.to_string(),
        environment,
        json: (!entries.is_empty()).then(|| Value::Object(entries).to_string()),
        detected: (!filled.is_empty()).then_some(Value::Object(filled)),
    }
}

/// Returns the redacted entries without null values.
fn entries(engine: &Engine, env: &Value) -> Result<Map<String, Value>, EngineError> {
    let Value::Object(entries) = env else {
        return Err(EngineError::invalid(
            "env must be an object such as {\"os\": \"linux\", \"language\": \"python\", \"python\": \"3.12\"}; {} has \
             it filled in from project and machine.",
        ));
    };
    if entries.len() > MAX_ENTRIES {
        return Err(EngineError::invalid(format!(
            "env has {} entries; at most {MAX_ENTRIES} are taken.",
            entries.len()
        )));
    }
    let mut kept = Map::new();
    for (key, value) in entries {
        let key = input::line(engine, key, MAX_KEY_CHARS);
        match value {
            Value::Null => {}
            Value::Bool(_) => drop(kept.insert(key, value.clone())),
            Value::Number(number) => {
                let text = number.to_string();
                let clean = redacted(engine, &key, &text);
                kept.insert(key, if clean == text { value.clone() } else { Value::String(clean) });
            }
            Value::String(value) => {
                let value = Value::String(redacted(engine, &key, value));
                kept.insert(key, value);
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(EngineError::invalid(format!(
                    "env.{} holds a list or an object; env is flat: texts, numbers and booleans.",
                    text::quoted(&key)
                )));
            }
        }
    }
    Ok(kept)
}

/// Redacts a value together with its key, because the key alone can mark the value as a secret, for example
/// `password`.
fn redacted(engine: &Engine, key: &str, value: &str) -> String {
    let value = input::line(engine, value, MAX_VALUE_CHARS);
    let line = format!("{key}={value}");
    let clean = engine.analyzer.redact(&line);
    if *clean == line {
        value
    } else {
        clean.split_once('=').map_or_else(|| "<REDACTED>".to_owned(), |(_, rest)| rest.to_owned())
    }
}

fn environment(entries: &Map<String, Value>) -> Environment {
    Environment::from_facts(entries.iter().filter_map(|(key, value)| Some((key.as_str(), fact(value)?))))
}

fn fact(value: &Value) -> Option<EnvironmentFact<'_>> {
    match value {
        Value::Number(number) => number.as_f64().map(EnvironmentFact::Number),
        Value::String(text) => Some(EnvironmentFact::Text(text)),
        Value::Bool(true) => Some(EnvironmentFact::Text("true")),
        _ => None,
    }
}

/// Fills in unknown fields from the detected facts. If the languages or frameworks differ, only the operating system
/// is filled in, because a Python failure in a Node project does not use the framework of the project.
fn fill(known: &mut Environment, found: &Environment) -> Map<String, Value> {
    let mut filled = Map::new();
    name(&mut filled, "os_family", &mut known.os_family, found.os_family.as_ref());
    if known.language.is_some() && found.language.is_some() && known.language != found.language {
        return filled;
    }
    if known.framework.is_some() && found.framework.is_some() && known.framework != found.framework {
        return filled;
    }
    name(&mut filled, "language", &mut known.language, found.language.as_ref());
    major(&mut filled, "language_major", &mut known.language_major, found.language_major);
    name(&mut filled, "framework", &mut known.framework, found.framework.as_ref());
    major(&mut filled, "framework_major", &mut known.framework_major, found.framework_major);
    name(&mut filled, "runtime", &mut known.runtime, found.runtime.as_ref());
    major(&mut filled, "cuda_major", &mut known.cuda_major, found.cuda_major);
    filled
}

fn name(filled: &mut Map<String, Value>, field: &str, known: &mut Option<String>, found: Option<&String>) {
    if let (None, Some(found)) = (&known, found) {
        *known = Some(found.clone());
        filled.insert(field.to_owned(), Value::String(found.clone()));
    }
}

fn major(filled: &mut Map<String, Value>, field: &str, known: &mut Option<u32>, found: Option<u32>) {
    if let (None, Some(found)) = (&known, found) {
        *known = Some(found);
        filled.insert(field.to_owned(), Value::from(found));
    }
}
