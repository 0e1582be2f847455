//! How answers say things: stored rows as the contracts show them, moments, and texts fit to be quoted.

pub(crate) mod fix_change;
pub(crate) mod moment;
pub(crate) mod text;
pub(crate) mod view;
