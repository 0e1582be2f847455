// A process that opens a database, migrates it when its schema is older, and prints its progress.
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
