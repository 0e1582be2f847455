//! The engine as JavaScript sees it: decode, call, encode.
//! Does not: decide anything. What a call means stands in `argus-engine`, what a file is in `argus-vfs`.
//!
//! The only crate that knows `JsValue`. Every call takes its moment and its randomness here, once.

mod batch;
mod convert;
mod inspect;
mod jsonl;

pub use batch::{classify_batch, normalize_batch, sign_batch};
pub use inspect::{Inspector, generate_signature};

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// What the host wants to know of a call that is about to trap.
    pub type Host;

    #[wasm_bindgen(method)]
    fn panicked(this: &Host, message: &str);
}

/// Takes the host's functions; to be called once for every new instance, before anything else.
#[wasm_bindgen]
pub fn start(host: Host) {
    std::panic::set_hook(Box::new(move |info| host.panicked(&info.to_string())));
}
