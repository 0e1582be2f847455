//! Turns a small trait of file functions into a SQLite VFS, so that a host can provide SQLite's files.
//!
//! A [`HostFs`] is Node's `fs` behind wasm, or a read-only file in a browser. [`register`] makes a VFS from it, and the
//! store opens databases through the VFS by name.
//!
//! The host decides how to take a lock (byte ranges, a whole file, a directory), because it knows the platform. Pages
//! are not cached, and WAL with shared memory is not supported.
//!
//! This is the only crate with unsafe code: the single call that registers the VFS.

mod appends;
mod file;
mod host;
mod namespace;

pub use host::{HostError, HostFs, LockLevel, OpenMode};

use namespace::{Callbacks, Files, Methods};
use std::{cell::RefCell, rc::Rc};

/// A registered VFS. It stays registered for the rest of the process.
#[derive(Debug)]
pub struct Registered {
    failed: Rc<RefCell<Option<String>>>,
}

impl Registered {
    /// Returns and clears the host's message about the last failure, for an error message to a person.
    pub fn take_failure(&self) -> Option<String> {
        self.failed.take()
    }
}

/// Registers `host` as a SQLite VFS with this name. A name can be registered only once.
pub fn register<H: HostFs>(name: &str, host: H) -> Result<Registered, String> {
    let failed = Rc::new(RefCell::new(None));
    let files = Files { host: Rc::new(host), failed: Rc::clone(&failed) };
    #[allow(unsafe_code, reason = "SQLite takes a VFS through C; this is the one place")]
    // SAFETY: The methods and the VFS are the crate's own defaults over safe trait methods, with one file type
    // (`Methods<H>` and `Callbacks<H>` agree on `Files<H>`). SQLite is built single-threaded on wasm and the host
    // object never leaves its thread. The registration is never undone, so nothing it points to is freed.
    let registered = unsafe { rsqlite_vfs::register_vfs::<Methods<H>, Callbacks<H>>(name, files, false) };
    let registration = registered.map_err(|error| error.to_string())?;
    registration.into_raw();
    Ok(Registered { failed })
}
