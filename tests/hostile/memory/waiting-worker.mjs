// A process that stores items of every kind in turn and prints the answer and the duration of each operation.
//
//   node waiting-worker.mjs ENGINE DATABASE RUN CASE SOLUTION OPERATIONS SEED
//
// ENGINE is the URL of argus-engine's module. OPERATIONS 0 means until the process ends. SEED makes its runs and
// incidents different from those of other processes. It starts at the first line of stdin, so that several processes
// can start together.
// stdout: `ready`, then one JSON object a line: {operation, id, ms} or {operation, refused, ms}.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';

const [url, databasePath, runId, caseName, solution_id, operations, seed] = process.argv.slice(2);
const { openEngine, EngineError } = await import(url);
const printLine = (line) => writeSync(1, `${line}\n`);
const engine = await openEngine({ databasePath, projectRoot: '/' });
const environment = { os: 'linux' };

const OPERATIONS = {
  recordRun: async (count) => {
    const outputTail = `Broken${seed}: the ${count}th job could not be done`;
    const run = { command: seed, exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
    return (await engine.recordRun(run)).runId;
  },
  diagnose: async () => {
    const { warnings, signature } = await engine.diagnose({ runId, caseName });
    if (warnings.length > 0) throw new EngineError('DATABASE_LOCKED', warnings.join(' '));
    return signature;
  },
  reportFix: async (count) => {
    const fix = { runId, caseName, fixDescription: `Turned screw ${seed} ${count}`, success: count % 2 === 0 };
    return (await engine.reportFix(fix)).fixRecordId;
  },
  addIncident: async (count) => {
    // The words are unique, because otherwise the incident counts as a duplicate.
    const title = createHash('sha256').update(`${seed} ${count}`).digest('hex').replace(/.{16}/g, 'w$& ');
    return (await engine.addIncident({ title, steps: 'Turn it.', env: environment, worked: true })).incident_id;
  },
  recordOutcome: async (count) =>
    (await engine.recordOutcome({ solution_id, worked: count % 3 > 0, env: environment })).outcome_id,
};
const OPERATION_NAMES = Object.entries(OPERATIONS);

printLine('ready');
await once(process.stdin, 'data');
process.stdin.unref();
for (let count = 0; operations === '0' || count < Number(operations); count += 1) {
  const [operation, perform] = OPERATION_NAMES[count % OPERATION_NAMES.length];
  const started = performance.now();
  const answer = await perform(count).then(
    (id) => ({ id }),
    (error) => ({ refused: `${error.code}: ${error.message}` }),
  );
  printLine(JSON.stringify({ operation, ...answer, ms: performance.now() - started }));
}
await engine.close();
process.exit();
