//! One function per tool, plain data in and out.
//! Does not: know SQL (`argus-store` does) or JavaScript (`argus-wasm` does).

pub mod contract;
