// Remembers finished steps by content hash, so that a second run takes only seconds. File times are not used, because a
// fresh checkout and a branch switch change them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './exec.mjs';

const stampFolder = join(root, 'target', 'stamps');
/** Folders that are built, downloaded or private to one machine are never an input. */
const SKIPPED_NAMES = new Set('node_modules target dist .git .argus .bench .venv __pycache__ .DS_Store'.split(' '));
const GENERATED_FOLDERS = ['npm/engine/src/wasm', 'packages/mcp/docs'];

/**
 * Returns the SHA-256 over names and contents of files and folders (relative to the project), and any additional words.
 */
export function hashOf(inputs, ...words) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const input of inputs) hash.update(`${input}\0`).update(digestInput(input));
  return hash.digest('hex');
}

/** Returns the value that was stored under this name for the same hash, or null. */
export function recall(name, hash) {
  const file = join(stampFolder, `${name}.json`);
  if (!existsSync(file)) return null;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    return kept.hash === hash ? kept.value : null;
  } catch {
    return null;
  }
}

export function remember(name, hash, value = true) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(join(stampFolder, `${name}.json`), JSON.stringify({ hash, value }));
}

export function forget(name) {
  rmSync(join(stampFolder, `${name}.json`), { force: true });
}

const digests = new Map();

/**
 * Returns the digest of a file, or of all files in a folder. Each file is read once per process, so a step that writes
 * inputs must call `rescan`.
 */
function digestInput(input) {
  let known = digests.get(input);
  if (known === undefined) {
    const hash = createHash('sha256');
    for (const file of listFiles(input)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
    known = hash.digest();
    digests.set(input, known);
  }
  return known;
}

export function rescan() {
  digests.clear();
}

function listFiles(input) {
  const full = join(root, input);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [input];
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => !SKIPPED_NAMES.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => (input === '.' ? entry.name : `${input}/${entry.name}`))
    .filter((path) => !GENERATED_FOLDERS.includes(path))
    .flatMap((path) => listFiles(path));
}
