// Measures the share of changes that the tests detect: selects conditions in the most important code at random, inverts
// a single condition at a time, and runs the checks of `npm test` until a check fails. The checkout must be committed,
// because files are changed and restored in place.
//
// Run: `npm run mutants -- --seed 1 --count 30`
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { globSync } from 'tinyglobby';
import { build } from './build.mjs';
import { cargoTest, NATIVE } from './lib/cargo.mjs';
import { conditionsIn } from './lib/conditions.mjs';
import { ask, limitRuns, root, runTool } from './lib/exec.mjs';
import { rescan } from './lib/stamp.mjs';
import { main, StepFailed } from './lib/steps.mjs';
import { filesOf, vitest } from './lib/vitest.mjs';

const AREAS = {
  classify: ['crates/core/src/classify/**/*.rs'],
  matching: ['crates/engine/src/failures/{matching,lookup,recompute_signatures}.rs', 'crates/core/src/identity/*.rs'],
  confidence: ['crates/core/src/knowledge/{confidence,rank}.rs', 'crates/core/src/knowledge/rank/*.rs'],
  redaction: ['crates/core/src/redact/**/*.rs'],
  'write queue': ['npm/engine/src/node/{write-queue,queue-file}.ts', 'packages/mcp/src/storage/{outbox,spool}.ts'],
  gate: ['packages/mcp/src/cli/ci/gate*.ts'],
  'tool schemas': ['packages/mcp/src/tools/**/*.ts'],
  hook: ['packages/mcp/src/hook/**/*.ts'],
  'fix-loop breaker': ['crates/core/src/fix_loop/{decide,check}.rs', 'crates/core/src/fix_loop/machine/*.rs'],
  'report readers': ['crates/report/src/**/*.rs'],
};
const UNIT_TESTS = ['npm/', 'packages/'];
const DOES_NOT_COMPILE = 'does not compile';
/** A mutant may loop forever. The tests of one language take 20 minutes on two cores that others use too. */
const LIMIT_MS = 40 * 60_000;
const NO_TESTS = ['**/tests/**', '**/tests.rs', '**/*_tests.rs'];

await main(async () => {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '30' } },
  });
  if (ask('git', ['status', '--porcelain', '--untracked-files=no']) !== '')
    throw new StepFailed('Commit or stash your changes first: mutants are written into the sources.');
  limitRuns(LIMIT_MS);
  const survivors = [];
  let caught = 0;
  for (const mutant of drawn(Number(values.seed))) {
    if (caught + survivors.length === Number(values.count)) break;
    const by = await triedOn(mutant);
    if (by === DOES_NOT_COMPILE) continue;
    const { area, file, line, text, becomes } = mutant;
    console.log(`${by ?? 'SURVIVED'} | ${area} | ${file}:${line} | ${text} -> ${becomes}`.replaceAll(/\s+/g, ' '));
    if (by === null) survivors.push(mutant);
    else caught += 1;
  }
  await rebuilt();
  console.log(`${caught} of ${caught + survivors.length} inverted conditions were caught (seed ${values.seed})`);
  return 0;
});

/** Conditions in an order that depends on the seed, alternating between the areas. */
function drawn(seed) {
  const random = generator(seed);
  const shuffled = Object.entries(AREAS).map(([area, patterns]) => {
    const files = globSync(patterns, { cwd: root, ignore: NO_TESTS }).sort();
    const conditions = files.flatMap(conditionsIn).map((condition) => ({ area, order: random(), ...condition }));
    return conditions.sort((left, right) => left.order - right.order);
  });
  const longest = Math.max(...shuffled.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    shuffled.flatMap((conditions) => conditions[round] ?? []),
  ).flat();
}

/** mulberry32 by Tommy Ettinger: numbers from 0 to 1. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the name of the step that failed, or null if none failed. */
async function triedOn({ file, start, end, becomes }) {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, `${source.slice(0, start)}${becomes}${source.slice(end)}`);
  rescan();
  try {
    return await (file.endsWith('.rs') ? triedInRust(file) : triedInTypeScript());
  } finally {
    writeFileSync(path, source);
    rescan();
  }
}

/** Runs the tests of the crate first, because they are built soonest. */
async function triedInRust(file) {
  for (const args of [['-p', `argus-${file.split('/')[1]}`, '--tests'], NATIVE]) {
    const { code, output } = await cargoTest(args, () => {});
    if (/^error(?:\[E\d+\])?: (?!test failed)/mu.test(output) && /could not compile/u.test(output))
      return DOES_NOT_COMPILE;
    if (code !== 0) return `Rust tests${limitNote(output)}`;
  }
  await rebuilt();
  return failureIn(filesOf('test'));
}

/** Runs unit tests first, because they need no bundle. */
async function triedInTypeScript() {
  for (const folder of ['npm/engine', 'packages/mcp']) {
    const { code } = await runTool('typescript', 'bin/tsc', ['-p', folder, '--pretty', 'false']);
    if (code !== 0) return 'types';
  }
  const failure = await failureIn(filesOf('test', UNIT_TESTS));
  if (failure !== null) return failure;
  await rebuilt();
  return failureIn(filesOf('test', [''], UNIT_TESTS));
}

async function failureIn(files) {
  const { code, output } = await vitest({ name: 'mutant', suite: 'test', files, bail: true, onLine: () => {} });
  return code === 0 ? null : `TypeScript tests${limitNote(output)}`;
}

function limitNote(output) {
  return output.endsWith('ended by SIGKILL\n') ? ', by the time limit' : '';
}

async function rebuilt() {
  await build({ quick: true });
  rescan();
}
