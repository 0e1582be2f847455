//! Types for the export and import of incidents and learned patterns as JSON lines.

use serde::{Deserialize, Serialize};

contract! {
    /// Incidents to import.
    pub struct MemoryImportParams {
        /// Whole lines, each with an incident as JSON (`IncidentLine`). Each call is a transaction, so pass about 1000
        /// lines at a time.
        pub lines: String,
    }

    /// Result of an import.
    #[derive(Default)]
    pub struct MemoryImportResult {
        /// Number of new incidents.
        pub added: u32,
        /// Number of incidents whose id already existed.
        pub updated: u32,
        /// Number of new solutions.
        pub solutions: u32,
        /// Number of new outcomes.
        pub outcomes: u32,
        /// Lines that could not be read. The others were imported.
        pub refused: Vec<RefusedLine>,
    }

    /// A line of an import that could not be read.
    pub struct RefusedLine {
        /// Line number within the call, from 1.
        pub line: u32,
        /// Reason.
        pub message: String,
    }

    /// Selects a page of incidents to export.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct MemoryExportParams {
        /// The `next` of the previous page, or null for the first page.
        pub after: Option<String>,
        /// Incidents per page, from 1 to 1000. Default: 200.
        pub limit: Option<u32>,
    }

    /// A page of exported incidents.
    pub struct MemoryExportPage {
        /// A JSON object per line, in the format of the import.
        pub lines: String,
        /// Number of incidents on the page.
        pub incidents: u32,
        /// Number of incidents in the memory.
        pub total: u32,
        /// Position of the next page. None on the last page.
        pub next: Option<String>,
    }

    /// Selects a page of learned patterns to export.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    #[serde(default)]
    pub struct PatternsExportParams {
        /// The `next` of the previous page, or null for the first page.
        pub after: Option<String>,
        /// Patterns per page, from 1 to 200. Default: 100.
        pub limit: Option<u32>,
    }

    /// A page of exported patterns.
    pub struct PatternsExportPage {
        /// A JSON object per line, in the format of the import.
        pub lines: String,
        /// Number of patterns on the page.
        pub patterns: u32,
        /// Number of learned patterns in the memory.
        pub total: u32,
        /// Position of the next page. None on the last page.
        pub next: Option<String>,
    }

    /// Patterns to import from another memory.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct PatternsImportParams {
        /// Whole lines, each with a pattern in the format of the export. Each call is a transaction.
        pub lines: String,
        /// Name of the source memory. Use the same name for each import, so that nothing is counted twice.
        pub from: String,
        /// Name under which other memories import from this memory. Counts under this name came from here, so they are
        /// ignored.
        #[serde(default)]
        pub into: Option<String>,
    }

    /// Result of an import of patterns.
    #[derive(Default)]
    pub struct PatternsImportResult {
        /// Number of new patterns.
        pub added: u32,
        /// Number of patterns whose signature was known.
        pub updated: u32,
        /// Number of new solutions.
        pub solutions: u32,
        /// Number of new outcomes.
        pub outcomes: u32,
        /// Lines that could not be read. The others were imported.
        pub refused: Vec<RefusedLine>,
    }
}
