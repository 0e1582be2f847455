//! Opens, finds and deletes files by name, and provides SQLite's operating system functions. The host resolves paths.

use crate::{
    appends::Appends,
    file::{File, failed},
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
/// Our own code: the file exists but may not be opened. SQLite passes extended codes through.
const CANTOPEN_DENIED: i32 = 0x0e | (100 << 8);
/// Our own code: the host refused and gave a reason.
const CANTOPEN_REFUSED: i32 = 0x0e | (101 << 8);

/// Data of a registered VFS.
pub(crate) struct Files<H: HostFs> {
    pub(crate) host: Rc<H>,
    pub(crate) failed: Rc<RefCell<Option<String>>>,
}

/// SQLite's functions per file. All use the default implementations.
pub(crate) struct Methods<H>(PhantomData<H>);

impl<H: HostFs> SQLiteIoMethods for Methods<H> {
    type Store = Store<H>;
}

/// SQLite's functions per VFS. All use the default implementations.
pub(crate) struct Callbacks<H>(PhantomData<H>);

impl<H: HostFs> SQLiteVfs<Methods<H>> for Callbacks<H> {
    type Os = Files<H>;

    /// Linux allows paths of 4096 bytes.
    const MAX_PATH_SIZE: std::ffi::c_int = 4096;

    fn os(data: &Files<H>) -> &Self::Os {
        data
    }
}

impl<H: HostFs> OsCallback for Files<H> {
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
    type AppData = Files<H>;

    fn record_error(files: &Files<H>, error: VfsError) {
        if !error.message().is_empty() && error.code() != VfsErrorCode::IoShortRead {
            files.failed.replace(Some(error.message().to_owned()));
        }
    }

    fn last_error(files: &Files<H>) -> Option<VfsError> {
        let message = files.failed.borrow().clone()?;
        Some(VfsError::new(VfsErrorCode::Io, message.into()))
    }

    fn open_file(files: &Files<H>, request: OpenRequest<'_>) -> VfsResult<OpenedFile<File<H>>> {
        // Temporary files are in memory (SQLITE_TEMP_STORE=2), so SQLite never needs one on disk.
        let Some(name) = request.filename else {
            return Err(VfsError::new(VfsErrorCode::CantOpen, "temporary files on disk are not offered".into()));
        };
        let (path, options) = (name.path(), request.options);
        let database = options.kind() == Some(FileKind::MainDb);
        let is_new = options.create() && !files.host.access(path, false);
        let (handle, access) = open(files, path, options, database)?;
        let unsynced_name = (is_new && access == OpenAccess::ReadWrite).then(|| path.to_owned());
        let appends = (options.kind() == Some(FileKind::MainJournal)).then(Appends::default);
        let file = File { host: Rc::clone(&files.host), handle, level: LockLevel::None, unsynced_name, appends };
        Ok(OpenedFile { file, access })
    }

    fn close_file(files: &Files<H>, name: Option<&str>, file: File<H>, options: OpenOptions) -> VfsResult<()> {
        file.close();
        if let (true, Some(name)) = (options.delete_on_close(), name) {
            files.host.remove(name).map_err(|error| failed(&*files.host, error, VfsErrorCode::IoDelete))?;
        }
        Ok(())
    }

    fn access(files: &Files<H>, name: &str, mode: AccessMode) -> VfsResult<bool> {
        Ok(files.host.access(name, mode == AccessMode::ReadWrite))
    }

    fn full_pathname(files: &Files<H>, name: &str) -> VfsResult<String> {
        files.host.full_path(name).map_err(|error| failed(&*files.host, error, VfsErrorCode::CantOpen))
    }

    fn delete_file(files: &Files<H>, name: &str, sync_dir: bool) -> VfsResult<()> {
        let host = &*files.host;
        host.remove(name).map_err(|error| match error {
            HostError::NotFound => VfsError::new(VfsErrorCode::IoDeleteNoEntry, "".into()),
            error => failed(host, error, VfsErrorCode::IoDelete),
        })?;
        if sync_dir {
            host.sync_folder(name).map_err(|error| failed(host, error, VfsErrorCode::IoDirectorySync))?;
        }
        Ok(())
    }
}

/// Opens a file as requested. Falls back to reading only if writing is denied, because SQLite expects that of a VFS.
fn open<H: HostFs>(files: &Files<H>, path: &str, options: OpenOptions, database: bool) -> VfsResult<(u32, OpenAccess)> {
    let host = &*files.host;
    let writable = |mode| host.open(path, mode, database).map(|handle| (handle, OpenAccess::ReadWrite));
    let readable = || host.open(path, OpenMode::Read, database).map(|handle| (handle, OpenAccess::ReadOnly));
    let opened = match (options.access(), options.create(), options.exclusive()) {
        (OpenAccess::ReadOnly, ..) => readable(),
        (_, _, true) => writable(OpenMode::CreateNew),
        (_, true, false) => writable(OpenMode::Create),
        (_, false, false) => writable(OpenMode::ReadWrite),
    };
    let missing = || options.create() && !host.access(path, false);
    let opened = match opened {
        Err(HostError::Denied) if options.access() == OpenAccess::ReadWrite && !missing() => readable(),
        other => other,
    };
    opened.map_err(|error| {
        let code = match error {
            HostError::NotFound => VfsErrorCode::CantOpen,
            HostError::IsFolder => extended(CANTOPEN_IS_FOLDER),
            HostError::Denied if missing() => extended(READONLY_FOLDER),
            HostError::Denied => extended(CANTOPEN_DENIED),
            _ => extended(CANTOPEN_REFUSED),
        };
        failed(host, error, code)
    })
}

fn extended(code: i32) -> VfsErrorCode {
    VfsErrorCode::from_raw(code).expect("an error code is not zero")
}
