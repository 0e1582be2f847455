// Makes dist/ from src/ and the compiled engine. Does not: compile Rust (`cargo xtask wasm`).

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const engine = join(here, 'src/wasm/argus_wasm_bg.wasm');
if (!existsSync(engine)) throw new Error('src/wasm is missing: run `cargo xtask wasm` first');

rmSync(join(here, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: ['src/node.ts'],
  outfile: 'dist/node.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
copyFileSync(engine, join(here, 'dist/argus_engine.wasm'));
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json')], { stdio: 'inherit' });
