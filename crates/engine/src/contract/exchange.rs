//! Types of memories as lines: incidents and learned patterns, written and taken in.

use serde::{Deserialize, Serialize};

contract! {
    /// Incidents to take in.
    pub struct MemoryImportParams {
        /// Whole lines, one incident each (`IncidentLine` in JSON); a call is one transaction, so a thousand are a good
        /// number.
        pub lines: String,
    }

    /// What an import did.
    #[derive(Default)]
    pub struct MemoryImported {
        /// Incidents that were new.
        pub added: u32,
        /// Incidents whose id was there already.
        pub updated: u32,
        /// Solutions that were new.
        pub solutions: u32,
        /// Outcomes that were new.
        pub outcomes: u32,
        /// Lines that could not be read; the others were taken.
        pub refused: Vec<RefusedLine>,
    }

    /// A line of an import that could not be read.
    pub struct RefusedLine {
        /// Counted from 1 within the call.
        pub line: u32,
        /// Why.
        pub message: String,
    }

    /// Which part of a memory to write out.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct MemoryExportParams {
        /// `next` of the page before; none: from the beginning.
        pub after: Option<String>,
        /// Incidents of a page, 1 to 1000; 200 when none.
        pub limit: Option<u32>,
    }

    /// One page of a memory.
    pub struct MemoryExported {
        /// One JSON object a line, as an import takes them.
        pub lines: String,
        /// How many.
        pub incidents: u32,
        /// Incidents in the whole memory.
        pub total: u32,
        /// For the next page; none: this was the last.
        pub next: Option<String>,
    }

    /// Which part of the learned patterns to write out.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct PatternsExportParams {
        /// `next` of the page before; none: from the beginning.
        pub after: Option<String>,
        /// Patterns of a page, 1 to 200; 100 when none.
        pub limit: Option<u32>,
    }

    /// One page of the learned patterns.
    pub struct PatternsExported {
        /// One JSON object a line, as an import takes them.
        pub lines: String,
        /// How many.
        pub patterns: u32,
        /// Learned patterns in the whole memory.
        pub total: u32,
        /// For the next page; none: this was the last.
        pub next: Option<String>,
    }

    /// Patterns to take over from another memory.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct PatternsImportParams {
        /// Whole lines, one pattern each, as an export writes them; a call is one transaction.
        pub lines: String,
        /// The name of the memory that wrote them, the same at each import: what was counted there is counted once.
        pub from: String,
        /// The name that others know this memory by: what they took from here is not counted again.
        #[serde(default)]
        pub into: Option<String>,
    }

    /// What an import of patterns did.
    #[derive(Default)]
    pub struct PatternsImported {
        /// Patterns that were new.
        pub added: u32,
        /// Patterns that were known by their signature.
        pub updated: u32,
        /// Solutions that were new.
        pub solutions: u32,
        /// Outcomes that were new.
        pub outcomes: u32,
        /// Lines that could not be read; the others were taken.
        pub refused: Vec<RefusedLine>,
    }
}
