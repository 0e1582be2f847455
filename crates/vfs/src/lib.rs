//! SQLite's files, as a host provides them: a small trait of file functions becomes a SQLite VFS.
//!
//! A [`HostFs`] is Node's `fs` behind wasm, or in a browser a file that can only be read. [`register`] makes a
//! VFS of it; the store opens databases through it by name.
//!
//! How a lock is taken (byte ranges, a whole file, a directory) is up to the host, which knows what its platform can.
//! Pages are not cached, and Shared-memory WAL is not offered.
//!
//! The only crate with unsafe code, and that is one call: handing the VFS to SQLite.

mod appends;
mod file;
mod host;
mod namespace;

pub use host::{HostError, HostFs, LockLevel, OpenMode};

use namespace::{Callbacks, Files, Methods};
use std::{cell::RefCell, rc::Rc};

/// A registered VFS; it stays registered as long as SQLite lives.
#[derive(Debug)]
pub struct Registered {
    failed: Rc<RefCell<Option<String>>>,
}

impl Registered {
    /// What the host said about the last failure since the last call, for the message a person reads.
    pub fn take_failure(&self) -> Option<String> {
        self.failed.take()
    }
}

/// Makes `host` a SQLite VFS of this name. A name can be registered once.
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
