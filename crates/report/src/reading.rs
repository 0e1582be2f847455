//! Reads the building blocks of all formats in bounded memory: bytes in any encoding, JSON, XML, numbers, times and
//! long texts.

pub(crate) mod bounded_text;
pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod units;
pub(crate) mod xml;
