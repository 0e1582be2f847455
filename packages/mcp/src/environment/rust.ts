/**
 * Reads the environment of a Rust project. Features and workspaces are not resolved. Only the manifest in the root
 * counts, including the dependencies that it provides to workspace members.
 */

import { parse } from 'smol-toml';
import { at, escaped, type Finding, known, major, parsed, type Texts, text } from './facts.ts';

const FRAMEWORKS: readonly { crate: string; name?: string }[] = [
  { crate: 'tauri' },
  { crate: 'leptos' },
  { crate: 'dioxus' },
  { crate: 'yew' },
  { crate: 'bevy' },
  { crate: 'actix-web' },
  { crate: 'rocket' },
  { crate: 'poem' },
  { crate: 'axum' },
  { crate: 'warp' },
  { crate: 'tch', name: 'pytorch' },
];

const DEPENDENCIES = [['dependencies'], ['workspace', 'dependencies'], ['dev-dependencies'], ['build-dependencies']];

export function rustFacts(files: Texts): Finding | undefined {
  if (files['Cargo.toml'] === undefined) return undefined;
  const manifest = parsed(parse, files['Cargo.toml']);
  const range = (crate: string) =>
    DEPENDENCIES.map((keys) => at(manifest, ...keys, crate)).find((one) => one !== undefined);
  const framework = FRAMEWORKS.find(({ crate }) => range(crate) !== undefined);
  const facts = known({
    language: 'rust',
    language_major: major(toolchain(files) ?? text(at(manifest, 'package', 'rust-version'))),
    framework: framework && (framework.name ?? framework.crate),
    framework_major: framework && major(locked(files, framework.crate) ?? rangeText(range(framework.crate))),
  });
  return { facts, sure: true };
}

/** `channel = "1.95.0"`. A named channel has no version. */
function toolchain(files: Texts): string | undefined {
  const channel = text(at(parsed(parse, files['rust-toolchain.toml']), 'toolchain', 'channel'));
  return channel ?? files['rust-toolchain'];
}

function rangeText(dependency: unknown): string | undefined {
  return text(dependency) ?? text(at(dependency, 'version'));
}

function locked({ 'Cargo.lock': lock }: Texts, crate: string): string | undefined {
  return new RegExp(`^name = "${escaped(crate)}"\\nversion = "([^"]+)"`, 'mu').exec(lock ?? '')?.[1];
}
