// Makes dist/ from src/ and the compiled engine. Compiling Rust: `cargo xtask wasm`.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { bundledFiles, writeThirdParty } from '../../scripts/lib/third-party.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const engine = join(here, 'src/wasm/argus_wasm_bg.wasm');
if (!existsSync(engine)) throw new Error('src/wasm is missing: run `cargo xtask wasm` first');

rmSync(join(here, 'dist'), { recursive: true, force: true });
// They are in the declarations.
const comments = { jsdoc: false };
const node = await build({
  cwd: here,
  input: { node: 'src/node.ts', 'project-worker': 'src/node/project-worker.ts' },
  platform: 'node',
  transform: { target: 'node20' },
  output: { dir: 'dist', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', comments },
});
const browser = await build({
  cwd: here,
  input: 'src/browser.ts',
  platform: 'browser',
  // Browsers that have the features the engine is compiled for.
  transform: { target: 'es2022' },
  output: { file: 'dist/browser.mjs', comments },
});
copyFileSync(engine, join(here, 'dist/argus_engine.wasm'));
const modules = [node, browser].flatMap(({ output }) => bundledFiles(output));
writeThirdParty(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')), modules, join(here, 'dist'));
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
