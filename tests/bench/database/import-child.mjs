// Runs one import in a fresh process: `import-child.mjs REPORT DATABASE` prints the duration in seconds and the peak
// memory as JSON.
import { dirname } from 'node:path';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { cpuSeconds } from '../measure.mjs';

const [path, databasePath] = process.argv.slice(2);
const start = performance.now();
const engine = await openEngine({ databasePath, projectRoot: dirname(databasePath) });
await engine.recordRun({ reports: [{ path }], timedOut: false, containers: [], notes: [] });
const seconds = (performance.now() - start) / 1000;
await engine.close();

const thread = cpuSeconds();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpu = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(JSON.stringify({ seconds, thread, cpu, peakKilobytes: maxRSS }));
