//! Checks a shared file: strict schema, size, a name equal to its id, no secrets, and no names of a machine.

use super::{FILE_VERSION, SAMENESS_VERSION, SHARED_FOLDER, machine_names::contains_home_folder};
use crate::{
    Engine, EngineError,
    answer::message_text::quote,
    contract::{ShareCheckResult, SharedFault, SharedFile, SharedFileContent, SharedFilesParams},
    limits::{MAX_SHARED_BYTES, MAX_SHARED_FILE_BYTES, MAX_SHARED_FILES},
    memory::exchange::import::parse_time_or,
};
use argus_core::{CallContext, display, redact::find_unnamed_key};
use serde_json::Value;

/// Maximum number of characters of an id, because the id is also a file name on every system.
const MAX_ID_CHARS: usize = 80;
/// Maximum characters of a pseudonym.
const MAX_NAME_CHARS: usize = 40;
const MAX_MESSAGE_CHARS: usize = 300;

/// Returns the faults and doubtful lines of the files.
pub fn check_shared_files(
    engine: &Engine,
    _: &CallContext,
    SharedFilesParams { files }: &SharedFilesParams,
) -> Result<ShareCheckResult, EngineError> {
    let (mut faults, mut doubts) = (Vec::new(), Vec::new());
    if files.len() > MAX_SHARED_FILES as usize {
        let message = format!("the folder has {} files; at most {MAX_SHARED_FILES} are imported", files.len());
        faults.push(SharedFault { path: SHARED_FOLDER.to_owned(), message });
    }
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    if bytes > MAX_SHARED_BYTES as usize {
        let message = format!("the files have {bytes} bytes; at most {MAX_SHARED_BYTES} are imported");
        faults.push(SharedFault { path: SHARED_FOLDER.to_owned(), message });
    }
    for SharedFileContent { path, text } in files {
        match parse_shared_file(engine, path, text) {
            Ok(_) => doubts.extend(find_doubtful_line(path, text)),
            Err(message) => {
                let path = display::sanitize_line(&engine.analyzer.redact(path), MAX_MESSAGE_CHARS);
                faults.push(SharedFault { path, message: display::sanitize_line(&message, MAX_MESSAGE_CHARS) });
            }
        }
    }
    Ok(ShareCheckResult { faults, doubts })
}

/// Finds the first line of a valid file that a person should check, because a long hexadecimal number in it can be a
/// key or a digest.
pub(super) fn find_doubtful_line(path: &str, text: &str) -> Option<SharedFault> {
    let mut lines = text.lines().zip(1u32..);
    let (digits, line) = lines.find_map(|(line, number)| Some((find_unnamed_key(line)?, number)))?;
    let message = format!("line {line} has {} hexadecimal digits, which may be a key: {}…", digits.len(), &digits[..4]);
    Some(SharedFault { path: path.to_owned(), message })
}

/// Parses and checks a file. Returns its content, or a message about its fault.
pub(super) fn parse_shared_file(engine: &Engine, path: &str, text: &str) -> Result<SharedFile, String> {
    if text.len() > MAX_SHARED_FILE_BYTES as usize {
        return Err(format!("it has {} bytes; a shared file has at most {MAX_SHARED_FILE_BYTES}", text.len()));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {}", quote_error(&error)))?;
    require_version(&value)?;
    require_clean(engine, &value)?;
    let file: SharedFile = serde_json::from_value(value)
        .map_err(|error| format!("it is not a shared file: {}", engine.analyzer.redact(&quote_error(&error))))?;
    if !is_valid_id(file.id(), file.folder_and_prefix().1) {
        return Err(format!(
            "its id '{}' does not fit its kind, which needs {}… with a-z, 0-9 and -",
            quote(file.id()),
            file.folder_and_prefix().1
        ));
    }
    if file.path() != path {
        return Err(format!("its kind and id require the path {}", file.path()));
    }
    if file.by().is_some_and(|by| !is_pseudonym(by)) {
        return Err(format!("'by' is not a pseudonym: use 1 to {MAX_NAME_CHARS} letters, digits, spaces and . _ -"));
    }
    parse_time_or(Some(file.created_at()), 0).map_err(|error| error.message)?;
    require_references(&file)?;
    Ok(file)
}

fn quote_error(error: &serde_json::Error) -> String {
    quote(&error.to_string())
}

fn require_version(value: &Value) -> Result<(), String> {
    let is_sameness = value.get("kind").and_then(Value::as_str) == Some("sameness");
    let known = if is_sameness { SAMENESS_VERSION } else { FILE_VERSION };
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(known) => Ok(()),
        Some(version) if version > u64::from(known) => Err(format!(
            "its version is {version}, but this program supports {known}. It was written by a newer version. Update Argus"
        )),
        _ => Err(format!("'version' is not {known}")),
    }
}

/// Returns an error if a text in any field contains a secret, control characters or a home folder.
fn require_clean(engine: &Engine, value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => require_clean_text(engine, text),
        Value::Array(items) => items.iter().try_for_each(|item| require_clean(engine, item)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            require_clean_text(engine, name)?;
            require_clean(engine, field).map_err(|message| {
                if message.contains("field '") { message } else { format!("the field '{}' {message}", quote(name)) }
            })
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn require_clean_text(engine: &Engine, text: &str) -> Result<(), String> {
    if text.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\t')) {
        return Err("contains control characters".to_owned());
    }
    if *engine.analyzer.redact_without_limit(text) != *text {
        return Err("contains text that looks like a secret, or invisible characters".to_owned());
    }
    if contains_home_folder(text) {
        return Err("contains the home folder of a person".to_owned());
    }
    Ok(())
}

fn require_references(file: &SharedFile) -> Result<(), String> {
    let has_prefix = |id: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| is_valid_id(id, prefix));
    match file {
        SharedFile::Solution(file) if !has_prefix(&file.incident, &["inc-"]) => {
            Err("'incident' is not the id of an incident".to_owned())
        }
        SharedFile::Outcome(file) if !has_prefix(&file.of, &["fix-", "sol-"]) => {
            Err("'of' is not the id of a fix or a solution".to_owned())
        }
        SharedFile::Fix(file) if !has_prefix(&file.failure.pattern, &["pat-"]) => Err(NOT_A_PATTERN_ID.to_owned()),
        SharedFile::Decision(file) if !has_prefix(&file.failure.pattern, &["pat-"]) => Err(NOT_A_PATTERN_ID.to_owned()),
        SharedFile::Sameness(file) if !has_prefix(&file.failure.pattern, &["pat-"]) => Err(NOT_A_PATTERN_ID.to_owned()),
        SharedFile::Sameness(file) if !has_prefix(&file.other.pattern, &["pat-"]) => {
            Err("'other.pattern' is not the id of a pattern".to_owned())
        }
        _ => Ok(()),
    }
}

const NOT_A_PATTERN_ID: &str = "'failure.pattern' is not the id of a pattern";

/// Returns `true` if an id has this prefix and is a valid file name on every system.
pub(super) fn is_valid_id(id: &str, prefix: &str) -> bool {
    let is_char = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    id.len() > prefix.len() && id.len() <= MAX_ID_CHARS && id.starts_with(prefix) && id.bytes().all(is_char)
}

pub(super) fn is_pseudonym(name: &str) -> bool {
    let is_char = |char: char| char.is_alphanumeric() || matches!(char, ' ' | '.' | '_' | '-');
    (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && name.trim() == name && name.chars().all(is_char)
}
