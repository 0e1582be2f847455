//! The databases of a call: the primary database, which is written, the secondary database of the user, a foreign
//! database that came with the project, and the fixes that the repository shares.

use crate::{Engine, EngineError, ErrorCode, contract::MemoryKind};
use argus_core::CallContext;
use argus_store::Tx;

/// A database of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Primary,
    Secondary,
    Foreign,
    Shared,
}

/// Databases with content that others wrote. They are not part of [`OWN_SIDES`], because their content must be marked
/// as foreign.
pub(super) const FOREIGN_SIDES: [Side; 2] = [Side::Shared, Side::Foreign];

/// The user's own databases. The primary database comes first, because its content has precedence.
pub(super) const OWN_SIDES: [Side; 2] = [Side::Primary, Side::Secondary];

impl Engine {
    /// Returns which kind of memory a database contains.
    pub(super) fn memory_kind(&self, side: Side) -> MemoryKind {
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
        if self.has_database(Side::Secondary) && self.memory_kind(Side::Secondary) == MemoryKind::Project {
            Side::Secondary
        } else {
            Side::Primary
        }
    }

    /// Returns `true` if the call has this database.
    pub(super) const fn has_database(&self, side: Side) -> bool {
        match side {
            Side::Primary => true,
            Side::Secondary => self.secondary.is_some(),
            Side::Foreign => self.foreign.is_some(),
            Side::Shared => self.shared.is_some(),
        }
    }

    /// Reads a database. Returns `None` if the call does not have this database.
    pub(super) fn read_side<T, F>(&self, side: Side, context: &CallContext, body: F) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        let other = match side {
            Side::Primary => return self.read(context, body).map(Some),
            Side::Secondary => &self.secondary,
            Side::Foreign => &self.foreign,
            Side::Shared => &self.shared,
        };
        match other {
            Some(other) => other.read(context.now, body).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a database. If a database other than the primary cannot be read, this adds a warning and returns `None`.
    pub(super) fn read_if_available<T, F>(
        &self,
        side: Side,
        context: &CallContext,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match self.read_side(side, context, body) {
            Err(error) if side != Side::Primary => {
                warnings.push(self.skipped_memory_warning(side, &error.message));
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
        context: &CallContext,
        primary: Option<&mut Tx<'_>>,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, primary) {
            (Side::Primary, Some(tx)) => body(tx).map(Some),
            _ => self.read_if_available(side, context, warnings, body),
        }
    }

    /// Returns `true` if the call runs in a single transaction and has no other memory. Then no search for the memory
    /// of an id is needed, because the transaction that changes an entry finds its id or fails.
    pub(super) fn has_one_memory(&self) -> bool {
        self.database.is_in_transaction() && self.secondary.is_none() && self.foreign.is_none() && self.shared.is_none()
    }

    /// Writes to a database of the user. Returns an error for other databases.
    pub(super) fn write_side<T, F>(&self, side: Side, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (Side::Secondary, Some(secondary)) => {
                let marked = |tx: &mut Tx<'_>| -> Result<T, EngineError> {
                    self.mark_call_made(tx, context)?;
                    body(tx)
                };
                secondary.write(context.now, marked)
            }
            (Side::Primary, _) => self.write(context, body),
            (Side::Foreign | Side::Shared, _) | (Side::Secondary, None) => Err(not_writable_error()),
        }
    }

    /// Like [`Self::write_side`], but fails if the database is locked. This is for optional writes of a search, which
    /// must not wait.
    pub(super) fn write_side_now<T, F>(&self, side: Side, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (Side::Secondary, Some(secondary)) => secondary.write_with_short_timeout(context.now, body),
            (Side::Primary, _) => self.database.write_with_short_timeout(context.now, body),
            (Side::Foreign | Side::Shared, _) | (Side::Secondary, None) => Err(not_writable_error()),
        }
    }

    /// Writes the primary database while the secondary database is locked, so that no other call can add an entry there
    /// before the write is done. `body` gets both transactions, or only the primary if the secondary cannot be locked.
    /// The database of the project is always locked first, whichever is primary, so that two calls cannot deadlock.
    pub(super) fn write_with_secondary_locked<T, F>(&self, context: &CallContext, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>, Option<&mut Tx<'_>>) -> Result<T, EngineError>,
    {
        let secondary = match &self.secondary {
            // Locking a missing database would create it.
            Some(secondary) if secondary.exists(context.now).unwrap_or(false) => secondary,
            _ => return self.write(context, |tx: &mut Tx<'_>| body(tx, None)),
        };
        let (mut body, mut answer) = (Some(body), None);
        if self.memory_kind(Side::Primary) == MemoryKind::Project {
            let locking = |tx: &mut Tx<'_>| {
                let run = |other: &mut Tx<'_>| {
                    answer = Some(body.take().expect("it runs once")(tx, Some(other)));
                    Ok::<(), EngineError>(())
                };
                // If the lock fails, the body has not run. If the commit fails, the patterns indexed there stay queued
                // for a later search.
                let _ = secondary.write(context.now, run);
                match answer.take() {
                    Some(answer) => answer,
                    None => body.take().expect("it has not run")(tx, None),
                }
            };
            return self.write(context, locking);
        }
        let run = |other: &mut Tx<'_>| {
            let body = body.take().expect("it runs once");
            answer = Some(self.write(context, |tx: &mut Tx<'_>| body(tx, Some(other))));
            Ok::<(), EngineError>(())
        };
        let _ = secondary.write(context.now, run);
        if let Some(answer) = answer {
            return answer;
        }
        let body = body.take().expect("it has not run");
        self.write(context, |tx: &mut Tx<'_>| body(tx, None))
    }

    /// Returns the warnings for databases that could not be opened.
    pub(super) fn secondary_warnings(&self) -> Vec<String> {
        let problems = [
            (Side::Secondary, &self.secondary_problem),
            (Side::Foreign, &self.foreign_problem),
            (Side::Shared, &self.shared_problem),
        ];
        let describe =
            |(side, problem): (Side, &Option<String>)| Some(self.skipped_memory_warning(side, problem.as_deref()?));
        problems.into_iter().filter_map(describe).collect()
    }

    fn skipped_memory_warning(&self, side: Side, problem: &str) -> String {
        let whose = match (side, self.memory_kind(side)) {
            (Side::Shared, _) => "shared",
            (_, MemoryKind::Project) => "project's",
            (_, MemoryKind::User) => "user's own",
            (_, MemoryKind::Foreign) => "foreign",
        };
        format!("The {whose} memory was skipped: {problem}")
    }
}

fn not_writable_error() -> EngineError {
    EngineError::new(ErrorCode::InternalError, "The user's memory is not available, so this cannot be stored.")
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
            let set = || |tx: &mut Tx<'_>| Ok(probe::write_probe(tx, "probe")?);
            let written = world.engine.write_side(side, &world.context(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
            let written = world.engine.write_side_now(side, &world.context(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
        }
    }
}
