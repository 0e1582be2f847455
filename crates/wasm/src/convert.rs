//! Between Rust values and JavaScript ones.
//! Does not: know any single type of the contract but the error.

use argus_engine::{EngineError, ErrorCode, calls::Codec};
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use wasm_bindgen::JsValue;

/// What every export throws: `{ code, message }`.
#[derive(Serialize)]
struct Thrown<'m> {
    code: ErrorCode,
    message: &'m str,
}

/// An error value for JavaScript.
pub(crate) fn thrown(code: ErrorCode, message: &str) -> JsValue {
    encode(&Thrown { code, message }).unwrap_or(JsValue::NULL)
}

/// Plain JavaScript values, `null` for nothing.
pub(crate) struct JavaScript;

impl Codec for JavaScript {
    type Value = JsValue;

    fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, EngineError> {
        from_value(&value).map_err(|error| EngineError::new(ErrorCode::InvalidInput, error))
    }

    fn encode<T: Serialize>(value: &T) -> Result<JsValue, EngineError> {
        encode(value).map_err(|_| EngineError::new(ErrorCode::InternalError, "A result cannot be written."))
    }
}

/// An argument.
pub(crate) fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    JavaScript::decode(value).map_err(|error| thrown(error.code, &error.message))
}

/// An answer: plain objects, `null` for nothing. As one text: a call to the host for each field would cost more, and
/// code of its own for each type.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    js_sys::JSON::parse(&text)
}

fn from_value<T: DeserializeOwned>(value: &JsValue) -> Result<T, String> {
    let text = js_sys::JSON::stringify(value).ok().and_then(|text| text.as_string());
    let text = well_formed(text.unwrap_or_else(|| "null".to_owned()));
    serde_json::from_str(&text).map_err(|error| {
        let message = error.to_string();
        // Where it stands in a text that the caller has not written says nothing.
        message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what).to_owned()
    })
}

/// JavaScript writes half of a surrogate pair as an escape that stands for no character: `\ud83d`.
fn well_formed(text: String) -> String {
    if !text.contains("\\ud") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        let length = if escape.starts_with("\\ud") { "\\ud83d".len() } else { "\\n".len() };
        let (before, after) = rest.split_at(at + length);
        out.push_str(&before[..at]);
        out.push_str(if length > 2 { "\\ufffd" } else { &before[at..] });
        rest = after;
    }
    out + rest
}

/// Text as it comes from a pipe: valid UTF-8 is checked many bytes at a time, and only what is not is walked byte by byte.
pub(crate) fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
