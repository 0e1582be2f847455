//! Chooses the approach of the next fix: first the obvious fix, then a defensive fix, then another implementation.

state_types! {
    /// Approaches of the contract.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    #[cfg_attr(feature = "types", ts(rename = "FixApproach"))]
    pub enum Approach {
        /// The most obvious fix.
        Direct,
        /// A fix that adds checks, validation or error handling.
        Defensive,
        /// A different implementation.
        Alternative,
    }

    /// The next fix to make.
    #[cfg_attr(feature = "types", ts(rename = "FixStep"))]
    pub struct FixStep {
        /// Approach of the fix.
        pub name: Approach,
        /// Number of the fix in this loop, from 1.
        pub number: u32,
        /// Title of the approach in the contract.
        pub title: String,
        /// Instructions for the fix.
        pub description: String,
    }
}

impl Approach {
    /// Returns the name of the approach in `state.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Defensive => "defensive",
            Self::Alternative => "alternative",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Direct => "Direct Fix",
            Self::Defensive => "Defensive Approach",
            Self::Alternative => "Alternative Pattern",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Direct => "Apply the most obvious fix from the research.",
            Self::Defensive => "Add null checks, validation and error handling.",
            Self::Alternative => "Try a different implementation approach entirely.",
        }
    }
}

/// Returns the approach of the next fix after this number of fixes.
pub(in crate::fix_loop) const fn approach_after(fixes: usize) -> Approach {
    match fixes {
        0 => Approach::Direct,
        1 => Approach::Defensive,
        _ => Approach::Alternative,
    }
}

/// Returns the instructions for the next fix after this number of fixes.
pub(in crate::fix_loop) fn next_fix_step(fixes: usize) -> FixStep {
    let name = approach_after(fixes);
    let mut description = name.description().to_owned();
    if fixes > 2 {
        description.push_str(" Use an approach that was not tried in this loop yet.");
    }
    FixStep {
        name,
        number: u32::try_from(fixes).unwrap_or(u32::MAX).saturating_add(1),
        title: name.title().to_owned(),
        description,
    }
}
