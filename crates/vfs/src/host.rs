//! The functions that a host must provide. `file` and `namespace` choose SQLite's error codes.

pub use rsqlite_vfs::LockLevel;

/// Whether a file is written, and whether it must exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Must exist; is never written.
    Read,
    /// Must exist.
    ReadWrite,
    /// Created if it does not exist.
    Create,
    /// Must not exist yet.
    CreateNew,
}

/// The error of a host function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostError {
    /// The file does not exist.
    NotFound,
    /// The file exists already.
    Exists,
    /// A permission is missing, or the medium is read-only.
    Denied,
    /// No space is left, or a size limit was reached.
    Full,
    /// The path is a directory.
    IsFolder,
    /// Another process holds the lock.
    Busy,
    /// The host refuses to open this file. [`HostFs::last_error`] has the reason.
    Refused,
    /// Any other error.
    Failed,
}

/// File functions of a host. Handles are small numbers that the host chooses. A function must not panic or throw.
pub trait HostFs: 'static {
    /// Opens a file. `database` is true if locks will be requested on the handle.
    fn open(&self, path: &str, mode: OpenMode, database: bool) -> Result<u32, HostError>;
    /// Closes the handle and releases its locks.
    fn close(&self, handle: u32);
    /// Reads bytes and returns their number. Fewer bytes than requested are returned only at the end of the file.
    fn read(&self, handle: u32, buffer: &mut [u8], offset: u64) -> Result<usize, HostError>;
    /// Writes all bytes.
    fn write(&self, handle: u32, bytes: &[u8], offset: u64) -> Result<(), HostError>;
    /// Shortens or extends the file.
    fn truncate(&self, handle: u32, size: u64) -> Result<(), HostError>;
    /// Waits until all writes of the handle would survive a power failure.
    fn sync(&self, handle: u32) -> Result<(), HostError>;
    /// Returns the size of the file in bytes.
    fn size(&self, handle: u32) -> Result<u64, HostError>;
    /// Raises the lock of this handle to the level. Returns [`HostError::Busy`] instead of waiting.
    fn lock(&self, handle: u32, level: LockLevel) -> Result<(), HostError>;
    /// Lowers the lock to `Shared` or `None`.
    fn unlock(&self, handle: u32, level: LockLevel) -> Result<(), HostError>;
    /// Returns true if any handle of the file, including this handle, holds `Reserved` or a higher lock.
    fn has_reserved_lock(&self, handle: u32) -> Result<bool, HostError>;
    /// Returns true if the path of the handle now names another file or no file.
    fn was_moved(&self, handle: u32) -> bool;
    /// Deletes a file.
    fn remove(&self, path: &str) -> Result<(), HostError>;
    /// Waits until the directory entry of this file would survive a power failure.
    fn sync_folder(&self, path: &str) -> Result<(), HostError>;
    /// Returns true if the file exists and, if `write` is true, can be written.
    fn access(&self, path: &str, write: bool) -> bool;
    /// Returns the absolute path with symbolic links resolved.
    fn full_path(&self, path: &str) -> Result<String, HostError>;
    /// Blocks the thread for this time.
    fn sleep(&self, milliseconds: u32);
    /// Fills `bytes` with random bytes that are good enough for temporary names and journal nonces, and returns their
    /// number.
    fn random(&self, bytes: &mut [u8]) -> usize;
    /// Returns UTC milliseconds since the epoch. Only SQLite's own date functions use it, and the store does not use
    /// those.
    fn now(&self) -> i64;
    /// Returns a message about the last error. It is empty if there is no message.
    fn last_error(&self) -> String;
}
