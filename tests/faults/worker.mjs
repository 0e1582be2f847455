// A process that diagnoses a failure repeatedly and prints the failure's count after each answer.
//
//   node worker.mjs ENGINE DATABASE RUN CASE TIMES [UID]
//
// ENGINE is the URL of argus-engine's module; UID is the user to continue as.
// stdout: `ready`, then one number a line; stderr: the log. Exit code 3: an engine error, as JSON on stdout.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const [url, databasePath, runId, caseName, times, uid] = process.argv.slice(2);
const { openEngine, EngineError } = await import(url);
const printLine = (line) => writeSync(1, `${line}\n`);
if (uid !== undefined) await becomeUser(Number(uid));

try {
  const log = (line) => writeSync(2, `${line}\n`);
  const engine = await openEngine({ databasePath, projectRoot: dirname(databasePath), log });
  printLine('ready');
  for (let count = 0; count < Number(times); count += 1) {
    const { pattern, warnings } = await engine.diagnose({ runId, caseName });
    if (warnings.length > 0) throw new EngineError('DATABASE_LOCKED', warnings.join(' '));
    printLine(pattern?.occurrences ?? 1);
  }
  await engine.close();
} catch (error) {
  if (!(error instanceof EngineError)) throw error;
  printLine(JSON.stringify({ code: error.code, message: error.message }));
  process.exitCode = 3;
}

/** Called after all code is loaded, because the other user may not be able to read the checkout. */
async function becomeUser(id) {
  const warmUp = await openEngine({ databasePath: ':memory:', projectRoot: '/' });
  await warmUp.close();
  createRequire(url)('fs-native-extensions');
  process.setgroups([]);
  process.setgid(id);
  process.setuid(id);
}
