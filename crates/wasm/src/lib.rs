//! JavaScript bindings of the engine: decode, call, encode. `argus-engine` implements the calls, and `argus-vfs` the
//! files.
//!
//! This is the only crate that uses `JsValue`. The time and the random seed of every call are read here, once per call.

mod batch;
mod call_context;
mod convert;
mod engine;
mod files;
mod fix_loop;
mod host_driver;
mod identity;
mod inspect;
mod server;

pub use batch::{classify_batch, normalize_batch, redact_batch, sign_batch};
pub use engine::WasmEngine;
pub use files::{Host, trap_at_write};
pub use fix_loop::FixLoop;
pub use identity::{adopt, identify};
pub use inspect::{Inspector, generate_signature};
pub use server::WasmServer;

use argus_engine::ErrorCode;
use argus_vfs::RegisteredVfs;
use files::HostFiles;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The host's functions and the registered VFS.
struct StartedHost {
    files: HostFiles,
    vfs: RegisteredVfs,
}

thread_local! {
    static HOST: RefCell<Option<StartedHost>> = const { RefCell::new(None) };
}

/// Stores the host's functions. Must be called once per instance, before any other function.
#[wasm_bindgen]
pub fn start(host: Host) -> Result<(), JsValue> {
    let (reporter, files) = (host.clone(), HostFiles(Rc::new(host)));
    std::panic::set_hook(Box::new(move |info| reporter.panicked(&info.to_string())));
    let vfs = argus_vfs::register(engine::VFS_NAME, files.clone());
    let vfs = vfs.map_err(|error| convert::create_thrown_error(ErrorCode::InternalError, &error))?;
    HOST.set(Some(StartedHost { files, vfs }));
    Ok(())
}
