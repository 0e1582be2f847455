//! The circuit breaker opens when the same error occurs too often in a row, and stays open until it is reset. Errors
//! are the same if their hashes are equal.

state_types! {
    /// The circuit breaker of the contract.
    #[cfg_attr(feature = "types", ts(rename = "FixCircuit"))]
    pub struct Circuit {
        /// Number of equal errors in a row that open the circuit.
        pub threshold: u32,
        /// Hashes of the errors since the last reset.
        pub error_hashes: Vec<String>,
        /// State of the circuit.
        pub state: CircuitState,
    }
}

/// State of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum CircuitState {
    /// Attempts are allowed.
    Closed,
    /// Attempts are not allowed until the circuit is reset.
    Open,
}

impl Circuit {
    /// Creates a closed circuit.
    pub(in crate::fix_loop) const fn new(threshold: u32) -> Self {
        Self { threshold, error_hashes: Vec::new(), state: CircuitState::Closed }
    }

    /// Records an error, and opens the circuit if the error occurred too often.
    pub(in crate::fix_loop) fn record_error(&mut self, hash: String) {
        self.error_hashes.push(hash);
        if self.has_repeated_error() {
            self.state = CircuitState::Open;
        }
    }

    /// Returns `true` if the last `threshold` errors are the same.
    pub(in crate::fix_loop) fn has_repeated_error(&self) -> bool {
        let threshold = usize::try_from(self.threshold.max(1)).unwrap_or(usize::MAX);
        let Some(start) = self.error_hashes.len().checked_sub(threshold) else { return false };
        let last = &self.error_hashes[start..];
        last.iter().all(|hash| *hash == last[0])
    }

    pub(in crate::fix_loop) fn reset(&mut self) {
        self.error_hashes.clear();
        self.state = CircuitState::Closed;
    }
}
