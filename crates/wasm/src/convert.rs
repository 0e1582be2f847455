//! Between Rust values and JavaScript ones.
//! Does not: know any single type of the contract but the error.

use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

/// What every export throws: `{ code, message }`.
#[derive(Serialize)]
pub(crate) struct Thrown<'m> {
    code: &'m str,
    message: &'m str,
}

/// An error value for JavaScript.
pub(crate) fn thrown(code: &str, message: &str) -> JsValue {
    encode(&Thrown { code, message }).unwrap_or(JsValue::NULL)
}

/// An argument.
pub(crate) fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(|error| thrown("INVALID_INPUT", &error.to_string()))
}

/// An answer: plain objects, `null` for nothing.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| JsValue::from_str(&error.to_string()))
}

/// Length of a text as JavaScript counts it.
pub(crate) fn utf16_len(text: &str) -> u32 {
    let units = text.chars().map(char::len_utf16).sum::<usize>();
    u32::try_from(units).unwrap_or(u32::MAX)
}
