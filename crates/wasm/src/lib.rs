//! The engine as JavaScript sees it: decode, call, encode.
//! What a call means stands in `argus-engine`, what a file is in `argus-vfs`.
//!
//! The only crate that knows `JsValue`. Every call takes its moment and its randomness here, once.

mod ambient;
mod batch;
mod convert;
mod engine;
mod files;
mod fix_loop;
mod identity;
mod inspect;
mod server;
mod wire;

pub use batch::{classify_batch, normalize_batch, redact_batch, sign_batch};
pub use engine::WasmEngine;
pub use files::{Host, trap_at_write};
pub use fix_loop::FixLoop;
pub use identity::{adopt, identify};
pub use inspect::{Inspector, generate_signature};
pub use server::WasmServer;

use argus_engine::ErrorCode;
use argus_vfs::Registered;
use files::Files;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// What `start` was given, as the rest needs it.
struct Started {
    files: Files,
    vfs: Registered,
}

thread_local! {
    static HOST: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// Takes the host's functions; to be called once for every new instance, before anything else.
#[wasm_bindgen]
pub fn start(host: Host) -> Result<(), JsValue> {
    let (reporter, files) = (host.clone(), Files(Rc::new(host)));
    std::panic::set_hook(Box::new(move |info| reporter.panicked(&info.to_string())));
    let vfs = argus_vfs::register(engine::VFS, files.clone());
    let vfs = vfs.map_err(|error| convert::thrown(ErrorCode::InternalError, &error))?;
    HOST.set(Some(Started { files, vfs }));
    Ok(())
}
