// Remembers by content hash what was done already, so that a second run takes seconds. Times of files do not count: a
// fresh checkout and a branch switch both change them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './exec.mjs';

const dir = join(root, 'target', 'stamps');
/** What is made, fetched or private to one machine is never an input. */
const SKIPPED = new Set('node_modules target dist .git .argus .bench .venv __pycache__ .DS_Store'.split(' '));
const MADE = ['npm/engine/src/wasm'];

/** SHA-256 over names and contents of files and folders (relative to the project), and any extra words. */
export function hashOf(inputs, ...words) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const input of inputs) for (const file of filesIn(input)) hash.update(`${file}\0`).update(fileHash(file));
  return hash.digest('hex');
}

/** The value kept under this name for this very hash, or null. */
export function recall(name, hash) {
  const file = join(dir, `${name}.json`);
  if (!existsSync(file)) return null;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    return kept.hash === hash ? kept.value : null;
  } catch {
    return null;
  }
}

export function remember(name, hash, value = true) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${name}.json`), JSON.stringify({ hash, value }));
}

export function forget(name) {
  rmSync(join(dir, `${name}.json`), { force: true });
}

const hashes = new Map();

/** Each file is read once per process; a step that writes inputs calls `rescan`. */
function fileHash(file) {
  let known = hashes.get(file);
  if (!known) {
    known = createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest();
    hashes.set(file, known);
  }
  return known;
}

export function rescan() {
  hashes.clear();
}

function filesIn(input) {
  const full = join(root, input);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [input];
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name) && !MADE.includes(`${input}/${entry.name}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesIn(`${input}/${entry.name}`));
}
