// Measures the size of the project: `node scripts/size.mjs [FOLDER]`, where FOLDER is a checkout (this one by default).
// Counts non-blank lines of source files in git, without tests, generated files and fixtures. Also reports the compiled
// engine if it is built.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root as here } from './lib/exec.mjs';

const LANGUAGES = {
  '.rs': 'Rust',
  '.ts': 'TypeScript',
  '.mts': 'TypeScript',
  '.cts': 'TypeScript',
  '.svelte': 'Svelte',
};
const SCRIPTS = new Set(['.mjs', '.cjs', '.js', '.py', '.css', '.html', '.sh']);
const TESTS = /(?:^|\/)(?:tests?|fixtures|\.?fuzz|proptest-regressions|examples)(?:\/|\.rs$)|\.test\.|_tests\.rs$/u;
const GENERATED = /(?:^|\/)generated\/|\.schema\.json$|\.snap$/u;
const SMALL_LINES = 40;
const WASM = 'npm/engine/src/wasm/argus_wasm_bg.wasm';

const root = resolve(process.argv[2] ?? here);
const names = execFileSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8' }).split('\0');
const files = names
  .filter((name) => languageOf(name) !== undefined && !TESTS.test(name) && !GENERATED.test(name))
  .filter((name) => existsSync(join(root, name)))
  .map((name) => ({ language: languageOf(name), lines: linesOf(name) }));

for (const language of new Set(files.map((file) => file.language))) {
  print(
    language,
    files.filter((file) => file.language === language),
  );
}
print('all source', files);
console.log(`files under ${SMALL_LINES} lines: ${files.filter(({ lines }) => lines < SMALL_LINES).length}`);
if (existsSync(join(root, WASM))) {
  const wasm = readFileSync(join(root, WASM));
  console.log(`wasm: ${megabytes(wasm)} MB, gzip ${megabytes(gzipSync(wasm, { level: 9 }))} MB`);
}

function print(title, some) {
  const lines = some.reduce((sum, file) => sum + file.lines, 0);
  console.log(`${title}: ${lines} lines in ${some.length} files`);
}

function languageOf(name) {
  const extension = extname(name);
  return LANGUAGES[extension] ?? (SCRIPTS.has(extension) ? 'scripts and pages' : undefined);
}

/** Counts lines without the test module at the end of a Rust file. */
function linesOf(name) {
  let text = readFileSync(join(root, name), 'utf8');
  if (name.endsWith('.rs')) text = text.split(/^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod tests \{/mu)[0];
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

function megabytes(bytes) {
  return (bytes.length / 1e6).toFixed(2);
}
