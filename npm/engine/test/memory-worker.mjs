// A process that works on one debug memory.
//
//   node memory-worker.mjs DATABASE outcomes SOLUTION TIMES    records so many outcomes on one solution
//   node memory-worker.mjs DATABASE incident TITLE             adds one incident
//
// stdout: `ready` (then a line on stdin lets it go), then the last answer as JSON.
import { once } from 'node:events';
import { openEngine } from 'argus-engine';

const [databasePath, what, subject, times] = process.argv.slice(2);
const env = { os: 'linux', language: 'python' };
const engine = await openEngine({ databasePath, projectRoot: '/' });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
let answer;
if (what === 'outcomes') {
  for (let time = 0; time < Number(times); time += 1) {
    answer = await engine.recordOutcome({ solution_id: subject, worked: time % 2 === 0, env });
  }
} else {
  const error_signature = 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached';
  answer = await engine.addIncident({ title: subject, error_signature, steps: 'Close it', env, worked: true });
}
await engine.close();
process.stdout.write(`${JSON.stringify(answer)}\n`);
