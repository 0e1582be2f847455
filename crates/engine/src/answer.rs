//! Formats answers: converts stored rows for the contract, and formats times and quoted texts.

pub(crate) mod fix_change;
pub(crate) mod message_text;
pub(crate) mod row_conversion;
pub(crate) mod time_format;
