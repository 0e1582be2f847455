//! Builds the wasm engine: cargo, then wasm-bindgen, then wasm-opt where npm has installed it.
//! Does not: redo a step whose input has not changed; cargo knows for itself, the other two by a stamp file.

use crate::Outcome;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::UNIX_EPOCH,
};

/// Must be the version of the `wasm-bindgen` crate in the lock file.
const WASM_BINDGEN: &str = "0.2.129";

/// What rustc and clang are told to use (`.cargo/config.toml`), said again for wasm-opt.
const FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// How much time goes into building.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// What is published.
    Release,
    /// Quick to rebuild; the engine's own code is not optimised.
    Dev,
}

/// Builds into `npm/engine/src/wasm`.
pub(crate) fn build(root: &Path, mode: Mode) -> Outcome {
    let built = compile(root, mode)?;
    let out = root.join("npm/engine/src/wasm");
    let stamp = stamp(&built, mode, root)?;
    if fs::read_to_string(out.join(".stamp")).is_ok_and(|current| current == stamp) {
        return Ok(());
    }
    bind(&built, &out)?;
    if mode == Mode::Release {
        optimize(root, &out.join("argus_wasm_bg.wasm"))?;
    }
    fs::write(out.join(".stamp"), stamp).map_err(|error| format!("{}: {error}", out.display()))
}

fn compile(root: &Path, mode: Mode) -> Result<PathBuf, String> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["build", "--package", "argus-wasm", "--target", "wasm32-unknown-unknown"]);
    if mode == Mode::Release {
        cargo.arg("--release");
    }
    run(&mut cargo, "rustup target add wasm32-unknown-unknown; apt-get install clang")?;
    let profile = if mode == Mode::Release { "release" } else { "debug" };
    Ok(root.join("target/wasm32-unknown-unknown").join(profile).join("argus_wasm.wasm"))
}

fn bind(built: &Path, out: &Path) -> Outcome {
    let install = format!("cargo install --locked wasm-bindgen-cli --version {WASM_BINDGEN}");
    let version =
        Command::new("wasm-bindgen").arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    if String::from_utf8_lossy(&version).trim() != format!("wasm-bindgen {WASM_BINDGEN}") {
        return Err(format!("wasm-bindgen {WASM_BINDGEN} is needed: {install}"));
    }
    let mut tool = Command::new("wasm-bindgen");
    // A trapped instance is replaced by a new one of the same module; see npm/engine/src/engine.ts.
    tool.args(["--target", "web", "--experimental-reset-state-function", "--remove-producers-section"]);
    run(tool.arg("--out-dir").arg(out).arg(built), &install)
}

/// Without binaryen the engine is a little larger and slower, and works.
fn optimize(root: &Path, module: &Path) -> Outcome {
    let tool = root.join("node_modules/.bin/wasm-opt");
    if !tool.exists() {
        eprintln!("wasm-opt is not installed (npm install), so the engine stays unoptimised");
        return Ok(());
    }
    let smaller = module.with_extension("opt");
    run(Command::new(tool).args(FEATURES).arg("-O3").arg(module).arg("-o").arg(&smaller), "npm install")?;
    fs::rename(&smaller, module).map_err(|error| format!("{}: {error}", module.display()))
}

/// Changes whenever the output would.
fn stamp(built: &Path, mode: Mode, root: &Path) -> Result<String, String> {
    let facts = fs::metadata(built).map_err(|error| format!("{}: {error}", built.display()))?;
    let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let optimizer = root.join("node_modules/.bin/wasm-opt").exists();
    Ok(format!("{mode:?} {WASM_BINDGEN} {optimizer} {} {}\n", facts.len(), modified.as_nanos()))
}

fn run(command: &mut Command, remedy: &str) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed ({status}); it needs: {remedy}")),
        Err(error) => Err(format!("{name}: {error}; to install: {remedy}")),
    }
}
