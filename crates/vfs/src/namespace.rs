//! Opens, finds and deletes files by name, and provides SQLite's operating system functions. The host resolves paths.

use crate::{
    append_buffer::AppendBuffer,
    file::{File, host_error_to_vfs},
    host::{HostError, HostFs, LockLevel, OpenMode},
};
use rsqlite_vfs::{
    AccessMode, FileKind, OpenAccess, OpenOptions, OpenRequest, OpenedFile, OsCallback, SQLiteIoMethods, SQLiteVfs,
    VfsError, VfsErrorCode, VfsResult, VfsStore,
};
use std::{cell::RefCell, marker::PhantomData, rc::Rc, time::Duration};

/// Extended error codes that the typed list lacks. The plain `SQLITE_CANTOPEN` is reserved for files that do not exist.
const CANTOPEN_IS_FOLDER: i32 = 0x0e | (2 << 8);
const READONLY_FOLDER: i32 = 0x08 | (6 << 8);
/// Not a code of SQLite, but of this program: the file exists but may not be opened. SQLite returns extended codes
/// unchanged.
const CANTOPEN_DENIED: i32 = 0x0e | (100 << 8);
/// Also a code of this program: the host refused to open the file and gave a reason.
const CANTOPEN_REFUSED: i32 = 0x0e | (101 << 8);

/// Data of a registered VFS.
pub(crate) struct VfsData<H: HostFs> {
    pub(crate) host: Rc<H>,
    pub(crate) last_failure: Rc<RefCell<Option<String>>>,
}

/// SQLite's functions for an open file. All use the default implementations.
pub(crate) struct FileMethods<H>(PhantomData<H>);

impl<H: HostFs> SQLiteIoMethods for FileMethods<H> {
    type Store = Store<H>;
}

/// SQLite's functions for a VFS. All use the default implementations.
pub(crate) struct VfsCallbacks<H>(PhantomData<H>);

impl<H: HostFs> SQLiteVfs<FileMethods<H>> for VfsCallbacks<H> {
    type Os = VfsData<H>;

    /// Linux allows paths of 4096 bytes.
    const MAX_PATH_SIZE: std::ffi::c_int = 4096;

    fn os(data: &VfsData<H>) -> &Self::Os {
        data
    }
}

impl<H: HostFs> OsCallback for VfsData<H> {
    fn sleep(&self, duration: Duration) {
        self.host.sleep(u32::try_from(duration.as_micros().div_ceil(1000)).unwrap_or(u32::MAX));
    }

    fn random(&self, bytes: &mut [u8]) -> usize {
        self.host.random(bytes)
    }

    fn epoch_timestamp_in_ms(&self) -> VfsResult<i64> {
        Ok(self.host.now())
    }
}

pub(crate) struct Store<H>(PhantomData<H>);

impl<H: HostFs> VfsStore for Store<H> {
    type File = File<H>;
    type AppData = VfsData<H>;

    fn record_error(files: &VfsData<H>, error: VfsError) {
        if !error.message().is_empty() && error.code() != VfsErrorCode::IoShortRead {
            files.last_failure.replace(Some(error.message().to_owned()));
        }
    }

    fn last_error(files: &VfsData<H>) -> Option<VfsError> {
        let message = files.last_failure.borrow().clone()?;
        Some(VfsError::new(VfsErrorCode::Io, message.into()))
    }

    fn open_file(files: &VfsData<H>, request: OpenRequest<'_>) -> VfsResult<OpenedFile<File<H>>> {
        // Temporary files are in memory (SQLITE_TEMP_STORE=2), so SQLite never needs a temporary file on disk.
        let Some(name) = request.filename else {
            return Err(VfsError::new(VfsErrorCode::CantOpen, "temporary files on disk are not supported".into()));
        };
        let (path, options) = (name.path(), request.options);
        let database = options.kind() == Some(FileKind::MainDb);
        let is_new = options.create() && !files.host.access(path, false);
        let (handle, access) = open_with_fallback(files, path, options, database)?;
        let unsynced_path = (is_new && access == OpenAccess::ReadWrite).then(|| path.to_owned());
        let appends = (options.kind() == Some(FileKind::MainJournal)).then(AppendBuffer::default);
        let file = File { host: Rc::clone(&files.host), handle, level: LockLevel::None, unsynced_path, appends };
        Ok(OpenedFile { file, access })
    }

    fn close_file(files: &VfsData<H>, name: Option<&str>, file: File<H>, options: OpenOptions) -> VfsResult<()> {
        file.close();
        if let (true, Some(name)) = (options.delete_on_close(), name) {
            files.host.remove(name).map_err(|error| host_error_to_vfs(&*files.host, error, VfsErrorCode::IoDelete))?;
        }
        Ok(())
    }

    fn access(files: &VfsData<H>, name: &str, mode: AccessMode) -> VfsResult<bool> {
        Ok(files.host.access(name, mode == AccessMode::ReadWrite))
    }

    fn full_pathname(files: &VfsData<H>, name: &str) -> VfsResult<String> {
        files.host.full_path(name).map_err(|error| host_error_to_vfs(&*files.host, error, VfsErrorCode::CantOpen))
    }

    fn delete_file(files: &VfsData<H>, name: &str, sync_dir: bool) -> VfsResult<()> {
        let host = &*files.host;
        host.remove(name).map_err(|error| match error {
            HostError::NotFound => VfsError::new(VfsErrorCode::IoDeleteNoEntry, "".into()),
            error => host_error_to_vfs(host, error, VfsErrorCode::IoDelete),
        })?;
        if sync_dir {
            host.sync_folder(name).map_err(|error| host_error_to_vfs(host, error, VfsErrorCode::IoDirectorySync))?;
        }
        Ok(())
    }
}

/// Opens a file as requested. Falls back to reading only if writing is denied, because SQLite expects that of a VFS.
fn open_with_fallback<H: HostFs>(
    files: &VfsData<H>,
    path: &str,
    options: OpenOptions,
    database: bool,
) -> VfsResult<(u32, OpenAccess)> {
    let host = &*files.host;
    let open_for_writing = |mode| host.open(path, mode, database).map(|handle| (handle, OpenAccess::ReadWrite));
    let open_for_reading = || host.open(path, OpenMode::Read, database).map(|handle| (handle, OpenAccess::ReadOnly));
    let opened = match (options.access(), options.create(), options.exclusive()) {
        (OpenAccess::ReadOnly, ..) => open_for_reading(),
        (_, _, true) => open_for_writing(OpenMode::CreateNew),
        (_, true, false) => open_for_writing(OpenMode::Create),
        (_, false, false) => open_for_writing(OpenMode::ReadWrite),
    };
    let is_missing = || options.create() && !host.access(path, false);
    let opened = match opened {
        Err(HostError::Denied) if options.access() == OpenAccess::ReadWrite && !is_missing() => open_for_reading(),
        other => other,
    };
    opened.map_err(|error| {
        let code = match error {
            HostError::NotFound => VfsErrorCode::CantOpen,
            HostError::IsFolder => extended_code(CANTOPEN_IS_FOLDER),
            HostError::Denied if is_missing() => extended_code(READONLY_FOLDER),
            HostError::Denied => extended_code(CANTOPEN_DENIED),
            _ => extended_code(CANTOPEN_REFUSED),
        };
        host_error_to_vfs(host, error, code)
    })
}

fn extended_code(code: i32) -> VfsErrorCode {
    VfsErrorCode::from_raw(code).expect("an error code is not zero")
}
