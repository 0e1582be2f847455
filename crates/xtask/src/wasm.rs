//! Builds the wasm engine with cargo, wasm-bindgen and, if npm has installed it, wasm-opt. A step is skipped if its
//! input has not changed: cargo detects that itself, and a stamp file covers the other two steps.

use crate::TaskResult;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::UNIX_EPOCH,
};

/// The target features of rustc and clang (`.cargo/config.toml`), repeated for wasm-opt.
const WASM_OPT_FEATURES: [&str; 7] = [
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

/// The environment variable with flags for the C compiler that builds SQLite.
const C_FLAGS_VARIABLE: &str = "CFLAGS_wasm32_unknown_unknown";

/// How far the build optimizes. Each mode has a cargo profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BuildMode {
    /// For publishing and benchmarks.
    Release,
    /// For people who try the project. The build takes a third of the time of a release build.
    Start,
    /// Fast to rebuild, without optimization of the engine's own code.
    Dev,
}

impl BuildMode {
    /// Returns the name of the profile and the name of its folder below the target folder.
    const fn profile(self) -> (&'static str, &'static str) {
        match self {
            Self::Release => ("wasm", "wasm"),
            Self::Start => ("start", "start"),
            Self::Dev => ("dev", "debug"),
        }
    }
}

/// Builds into `npm/engine/src/wasm`.
pub(crate) fn build(root: &Path, mode: BuildMode) -> TaskResult {
    let built = compile(root, mode)?;
    let out = root.join("npm/engine/src/wasm");
    let stamp = build_stamp(&built, mode, root)?;
    if fs::read_to_string(out.join(".stamp")).is_ok_and(|current| current == stamp) {
        return Ok(());
    }
    generate_bindings(&built, &out)?;
    if mode == BuildMode::Release {
        optimize(root, &out.join("argus_wasm_bg.wasm"))?;
    }
    fs::write(out.join(".stamp"), stamp).map_err(|error| format!("{}: {error}", out.display()))
}

fn compile(root: &Path, mode: BuildMode) -> Result<PathBuf, String> {
    let mut cargo = Command::new("cargo");
    let (profile, folder) = mode.profile();
    cargo.current_dir(root).args(["build", "--package", "argus-wasm", "--target", TARGET, "--profile", profile]);
    if mode == BuildMode::Release {
        remap_local_paths(&mut cargo, root)?;
    }
    run_command(&mut cargo, "rustup target add wasm32-unknown-unknown; apt-get install clang")?;
    Ok(root.join("target").join(TARGET).join(folder).join("argus_wasm.wasm"))
}

/// Removes paths of this machine from the build. Panic messages contain source paths, and the published file must not
/// reveal the build folder and must be the same on every machine.
fn remap_local_paths(cargo: &mut Command, root: &Path) -> TaskResult {
    let cargo_home = find_cargo_home()?;
    let mut folders = vec![(root.to_owned(), "argus"), (find_sysroot(root)?, "rust"), (cargo_home.clone(), "cargo")];
    // If several prefixes match, the last one wins.
    folders.extend(list_registry_folders(root, &cargo_home)?.into_iter().map(|folder| (folder, "crates")));
    let folders: Vec<_> = folders.iter().map(|(folder, name)| format!("{}={name}", folder.display())).collect();
    // Passed with `--config`, which adds to the flags in `.cargo/config.toml`. An environment variable would replace
    // them.
    let flags = folders.iter().map(|folder| format!("'--remap-path-prefix={folder}'")).collect::<Vec<_>>().join(",");
    cargo.args(["--config", &format!("target.{TARGET}.rustflags=[{flags}]")]);
    // Cargo has already set the flags of `.cargo/config.toml` in this process.
    let mut c_flags = std::env::var_os(C_FLAGS_VARIABLE).unwrap_or_default();
    for folder in folders {
        c_flags.push(format!(" -ffile-prefix-map={folder}"));
    }
    cargo.env(C_FLAGS_VARIABLE, c_flags);
    Ok(())
}

/// Returns the folders with the unpacked crates of each registry. Their names depend on the machine.
fn list_registry_folders(root: &Path, cargo_home: &Path) -> Result<Vec<PathBuf>, String> {
    run_command(Command::new("cargo").current_dir(root).args(["fetch", "--locked", "--quiet"]), "the network, once")?;
    let sources = cargo_home.join("registry/src");
    // The folder is missing if crates are vendored in the workspace.
    let Ok(entries) = fs::read_dir(&sources) else { return Ok(Vec::new()) };
    let mut found: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    Ok(found)
}

fn find_cargo_home() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("CARGO_HOME") {
        return Ok(PathBuf::from(given));
    }
    std::env::home_dir().map(|home| home.join(".cargo")).ok_or_else(|| "set HOME or CARGO_HOME".to_owned())
}

fn find_sysroot(root: &Path) -> Result<PathBuf, String> {
    let mut rustc = Command::new("rustc");
    let output =
        rustc.current_dir(root).args(["--print", "sysroot"]).output().map_err(|error| format!("rustc: {error}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Generates the JavaScript bindings, as the command `wasm-bindgen --target web` does.
fn generate_bindings(built: &Path, out: &Path) -> TaskResult {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    let bound = bindgen.web(true).and_then(|bindgen| {
        // A trapped instance is replaced by a new instance of the same module; see npm/engine/src/runtime.ts.
        bindgen.reset_state_function(true).remove_producers_section(true).typescript(true).demangle(true);
        bindgen.input_path(built).generate(out)
    });
    bound.map_err(|error| format!("wasm-bindgen: {error:#}"))
}

/// Optimizes the module. Without binaryen, the engine works but is slightly larger and slower.
fn optimize(root: &Path, module: &Path) -> TaskResult {
    let script = root.join(WASM_OPT);
    if !script.exists() {
        eprintln!("wasm-opt is not installed (npm install), so the engine stays unoptimized");
        return Ok(());
    }
    let smaller = module.with_extension("opt");
    let mut wasm_opt = Command::new("node");
    wasm_opt.arg(script).args(WASM_OPT_FEATURES).arg("-Oz").arg(module).arg("-o").arg(&smaller);
    run_command(&mut wasm_opt, "Node.js; npm install")?;
    fs::rename(&smaller, module).map_err(|error| format!("{}: {error}", module.display()))
}

/// Returns a text that changes whenever the output would change.
fn build_stamp(built: &Path, mode: BuildMode, root: &Path) -> Result<String, String> {
    let facts = fs::metadata(built).map_err(|error| format!("{}: {error}", built.display()))?;
    let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let optimizer = root.join(WASM_OPT).exists();
    Ok(format!("{mode:?} {optimizer} {} {}\n", facts.len(), modified.as_nanos()))
}

fn run_command(command: &mut Command, remedy: &str) -> TaskResult {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed ({status}); it needs: {remedy}")),
        Err(error) => Err(format!("{name}: {error}; to install: {remedy}")),
    }
}
