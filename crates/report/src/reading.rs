//! Reads what any format may hold in bounded memory: bytes of any encoding, JSON, XML, numbers, times and long texts.

pub(crate) mod bounded_text;
pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod units;
pub(crate) mod xml;
