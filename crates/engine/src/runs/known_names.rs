//! Completes names that were read from printed output, which often leaves out the file, package or crate of a test, so
//! that a test has the same name as in a report.

use super::case_name::CASE_NAME_SEPARATOR;
use crate::EngineError;
use argus_store::{
    Tx,
    runs::{self, cases},
};
use std::collections::{HashMap, hash_map::Entry};

/// Number of the newest runs whose names are known.
const SEARCHED_RUNS: u32 = 8;

/// Maximum number of names per run.
const MAX_NAMES: u32 = 20_000;

/// Full names by the name without its first part. None if several tests share that name.
#[derive(Default)]
pub(crate) struct KnownNames(HashMap<String, Option<String>>);

impl KnownNames {
    pub(crate) fn load(tx: &mut Tx<'_>) -> Result<Self, EngineError> {
        let mut known = Self::default();
        for (run, _) in runs::list_newest(tx, SEARCHED_RUNS)? {
            for name in cases::list_names(tx, run, MAX_NAMES)? {
                known.add(name);
            }
        }
        Ok(known)
    }

    fn add(&mut self, full: String) {
        let Some((_, rest)) = full.split_once(CASE_NAME_SEPARATOR) else { return };
        match self.0.entry(rest.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(Some(full));
            }
            Entry::Occupied(mut entry) if entry.get().as_ref() != Some(&full) => {
                entry.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Returns the full name of the test, if exactly one known test has the name after its first part.
    pub(crate) fn complete(&self, name: String) -> String {
        self.0.get(&name).cloned().flatten().unwrap_or(name)
    }
}
