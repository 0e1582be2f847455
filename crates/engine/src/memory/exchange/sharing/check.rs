//! Checks a shared file: strict schema, size, a name equal to its id, no secrets, and no names of a machine.

use super::{FOLDER, VERSION, VERSION_OF_SAMENESS, machine::names_home};
use crate::{
    Engine, EngineError,
    answer::text::quoted,
    contract::{ShareCheckResult, SharedFault, SharedFile, SharedText, SharedTexts},
    limits::{MAX_SHARED_BYTES, MAX_SHARED_FILE_BYTES, MAX_SHARED_FILES},
    memory::exchange::import::moment,
};
use argus_core::{Ambient, display, redact::unnamed_key};
use serde_json::Value;

/// Maximum characters of an id, which is also a file name on every system.
const MAX_ID_CHARS: usize = 80;
/// Maximum characters of a pseudonym.
const MAX_NAME_CHARS: usize = 40;
const MAX_MESSAGE_CHARS: usize = 300;

/// Returns the faults of the files, with one line for each fault.
pub fn check(
    engine: &Engine,
    _: &Ambient,
    SharedTexts { files }: &SharedTexts,
) -> Result<ShareCheckResult, EngineError> {
    let (mut faults, mut doubts) = (Vec::new(), Vec::new());
    if files.len() > MAX_SHARED_FILES as usize {
        let message = format!("there are {} files; at most {MAX_SHARED_FILES} are taken in", files.len());
        faults.push(SharedFault { path: FOLDER.to_owned(), message });
    }
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    if bytes > MAX_SHARED_BYTES as usize {
        let message = format!("the files have {bytes} bytes; at most {MAX_SHARED_BYTES} are taken in");
        faults.push(SharedFault { path: FOLDER.to_owned(), message });
    }
    for SharedText { path, text } in files {
        match read(engine, path, text) {
            Ok(_) => doubts.extend(doubt(path, text)),
            Err(message) => {
                let path = display::line(&engine.analyzer.redact(path), MAX_MESSAGE_CHARS);
                faults.push(SharedFault { path, message: display::line(&message, MAX_MESSAGE_CHARS) });
            }
        }
    }
    Ok(ShareCheckResult { faults, doubts })
}

/// Returns the first line of a valid file that a person should look at, because a long hexadecimal number can be a key
/// or a digest.
pub(super) fn doubt(path: &str, text: &str) -> Option<SharedFault> {
    let mut lines = text.lines().zip(1u32..);
    let (digits, line) = lines.find_map(|(line, number)| Some((unnamed_key(line)?, number)))?;
    let message = format!("line {line} has {} hexadecimal digits that may be a key: {}…", digits.len(), &digits[..4]);
    Some(SharedFault { path: path.to_owned(), message })
}

/// Returns the content of a file, or its fault.
pub(super) fn read(engine: &Engine, path: &str, text: &str) -> Result<SharedFile, String> {
    if text.len() > MAX_SHARED_FILE_BYTES as usize {
        return Err(format!("it has {} bytes; a shared file has at most {MAX_SHARED_FILE_BYTES}", text.len()));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON: {}", quoted_error(&error)))?;
    require_version(&value)?;
    require_clean(engine, &value)?;
    let file: SharedFile = serde_json::from_value(value)
        .map_err(|error| format!("it is no shared file: {}", engine.analyzer.redact(&quoted_error(&error))))?;
    if !is_id(file.id(), file.place().1) {
        return Err(format!(
            "its id '{}' is none of its kind: {}… of a-z, 0-9 and -",
            quoted(file.id()),
            file.place().1
        ));
    }
    if file.path() != path {
        return Err(format!("its place is {}, as its kind and id say", file.path()));
    }
    if file.by().is_some_and(|by| !is_pseudonym(by)) {
        return Err(format!("'by' is no pseudonym: one to {MAX_NAME_CHARS} letters, digits, spaces and . _ -"));
    }
    moment(Some(file.created_at()), 0).map_err(|error| error.message)?;
    require_references(&file)?;
    Ok(file)
}

fn quoted_error(error: &serde_json::Error) -> String {
    quoted(&error.to_string())
}

fn require_version(value: &Value) -> Result<(), String> {
    let is_sameness = value.get("kind").and_then(Value::as_str) == Some("sameness");
    let known = if is_sameness { VERSION_OF_SAMENESS } else { VERSION };
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(known) => Ok(()),
        Some(version) if version > u64::from(known) => Err(format!(
            "its version is {version}, and this program knows {known}: it was written by a newer one. Update Argus"
        )),
        _ => Err(format!("'version' is not {known}")),
    }
}

/// Checks every text, in every field.
fn require_clean(engine: &Engine, value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => require_clean_text(engine, text),
        Value::Array(items) => items.iter().try_for_each(|item| require_clean(engine, item)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            require_clean_text(engine, name)?;
            require_clean(engine, field).map_err(|message| {
                if message.contains("field '") { message } else { format!("the field '{}' {message}", quoted(name)) }
            })
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn require_clean_text(engine: &Engine, text: &str) -> Result<(), String> {
    if text.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\t')) {
        return Err("holds control characters".to_owned());
    }
    if *engine.analyzer.redact_whole(text) != *text {
        return Err("holds what looks like a secret, or characters that nobody sees".to_owned());
    }
    if names_home(text) {
        return Err("names the home folder of a person".to_owned());
    }
    Ok(())
}

fn require_references(file: &SharedFile) -> Result<(), String> {
    let refers = |id: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| is_id(id, prefix));
    match file {
        SharedFile::Solution(file) if !refers(&file.incident, &["inc-"]) => {
            Err("'incident' is no id of one".to_owned())
        }
        SharedFile::Outcome(file) if !refers(&file.of, &["fix-", "sol-"]) => {
            Err("'of' is no id of a fix or a solution".to_owned())
        }
        SharedFile::Fix(file) if !refers(&file.failure.pattern, &["pat-"]) => Err(NO_PATTERN.to_owned()),
        SharedFile::Decision(file) if !refers(&file.failure.pattern, &["pat-"]) => Err(NO_PATTERN.to_owned()),
        SharedFile::Sameness(file) if !refers(&file.failure.pattern, &["pat-"]) => Err(NO_PATTERN.to_owned()),
        SharedFile::Sameness(file) if !refers(&file.other.pattern, &["pat-"]) => {
            Err("'other.pattern' is no id of a pattern".to_owned())
        }
        _ => Ok(()),
    }
}

const NO_PATTERN: &str = "'failure.pattern' is no id of a pattern";

/// Returns `true` if an id has this prefix and is a valid file name on every system.
pub(super) fn is_id(id: &str, prefix: &str) -> bool {
    let is_char = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    id.len() > prefix.len() && id.len() <= MAX_ID_CHARS && id.starts_with(prefix) && id.bytes().all(is_char)
}

pub(super) fn is_pseudonym(name: &str) -> bool {
    let is_char = |char: char| char.is_alphanumeric() || matches!(char, ' ' | '.' | '_' | '-');
    (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && name.trim() == name && name.chars().all(is_char)
}
