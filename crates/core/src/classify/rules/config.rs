//! Rules for missing or invalid settings: of the environment, of tools, of infrastructure, and in plain sentences.

pub(super) mod config_sentences;
pub(super) mod env;
pub(super) mod files;
pub(super) mod infra;
pub(super) mod setting_names;
