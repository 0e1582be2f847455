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
const SCRIPT_EXTENSIONS = new Set(['.mjs', '.cjs', '.js', '.py', '.css', '.html', '.sh']);
const TEST_PATH = /(?:^|\/)(?:tests?|fixtures|\.?fuzz|proptest-regressions|examples)(?:\/|\.rs$)|\.test\.|_tests\.rs$/u;
const GENERATED_PATH = /(?:^|\/)generated\/|\.schema\.json$|\.snap$/u;
const MAX_SMALL_FILE_LINES = 40;
const WASM_PATH = 'npm/engine/src/wasm/argus_wasm_bg.wasm';

const measuredRoot = resolve(process.argv[2] ?? here);
const trackedFiles = execFileSync('git', ['-C', measuredRoot, 'ls-files', '-z'], { encoding: 'utf8' }).split('\0');
const sourceFiles = trackedFiles
  .filter((name) => languageOf(name) !== undefined && !TEST_PATH.test(name) && !GENERATED_PATH.test(name))
  .filter((name) => existsSync(join(measuredRoot, name)))
  .map((name) => ({ language: languageOf(name), lines: countLines(name) }));

for (const language of new Set(sourceFiles.map((file) => file.language))) {
  printCounts(
    language,
    sourceFiles.filter((file) => file.language === language),
  );
}
printCounts('all source', sourceFiles);
console.log(
  `files under ${MAX_SMALL_FILE_LINES} lines: ${sourceFiles.filter(({ lines }) => lines < MAX_SMALL_FILE_LINES).length}`,
);
if (existsSync(join(measuredRoot, WASM_PATH))) {
  const wasm = readFileSync(join(measuredRoot, WASM_PATH));
  console.log(`wasm: ${formatMegabytes(wasm)} MB, gzip ${formatMegabytes(gzipSync(wasm, { level: 9 }))} MB`);
}

function printCounts(title, some) {
  const lines = some.reduce((sum, file) => sum + file.lines, 0);
  console.log(`${title}: ${lines} lines in ${some.length} files`);
}

function languageOf(name) {
  const extension = extname(name);
  return LANGUAGES[extension] ?? (SCRIPT_EXTENSIONS.has(extension) ? 'scripts and pages' : undefined);
}

/** Counts the non-blank lines of a file, without the test module at the end of a Rust file. */
function countLines(name) {
  let text = readFileSync(join(measuredRoot, name), 'utf8');
  if (name.endsWith('.rs')) text = text.split(/^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod tests \{/mu)[0];
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

function formatMegabytes(bytes) {
  return (bytes.length / 1e6).toFixed(2);
}
