//! The databases of a call: the primary database, which is written, the secondary database of the user, a foreign
//! database that came with the project, and the fixes that the repository shares.

use crate::{Engine, EngineError, ErrorCode, contract::MemoryKind};
use argus_core::Ambient;
use argus_store::Tx;

/// A database of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Primary,
    Secondary,
    Foreign,
    Shared,
}

/// Databases with content of others. They are not part of [`SIDES`], because their content must be marked as foreign.
pub(super) const SIDES_OF_OTHERS: [Side; 2] = [Side::Shared, Side::Foreign];

/// The user's own databases. The primary database comes first, because its content has precedence.
pub(super) const SIDES: [Side; 2] = [Side::Primary, Side::Secondary];

impl Engine {
    /// Returns whose memory a database is.
    pub(super) fn kind(&self, side: Side) -> MemoryKind {
        let home = self.options.memory.home.unwrap_or_default();
        match (side, home) {
            (Side::Foreign | Side::Shared, _) => MemoryKind::Foreign,
            (Side::Primary, _) => home,
            (Side::Secondary, MemoryKind::User) => MemoryKind::Project,
            (Side::Secondary, _) => MemoryKind::User,
        }
    }

    /// Returns the database for content of the project: the secondary database if it is the project's, otherwise the
    /// primary.
    pub(super) fn project_side(&self) -> Side {
        if self.has(Side::Secondary) && self.kind(Side::Secondary) == MemoryKind::Project {
            Side::Secondary
        } else {
            Side::Primary
        }
    }

    /// Returns `true` if the call has this database.
    pub(super) const fn has(&self, side: Side) -> bool {
        match side {
            Side::Primary => true,
            Side::Secondary => self.secondary.is_some(),
            Side::Foreign => self.foreign.is_some(),
            Side::Shared => self.shared.is_some(),
        }
    }

    /// Reads a database. None if the call does not have it.
    pub(super) fn read_side<T, F>(&self, side: Side, ambient: &Ambient, body: F) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        let other = match side {
            Side::Primary => return self.read(ambient, body).map(Some),
            Side::Secondary => &self.secondary,
            Side::Foreign => &self.foreign,
            Side::Shared => &self.shared,
        };
        match other {
            Some(other) => other.read(ambient.now, body).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a database. If a database other than the primary cannot be read, this adds a warning and returns None.
    pub(super) fn read_if_available<T, F>(
        &self,
        side: Side,
        ambient: &Ambient,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match self.read_side(side, ambient, body) {
            Err(error) if side != Side::Primary => {
                warnings.push(self.left_out_warning(side, &error.message));
                Ok(None)
            }
            answer => answer,
        }
    }

    /// Like [`Self::read_if_available`], but reads the primary database in the transaction `primary` if the call has
    /// it open.
    pub(super) fn read_within<T, F>(
        &self,
        side: Side,
        ambient: &Ambient,
        primary: Option<&mut Tx<'_>>,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, primary) {
            (Side::Primary, Some(tx)) => body(tx).map(Some),
            _ => self.read_if_available(side, ambient, warnings, body),
        }
    }

    /// Returns `true` if the call runs in a single transaction on the only memory. Ids then need no search for their
    /// memory, because the transaction that changes them finds them or fails.
    pub(super) fn has_one_memory(&self) -> bool {
        self.database.is_in_one() && self.secondary.is_none() && self.foreign.is_none() && self.shared.is_none()
    }

