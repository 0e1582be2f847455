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
import { NATIVE_TEST_ARGS, runCargoTests } from './lib/cargo.mjs';
import { findConditions } from './lib/conditions.mjs';
import { limitRuns, readOutput, root, runTool } from './lib/exec.mjs';
import { rescan } from './lib/step-cache.mjs';
import { runMain, StepFailed } from './lib/steps.mjs';
import { runVitest, selectTestFiles } from './lib/vitest.mjs';

/** Source files of each area, and the end-to-end tests that most likely detect a change in them. */
const AREAS = {
  classify: { files: ['crates/core/src/classify/**/*.rs'], tests: ['tests/e2e/contract/', 'tests/recurrence/'] },
  matching: {
    files: ['crates/engine/src/failures/{matching,lookup,recompute_signatures}.rs', 'crates/core/src/identity/*.rs'],
    tests: ['tests/e2e/memory/', 'tests/compatibility/'],
  },
  confidence: {
    files: ['crates/core/src/knowledge/{confidence,rank}.rs', 'crates/core/src/knowledge/rank/*.rs'],
    tests: ['tests/e2e/memory/'],
  },
  redaction: { files: ['crates/core/src/redact/**/*.rs'], tests: ['tests/hostile/secrets'] },
  'write queue': {
    files: ['npm/engine/src/node/{write-queue,queue-file}.ts', 'packages/mcp/src/storage/{outbox,spool}.ts'],
    tests: ['tests/faults/', 'tests/e2e/process/'],
  },
  gate: { files: ['packages/mcp/src/cli/ci/gate*.ts'], tests: ['tests/e2e/ci/', 'tests/hostile/gate'] },
  'tool schemas': { files: ['packages/mcp/src/tools/**/*.ts'], tests: ['tests/e2e/protocol/', 'tests/e2e/contract/'] },
  hook: { files: ['packages/mcp/src/hook/**/*.ts'], tests: ['tests/e2e/hook/', 'tests/hostile/hook'] },
  'fix-loop breaker': {
    files: ['crates/core/src/fix_loop/{decide,check}.rs', 'crates/core/src/fix_loop/machine/*.rs'],
    tests: ['tests/e2e/fix-loop/'],
  },
  'report readers': { files: ['crates/report/src/**/*.rs'], tests: ['tests/e2e/reporters/', 'tests/e2e/runs/'] },
};
const UNIT_TEST_PREFIXES = ['npm/', 'packages/'];
const DOES_NOT_COMPILE = 'does not compile';
/** A mutant may loop forever. Each limit is three times the duration of the step without a mutant, on two cores. */
const LIMIT_MINUTES = { crate: 9, workspace: 15, types: 3, unit: 6, related: 12, all: 45 };
const EXCLUDED_TESTS = ['**/tests/**', '**/tests.rs', '**/*_tests.rs'];

await runMain(async () => {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '30' } },
  });
  if (readOutput('git', ['status', '--porcelain', '--untracked-files=no']) !== '')
    throw new StepFailed('Commit or stash your changes first: mutants are written into the sources.');
  const survivors = [];
  let caught = 0;
  for (const mutant of shuffleConditions(Number(values.seed))) {
    if (caught + survivors.length === Number(values.count)) break;
    const by = await testMutant(mutant);
    if (by === DOES_NOT_COMPILE) continue;
    const { area, file, line, text, becomes } = mutant;
    console.log(`${by ?? 'SURVIVED'} | ${area} | ${file}:${line} | ${text} -> ${becomes}`.replaceAll(/\s+/g, ' '));
    if (by === null) survivors.push(mutant);
    else caught += 1;
  }
  await rebuild();
  console.log(`${caught} of ${caught + survivors.length} inverted conditions were caught (seed ${values.seed})`);
  return 0;
});

/** Selects conditions in an order that depends on the seed, alternating between the areas. */
function shuffleConditions(seed) {
  const random = createGenerator(seed);
  const shuffled = Object.entries(AREAS).map(([area, { files: patterns }]) => {
    const files = globSync(patterns, { cwd: root, ignore: EXCLUDED_TESTS }).sort();
    const conditions = files.flatMap(findConditions).map((condition) => ({ area, order: random(), ...condition }));
    return conditions.sort((left, right) => left.order - right.order);
  });
  const longest = Math.max(...shuffled.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    shuffled.flatMap((conditions) => conditions[round] ?? []),
  ).flat();
}

/** Returns a generator of pseudorandom numbers from 0 to 1 (mulberry32 by Tommy Ettinger). */
function createGenerator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Tests a mutant. Returns the name of the step that failed, or null if no step failed. */
async function testMutant({ area, file, start, end, becomes }) {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, `${source.slice(0, start)}${becomes}${source.slice(end)}`);
  rescan();
  try {
    const failure = await (file.endsWith('.rs') ? testRustMutant(file) : testTypeScriptMutant());
    return failure ?? (await runBundleTests(AREAS[area].tests));
  } finally {
    writeFileSync(path, source);
    rescan();
  }
}

/** Runs the tests of the crate first, because they are built soonest. */
async function testRustMutant(file) {
  const crate = ['-p', `argus-${file.split('/')[1]}`, '--tests'];
  for (const [step, args] of [
    ['crate', crate],
    ['workspace', NATIVE_TEST_ARGS],
  ]) {
    limitRuns(LIMIT_MINUTES[step] * 60_000);
    const { code, output } = await runCargoTests(args, () => {});
    if (/^error(?:\[E\d+\])?: (?!test failed)/mu.test(output) && /could not compile/u.test(output))
      return DOES_NOT_COMPILE;
    if (code !== 0) return `Rust tests${describeLimit(output)}`;
  }
  return null;
}

/** Runs the tests that need no bundle. */
async function testTypeScriptMutant() {
  limitRuns(LIMIT_MINUTES.types * 60_000);
  for (const folder of ['npm/engine', 'packages/mcp']) {
    const { code } = await runTool('typescript', 'bin/tsc', ['-p', folder, '--pretty', 'false']);
    if (code !== 0) return 'types';
  }
  return findFailedStep('unit', selectTestFiles('test', UNIT_TEST_PREFIXES));
}

/** Runs the related tests first, and then the others. */
async function runBundleTests(related) {
  await rebuild();
  return (
    (await findFailedStep('related', selectTestFiles('test', related))) ??
    findFailedStep('all', selectTestFiles('test', [''], related))
  );
}

async function findFailedStep(step, files) {
  limitRuns(LIMIT_MINUTES[step] * 60_000);
  const { code, output } = await runVitest({ name: 'mutant', suite: 'test', files, bail: true, onLine: () => {} });
  return code === 0 ? null : `TypeScript tests${describeLimit(output)}`;
}

function describeLimit(output) {
  return output.endsWith('ended by SIGKILL\n') ? ', by the time limit' : '';
}

async function rebuild() {
  limitRuns(undefined);
  await build({ quick: true });
  rescan();
}
