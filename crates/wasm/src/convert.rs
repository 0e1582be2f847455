//! Conversion between Rust and JavaScript values.

use argus_engine::{EngineError, ErrorCode, calls::Codec};
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use wasm_bindgen::JsValue;

/// The value that every export throws: `{ code, message }`.
#[derive(Serialize)]
struct ThrownError<'m> {
    code: ErrorCode,
    message: &'m str,
}

/// Creates the value to throw. The message may quote text from the caller, because `EngineError` redacts it.
pub(crate) fn create_thrown_error(code: ErrorCode, message: &str) -> JsValue {
    convert_error(&EngineError::new(code, message))
}

/// Converts an engine error into the value to throw.
pub(crate) fn convert_error(error: &EngineError) -> JsValue {
    encode(&ThrownError { code: error.code, message: &error.message }).unwrap_or(JsValue::NULL)
}

/// Encodes plain JavaScript values. `None` and `()` become `null`.
pub(crate) struct JavaScriptCodec;

impl Codec for JavaScriptCodec {
    type Value = JsValue;

    fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, EngineError> {
        serde_wasm_bindgen::from_value(value)
            .map_err(|error| EngineError::new(ErrorCode::InvalidInput, error.to_string()))
    }

    fn encode<T: Serialize>(value: &T) -> Result<JsValue, EngineError> {
        encode(value).map_err(|_| unwritable_result_error())
    }

    fn to_json(value: &JsValue) -> Result<String, EngineError> {
        let text = js_sys::JSON::stringify(value).ok().and_then(|text| text.as_string());
        text.ok_or_else(unwritable_result_error)
    }

    fn from_json(json: &str) -> Result<JsValue, EngineError> {
        let unreadable = |_| EngineError::new(ErrorCode::InternalError, "A stored result cannot be read.");
        js_sys::JSON::parse(json).map_err(unreadable)
    }
}

fn unwritable_result_error() -> EngineError {
    EngineError::new(ErrorCode::InternalError, "A result cannot be written.")
}

/// Decodes an argument, or throws.
pub(crate) fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    JavaScriptCodec::decode(value).map_err(|error| convert_error(&error))
}

/// Encodes an answer as plain objects. `None` and `()` become `null`.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| JsValue::from_str(&error.to_string()))
}

/// Decodes text from a pipe. SIMD code checks for valid UTF-8; only invalid text is decoded byte by byte.
pub(crate) fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
