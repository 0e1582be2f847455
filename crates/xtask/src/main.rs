//! Project tasks: build the wasm engine, and write the generated TypeScript. No tool is installed; errors name the
//! missing tool and the command that installs it.

mod wasm;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

const USAGE: &str = "\
usage: cargo xtask TASK
  wasm [--start]    build npm/engine/src/wasm; --start: in a third of the time, slower to run
  wasm --dev        the same without optimisation, quick to build again
  types             write npm/engine/src/generated; `cargo test` fails if it is not current";

/// Result of a task. The error is one line for the user.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["wasm"] => wasm::build(&root(), wasm::Mode::Release),
        ["wasm", "--start"] => wasm::build(&root(), wasm::Mode::Start),
        ["wasm", "--dev"] => wasm::build(&root(), wasm::Mode::Dev),
        ["types"] => write_types(&root()),
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

/// Runs the test that compares the generated files, in the mode that writes them. All packages are selected, because
/// the test then has the same features as in `cargo test --workspace` and is compiled only once for both.
fn write_types(root: &Path) -> Outcome {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["test", "--quiet", "--workspace", "--test", "generated"]);
    cargo.env("ARGUS_WRITE_GENERATED", "1").stdout(Stdio::null());
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the types task failed".to_owned()),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// The workspace folder. xtask always runs from a build inside it.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("crates/xtask lies two folders below the root").to_owned()
}
