//! Builds the wasm engine with cargo, wasm-bindgen and, if npm has installed it, wasm-opt. A step is skipped if its
//! input has not changed: cargo detects that itself, and a stamp file covers the other two steps.

use crate::Outcome;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::UNIX_EPOCH,
};

/// The target features of rustc and clang (`.cargo/config.toml`), repeated for wasm-opt.
const FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

const TARGET: &str = "wasm32-unknown-unknown";

/// Script of the npm package binaryen. It is not started from `node_modules/.bin`, because it has another name there on
/// Windows.
const WASM_OPT: &str = "node_modules/binaryen/bin/wasm-opt";

/// Flags for the C compiler that builds SQLite.
const C_FLAGS: &str = "CFLAGS_wasm32_unknown_unknown";

/// How much time to spend on the build. Each mode is a cargo profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// For publishing and benchmarks.
    Release,
    /// Takes a third of the time of a release build, for people who try the project.
    Start,
    /// Fast to rebuild, without optimization of the engine's own code.
    Dev,
}

impl Mode {
    /// Name of the profile, and name of its folder below the target folder.
    const fn profile(self) -> (&'static str, &'static str) {
        match self {
            Self::Release => ("wasm", "wasm"),
            Self::Start => ("start", "start"),
            Self::Dev => ("dev", "debug"),
        }
    }
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
    let (profile, folder) = mode.profile();
    cargo.current_dir(root).args(["build", "--package", "argus-wasm", "--target", TARGET, "--profile", profile]);
    if mode == Mode::Release {
        name_no_folder_of_this_machine(&mut cargo, root)?;
    }
    run(&mut cargo, "rustup target add wasm32-unknown-unknown; apt-get install clang")?;
    Ok(root.join("target").join(TARGET).join(folder).join("argus_wasm.wasm"))
}

/// Removes paths of this machine from the build. Panic messages contain source paths, and the published file must not
/// reveal the build folder and must be the same on every machine.
fn name_no_folder_of_this_machine(cargo: &mut Command, root: &Path) -> Outcome {
    let cargo_home = cargo_home()?;
    let mut folders = vec![(root.to_owned(), "argus"), (sysroot(root)?, "rust"), (cargo_home.clone(), "cargo")];
    // If several prefixes match, the last one wins.
    folders.extend(registries(root, &cargo_home)?.into_iter().map(|folder| (folder, "crates")));
    let folders: Vec<_> = folders.iter().map(|(folder, name)| format!("{}={name}", folder.display())).collect();
    // Passed with `--config`, which adds to the flags in `.cargo/config.toml`. An environment variable would replace
    // them.
    let flags = folders.iter().map(|folder| format!("'--remap-path-prefix={folder}'")).collect::<Vec<_>>().join(",");
    cargo.args(["--config", &format!("target.{TARGET}.rustflags=[{flags}]")]);
    // Cargo has already set the flags of `.cargo/config.toml` in this process.
    let mut c_flags = std::env::var_os(C_FLAGS).unwrap_or_default();
    for folder in folders {
        c_flags.push(format!(" -ffile-prefix-map={folder}"));
    }
    cargo.env(C_FLAGS, c_flags);
    Ok(())
}

/// The folders with the unpacked crates of each registry. Their names depend on the machine.
fn registries(root: &Path, cargo_home: &Path) -> Result<Vec<PathBuf>, String> {
    run(Command::new("cargo").current_dir(root).args(["fetch", "--locked", "--quiet"]), "the network, once")?;
    let sources = cargo_home.join("registry/src");
    // The folder is missing if crates are vendored in the workspace.
    let Ok(entries) = fs::read_dir(&sources) else { return Ok(Vec::new()) };
    let mut found: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    Ok(found)
}

fn cargo_home() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("CARGO_HOME") {
        return Ok(PathBuf::from(given));
    }
    std::env::home_dir().map(|home| home.join(".cargo")).ok_or_else(|| "set HOME or CARGO_HOME".to_owned())
}

fn sysroot(root: &Path) -> Result<PathBuf, String> {
    let mut rustc = Command::new("rustc");
    let output =
        rustc.current_dir(root).args(["--print", "sysroot"]).output().map_err(|error| format!("rustc: {error}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Does the same as the command `wasm-bindgen --target web`.
fn bind(built: &Path, out: &Path) -> Outcome {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    let bound = bindgen.web(true).and_then(|bindgen| {
        // A trapped instance is replaced by a new instance of the same module; see npm/engine/src/runtime.ts.
        bindgen.reset_state_function(true).remove_producers_section(true).typescript(true).demangle(true);
        bindgen.input_path(built).generate(out)
    });
    bound.map_err(|error| format!("wasm-bindgen: {error:#}"))
}

/// Optimizes the module. Without binaryen, the engine works but is slightly larger and slower.
fn optimize(root: &Path, module: &Path) -> Outcome {
    let script = root.join(WASM_OPT);
    if !script.exists() {
        eprintln!("wasm-opt is not installed (npm install), so the engine stays unoptimised");
        return Ok(());
    }
    let smaller = module.with_extension("opt");
    let mut wasm_opt = Command::new("node");
    wasm_opt.arg(script).args(FEATURES).arg("-Oz").arg(module).arg("-o").arg(&smaller);
    run(&mut wasm_opt, "Node.js; npm install")?;
    fs::rename(&smaller, module).map_err(|error| format!("{}: {error}", module.display()))
}

/// A text that changes whenever the output would change.
fn stamp(built: &Path, mode: Mode, root: &Path) -> Result<String, String> {
    let facts = fs::metadata(built).map_err(|error| format!("{}: {error}", built.display()))?;
    let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let optimizer = root.join(WASM_OPT).exists();
    Ok(format!("{mode:?} {optimizer} {} {}\n", facts.len(), modified.as_nanos()))
}

fn run(command: &mut Command, remedy: &str) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed ({status}); it needs: {remedy}")),
        Err(error) => Err(format!("{name}: {error}; to install: {remedy}")),
    }
}
