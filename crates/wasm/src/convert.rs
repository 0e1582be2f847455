//! Conversion between Rust and JavaScript values.

use argus_engine::{EngineError, ErrorCode, calls::Codec};
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use wasm_bindgen::JsValue;

/// The value that every export throws: `{ code, message }`.
#[derive(Serialize)]
struct Thrown<'m> {
    code: ErrorCode,
    message: &'m str,
}

/// Creates the value to throw. The message may quote text from the caller, because `EngineError` redacts it.
pub(crate) fn thrown(code: ErrorCode, message: &str) -> JsValue {
    refused(&EngineError::new(code, message))
}

/// Converts an engine error into the value to throw.
pub(crate) fn refused(error: &EngineError) -> JsValue {
    encode(&Thrown { code: error.code, message: &error.message }).unwrap_or(JsValue::NULL)
}

/// Encodes plain JavaScript values. Nothing is encoded as `null`.
pub(crate) struct JavaScript;

impl Codec for JavaScript {
    type Value = JsValue;

    fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, EngineError> {
        serde_wasm_bindgen::from_value(value)
            .map_err(|error| EngineError::new(ErrorCode::InvalidInput, error.to_string()))
    }

    fn encode<T: Serialize>(value: &T) -> Result<JsValue, EngineError> {
        encode(value).map_err(|_| unwritable())
    }

    fn to_json(value: &JsValue) -> Result<String, EngineError> {
        let text = js_sys::JSON::stringify(value).ok().and_then(|text| text.as_string());
        text.ok_or_else(unwritable)
    }

    fn from_json(json: &str) -> Result<JsValue, EngineError> {
        let unreadable = |_| EngineError::new(ErrorCode::InternalError, "A result that was kept cannot be read.");
        js_sys::JSON::parse(json).map_err(unreadable)
    }
}

fn unwritable() -> EngineError {
    EngineError::new(ErrorCode::InternalError, "A result cannot be written.")
}

/// Decodes an argument, or throws.
pub(crate) fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    JavaScript::decode(value).map_err(|error| refused(&error))
}

/// Encodes an answer as plain objects. Nothing is encoded as `null`.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| JsValue::from_str(&error.to_string()))
}

/// Decodes text from a pipe. Valid UTF-8 is checked with SIMD; only invalid text is walked byte by byte.
pub(crate) fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
