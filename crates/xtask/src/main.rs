//! Project tasks: build the wasm engine, and write the generated TypeScript. No tool is installed; errors name the
//! missing tool and the command that installs it.

mod wasm;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

const USAGE: &str = "\
usage: cargo xtask TASK
  wasm [--start]    build npm/engine/src/wasm; --start: builds in a third of the time, runs slower
  wasm --dev        the same without optimization, quick to build again
  types             write npm/engine/src/generated; `cargo test` fails if it is not current";

/// Result of a task. The error is one line for the user.
type TaskResult = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match task.as_slice() {
        ["wasm"] => wasm::build(&workspace_root(), wasm::BuildMode::Release),
        ["wasm", "--start"] => wasm::build(&workspace_root(), wasm::BuildMode::Start),
        ["wasm", "--dev"] => wasm::build(&workspace_root(), wasm::BuildMode::Dev),
        ["types"] => write_types(&workspace_root()),
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

/// Runs the test that compares the generated files, in the mode that writes them. All packages are selected,
/// because the test then has the same features as in `cargo test --workspace` and is compiled only once for both.
fn write_types(root: &Path) -> TaskResult {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["test", "--quiet", "--workspace", "--test", "generated"]);
    cargo.env("ARGUS_WRITE_GENERATED", "1").stdout(Stdio::null());
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the types task failed".to_owned()),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// Returns the workspace folder. xtask always runs from a build inside it.
fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("crates/xtask is two folders below the root").to_owned()
}
