//! An open file. Translates between the terms of SQLite and the host.

use crate::{
    append_buffer::AppendBuffer,
    host::{HostError, HostFs, LockLevel},
};
use rsqlite_vfs::{DeviceCharacteristics, SyncOptions, VfsError, VfsErrorCode, VfsFile, VfsResult};
use std::rc::Rc;

/// A handle of the host.
pub(crate) struct File<H: HostFs> {
    pub(crate) host: Rc<H>,
    pub(crate) handle: u32,
    pub(crate) level: LockLevel,
    /// The path of a new journal. Its directory entry must be on disk before the database is changed, otherwise a power
    /// failure loses the journal.
    pub(crate) unsynced_path: Option<String>,
    /// The buffered writes of a journal, otherwise `None`. SQLite syncs the journal before it changes the database, and
    /// until then no other process reads it because its writer holds RESERVED. A process that ends earlier therefore
    /// loses nothing.
    pub(crate) appends: Option<AppendBuffer>,
}

impl<H: HostFs> File<H> {
    fn convert_error(&self, error: HostError, operation_code: VfsErrorCode) -> VfsError {
        host_error_to_vfs(&*self.host, error, operation_code)
    }

    /// Writes the buffered bytes to the host. On failure they stay buffered, because a rollback reads them.
    fn flush(&mut self, operation_code: VfsErrorCode) -> VfsResult<()> {
        let Some((bytes, offset)) = self.appends.as_ref().and_then(AppendBuffer::pending) else { return Ok(()) };
        self.host.write(self.handle, bytes, offset).map_err(|error| self.convert_error(error, operation_code))?;
        self.appends.iter_mut().for_each(AppendBuffer::clear);
        Ok(())
    }

    /// Closes the handle. Bytes that cannot be written any more belong to a transaction that was not committed.
    pub(crate) fn close(mut self) {
        let _ = self.flush(VfsErrorCode::IoClose);
        self.host.close(self.handle);
    }
}

/// Maps an error of the host to SQLite's code. `operation_code` is the general code of the failed operation.
pub(crate) fn host_error_to_vfs<H: HostFs>(host: &H, error: HostError, operation_code: VfsErrorCode) -> VfsError {
    let code = match error {
        HostError::Full => VfsErrorCode::Full,
        HostError::Busy => VfsErrorCode::Busy,
        HostError::Denied if operation_code == VfsErrorCode::IoWrite => VfsErrorCode::ReadOnly,
        _ => operation_code,
    };
    VfsError::new(code, host.last_error().into())
}

impl<H: HostFs> VfsFile for File<H> {
    fn read(&mut self, buffer: &mut [u8], offset: u64) -> VfsResult<usize> {
        let read = self.host.read(self.handle, buffer, offset);
        let read = read.map_err(|error| self.convert_error(error, VfsErrorCode::IoRead))?;
        Ok(self.appends.as_ref().map_or(read, |appends| appends.copy_onto(buffer, offset, read)))
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        if self.appends.as_mut().is_some_and(|appends| appends.buffer_write(bytes, offset)) {
            return Ok(());
        }
        self.flush(VfsErrorCode::IoWrite)?;
        if self.appends.as_mut().is_some_and(|appends| appends.buffer_write(bytes, offset)) {
            return Ok(());
        }
        self.host.write(self.handle, bytes, offset).map_err(|error| self.convert_error(error, VfsErrorCode::IoWrite))
    }

    fn truncate(&mut self, size: u64) -> VfsResult<()> {
        self.flush(VfsErrorCode::IoTruncate)?;
        self.host.truncate(self.handle, size).map_err(|error| self.convert_error(error, VfsErrorCode::IoTruncate))
    }

    fn sync(&mut self, _options: SyncOptions) -> VfsResult<()> {
        self.flush(VfsErrorCode::IoSync)?;
        self.host.sync(self.handle).map_err(|error| self.convert_error(error, VfsErrorCode::IoSync))?;
        if let Some(name) = self.unsynced_path.take() {
            self.host.sync_folder(&name).map_err(|error| self.convert_error(error, VfsErrorCode::IoDirectorySync))?;
        }
        Ok(())
    }

    fn size(&self) -> VfsResult<u64> {
        let size = self.host.size(self.handle).map_err(|error| self.convert_error(error, VfsErrorCode::IoStat))?;
        Ok(self.appends.as_ref().map_or(size, |appends| size.max(appends.end())))
    }

    fn lock(&mut self, level: LockLevel) -> VfsResult<()> {
        // A transaction begins. If the file was deleted, the transaction would be lost, and its journal would belong to
        // the new file at this path.
        if self.level == LockLevel::None && self.host.was_moved(self.handle) {
            return Err(VfsError::new(VfsErrorCode::IoStat, "the file was moved or deleted".into()));
        }
        if level > self.level {
            self.host.lock(self.handle, level).map_err(|error| self.convert_error(error, VfsErrorCode::IoLock))?;
            self.level = level;
        }
        Ok(())
    }

    fn unlock(&mut self, level: LockLevel) -> VfsResult<()> {
        // Also unlocks at level `None`, because a failed attempt to raise the lock may have left PENDING at the host.
        if level < self.level || level == LockLevel::None {
            self.host.unlock(self.handle, level).map_err(|error| self.convert_error(error, VfsErrorCode::IoUnlock))?;
            self.level = level;
        }
        Ok(())
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        self.host
            .has_reserved_lock(self.handle)
            .map_err(|error| self.convert_error(error, VfsErrorCode::IoCheckReservedLock))
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        // SQLite's own Unix VFS also assumes this for modern disks: a power failure damages only bytes that were being
        // written.
        DeviceCharacteristics::POWERSAFE_OVERWRITE
    }
}
