//! The databases of a call: the primary database, which is written, the secondary database of the user, a foreign
//! database that came with the project, and the fixes that the repository shares.

use crate::{Engine, EngineError, ErrorCode, contract::MemoryKind};
use argus_core::CallContext;
use argus_store::Tx;

/// A database of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DatabaseRole {
    Primary,
    Secondary,
    Foreign,
    Shared,
}

/// Databases with content that others wrote. They are not part of [`OWN_DATABASES`], because their content must be
/// marked as foreign.
pub(super) const FOREIGN_DATABASES: [DatabaseRole; 2] = [DatabaseRole::Shared, DatabaseRole::Foreign];

/// The user's own databases. The primary database comes first, because its content has precedence.
pub(super) const OWN_DATABASES: [DatabaseRole; 2] = [DatabaseRole::Primary, DatabaseRole::Secondary];

impl Engine {
    /// Returns which kind of memory a database contains.
    pub(super) fn memory_kind(&self, side: DatabaseRole) -> MemoryKind {
        let home = self.options.memory.home.unwrap_or_default();
        match (side, home) {
            (DatabaseRole::Foreign | DatabaseRole::Shared, _) => MemoryKind::Foreign,
            (DatabaseRole::Primary, _) => home,
            (DatabaseRole::Secondary, MemoryKind::User) => MemoryKind::Project,
            (DatabaseRole::Secondary, _) => MemoryKind::User,
        }
    }

    /// Returns the database for content of the project: the secondary database if it is the project's, otherwise the
    /// primary.
    pub(super) fn project_database_role(&self) -> DatabaseRole {
        if self.has_database(DatabaseRole::Secondary)
            && self.memory_kind(DatabaseRole::Secondary) == MemoryKind::Project
        {
            DatabaseRole::Secondary
        } else {
            DatabaseRole::Primary
        }
    }

    /// Returns `true` if the call has this database.
    pub(super) const fn has_database(&self, side: DatabaseRole) -> bool {
        match side {
            DatabaseRole::Primary => true,
            DatabaseRole::Secondary => self.secondary.is_some(),
            DatabaseRole::Foreign => self.foreign.is_some(),
            DatabaseRole::Shared => self.shared.is_some(),
        }
    }

    /// Reads a database. Returns `None` if the call does not have this database.
    pub(super) fn read_database<T, F>(
        &self,
        side: DatabaseRole,
        context: &CallContext,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        let other = match side {
            DatabaseRole::Primary => return self.read(context, body).map(Some),
            DatabaseRole::Secondary => &self.secondary,
            DatabaseRole::Foreign => &self.foreign,
            DatabaseRole::Shared => &self.shared,
        };
        match other {
            Some(other) => other.read(context.now_ms, body).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a database. If a database other than the primary cannot be read, this adds a warning and returns `None`.
    pub(super) fn read_if_available<T, F>(
        &self,
        side: DatabaseRole,
        context: &CallContext,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match self.read_database(side, context, body) {
            Err(error) if side != DatabaseRole::Primary => {
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
        side: DatabaseRole,
        context: &CallContext,
        primary: Option<&mut Tx<'_>>,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, primary) {
            (DatabaseRole::Primary, Some(tx)) => body(tx).map(Some),
            _ => self.read_if_available(side, context, warnings, body),
        }
    }

    /// Returns `true` if the call runs in a single transaction and has no other memory. Then no search for the memory
    /// of an id is needed, because the transaction that changes an entry finds its id or fails.
    pub(super) fn has_one_memory(&self) -> bool {
        self.database.is_in_transaction() && self.secondary.is_none() && self.foreign.is_none() && self.shared.is_none()
    }

    /// Writes to a database of the user. Returns an error for other databases.
    pub(super) fn write_database<T, F>(
        &self,
        side: DatabaseRole,
        context: &CallContext,
        body: F,
    ) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (DatabaseRole::Secondary, Some(secondary)) => {
                let marked = |tx: &mut Tx<'_>| -> Result<T, EngineError> {
                    self.record_call_id(tx, context)?;
                    body(tx)
                };
                secondary.write(context.now_ms, marked)
            }
            (DatabaseRole::Primary, _) => self.write(context, body),
            (DatabaseRole::Foreign | DatabaseRole::Shared, _) | (DatabaseRole::Secondary, None) => {
                Err(not_writable_error())
            }
        }
    }

