// `npm test`: sets up, builds, and runs every check and test; fast ones first. What passed on the very same files is
// not run again; `npm test -- --all` runs it all the same. How a check works: lib/checks.mjs.
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { AFTER_BUILD, BEFORE_BUILD } from './lib/checks.mjs';
import { keepLog } from './lib/exec.mjs';
import { forget, hashOf, recall, remember, rescan } from './lib/stamp.mjs';
import { bold, dim, main, StepFailed, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

/** Enough of a failed runner's output to act on; the rest is in its log. */
const TAIL_LINES = 80;
/** A test that passed, as Vitest (`✓ name 12ms`) and cargo (`test name ... ok`) say it: not why the runner failed. */
const PASSED = /^\s*✓ |^test .* \.\.\. ok$/;

export async function test({ all = false } = {}) {
  await setUp({ forTests: true });
  const results = await runAll(BEFORE_BUILD, all);
  await build();
  rescan();
  results.push(...(await runAll(AFTER_BUILD, all)));
  return report(results);
}

async function runAll(checks, all) {
  const results = [];
  for (const it of checks) results.push(await runOne(it, all));
  return results;
}

async function runOne({ name, inputs, run }, all) {
  const key = `passed-${name.replace(/\W+/g, '-')}`;
  const hash = hashOf(inputs, process.versions.node, process.platform);
  const known = all ? null : recall(key, hash);
  if (known) return { ...known, name, cached: true };
  forget(key);
  try {
    const result = await step(name, async (onLine) => {
      const outcome = await run(onLine);
      if (outcome.code !== 0) throw new RunnerFailed(name, outcome);
      return outcome;
    });
    if (result.summary) console.log(`   ${result.summary}`);
    const { passed, failed, summary } = result;
    remember(key, hash, { passed, failed, summary });
    return { name, passed, failed, summary };
  } catch (error) {
    if (!(error instanceof RunnerFailed)) throw error;
    console.log(error.message);
    return { name, ...error.counts };
  }
}

class RunnerFailed extends StepFailed {
  constructor(name, { output, passed, failed, summary }) {
    const log = keepLog(name, output);
    const lines = output.trimEnd().split('\n');
    const telling = lines.filter((line) => !PASSED.test(line));
    super([...telling.slice(-TAIL_LINES), `all ${lines.length} lines: ${log}`].join('\n'));
    this.counts = { passed, failed, summary };
  }
}

function report(results) {
  const cached = results.filter((it) => it.cached);
  if (cached.length > 0) {
    console.log(
      dim(`unchanged since they passed: ${cached.map((it) => it.name).join(', ')} (npm test -- --all runs them again)`),
    );
  }
  const bad = results.filter((it) => it.failed > 0).map((it) => it.name);
  if (bad.length > 0) console.log(bold(`failed: ${bad.join(', ')}`));
  const sum = (key) => results.reduce((total, it) => total + it[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return bad.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => test({ all: process.argv.includes('--all') }));
}
