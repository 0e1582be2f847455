//! Checks that the files generated for TypeScript match the contract and the list of calls.

mod calls;
mod contract;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Set by `cargo xtask types`, so that the files are written instead of compared.
const WRITE_VARIABLE: &str = "ARGUS_WRITE_GENERATED";

#[test]
fn generated_files_are_current() {
    let stale: Vec<PathBuf> = generate_files()
        .into_iter()
        .filter(|(path, text)| fs::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, text)| {
            if env::var_os(WRITE_VARIABLE).is_some() {
                fs::write(&path, text).expect("the folder of a generated file exists");
            }
            path
        })
        .collect();
    assert!(stale.is_empty() || env::var_os(WRITE_VARIABLE).is_some(), "run `cargo xtask types` to write {stale:#?}");
}

/// Returns each file with its expected content.
fn generate_files() -> [(PathBuf, String); 4] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let calls = calls::generate();
    let folder = root.join("npm/engine/src/generated");
    [
        (folder.join("contract.ts"), contract::build_contract()),
        (folder.join("calls.ts"), calls.typescript),
        (folder.join("calls.schema.json"), calls.schemas),
        (root.join("packages/mcp/src/generated/argus-shared.schema.json"), contract::build_shared_file_schema()),
    ]
}