    /// Like [`Self::write_database`], but fails if the database is locked. This is for optional writes of a search,
    /// which must not wait.
    pub(super) fn write_database_without_waiting<T, F>(
        &self,
        side: DatabaseRole,
        context: &CallContext,
        body: F,
    ) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.secondary) {
            (DatabaseRole::Secondary, Some(secondary)) => secondary.write_with_short_timeout(context.now_ms, body),
            (DatabaseRole::Primary, _) => self.database.write_with_short_timeout(context.now_ms, body),
            (DatabaseRole::Foreign | DatabaseRole::Shared, _) | (DatabaseRole::Secondary, None) => {
                Err(not_writable_error())
            }
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
            Some(secondary) if secondary.exists(context.now_ms).unwrap_or(false) => secondary,
            _ => return self.write(context, |tx: &mut Tx<'_>| body(tx, None)),
        };
        let (mut body, mut answer) = (Some(body), None);
        if self.memory_kind(DatabaseRole::Primary) == MemoryKind::Project {
            let locking = |tx: &mut Tx<'_>| {
                let run = |other: &mut Tx<'_>| {
                    answer = Some(body.take().expect("it runs once")(tx, Some(other)));
                    Ok::<(), EngineError>(())
                };
                // If the lock fails, the body has not run. If the commit fails, the patterns indexed there stay queued
                // for a later search.
                let _ = secondary.write(context.now_ms, run);
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
        let _ = secondary.write(context.now_ms, run);
        if let Some(answer) = answer {
            return answer;
        }
        let body = body.take().expect("it has not run");
        self.write(context, |tx: &mut Tx<'_>| body(tx, None))
    }

    /// Returns the warnings for databases that could not be opened.
    pub(super) fn unavailable_database_warnings(&self) -> Vec<String> {
        let problems = [
            (DatabaseRole::Secondary, &self.secondary_open_error),
            (DatabaseRole::Foreign, &self.foreign_open_error),
            (DatabaseRole::Shared, &self.shared_open_error),
        ];
        let describe = |(side, problem): (DatabaseRole, &Option<String>)| {
            Some(self.skipped_memory_warning(side, problem.as_deref()?))
        };
        problems.into_iter().filter_map(describe).collect()
    }

    fn skipped_memory_warning(&self, side: DatabaseRole, problem: &str) -> String {
        let whose = match (side, self.memory_kind(side)) {
            (DatabaseRole::Shared, _) => "shared",
            (_, MemoryKind::Project) => "project's",
            (_, MemoryKind::User) => "user's own",
            (_, MemoryKind::Foreign) => "foreign",
        };
        format!("The {whose} memory was skipped: {problem}")
    }
}

fn not_writable_error() -> EngineError {
    EngineError::new(
        ErrorCode::InternalError,
        "Your own memory could not be opened, so this cannot be stored. Run argus doctor.",
    )
}

#[cfg(test)]
mod tests {
    use super::DatabaseRole;
    use crate::{ErrorCode, tests::World};
    use argus_store::{Tx, database::sqlite::probe};

    #[test]
    fn write_side_rejects_databases_of_others() {
        let world = World::new();
        for side in [DatabaseRole::Foreign, DatabaseRole::Shared, DatabaseRole::Secondary] {
            let set = || |tx: &mut Tx<'_>| Ok(probe::write_probe(tx, "probe")?);
            let written = world.engine.write_database(side, &world.context(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
            let written = world.engine.write_database_without_waiting(side, &world.context(), set());
            assert_eq!(written.unwrap_err().code, ErrorCode::InternalError);
        }
    }
}
