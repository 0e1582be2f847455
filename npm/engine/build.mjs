// Makes dist/ from src/ and the compiled engine. Compiling Rust: `cargo xtask wasm`.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { listBundledFiles, writeThirdParty } from '../../scripts/lib/third-party.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const engineWasm = join(here, 'src/wasm/argus_wasm_bg.wasm');
if (!existsSync(engineWasm)) throw new Error('src/wasm is missing: run `cargo xtask wasm` first');

rmSync(join(here, 'dist'), { recursive: true, force: true });
// The comments are in the type declarations.
const commentOptions = { jsdoc: false };
const nodeBuild = await build({
  cwd: here,
  input: { node: 'src/node.ts', 'project-worker': 'src/node/project-worker.ts' },
  platform: 'node',
  transform: { target: 'node20' },
  output: { dir: 'dist', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', comments: commentOptions },
});
const browserBuild = await build({
  cwd: here,
  input: 'src/browser.ts',
  platform: 'browser',
  // The engine is compiled with features that only these browsers have.
  transform: { target: 'es2022' },
  output: { file: 'dist/browser.mjs', comments: commentOptions },
});
copyFileSync(engineWasm, join(here, 'dist/argus_engine.wasm'));
const bundledModules = [nodeBuild, browserBuild].flatMap(({ output }) => listBundledFiles(output));
writeThirdParty(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')), bundledModules, join(here, 'dist'));
const tscPath = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tscPath, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
