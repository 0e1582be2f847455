// Cargo commands for the suites.
import { run } from './exec.mjs';
import { startPostgres } from './postgres.mjs';

/** All native test programs. Documentation tests run separately, because they link a program for each example. */
export const NATIVE = ['--workspace', '--tests'];

export async function cargoTest(args, onLine, extraEnv = {}) {
  const { code, output } = await run('cargo', ['test', ...args], { onLine, extraEnv });
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const sum = (column) => results.reduce((total, match) => total + Number(match[column]), 0);
  const failed = code !== 0 && sum(2) === 0 ? 1 : sum(2);
  return { code, output, passed: sum(1), failed, skipped: 0 };
}

export const clippy = (args, onLine) => run('cargo', ['clippy', ...args, '--', '-D', 'warnings'], { onLine });

/** Runs each engine call once on PostgreSQL, and all tests that depend on the database. */
export async function engineOnPostgres(onLine) {
  const server = await startPostgres();
  try {
    return await cargoTest([...NATIVE, '--', '--include-ignored', 'databases::', 'postgres::'], onLine, {
      ARGUS_TEST_POSTGRES: server.url,
    });
  } finally {
    await server.stop();
  }
}
