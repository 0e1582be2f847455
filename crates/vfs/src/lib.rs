//! Turns a small trait of file functions into a SQLite VFS, so that a host can provide SQLite's files.
//!
//! A [`HostFs`] is for example Node's `fs` behind wasm, or a read-only file in a browser. [`register`] registers a VFS
//! with these functions, and the store opens databases through the VFS by name.
//!
//! The host decides how to take a lock (byte ranges, a whole file, a directory), because it knows the platform. Pages
//! are not cached, and WAL with shared memory is not supported.
//!
//! This is the only crate with unsafe code: the single call that registers the VFS.

mod append_buffer;
mod file;
mod host;
mod namespace;

pub use host::{HostError, HostFs, LockLevel, OpenMode};

use namespace::{FileMethods, VfsCallbacks, VfsData};
use std::{cell::RefCell, rc::Rc};

/// A registered VFS, which stays registered until the process ends.
#[derive(Debug)]
pub struct RegisteredVfs {
    last_failure: Rc<RefCell<Option<String>>>,
}

impl RegisteredVfs {
    /// Returns and clears the host's message about the last failure, for an error message to a person.
    pub fn take_failure(&self) -> Option<String> {
        self.last_failure.take()
    }
}

/// Registers `host` as a SQLite VFS with this name. A name can be registered only once.
pub fn register<H: HostFs>(name: &str, host: H) -> Result<RegisteredVfs, String> {
    let last_failure = Rc::new(RefCell::new(None));
    let files = VfsData { host: Rc::new(host), last_failure: Rc::clone(&last_failure) };
    #[allow(unsafe_code, reason = "SQLite registers a VFS through a C function; only this call needs it")]
    // SAFETY: The methods and the VFS are the crate's own defaults over safe trait methods, with one file type
    // (`Methods<H>` and `Callbacks<H>` agree on `VfsData<H>`). SQLite is built single-threaded on wasm and the host
    // object never leaves its thread. The registration is never undone, so nothing it points to is freed.
    let registered = unsafe { rsqlite_vfs::register_vfs::<FileMethods<H>, VfsCallbacks<H>>(name, files, false) };
    let registration = registered.map_err(|error| error.to_string())?;
    registration.into_raw();
    Ok(RegisteredVfs { last_failure })
}
