//! Resolves the environment of a call from the given facts and from the facts that the host detected in the project
//! and on the machine.

use super::input_cleaning;
use crate::{Engine, EngineError, answer::message_text};
use argus_core::environment::{Environment, EnvironmentFact};
use serde_json::{Map, Value};

/// Maximum number of entries of an environment.
const MAX_ENTRIES: usize = 50;
const MAX_KEY_CHARS: usize = 100;
const MAX_VALUE_CHARS: usize = 200;

/// The environment of a call, in the forms that callers need.
#[derive(Clone, Debug)]
pub(super) struct ResolvedEnvironment {
    /// The known fields, for comparisons.
    pub(super) environment: Environment,
    /// The canonical form of `environment`, for example `os_family=linux;language=python;language_major=3`.
    pub(super) bucket: String,
    /// The given and detected entries, redacted, as JSON for storing. `None` if there are no entries.
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
    let mut given = clean_entries(engine, env)?;
    if let Some(bucket) = bucket.filter(|bucket| !bucket.trim().is_empty()) {
        let environment = Environment::parse(bucket);
        if environment.is_empty() {
            return Err(EngineError::invalid_input(format!(
                "env_bucket '{}' contains no known field. Use the form 'os_family=linux;language=python;\
                 language_major=3', or omit it to derive it from env.",
                message_text::quote(bucket)
            )));
        }
        return Ok(build_resolved(environment, given, Map::new()));
    }
    let mut environment = parse_environment(&given);
    let filled = match detected {
        Some(found) => fill_unknown_fields(&mut environment, &parse_environment(&clean_entries(engine, found)?)),
        None => Map::new(),
    };
    given.extend(filled.clone());
    Ok(build_resolved(environment, given, filled))
}

fn build_resolved(
    environment: Environment,
    entries: Map<String, Value>,
    filled: Map<String, Value>,
) -> ResolvedEnvironment {
    ResolvedEnvironment {
        bucket: environment.to_string(),
        environment,
        json: (!entries.is_empty()).then(|| Value::Object(entries).to_string()),
        detected: (!filled.is_empty()).then_some(Value::Object(filled)),
    }
}

/// Returns the redacted entries without null values.
fn clean_entries(engine: &Engine, env: &Value) -> Result<Map<String, Value>, EngineError> {
    let Value::Object(entries) = env else {
        return Err(EngineError::invalid_input(
            "env must be an object such as {\"os\": \"linux\", \"language\": \"python\", \"python\": \"3.12\"}; {} \
             stands for the environment that Argus detects.",
        ));
    };
    if entries.len() > MAX_ENTRIES {
        return Err(EngineError::invalid_input(format!(
            "env has {} entries; the limit is {MAX_ENTRIES}.",
            entries.len()
        )));
    }
    let mut kept = Map::new();
    for (key, value) in entries {
        let key = input_cleaning::clean_line(engine, key, MAX_KEY_CHARS);
        match value {
            Value::Null => {}
            Value::Bool(_) => drop(kept.insert(key, value.clone())),
            Value::Number(number) => {
                let text = number.to_string();
                let clean = redact_value(engine, &key, &text);
                kept.insert(key, if clean == text { value.clone() } else { Value::String(clean) });
            }
            Value::String(value) => {
                let value = Value::String(redact_value(engine, &key, value));
                kept.insert(key, value);
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(EngineError::invalid_input(format!(
                    "env.{} is a list or an object, but env may only contain texts, numbers and booleans.",
                    message_text::quote(&key)
                )));
            }
        }
    }
    Ok(kept)
}

/// Redacts a value together with its key, because the key alone can mark the value as a secret, for example
/// `password`.
fn redact_value(engine: &Engine, key: &str, value: &str) -> String {
    let value = input_cleaning::clean_line(engine, value, MAX_VALUE_CHARS);
    let line = format!("{key}={value}");
    let clean = engine.analyzer.redact(&line);
    if *clean == line {
        value
    } else {
        clean.split_once('=').map_or_else(|| "<REDACTED>".to_owned(), |(_, rest)| rest.to_owned())
    }
}

fn parse_environment(entries: &Map<String, Value>) -> Environment {
    Environment::from_facts(entries.iter().filter_map(|(key, value)| Some((key.as_str(), convert_fact(value)?))))
}

fn convert_fact(value: &Value) -> Option<EnvironmentFact<'_>> {
    match value {
        Value::Number(number) => number.as_f64().map(EnvironmentFact::Number),
        Value::String(text) => Some(EnvironmentFact::Text(text)),
        Value::Bool(true) => Some(EnvironmentFact::Text("true")),
        _ => None,
    }
}

/// Fills in unknown fields from the detected facts. If the languages or frameworks differ, only the operating system
/// is filled in, because a Python failure in a Node project does not use the framework of the project.
fn fill_unknown_fields(known: &mut Environment, found: &Environment) -> Map<String, Value> {
    let mut filled = Map::new();
    fill_name(&mut filled, "os_family", &mut known.os_family, found.os_family.as_ref());
    if known.language.is_some() && found.language.is_some() && known.language != found.language {
        return filled;
    }
    if known.framework.is_some() && found.framework.is_some() && known.framework != found.framework {
        return filled;
    }
    fill_name(&mut filled, "language", &mut known.language, found.language.as_ref());
    fill_major_version(&mut filled, "language_major", &mut known.language_major, found.language_major);
    fill_name(&mut filled, "framework", &mut known.framework, found.framework.as_ref());
    fill_major_version(&mut filled, "framework_major", &mut known.framework_major, found.framework_major);
    fill_name(&mut filled, "runtime", &mut known.runtime, found.runtime.as_ref());
    fill_major_version(&mut filled, "cuda_major", &mut known.cuda_major, found.cuda_major);
    filled
}

fn fill_name(filled: &mut Map<String, Value>, field: &str, known: &mut Option<String>, found: Option<&String>) {
    if let (None, Some(found)) = (&known, found) {
        *known = Some(found.clone());
        filled.insert(field.to_owned(), Value::String(found.clone()));
    }
}

fn fill_major_version(filled: &mut Map<String, Value>, field: &str, known: &mut Option<u32>, found: Option<u32>) {
    if let (None, Some(found)) = (&known, found) {
        *known = Some(found);
        filled.insert(field.to_owned(), Value::from(found));
    }
}
