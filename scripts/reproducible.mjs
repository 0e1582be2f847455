// Builds the committed state in two fresh clones, in folders of different length and at different times, and compares
// the engine's module and both packages byte by byte. Run it by hand, because it compiles everything twice.
// `--repository URL` adds the repository to both manifests as the release does, so that the packages equal the
// published packages. Uncommitted changes are not included.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run, runNpm } from './lib/exec.mjs';
import { requireSuccess, runMain, runStep } from './lib/steps.mjs';

const WASM_PATH = 'npm/engine/src/wasm/argus_wasm_bg.wasm';
const PACKAGE_NAMES = ['argus-engine', 'argus-mcp'];
/** Undefined if the manifests stay as committed, without a repository. */
const { repository } = parseArgs({ options: { repository: { type: 'string' } } }).values;
/** The folder names have different lengths, because an embedded absolute path would then shift the content after it. */
const CLONE_FOLDERS = ['a', join('a-second-folder', 'with-a-much-longer-name')];

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'argus-reproducible-'));
  try {
    const [first, second] = [
      await buildAndDigest(work, CLONE_FOLDERS[0]),
      await buildAndDigest(work, CLONE_FOLDERS[1]),
    ];
    const names = [...new Set([...first.keys(), ...second.keys()])];
    const different = names.filter((name) => first.get(name) !== second.get(name));
    for (const name of names) {
      console.log(`${different.includes(name) ? 'DIFFERENT' : 'same     '} ${first.get(name)} ${name}`);
    }
    return different.length === 0 ? 0 : 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

/** Builds a new clone. Returns the SHA-256 of the published files by file name. */
async function buildAndDigest(work, name) {
  const folder = join(work, name);
  const within = (title, started) =>
    runStep(`${title} in ${name}`, async (onLine) => requireSuccess(title, await started(onLine)));
  await within('git clone', (onLine) => run('git', ['clone', '--quiet', root, folder], { onLine }));
  // Without this, both clones would share a target folder of the caller.
  const options = (onLine) => ({ cwd: folder, onLine, extraEnv: { CARGO_TARGET_DIR: join(folder, 'target') } });
  await within('build', (onLine) => run(process.execPath, ['scripts/build.mjs'], options(onLine)));
  const workspaces = PACKAGE_NAMES.flatMap((workspace) => ['--workspace', workspace]);
  if (repository !== undefined) {
    const fields = ['repository.type=git', `repository.url=${repository}`];
    await within('npm pkg set', (onLine) => runNpm(['pkg', 'set', ...fields, ...workspaces], options(onLine)));
  }
  const packed = join(work, `${basename(folder)}-packed`);
  mkdirSync(packed);
  const pack = ['pack', '--ignore-scripts', '--pack-destination', packed];
  await within('npm pack', (onLine) => runNpm([...pack, ...workspaces], options(onLine)));
  const files = [join(folder, WASM_PATH), ...readdirSync(packed).map((file) => join(packed, file))];
  return new Map(files.map((file) => [basename(file), createHash('sha256').update(readFileSync(file)).digest('hex')]));
}
