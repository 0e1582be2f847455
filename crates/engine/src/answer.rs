//! Formats answers: converts stored rows for the contract, and formats times and quoted texts.

pub(crate) mod fix_change;
pub(crate) mod moment;
pub(crate) mod text;
pub(crate) mod view;
