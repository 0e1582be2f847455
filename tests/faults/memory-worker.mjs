// A process that records an outcome and adds an incident in turns until it is killed, and says each id it was answered.
//
//   node memory-worker.mjs ENGINE DATABASE SOLUTION SEED
//
// ENGINE is the URL of argus-engine's module; SEED makes its incidents unlike those of others.
import { writeSync } from 'node:fs';

const [url, databasePath, solution_id, seed] = process.argv.slice(2);
const { openEngine } = await import(url);
const engine = await openEngine({ databasePath, projectRoot: '/' });
const env = { os: 'linux' };
for (let count = 0; ; count += 1) {
  const { outcome_id } = await engine.recordOutcome({ solution_id, worked: count % 3 > 0, env });
  writeSync(1, `${outcome_id}\n`);
  const title = `Turbine${seed}n${count} stalls at blade${seed}x${count}`;
  const { incident_id } = await engine.addIncident({ title, steps: 'Turn it.', env, worked: true });
  writeSync(1, `${incident_id}\n`);
}