    /// Writes one of the user's own databases. Returns an error for the others.
    pub(super) fn write_side<T, F>(&self, side: Side, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (Side::Secondary, Some(secondary)) => {
                let marked = |tx: &mut Tx<'_>| -> Result<T, EngineError> {
                    self.mark_call_made(tx, ambient)?;
                    body(tx)
                };
                secondary.write(ambient.now, marked)
            }
            (Side::Primary, _) => self.write(ambient, body),
            (Side::Foreign | Side::Shared, _) | (Side::Secondary, None) => Err(unwritable_error()),
        }
    }

    /// Like [`Self::write_side`], but fails if the database is locked. This is for optional writes of a search, which
    /// must not wait.
    pub(super) fn write_side_now<T, F>(&self, side: Side, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (Side::Secondary, Some(secondary)) => secondary.write_now(ambient.now, body),
            (Side::Primary, _) => self.database.write_now(ambient.now, body),
            (Side::Foreign | Side::Shared, _) | (Side::Secondary, None) => Err(unwritable_error()),
        }
    }

    /// Writes the primary database while the secondary database is locked, so that nothing can be added there before
    /// the write is done. `body` gets both transactions, or only the primary if the secondary cannot be locked. The
    /// database of the project is always locked first, whichever is primary, so that two calls cannot deadlock.
    pub(super) fn write_undisturbed<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>, Option<&mut Tx<'_>>) -> Result<T, EngineError>,
    {
        let secondary = match &self.secondary {
            // Locking a missing database would create it.
            Some(secondary) if secondary.exists(ambient.now).unwrap_or(false) => secondary,
            _ => return self.write(ambient, |tx: &mut Tx<'_>| body(tx, None)),
        };
        let (mut body, mut answer) = (Some(body), None);
        if self.kind(Side::Primary) == MemoryKind::Project {
            let locking = |tx: &mut Tx<'_>| {
                let run = |other: &mut Tx<'_>| {
                    answer = Some(body.take().expect("it runs once")(tx, Some(other)));
                    Ok::<(), EngineError>(())
                };
                // If the lock fails, the body has not run. If the commit fails, the patterns indexed there stay queued
                // for a later search.
                let _ = secondary.write(ambient.now, run);
                match answer.take() {
                    Some(answer) => answer,
                    None => body.take().expect("it has not run")(tx, None),
                }
            };
            return self.write(ambient, locking);
        }
        let run = |other: &mut Tx<'_>| {
            let body = body.take().expect("it runs once");
            answer = Some(self.write(ambient, |tx: &mut Tx<'_>| body(tx, Some(other))));
            Ok::<(), EngineError>(())
        };
        let _ = secondary.write(ambient.now, run);
        if let Some(answer) = answer {
            return answer;
        }
        let body = body.take().expect("it has not run");
        self.write(ambient, |tx: &mut Tx<'_>| body(tx, None))
    }

    /// Returns the warnings for databases that could not be opened.
    pub(super) fn secondary_warnings(&self) -> Vec<String> {
        let problems = [
            (Side::Secondary, &self.secondary_problem),
            (Side::Foreign, &self.foreign_problem),
            (Side::Shared, &self.shared_problem),
        ];
        let said = |(side, problem): (Side, &Option<String>)| Some(self.left_out_warning(side, problem.as_deref()?));
        problems.into_iter().filter_map(said).collect()
    }

    fn left_out_warning(&self, side: Side, problem: &str) -> String {
        let whose = match (side, self.kind(side)) {
            (Side::Shared, _) => "shared",
            (_, MemoryKind::Project) => "project's",
            (_, MemoryKind::User) => "user's own",
            (_, MemoryKind::Foreign) => "foreign",
        };
        format!("The {whose} memory was left out: {problem}")
    }
}

fn unwritable_error() -> EngineError {
    EngineError::new(ErrorCode::InternalError, "There is no memory of the user's own to write this to.")
}

#[cfg(test)]
mod tests {
    use super::Side;
    use crate::{ErrorCode, tests::World};
    use argus_store::{Tx, database::sqlite::probe};

    #[test]
    fn write_side_rejects_databases_of_others() {
        let world = World::new();
        for side in [Side::Foreign, Side::Shared, Side::Secondary] {
            let set = || |tx: &mut Tx<'_>| Ok(probe::set(tx, "probe")?);
            let written = world.engine.write_side(side, &world.ambient(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
            let written = world.engine.write_side_now(side, &world.ambient(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
        }
    }
}
