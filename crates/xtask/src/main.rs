//! Project tasks: build the wasm engine, write the TypeScript types, check that they are current.
//! It installs no tool; it names what is missing and the command that would.

#[cfg(feature = "types")]
mod calls;
#[cfg(feature = "types")]
mod types;
mod wasm;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "\
usage: cargo xtask TASK
  wasm [--start]    build npm/engine/src/wasm; --start: in a third of the time, slower to run
  wasm --dev        the same without optimisation, quick to build again
  types [--check]   write npm/engine/src/generated; --check: fail if it is not current";

/// What a task answers: nothing, or the one line that says what is wrong.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["wasm"] => wasm::build(&root(), wasm::Mode::Release),
        ["wasm", "--start"] => wasm::build(&root(), wasm::Mode::Start),
        ["wasm", "--dev"] => wasm::build(&root(), wasm::Mode::Dev),
        #[cfg(feature = "types")]
        ["types"] => types::write(&root()),
        #[cfg(feature = "types")]
        ["types", "--check"] => types::check(&root()),
        #[cfg(not(feature = "types"))]
        ["types", ..] => again_with_types(&words),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs this task in a build of xtask that knows the contract's types.
#[cfg(not(feature = "types"))]
fn again_with_types(words: &[&str]) -> Outcome {
    let mut cargo = std::process::Command::new("cargo");
    cargo.current_dir(root()).args(["run", "--quiet", "--package", "xtask", "--features", "types", "--"]).args(words);
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the types task failed".to_owned()),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// The workspace folder; xtask always runs from a build of it.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("crates/xtask lies two folders below the root").to_owned()
}
