//! The two databases of one call: home, where things are written, and the one beside it.
//! Does not: decide what is asked of them.

use crate::{Engine, EngineError, contract::MemoryKind};
use argus_core::Ambient;
use argus_store::Database;

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Home,
    Beside,
}

/// Home first: what is nearer counts first.
pub(super) const SIDES: [Side; 2] = [Side::Home, Side::Beside];

impl<D: Database> Engine<D> {
    /// Whose memory it is.
    pub(super) fn kind(&self, side: Side) -> MemoryKind {
        let home = self.options.memory.home.unwrap_or_default();
        match (side, home) {
            (Side::Home, _) => home,
            (Side::Beside, MemoryKind::Project) => MemoryKind::User,
            (Side::Beside, MemoryKind::User) => MemoryKind::Project,
        }
    }

    /// Reads one side; nothing where there is no database beside.
    pub(super) async fn read_side<T, F>(&self, side: Side, ambient: &Ambient, body: F) -> Result<Option<T>, EngineError>
    where
        F: AsyncFnOnce(&mut D::Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.beside) {
            (Side::Home, _) => self.read(ambient, body).await.map(Some),
            (Side::Beside, Some(beside)) => beside.read(body).await.map(Some),
            (Side::Beside, None) => Ok(None),
        }
    }

    /// Reads one side; one beside that cannot be read is a warning and no error.
    pub(super) async fn look<T, F>(
        &self,
        side: Side,
        ambient: &Ambient,
        warnings: &mut Vec<String>,
        body: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: AsyncFnOnce(&mut D::Tx<'_>) -> Result<T, EngineError>,
    {
        match self.read_side(side, ambient, body).await {
            Err(error) if side == Side::Beside => {
                warnings.push(self.unreadable(&error.message));
                Ok(None)
            }
            answer => answer,
        }
    }

    /// Writes one side, where something was found.
    pub(super) async fn write_side<T, F>(&self, side: Side, ambient: &Ambient, body: F) -> Result<T, EngineError>
    where
        F: AsyncFnOnce(&mut D::Tx<'_>) -> Result<T, EngineError>,
    {
        match (side, &self.beside) {
            (Side::Beside, Some(beside)) => beside.write(body).await,
            (Side::Home, _) | (Side::Beside, None) => self.write(ambient, body).await,
        }
    }

    /// What is to be said of a database beside that could not be opened.
    pub(super) fn beside_warnings(&self) -> Vec<String> {
        self.beside_problem.iter().map(|problem| self.unreadable(problem)).collect()
    }

    fn unreadable(&self, problem: &str) -> String {
        let whose = match self.kind(Side::Beside) {
            MemoryKind::Project => "project's",
            MemoryKind::User => "user's own",
        };
        format!("The {whose} memory was left out: {problem}")
    }
}
