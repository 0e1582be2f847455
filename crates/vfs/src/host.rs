//! What a host must be able to do.
//! SQLite's error codes are chosen by `file` and `namespace`.

pub use rsqlite_vfs::LockLevel;

/// How a file is to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// It must exist; it is never written.
    Read,
    /// It must exist.
    ReadWrite,
    /// Made if it does not exist.
    Create,
    /// Must not exist before.
    CreateNew,
}

/// Why a host function could not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostError {
    /// There is no such file.
    NotFound,
    /// There is one already.
    Exists,
    /// A permission is missing, or the medium cannot be written.
    Denied,
    /// No space is left, or a size limit is reached.
    Full,
    /// A folder stands where a file is expected.
    IsFolder,
    /// Another process holds the lock.
    Busy,
    /// The host will not open this file; its reason is for the reader of the message.
    Refused,
    /// Anything else.
    Failed,
}

/// File functions of a host. Handles are the host's own small numbers. Nothing here may panic or throw.
pub trait HostFs: 'static {
    /// `database`: locks will be asked for on this handle.
    fn open(&self, path: &str, mode: OpenMode, database: bool) -> Result<u32, HostError>;
    /// Frees the handle, and with it its locks.
    fn close(&self, handle: u32);
    /// Reads up to the end of the file; fewer bytes than asked for only there.
    fn read(&self, handle: u32, buffer: &mut [u8], offset: u64) -> Result<usize, HostError>;
    /// Writes all of it.
    fn write(&self, handle: u32, bytes: &[u8], offset: u64) -> Result<(), HostError>;
    /// Cuts or extends the file.
    fn truncate(&self, handle: u32, size: u64) -> Result<(), HostError>;
    /// Returns when what was written would survive a power cut.
    fn sync(&self, handle: u32) -> Result<(), HostError>;
    /// Bytes in the file.
    fn size(&self, handle: u32) -> Result<u64, HostError>;
    /// Raises the lock of this handle to the level, or answers [`HostError::Busy`] at once.
    fn lock(&self, handle: u32, level: LockLevel) -> Result<(), HostError>;
    /// Lowers it to `Shared` or `None`.
    fn unlock(&self, handle: u32, level: LockLevel) -> Result<(), HostError>;
    /// Whether anybody, this handle too, holds `Reserved` or more.
    fn reserved(&self, handle: u32) -> Result<bool, HostError>;
    /// Whether the path that was opened leads to another file by now, or to none.
    fn moved(&self, handle: u32) -> bool;
    /// Deletes a file.
    fn remove(&self, path: &str) -> Result<(), HostError>;
    /// Returns when the folder of this file would survive a power cut as it is.
    fn sync_folder(&self, path: &str) -> Result<(), HostError>;
    /// Whether the file exists and, if `write`, can be written.
    fn access(&self, path: &str, write: bool) -> bool;
    /// Absolute, without links.
    fn full_path(&self, path: &str) -> Result<String, HostError>;
    /// Blocks.
    fn sleep(&self, milliseconds: u32);
    /// Random enough for temporary names and journal nonces.
    fn random(&self, bytes: &mut [u8]) -> usize;
    /// UTC milliseconds since the epoch; SQL's own idea of now, used by nothing of ours.
    fn now(&self) -> i64;
    /// What the last error was, for people; empty where there is nothing to say about it.
    fn last_error(&self) -> String;
}
