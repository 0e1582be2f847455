// A process that opens a database, brings it to this version's schema where it is older, and says so.
//
//   node opening-worker.mjs ENGINE DATABASE
//
// ENGINE is the URL of argus-engine's module. stdout: `opening`, then `open`.
import { writeSync } from 'node:fs';

const [url, databasePath] = process.argv.slice(2);
const { openEngine } = await import(url);
writeSync(1, 'opening\n');
const engine = await openEngine({ databasePath, projectRoot: '/' });
await engine.checkWrite();
writeSync(1, 'open\n');
await engine.close();
