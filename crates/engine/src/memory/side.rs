//! The databases of one call: the primary one, where things are written, the secondary one beside it, and two of others: a
//! foreign one, and what the repository shares.

use crate::{Engine, EngineError, ErrorCode, contract::MemoryKind};
use argus_core::Ambient;
use argus_store::Tx;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Primary,
    Secondary,
    Foreign,
    Shared,
}

/// Those of others: what is foreign is asked for by name, where it can be shown as that.
pub(super) const SIDES_OF_OTHERS: [Side; 2] = [Side::Shared, Side::Foreign];

/// The user's own. Primary first: what is nearer counts first.
pub(super) const SIDES: [Side; 2] = [Side::Primary, Side::Secondary];

impl Engine {
    /// Whose memory it is.
    pub(super) fn kind(&self, side: Side) -> MemoryKind {
        let home = self.options.memory.home.unwrap_or_default();
        match (side, home) {
            (Side::Foreign | Side::Shared, _) => MemoryKind::Foreign,
            (Side::Primary, _) => home,
            (Side::Secondary, MemoryKind::User) => MemoryKind::Project,
            (Side::Secondary, _) => MemoryKind::User,
        }
    }

    /// Where what is of the project goes: its own database, where the call has it.
    pub(super) fn project_side(&self) -> Side {
        if self.has(Side::Secondary) && self.kind(Side::Secondary) == MemoryKind::Project {
            Side::Secondary
        } else {
            Side::Primary
        }
    }

    /// Whether there is such a database.
    pub(super) const fn has(&self, side: Side) -> bool {
        match side {
            Side::Primary => true,
            Side::Secondary => self.secondary.is_some(),
            Side::Foreign => self.foreign.is_some(),
            Side::Shared => self.shared.is_some(),
        }
    }

    /// Reads one side; nothing where there is no such database.
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

    /// Reads one side; one other than the primary that cannot be read is a warning and no error.
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

    /// The same; the primary one in the transaction of it that the call has open, where it has one.
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

    /// What is looked for is there or nowhere, so that its transaction finds it. Outside of one a file would be made for
    /// what it does not hold.
    pub(super) fn has_one_memory(&self) -> bool {
        self.database.is_in_one() && self.secondary.is_none() && self.foreign.is_none() && self.shared.is_none()
    }

    /// Writes one of the user's own sides, where something was found.
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

    /// The same if nobody holds its lock: for what a search notes by the way and nobody has to wait for.
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

    /// Writes the primary side while nobody can write the secondary one, so that what is not there stays so until the
    /// primary one is written; `body` gets
    /// both, or the primary one alone where there is no other to lock. Of the two, the project's is locked first, whichever is
    /// primary, so that no two calls wait for each other.
    pub(super) fn write_undisturbed<T, F>(&self, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: FnOnce(&mut Tx<'_>, Option<&mut Tx<'_>>) -> Result<T, EngineError>,
    {
        let secondary = match &self.secondary {
            // Locking a missing one would make it.
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
                // Where it could not be locked, the body has not run. What was indexed there waits on if it is not kept.
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

    /// What is to be said of the secondary and the foreign database that could not be opened.
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
    fn only_the_users_own_sides_are_written() {
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
